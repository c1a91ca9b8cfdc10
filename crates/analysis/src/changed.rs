//! Claims after changes of the level: the verdict follows the last regime, and a swinging level is judged by its mean.

use record::Run;

use crate::claims::TOLERANCE;
use crate::counted;
use crate::estimate::Estimate;
use crate::regimes::Regimes;
use crate::verdict::{Answer, ClaimRow, Doubt, Quantity};

/// Whether the level at the end was measured for long enough to be reported.
pub(crate) fn settled(regimes: &Regimes) -> bool {
    regimes.changes.is_empty() || regimes.settled
}

/// Returns the doubt to report if the level at the end was not measured for long enough.
pub(crate) fn unsettled(regimes: &Regimes) -> Option<Doubt> {
    let last = regimes.changes.last().filter(|_| !settled(regimes))?;
    Some(Doubt::Unsettled { at: last.likeliest })
}

/// Adjusts the rows of rates to the level changes of the run.
pub(crate) fn follow(run: &Run, regimes: &Regimes, rows: &mut [ClaimRow]) {
    let Some(last) = regimes.changes.last() else {
        swing(run, regimes, rows);
        return;
    };
    for row in rows.iter_mut().filter(|row| row.measured.is_none() && of_rate(row)) {
        row.doubts.retain(|doubt| *doubt != Doubt::NotMeasured);
        row.doubts.push(Doubt::BeforeChange { at: last.likeliest });
    }
    let held = |row: &&mut ClaimRow| matches!(row.answer, Answer::Meets | Answer::Exceeds);
    for row in rows.iter_mut().filter(held).filter(|_| !settled(regimes)) {
        row.answer = Answer::CannotTell;
        row.doubts.push(Doubt::Unsettled { at: last.likeliest });
    }
    swing(run, regimes, rows);
}

fn of_rate(row: &ClaimRow) -> bool {
    matches!(row.quantity, Quantity::Iops | Quantity::BytesPerSecond)
}

/// Whether the changes concern the rate of `row`: a load of its direction, or of both, showed one.
fn concerns(regimes: &Regimes, row: &ClaimRow) -> bool {
    regimes.changes.iter().any(|change| change.direction.is_none_or(|direction| direction == row.direction))
}

/// Leaves open a claim between the lowest and the highest level of a swing: an edge between two steps may have been
/// missed, so the last measurement may be either. So nothing above the mean is ever met.
fn swing(run: &Run, regimes: &Regimes, rows: &mut [ClaimRow]) {
    let Some([low, mean, high]) = regimes.course.spread() else { return };
    let ratios = || regimes.changes.iter().map(|change| change.ratio.value.max(1.0 / change.ratio.value));
    let apart = ratios().fold(1.0, f64::max);
    let (low, high) = (low.min(1.0 / apart), high.max(apart));
    for row in rows.iter_mut().filter(|row| of_rate(row)) {
        // A swing of the other direction may lower this one too, but shows no more of it.
        let (high, mean) = if concerns(regimes, row) { (high, mean) } else { (1.0, mean.min(1.0)) };
        let Some(measured) = row.measured else { continue };
        // However high the swing may have been elsewhere, no more than what was counted is told.
        let counted = counted::greatest(run, row).unwrap_or(f64::INFINITY).max(measured.value);
        let (least, most) = (measured.low * low, (measured.high * high).min(counted));
        row.measured =
            Some(Estimate { value: (measured.value * mean).clamp(least, most), low: least, high: most });
        if row.answer == Answer::Measured {
            continue;
        }
        let claimed = row.claimed.value * (1.0 - TOLERANCE);
        row.answer = match least >= claimed {
            // A row that is open for another reason stays open.
            true if matches!(row.answer, Answer::Meets | Answer::Exceeds) => Answer::Meets,
            false if most < claimed && row.answer == Answer::Below => Answer::Below,
            _ => Answer::CannotTell,
        };
        if row.answer != Answer::Meets {
            row.doubts.push(Doubt::Swings { low, mean, high });
        }
    }
}
