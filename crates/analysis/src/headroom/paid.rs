//! The burst that may pay for the answer of a search: then it holds only until the credits end.

use policy::{Limits, Load, Plateau};
use record::{Run, TargetKind};
use workload::{Direction, HeadroomRequest, Iops, LoadPart, Nanos};

use crate::credits::{CreditContext, burst_behind};
use crate::findings::burst_alike::doubt_of;
use crate::ground::Ground;
use crate::identified::circumstances;
use crate::verdict::Doubt;

/// Relative error of the rate with a full queue, which is that of a moment.
const NEAR: f64 = 0.01;

/// Rates of a search that a burst may pay for, I/Os per second.
pub(super) struct PaidRates {
    /// The greatest at which the bounds hold.
    pub answer: f64,
    /// That of a full queue.
    pub full_queue: f64,
    /// Length of the search, seconds.
    pub seconds: f64,
}

/// Returns the load of one kind of I/O, as a policy charges it.
pub(super) fn charged(part: &LoadPart) -> Load {
    let access = &part.job.access;
    let way = if access.mix.writes_only() { Direction::Write } else { Direction::Read };
    let load = Load::mixed(f64::from(access.mix.read_percent()) / 100.0, part.job.blocks.longest());
    if *access.random_percent.of(way) == 0 { load.sequential() } else { load }
}

/// Returns the burst that pays for the answer by the policy of the volume, or, without one, that of a published volume with
/// the rate of the full queue; `None` for several kinds of I/O, which have no single rate.
pub(super) fn burst(
    run: &Run,
    ground: &Ground<'_>,
    (asked, rates): (&HeadroomRequest, &PaidRates),
) -> Option<Doubt> {
    let [part] = asked.load.as_slice() else { return None };
    let load = charged(part);
    match ground.limits {
        Some(limits) => of_policy(limits, ground, (&load, rates)),
        None => of_another(run, (&load, rates)),
    }
}

fn of_policy(limits: &Limits, ground: &Ground<'_>, (load, rates): (&Load, &PaidRates)) -> Option<Doubt> {
    let &Ground { figures, spent, .. } = ground;
    burst_behind(&CreditContext { limits, figures, spent, block: load.block }, load, rates.answer)
}

/// Returns the doubt that a real volume without a policy is on the burst of a published one.
fn of_another(run: &Run, (load, rates): (&Load, &PaidRates)) -> Option<Doubt> {
    let kind = run.target.as_ref()?.kind;
    if matches!(kind, TargetKind::Simulated | TargetKind::Lab | TargetKind::Null) {
        return None;
    }
    let direction = match load.read_share {
        1.0 => Direction::Read,
        0.0 => Direction::Write,
        _ => return None,
    };
    let iops = (Iops(rates.full_queue * (1.0 - NEAR)), Iops(rates.full_queue * (1.0 + NEAR)));
    let level = Plateau { direction, block: load.block, iops };
    doubt_of(level, Nanos::from_secs_f64(rates.seconds), &circumstances(run))
}
