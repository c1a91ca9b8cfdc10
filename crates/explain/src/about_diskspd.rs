//! Sentences on a DiskSpd command as a whole: its defaults, and properties that depend on several options.

use super::figures::{bytes, count, typed_seconds};
use super::files_fio::is_device;
use diskspd::{Cache, DiskSpdRequest, DistributionKind, Precreate, Show, Target, Throughput, TimeSpan};

/// Returns sentences on the load that the command requests.
pub fn asks(asked: &DiskSpdRequest) -> Vec<String> {
    let nothing = match asked.show {
        Show::Run => None,
        Show::Profile => Some("Prints this profile, and runs nothing."),
        Show::System => return vec!["Prints what is known of the machine, and runs nothing.".to_owned()],
        Show::Usage => return vec!["Prints its help.".to_owned()],
    };
    let spans = &asked.profile.time_spans;
    let of_span = |(at, span): (usize, &TimeSpan)| {
        let head = (spans.len() > 1).then(|| format!("Timespan {} of {}:", at + 1, spans.len()));
        let targets = span.targets.iter().map(|target| of_target(span, target));
        head.into_iter().chain(targets).chain(in_all(span)).collect::<Vec<_>>()
    };
    let before = asked.profile.precreate.map(precreated).into_iter().chain(nothing).map(str::to_owned);
    before.chain(spans.iter().enumerate().flat_map(of_span)).collect()
}

/// The files that a profile creates before its first timespan.
fn precreated(files: Precreate) -> &'static str {
    match files {
        Precreate::UseMaxSize => "All files are made first, each in the largest size that is asked for.",
        Precreate::ConstantSizes => "Files whose size is the same in all timespans are made first.",
        Precreate::ConstantOrZeroSizes => {
            "Files whose size is the same in all timespans, or not given, are made first."
        }
    }
}

/// Number of threads.
pub fn threads(span: &TimeSpan) -> u64 {
    match span.threads {
        0 => span.targets.iter().map(|target| u64::from(target.threads)).sum(),
        threads => u64::from(threads),
    }
}

/// Most I/Os in flight.
pub fn in_flight(span: &TimeSpan) -> u64 {
    if span.is_pool() {
        return u64::from(span.threads) * u64::from(span.requests);
    }
    span.targets.iter().map(|target| u64::from(target.requests) * u64::from(span.threads_of(target))).sum()
}

/// Properties that all targets of a timespan share.
fn in_all(span: &TimeSpan) -> [String; 2] {
    let (threads, ios) = (threads(span), in_flight(span));
    let who = if threads == 1 { "One thread".to_owned() } else { format!("{} threads", count(threads)) };
    let most = if ios == 1 { "one I/O".to_owned() } else { format!("up to {} I/Os", count(ios)) };
    let pinned = match (span.no_affinity || !span.affinity.is_empty(), threads) {
        (true, _) => "",
        (false, 1) => ", kept on the first CPU",
        (false, _) => ", kept on the CPUs in turn",
    };
    let time = |seconds: u32| typed_seconds(f64::from(seconds));
    let after = match span.cool_down {
        0 => String::new(),
        cool => format!(", then {} of load without measuring", time(cool)),
    };
    let (warm_up, duration) = (time(span.warm_up), time(span.duration));
    [
        format!("{who} with {most} in flight in all{pinned}."),
        format!("{warm_up} of load without measuring, then {duration} that are measured{after}."),
    ]
}

fn of_target(span: &TimeSpan, target: &Target) -> String {
    let work = match target.write_percent {
        0 => "Reads".to_owned(),
        100 => "Writes".to_owned(),
        share => format!("Reads ({} %) and writes ({share} %)", 100 - share),
    };
    let block = bytes(u64::from(target.block));
    let mut said = vec![format!("{work} blocks of {block} {} on {}.", places(span, target), target.path)];
    said.extend(region(target));
    said.extend(spread(target));
    said.extend(target.create.filter(|_| is_device(&target.path)).map(|size| {
        format!("-c ({}) has no effect, because it is a device, which has the size that it has.", bytes(size))
    }));
    said.push(cache(target).to_owned());
    said.extend(paced(span, target));
    said.extend((span.is_pool() && span.targets.len() > 1).then(|| match target.thread_targets.len() {
        0 => format!("Its weight among the targets is {}.", target.weight),
        some => format!("Its weight among the targets is {}, by {some} of the threads alone.", target.weight),
    }));
    said.join(" ")
}

