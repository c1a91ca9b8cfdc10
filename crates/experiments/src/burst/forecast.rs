//! Forecast of a burst's duration: seconds by the levels that a policy publishes, or by the longest time allowed.

use analysis::{Asking, BurstPart, Resource, asked_for, burst_answer};
use policy::{Bucket, BurstLength, Level, Limit, Limits, Load};
use record::StepRecord;
use workload::{BurstOf, BurstRequest, Bytes, Direction};

use super::{
    BLIND_LOOK, BLIND_PART, BLIND_REST_S, COOLED, EndedBurst, LOOK, Levels, PAID_S, REST_LEAST_S, SETTLED,
    SETTLED_AGAIN, burst_of,
};

/// Forecast of a burst's duration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BurstForecast {
    /// Usual seconds; with a policy that states its credits, from full credits.
    pub seconds: f64,
    /// Longest seconds.
    pub seconds_most: f64,
}

/// Forecasts `asked` for a volume with these `limits`, or for an unknown one.
pub fn burst_forecast(asked: &BurstRequest, limits: Option<&Limits>) -> BurstForecast {
    let mut all = BurstForecast::default();
    for (resource, block) in asked_for(asked) {
        let usual =
            limits.map_or_else(|| without_a_fall(asked), |limits| of(asked, limits, resource, Bytes(block)));
        all.seconds += usual;
        all.seconds_most += asked.most.as_secs_f64() + after_the_fall(asked.most.as_secs_f64(), None);
    }
    all.seconds_most = all.seconds_most.max(all.seconds);
    all
}

/// Usual seconds that remain of `asked` after the steps in `done`.
pub fn burst_left(asked: &BurstRequest, limits: Option<&Limits>, done: &[StepRecord]) -> f64 {
    let parts = burst_answer(done, asked, None).parts;
    let left = |(resource, block): (Resource, u64)| {
        let usual = || {
            limits.map_or_else(|| without_a_fall(asked), |limits| of(asked, limits, resource, Bytes(block)))
        };
        match parts.iter().find(|part| part.resource == resource) {
            None => usual(),
            Some(part) if part.shared_unit.is_some() => 0.0,
            Some(part) => {
                let load = load_of(asked, Bytes(block));
                let after = match limits.and_then(|limits| timed(limits, &load)) {
                    Some(timed) => left_after_time(part, &timed, done),
                    None => left_after_a_fall(part),
                };
                after.unwrap_or_else(|| (usual() - part.seen_s).max(0.0))
            }
        }
    };
    let rested = done.last().filter(|step| step.plan.workers.is_empty()).map_or(0.0, StepRecord::seconds);
    let all: f64 = asked_for(asked).into_iter().map(left).sum();
    (all - rested).max(0.0)
}

/// Seconds of the rests and looks after the first fall that are still to come; `None` before that fall.
fn left_after_a_fall(part: &BurstPart) -> Option<f64> {
    let levels = Levels { base: part.base?.value, burst: burst_of(part)? };
    let lasted = part.lasted_s?;
    let fell = |asking| {
        let of = part.drains.iter().filter(move |drain| drain.asking == asking);
        of.filter(|drain| drain.fell_at_s.is_some()).count()
    };
    let rest = levels.rest_after(lasted);
    let pays = rest * levels.base / levels.above();
    let settled = SETTLED_AGAIN.as_secs_f64();
    let again = if fell(Asking::All) < 2 { rest + pays + settled } else { 0.0 };
    let half = if fell(Asking::Half) < 1 { rest + 2.0 * pays + settled } else { 0.0 };
    Some(again + half)
}

/// Seconds if nothing falls: the longest drain, a rest and a look.
fn without_a_fall(asked: &BurstRequest) -> f64 {
    let most = asked.most.as_secs_f64();
    let rest = BLIND_REST_S.min(BLIND_PART * most).max(REST_LEAST_S);
    LOOK.as_secs_f64() + most + rest + BLIND_LOOK.as_secs_f64()
}

