//! What a DiskSpd command asks for, in words.

use super::figures::{bytes, count, typed_seconds};
use super::files_fio::is_device;
use diskspd::{
    Cache, DiskSpdRequest, DistributionKind, Format, MappedFlush, Precreate, ROWS, Show, Target, Throughput,
    TimeSpan,
};

/// Options that need no sentence, because they change nothing of the load.
pub const SILENT: &[(&str, &str)] = &[
    ("ac", "threads are pinned by number whatever is asked"),
    ("as", "threads are pinned by number whatever is asked"),
    ("ap", "threads are pinned by number whatever is asked"),
    ("aP", "threads are pinned by number whatever is asked"),
    ("ae", "threads are pinned by number whatever is asked"),
    ("aE", "threads are pinned by number whatever is asked"),
    ("aup", "threads are pinned by number whatever is asked"),
    ("oc", "how many completions are taken at once is plimsoll's own choice"),
];

/// Sentences on what the command asks for.
pub fn asks(asked: &DiskSpdRequest) -> Vec<String> {
    let mut said = match asked.show {
        Show::Run => Vec::new(),
        Show::Profile => vec!["Prints this profile, and runs nothing.".to_owned()],
        Show::System => return vec!["Prints what is known of the machine, and runs nothing.".to_owned()],
        Show::Usage => return vec!["Prints its help.".to_owned()],
    };
    let spans = &asked.profile.time_spans;
    said.extend(precreated(asked.profile.precreate));
    for (at, span) in spans.iter().enumerate() {
        if spans.len() > 1 {
            said.push(format!("Timespan {} of {}:", at + 1, spans.len()));
        }
        said.extend(of_span(span));
    }
    said.extend(presented(asked));
    said
}

fn precreated(files: Option<Precreate>) -> Option<String> {
    let which = match files? {
        Precreate::UseMaxSize => "all files are made, each in the largest size that is asked for",
        Precreate::ConstantSizes => "files whose size is the same in all timespans are made",
        Precreate::ConstantOrZeroSizes => {
            "files whose size is the same in all timespans, or not given, are made"
        }
    };
    Some(format!("Before the first timespan {which}."))
}

/// How the result is presented, if that was chosen.
fn presented(asked: &DiskSpdRequest) -> Option<String> {
    let profile = &asked.profile;
    let said = [
        (profile.format == Format::Xml, "The result is XML.".to_owned()),
        (asked.ring, "I/O goes by io_uring and nothing else.".to_owned()),
        (profile.verbose, "What is being done is told meanwhile.".to_owned()),
        (
            profile.progress > 0,
            format!("A dot is shown for every {} I/Os.", count(u64::from(profile.progress))),
        ),
    ];
    let said: Vec<String> = said.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect();
    Some(said.join(" ")).filter(|words| !words.is_empty())
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
    span.targets.iter().map(|target| u64::from(target.requests) * u64::from(own_threads(span, target))).sum()
}

fn own_threads(span: &TimeSpan, target: &Target) -> u32 {
    if span.threads > 0 { span.threads } else { target.threads }
}

fn of_span(span: &TimeSpan) -> Vec<String> {
    let mut said: Vec<String> = span.targets.iter().map(|target| of_target(span, target)).collect();
    let total = in_flight(span);
    let pool = match span.is_pool() {
        true => format!(" Each thread has up to {}, over all targets.", count(u64::from(span.requests))),
        false => String::new(),
    };
    said.push(format!(
        "{} in all, {} in flight.{pool} {}",
        match threads(span) {
            1 => "One thread".to_owned(),
            threads => format!("{} threads", count(threads)),
        },
        if total == 1 { "one I/O".to_owned() } else { format!("up to {} I/Os", count(total)) },
        pinned(span)
    ));
    said.push(format!(
        "{} of load without measuring, then {} that are measured{}.",
        typed_seconds(f64::from(span.warm_up)),
        typed_seconds(f64::from(span.duration)),
        match span.cool_down {
            0 => String::new(),
            cool => format!(", then {} of load without measuring", typed_seconds(f64::from(cool))),
        }
    ));
    said.push(reported(span));
    said
}

fn pinned(span: &TimeSpan) -> String {
    let they = if threads(span) == 1 { "It is" } else { "They are" };
    if span.no_affinity {
        return "No thread is kept on a CPU.".to_owned();
    }
    match span.affinity.as_slice() {
        [] if threads(span) == 1 => "It is kept on the first CPU.".to_owned(),
        [] => "They are kept on the CPUs in turn.".to_owned(),
        cpus => {
            let cpus: Vec<String> = cpus.iter().map(|cpu| cpu.linux().to_string()).collect();
            format!("{they} kept on CPU {} in turn.", cpus.join(", "))
        }
    }
}

fn reported(span: &TimeSpan) -> String {
    let latency = match span.latency {
        true => "Latencies are reported, with percentiles.",
        false => "Rates are reported, no latencies.",
    };
    let iops = match span.iops {
        true => format!(
            " How far IOPS stray is reported over intervals of {} ms.",
            count(u64::from(span.bucket_ms))
        ),
        false => String::new(),
    };
    let seed = match span.seed {
        0 => String::new(),
        seed => format!(" The seed of random choices is {seed}."),
    };
    format!("{latency}{iops}{seed}")
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
    said.extend(made(target));
    if !span.is_pool() {
        said.push(match target.requests {
            1 => "One I/O in flight for each thread.".to_owned(),
            each => format!("{} I/Os in flight for each thread.", count(u64::from(each))),
        });
    }
    said.push(cache(target));
    said.extend(paced(span, target));
    said.extend(written(span, target));
    said.extend(hints(target));
    said.extend(weighed(span, target));
    said.join(" ")
}

