//! Open load: arrivals that do not wait for completions, which show the latency that users of the volume see.

use record::StepRecord;
use workload::{Access, BlockSizes, Bytes, Claim, Direction, Iops, Job, Metric, Mix, Nanos, Pace, StepKind};

use super::draft::{Draft, Length, Rank};
use super::known::{CheckState, DEPTH_MAX};
use super::ladders::job;

/// Name of the step that runs the claimed load.
pub const AS_CLAIMED: &str = "as claimed";
/// Name of the step that runs the claimed load at an even pace, which flatters latency.
pub const AS_CLAIMED_EVEN: &str = "as claimed, even pace";
/// Rate of the load without a claim, in percent of the cap.
const USUAL: u32 = 80;
/// Start of the search for the greatest rate at which a claimed latency holds, in percent of the cap, and its first stride,
/// which is halved each time.
const SEARCH: (f64, f64) = (75.0, 12.5);
/// Steps of that search: the last stride is 1.6 % of the cap.
const SEARCH_STEPS: usize = 4;
/// Factor by which a step lasts longer if a latency is claimed.
const CLAIMED_TIMES: u64 = 3;
/// Expected number of I/Os of the rarer direction beyond a claimed percentile: at least ten are needed, and they occur
/// in clusters.
const BEYOND: f64 = 100.0;
/// Factor by which a step may last longer to reach that number.
const BEYOND_TIMES: u64 = 10;

/// The claimed load: I/Os per second, access pattern and block size.
struct Load {
    rate: f64,
    access: Access,
    block: Bytes,
}

/// Access pattern and block size of the claimed load, with `mix` if its words state none.
fn shape(known: &CheckState<'_>, mix: Mix) -> (Access, Bytes) {
    let load = known.ask.expectation.load;
    let access =
        if known.writes() { load.access(mix) } else { Access { mix: Mix::READ, ..load.access(mix) } };
    (access, load.block.unwrap_or_else(|| known.small()).max(known.ask.block_min))
}

/// The claimed rates; `None` if none is claimed.
fn claimed(known: &CheckState<'_>) -> Option<Load> {
    let rate = |direction| claimed_iops(known, Some(direction));
    let read = rate(Direction::Read);
    let write = if known.writes() { rate(Direction::Write) } else { 0.0 };
    // Without a mix, a rate without a direction is run as reads, and claimed writes are added.
    let undirected = claimed_iops(known, None);
    let reads = if undirected > 0.0 { read.max(undirected) } else { read };
    if reads + write <= 0.0 {
        return None;
    }
    let share = (100.0 * reads / (reads + write)).round() as u8;
    let (access, block) = shape(known, Mix::reads(share));
    let rate = match known.ask.expectation.load.mix {
        Some(_) => undirected.max(rate_of_mix(access.mix, read, write)),
        None => reads + write,
    };
    Some(Load { rate, access, block })
}

/// Rate of a load of `mix` in which each direction has its claimed rate.
fn rate_of_mix(mix: Mix, read: f64, write: f64) -> f64 {
    let share = f64::from(mix.read_percent()) / 100.0;
    let of = |rate: f64, share: f64| if share > 0.0 { rate / share } else { 0.0 };
    of(read, share).max(of(write, 1.0 - share))
}

/// Claimed rate of `direction`; 0 if none is claimed.
fn claimed_iops(known: &CheckState<'_>, direction: Option<Direction>) -> f64 {
    let of = |claim: &Claim| match claim.metric {
        Metric::Iops(rate) if claim.direction == direction => Some(rate.0),
        _ => None,
    };
    known.ask.expectation.claims.iter().find_map(of).unwrap_or(0.0)
}

/// Claims on latency.
fn latencies<'k>(known: &'k CheckState<'_>) -> impl Iterator<Item = &'k Claim> {
    let is_latency = |claim: &&Claim| matches!(claim.metric, Metric::MeanLatency(_) | Metric::Percentile(..));
    known.ask.expectation.claims.iter().filter(is_latency)
}

