//! Sentences on an ioping command as a whole: its defaults, and properties that depend on several options.

use super::figures::{bytes, count, seconds};
use super::files_fio::is_device;
use ioping::{Engine, IopingRequest, Keeping, Kind, Mix, Order, Region, Sync};
use workload::Bytes;

/// Returns sentences on the load that the command requests.
pub fn asks(asked: &IopingRequest) -> Vec<String> {
    let rest: Vec<String> =
        [Some(way(asked)), uncounted(asked), printed(asked)].into_iter().flatten().collect();
    vec![requests(asked), target(asked), rest.join(" ")]
}

/// The kind of the target as far as its name says; `None`: a directory, a file or a device.
pub fn kind(target: &str) -> Option<Kind> {
    let is_directory = target == "~" || matches!(target.rsplit('/').next(), Some("" | "." | ".."));
    match (is_device(target), is_directory) {
        (true, _) => Some(Kind::BlockDevice),
        (false, true) => Some(Kind::Directory),
        (false, false) => None,
    }
}

/// The working set, on a target that is long enough.
pub fn region(asked: &IopingRequest) -> Option<Region> {
    let kind = kind(&asked.target).unwrap_or(Kind::Directory);
    Region::of(asked, kind, Bytes(1 << 62)).ok()
}

/// Most requests that the command makes; `None` if nothing but their own time limits them.
pub fn most(asked: &IopingRequest) -> Option<u64> {
    let pause = asked.pause().0;
    // The first request starts at once, and none starts when the time is over.
    let by_time = asked.most_time().filter(|_| pause > 0);
    let by_time = by_time.map(|time| time.0.div_ceil(pause).saturating_mul(asked.burst.max(1)));
    by_time.into_iter().chain(Some(asked.count).filter(|&requests| requests > 0)).min()
}

fn requests(asked: &IopingRequest) -> String {
    let size = bytes(asked.request_bytes().0);
    let stored = match (asked.cached, asked.sync) {
        (false, _) => " and waits until it is stored (fdatasync)",
        (true, Sync::Data) => " and waits until it is stored (O_DSYNC)",
        (true, Sync::All) => " and waits until it is stored (O_SYNC)",
        (true, Sync::None) => "",
    };
    let what = match asked.mix() {
        Mix::Read => format!("Reads {size}"),
        Mix::Write => format!("Writes {size}{stored}"),
        Mix::Alternate => format!("Writes {size}{stored}, then reads {size}, in turns"),
    };
    let places = match asked.order {
        Order::Random => "at a random place",
        Order::Linear => "where the last one ended",
    };
    // Rate limits lengthen the pause.
    let pause = asked.pause().as_secs_f64();
    let pace = match (pause > 0.0, asked.burst) {
        (false, _) => "without a pause".to_owned(),
        (true, 0..=1) => format!("every {}", seconds(pause)),
        (true, burst) => format!("{} in a row every {}", count(burst), seconds(pause)),
    };
    let pace = if asked.count == 1 { String::new() } else { format!(", {pace}") };
    format!("{what} {places}, {}{pace}: one request at a time, each timed.", ends(asked))
}

fn ends(asked: &IopingRequest) -> String {
    let time = asked.most_time().map(|time| seconds(time.as_secs_f64()));
    match (asked.count, time) {
        (0, None) => "until it is stopped".to_owned(),
        (0, Some(time)) => format!("for {time}"),
        (1, None) => "once".to_owned(),
        (requests, None) => format!("{} times", count(requests)),
        (requests, Some(time)) => format!("{} times and at most for {time}", count(requests)),
    }
}