fn places(span: &TimeSpan, target: &Target) -> String {
    let block = u64::from(target.block);
    let apart = match target.step() {
        step if step == block => String::new(),
        step if target.random > 0 => format!(" that are multiples of {}", bytes(step)),
        step => format!(", {} from start to start", bytes(step)),
    };
    let several = span.threads_of(target) > 1;
    match (target.random, target.thread_stride) {
        (100, _) => format!("at random places{apart}"),
        (1.., _) => {
            format!("({} % at random places{apart}, the others where the last one ended)", target.random)
        }
        (0, _) if several && target.interlocked => {
            format!("one after the other{apart} (all threads share one sequence)")
        }
        (0, 0) if several => {
            format!("one after the other{apart} (each thread by itself, all from the same place)")
        }
        (0, stride) if several => {
            format!(
                "one after the other{apart} (each thread by itself, {} after the one before)",
                bytes(stride)
            )
        }
        (0, _) => format!("one after the other{apart}"),
    }
}

fn region(target: &Target) -> Option<String> {
    match (target.base, target.max) {
        (0, 0) => None,
        (base, 0) => Some(format!("Its first {} are left out.", bytes(base))),
        (0, max) => Some(format!("Its first {} alone are used.", bytes(max))),
        (base, max) => {
            Some(format!("{} of it are used, from {} on.", bytes(max.saturating_sub(base)), bytes(base)))
        }
    }
}

fn spread(target: &Target) -> Option<String> {
    let list = target.distribution.as_ref()?;
    let amount = |length: u64| match list.kind {
        DistributionKind::Percent => format!("{length} %"),
        DistributionKind::Absolute => bytes(length),
    };
    let ranges = list.placed().map(|(from, range)| match (from, range.length) {
        (_, 0) => format!("{} % of the I/Os go to the rest", range.io),
        (0, length) => format!("{} % of the I/Os go to its first {}", range.io, amount(length)),
        (_, length) => format!("{} % to the next {}", range.io, amount(length)),
    });
    Some(format!("Its places are not equally likely: {}.", ranges.collect::<Vec<_>>().join(", ")))
}

fn cache(target: &Target) -> &'static str {
    match (target.cache, target.write_through && target.write_percent > 0) {
        (Cache::Off, false) => "Past the software cache.",
        (Cache::Off, true) => "Past the software cache, and each write waits until it is on stable storage.",
        (Cache::RemoteOnly, _) => "Past the cache of this machine's memory, through that of a file server.",
        (Cache::Used, false) => "Through the cache.",
        (Cache::Used, true) => "Through the cache, and each write waits until it is on stable storage.",
    }
}

/// The rate or the pauses of each thread.
fn paced(span: &TimeSpan, target: &Target) -> Option<String> {
    if let Some(iops) = target.throughput.iops(target.block) {
        let typed = match target.throughput {
            Throughput::BytesPerMs(each) => format!("{} a millisecond, ", bytes(u64::from(each))),
            _ => String::new(),
        };
        let rate = if iops < 10.0 { format!("{iops:.2}") } else { count(iops.round() as u64) };
        return Some(format!("Each thread is held to {typed}{rate} I/Os a second."));
    }
    let think = span.think(target)?;
    let most = f64::from(think.every) / think.pause.as_secs_f64();
    Some(format!(
        "Each thread pauses for {} ms after every {} I/Os: it does at most {} a second.",
        target.think_ms,
        count(u64::from(think.every)),
        count(most.round() as u64)
    ))
}