struct Arrivals<'n> {
    name: &'n str,
    load: &'n Load,
    pace: Pace,
    time: Nanos,
}

fn draft(known: &CheckState<'_>, arrivals: Arrivals<'_>, rank: Rank) -> Draft {
    let Arrivals { name, load, pace, time } = arrivals;
    let share = if load.access.mix.reads_only() { 0.0 } else { 1.0 };
    let blocks = BlockSizes::all(load.block);
    let job =
        Job { access: load.access.clone(), blocks, pace, depth: DEPTH_MAX, ..job(known, Direction::Read) };
    Draft { name: name.to_owned(), kind: StepKind::OpenLoad, job, length: Length::Time(time), rank, share }
}

/// The requested load: one claimed together with a latency or a shape, or for both directions at once.
fn asked(known: &CheckState<'_>) -> Option<Load> {
    let both = |load: &Load| !load.access.mix.reads_only() && !load.access.mix.writes_only();
    let says_load = !known.ask.expectation.load.is_empty();
    claimed(known).filter(|load| latencies(known).next().is_some() || both(load) || says_load)
}

/// The claimed load with random and with even arrivals.
pub(crate) fn claimed_loads(known: &CheckState<'_>) -> Vec<Draft> {
    let (Some(load), time) = (&asked(known), known.ask.effort.open) else { return Vec::new() };
    let rate = Iops(load.rate);
    let poisson =
        Arrivals { name: AS_CLAIMED, load, pace: Pace::Poisson(rate), time: long_enough(known, load) };
    let even = Arrivals { name: AS_CLAIMED_EVEN, load, pace: Pace::Fixed(rate), time };
    vec![draft(known, poisson, Rank::Must), draft(known, even, Rank::May)]
}

/// Time that `load` needs for an estimate of the claimed percentiles, whose intervals allow for I/Os that wait for each
/// other.
fn long_enough(known: &CheckState<'_>, load: &Load) -> Nanos {
    let usual = known.ask.effort.open;
    let reads = f64::from(load.access.mix.read_percent()) / 100.0;
    let rarer = [reads, 1.0 - reads].into_iter().filter(|part| *part > 0.0).fold(1.0, f64::min);
    let rate = load.rate * rarer;
    let beyond = |claim: &Claim| match claim.metric {
        Metric::Percentile(percent, _) => BEYOND / ((1.0 - percent / 100.0) * rate).max(f64::MIN_POSITIVE),
        _ => 0.0,
    };
    let seconds = latencies(known).map(beyond).fold(0.0, f64::max);
    let least = usual * if latencies(known).next().is_some() { CLAIMED_TIMES } else { 2 };
    Nanos::from_secs_f64(seconds.min((usual * BEYOND_TIMES).as_secs_f64())).max(least)
}

/// A usual share of the cap, if no load is claimed.
pub(crate) fn usual_load(known: &CheckState<'_>) -> Vec<Draft> {
    if asked(known).is_some() {
        return Vec::new();
    }
    let usual = Load { rate: 0.0, access: Access::random(Mix::READ), block: known.small() };
    at_share(known, usual, f64::from(USUAL)).into_iter().collect()
}

/// Arrivals like `load` at `percent` of the sustained cap of its mix; `None` while the cap is unknown.
fn at_share(known: &CheckState<'_>, load: Load, percent: f64) -> Option<Draft> {
    let rate = cap(known, &load)? * percent / 100.0;
    let name = format!("open load {percent} %");
    let pace = Pace::Poisson(Iops(rate));
    // A claim is compared with a percentile, whose estimate is more precise the longer the step is.
    let times = if latencies(known).next().is_some() { CLAIMED_TIMES } else { 1 };
    let arrivals = Arrivals { name: &name, load: &load, pace, time: known.ask.effort.open * times };
    Some(draft(known, arrivals, Rank::May))
}

