//! The greatest rate that a run counted: no figure of a level may exceed it.

use record::{Interval, Run, StepRecord};

use crate::verdict::{ClaimRow, Quantity};

/// Least seconds of a rate: in less, slices and rounds of I/Os pass at once.
const LEAST_S: f64 = 0.5;

/// Returns the greatest rate of `row`'s direction and quantity over half a second in any step, in either direction
/// alone or mixed; `None` if nothing was counted for so long.
pub(crate) fn greatest(run: &Run, row: &ClaimRow) -> Option<f64> {
    let of_step = |step: &StepRecord| {
        let counted = step.counted();
        let span = |from: usize| {
            let mut seconds = 0.0;
            let until = counted[from..].iter().position(|interval| {
                seconds += interval.seconds();
                seconds >= LEAST_S * 0.99
            })?;
            let spanned = &counted[from..=from + until];
            Some(spanned.iter().map(|interval| amount(interval, row)).sum::<f64>() / seconds)
        };
        (0..counted.len()).filter_map(span).reduce(f64::max)
    };
    run.steps.iter().filter_map(of_step).reduce(f64::max)
}

fn amount(interval: &Interval, row: &ClaimRow) -> f64 {
    let tally = interval.of(row.direction).tally;
    if row.quantity == Quantity::BytesPerSecond { tally.bytes as f64 } else { tally.ops as f64 }
}
