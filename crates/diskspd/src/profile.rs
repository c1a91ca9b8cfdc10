//! What a DiskSpd command line or profile asks for, typed: a profile of timespans, each of targets.

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Experiments that were asked for by number (`-:`).
    pub experiments: u32,
    /// Words about the progress (`-v`).
    pub verbose: bool,
    /// Statistics of waiting (`-vs`).
    pub verbose_stats: bool,
    /// A dot after so many I/Os of a thread; 0: none.
    pub progress: u32,
    /// Form of the result.
    pub format: Format,
    /// Files that are made before the first timespan.
    pub precreate: Option<Precreate>,
    /// Events of Windows that were asked for; accepted and without effect.
    pub etw: Option<Etw>,
    /// What runs, one after the other.
    pub time_spans: Vec<TimeSpan>,
}

/// Form of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Xml,
}

/// Which files are made before the first timespan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precreate {
    /// All, each in the largest size that a timespan asks for.
    UseMaxSize,
    /// Those whose size is the same in every timespan.
    ConstantSizes,
    /// Those whose size is the same or not given in every timespan.
    ConstantOrZeroSizes,
}

/// Events of Windows; the order is that of the profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Etw {
    /// One flag an entry of [`Etw::NAMES`].
    pub flags: [bool; 12],
}

impl Etw {
    /// Element of the profile and word of the command line of each flag.
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

/// One run on a set of targets. `default` is what it holds before anything is said, not even by DiskSpd: the defaults stand
/// in the rows, and [`TimeSpan::untyped`] applies them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeSpan {
    /// Measured time in seconds.
    pub duration: u32,
    /// Seconds before measuring.
    pub warm_up: u32,
    /// Seconds after measuring.
    pub cool_down: u32,
    /// Seed of thread 0; thread `n` has `seed + n`.
    pub seed: u32,
    /// New data for every write (`-Zr`).
    pub random_write_data: bool,
    /// Threads in all (`-F`); 0: each target has threads of its own.
    pub threads: u32,
    /// I/Os outstanding a thread over all targets (`-O`); 0: each target has its own.
    pub requests: u32,
    /// Threads are not kept on CPUs (`-n`).
    pub no_affinity: bool,
    /// CPUs in the order in which threads get them; empty: all, round robin.
    pub affinity: Vec<Cpu>,
    /// Completion routines (`-x`); without effect on the load.
    pub completion_routines: bool,
    /// Latency is reported (`-L`).
    pub latency: bool,
    /// IOPS an interval are reported (`-D`).
    pub iops: bool,
    /// Length of such an interval in milliseconds.
    pub bucket_ms: u32,
    /// What is worked on.
    pub targets: Vec<Target>,
}

impl TimeSpan {
    /// True where threads share one count of outstanding I/Os over all targets (`-F` with `-O`).
    pub fn is_pool(&self) -> bool {
        self.threads > 0 && self.requests > 0
    }
}

/// A CPU as DiskSpd names it; here it is CPU `64 * group + number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Group of 64.
    pub group: u16,
    /// Number in the group.
    pub number: u8,
}

impl Cpu {
    /// The number that Linux knows it by.
    pub fn linux(self) -> u32 {
        64 * u32::from(self.group) + u32::from(self.number)
    }
}

/// What the page cache does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// It is used.
    #[default]
    Used,
    /// That of this machine is not used, that of a file server is (`-Sr`).
    RemoteOnly,
    /// It is gone past (`-Su`).
    Off,
}

/// How a memory mapped write is made to last (`-N`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappedFlush {
    /// Pages are written back.
    View,
    /// Cache lines are.
    Memory,
    /// Cache lines are, and nobody waits.
    MemoryNoDrain,
}

/// A limit of the rate, for each thread and target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Throughput {
    /// None.
    #[default]
    Free,
    /// Bytes a millisecond.
    BytesPerMs(u32),
    /// I/Os a second.
    Iops(u32),
}

