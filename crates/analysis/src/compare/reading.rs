//! Conclusions from the figures of one side about its volume, by a policy's arithmetic.

use policy::{Bucket, Limit, Limits, Locality, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Bytes, Direction};

use super::items::{Item, Source};
use super::limits::has_ladders;
use super::side::Side;
use super::work::Work;
use crate::finding::Confidence;
use crate::verdict::Quantity;

/// Something that the figures of one side show, with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadingFinding {
    /// Index of the side.
    pub side: usize,
    /// The reading, with its numbers.
    #[serde(flatten)]
    pub reading: Reading,
    /// Each work that shows the reading, with its I/Os per second, both directions.
    pub evidence: Vec<(Work, f64)>,
    /// Confidence in the reading.
    pub confidence: Confidence,
}

/// Kinds of readings. Rates are charged I/Os per second, or bytes per second; credits are rates times seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reading {
    /// The volume was served from burst credits of its declared type.
    OnCredits {
        /// The policy with its parameters.
        policy: String,
        /// The rate that the policy allows for ever.
        baseline: f64,
        /// The rate that the policy allows while there are credits.
        burst: f64,
        /// Credits of a full bucket.
        bucket: f64,
        /// The least and the greatest rate seen.
        seen: (f64, f64),
        /// Number of loads that ran at the burst rate, within the error of a level.
        at_burst: usize,
        /// Number of loads.
        loads: usize,
        /// Whether any load ran at the baseline, although one of the same block size ran at the burst rate.
        baseline_seen: bool,
        /// The most credits of a full bucket that the loads can have spent, less the earnings under load: the earnings
        /// between loads are not known.
        spent_most: f64,
        /// Seconds that a bucket that was full before would still last at the burst rate.
        left_s: f64,
        /// Seconds under load.
        tested_s: f64,
    },
    /// Every load ran below the baseline of the declared type: no credit was spent.
    WithinBaseline {
        /// The policy with its parameters.
        policy: String,
        /// The rate that the policy allows for ever.
        baseline: f64,
        /// The greatest rate seen.
        most: f64,
    },
    /// The loads ran at a cap of the declared type that lasts for ever.
    AtCap {
        /// The policy with its parameters.
        policy: String,
        /// The capped quantity.
        quantity: Quantity,
        /// The cap.
        cap: f64,
    },
    /// The loads ran faster than the declared type allows for ever, but within what it allows for a while.
    InBurst {
        /// The policy with its parameters.
        policy: String,
        /// The quantity that is above its baseline.
        quantity: Quantity,
        /// The rate that the policy allows for ever.
        baseline: f64,
        /// The greatest rate seen.
        seen: f64,
    },
    /// The loads ran below every cap of the declared type.
    BelowCaps {
        /// The policy with its parameters.
        policy: String,
        /// The greatest share of a cap that was used, 0 to 1.
        share: f64,
    },
    /// A load ran faster than the declared type allows: the volume is of another type, or a cache answered.
    AbovePolicy {
        /// The policy with its parameters.
        policy: String,
        /// The highest rate that the policy allows, credits included.
        most: f64,
        /// The rate seen.
        seen: f64,
    },
    /// Loads with nothing else in common reached one rate: something limits it, and nothing declared explains it.
    OneLevel {
        /// The rate.
        level: f64,
        /// Greatest distance between the loads, as a share of the rate.
        apart: f64,
    },
    /// Loads of one block size reached widely different rates: no cap on I/Os per second was seen at the rates tested.
    NoCapSeen {
        /// The least and the greatest rate.
        seen: (f64, f64),
    },
    /// Reads were so much faster than writes that a cache may have answered them.
    ReadsMuchFaster {
        /// Ratio of reads per second to writes per second.
        times: f64,
    },
    /// The machine has CPU credits of its own, which may run out too.
    MachineCredits {
        /// The machine's type.
        machine: String,
    },
}

