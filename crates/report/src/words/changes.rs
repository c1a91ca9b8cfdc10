//! Changes of the level in words: when it changed, from what to what, and what remains.

use analysis::{Analysis, Change, ChangedRate, Course, Estimate};
use workload::Nanos;

use crate::words::numbers::{self, Prefix, Unit};
use crate::words::phrases::plural;

/// Formats the time of a change as an interval: `between 14.0 and 16.0 s`.
pub(super) fn between(from: Nanos, to: Nanos) -> String {
    let tenths = |at: Nanos| numbers::fixed(at.as_secs_f64(), 1);
    format!("between {} and {} s", tenths(from), tenths(to))
}

/// Formats a level in the unit of what changed, with the digits that its interval supports.
pub(super) fn level(level: &Estimate, what: ChangedRate) -> String {
    let unit = match what {
        ChangedRate::Operations => numbers::IOPS,
        ChangedRate::Bytes => Unit::of_bandwidth(level.value, Prefix::Binary),
    };
    format!("{} {}", numbers::level(level, unit), unit.name)
}

/// Returns the level that remains and the one before, or a sentence that nothing changed as far as the run looked.
pub(super) fn course(analysis: &Analysis) -> Option<String> {
    match (analysis.regimes.course, analysis.regimes.changes.as_slice()) {
        (Course::Fell, [first, ..]) => Some(sustained(analysis, first)),
        (Course::Drifting { share, bytes_each, direction }, _) => {
            let more = match share {
                share if share < 1.0 => format!("{} more at one time than", numbers::share(share)),
                share => format!("{} as much at one time as", numbers::factor(1.0 + share)),
            };
            let load = format!("{} {}", numbers::block(bytes_each), direction.map_or("mixes", plural));
            Some(format!("The volume was not steady: {load} got up to {more} at another."))
        }
        _ => None,
    }
}

/// Formats a level that fell: `500 IOPS sustained; 1,500 IOPS until 15 s.` The time is that of the finding and of the charts.
fn sustained(analysis: &Analysis, first: &Change) -> String {
    let regimes = &analysis.regimes;
    let last = regimes.changes.last().unwrap_or(first);
    let left = level(&last.after, last.moved);
    let left =
        if regimes.settled { format!("{left} sustained") } else { format!("{left} at the end, not settled") };
    format!(
        "{left}; {} until {}.",
        level(&first.before, first.moved),
        numbers::span(first.likeliest.as_secs_f64())
    )
}
