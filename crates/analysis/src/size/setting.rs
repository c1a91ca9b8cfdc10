//! One setting of a policy against a load: whether it carries it, and what waiting it would cost.

use policy::{
    Arrivals, Asked, Bound, BucketStart, Conditions, Covers, Demand, Horizon, Limit, Limits, MonthlyPrice,
    Program, Replay, Resource,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Direction, PolicyName};

use super::Allowed;

/// Distance from a limit, as a share of the load, within which a recording does not decide (method 6.1).
pub(super) const NEAR: f64 = 0.03;

/// Whether a setting carries a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Carries {
    /// It does, as often as the load returns.
    Yes,
    /// It does once from full credits, which the load spends faster than they return.
    Once,
    /// It carries what was recorded; the recorded volume held the load back, so that the demand is greater by an unknown
    /// amount.
    AtLeastRecorded,
    /// The load comes within 3 % of a limit, or the lengths or times of single I/Os decide, which a recording of sums
    /// does not have.
    TooClose,
    /// It does not.
    No,
}

/// What waiting a setting costs: the least and the most that agrees with the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddedWait {
    /// Seconds in which a limit delays I/O.
    pub throttled_s: [f64; 2],
    /// Wait that half of the I/Os do not exceed, seconds.
    pub p50_s: [f64; 2],
    /// Wait that 99 % of the I/Os do not exceed, seconds.
    pub p99_s: [f64; 2],
    /// Longest wait, seconds.
    pub longest_s: [f64; 2],
    /// Seconds by which a program that waits for its I/O takes longer.
    pub longer_s: [f64; 2],
    /// Seconds in which a limit delays I/O if there are no credits at the start; `None` without credits.
    pub throttled_from_empty_s: Option<f64>,
}

/// Credits of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CreditLow {
    /// Id of the rule.
    pub rule: String,
    /// Lowest share of the credits that is left, from full ones (0 to 1).
    pub share: f64,
    /// When, in seconds from the start.
    pub at_s: f64,
}

/// The rates of a rule, in operations or bytes a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleLevel {
    /// Id of the rule.
    pub rule: String,
    /// What it counts.
    #[schemars(with = "String")]
    pub counts: Resource,
    /// The direction that it counts; `None`: both together.
    pub direction: Option<Direction>,
    /// The rate that lasts.
    pub baseline: f64,
    /// The rate that lasts for a limited time; `None` if there is none.
    pub burst: Option<f64>,
}

/// A setting of a policy against a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizedSetting {
    /// Id and all parameters, as they can be typed.
    #[schemars(with = "serde_json::Value")]
    pub policy: PolicyName,
    /// The provider's name for the type.
    pub title: String,
    /// The provider.
    pub provider: String,
    /// Whether it carries the load.
    pub carries: Carries,
    /// Whether what it costs in waiting is allowed; as `carries` if no waiting is allowed.
    pub meets: Carries,
    /// Factor by which the load may grow before a rule delays it; `None` if no rule covers it.
    pub headroom: Option<f64>,
    /// Rule that is reached first.
    pub rule: Option<String>,
    /// What that rule counts.
    #[schemars(with = "Option<String>")]
    pub counts: Option<Resource>,
    /// When the load comes closest to it, in seconds from the start.
    pub closest_s: f64,
    /// Waits that the rules add; `None` for settings that need not be known so closely.
    pub added: Option<AddedWait>,
    /// Credits at their lowest, of each rule that has a bucket; empty like `added`.
    pub credits: Vec<CreditLow>,
    /// The rates of each rule.
    pub levels: Vec<RuleLevel>,
    /// Price a month; `None` if the table has none.
    pub price: Option<MonthlyPrice>,
    /// Whether the limits count all volumes of the machine together.
    pub shared: bool,
}

/// Replays that bound what is not recorded: arrivals within a reading, and whether the program waits.
fn conditions(bound: Bound, arrivals: Arrivals, program: Program) -> Conditions {
    Conditions { bound, arrivals, program, start: BucketStart::Share(1.0) }
}

/// The replay with the most waiting.
pub(super) fn worst(bound: Bound) -> Conditions {
    conditions(bound, Arrivals::Bunched, Program::Open)
}

/// Returns whether `limits` carry the load without a wait.
pub(super) fn carries(limits: &Limits, demand: &Demand) -> Carries {
    let asked = |bound, horizon| Asked { demand, bound, horizon, wait_s: 0.0 };
    if !limits.carries(&asked(Bound::Least, Horizon::Once), 1.0 - NEAR) {
        return Carries::No;
    }
    if limits.carries(&asked(Bound::Most, Horizon::Repeated), 1.0 + NEAR) {
        return Carries::Yes;
    }
    if limits.carries(&asked(Bound::Most, Horizon::Once), 1.0 + NEAR) {
        return Carries::Once;
    }
    if demand.is_held() && limits.carries(&asked(Bound::Recorded, Horizon::Once), 1.0) {
        return Carries::AtLeastRecorded;
    }
    Carries::TooClose
}

/// The worst and the best of what the recording allows.
struct Ends {
    best: Replay,
    worst: Replay,
    /// Seconds that a program takes which waits for I/O that comes bunched.
    slowest_s: f64,
}

