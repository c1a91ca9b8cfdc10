//! Values of every interval of a measured run, into which its charts against time zoom.

use std::borrow::Cow;

use analysis::{Analysis, Quantity};
use record::{Interval, Run};
use workload::{Direction, Nanos};

use super::ink::Ink;
use super::over_time::{chart_unit, claimed, claimed_latency, directions_of, ink_of, merged, per_second};
use super::panel::Level;
use crate::words::numbers::Unit;
use crate::words::sentence::plural;

/// A chart of a run against time as data, in base units.
pub(crate) struct MeasuredChart {
    pub title: &'static str,
    pub unit: record::Unit,
    /// Unit in which all values are written; `None` if each value has a unit that suits it.
    pub written: Option<Unit>,
    pub lines: Vec<MeasuredLine>,
    /// Claimed levels.
    pub levels: Vec<Level>,
}

/// A line: a value for each span, NaN if there is none.
pub(crate) struct MeasuredLine {
    pub name: String,
    pub ink: Ink,
    pub values: Vec<f64>,
}

/// A step's directions and its intervals.
type Step<'r> = (Vec<Direction>, Vec<Cow<'r, Interval>>);

/// The steps of a run, with the claims on it: the source of its charts.
pub(crate) struct Steps<'r> {
    run: &'r Run,
    analysis: &'r Analysis,
    steps: Vec<Step<'r>>,
}

impl<'r> Steps<'r> {
    pub fn of(run: &'r Run, analysis: &'r Analysis) -> Steps<'r> {
        let steps = run.steps.iter().map(|step| (directions_of(step), merged(step))).collect();
        Steps { run, analysis, steps }
    }

    /// Returns the spans of the values, one for each value. Between two steps there is a span without values.
    pub fn spans(&self) -> Vec<(Nanos, Nanos)> {
        let mut spans: Vec<(Nanos, Nanos)> = Vec::new();
        for (_, intervals) in &self.steps {
            if let (Some(last), Some(next)) = (spans.last().copied(), intervals.first()) {
                spans.push((last.1, next.start));
            }
            spans.extend(intervals.iter().map(|interval| (interval.start, interval.end)));
        }
        spans
    }
}

/// Returns the value drawn for an interval in a direction.
type Value = fn(&Interval, Direction) -> f64;

/// Returns the data of the chart of operations.
pub(super) fn rate(of: &Steps<'_>) -> MeasuredChart {
    let value: Value = |interval, direction| per_second(interval, interval.of(direction).tally.ops);
    MeasuredChart {
        title: "operations a second",
        unit: record::Unit::PerSecond,
        written: None,
        lines: lines(&of.steps, value, &[Direction::Read, Direction::Write, Direction::Flush]),
        levels: claimed(of.run, of.analysis, Quantity::Iops),
    }
}

/// Returns the data of the chart of bytes.
pub(super) fn bandwidth(of: &Steps<'_>) -> MeasuredChart {
    let value: Value = |interval, direction| per_second(interval, interval.of(direction).tally.bytes);
    MeasuredChart {
        title: "bandwidth",
        unit: record::Unit::BytesPerSecond,
        written: Some(chart_unit(of.run, of.analysis)),
        lines: lines(&of.steps, value, &[Direction::Read, Direction::Write]),
        levels: claimed(of.run, of.analysis, Quantity::BytesPerSecond),
    }
}

/// Returns the data of the chart of latencies.
pub(super) fn latency(of: &Steps<'_>) -> MeasuredChart {
    let mean: Value = |interval, direction| {
        interval.of(direction).tally.latency_ns_mean().map_or(f64::NAN, |time| time / 1e9)
    };
    let tail: Value = |interval, direction| {
        interval.of(direction).latency.percentile(99.0).map_or(f64::NAN, |time| time as f64 / 1e9)
    };
    let mut all = lines(&of.steps, mean, &[Direction::Read, Direction::Write, Direction::Flush]);
    let tails = lines(&of.steps, tail, &[Direction::Read, Direction::Write]);
    all.extend(tails.into_iter().map(|line| MeasuredLine {
        name: format!("{}, p99", line.name),
        ink: if line.ink == Ink::Read { Ink::ReadTail } else { Ink::WriteTail },
        ..line
    }));
    let claims = claimed_latency(of.run, of.analysis).into_iter();
    MeasuredChart {
        title: "mean, dashed: 99th percentile",
        unit: record::Unit::Seconds,
        written: None,
        lines: all,
        levels: claims.map(|level| Level { value: level.value * 1e-9, ..level }).collect(),
    }
}

fn lines(steps: &[Step<'_>], value: Value, directions: &[Direction]) -> Vec<MeasuredLine> {
    let line = |&direction: &Direction| MeasuredLine {
        name: plural(direction).to_owned(),
        ink: ink_of(direction),
        values: values(steps, value, direction),
    };
    let said = |line: &MeasuredLine| line.values.iter().any(|value| value.is_finite());
    directions.iter().map(line).filter(said).collect()
}

/// Returns a value for each span: NaN in a step without this direction. In a step with it, a stall is a zero.
fn values(steps: &[Step<'_>], value: Value, direction: Direction) -> Vec<f64> {
    let mut values = Vec::new();
    for (asked, intervals) in steps.iter().filter(|(_, intervals)| !intervals.is_empty()) {
        if !values.is_empty() {
            values.push(f64::NAN);
        }
        let said = asked.contains(&direction);
        values.extend(
            intervals.iter().map(|interval| if said { value(interval, direction) } else { f64::NAN }),
        );
    }
    values
}
