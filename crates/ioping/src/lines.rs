//! The lines and objects of ioping's output.

use std::fmt::Write as _;

use options::errno_name;
use workload::Direction;

use super::figures::{count, size, time};
use super::tally::Tally;

/// The target, as printed in every line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The path as typed.
    pub path: String,
    /// File system of the target; `block` or `character` for a device.
    pub filesystem: String,
    /// The device that holds the target; `device` for a device.
    pub device: String,
    /// Size of the file system or device in bytes.
    pub size: u64,
}

impl Target {
    fn in_words(&self) -> String {
        format!("{} ({} {} {})", self.path, self.filesystem, self.device, size(self.size))
    }
}

/// A reading of the wall clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wall {
    /// Microseconds since 1970, UTC.
    pub unix_us: u64,
    /// Time zone in which the time is printed; `None`: UTC.
    pub zone: Option<jiff::tz::TimeZone>,
}

impl Wall {
    /// Prints the time by strftime; an invalid format is printed unchanged.
    fn told(&self, format: &str) -> String {
        let instant =
            i64::try_from(self.unix_us).ok().and_then(|us| jiff::Timestamp::from_microsecond(us).ok());
        let zone = self.zone.clone().unwrap_or(jiff::tz::TimeZone::UTC);
        let zoned = instant.unwrap_or_default().to_zoned(zone);
        jiff::fmt::strtime::format(format, &zoned).unwrap_or_else(|_| format.to_owned())
    }
}

/// A request to be printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Number of the request, from 1.
    pub number: u64,
    /// Direction of the request.
    pub direction: Direction,
    /// Bytes moved.
    pub bytes: u64,
    /// Time of the request in nanoseconds.
    pub time_ns: u64,
    /// The remark after it, if any.
    pub mark: Option<Mark>,
    /// Whether the request counts.
    pub counted: Inclusion,
}

/// Whether a request counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inclusion {
    /// The request counts.
    Yes,
    /// The request does not count.
    No,
}

/// Remark after the line of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// One of the first requests, which do not count.
    Warmup,
    /// Faster than the minimum, and not counted.
    TooFast,
    /// Slower than the maximum, and not counted.
    TooSlow,
    /// Counted, and faster than half of the mean.
    Fast,
    /// Counted, and slower than twice the mean.
    Slow,
    /// Failed, with this errno.
    Failed(i32),
}

impl Mark {
    fn words(self) -> String {
        match self {
            Mark::Warmup => "warmup".to_owned(),
            Mark::TooFast => "too fast".to_owned(),
            Mark::TooSlow => "too slow".to_owned(),
            Mark::Fast => "fast".to_owned(),
            Mark::Slow => "slow".to_owned(),
            Mark::Failed(errno) => errno_name(errno),
        }
    }
}

/// Prints the line of a request; with a `clock`, the time of day precedes it.
pub fn request(target: &Target, line: Line, clock: Option<(&str, &Wall)>) -> String {
    let mut text = clock.map(|(format, wall)| format!("{} ", wall.told(format))).unwrap_or_default();
    let arrow = if line.direction == Direction::Write { ">>>" } else { "<<<" };
    let _ = write!(
        text,
        "{} {arrow} {}: request={} time={}",
        size(line.bytes),
        target.in_words(),
        line.number,
        time(line.time_ns)
    );
    if let Some(mark) = line.mark {
        let _ = write!(text, " ({})", mark.words());
    }
    text.push('\n');
    text
}

