//! Which volume a recorded load needs: each policy's settings against it, and the cheapest that carries it.

mod allowed;
mod closeup;
pub(crate) mod load;
mod machine;
mod setting;

use policy::{
    Asked, Catalogue, Demand, Horizon, Limits, MonthlyPrice, Policy, PriceList, Scope, Status, Wanted,
};
use record::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Bytes;

pub use allowed::{Allowed, AllowedError, AllowedFigure};
pub use closeup::{Closeup, CreditCourse, CreditPoint};
pub use load::{CourseColumn, CourseRates, SeenLoad, WaitingProgram};
pub use machine::MachineSizing;
pub use setting::{AddedWait, Carries, CreditLow, RuleLevel, SizedSetting};

use crate::watch::watched_run::WatchedRun;
use load::{Load, loads};
use machine::{Sum, machine_of};
use setting::{NEAR, sized, surely_meets};

/// Waits, in seconds, at which the least setting of each policy is shown beside the one without a wait: what a user
/// hardly notices, and what every user notices (chosen by us).
const RUNGS_S: [f64; 2] = [0.01, 1.0];

/// Rows at the top that have their waits in any case (chosen by us).
const TOLD: usize = 4;

/// What is asked about a load.
pub struct SizeAsk<'a> {
    /// Kernel name of the device; `None`: each disk that did I/O.
    pub device: Option<&'a str>,
    /// What the volume must hold; `None`: as much as the recorded device, if its size is known.
    pub capacity: Option<Bytes>,
    /// The machine that all devices of the run hang on, whose limits hold for their sum; a policy whose volumes cannot hang
    /// on it is left out.
    pub instance: Option<&'a str>,
    /// Waiting that is allowed; `None`: none.
    pub allowed: Option<Allowed>,
    /// The policies to try.
    pub policies: Vec<&'a Policy>,
    /// The setting that the volume has now.
    pub present: Option<Limits>,
    /// Prices.
    pub prices: &'a PriceList,
    /// The region of the prices; `None`: the first that the list has for a policy.
    pub region: Option<&'a str>,
}

/// The answer for one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sizing {
    /// Name of the recording; empty if there is only one.
    pub recording: String,
    /// The load.
    pub load: SeenLoad,
    /// The load over time, thinned to what a chart shows.
    pub course: Vec<CourseColumn>,
    /// The waiting that is allowed.
    pub allowed: Option<Allowed>,
    /// Bytes that the volume must hold.
    #[schemars(with = "Option<u64>")]
    pub capacity: Option<Bytes>,
    /// The settings: those that do, by price, then those that do not, the nearest first.
    pub settings: Vec<SizedSetting>,
    /// Index of the cheapest that surely does.
    pub cheapest: Option<usize>,
    /// Index of the next cheaper one, which does not or may not.
    pub cheaper: Option<usize>,
    /// The setting that the volume has now.
    pub present: Option<SizedSetting>,
    /// The load against the cheapest setting, or else the first, from close by; `None` without a setting.
    pub closeup: Option<Closeup>,
}

/// The answers for the devices of runs, and for the machines that they hang on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SizedLoads {
    /// The devices, the busiest of a run first.
    pub volumes: Vec<Sizing>,
    /// The machines of the runs, if one is asked about.
    pub machines: Vec<MachineSizing>,
}

impl SizedLoads {
    /// Adds the answers for another run under its name, which is empty if there is only one.
    pub fn add(&mut self, run: SizedLoads, recording: &str) {
        let volumes = run.volumes.into_iter().map(|one| Sizing { recording: recording.to_owned(), ..one });
        self.volumes.extend(volumes);
        let machines = run.machines.into_iter();
        let named = machines.map(|one| MachineSizing { recording: recording.to_owned(), ..one });
        self.machines.extend(named);
    }
}

/// Returns the policies that can be bought or set now, of the providers named, or of all.
pub fn offered(providers: &[String]) -> Vec<&'static Policy> {
    let named = |policy: &Policy| providers.iter().any(|one| one.eq_ignore_ascii_case(&policy.provider));
    let offered = |policy: &&Policy| {
        // What has no upper bound is set by an administrator, and not sold.
        let sold = policy.scope != Scope::Vm && policy.is_bounded();
        policy.status == Status::Current && if providers.is_empty() { sold } else { named(policy) }
    };
    Catalogue::builtin().list().iter().filter(offered).collect()
}

/// Answers for each device of a run, the busiest first, and for their machine.
pub fn size(run: &Run, asked: &SizeAsk<'_>) -> SizedLoads {
    let watch = WatchedRun::of(run, None, Vec::new());
    // A day of a disk is large: one after the other.
    let mut sum = Sum::of(&watch.recording, asked);
    let answered = |load: Load| {
        sum.iter_mut().for_each(|sum| sum.add(&load));
        of_load(load, asked)
    };
    let mut volumes: Vec<Sizing> = loads(&watch, asked.device).map(answered).collect();
    volumes.sort_by(|a, b| b.load.iops_mean.total_cmp(&a.load.iops_mean));
    let machine = sum.and_then(|sum| sum.judged(&watch.recording, asked.allowed.as_ref()));
    SizedLoads { volumes, machines: machine.into_iter().collect() }
}

