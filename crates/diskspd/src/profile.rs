//! The settings of a DiskSpd command line or profile: a profile of timespans, each with targets.

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Number of experiments (`-:`); no effect.
    pub experiments: u32,
    /// Whether progress messages are printed (`-v`).
    pub verbose: bool,
    /// Whether wait statistics were requested (`-vs`); accepted, no effect.
    pub verbose_stats: bool,
    /// Number of I/Os of a thread for each progress dot; 0: no dots.
    pub progress: u32,
    /// Format of the result.
    pub format: Format,
    /// Files that are created before the first timespan.
    pub precreate: Option<Precreate>,
    /// Windows events that were requested; accepted, no effect.
    pub etw: Option<Etw>,
    /// The timespans, which run one after another.
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
    /// All files, each with the largest size that a timespan requests.
    UseMaxSize,
    /// Files with the same size in every timespan.
    ConstantSizes,
    /// Files with the same size in every timespan that gives one.
    ConstantOrZeroSizes,
}

/// Windows events, in the order of the profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Etw {
    /// One flag for each entry of [`Etw::NAMES`].
    pub flags: [bool; 12],
}

impl Etw {
    /// Element in a profile and word on the command line, by flag.
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

/// A run on a set of targets. `default` is the state before DiskSpd's defaults are set: those are in the rows, and
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
    /// Whether every write has new data (`-Zr`).
    pub random_write_data: bool,
    /// Number of threads in total (`-F`); 0: each target has its own threads.
    pub threads: u32,
    /// Outstanding I/Os of a thread over all targets (`-O`); 0: each target has its own number.
    pub requests: u32,
    /// Whether threads are not pinned to CPUs (`-n`).
    pub no_affinity: bool,
    /// CPUs in the order in which threads are assigned to them; empty: all, round robin.
    pub affinity: Vec<Cpu>,
    /// Whether completion routines are used (`-x`); no effect on the load.
    pub completion_routines: bool,
    /// Whether latency is reported (`-L`).
    pub latency: bool,
    /// Whether IOPS by interval are reported (`-D`).
    pub iops: bool,
    /// Length of an IOPS interval in milliseconds.
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

/// A CPU as DiskSpd numbers it; on Linux it is CPU `64 * group + number`.
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

/// How memory-mapped writes are made stable (`-N`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappedFlush {
    /// Pages are written back.
    View,
    /// Cache lines are written back.
    Memory,
    /// Cache lines are written back, without waiting for completion.
    MemoryNoDrain,
}

/// A rate limit for each thread and target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Throughput {
    /// No limit.
    #[default]
    Free,
    /// Bytes per millisecond.
    BytesPerMs(u32),
    /// I/Os a second.
    Iops(u32),
}

impl Throughput {
    /// The exact limit in I/Os of `block` bytes a second; `None` if there is no limit. DiskSpd itself first converts
    /// IOPS into whole bytes per millisecond, which truncates and overflows.
    pub fn iops(self, block: u32) -> Option<f64> {
        match self {
            Throughput::Free | Throughput::BytesPerMs(0) | Throughput::Iops(0) => None,
            Throughput::BytesPerMs(bytes) => Some(f64::from(bytes) * 1000.0 / f64::from(block.max(1))),
            Throughput::Iops(iops) => Some(f64::from(iops)),
        }
    }
}

/// Distribution of random offsets over a target.
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
    /// Percentage of the I/O; 0: a range without I/O.
    pub io: u32,
    /// Percentage or bytes; 0 at the end of an absolute list: up to the end of the target.
    pub length: u64,
}

impl Distribution {
    /// Returns a distribution of `ranges`; any I/O that they leave over goes to the rest of the target.
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

    /// The ranges, each with its start, as a percentage or in bytes.
    pub fn placed(&self) -> impl Iterator<Item = (u64, Range)> + '_ {
        self.ranges.iter().scan(0u64, |from, range| {
            let at = *from;
            *from = from.saturating_add(range.length);
            Some((at, *range))
        })
    }
}

/// A thread of a pool that uses a target, with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTarget {
    /// Number of the thread.
    pub thread: u32,
    /// Weight of the thread; 0: the target's weight.
    pub weight: u32,
}

/// A file or device, and the load on it. As in [`TimeSpan`], `default` is the state before any default is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Path of the target; `*1` means the first target of the command line.
    pub path: String,
    /// Length of an I/O in bytes.
    pub block: u32,
    /// Alignment of random offsets, or stride of a sequence, in bytes; `None`: the block.
    pub alignment: Option<u64>,
    /// Percentage of I/Os at random offsets.
    pub random: u32,
    /// Distribution of random offsets; `None`: uniform.
    pub distribution: Option<Distribution>,
    /// Whether all threads share one sequence (`-si`).
    pub interlocked: bool,
    /// Whether all outstanding I/Os follow the same sequence (`-p`).
    pub parallel: bool,
    /// First byte of the range used.
    pub base: u64,
    /// End of the range used; 0: the target's end.
    pub max: u64,
    /// Whether to hint that access is sequential.
    pub sequential_hint: bool,
    /// Whether to hint that access is random.
    pub random_hint: bool,
    /// Whether to hint that the file is temporary.
    pub temporary_hint: bool,
    /// Whether buffers in large pages were requested; here they are in ordinary pages.
    pub large_pages: bool,
    /// Use of the page cache.
    pub cache: Cache,
    /// Whether writes are stable on completion.
    pub write_through: bool,
    /// Whether I/O goes through a memory mapping.
    pub mapped: bool,
    /// How memory-mapped writes are made stable.
    pub mapped_flush: Option<MappedFlush>,
    /// Whether zeros are written.
    pub zero: bool,
    /// Length in bytes of the buffer from which data to write is taken; 0: no buffer.
    pub write_source_bytes: u64,
    /// File that fills the source buffer; empty: random data.
    pub write_source: String,
    /// Number of I/Os before a pause; 0: no pauses.
    pub burst: u32,
    /// Length of a pause in milliseconds.
    pub think_ms: u32,
    /// Rate limit.
    pub throughput: Throughput,
    /// Number of threads for this target alone.
    pub threads: u32,
    /// Distance in bytes between the starting offsets of two threads.
    pub thread_stride: u64,
    /// Size in bytes with which the file is created anew.
    pub create: Option<u64>,
    /// Percentage of writes.
    pub write_percent: u32,
    /// Outstanding I/Os of each thread.
    pub requests: u32,
    /// I/O priority: 1 very low, 2 low, 3 normal.
    pub priority: u8,
    /// Relative probability that an I/O of a pool goes to this target.
    pub weight: u32,
    /// Threads of a pool that use this target; empty: all.
    pub thread_targets: Vec<ThreadTarget>,
}

impl Target {
    /// Returns a target with the defaults.
    pub fn named(path: &str) -> Target {
        Target { path: path.to_owned(), ..Target::untyped() }
    }

    /// Alignment of random offsets, or stride of a sequence, in bytes; never 0.
    pub fn step(&self) -> u64 {
        let block = u64::from(self.block);
        self.alignment.filter(|&step| step > 0).unwrap_or(block).max(1)
    }

    /// Number of the template, if the target is a template: `*1` gives 1.
    pub fn template(&self) -> Option<&str> {
        self.path.strip_prefix('*')
    }
}