impl Throughput {
    /// I/Os of `block` bytes a second, exactly; `None` where there is no limit. DiskSpd itself turns IOPS into a whole
    /// number of bytes a millisecond first, which cuts off and overflows.
    pub fn iops(self, block: u32) -> Option<f64> {
        match self {
            Throughput::Free | Throughput::BytesPerMs(0) | Throughput::Iops(0) => None,
            Throughput::BytesPerMs(bytes) => Some(f64::from(bytes) * 1000.0 / f64::from(block.max(1))),
            Throughput::Iops(iops) => Some(f64::from(iops)),
        }
    }

    /// Bytes a millisecond as DiskSpd holds them: 32-bit arithmetic, cut off.
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
    /// What the lengths of the ranges are.
    pub kind: DistributionKind,
    /// Ranges from the start of the target on, the last one to its end; their shares add up to 100.
    pub ranges: Vec<Range>,
}

/// What the lengths of ranges are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistributionKind {
    /// Percent of the target.
    Percent,
    /// Bytes.
    Absolute,
}

/// One range of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Percent of the I/O; 0: a hole.
    pub io: u32,
    /// Percent or bytes; 0 at the end of an absolute list: to the end of the target.
    pub length: u64,
}

impl Distribution {
    /// A distribution of `ranges`; what they leave of the I/O goes to the rest of the target.
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

    /// The ranges with the place where each begins, in percent or bytes.
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
    /// The thread.
    pub thread: u32,
    /// Its weight; 0: that of the target.
    pub weight: u32,
}

/// A file or device, and what is done to it; of `default` the same is true as of that of a [`TimeSpan`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Its path; `*1` stands for the first target of the command line.
    pub path: String,
    /// Bytes of an I/O.
    pub block: u32,
    /// Alignment of random places, or stride of a sequence; `None`: the block.
    pub alignment: Option<u64>,
    /// Percent of I/Os at random places.
    pub random: u32,
    /// How these are spread.
    pub distribution: Option<Distribution>,
    /// One sequence for all threads (`-si`).
    pub interlocked: bool,
    /// All outstanding I/Os walk the same sequence (`-p`).
    pub parallel: bool,
    /// First byte that is used.
    pub base: u64,
    /// First byte that is not; 0: the target's end.
    pub max: u64,
    /// Hint that reads are sequential.
    pub sequential_hint: bool,
    /// Hint that they are random.
    pub random_hint: bool,
    /// Hint that the file is temporary.
    pub temporary_hint: bool,
    /// Buffers in large pages.
    pub large_pages: bool,
    /// The page cache.
    pub cache: Cache,
    /// Writes last when they are done.
    pub write_through: bool,
    /// By way of a mapping.
    pub mapped: bool,
    /// How mapped writes are made to last.
    pub mapped_flush: Option<MappedFlush>,
    /// Zeros are written.
    pub zero: bool,
    /// Bytes from which writes are taken; 0: none.
    pub write_source_bytes: u64,
    /// The file they come from; empty: random.
    pub write_source: String,
    /// I/Os before a pause; 0: no pauses.
    pub burst: u32,
    /// Length of a pause in milliseconds.
    pub think_ms: u32,
    /// Limit of the rate.
    pub throughput: Throughput,
    /// Threads of its own.
    pub threads: u32,
    /// Distance between the starts of two threads.
    pub thread_stride: u64,
    /// Size in which the file is made anew.
    pub create: Option<u64>,
    /// Percent of writes.
    pub write_percent: u32,
    /// I/Os outstanding for each thread.
    pub requests: u32,
    /// 1 very low, 2 low, 3 normal.
    pub priority: u8,
    /// How likely a pool's I/O goes here, relative to other targets.
    pub weight: u32,
    /// Threads of a pool that work on it; empty: all.
    pub thread_targets: Vec<ThreadTarget>,
}

impl Target {
    /// A target with the defaults.
    pub fn named(path: &str) -> Target {
        Target { path: path.to_owned(), ..Target::untyped() }
    }

    /// Alignment of random places, or stride of a sequence; never 0.
    pub fn step(&self) -> u64 {
        let block = u64::from(self.block);
        self.alignment.filter(|&step| step > 0).unwrap_or(block).max(1)
    }

    /// The number of the place that it stands for, where it is a template: `*1` is 1.
    pub fn template(&self) -> Option<&str> {
        self.path.strip_prefix('*')
    }
}
