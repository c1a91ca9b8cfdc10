//! What a burst will take: seconds by the levels that a policy publishes, or by the most that it may take.

use analysis::{Resource, asked_for};
use policy::{BurstLength, Level, Limit, Limits, Load};
use workload::{BurstAsked, BurstOf, Bytes, Direction};

use super::{
    BLIND_LOOK, BLIND_PART, BLIND_REST_S, Emptied, LOOK, Levels, PAID_S, REST_LEAST_S, SETTLED, SETTLED_AGAIN,
};

/// What a burst will take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BurstForecast {
    /// Seconds, from full credits where a policy says how many there are.
    pub seconds: f64,
    /// The most seconds.
    pub seconds_most: f64,
}

/// What `asked` will take on a volume of which `limits` are known, or nothing.
pub fn burst_forecast(asked: &BurstAsked, limits: Option<&Limits>) -> BurstForecast {
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

/// Nothing falls: the most of a drain, a rest and a look.
fn without_a_fall(asked: &BurstAsked) -> f64 {
    let most = asked.most.as_secs_f64();
    let rest = BLIND_REST_S.min(BLIND_PART * most).max(REST_LEAST_S);
    LOOK.as_secs_f64() + most + rest + BLIND_LOOK.as_secs_f64()
}

fn of(asked: &BurstAsked, limits: &Limits, resource: Resource, block: Bytes) -> f64 {
    let load = Load::random(Direction::Read, block);
    if resource == Resource::Bytes && asked.of == BurstOf::Both && operations_hold(limits, &load) {
        return LOOK.as_secs_f64();
    }
    let phases = limits.overload(&load);
    let (Some(first), Some(last)) = (phases.first(), phases.last()) else { return without_a_fall(asked) };
    match limits.burst_under(&load) {
        BurstLength::Ends(length) if length < asked.most => {
            let each = if resource == Resource::Iops { 1.0 } else { block.0 as f64 };
            let levels = Levels { base: last.iops.0 * each, burst: first.iops.0 * each };
            LOOK.as_secs_f64() + length.as_secs_f64() + after_the_fall(length.as_secs_f64(), Some(&levels))
        }
        _ => without_a_fall(asked),
    }
}

/// Whether the operations' empty bucket holds `load`, so that what it would spend of bytes is not seen.
fn operations_hold(limits: &Limits, load: &Load) -> bool {
    let rate = |resource: Resource, level: Level| {
        let covers = |rule: &&Limit| rule.resource == resource && rule.direction.covers(Direction::Read);
        let rules = limits.limits.iter().filter(covers);
        rules
            .map(|rule| rule.rate(level) / rule.charge(load.block, load.locality))
            .fold(f64::INFINITY, f64::min)
    };
    rate(Resource::Iops, Level::Baseline) < rate(Resource::Bytes, Level::Burst)
}

/// Seconds from a fall after a burst of `lasted` seconds to the end.
fn after_the_fall(lasted: f64, levels: Option<&Levels>) -> f64 {
    let rest = levels.map_or(REST_LEAST_S, |levels| levels.rest_after(lasted));
    let pays = levels.map_or(PAID_S, |levels| rest * levels.base / levels.above());
    SETTLED.as_secs_f64() + 2.0 * rest + 3.0 * pays + 2.0 * SETTLED_AGAIN.as_secs_f64()
}

impl Levels {
    /// The rest after a burst of `lasted` seconds from a full bucket.
    fn rest_after(&self, lasted: f64) -> f64 {
        self.rest_s(&Emptied { lasted_s: lasted, held: Some(self.above() * lasted), by_time: false })
    }
}