fn places(span: &TimeSpan, target: &Target) -> String {
    let block = u64::from(target.block);
    let apart = match target.step() {
        step if step == block => String::new(),
        step if target.random > 0 => format!(" that are multiples of {}", bytes(step)),
        step => format!(", {} from start to start", bytes(step)),
    };
    match target.random {
        100 => format!("at random places{apart}"),
        0 => format!("one after the other{apart}{}", sequences(span, target)),
        share => format!("({share} % at random places{apart}, the others where the last one ended)"),
    }
}

/// How threads and I/Os in flight share sequences.
fn sequences(span: &TimeSpan, target: &Target) -> String {
    let several = own_threads(span, target) > 1;
    let threads = match (several, target.interlocked, target.thread_stride) {
        (true, true, _) => " (all threads share one sequence)".to_owned(),
        (_, _, stride) if stride > 0 => {
            format!(" (each thread by itself, its start {} behind that of the one before)", bytes(stride))
        }
        (true, false, _) => " (each thread by itself, all from the same place)".to_owned(),
        (false, ..) => String::new(),
    };
    let parallel = if target.parallel { " (all I/Os in flight of a thread at the same places)" } else { "" };
    format!("{threads}{parallel}")
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

fn made(target: &Target) -> Option<String> {
    let size = bytes(target.create?);
    Some(match is_device(&target.path) {
        true => format!("-c ({size}) has no effect, as it is a device, which has the size that it has."),
        false => format!("The file is made anew before, {size} long."),
    })
}

fn cache(target: &Target) -> String {
    let mapped = match (target.mapped, target.mapped_flush) {
        (false, _) => "",
        (true, None) => " By way of a memory mapping.",
        (true, Some(MappedFlush::View)) => {
            " By way of a memory mapping, whose pages are written back after each write."
        }
        (true, Some(MappedFlush::Memory)) => {
            " By way of a memory mapping, whose cache lines are flushed after each write."
        }
        (true, Some(MappedFlush::MemoryNoDrain)) => {
            " By way of a memory mapping, whose cache lines are flushed after each write without waiting for it."
        }
    };
    let way = match target.cache {
        Cache::Off => "Past the software cache",
        Cache::RemoteOnly => "Past the cache of this machine's memory, by way of that of a file server",
        Cache::Used => "Through the cache",
    };
    match target.write_through && target.write_percent > 0 {
        true => format!("{way}, and each write waits until it is on stable storage.{mapped}"),
        false => format!("{way}.{mapped}"),
    }
}

fn paced(span: &TimeSpan, target: &Target) -> Option<String> {
    if let Some(iops) = target.throughput.iops(target.block) {
        let typed = match target.throughput {
            Throughput::BytesPerMs(each) => format!("{} a millisecond, ", bytes(u64::from(each))),
            _ => String::new(),
        };
        return Some(format!("Each thread is held to {typed}{} I/Os a second.", rounded(iops)));
    }
    if target.think_ms == 0 || target.burst == 0 {
        return None;
    }
    let burst = (target.burst / own_threads(span, target).max(1)).max(1);
    let after =
        if burst == 1 { "each I/O".to_owned() } else { format!("every {} I/Os", count(u64::from(burst))) };
    Some(format!("Each thread pauses for {} ms after {after}.", target.think_ms))
}

fn rounded(iops: f64) -> String {
    if iops < 10.0 { format!("{iops:.2}") } else { count(iops.round() as u64) }
}

/// The data that is written.
fn written(span: &TimeSpan, target: &Target) -> Option<String> {
    if target.write_percent == 0 {
        return None;
    }
    let source = bytes(target.write_source_bytes);
    Some(match (target.write_source_bytes, target.write_source.as_str()) {
        (1.., "") => format!("What is written is taken from {source} of random data."),
        (1.., file) => format!("What is written is taken from the first {source} of {file}, over and over."),
        (0, _) if target.zero => "Zeros are written.".to_owned(),
        (0, _) if span.random_write_data => "Each write has new random data.".to_owned(),
        (0, _) => return None,
    })
}

fn hints(target: &Target) -> Option<String> {
    let said = [
        (target.random_hint, "The cache is told that places are random."),
        (target.sequential_hint, "The cache is told that places follow one another."),
        (target.temporary_hint, "The file is called temporary."),
        (target.large_pages, "Buffers in large pages are asked for."),
        (target.priority == 1, "Its I/O priority is very low."),
        (target.priority == 2, "Its I/O priority is low."),
    ];
    let said: Vec<&str> = said.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect();
    Some(said.join(" ")).filter(|words| !words.is_empty())
}

/// How often a pool of threads works on the target, which only a profile can say.
fn weighed(span: &TimeSpan, target: &Target) -> Option<String> {
    if !span.is_pool() || span.targets.len() < 2 {
        return None;
    }
    let threads = match target.thread_targets.len() {
        0 => String::new(),
        some => format!(", by {some} of the threads alone"),
    };
    Some(format!("Its weight among the targets is {}{threads}.", target.weight))
}

/// Meaning of a word.
pub fn meaning(word: &str) -> String {
    let row = ROWS.iter().find(|row| diskspd::value_in(row, word).is_some());
    match (row, word.starts_with('-')) {
        (Some(row), _) => row.help.to_owned(),
        (None, true) => "Not known.".to_owned(),
        (None, false) => "The file or device.".to_owned(),
    }
}