fn target(asked: &IopingRequest) -> String {
    let target = &asked.target;
    let offset = asked.work_offset.0;
    let from = if offset > 0 { format!(" from {} on", bytes(offset)) } else { String::new() };
    let refused = asked.mix() != Mix::Read && asked.writes < 3;
    let used =
        if refused { "ioping writes to no file or device without -WWW".to_owned() } else { used(asked) };
    let made = match (Region::of(asked, Kind::Directory, Bytes(0)), asked.keeping) {
        (Err(error), _) => format!("ioping fails: {error}"),
        (Ok(region), Keeping::Vanishes) => {
            format!(
                "ioping makes a file of {}{from}, writes it full and takes it away at the end",
                bytes(region.bytes)
            )
        }
        (Ok(region), Keeping::Kept) => format!(
            "ioping uses the file ioping.tmp, of which it writes {}{from} first unless it is long enough, and leaves it",
            bytes(region.bytes)
        ),
    };
    match (kind(target), target.as_str()) {
        (Some(Kind::Directory), ".") => format!("In the current directory {made}."),
        (Some(Kind::Directory), _) => format!("In the directory {target} {made}."),
        (Some(_), _) => format!("On {target}: {used}."),
        (None, _) if refused => format!("On {target}. In a directory {made}; {used}."),
        (None, _) => format!("On {target}. In a directory {made}; of a file or device it uses {used}."),
    }
}

/// The part of a file or device that is used.
pub fn used(asked: &IopingRequest) -> String {
    let from = bytes(asked.work_offset.0);
    match (asked.work_size.filter(|size| size.0 > 0), asked.work_offset.0 > 0) {
        (None, false) => "all of it".to_owned(),
        (None, true) => format!("all of it from {from} on"),
        (Some(size), true) => format!("{} of it from {from} on", bytes(size.0)),
        (Some(size), false) => format!("its first {}", bytes(size.0)),
    }
}

/// Use of the page cache, and the interface.
fn way(asked: &IopingRequest) -> String {
    let engine = match asked.engine {
        Engine::Calls => "",
        Engine::Libaio => ", by asynchronous I/O (-A)",
        Engine::IoUring => ", by io_uring (-U)",
    };
    let fails = asked.nowait && asked.mix() == Mix::Read;
    match (asked.direct, asked.cached) {
        (true, _) => format!("Past the page cache (-D){engine}."),
        (false, true) => format!("Through the page cache as it stands (-C){engine}."),
        (false, false) if fails => {
            "Each request fails: the page cache is asked to forget its place, and with -N none waits for the disk. Add -D."
                .to_owned()
        }
        (false, false) => {
            format!("Through the page cache, which is asked to forget each place first{engine}.")
        }
    }
}

/// Requests that the summary leaves out.
fn uncounted(asked: &IopingRequest) -> Option<String> {
    let first = match asked.warmup {
        0 => None,
        1 => Some("the first request".to_owned()),
        requests => Some(format!("the first {} requests", count(requests))),
    };
    let time = |time: workload::Nanos| seconds(time.as_secs_f64());
    let fast = (asked.min_time.0 > 0).then(|| format!("those that take less than {}", time(asked.min_time)));
    let slow = asked.max_time.map(|most| format!("those that take more than {}", time(most)));
    let left: Vec<String> = [first, fast, slow].into_iter().flatten().collect();
    (!left.is_empty()).then(|| format!("ioping 1.0 and later do not count {}.", left.join(", nor ")))
}

/// What is printed, if it is not a line for each request and a summary.
fn printed(asked: &IopingRequest) -> Option<String> {
    let every = [
        (asked.print_count > 0).then(|| format!("every {} counted requests", count(asked.print_count))),
        (asked.print_interval.0 > 0)
            .then(|| format!("every {}", seconds(asked.print_interval.as_secs_f64()))),
    ];
    let every: Vec<String> = every.into_iter().flatten().collect();
    let raw = (!every.is_empty()).then(|| format!("a raw line {}", every.join(" and ")));
    match (raw, asked.batch, asked.tells_each()) {
        _ if asked.json => Some("Prints JSON.".to_owned()),
        (raw, true, _) => Some(format!(
            "Prints {}one raw line at the end.",
            raw.map_or(String::new(), |raw| format!("{raw} and "))
        )),
        (Some(raw), _, true) => Some(format!("Prints {raw} too.")),
        (Some(raw), _, false) => Some(format!("Prints {raw} and no summary.")),
        (None, _, true) => None,
        (None, _, false) => Some("Prints the summary alone.".to_owned()),
    }
}
