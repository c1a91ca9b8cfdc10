//! A timespan as a step of the engine: a job for each thread and target, with DiskSpd's offsets, rates and buffers.

use std::path::{Path, PathBuf};

use workload::{
    Access, BackendAsk, BackendKind, BlockSizes, Buffers, Bytes, DiskSpdMode, DiskSpdOrder, DiskSpdRange,
    DiskSpdWalk, Iops, Job, Mix, Nanos, Pace, Pattern, Priority, PriorityClass, StopRule, SyncMode, Think,
    Totals, Workload,
};

use super::effective::{EffectiveRange, Reach, effective};
use super::profile::{Cache, Precreate, Profile, Target, TimeSpan};

/// Most I/Os in flight; more I/Os, or more streams or intervals than the limits below, would only exhaust memory.
const DEPTH_MAX: u32 = 65_536;
const STREAMS_MAX: u64 = 4096;
const INTERVALS_MAX: u64 = 1_000_000;

/// Properties of the file or device at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathFacts {
    /// Size in bytes.
    pub bytes: u64,
    /// Alignment that direct I/O needs, in bytes; 0 if direct I/O is not possible.
    pub alignment: u64,
}

/// Access to files and to the machine, for planning a timespan.
pub struct Ground<'a> {
    /// Looks up a path; `None` if it does not exist.
    pub look: &'a dyn Fn(&Path) -> Option<PathFacts>,
    /// Reads up to the given number of bytes from the start of a file.
    pub read: &'a dyn Fn(&Path, u64) -> std::io::Result<Vec<u8>>,
    /// CPUs that this process may use.
    pub cpus: &'a [u32],
    /// Whether only io_uring may be used.
    pub ring: bool,
}

/// Why a timespan cannot run. The message appears next to DiskSpd's own sentence; the exit code is 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CannotRun(pub String);

/// The thread and targets of one job of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Number of the thread, from 0.
    pub thread: u32,
    /// Index of the first target.
    pub target: usize,
    /// Number of targets: 1, except in a pool, whose threads choose a target for each I/O.
    pub targets: usize,
}

/// A timespan that can run.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanPlan {
    /// The step.
    pub workload: Workload,
    /// Length of a record interval; it divides both the buckets and the measured time.
    pub interval: Nanos,
    /// Thread and targets of each job, in order.
    pub streams: Vec<Stream>,
    /// Number of threads as DiskSpd counts them.
    pub threads: u32,
    /// Sizes of the targets in bytes.
    pub sizes: Vec<u64>,
    /// Effective distribution of random offsets on each target; empty if uniform.
    pub spread: Vec<Vec<EffectiveRange>>,
    /// Warnings to print.
    pub warnings: Vec<String>,
}

/// A file that is created before a timespan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Creation {
    /// Path of the file.
    pub path: PathBuf,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Whether the file is filled with zeros instead of data.
    pub zero: bool,
}

/// Files that are created before the first timespan.
pub fn precreations(profile: &Profile) -> Vec<Creation> {
    let Some(rule) = profile.precreate else { return Vec::new() };
    let targets = || profile.time_spans.iter().flat_map(|span| &span.targets);
    let mut made: Vec<Creation> = Vec::new();
    for target in targets().filter(|target| target.create.is_some_and(|bytes| bytes > 0)) {
        if made.iter().any(|one| one.path == Path::new(&target.path)) {
            continue;
        }
        let sizes: Vec<u64> = targets()
            .filter(|other| other.path == target.path)
            .map(|other| other.create.unwrap_or(0))
            .collect();
        let given: Vec<u64> = sizes.iter().copied().filter(|&bytes| bytes > 0).collect();
        let constant = given.iter().all(|&bytes| bytes == given[0]);
        let wanted = match rule {
            Precreate::UseMaxSize => true,
            Precreate::ConstantSizes => constant && given.len() == sizes.len(),
            Precreate::ConstantOrZeroSizes => constant,
        };
        if wanted {
            let bytes = given.into_iter().max().unwrap_or(0);
            made.push(Creation { path: PathBuf::from(&target.path), bytes, zero: target.zero });
        }
    }
    made
}