fn of(asked: &BurstRequest, limits: &Limits, resource: Resource, block: Bytes) -> f64 {
    let load = load_of(asked, block);
    if resource == Resource::Bytes && asked.of == BurstOf::Both && operations_hold(limits, &load) {
        return LOOK.as_secs_f64();
    }
    let phases = limits.overload(&load);
    let (Some(first), Some(last)) = (phases.first(), phases.last()) else { return without_a_fall(asked) };
    match limits.burst_under(&load) {
        BurstLength::Ends(length) if length < asked.most => {
            let each = if resource == Resource::Iops { 1.0 } else { block.0 as f64 };
            let levels = Levels { base: last.iops.0 * each, burst: first.iops.0 * each };
            let lasted = length.as_secs_f64();
            let after = match timed(limits, &load) {
                Some(timed) => after_time(&timed, &levels),
                None => after_the_fall(lasted, Some(&levels)),
            };
            LOOK.as_secs_f64() + lasted + after
        }
        _ => without_a_fall(asked),
    }
}

fn load_of(asked: &BurstRequest, block: Bytes) -> Load {
    Load::mixed(f64::from(asked.mix.read_percent()) / 100.0, block)
}

/// A burst that ends with time, in seconds.
struct BurstTimes {
    lasts: f64,
    cool_off: f64,
}

/// Duration and cool-off of a burst of `load` that ends with time, if both are published.
fn timed(limits: &Limits, load: &Load) -> Option<BurstTimes> {
    let bound_by = limits.overload(load).first()?.bound_by?;
    match limits.limits[bound_by].burst?.bucket {
        Bucket::Timed { lasts: Some(lasts), cool_off } => {
            Some(BurstTimes { lasts: lasts.as_secs_f64(), cool_off: cool_off.unwrap_or(lasts).as_secs_f64() })
        }
        _ => None,
    }
}

/// Seconds from the end of a first burst that ends with time to the end of the procedure: a rest, a look that sees the next
/// burst begin and end, another cool-off, and a burst at half the excess.
fn after_time(timed: &BurstTimes, levels: &Levels) -> f64 {
    let settled = SETTLED_AGAIN.as_secs_f64();
    let again =
        (SETTLED.as_secs_f64() + levels.rest_after(timed.lasts)).max(timed.cool_off) + timed.lasts + settled;
    let half = (COOLED * timed.cool_off).max(timed.lasts) + timed.lasts + settled;
    again + half
}

/// The part of [`after_time`] that remains after the steps in `done`; `None` before the fall.
fn left_after_time(part: &BurstPart, timed: &BurstTimes, done: &[StepRecord]) -> Option<f64> {
    let levels = Levels { base: part.base?.value, burst: burst_of(part)? };
    let fell = part.drains.iter().find_map(|drain| drain.fell_at_s)?;
    let now = done.last()?.ended.as_secs_f64();
    // [`burst_left`] subtracts the rest in progress once for all parts, so it is added back here.
    let resting = done.last().filter(|step| step.plan.workers.is_empty()).map_or(0.0, StepRecord::seconds);
    Some((after_time(timed, &levels) - (now - fell)).max(0.0) + resting)
}

/// Whether the empty bucket of operations limits `load` so far that its use of bytes does not show.
fn operations_hold(limits: &Limits, load: &Load) -> bool {
    let rate = |resource: Resource, level: Level| {
        let way = if load.read_share > 0.0 { Direction::Read } else { Direction::Write };
        let covers = |rule: &&Limit| rule.resource == resource && rule.direction.covers(way);
        let rules = limits.limits.iter().filter(covers);
        rules
            .map(|rule| rule.rate(level) / rule.charge(load.block, load.locality))
            .fold(f64::INFINITY, f64::min)
    };
    rate(Resource::Iops, Level::Baseline) < rate(Resource::Bytes, Level::Burst)
}

/// Seconds from a fall after a burst of `lasted` seconds to the end of the procedure.
fn after_the_fall(lasted: f64, levels: Option<&Levels>) -> f64 {
    let rest = levels.map_or(REST_LEAST_S, |levels| levels.rest_after(lasted));
    let pays = levels.map_or(PAID_S, |levels| rest * levels.base / levels.above());
    SETTLED.as_secs_f64() + 2.0 * rest + 3.0 * pays + 2.0 * SETTLED_AGAIN.as_secs_f64()
}

impl Levels {
    /// Seconds of the rest after a burst of `lasted` seconds from a full bucket.
    fn rest_after(&self, lasted: f64) -> f64 {
        self.rest_s(&EndedBurst { lasted_s: lasted, held: Some(self.above() * lasted), by_time: false })
    }
}
