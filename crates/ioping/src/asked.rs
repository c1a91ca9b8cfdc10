//! The request that an ioping command line makes, once every word has been understood.

use workload::{Bytes, Nanos};

/// The outcome of parsing a command line.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Send requests and time them.
    Run(Box<IopingRequest>),
    /// Print only this on stdout, and exit with this code.
    Say(String, u8),
}

/// The interface through which requests reach the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// One system call for each request.
    #[default]
    Calls,
    /// Linux native asynchronous I/O.
    Libaio,
    /// io_uring.
    IoUring,
}

/// The data for which each write waits until it is stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// Nothing.
    #[default]
    None,
    /// The written data (`O_DSYNC`).
    Data,
    /// The written data and metadata (`O_SYNC`).
    All,
}

/// Direction of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mix {
    /// Reads.
    #[default]
    Read,
    /// Writes.
    Write,
    /// Alternating writes and reads.
    Alternate,
}

/// Order of the requests' offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Random offsets.
    #[default]
    Random,
    /// Consecutive offsets.
    Linear,
}

/// How the file that is created in a directory is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// The file has no name, and disappears at the end.
    #[default]
    Vanishes,
    /// The file `ioping.tmp` stays, and is reused.
    Kept,
}

/// The options of a command line. The default of a field that is an `Option` depends on other fields. `default` is the
/// state before ioping's defaults are set: those are in the rows, and [`IopingRequest::untyped`] applies them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IopingRequest {
    /// Number of initial requests that do not count.
    pub warmup: u64,
    /// Number of requests without a pause between them; 0 or 1: a pause after each request.
    pub burst: u64,
    /// Number of requests; 0: no end.
    pub count: u64,
    /// Seed of offsets and data; 0: different in every run.
    pub seed: u64,
    /// Time from the start of one request to the next.
    pub interval: Option<Nanos>,
    /// Limit in bytes a second; 0: no limit.
    pub speed_limit: u64,
    /// Limit in requests a second; 0: no limit.
    pub rate_limit: u64,
    /// Requests that take less time do not count.
    pub min_time: Nanos,
    /// Requests that take more time do not count.
    pub max_time: Option<Nanos>,
    /// Length of a request.
    pub size: Option<Bytes>,
    /// Length of the working set.
    pub work_size: Option<Bytes>,
    /// Start of the working set.
    pub work_offset: Bytes,
    /// Time after which the run stops.
    pub work_time: Option<Nanos>,
    /// Number of counted requests after which statistics are printed; 0: none.
    pub print_count: u64,
    /// Time after which statistics are printed; zero: none.
    pub print_interval: Nanos,
    /// The interface through which requests reach the kernel.
    pub engine: Engine,
    /// Whether cached pages are kept and writes are not flushed.
    pub cached: bool,
    /// Whether I/O bypasses the page cache.
    pub direct: bool,
    /// The data for which each write waits until it is stable.
    pub sync: Sync,
    /// Whether reads and writes alternate.
    pub alternate: bool,
    /// Number of times that `-W` was given.
    pub writes: u8,
    /// Order of the requests' offsets.
    pub order: Order,
    /// Whether a request fails instead of waiting.
    pub nowait: bool,
    /// Whether the kernel polls for completions.
    pub hipri: bool,
    /// Whether `-R` was typed.
    pub rapid: bool,
    /// How the file in a directory is kept.
    pub keeping: Keeping,
    /// Whether the lines of individual requests are left out.
    pub quiet: bool,
    /// Whether the statistics are one raw line.
    pub batch: bool,
    /// Whether all output is JSON.
    pub json: bool,
    /// Format of the time before each line.
    pub clock_format: Option<String>,
    /// Whether the run continues after a failed request.
    pub ignore_errors: bool,
    /// Directory, file or device, as typed.
    pub target: String,
}

impl IopingRequest {
    /// Length of a request: as typed, or 4 KiB at random offsets and 256 KiB at consecutive ones.
    pub fn request_bytes(&self) -> Bytes {
        let usual = match self.order {
            Order::Random => Bytes::kib(4),
            Order::Linear => Bytes::kib(256),
        };
        self.size.filter(|size| size.0 > 0).unwrap_or(usual)
    }

    /// Direction of requests.
    pub fn mix(&self) -> Mix {
        match (self.alternate, self.writes) {
            (true, _) => Mix::Alternate,
            (false, 0) => Mix::Read,
            (false, _) => Mix::Write,
        }
    }

    /// Time from the start of one request to the next: as typed, or one second without `-R` or a rate limit; a rate
    /// limit may lengthen it.
    pub fn pause(&self) -> Nanos {
        let limited = self.speed_limit > 0 || self.rate_limit > 0;
        let usual = if self.rapid || limited { Nanos::ZERO } else { Nanos::SECOND };
        let a_second = |share: f64| Nanos((share * 1e9) as u64);
        let by_speed = match self.speed_limit {
            0 => Nanos::ZERO,
            limit => a_second(self.request_bytes().0 as f64 / limit as f64),
        };
        let by_rate = match self.rate_limit {
            0 => Nanos::ZERO,
            limit => a_second(1.0 / limit as f64),
        };
        self.interval.unwrap_or(usual).max(by_speed).max(by_rate)
    }

    /// Time after which the run stops: as typed, or three seconds with `-R`; `None`: no end.
    pub fn most_time(&self) -> Option<Nanos> {
        let rapid = self.rapid.then_some(Nanos::from_secs(3));
        self.work_time.or(rapid).filter(|time| time.0 > 0)
    }

    /// Whether each request is printed as a line or object.
    pub fn tells_each(&self) -> bool {
        !(self.quiet || self.batch || self.rapid)
    }
}
