//! A recorded load in words: what it does, and what its recording does not show.

use analysis::loads::{Drive, RecordedFlow, RecordedLoad, Unknown};
use workload::Direction;

use crate::words::numbers::{self, Prefix};
use crate::words::sentence::plural;
use crate::words::wrap::clean;

/// Most sizes of a direction that a line names, the most frequent first.
const SIZES: usize = 4;

/// Describes a load, a line for each of its figures, with where it comes from.
pub fn recorded_load(load: &RecordedLoad) -> Vec<String> {
    let is_trace = load.reading_s == 0.0;
    let span = numbers::span(load.seconds);
    let source = match is_trace {
        true => format!("every I/O of {span}"),
        false => format!("the counters of {span}, read every {}", numbers::span(load.reading_s)),
    };
    let mut lines = vec![
        format!("load     {}: {source}", clean(&load.device)),
        format!(
            "rate     {}, {}, {} reads",
            numbers::iops(load.iops()),
            numbers::bandwidth(load.reads.bytes + load.writes.bytes, Prefix::Binary),
            numbers::share(load.read_share()),
        ),
    ];
    for (direction, flow) in load.flows().into_iter().filter(|(_, flow)| flow.iops > 0.0) {
        lines.push(format!("{:<9}{}", plural(direction), flow_words(flow)));
    }
    lines.push(format!("issued   {}", drive_words(load)));
    let dispersion = load
        .burstiness
        .iter()
        .map(|one| format!("{} in {}", numbers::figure(one.index), numbers::time(one.seconds * 1e9)));
    let dispersion: Vec<String> = dispersion.collect();
    if !dispersion.is_empty() {
        lines
            .push(format!("bursts   index of dispersion {} (0 is even, 1 by chance)", dispersion.join(", ")));
    }
    lines.push(format!("places   {}", place_words(load)));
    if let Some(writes) = load.flush_every {
        lines.push(format!("flushes  one after {} writes", numbers::figure(writes)));
    }
    lines
}

fn flow_words(flow: &RecordedFlow) -> String {
    let size = |(size, share): &(u64, f64)| match flow.sizes.len() {
        1 => numbers::block(*size as f64),
        _ => format!("{} {}", numbers::share(*share), numbers::block(*size as f64)),
    };
    let mut by_share: Vec<&(u64, f64)> = flow.sizes.iter().collect();
    by_share.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut sizes: Vec<String> = by_share.iter().take(SIZES).map(|one| size(one)).collect();
    if flow.sizes.len() > SIZES {
        sizes.push(format!("and {} others", flow.sizes.len() - SIZES));
    }
    let latency =
        flow.latency_s.map_or(String::new(), |seconds| format!(", {} each", numbers::time(seconds * 1e9)));
    format!("{} of {}{latency}", numbers::iops(flow.iops), sizes.join(", "))
}

fn drive_words(load: &RecordedLoad) -> String {
    let seen = match (load.in_flight, load.busy) {
        (Some(depth), Some(busy)) => {
            format!(" ({} in flight, busy {} of the time)", numbers::queue(depth), numbers::share(busy))
        }
        _ => String::new(),
    };
    let drive = match load.drive {
        Drive::Closed { depth } => format!("as earlier ones complete, {depth} in flight"),
        Drive::Bunches { depth, ios, rest_s } => format!(
            "as earlier ones complete, {depth} in flight, with a rest of {} after {ios}",
            numbers::time(rest_s * 1e9)
        ),
        Drive::Even => "at even intervals".to_owned(),
        Drive::Poisson => "by chance, at one rate (Poisson)".to_owned(),
        Drive::Phases { burst_iops, burst_ios, calm_ios } => format!(
            "in bursts of {} at {}, with {} between two",
            numbers::figure(burst_ios),
            numbers::iops(burst_iops),
            numbers::figure(calm_ios)
        ),
    };
    format!("{drive}{seen}")
}

fn place_words(load: &RecordedLoad) -> String {
    let runs = match load.run {
        run if run.is_infinite() => "one after the other".to_owned(),
        run if run >= 1.5 => format!("in runs of {}", numbers::figure(run)),
        _ => "at random".to_owned(),
    };
    if load.zones.is_empty() {
        return format!("{runs}, evenly over the whole");
    }
    let mut zones: Vec<_> = load.zones.clone();
    zones.sort_by(|a, b| (b.ios * a.region).total_cmp(&(a.ios * b.region)));
    let half = zones.iter().scan(0.0, |ios, zone| {
        let before = *ios;
        *ios += zone.ios;
        (before < 0.5).then_some(zone.region)
    });
    format!("{runs}, half of them in {} of the region", numbers::share(half.sum()))
}

/// Says what a recording does not show, and what is taken in its place.
pub fn unknown_words(unknown: &Unknown) -> String {
    let of = |direction: &Direction| plural(*direction);
    match unknown {
        Unknown::SizesMean { direction } => format!(
            "a recording of counters has no sizes of single I/Os: the mean of all {} is used; a trace knows them",
            of(direction)
        ),
        Unknown::SizesSpread { direction } => format!(
            "a recording of counters has no sizes of single I/Os: the two sizes of {} have the mean and the spread that its readings show; a trace knows the sizes",
            of(direction)
        ),
        Unknown::SizesOverTime { direction } => format!(
            "the size of {} changes with time: the profile has all of them in no order",
            of(direction)
        ),
        Unknown::Places => "where on the volume is not known: uniformly random over the whole; counters are taken after the kernel has merged I/Os that follow each other; a trace knows both".to_owned(),
        Unknown::Spacing => "how I/Os are spaced within a reading is not known: as they are from one reading to the next; latencies may differ; a trace knows it, and so do shorter readings (plimsoll watch --every 100ms)".to_owned(),
        Unknown::Waiting => "whether the load would go faster on a faster volume is not known: its rate is kept".to_owned(),
        Unknown::Demand => "whether a faster volume would be asked for more is not known: as much is kept in flight as was recorded, whatever the rate".to_owned(),
        Unknown::RestLength => "rests shorter than a reading are not seen: their length is estimated from the counts, and rate and latencies may differ where the volume limits a burst; a trace knows it".to_owned(),
        Unknown::InFlight => "the recording has no I/Os in flight: the rate is kept".to_owned(),
        Unknown::Flushes => "the recording has no flushes: none are issued; a trace, or plimsoll watch, knows them".to_owned(),
        Unknown::FlushesAmongWrites => "the kernel counts a flush without data as a write too: as many writes as there were flushes are left out; a trace knows them".to_owned(),
        Unknown::Completions => "the trace is read without completions: I/Os come when they came, whether or not earlier ones are done".to_owned(),
        Unknown::Idle { seconds } => format!(
            "{} without load at the beginning and the end are left out",
            numbers::span(*seconds)
        ),
        Unknown::Trims { ios } => format!("{} trims are left out: a profile has none", numbers::count(*ios as f64)),
        Unknown::Files { files } => format!("{files} files become one region, one after the other"),
        Unknown::ManySizes { direction } => format!(
            "{} have more sizes than a profile lists: the rarest are joined with those next to them",
            of(direction)
        ),
        Unknown::WithinZones => "places within a zone, of a tenth of the I/Os each, are uniformly random".to_owned(),
        Unknown::Mix { off } => format!(
            "the mix of a job is a whole percentage: the rate of the rarer direction is {} off",
            numbers::share(*off)
        ),
    }
}