/// Prints the closing statistics; `verb` is empty if there are both reads and writes.
pub fn statistics(target: &Target, tally: &Tally, load_ns: u64, verb: &str) -> String {
    let figures = tally.figures(workload::Nanos(load_ns));
    let whole = |value: f64| value as u64;
    let verb = if verb.is_empty() { String::new() } else { format!(" {verb}") };
    let mut left_out = String::new();
    for (number, what) in
        [(tally.failed, "failed"), (tally.too_fast, "too fast"), (tally.too_slow, "too slow")]
    {
        if number > 0 {
            let _ = write!(left_out, "{}{what}, ", count(number));
        }
    }
    format!(
        "\n--- {} ioping statistics ---\n\
         {}requests completed in {}, {}{verb}, {}iops, {}/s\n\
         {left_out}generated {}requests in {}, {}, {}iops, {}/s\n\
         min/avg/max/mdev = {} / {} / {} / {}\n",
        target.in_words(),
        count(tally.valid),
        time(tally.time_ns),
        size(tally.bytes),
        count(whole(figures.iops)),
        size(whole(figures.bps)),
        count(tally.all),
        time(load_ns),
        size(tally.all_bytes),
        count(whole(figures.load_iops)),
        size(whole(figures.load_bps)),
        time(tally.min_ns),
        time(whole(figures.mean_ns)),
        time(tally.max_ns),
        time(whole(figures.mdev_ns)),
    )
}

/// Prints the raw line: counted requests, their time, iops, bytes a second, min, mean, max, mdev, all requests, elapsed time.
/// Times are in nanoseconds.
pub fn raw(tally: &Tally, load_ns: u64) -> String {
    let figures = tally.figures(workload::Nanos(load_ns));
    format!(
        "{} {} {:.0} {:.0} {} {:.0} {} {:.0} {} {}\n",
        tally.valid,
        tally.time_ns,
        figures.iops,
        figures.bps,
        tally.min_ns,
        figures.mean_ns,
        tally.max_ns,
        figures.mdev_ns,
        tally.all,
        load_ns
    )
}

/// Start of an object, up to and including the target.
fn json_head(target: &Target, wall: &Wall) -> String {
    format!(
        "  \"timestamp\": {}.{:06},\n  \"localtime\": {},\n  \"target\": {{\n    \"path\": {},\n    \"fstype\": {},\n    \"device\": {},\n    \"device_size\": {}\n  }},\n",
        wall.unix_us / 1_000_000,
        wall.unix_us % 1_000_000,
        quoted(&wall.told("%Y-%m-%dT%H:%M:%S%z")),
        quoted(&target.path),
        quoted(&target.filesystem),
        quoted(&target.device),
        target.size
    )
}

/// Quotes text for JSON. ioping does not, so a path with a quotation mark makes its document invalid.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The members of a request's object.
pub fn json_request(target: &Target, line: Line, wall: &Wall) -> String {
    let operation = if line.direction == Direction::Write { "write" } else { "read" };
    format!(
        "{}  \"io\": {{\n    \"request\": {},\n    \"operation\": \"{operation}\",\n    \"size\": {},\n    \"time\": {},\n    \"ignored\": {}\n  }}\n",
        json_head(target, wall),
        line.number,
        line.bytes,
        line.time_ns,
        line.counted == Inclusion::No
    )
}

/// The members of an object of statistics.
pub fn json_statistics(target: &Target, tally: &Tally, load_ns: u64, wall: &Wall) -> String {
    let figures = tally.figures(workload::Nanos(load_ns));
    let failed =
        if tally.failed > 0 { format!("    \"failed\": {},\n", tally.failed) } else { String::new() };
    format!(
        "{}  \"stat\": {{\n    \"count\": {},\n    \"size\": {},\n    \"time\": {},\n    \"iops\": {:.6},\n    \"bps\": {:.0},\n    \"min\": {},\n    \"avg\": {:.0},\n    \"max\": {},\n    \"mdev\": {:.0}\n  }},\n  \"load\": {{\n    \"count\": {},\n{failed}    \"size\": {},\n    \"time\": {load_ns},\n    \"iops\": {:.6},\n    \"bps\": {:.0}\n  }}\n",
        json_head(target, wall),
        tally.valid,
        tally.bytes,
        tally.time_ns,
        figures.iops,
        figures.bps,
        tally.min_ns,
        figures.mean_ns,
        tally.max_ns,
        figures.mdev_ns,
        tally.all,
        tally.all_bytes,
        figures.load_iops,
        figures.load_bps
    )
}
