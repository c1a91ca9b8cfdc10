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
        let targets = span.targets.chunk_by(is_alike).map(|targets| of_targets(span, targets));
        head.into_iter().chain(targets).chain(in_all(span)).collect::<Vec<_>>()
    };
    let before = asked.profile.precreate.map(precreated).into_iter().chain(nothing).map(str::to_owned);
    before.chain(spans.iter().enumerate().flat_map(of_span)).collect()
}

/// Whether a target is a device, on which `-c` has no effect: a drive or partition of Windows too.
pub fn keeps_its_size(path: &str) -> bool {
    is_device(path)
        || path.strip_prefix('#').is_some()
        || path.strip_suffix(':').is_some_and(|letter| letter.len() == 1)
}

/// Whether two targets differ in nothing but their paths.
fn is_alike(one: &Target, other: &Target) -> bool {
    let same = Target { path: other.path.clone(), ..one.clone() } == *other;
    same && keeps_its_size(&one.path) == keeps_its_size(&other.path)
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
    let warm_up = match span.warm_up {
        0 => "No warm-up".to_owned(),
        warm_up => format!("{} of load without measuring", time(warm_up)),
    };
    let duration = time(span.duration);
    [
        format!("{who} with {most} in flight in all{pinned}."),
        format!("{warm_up}, then {duration} that are measured{after}."),
    ]
}

/// The load of targets that differ in nothing but their paths.
fn of_targets(span: &TimeSpan, targets: &[Target]) -> String {
    let target = &targets[0];
    let work = match target.write_percent {
        0 => "Reads".to_owned(),
        100 => "Writes".to_owned(),
        share => format!("Reads ({} %) and writes ({share} %)", 100 - share),
    };
    let paths = match targets {
        [one] => one.path.clone(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(|target| target.path.as_str()).collect();
            format!("each of {} and {}", first.join(", "), last.path)
        }
        [] => String::new(),
    };
    let threads = span.threads_of(target);
    let ios = match target.requests {
        1 => "one I/O".to_owned(),
        ios => format!("{ios} I/Os"),
    };
    let by = match (span.is_pool(), threads, span.targets.len()) {
        (true, ..) | (_, 1, 1) => String::new(),
        (_, 1, _) => format!(", by one thread with {ios} in flight"),
        _ => format!(", by {threads} threads with {ios} in flight each"),
    };
    let block = bytes(u64::from(target.block));
    let mut said = vec![format!("{work} blocks of {block} {} on {paths}{by}.", places(span, target))];
    said.extend(region(target));
    said.extend(spread(target));
    said.extend(target.create.filter(|_| keeps_its_size(&target.path)).map(|size| {
        format!("-c ({}) has no effect, because it is a device, which has the size that it has.", bytes(size))
    }));
    said.push(cache(target).to_owned());
    said.extend(data(span, target));
    said.extend(paced(span, target, targets.len()));
    let is_chosen = span.is_pool() && span.targets.len() > 1;
    said.extend(is_chosen.then(|| match target.thread_targets.len() {
        0 if targets.len() == span.targets.len() => "Chance decides to which of them an I/O goes.".to_owned(),
        0 => format!("Its weight among the targets is {}.", target.weight),
        some => format!("Its weight among the targets is {}, by {some} of the threads alone.", target.weight),
    }));
    said.join(" ")
}

/// The data of writes, apart from DiskSpd's usual pattern and zeros.
fn data(span: &TimeSpan, target: &Target) -> Option<String> {
    let size = bytes(target.write_source_bytes);
    match (target.write_percent, target.write_source_bytes, span.random_write_data && !target.zero) {
        (0, ..) | (_, 0, false) => None,
        (_, 0, true) => Some("Each write has new random data (-Zr).".to_owned()),
        _ if target.write_source.is_empty() => {
            Some(format!("Writes are parts of {size} of random data (-Z)."))
        }
        _ => Some(format!("Writes are parts of {size} of {} (-Z).", target.write_source)),
    }
}

fn places(span: &TimeSpan, target: &Target) -> String {
    let block = u64::from(target.block);
    let apart = match target.step() {
        step if step == block => String::new(),
        step if target.random > 0 => format!(" that are multiples of {}", bytes(step)),
        step => format!(", {} from start to start", bytes(step)),
    };
    let several = span.threads_of(target) > 1;
    let runs = match target.write_percent {
        0 | 100 => "",
        _ => ", in runs that only read or only write",
    };
    let each = u64::from(target.requests);
    match (target.random, target.thread_stride) {
        (0, _) if target.parallel && each > 1 => format!(
            "one after the other{apart} (each of the {each} I/Os in flight of a thread by itself, so that it does each \
             place {each} times)"
        ),
        (100, _) => format!("at random places{apart}"),
        (1.., _) => {
            format!(
                "({} % at random places{apart}, the others where the last one ended{runs})",
                target.random
            )
        }
        (0, _) if several && target.interlocked => {
            format!("one after the other{apart} (all threads share one sequence)")
        }
        (0, 0) if several => {
            format!("one after the other{apart} (each thread by itself, all from the same place)")
        }
        (0, stride) if several => {
            format!(
                "one after the other{apart} (each thread by itself through all of it, from {} after the one before)",
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

/// The rate or the pauses of each thread, on each of `targets` alike.
fn paced(span: &TimeSpan, target: &Target, targets: usize) -> Option<String> {
    if let Some(iops) = target.throughput.iops(target.block) {
        let typed = match target.throughput {
            Throughput::BytesPerMs(each) => format!("{} a millisecond, ", bytes(u64::from(each))),
            _ => String::new(),
        };
        let threads = u64::from(span.threads_of(target)) * targets as u64;
        let whose = if targets > 1 { " on each target" } else { "" };
        let all =
            if threads > 1 { format!(", {} in all", figure(iops * threads as f64)) } else { String::new() };
        return Some(format!("Each thread{whose} is held to {typed}{} I/Os a second{all}.", figure(iops)));
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

fn figure(iops: f64) -> String {
    if iops < 10.0 { format!("{iops:.2}") } else { count(iops.round() as u64) }
}
