//! What changes of the level leave of claims: the verdict follows the last regime, and swings decide by their mean.

use crate::claims::TOLERANCE;
use crate::{Answer, ClaimRow, Course, Doubt, Estimate, Quantity, Regimes};

/// Whole periods of a wave from which on its mean decides that a claim is missed.
const PERIODS: f64 = 2.0;

/// Whether the level at the end was seen for long enough to be told.
pub(crate) fn settled(regimes: &Regimes) -> bool {
    regimes.changes.is_empty() || regimes.settled
}

/// Why it is not told.
pub(crate) fn unsettled(regimes: &Regimes) -> Option<Doubt> {
    let last = regimes.changes.last().filter(|_| !settled(regimes))?;
    Some(Doubt::Unsettled { at: last.likeliest })
}

/// Holds the rows of rates to the course of the run.
pub(crate) fn follow(regimes: &Regimes, rows: &mut [ClaimRow]) {
    let Some(last) = regimes.changes.last() else {
        swing(regimes, rows);
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
    swing(regimes, rows);
}

fn of_rate(row: &ClaimRow) -> bool {
    matches!(row.quantity, Quantity::Iops | Quantity::BytesPerSecond)
}

/// Nothing above the mean of a level that swings is met, and what lies between its lowest and its highest is left open, but for
/// claims above the mean of several whole periods.
fn swing(regimes: &Regimes, rows: &mut [ClaimRow]) {
    let Some([low, mean, high]) = regimes.course.spread() else { return };
    let periods = match regimes.course {
        Course::Wave { periods, .. } => periods,
        _ => 0.0,
    };
    for row in rows.iter_mut().filter(|row| of_rate(row)) {
        let Some(measured) = row.measured else { continue };
        let at = |share: f64| measured.value * share;
        row.measured = Some(Estimate { value: at(mean), low: at(low), high: at(high) });
        if row.answer == Answer::Measured {
            continue;
        }
        let least = row.claimed.value * (1.0 - TOLERANCE);
        row.answer = match at(low) >= least {
            true => Answer::Meets,
            false if at(high) < least || (periods >= PERIODS && at(mean) < least) => Answer::Below,
            false => Answer::CannotTell,
        };
        if row.answer != Answer::Meets {
            row.doubts.push(Doubt::Swings { low, mean, high });
        }
    }
}
