//! One line while a step runs, and one when it is done.

use record::StepRecord;
use workload::{Direction, Ending};

use crate::words::numbers::{self, Prefix};
use crate::words::wrap::{COLUMNS, clean};

/// Where a run is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Name of the running step.
    pub step: String,
    /// Current operations a second.
    pub iops: f64,
    /// Current bytes a second.
    pub bytes_per_second: f64,
    /// Seconds until the whole run is over, if that can be said.
    pub left_s: Option<f64>,
}

/// Columns of the step's name.
const NAME: usize = 26;

/// The live line: step, current rate, time left; at most 79 characters, so that a terminal does not wrap it. No line end.
pub fn progress(now: &Progress) -> String {
    let left =
        now.left_s.map_or_else(String::new, |seconds| format!("{} left", numbers::span(seconds.ceil())));
    let line = format!(
        "  {:<NAME$}{:>14}  {:>12}  {left}",
        cut(&now.step, NAME - 1),
        numbers::iops(now.iops),
        numbers::bandwidth(now.bytes_per_second, Prefix::Binary),
    );
    cut(line.trim_end(), COLUMNS - 1)
}

/// The plain line for output that is no terminal, when a step is done: step, rates, seconds and why it ended. No line end.
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

/// Why a step ended, in a word or two.
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

/// The first `width` characters, without control characters; what is cut ends with `…`.
fn cut(text: &str, width: usize) -> String {
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

    #[test]
    fn the_live_line_says_step_rate_and_time_left() {
        let line = progress(&Progress {
            step: "depth 4".to_owned(),
            iops: 3001.4,
            bytes_per_second: 3001.4 * 4096.0,
            left_s: Some(71.2),
        });
        assert_eq!(
            line,
            "  depth 4                       3,001 IOPS      12 MiB/s  72 s left"
                .replace("  12", "11.7")
                .as_str()
        );
    }

    proptest! {
        #[test]
        fn the_live_line_never_wraps(step in ".{0,120}", iops in any::<f64>(), bytes in any::<f64>(), left in any::<Option<f64>>()) {
            let line = progress(&Progress { step, iops, bytes_per_second: bytes, left_s: left });
            prop_assert!(line.chars().count() < COLUMNS && !line.contains('\n'), "{}", line);
            prop_assert!(!line.contains("NaN") && !line.contains("inf "), "{}", line);
        }
    }
}