/// Greatest error of a level once its unit is known, as a share (method 6.1).
const NEAR: f64 = 0.03;
/// Advance or delay of a meter at the ends of a load, in seconds of the rate: the slice of the coarsest published
/// throttle, and half of it again (method 5.3).
const SLICE_S: f64 = 0.15;
/// Share beyond which a rate differs from another, however short the load was.
const NEAR_MOST: f64 = 0.15;
/// Share within which rates of different loads are one level.
const ONE_LEVEL: f64 = 0.05;
/// Least ratio of reads to writes that suggests a cache; without one, a volume seldom reads three times as fast.
const MUCH_FASTER: f64 = 4.0;
/// Beginnings of the names of machine types with CPU credits.
const CPU_CREDITS: [&str; 6] = ["t2.", "t3.", "t3a.", "t4g.", "standard_b", "e2-"];

/// Share below the offered rate within which a rate equals the offered one.
const HELD_NEAR: f64 = 0.05;

/// The load on a volume at one time: jobs that ran side by side, both directions.
struct Load {
    work: Work,
    seconds: f64,
    parts: Vec<Part>,
    /// Whether the offered rate may have limited one of the jobs: then the load's rate shows no cap.
    held: bool,
}

/// One direction of one job.
struct Part {
    direction: Option<Direction>,
    read_percent: Option<u8>,
    iops: f64,
    bytes_per_second: f64,
    block: f64,
    ops: f64,
    locality: Locality,
}

impl Part {
    /// Spreads the rates over a longer time, of which they cover `share`.
    fn stretch(&mut self, share: f64) {
        self.iops *= share;
        self.bytes_per_second *= share;
    }
}

impl Load {
    /// Returns the greatest distance of the rate from the level that limits it, as a share: a short load may include a
    /// slice of the meter too many or too few.
    fn near(&self) -> f64 {
        let ends = if self.seconds > 0.0 { SLICE_S / self.seconds } else { 0.0 };
        (NEAR + ends).min(NEAR_MOST)
    }

    /// Adds a part that ran beside the others; a part that ended earlier did nothing for the rest of the longest time.
    fn take(&mut self, mut part: Part, seconds: f64) {
        let longest = self.seconds.max(seconds);
        if self.seconds > 0.0 && seconds > 0.0 {
            self.parts.iter_mut().for_each(|known| known.stretch(self.seconds / longest));
            part.stretch(seconds / longest);
        }
        self.seconds = longest;
        self.parts.push(part);
    }

    fn iops(&self) -> f64 {
        self.parts.iter().map(|part| part.iops).sum()
    }

    /// Returns the bytes of an I/O if all parts have the same.
    fn block(&self) -> Option<f64> {
        let first = self.parts.first()?.block;
        self.parts.iter().all(|part| part.block == first).then_some(first)
    }
}

/// Returns the readings of each side, in the order of the sides.
pub(super) fn readings(sides: &[Side], measured: &[Vec<Item>]) -> Vec<ReadingFinding> {
    let mut found = Vec::new();
    for (number, (side, items)) in sides.iter().zip(measured).enumerate() {
        let loads = loads(items);
        let all: Vec<&Load> = loads.iter().collect();
        let mut add = |reading: Option<(Reading, Vec<&Load>, Confidence)>| {
            found.extend(reading.map(|(reading, shown, confidence)| ReadingFinding {
                side: number,
                reading,
                evidence: evidence(&shown),
                confidence,
            }));
        };
        match &side.limits {
            Some(limits) => {
                let found = declared(limits, &all);
                // One rate below every declared cap: another limit applies, or the volume is of another type.
                let below = matches!(found, Some((Reading::BelowCaps { .. }, ..)));
                add(found);
                let level = undeclared(&all);
                add(level.filter(|level| below && matches!(level.0, Reading::OneLevel { .. })));
            }
            // What limits a volume whose ladders were measured is compared by itself.
            None if side.runs.iter().any(has_ladders) => {}
            None => add(undeclared(&all)),
        }
        add(much_faster(&all));
        add(machine(side));
    }
    found
}

