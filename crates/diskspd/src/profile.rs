//! What a DiskSpd command line or profile asks for, as types: a profile of timespans, each with targets.

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Experiments by number (`-:`); without effect.
    pub experiments: u32,
    /// Whether messages on the progress are printed (`-v`).
    pub verbose: bool,
    /// Whether statistics of waiting were asked for (`-vs`); accepted, without effect.
    pub verbose_stats: bool,
    /// Number of I/Os of a thread for each dot; 0: no dots.
    pub progress: u32,
    /// Format of the result.
    pub format: Format,
    /// Files that are created before the first timespan.
    pub precreate: Option<Precreate>,
    /// Events of Windows that were asked for; accepted, without effect.
    pub etw: Option<Etw>,
    /// The timespans, which run one after the other.
    pub time_spans: Vec<TimeSpan>,
}

/// Format of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Text for people.
    #[default]
    Text,
    /// XML for programs.
    Xml,
}

/// Which files are created before the first timespan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precreate {
    /// All files, each in the largest size that a timespan asks for.
    UseMaxSize,
    /// Files whose size is the same in every timespan.
    ConstantSizes,
    /// Files whose size is the same, or not given, in every timespan.
    ConstantOrZeroSizes,
}

/// Events of Windows, in the order of the profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Etw {
    /// One flag for each entry of [`Etw::NAMES`].
    pub flags: [bool; 12],
}

impl Etw {
    /// Element in a profile and word on the command line for each flag.
    pub const NAMES: [(&'static str, &'static str); 12] = [
        ("Process", "PROCESS"),
        ("Thread", "THREAD"),
        ("ImageLoad", "IMAGE_LOAD"),
        ("DiskIO", "DISK_IO"),
        ("MemoryPageFaults", "MEMORY_PAGE_FAULTS"),
        ("MemoryHardFaults", "MEMORY_HARD_FAULTS"),
        ("Network", "NETWORK"),
        ("Registry", "REGISTRY"),
        ("UsePagedMemory", "p"),
        ("UsePerfTimer", "q"),
        ("UseSystemTimer", "s"),
        ("UseCyclesCounter", "c"),
    ];
}

/// One run on a set of targets. `default` is its state before any default of DiskSpd's: those are in the rows, and
/// [`TimeSpan::untyped`] applies them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeSpan {
    /// Measured time in seconds.
    pub duration: u32,
    /// Warm-up before the measured time, in seconds.
    pub warm_up: u32,
    /// Cool-down after the measured time, in seconds.
    pub cool_down: u32,
    /// Seed of thread 0; thread `n` has `seed + n`.
    pub seed: u32,
    /// Whether every write carries new data (`-Zr`).
    pub random_write_data: bool,
    /// Number of threads in total (`-F`); 0: each target has threads of its own.
    pub threads: u32,
    /// Outstanding I/Os of a thread over all targets (`-O`); 0: each target has its own.
    pub requests: u32,
    /// Whether threads are not pinned to CPUs (`-n`).
    pub no_affinity: bool,
    /// CPUs in the order in which threads get them; empty: all, round robin.
    pub affinity: Vec<Cpu>,
    /// Whether completion routines are used (`-x`); without effect on the load.
    pub completion_routines: bool,
    /// Whether latency is reported (`-L`).
    pub latency: bool,
    /// Whether IOPS by interval are reported (`-D`).
    pub iops: bool,
    /// Length of such an interval in milliseconds.
    pub bucket_ms: u32,
    /// The targets.
    pub targets: Vec<Target>,
}

impl TimeSpan {
    /// Whether threads share one count of outstanding I/Os over all targets (`-F` with `-O`).
    pub fn is_pool(&self) -> bool {
        self.threads > 0 && self.requests > 0
    }
}

/// A CPU as DiskSpd names it; here it is CPU `64 * group + number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Group of 64 CPUs.
    pub group: u16,
    /// Number within the group.
    pub number: u8,
}

impl Cpu {
    /// The CPU's number on Linux.
    pub fn linux(self) -> u32 {
        64 * u32::from(self.group) + u32::from(self.number)
    }
}

/// Use of the page cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// The page cache is used.
    #[default]
    Used,
    /// The cache of a file server is used, but not that of this machine (`-Sr`).
    RemoteOnly,
    /// No cache is used (`-Su`).
    Off,
}

/// How a memory mapped write is made stable (`-N`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappedFlush {
    /// Pages are written back.
    View,
    /// Cache lines are written back.
    Memory,
    /// Cache lines are written back, without waiting for them.
    MemoryNoDrain,
}

/// A rate limit for each thread and target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Throughput {
    /// No limit.
    #[default]
    Free,
    /// Bytes a millisecond.
    BytesPerMs(u32),
    /// I/Os a second.
    Iops(u32),
}

impl Throughput {
    /// The exact limit in I/Os of `block` bytes a second; `None` if there is none. DiskSpd itself first converts IOPS into
    /// whole bytes a millisecond, which truncates and overflows.
    pub fn iops(self, block: u32) -> Option<f64> {
        match self {
            Throughput::Free | Throughput::BytesPerMs(0) | Throughput::Iops(0) => None,
            Throughput::BytesPerMs(bytes) => Some(f64::from(bytes) * 1000.0 / f64::from(block.max(1))),
            Throughput::Iops(iops) => Some(f64::from(iops)),
        }
    }