/// Files to create before `span`: those that it creates and that were not created before the first timespan.
pub fn creations(span: &TimeSpan, before: &[Creation]) -> Vec<Creation> {
    let wanted = span.targets.iter().filter_map(|target| Some((target, target.create?)));
    let mut made: Vec<Creation> = Vec::new();
    for (target, bytes) in wanted {
        let path = PathBuf::from(&target.path);
        let known = before.iter().chain(&made).any(|one| one.path == path);
        if !known {
            made.push(Creation { path, bytes, zero: target.zero });
        }
    }
    made
}

/// Plans `span`.
///
/// # Errors
/// [`CannotRun`] if a target is missing, too small or misaligned, or if a CPU may not be used.
pub fn plan_span(span: &TimeSpan, ground: &Ground<'_>) -> Result<SpanPlan, CannotRun> {
    if span.duration == 0 {
        return Err(CannotRun("a duration of 0 seconds measures nothing; give at least -d1".to_owned()));
    }
    within_limits(span)?;
    let mut warnings = Vec::new();
    let targets = span
        .targets
        .iter()
        .map(|target| Site::of(target, ground, &mut warnings))
        .collect::<Result<Vec<_>, _>>()?;
    let cpus = cpus_of(span, ground)?;
    let streams = streams(span);
    let mut jobs = Vec::with_capacity(streams.len());
    for stream in &streams {
        let pinned = cpus.get(stream.thread as usize % cpus.len().max(1));
        jobs.push(Job {
            cpus: pinned.copied().into_iter().collect(),
            ..job(span, &targets, *stream, ground)?
        });
    }
    burst_warnings(span, &mut warnings);
    Ok(SpanPlan {
        workload: Workload {
            jobs,
            stop: vec![StopRule::Time(Nanos::from_secs(u64::from(span.duration)))],
            ramp: Nanos::from_secs(u64::from(span.warm_up)),
        },
        interval: interval(span),
        threads: streams.iter().map(|stream| stream.thread + 1).max().unwrap_or(0),
        streams,
        sizes: targets.iter().map(|site| site.bytes).collect(),
        spread: targets.into_iter().map(|site| site.spread).collect(),
        warnings,
    })
}

/// Refuses a timespan that would exhaust memory, before anything is allocated.
fn within_limits(span: &TimeSpan) -> Result<(), CannotRun> {
    let targets = span.targets.len() as u64;
    let streams = match span.threads {
        0 => span.targets.iter().map(|target| u64::from(target.threads)).sum(),
        threads if span.is_pool() => u64::from(threads),
        threads => u64::from(threads) * targets,
    };
    if streams > STREAMS_MAX {
        return Err(CannotRun(format!(
            "{streams} threads and targets are too many; take at most {STREAMS_MAX}"
        )));
    }
    let depths = span.targets.iter().map(|target| target.requests).chain([span.requests]);
    if let Some(depth) = depths.max().filter(|&depth| depth > DEPTH_MAX) {
        return Err(CannotRun(format!("{depth} I/Os outstanding are too many; take at most {DEPTH_MAX}")));
    }
    let measured = u64::from(span.duration) * 1_000_000_000;
    if measured / interval(span).0 > INTERVALS_MAX {
        return Err(CannotRun(format!(
            "intervals of {} ms over {} s are more than a million, or need that many to come out even; take a longer -D \
             that divides the time",
            span.bucket_ms, span.duration
        )));
    }
    Ok(())
}

/// The longest interval that divides the measured time and, if requested, the buckets.
fn interval(span: &TimeSpan) -> Nanos {
    let measured = u64::from(span.duration) * 1000;
    let bucket = if span.iops { u64::from(span.bucket_ms.max(1)) } else { 1000 };
    Nanos::from_millis(greatest_common_divisor(measured, bucket))
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// A target with the properties found at its path.
struct Site<'a> {
    target: &'a Target,
    bytes: u64,
    reach: Reach,
    spread: Vec<EffectiveRange>,
}