/// Returns each work once, with the mean rate of its loads.
fn evidence(loads: &[&Load]) -> Vec<(Work, f64)> {
    let mut found: Vec<(Work, f64, f64)> = Vec::new();
    for load in loads {
        match found.iter_mut().find(|(work, _, _)| work.same(&load.work)) {
            Some((_, sum, count)) => (*sum, *count) = (*sum + load.iops(), *count + 1.0),
            None => found.push((load.work.clone(), load.iops(), 1.0)),
        }
    }
    found.into_iter().map(|(work, sum, count)| (work, sum / count)).collect()
}

/// Joins jobs and directions that ran side by side into loads; items without a rate are left out.
fn loads(items: &[Item]) -> Vec<Load> {
    let mut loads: Vec<(Source, Load)> = Vec::new();
    for item in items.iter().filter(|item| !item.work.spaced) {
        let Some(part) = part(item) else { continue };
        let seconds = item.seconds.unwrap_or(0.0);
        match loads.iter_mut().find(|(source, _)| *source == item.source) {
            Some((_, load)) => {
                load.take(part, seconds);
                load.held |= held(item);
                load.work = joined(&load.work, &item.work);
            }
            None => {
                let work = item.work.clone();
                loads.push((item.source, Load { work, seconds, parts: vec![part], held: held(item) }));
            }
        }
    }
    loads.into_iter().map(|(_, load)| load).collect()
}

/// Whether the item reached about the offered rate, or its limit is not known.
fn held(item: &Item) -> bool {
    match (item.work.offered, item.iops) {
        (Some(0), _) => false,
        (Some(offered), Some(iops)) => iops >= offered as f64 * (1.0 - HELD_NEAR),
        _ => true,
    }
}

fn part(item: &Item) -> Option<Part> {
    let iops = item.iops?;
    let block = item.block() as f64;
    Some(Part {
        direction: item.work.direction,
        read_percent: item.work.read_percent,
        iops,
        bytes_per_second: item.bytes_per_second.unwrap_or(iops * block),
        block,
        ops: item.ops.unwrap_or(iops * item.seconds.unwrap_or(0.0)),
        locality: locality(&item.work),
    })
}

/// Returns the joint work of two jobs, or of two directions of one; fields that differ are left open.
fn joined(a: &Work, b: &Work) -> Work {
    fn both<T: PartialEq + Copy>(a: Option<T>, b: Option<T>) -> Option<T> {
        a.filter(|_| a == b)
    }
    Work {
        direction: both(a.direction, b.direction),
        sequential: both(a.sequential, b.sequential),
        read_percent: both(a.read_percent, b.read_percent),
        block: both(a.block, b.block),
        depth: both(a.depth, b.depth),
        flush_every: both(a.flush_every, b.flush_every),
        offered: both(a.offered, b.offered),
        spaced: false,
    }
}

type PossibleReading<'a> = Option<(Reading, Vec<&'a Load>, Confidence)>;

fn declared<'a>(limits: &Limits, loads: &[&'a Load]) -> PossibleReading<'a> {
    if loads.is_empty() {
        return None;
    }
    match limits.limits.iter().find_map(credits) {
        Some(rule) => on_credits(limits, &rule, loads),
        None => at_caps(limits, loads),
    }
}

/// A rule on operations that has credits and a burst above its baseline.
struct Credits<'l> {
    limit: &'l Limit,
    burst: f64,
    bucket: f64,
}

fn credits(limit: &Limit) -> Option<Credits<'_>> {
    let burst = limit.burst.filter(|_| limit.resource == Resource::Iops)?;
    let Bucket::Tokens { size, .. } = burst.bucket else { return None };
    (burst.rate > limit.baseline).then_some(Credits { limit, burst: burst.rate, bucket: size })
}

/// Returns where I/Os of `work` lie: sequential ones may be merged before they are charged.
pub(super) fn locality(work: &Work) -> Locality {
    if work.sequential == Some(true) { Locality::Sequential } else { Locality::Random }
}

