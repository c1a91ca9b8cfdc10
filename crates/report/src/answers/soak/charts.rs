//! The probes of a soak against time, with the promised rate.

use analysis::{Analysis, ProcedureAnswer, SoakAnswer};

use crate::charts::axis::Axis;
use crate::charts::chart::Chart;
use crate::charts::ink::Ink;
use crate::charts::panel::{Dots, Level, Line, Panel, Shape, Side};
use crate::words::Table;
use crate::words::numbers;

/// Length in hours above which the axis is in hours rather than minutes.
const HOURS: f64 = 2.0;

/// Returns the rate of each probe in order; `None` if the run is not a soak or has fewer than two probes.
pub(crate) fn over_time(analysis: &Analysis) -> Option<Chart> {
    let answer = match analysis.answered.as_ref()? {
        ProcedureAnswer::Soak(answer) if answer.probes.len() > 1 => answer,
        _ => return None,
    };
    let (unit, each) = if answer.seconds > HOURS * 3600.0 { ("hours", 3600.0) } else { ("minutes", 60.0) };
    let points: Vec<(f64, f64)> = answer.probes.iter().map(|probe| (probe.at_s / each, probe.iops)).collect();
    let last = points.last().map_or(1.0, |point| point.0);
    let levels = levels(answer);
    let most =
        points.iter().map(|point| point.1).chain(levels.iter().map(|level| level.value)).fold(0.0, f64::max);
    let line =
        Line { dots: Dots::Each(Shape::Circle), ..Line::of("a look at all there is", Ink::Read, [points]) };
    let panel = Panel {
        levels,
        ..Panel::of(
            Side::new(unit, Axis::linear(0.0, last, 8, numbers::figure)),
            Side::new("I/Os a second", Axis::linear(0.0, most * 1.08, 6, numbers::figure)),
            vec![line],
        )
    };
    let title = "What there was over time";
    Some(Chart::drawn(title, 320, &[panel], table(answer)))
}

fn levels(answer: &SoakAnswer) -> Vec<Level> {
    let level = |value: f64, label: String| Level { value, label, ink: Ink::Claim };
    let promised = answer.promise.as_ref().map(|promise| {
        let least = promise.iops * promise.fraction;
        level(least, format!("promised: {}", numbers::iops(least)))
    });
    promised.into_iter().collect()
}

fn table(answer: &SoakAnswer) -> Table {
    let mut table = Table::headed(&["second", "I/Os a second", "kept"]);
    let row = |probe: &analysis::SoakProbe| {
        vec![numbers::fixed(probe.at_s, 0), numbers::count(probe.iops), numbers::share(probe.kept)]
    };
    table.rows = answer.probes.iter().map(row).collect();
    table
}