impl<'a> Site<'a> {
    fn of(
        target: &'a Target,
        ground: &Ground<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Site<'a>, CannotRun> {
        let path = &target.path;
        let found = (ground.look)(Path::new(path)).ok_or_else(|| {
            CannotRun(format!(
                "'{path}': there is no file or block device of this name; -c<size> makes a file, for example -c1G"
            ))
        })?;
        if found.bytes == 0 {
            return Err(CannotRun(format!("'{path}' is empty; -c<size> makes it anew with data")));
        }
        if target.max > found.bytes {
            let text = "is smaller than the end that -f gives; all of it is used";
            warnings.push(format!("'{path}' {text} ({} of {} bytes)", found.bytes, target.max));
        }
        let end = if target.max > 0 { target.max.min(found.bytes) } else { found.bytes };
        let reach = Reach {
            size: end.saturating_sub(target.base),
            block: u64::from(target.block),
            step: target.step(),
        };
        if reach.size < reach.block {
            return Err(CannotRun(format!(
                "'{path}': a block of {} bytes does not fit between byte {} and the end at {end}; take a smaller -b \
                 or -B, or a larger target",
                target.block, target.base
            )));
        }
        if target.cache != Cache::Used {
            aligned(target, found.alignment)?;
        }
        let spread = target.distribution.as_ref().map(|list| effective(list, reach)).unwrap_or_default();
        if target.distribution.is_some() && spread.is_empty() {
            return Err(CannotRun(format!("'{path}': no range of -rd lies within it; take a larger target")));
        }
        Ok(Site { target, bytes: found.bytes, reach, spread })
    }
}

/// Checks the alignment that direct I/O needs.
fn aligned(target: &Target, unit: u64) -> Result<(), CannotRun> {
    if unit == 0 {
        return Err(CannotRun(format!(
            "'{}': this file system cannot go past the page cache; leave -S or -h out, or take another one",
            target.path
        )));
    }
    let values = [
        (u64::from(target.block), "the block (-b)"),
        (target.base, "the base offset (-B)"),
        (target.step(), if target.random > 0 { "the alignment (-r)" } else { "the stride (-s)" }),
        (target.thread_stride, "the thread stride (-T)"),
    ];
    match values.into_iter().find(|(value, _)| value % unit != 0) {
        Some((value, what)) => Err(CannotRun(format!(
            "'{}': past the page cache {what} must be a multiple of {unit} bytes, and {value} is not; use {}",
            target.path,
            value.next_multiple_of(unit)
        ))),
        None => Ok(()),
    }
}

/// CPUs in the order in which threads are assigned to them; if empty, no thread is pinned.
fn cpus_of(span: &TimeSpan, ground: &Ground<'_>) -> Result<Vec<u32>, CannotRun> {
    if span.no_affinity {
        return Ok(Vec::new());
    }
    if span.affinity.is_empty() {
        return Ok(ground.cpus.to_vec());
    }
    let asked: Vec<u32> = span.affinity.iter().map(|cpu| cpu.linux()).collect();
    match span.affinity.iter().find(|cpu| !ground.cpus.contains(&cpu.linux())) {
        Some(cpu) => Err(CannotRun(format!(
            "affinity assignment to group {} core {} not possible: that is CPU {} here, and this process may use {:?}",
            cpu.group,
            cpu.number,
            cpu.linux(),
            ground.cpus
        ))),
        None => Ok(asked),
    }
}

/// Thread and targets of each job: in a pool, a job for each thread, otherwise a job for each thread and target.
fn streams(span: &TimeSpan) -> Vec<Stream> {
    let count = span.targets.len();
    let one = |thread, target| Stream { thread, target, targets: 1 };
    if span.is_pool() {
        return (0..span.threads).map(|thread| Stream { thread, target: 0, targets: count }).collect();
    }
    if span.threads > 0 {
        let of_thread = |thread| (0..count).map(move |target| one(thread, target));
        return (0..span.threads).flat_map(of_thread).collect();
    }
    let mut thread = 0;
    let mut all = Vec::new();
    for (index, target) in span.targets.iter().enumerate() {
        all.extend((thread..thread + target.threads).map(|thread| one(thread, index)));
        thread += target.threads;
    }
    all
}

