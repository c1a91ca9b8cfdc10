//! Changes of the level in words: when it changed, from what to what, and what remains.

use analysis::{Analysis, Change, ChangedRate, Course, Estimate};
use workload::Nanos;

use crate::words::numbers::{self, Prefix};

/// Formats the time of a change as an interval: `between 14.0 and 16.0 s`.
pub(super) fn between(from: Nanos, to: Nanos) -> String {
    let tenths = |at: Nanos| numbers::fixed(at.as_secs_f64(), 1);
    format!("between {} and {} s", tenths(from), tenths(to))
}

/// Formats a level in the unit of what changed.
pub(super) fn level(level: &Estimate, what: ChangedRate) -> String {
    match what {
        ChangedRate::Operations => numbers::iops(level.value),
        ChangedRate::Bytes => numbers::bandwidth(level.value, Prefix::Binary),
    }
}

/// Returns the level that remains and the one before, or a sentence that nothing changed as far as the run looked.
pub(super) fn course(analysis: &Analysis) -> Option<String> {
    match (analysis.regimes.course, analysis.regimes.changes.as_slice()) {
        (Course::Fell, [first, ..]) => Some(sustained(analysis, first)),
        (Course::Drifting { share }, _) => Some(format!(
            "The level drifts: the same load got up to {} more at one time than at another.",
            numbers::share(share)
        )),
        _ => None,
    }
}

/// Formats a level that fell: `500 IOPS sustained; 1,500 for the first 15 s.`
fn sustained(analysis: &Analysis, first: &Change) -> String {
    let regimes = &analysis.regimes;
    let last = regimes.changes.last().unwrap_or(first);
    let lasted = first.likeliest.since(regimes.looked.0).as_secs_f64();
    let left = level(&last.after, last.moved);
    let left =
        if regimes.settled { format!("{left} sustained") } else { format!("{left} at the end, not settled") };
    format!("{left}; {} for the first {}.", level(&first.before, first.moved), numbers::span(lasted))
}
