//! Sentences on an ioping command as a whole: its defaults, and properties that depend on several options.

use super::figures::{bytes, count, seconds};
use super::files_fio::is_device;
use ioping::{IopingRequest, Keeping, Kind, Mix, Order, Region};
use workload::Bytes;

/// Returns sentences on the load that the command requests.
pub fn asks(asked: &IopingRequest) -> Vec<String> {
    let mut said = vec![requests(asked), target(asked)];
    if !asked.direct && !asked.cached {
        said.push("The page cache is asked to forget each place before each request.".to_owned());
    }
    said.extend(match asked.warmup {
        0 => None,
        1 => Some("ioping 1.0 and later do not count the first request.".to_owned()),
        requests => {
            Some(format!("ioping 1.0 and later do not count the first {} requests.", count(requests)))
        }
    });
    said
}

fn requests(asked: &IopingRequest) -> String {
    let size = bytes(asked.request_bytes().0);
    let stored = if asked.cached { "" } else { " and waits until it is stored (fdatasync)" };
    let what = match asked.mix() {
        Mix::Read => format!("Reads {size}"),
        Mix::Write => format!("Writes {size}{stored}"),
        Mix::Alternate => format!("Writes{stored} and reads {size} in turns"),
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
        (true, burst) => format!("{} at once every {}", count(burst), seconds(pause)),
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
    let used = match asked.work_size {
        None => format!("all of it{from}"),
        Some(size) if offset > 0 => format!("{} of it{from}", bytes(size.0)),
        Some(size) => format!("its first {}", bytes(size.0)),
    };
    if is_device(target) {
        return format!("On {target}: {used}.");
    }
    let made = match (Region::of(asked, Kind::Directory, Bytes(0)), asked.keeping) {
        (Err(error), _) => format!("fails: {error}"),
        (Ok(region), Keeping::Vanishes) => {
            format!(
                "makes a file of {}{from}, writes it full and takes it away at the end",
                bytes(region.bytes)
            )
        }
        (Ok(region), Keeping::Kept) => format!(
            "makes the file ioping.tmp of {}{from}, or takes the one that is there, and leaves it",
            bytes(region.bytes)
        ),
    };
    match target.as_str() {
        "." => format!("In the current directory ioping {made}."),
        _ => format!("On {target}. In a directory ioping {made}; of a file or device it uses {used}."),
    }
}