fn on_credits<'a>(limits: &Limits, rule: &Credits<'_>, loads: &[&'a Load]) -> PossibleReading<'a> {
    let &Credits { limit, burst, bucket } = rule;
    let policy = limits.policy.to_string();
    let charge = |part: &Part, locality| limit.charge(Bytes(part.block as u64), locality);
    let of = |part: &Part| part.iops * charge(part, part.locality);
    let rate = |load: &Load| load.parts.iter().map(of).sum::<f64>();
    let seen = ends(loads.iter().map(|load| rate(load)));
    let most = seen.1;
    let all = loads.to_vec();
    let too_fast = |load: &&Load| rate(load) > burst * (1.0 + load.near());
    let above: Vec<&Load> = loads.iter().copied().filter(too_fast).collect();
    if !above.is_empty() {
        return Some((Reading::AbovePolicy { policy, most: burst, seen: most }, above, Confidence::Likely));
    }
    if loads.iter().all(|load| rate(load) <= limit.baseline * (1.0 + load.near())) {
        return Some((
            Reading::WithinBaseline { policy, baseline: limit.baseline, most },
            all,
            Confidence::Likely,
        ));
    }
    // Nothing may have been merged, but no more than the burst rate can have been charged.
    let ops = |load: &Load| {
        let apart = |part: &Part| part.ops * charge(part, Locality::Random);
        let most =
            if load.seconds > 0.0 { burst * (1.0 + load.near()) * load.seconds } else { f64::INFINITY };
        load.parts.iter().map(apart).sum::<f64>().min(most)
    };
    let spent = |load: &&Load| (ops(load) - limit.baseline * load.seconds).max(0.0);
    let spent_most = loads.iter().map(spent).sum::<f64>();
    let in_burst = |load: &&&Load| rate(load) >= burst * (1.0 - load.near());
    let at_burst = loads.iter().filter(in_burst).count();
    // One that asks for less may come to the baseline by chance.
    let asks_for_more =
        |load: &Load| !load.held && loads.iter().filter(in_burst).any(|other| other.block() == load.block());
    let at_baseline = |load: &Load| (rate(load) / limit.baseline - 1.0).abs() <= load.near();
    let reading = Reading::OnCredits {
        policy,
        baseline: limit.baseline,
        burst,
        bucket,
        seen,
        at_burst,
        loads: loads.len(),
        baseline_seen: loads.iter().any(|load| at_baseline(load) && asks_for_more(load)),
        spent_most,
        left_s: ((bucket - spent_most) / (burst - limit.baseline)).max(0.0),
        tested_s: loads.iter().map(|load| load.seconds).sum(),
    };
    Some((reading, all, if at_burst > 0 { Confidence::Strong } else { Confidence::Likely }))
}

/// Returns the share of a rule that a load uses, 1 at the cap; zero if the rule does not cover it.
fn share(limit: &Limit, load: &Load) -> f64 {
    let used = |part: &Part| match limit.resource {
        Resource::Iops => part.iops * limit.charge(Bytes(part.block as u64), part.locality),
        Resource::Bytes => part.bytes_per_second,
    };
    load.parts.iter().map(|part| covered(limit, part) * used(part)).sum::<f64>() / limit.baseline
}

/// Returns the share of a part that the rule counts: all or nothing, unless a tool adds both directions up.
fn covered(limit: &Limit, part: &Part) -> f64 {
    let reads = match part.direction {
        Some(direction) => f64::from(u8::from(direction == Direction::Read)),
        None => f64::from(part.read_percent.unwrap_or(50)) / 100.0,
    };
    let counts = |direction| f64::from(u8::from(limit.direction.covers(direction)));
    reads * counts(Direction::Read) + (1.0 - reads) * counts(Direction::Write)
}

fn at_caps<'a>(limits: &Limits, loads: &[&'a Load]) -> PossibleReading<'a> {
    let policy = limits.policy.to_string();
    let free = free(loads);
    let only_held = free.is_empty();
    let loads = if only_held { loads } else { &free };
    let all = limits.limits.iter().flat_map(|limit| loads.iter().map(move |load| (limit, *load)));
    let (limit, tightest) = all.max_by(|a, b| share(a.0, a.1).total_cmp(&share(b.0, b.1)))?;
    let (used, near) = (share(limit, tightest), tightest.near());
    // If a provider's MB may be 1,000,000 bytes, the cap may be that much lower.
    let least = if limit.unit_ambiguous { 1e6 / 1_048_576.0 } else { 1.0 };
    let reading = match (limit.burst, used) {
        (Some(burst), above) if above > 1.0 + near && above <= burst.rate / limit.baseline * (1.0 + near) => {
            let (quantity, seen) = (quantity(limit.resource), limit.baseline * above);
            Reading::InBurst { policy, quantity, baseline: limit.baseline, seen }
        }
        (burst, above) if above > 1.0 + near => {
            let most = burst.map_or(limit.baseline, |burst| burst.rate);
            Reading::AbovePolicy { policy, most, seen: limit.baseline * above }
        }
        (_, below) if below < least - near => Reading::BelowCaps { policy, share: below },
        // The offered rate may be what limits the load.
        _ if only_held => return None,
        _ => Reading::AtCap { policy, quantity: quantity(limit.resource), cap: limit.baseline },
    };
    let shown = |load: &&Load| (share(limit, load) - used).abs() <= load.near();
    // Only a rate that equals the policy's own figure is evidence for the policy.
    let sure = if matches!(reading, Reading::AtCap { .. }) { Confidence::Strong } else { Confidence::Likely };
    Some((reading, loads.iter().copied().filter(shown).collect(), sure))
}

