//! The line shown while a step runs, and the line after its end.

use record::{Phase, PhaseKind, StepRecord};
use workload::{Direction, Ending};

use crate::words::numbers::{self, Prefix};
use crate::words::wrap::{COLUMNS, clean};

/// Columns for the step's name.
const NAME: usize = 26;

/// Returns the line for a finished step, for output that is not a terminal: step, rates, seconds and why it ended.
/// No line break.
pub fn step_done(step: &StepRecord) -> String {
    let (ops, bytes) = Direction::ALL.iter().fold((0, 0), |(ops, bytes), &direction| {
        let tally = step.tally(direction);
        (ops + tally.ops, bytes + tally.bytes)
    });
    let seconds = step.seconds();
    let (iops, rate) = match seconds > 0.0 {
        true => (ops as f64 / seconds, bytes as f64 / seconds),
        false => (0.0, 0.0),
    };
    let line = format!(
        "  {:<NAME$}{:>14}  {:>12}  {:>7}  {}",
        cut(&step.plan.name, NAME - 1),
        numbers::iops(iops),
        numbers::bandwidth(rate, Prefix::Binary),
        numbers::span(seconds),
        ending(step.ending)
    );
    cut(&line, COLUMNS)
}

/// Current load of a watched device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceNow {
    /// Kernel name.
    pub device: String,
    /// Reads a second.
    pub reads: f64,
    /// Writes a second.
    pub writes: f64,
    /// Mean time of reads and writes in seconds, waiting included.
    pub await_s: f64,
    /// Mean number of requests waiting or being served.
    pub queue: f64,
    /// Bytes a second.
    pub bytes: f64,
}

/// Returns the live line of a watch, within `room` columns: the phase, its remaining seconds if known, and the load
/// of a device: `load 2  34 s left  vda 700 r/s 300 w/s, 1.1 ms, queue 1.2, 3.91 MiB/s`. No line break.
pub fn watch_progress(
    (phase, left_s): (&str, Option<f64>),
    device: Option<&DeviceNow>,
    room: usize,
) -> String {
    let left = left_s.map(|seconds| format!("{} left", numbers::span(seconds.ceil())));
    let what = match device {
        None => "waiting for the first sample".to_owned(),
        Some(now) if now.reads + now.writes == 0.0 && now.queue == 0.0 => format!("{} idle", now.device),
        Some(now) => format!(
            "{} {} r/s {} w/s, {}, queue {}, {}",
            now.device,
            numbers::count(now.reads),
            numbers::count(now.writes),
            numbers::time(now.await_s * 1e9),
            numbers::figure(now.queue),
            numbers::bandwidth(now.bytes, Prefix::Binary),
        ),
    };
    let parts: Vec<&str> = [Some(phase), left.as_deref(), Some(&what)].into_iter().flatten().collect();
    cut(&format!("  {}", parts.join("  ")), room)
}

/// Returns the line for a phase of a watch that has ended, with the step that ran in it. No line break.
pub fn phase_done(phase: &Phase, step: Option<&StepRecord>) -> String {
    let span = numbers::span(phase.to.since(phase.from).as_secs_f64());
    match &phase.kind {
        PhaseKind::Load { .. } => step.map_or_else(|| format!("  {}: not run", phase.name), step_done),
        PhaseKind::Idle => format!("  {:<42}{span:>21}", phase.name),
        PhaseKind::Command { code } => {
            let code = code.map_or_else(|| "unknown".to_owned(), |code| code.to_string());
            format!("  the command has ended after {span}, exit code {code}")
        }
    }
}

/// Returns why a step ended, in a word or two.
pub fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Time => "time over",
        Ending::Amount => "done",
        Ending::Certain => "certain",
        Ending::Uncertain => "unsteady",
        Ending::Interrupted => "stopped",
        Ending::Failed => "failed",
    }
}

/// Returns the first `width` characters without control characters; shortened text ends with `…`.
pub fn cut(text: &str, width: usize) -> String {
    let text = clean(text);
    if text.chars().count() <= width {
        return text;
    }
    let mut kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_line_of_a_watch_never_wraps(phase in ".{0,120}", reads in any::<f64>(), left in any::<Option<f64>>(), room in 19usize..200) {
            let device = DeviceNow {
                device: "vda".to_owned(), reads, writes: reads, await_s: reads, queue: reads, bytes: reads,
            };
            let line = watch_progress((&phase, left), Some(&device), room);
            prop_assert!(line.chars().count() <= room && !line.contains('\n'), "{}", line);
        }
    }
}