impl Ends {
    /// Replays a load of which the closed form said whether `limits` carry it: what waits nowhere needs no replay.
    fn of(limits: &Limits, demand: &Demand, carried: Carries) -> Ends {
        let most = demand.greatest();
        let closed = |bound, arrivals| limits.replay(demand, &conditions(bound, arrivals, Program::Closed));
        let worst = limits.replay(demand, &worst(most));
        let best = match carried {
            Carries::Yes | Carries::Once => Replay { seconds: demand.seconds(), ..Replay::default() },
            _ => closed(Bound::Least, Arrivals::Even),
        };
        let slowest_s = match worst.waits.longest_s() {
            0.0 => demand.seconds(),
            _ => closed(most, Arrivals::Bunched).seconds,
        };
        Ends { best, worst, slowest_s }
    }

    /// Returns a figure of both, the less first.
    fn both(&self, of: impl Fn(&Replay) -> f64) -> [f64; 2] {
        let (one, other) = (of(&self.best), of(&self.worst));
        [one.min(other), one.max(other)]
    }

    fn added(&self, limits: &Limits, demand: &Demand) -> AddedWait {
        let empty = || {
            let from = conditions(Bound::Least, Arrivals::Even, Program::Open);
            limits.replay(demand, &Conditions { start: BucketStart::Empty, ..from }).throttled_s
        };
        let has_credits = self.worst.rules.iter().any(|rule| rule.lowest.is_some());
        AddedWait {
            throttled_s: self.both(|replay| replay.throttled_s),
            p50_s: self.both(|replay| replay.waits.quantile_s(0.5)),
            p99_s: self.both(|replay| replay.waits.quantile_s(0.99)),
            longest_s: self.both(|replay| replay.waits.longest_s()),
            longer_s: [self.best.seconds, self.slowest_s].map(|taken| (taken - demand.seconds()).max(0.0)),
            throttled_from_empty_s: has_credits.then(empty),
        }
    }
}

/// Returns whether the waits are allowed.
fn meets(allowed: Option<&Allowed>, carries: Carries, added: &AddedWait, seconds: f64) -> Carries {
    let Some(allowed) = allowed.filter(|_| !matches!(carries, Carries::Yes | Carries::Once)) else {
        return carries;
    };
    let [least, most] = allowed.figure(added, seconds);
    // A program that waits for its I/O has short waits even if it takes twice as long.
    if added.longer_s[0] > NEAR * seconds {
        return Carries::No;
    }
    match (most <= allowed.most, least <= allowed.most) {
        (true, _) if carries == Carries::AtLeastRecorded => carries,
        (true, _) => Carries::Yes,
        (false, true) => Carries::TooClose,
        (false, false) => Carries::No,
    }
}

/// Returns whether the waits of `limits` are surely allowed.
pub(super) fn surely_meets(limits: &Limits, demand: &Demand, allowed: &Allowed) -> bool {
    let carried = carries(limits, demand);
    if carried == Carries::Yes {
        return true;
    }
    let ends = Ends::of(limits, demand, carried);
    let added = ends.added(limits, demand);
    meets(Some(allowed), carried, &added, demand.seconds()) == Carries::Yes
}

/// Judges a setting by the closed form, without its waits.
pub(super) fn sized(limits: &Limits, demand: &Demand) -> SizedSetting {
    let carried = carries(limits, demand);
    let bound = demand.greatest();
    let headroom = limits.headroom(&Asked { demand, bound, horizon: Horizon::Repeated, wait_s: 0.0 });
    let rule = headroom.rule.and_then(|at| limits.limits.get(at));
    SizedSetting {
        policy: limits.policy.clone(),
        title: limits.title.clone(),
        provider: limits.provider.clone(),
        carries: carried,
        meets: carried,
        headroom: Some(headroom.factor).filter(|factor| factor.is_finite()),
        rule: rule.map(|rule| rule.id.clone()),
        counts: rule.map(|rule| rule.resource),
        closest_s: headroom.closest_s,
        added: None,
        credits: Vec::new(),
        levels: limits.limits.iter().map(level).collect(),
        price: None,
        shared: limits.scope != policy::Scope::Volume,
    }
}

fn level(rule: &Limit) -> RuleLevel {
    RuleLevel {
        rule: rule.id.clone(),
        counts: rule.resource,
        direction: match rule.direction {
            Covers::Total => None,
            Covers::Read => Some(Direction::Read),
            Covers::Write => Some(Direction::Write),
        },
        baseline: rule.baseline,
        burst: rule.burst.map(|burst| burst.rate),
    }
}

impl SizedSetting {
    /// Adds what waiting it costs, by replays, and whether that is allowed.
    pub(super) fn replayed(
        self,
        limits: &Limits,
        demand: &Demand,
        allowed: Option<&Allowed>,
    ) -> SizedSetting {
        let ends = Ends::of(limits, demand, self.carries);
        let added = ends.added(limits, demand);
        let lowest = ends.worst.rules.iter().zip(&limits.limits).filter_map(|(state, rule)| {
            let (share, at_s) = state.lowest?;
            Some(CreditLow { rule: rule.id.clone(), share, at_s })
        });
        SizedSetting {
            meets: meets(allowed, self.carries, &added, demand.seconds()),
            credits: lowest.collect(),
            added: Some(added),
            ..self
        }
    }
}