fn quantity(resource: Resource) -> Quantity {
    match resource {
        Resource::Iops => Quantity::Iops,
        Resource::Bytes => Quantity::BytesPerSecond,
    }
}

/// Returns the loads that only the volume or the machine can have limited.
fn free<'a>(loads: &[&'a Load]) -> Vec<&'a Load> {
    loads.iter().copied().filter(|load| !load.held).collect()
}

/// Returns the reading of loads without a declared type: one level, or no cap seen.
fn undeclared<'a>(loads: &[&'a Load]) -> PossibleReading<'a> {
    let loads = &free(loads);
    let first = loads.first()?;
    let block = first.block()?;
    let alike: Vec<&Load> = loads.iter().copied().filter(|load| load.block() == Some(block)).collect();
    let mixes = alike.iter().filter(|load| load.work.read_percent != first.work.read_percent).count();
    if mixes == 0 {
        return None;
    }
    let seen = ends(alike.iter().map(|load| load.iops()));
    let apart = seen.1 / seen.0 - 1.0;
    if apart <= ONE_LEVEL {
        let level = alike.iter().map(|load| load.iops()).sum::<f64>() / alike.len() as f64;
        return Some((Reading::OneLevel { level, apart }, alike, Confidence::Likely));
    }
    Some((Reading::NoCapSeen { seen }, alike, Confidence::Possible))
}

/// Compares the fastest pure reads with the fastest pure writes of the same block size.
fn much_faster<'a>(loads: &[&'a Load]) -> PossibleReading<'a> {
    let fastest = |share: u8, block: f64| {
        let of = loads.iter().copied().filter(move |load| load.work.read_percent == Some(share));
        of.filter(|load| load.block() == Some(block)).max_by(|a, b| a.iops().total_cmp(&b.iops()))
    };
    let block = loads.first()?.block()?;
    let (read, write) = (fastest(100, block)?, fastest(0, block)?);
    let times = read.iops() / write.iops();
    (times >= MUCH_FASTER)
        .then(|| (Reading::ReadsMuchFaster { times }, vec![read, write], Confidence::Possible))
}

fn machine<'a>(side: &Side) -> PossibleReading<'a> {
    let machine = side.machine.clone()?;
    let lower = machine.to_ascii_lowercase();
    let credits = CPU_CREDITS.iter().any(|start| lower.starts_with(start));
    credits.then(|| (Reading::MachineCredits { machine }, Vec::new(), Confidence::Likely))
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(least, most), value| (least.min(value), most.max(value)))
}