/// The job of `stream`, not yet pinned to a CPU.
fn job(span: &TimeSpan, sites: &[Site<'_>], stream: Stream, ground: &Ground<'_>) -> Result<Job, CannotRun> {
    let sites = &sites[stream.target..stream.target + stream.targets];
    let first = sites[0].target;
    let several = sites.len() > 1;
    if several && span.iops {
        return Err(CannotRun(
            "-D cannot tell the targets of a pool of threads (-F with -O) apart; leave it out".to_owned(),
        ));
    }
    if several && (first.max > 0 || sites.iter().any(|site| !alike(site.target, first))) {
        return Err(CannotRun(
            "targets that a pool of threads (-F with -O) works on must have the same block, base, caches, priority and \
             data, and use all of their size; give each a timespan of its own"
                .to_owned(),
        ));
    }
    let before = span.targets[..stream.target].iter().map(|target| target.threads).sum::<u32>();
    let relative = if span.threads > 0 { stream.thread } else { stream.thread - before };
    let walks = sites
        .iter()
        .enumerate()
        .map(|(at, site)| walk(span, site, (stream.target + at, relative)))
        .collect::<Result<Vec<_>, _>>()?;
    let weight = |target: &Target| {
        let own = target.thread_targets.iter().find(|one| one.thread == stream.thread);
        match own {
            Some(one) if one.weight > 0 => one.weight,
            None if !target.thread_targets.is_empty() => 0,
            _ => target.weight,
        }
    };
    let order = DiskSpdOrder {
        seed: u64::from(span.seed) + u64::from(stream.thread),
        walks,
        weights: sites.iter().map(|site| weight(site.target)).collect(),
    };
    let mix = Mix::reads(100 - first.write_percent.min(100) as u8);
    let depth = if span.is_pool() { span.requests } else { first.requests };
    // DiskSpd waits for each I/O if a thread has no more than one outstanding.
    let alone = depth == 1 && (span.threads == 0 || span.is_pool() || span.targets.len() == 1);
    let backend = match (ground.ring, alone) {
        (true, _) => BackendAsk::Only(BackendKind::IoUring),
        (_, true) => BackendAsk::Only(BackendKind::Pread),
        _ => BackendAsk::Best,
    };
    Ok(Job {
        files: sites.iter().map(|site| PathBuf::from(&site.target.path)).collect(),
        offset: Bytes(first.base),
        size: Some(Bytes(sites[0].reach.size)).filter(|_| !several),
        access: Access { diskspd: Some(Box::new(order)), ..described(first, mix) },
        blocks: BlockSizes::all(Bytes(u64::from(first.block))),
        depth,
        pace: first.throughput.iops(first.block).map_or(Pace::Closed, |rate| Pace::Fixed(Iops(rate))),
        think: span.think(first),
        cool: Nanos::from_secs(u64::from(span.cool_down)),
        backend,
        direct: first.cache != Cache::Used,
        sync: if first.write_through { SyncMode::Dsync } else { SyncMode::None },
        priority: priority(first.priority),
        buffers: buffers(span, first, ground)?,
        seed: u64::from(span.seed) + u64::from(stream.thread),
        totals: if several { Totals::WorkerAndFile } else { Totals::Worker },
        ..Job::named(&format!("{} {}", stream.thread, stream.target))
    })
}

/// Whether one worker can use both targets.
fn alike(a: &Target, b: &Target) -> bool {
    let of = |t: &Target| {
        let whole = (t.base, t.max, t.block, t.cache, t.write_through, t.priority);
        (whole, t.zero, t.write_source_bytes, t.write_source.clone(), t.throughput, t.burst, t.think_ms)
    };
    of(a) == of(b)
}

/// The access in plimsoll's terms, for reports; DiskSpd's own rules apply instead.
fn described(target: &Target, mix: Mix) -> Access {
    match target.random {
        0 => Access::sequential(mix),
        100.. => Access::random(mix),
        percent => Access::partly_random(percent as u8, mix),
    }
}

fn walk(span: &TimeSpan, site: &Site<'_>, (index, relative): (usize, u32)) -> Result<DiskSpdWalk, CannotRun> {
    let target = site.target;
    let threads = span.threads_of(target);
    let mode = match target.random {
        100.. => DiskSpdMode::Random,
        0 if target.interlocked && threads > 1 => DiskSpdMode::Interlocked(index as u32),
        0 if target.parallel => DiskSpdMode::Parallel,
        0 => DiskSpdMode::Sequential,
        percent => DiskSpdMode::Mixed(percent as u8),
    };
    let start = target.thread_stride.saturating_mul(u64::from(relative));
    if start > site.reach.size - site.reach.block {
        return Err(CannotRun(format!(
            "'{}' is too small: thread {relative} would start at byte {start} of its {}; take a smaller -T or fewer \
             threads",
            target.path, site.reach.size
        )));
    }
    let range =
        |range: &EffectiveRange| DiskSpdRange { io: range.io, start: range.start, length: range.length };
    Ok(DiskSpdWalk {
        mode,
        step: target.step(),
        start,
        write_percent: target.write_percent.min(100) as u8,
        ranges: site.spread.iter().map(range).collect(),
        draws_a_write: draws(span, target),
    })
}

/// Number of values that DiskSpd draws from a thread's generator for the data of a write: one for an offset in the
/// source buffer; for new data, five for every sixteen words while more than sixteen are left, then one a word.
fn draws(span: &TimeSpan, target: &Target) -> u32 {
    if target.write_source_bytes > 0 {
        return 1;
    }
    if !span.random_write_data || target.zero {
        return 0;
    }
    let words = target.block / 8;
    let groups = words.saturating_sub(1) / 16;
    groups * 5 + (words - groups * 16) + u32::from(!target.block.is_multiple_of(8))
}

/// Threads and pauses of a timespan's targets.
impl TimeSpan {
    /// Number of threads that use `target`.
    pub fn threads_of(&self, target: &Target) -> u32 {
        if self.threads > 0 { self.threads } else { target.threads }
    }

    /// When each of the threads of `target` pauses; with a rate limit, none does.
    pub fn think(&self, target: &Target) -> Option<Think> {
        let limited = target.throughput.iops(target.block).is_some();
        if target.think_ms == 0 || target.burst == 0 || limited {
            return None;
        }
        Some(Think::burst(burst(self, target).max(1), Nanos::from_millis(u64::from(target.think_ms))))
    }
}

/// I/Os of a thread between two pauses: the target's burst divided by its threads.
fn burst(span: &TimeSpan, target: &Target) -> u32 {
    target.burst / span.threads_of(target).max(1)
}

fn burst_warnings(span: &TimeSpan, warnings: &mut Vec<String>) {
    for target in span.targets.iter().filter(|target| target.burst > 0) {
        if target.throughput.iops(target.block).is_some() {
            warnings.push("-i and -j are without effect beside -g, as in DiskSpd".to_owned());
        } else if burst(span, target) == 0 {
            warnings.push(format!(
                "a burst of {} divided by the threads is less than one I/O; each thread pauses after every I/O",
                target.burst
            ));
        }
    }
    warnings.dedup();
}

fn priority(level: u8) -> Option<Priority> {
    match level {
        1 => Some(Priority { class: PriorityClass::Idle, level: 0 }),
        2 => Some(Priority { class: PriorityClass::BestEffort, level: 7 }),
        _ => None,
    }
}

fn buffers(span: &TimeSpan, target: &Target, ground: &Ground<'_>) -> Result<Buffers, CannotRun> {
    if target.write_percent == 0 {
        return Ok(Buffers::Repeated);
    }
    if target.write_source_bytes > 0 && !target.write_source.is_empty() {
        let path = Path::new(&target.write_source);
        let bytes =
            (ground.read)(path, target.write_source_bytes.min(u64::from(target.block))).map_err(|error| {
                CannotRun(format!("the source of write data '{}': {error}", target.write_source))
            })?;
        if bytes.is_empty() {
            return Err(CannotRun(format!("the source of write data '{}' is empty", target.write_source)));
        }
        return Ok(Buffers::Pattern(Pattern::of(bytes)));
    }
    Ok(match (target.write_source_bytes > 0, target.zero, span.random_write_data) {
        (true, ..) => Buffers::Stamped,
        (_, true, _) => Buffers::Zero,
        (_, _, true) => Buffers::Unique,
        _ => Buffers::Pattern(Pattern::of((0..=255).collect::<Vec<u8>>())),
    })
}