    /// Bytes a millisecond as DiskSpd stores them: in 32-bit arithmetic, truncated.
    pub fn truncated_bytes_per_ms(self, block: u32) -> u32 {
        match self {
            Throughput::Free => 0,
            Throughput::BytesPerMs(bytes) => bytes,
            Throughput::Iops(iops) => iops.wrapping_mul(block) / 1000,
        }
    }
}

/// How random places are spread over a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// Unit of the lengths of the ranges.
    pub kind: DistributionKind,
    /// Ranges from the start of the target to its end; their shares add up to 100.
    pub ranges: Vec<Range>,
}

/// Unit of the lengths of ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistributionKind {
    /// Percentage of the target.
    Percent,
    /// Bytes.
    Absolute,
}

/// One range of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Percentage of the I/O; 0: a hole.
    pub io: u32,
    /// Percentage or bytes; 0 at the end of an absolute list: up to the end of the target.
    pub length: u64,
}

impl Distribution {
    /// Returns a distribution of `ranges`; the I/O that they leave goes to the rest of the target.
    pub fn new(kind: DistributionKind, mut ranges: Vec<Range>) -> Distribution {
        let io: u32 = ranges.iter().fold(0, |sum, range| sum.saturating_add(range.io));
        let covered = ranges.iter().fold(0u64, |sum, range| sum.saturating_add(range.length));
        let rest = match kind {
            DistributionKind::Percent => 100u64.saturating_sub(covered),
            DistributionKind::Absolute => 0,
        };
        let open = kind == DistributionKind::Absolute || rest > 0;
        if io < 100 && open && !ranges.is_empty() {
            ranges.push(Range { io: 100 - io, length: rest });
        }
        Distribution { kind, ranges }
    }

    /// The ranges, each with its start in percent or bytes.
    pub fn placed(&self) -> impl Iterator<Item = (u64, Range)> + '_ {
        self.ranges.iter().scan(0u64, |from, range| {
            let at = *from;
            *from = from.saturating_add(range.length);
            Some((at, *range))
        })
    }
}

/// A thread of a pool that works on a target, with a weight of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTarget {
    /// Number of the thread.
    pub thread: u32,
    /// Its weight; 0: that of the target.
    pub weight: u32,
}

/// A file or device, and what is done to it. Like that of a [`TimeSpan`], `default` is its state before any default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Its path; `*1` stands for the first target of the command line.
    pub path: String,
    /// Length of an I/O in bytes.
    pub block: u32,
    /// Alignment of random places, or stride of a sequence, in bytes; `None`: the block.
    pub alignment: Option<u64>,
    /// Percentage of I/Os at random places.
    pub random: u32,
    /// How random places are spread; `None`: evenly.
    pub distribution: Option<Distribution>,
    /// Whether all threads share one sequence (`-si`).
    pub interlocked: bool,
    /// Whether all outstanding I/Os follow the same sequence (`-p`).
    pub parallel: bool,
    /// First byte that is used.
    pub base: u64,
    /// First byte that is not used; 0: the target's end.
    pub max: u64,
    /// Whether to hint that access is sequential.
    pub sequential_hint: bool,
    /// Whether to hint that access is random.
    pub random_hint: bool,
    /// Whether to hint that the file is temporary.
    pub temporary_hint: bool,
    /// Whether buffers in large pages were asked for; here they are in ordinary pages.
    pub large_pages: bool,
    /// Use of the page cache.
    pub cache: Cache,
    /// Whether writes are stable once done.
    pub write_through: bool,
    /// Whether I/O goes through a memory mapping.
    pub mapped: bool,
    /// How mapped writes are made stable.
    pub mapped_flush: Option<MappedFlush>,
    /// Whether zeros are written.
    pub zero: bool,
    /// Length in bytes of the source from which writes are taken; 0: no source.
    pub write_source_bytes: u64,
    /// File of the source; empty: random data.
    pub write_source: String,
    /// Number of I/Os before a pause; 0: no pauses.
    pub burst: u32,
    /// Length of a pause in milliseconds.
    pub think_ms: u32,
    /// Rate limit.
    pub throughput: Throughput,
    /// Number of threads of its own.
    pub threads: u32,
    /// Distance in bytes between the starts of two threads.
    pub thread_stride: u64,
    /// Size in bytes in which the file is created anew.
    pub create: Option<u64>,
    /// Percentage of writes.
    pub write_percent: u32,
    /// Outstanding I/Os of each thread.
    pub requests: u32,
    /// I/O priority: 1 very low, 2 low, 3 normal.
    pub priority: u8,
    /// Likelihood that a pool's I/O goes here, relative to other targets.
    pub weight: u32,
    /// Threads of a pool that work on it; empty: all.
    pub thread_targets: Vec<ThreadTarget>,
}

impl Target {
    /// Returns a target with the defaults.
    pub fn named(path: &str) -> Target {
        Target { path: path.to_owned(), ..Target::untyped() }
    }

    /// Alignment of random places, or stride of a sequence, in bytes; never 0.
    pub fn step(&self) -> u64 {
        let block = u64::from(self.block);
        self.alignment.filter(|&step| step > 0).unwrap_or(block).max(1)
    }

    /// Number of the template, if the target is one: `*1` gives 1.
    pub fn template(&self) -> Option<&str> {
        self.path.strip_prefix('*')
    }
}