fn of_load(load: Load, asked: &SizeAsk<'_>) -> Sizing {
    let capacity = asked.capacity.or(Some(Bytes(load.seen.size)).filter(|size| size.0 > 0));
    let wanted = Wanted { capacity };
    let mut found: Vec<Limits> = Vec::new();
    let hangs = |policy: &&&Policy| asked.instance.is_none_or(|name| machine_of(policy, name).is_some());
    for policy in asked.policies.iter().filter(hangs) {
        for limits in settings(policy, (&load.demand, &wanted), asked.allowed.as_ref()) {
            if !found.contains(&limits) {
                found.push(limits);
            }
        }
    }
    let priced = |limits: &Limits| SizedSetting {
        price: price(limits, capacity, asked),
        ..sized(limits, &load.demand)
    };
    let replayed = |limits: &Limits, setting: SizedSetting| {
        setting.replayed(limits, &load.demand, asked.allowed.as_ref())
    };
    let mut settings: Vec<(Limits, SizedSetting)> =
        found.into_iter().map(|limits| (limits.clone(), priced(&limits))).collect();
    if asked.allowed.is_some() {
        settings = settings
            .into_iter()
            .map(|(limits, setting)| (limits.clone(), replayed(&limits, setting)))
            .collect();
    }
    settings.sort_by(|a, b| order(&a.1).partial_cmp(&order(&b.1)).unwrap_or(std::cmp::Ordering::Equal));
    let known = told(&settings);
    let known = settings.into_iter().zip(known);
    let mut settings: Vec<(Limits, SizedSetting)> = known
        .map(|((limits, setting), told)| match setting.added {
            None if told => (limits.clone(), replayed(&limits, setting)),
            _ => (limits, setting),
        })
        .collect();
    let cheapest = settings.iter().position(|(_, setting)| setting.meets == Carries::Yes);
    let cheaper = cheapest.and_then(|at| next_cheaper(&settings, at));
    if let Some((limits, setting)) =
        cheaper.and_then(|at| settings.get_mut(at)).filter(|(_, one)| one.added.is_none())
    {
        *setting = replayed(limits, setting.clone());
    }
    let closeup = settings
        .get(cheapest.unwrap_or(0))
        .map(|(limits, setting)| Closeup::of(&load, limits, setting.closest_s));
    let present = asked.present.as_ref().map(|limits| replayed(limits, priced(limits)));
    let settings = settings.into_iter().map(|(_, setting)| setting).collect();
    Sizing {
        recording: String::new(),
        load: load.seen,
        course: load.course,
        allowed: asked.allowed.clone(),
        capacity,
        cheapest,
        cheaper,
        present,
        settings,
        closeup,
    }
}

/// Returns which settings need replays: the first rows, and those that cost less than the first and come nearer to
/// carrying the load than all that cost less than they.
fn told(settings: &[(Limits, SizedSetting)]) -> Vec<bool> {
    let price = |setting: &SizedSetting| setting.price.as_ref().map(|price| price.amount);
    let headroom = |setting: &SizedSetting| setting.headroom.unwrap_or(f64::INFINITY);
    let most = settings.first().and_then(|(_, first)| price(first));
    let is_efficient = |at: usize| {
        let own = &settings[at].1;
        let Some(pays) = price(own).filter(|pays| most.is_some_and(|most| *pays < most)) else {
            return false;
        };
        settings.iter().all(|(_, other)| {
            price(other).is_none_or(|price| price >= pays) || headroom(other) < headroom(own)
        })
    };
    (0..settings.len()).map(|at| at < TOLD || is_efficient(at)).collect()
}

/// Returns the price of a month; a policy without a size is priced for the capacity.
fn price(limits: &Limits, capacity: Option<Bytes>, asked: &SizeAsk<'_>) -> Option<MonthlyPrice> {
    let mut name = limits.policy.clone();
    if let Some(bytes) = capacity.filter(|_| limits.volume_size().is_none()) {
        name.parameters.push(("size".to_owned(), format!("{}B", bytes.0)));
    }
    asked.prices.a_month(&name, asked.region)
}

/// Order of settings: those that do by price, those without a price by what they leave; then the others by what they lack.
fn order(setting: &SizedSetting) -> (Carries, bool, f64, f64) {
    let price = setting.price.as_ref().map(|price| price.amount);
    let headroom = setting.headroom.unwrap_or(f64::INFINITY);
    let near = if setting.meets == Carries::Yes { headroom } else { -headroom };
    (setting.meets, price.is_none(), price.unwrap_or(0.0), near)
}

/// Returns the dearest setting of those that cost less than setting `at` in the same currency.
fn next_cheaper(settings: &[(Limits, SizedSetting)], at: usize) -> Option<usize> {
    let price = settings[at].1.price.as_ref()?;
    let costs = |setting: &SizedSetting| {
        let own = setting.price.as_ref().filter(|own| own.currency == price.currency)?;
        (own.amount < price.amount && setting.meets != Carries::Yes).then_some(own.amount)
    };
    let costed =
        settings.iter().enumerate().filter_map(|(other, (_, setting))| Some((other, costs(setting)?)));
    costed.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(other, _)| other)
}

/// Returns the settings of a policy that are worth a row: the least that carries the load without a wait, the least ones
/// at which waits stay below the rungs, the least that meets what is allowed, the least of all; the greatest if none
/// carries it.
fn settings(policy: &Policy, (demand, wanted): (&Demand, &Wanted), allowed: Option<&Allowed>) -> Vec<Limits> {
    let bound = demand.greatest();
    let within = |wait_s: f64| {
        let asked_for = Asked { demand, bound, horizon: Horizon::Repeated, wait_s };
        policy.least_settings(wanted, &|limits| limits.carries(&asked_for, 1.0 + NEAR))
    };
    let mut found = within(0.0);
    if found.is_empty() {
        found = policy.greatest_settings(wanted);
    }
    if let Some(allowed) = allowed {
        found.extend(policy.least_settings(wanted, &|limits| surely_meets(limits, demand, allowed)));
    }
    found.extend(RUNGS_S.into_iter().flat_map(within));
    found.extend(policy.least_setting(wanted));
    found
}