/// Sustained rate of `load`: the rate of the last saturated steps, if each direction has its own cap. For a block size
/// that no ladder ran, that of the next larger one, which may be too low but never too high.
fn cap(known: &CheckState<'_>, load: &Load) -> Option<f64> {
    let (mix, block) = (load.access.mix, load.block);
    let saturated = |direction| {
        let blocks = [4, 16, 32, 64, 128, 256, 512, 1024].map(Bytes::kib);
        let larger =
            blocks.into_iter().map(|larger| larger.max(known.small())).filter(|&larger| larger >= block);
        let rate = larger.into_iter().find_map(|larger| known.last_rate(direction, larger));
        // If the ladder ended below this block, the bytes per second of its last block apply.
        let ended = known.large(direction);
        rate.or_else(|| Some(known.last_rate(direction, ended)? * ended.0 as f64 / block.0 as f64))
    };
    let share = f64::from(mix.read_percent()) / 100.0;
    let bound = |direction, share: f64| (share > 0.0).then(|| saturated(direction).map(|rate| rate / share));
    let bounds = [bound(Direction::Read, share), bound(Direction::Write, 1.0 - share)];
    let own = bounds.into_iter().flatten().try_fold(f64::MAX, |least, bound| Some(least.min(bound?)))?;
    let mixed = mixed(known, mix).filter(|_| block <= known.small());
    Some(mixed.map_or(own, |mixed| own.min(mixed)))
}

/// Total rate of the probe with the closest mix, because both directions may share one cap.
fn mixed(known: &CheckState<'_>, mix: Mix) -> Option<f64> {
    let of_probe = |record: &StepRecord| {
        let worker = record.plan.workers.first()?;
        let other = worker.access.mix;
        let is_mixed = !other.reads_only() && !other.writes_only();
        let small = worker.blocks.longest() == known.small();
        let off = other.read_percent().abs_diff(mix.read_percent());
        let ops = record.tally(Direction::Read).ops + record.tally(Direction::Write).ops;
        (is_mixed && small).then(|| (off, ops as f64 / record.seconds()))
    };
    let is_mixed = !mix.reads_only() && !mix.writes_only();
    let probes = known.of_kind(StepKind::Probe).filter_map(of_probe).filter(|_| is_mixed);
    probes.min_by_key(|(off, _)| *off).map(|(_, rate)| rate)
}

/// The search for the greatest rate at which the claimed latency holds: its completed steps and the next one.
pub(crate) fn headroom(known: &CheckState<'_>) -> Vec<Draft> {
    let load = || {
        claimed(known).unwrap_or_else(|| {
            let (access, block) = shape(known, Mix::READ);
            Load { rate: 0.0, access, block }
        })
    };
    if latencies(known).next().is_none() {
        return Vec::new();
    }
    let (mut percent, mut stride) = SEARCH;
    let mut drafts = Vec::new();
    for _ in 0..SEARCH_STEPS {
        let Some(draft) = at_share(known, load(), percent) else { break };
        let ran = known.step(&draft.name);
        drafts.push(draft);
        let Some(ran) = ran else { break };
        percent += if holds(known, ran) { stride } else { -stride };
        stride /= 2.0;
    }
    drafts
}

/// Whether every claimed latency held in this step, and the volume kept up with the arrivals.
fn holds(known: &CheckState<'_>, record: &StepRecord) -> bool {
    analysis::keeps_up(record) && latencies(known).all(|claim| keeps(claim, record))
}

fn keeps(claim: &Claim, record: &StepRecord) -> bool {
    let (Metric::MeanLatency(bound) | Metric::Percentile(_, bound)) = claim.metric else { return true };
    let directions = claim.direction.map_or(vec![Direction::Read, Direction::Write], |way| vec![way]);
    let mut measured = directions.into_iter().filter(|&way| record.tally(way).ops > 0);
    let latency = |way| analysis::claimed_latency(record, claim, way);
    measured.all(|way| latency(way).is_none_or(|value| value <= bound.0 as f64))
}
