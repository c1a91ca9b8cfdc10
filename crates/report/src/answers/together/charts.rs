//! Charts of several volumes loaded together: bars of the rate that each volume delivers alone and beside the
//! others, and the rate of each, load by load.

use analysis::{
    Analysis, LoadTogether, ProcedureAnswer, Reach, TogetherAnswer, TogetherLook, TogetherRole, look_together,
};
use record::{Run, Unit};
use workload::ProcedureRequest;

use super::{kept_table, level_words, load_words};
use crate::charts::axis::Axis;
use crate::charts::chart::Chart;
use crate::charts::engineering;
use crate::charts::ink::Ink;
use crate::charts::panel::{Area, Level, Line, Panel, Segment, Side};
use crate::words::Table;
use crate::words::numbers;

/// Start and end of the two bars of a volume, as fractions of its place.
const BARS: [(f64, f64); 2] = [(0.14, 0.47), (0.53, 0.86)];
/// Room on either side of a load, as a fraction of its place.
const BESIDE: f64 = 0.08;
/// Inks of the volumes, repeated in turn.
const INKS: [Ink; 5] = [Ink::Read, Ink::Write, Ink::Discard, Ink::Queue, Ink::Flush];

fn answer(analysis: &Analysis) -> Option<&TogetherAnswer> {
    match &analysis.answered {
        Some(ProcedureAnswer::Together(answer)) => Some(answer),
        _ => None,
    }
}

/// Returns the most telling load: the first under which the volumes share a limit, or else the first.
fn decisive(answer: &TogetherAnswer) -> Option<&LoadTogether> {
    let held = answer.loads.iter().find(|load| load.reach == Reach::Held);
    held.or_else(|| answer.loads.first())
}

/// Returns the rate that each volume delivers alone and beside the others; `None` if nothing was measured.
pub(crate) fn alone_and_together(analysis: &Analysis) -> Option<Chart> {
    let answer = answer(analysis)?;
    let load = decisive(answer)?;
    let values = |of: fn(&analysis::VolumeTogether) -> Option<analysis::Estimate>| -> Vec<Option<f64>> {
        load.rows.iter().map(|row| of(row).map(|level| level.value)).collect()
    };
    let lines = vec![
        Line { ink: Ink::Busy, ..bars("alone", &values(|row| row.alone), BARS[0]) },
        bars("together", &values(|row| row.together), BARS[1]),
    ];
    let top = Panel::top(&lines);
    if top <= 0.0 {
        return None;
    }
    let budget = answer.budgets.iter().find(|budget| budget.load == load.load);
    let levels: Vec<Level> = budget
        .map(|budget| Level { value: budget.operations.value, label: level_words(budget), ink: Ink::Claim })
        .into_iter()
        .collect();
    let top = levels.iter().map(|level| level.value).fold(top, f64::max);
    let names = answer.volumes.iter().enumerate().map(|(at, (label, _))| (at as f64 + 0.5, label.clone()));
    let panel = Panel {
        levels,
        ..Panel::of(
            Side::new("volume", Axis::with_ticks(0.0, answer.volumes.len() as f64, names.collect())),
            Side::new(load_words(&load.load), engineering::axis(Unit::PerSecond, top * 1.08, 5)),
            lines,
        )
    };
    let title = "Each volume alone and beside the others";
    Some(Chart::drawn(title, 280, &[panel], kept_table(answer, load)))
}

/// Draws a bar for each value, from `from` to `to` within the place of its volume.
fn bars(name: &str, values: &[Option<f64>], (from, to): (f64, f64)) -> Line {
    let bar = |(at, value): (usize, &Option<f64>)| {
        let (from, to, value) = (at as f64 + from, at as f64 + to, (*value)?);
        let points = vec![(from, 0.0), (from, value), (to, value), (to, 0.0)];
        Some(Segment { points, area: Area::Shaded })
    };
    Line::of(name, Ink::Read, values.iter().enumerate().filter_map(bar))
}

/// Returns the rate of each volume, look by look, under the most telling load.
pub(crate) fn shares_over_time(run: &Run, analysis: &Analysis) -> Option<Chart> {
    let answer = answer(analysis)?;
    let Some(ProcedureRequest::Together(asked)) = &run.asked else { return None };
    let load = decisive(answer)?.load;
    let looks: Vec<TogetherLook<'_>> = run
        .steps
        .iter()
        .filter_map(|step| look_together(step, asked))
        .filter(|look| look.load == load)
        .collect();
    let lines: Vec<Line> = (0..answer.volumes.len())
        .map(|volume| line(answer, &looks, volume))
        .filter(|line| !line.is_empty())
        .collect();
    let top = Panel::top(&lines);
    let names = looks.iter().enumerate().map(|(at, look)| (at as f64 + 0.5, short(answer, &look.role)));
    let panel = Panel::of(
        Side::new("loads in the order of time", Axis::with_ticks(0.0, looks.len() as f64, names.collect())),
        Side::new(load_words(&load), engineering::axis(Unit::PerSecond, top * 1.08, 5)),
        lines,
    );
    let title = "What each volume has, load by load";
    (top > 0.0).then(|| Chart::drawn(title, 300, &[panel], rates(answer, &looks)))
}

/// Returns the rate of one volume, with a stroke for each look at its place.
fn line(answer: &TogetherAnswer, looks: &[TogetherLook<'_>], volume: usize) -> Line {
    let stroke = |(at, look): (usize, &TogetherLook<'_>)| -> Vec<(f64, f64)> {
        let rates = &look.rates[volume];
        let place = |number: usize| {
            at as f64 + BESIDE + (1.0 - 2.0 * BESIDE) * (number as f64 + 0.5) / rates.len() as f64
        };
        rates.iter().enumerate().map(|(number, rate)| (place(number), *rate)).collect()
    };
    let strokes = looks.iter().enumerate().map(stroke).filter(|points| !points.is_empty());
    Line::of(&answer.volumes[volume].0, INKS[volume % INKS.len()], strokes)
}

/// Names the loaded volumes and the kind of load, in a word or two.
fn short(answer: &TogetherAnswer, role: &TogetherRole) -> String {
    let label = |volume: usize| answer.volumes[volume].0.clone();
    match role {
        TogetherRole::Alone(volume) => label(*volume),
        TogetherRole::Shallow(volume) => format!("{} small", label(*volume)),
        TogetherRole::Part(volumes) => {
            volumes.iter().map(|volume| label(*volume)).collect::<Vec<_>>().join("+")
        }
        TogetherRole::All => "all".to_owned(),
        TogetherRole::Greedy(volume) => format!("{} full", label(*volume)),
        TogetherRole::Paced(volume) => format!("{} half", label(*volume)),
    }
}

fn rates(answer: &TogetherAnswer, looks: &[TogetherLook<'_>]) -> Table {
    let mut table = Table::headed(&["load", "volume", "IOPS"]);
    for look in looks {
        for (volume, (label, _)) in answer.volumes.iter().enumerate() {
            if let Some(rate) = look.rate(volume) {
                table.rows.push(vec![look.step.plan.name.clone(), label.clone(), numbers::count(rate)]);
            }
        }
    }
    table
}
