//! What a command line of ioping asks for, once every word is understood.

use workload::{Bytes, Nanos};

/// What the words come to.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Requests are to be timed.
    Run(Box<Asked>),
    /// Only this is to be printed on stdout, with this exit code.
    Say(String, u8),
}

/// By what means requests reach the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// One call a request.
    #[default]
    Calls,
    /// Linux native asynchronous I/O.
    Libaio,
    /// io_uring.
    IoUring,
}

/// What a write waits for by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// Nothing.
    #[default]
    None,
    /// Its data (`O_DSYNC`).
    Data,
    /// Everything (`O_SYNC`).
    All,
}

/// Which way requests go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mix {
    /// They read.
    #[default]
    Read,
    /// They write.
    Write,
    /// They write and read in turns.
    Alternate,
}

/// Where requests go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Anywhere.
    #[default]
    Random,
    /// One after the other.
    Linear,
}

/// What becomes of the file that is made in a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// It has no name and is gone at the end.
    #[default]
    Vanishes,
    /// `ioping.tmp` stays, and is used again.
    Kept,
}

/// Everything that was asked for. Where nothing was typed, a field that is an `Option` depends on other fields. `default` is
/// what it holds before anything is said, not even by ioping: the defaults stand in the rows, and [`Asked::untyped`] applies
/// them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Requests at the start that are not counted.
    pub warmup: u64,
    /// Requests without a pause between them; 0 and 1: each by itself.
    pub burst: u64,
    /// Requests in all; 0: no end.
    pub count: u64,
    /// Seed of the places and the data; 0: differs from run to run.
    pub seed: u64,
    /// Time from one start to the next.
    pub interval: Option<Nanos>,
    /// Bytes a second at most; 0: no limit.
    pub speed_limit: u64,
    /// Requests a second at most; 0: no limit.
    pub rate_limit: u64,
    /// What is faster is not counted.
    pub min_time: Nanos,
    /// What is slower is not counted.
    pub max_time: Option<Nanos>,
    /// Bytes of a request.
    pub size: Option<Bytes>,
    /// Bytes of the working set.
    pub work_size: Option<Bytes>,
    /// Where the working set begins.
    pub work_offset: Bytes,
    /// When to stop.
    pub work_time: Option<Nanos>,
    /// Statistics after so many counted requests; 0: none.
    pub print_count: u64,
    /// Statistics after this time; zero: none.
    pub print_interval: Nanos,
    /// By what means.
    pub engine: Engine,
    /// True where the page cache stays as it is and writes are not flushed.
    pub cached: bool,
    /// True where the page cache is passed.
    pub direct: bool,
    /// What writes wait for by themselves.
    pub sync: Sync,
    /// True where reads and writes alternate.
    pub alternate: bool,
    /// How often writing was asked for.
    pub writes: u8,
    /// Where requests go.
    pub order: Order,
    /// True where a request that would wait fails.
    pub nowait: bool,
    /// True where the kernel polls for the end.
    pub hipri: bool,
    /// True for `-R`.
    pub rapid: bool,
    /// What becomes of the file.
    pub keeping: Keeping,
    /// True where no line a request is printed.
    pub quiet: bool,
    /// True where the statistics are one raw line.
    pub batch: bool,
    /// True where all output is JSON.
    pub json: bool,
    /// How the time is printed before each line.
    pub clock_format: Option<String>,
    /// True where a request that failed is no reason to end.
    pub ignore_errors: bool,
    /// Directory, file or device, as typed.
    pub target: String,
}

impl Asked {
    /// Bytes of a request: 4 KiB, or 256 KiB one after the other.
    pub fn request_bytes(&self) -> Bytes {
        let usual = match self.order {
            Order::Random => Bytes::kib(4),
            Order::Linear => Bytes::kib(256),
        };
        self.size.filter(|size| size.0 > 0).unwrap_or(usual)
    }

    /// Which way requests go.
    pub fn mix(&self) -> Mix {
        match (self.alternate, self.writes) {
            (true, _) => Mix::Alternate,
            (false, 0) => Mix::Read,
            (false, _) => Mix::Write,
        }
    }

    /// Time from one start to the next: as typed, or a second; with a limit what the limit takes, where that is longer.
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

    /// When to stop: as typed; with `-R` after three seconds; zero is no end.
    pub fn most_time(&self) -> Option<Nanos> {
        let rapid = self.rapid.then_some(Nanos::from_secs(3));
        self.work_time.or(rapid).filter(|time| time.0 > 0)
    }

    /// True where each request has a line or an object of its own.
    pub fn tells_each(&self) -> bool {
        !(self.quiet || self.batch || self.rapid)
    }
}
