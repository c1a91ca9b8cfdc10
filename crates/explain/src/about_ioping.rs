//! What an ioping command asks for, in words.

use super::figures::{bytes, count, seconds};
use super::files_fio::is_device;
use ioping::{Engine, IopingRequest, Keeping, Mix, Order, ROWS, Sync};

/// Options that need no sentence, because they change nothing of the load or of what is printed.
pub const SILENT: &[(&str, &str)] = &[];

/// Sentences on what the command asks for.
pub fn asks(asked: &IopingRequest) -> Vec<String> {
    let mut said = vec![requests(asked), target(asked), way(asked)];
    said.extend(counted(asked));
    said.extend(printed(asked));
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
    let pause = asked.pause().as_secs_f64();
    let pace = match (pause > 0.0, asked.burst) {
        (false, _) => "without a pause".to_owned(),
        (true, 0..=1) => format!("every {}", seconds(pause)),
        (true, burst) => format!("{} at once every {}", count(burst), seconds(pause)),
    };
    let ways = match asked.engine {
        Engine::Calls => "",
        Engine::Libaio => " It goes by Linux asynchronous I/O.",
        Engine::IoUring => " It goes by io_uring.",
    };
    format!(
        "{what} {places}, {}, {pace}: one request at a time, each timed.{ways}{}",
        ends(asked),
        limits(asked)
    )
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

fn limits(asked: &IopingRequest) -> String {
    let mut said = String::new();
    if asked.speed_limit > 0 {
        said.push_str(&format!(" It is held to {} a second.", bytes(asked.speed_limit)));
    }
    if asked.rate_limit > 0 {
        said.push_str(&format!(" It is held to {} requests a second.", count(asked.rate_limit)));
    }
    if asked.ignore_errors {
        said.push_str(" It goes on after a request that failed.");
    }
    if asked.seed > 0 {
        said.push_str(&format!(" The seed of places and data is {}.", asked.seed));
    }
    said
}

fn target(asked: &IopingRequest) -> String {
    let target = &asked.target;
    let size = match (asked.work_size, asked.rapid) {
        (Some(size), _) => bytes(size.0),
        (None, true) => "64 MiB".to_owned(),
        (None, false) => "1 MiB".to_owned(),
    };
    let (makes, ends) = match asked.keeping {
        Keeping::Vanishes => ("makes a file", " and takes it away at the end"),
        Keeping::Kept => {
            ("makes the file ioping.tmp, or takes the one that is there", " and leaves it there")
        }
    };
    let used = match (asked.work_size, asked.work_offset.0) {
        (None, 0) => "all of it".to_owned(),
        (None, offset) => format!("what lies behind its first {}", bytes(offset)),
        (Some(_), 0) => format!("its first {size}"),
        (Some(_), offset) => format!("{size} of it from {} on", bytes(offset)),
    };
    let from = match asked.work_offset.0 {
        0 => String::new(),
        offset => format!(", used from {} on", bytes(offset)),
    };
    if is_device(target) {
        return format!("On {target}: {used}.");
    }
    if target == "." {
        return format!(
            "On the current directory: ioping {makes} of {size} there{from}, writes it full{ends}."
        );
    }
    format!(
        "On {target}. In a directory ioping {makes} of {size} there{from}, writes it full{ends}; of a file or device it uses {used}."
    )
}

fn way(asked: &IopingRequest) -> String {
    let cache = match (asked.direct, asked.cached) {
        (true, _) => "Past the page cache (O_DIRECT).",
        (false, true) if asked.mix() == Mix::Read => "Through the page cache, which is left as it is.",
        (false, true) => "Through the page cache, which is left as it is; writes are not flushed.",
        (false, false) => "The page cache is asked to forget each place before it is read.",
    };
    let opened = match asked.sync {
        Sync::None => "",
        Sync::Data => " Opened with O_DSYNC: each write waits until its data is stored.",
        Sync::All => " Opened with O_SYNC: each write waits until all of it is stored.",
    };
    let calls = match (asked.nowait, asked.hipri) {
        (false, false) => "",
        (true, false) => " A request that would wait fails (RWF_NOWAIT).",
        (false, true) => " The kernel polls for its end (RWF_HIPRI).",
        (true, true) => " A request that would wait fails, and the kernel polls for its end.",
    };
    format!("{cache}{opened}{calls}")
}

/// Requests that do not count.
fn counted(asked: &IopingRequest) -> Option<String> {
    let mut said = Vec::new();
    match asked.warmup {
        0 => {}
        1 => said.push("ioping 1.0 and later do not count the first request.".to_owned()),
        requests => {
            said.push(format!("ioping 1.0 and later do not count the first {} requests.", count(requests)));
        }
    }
    if asked.min_time.0 > 0 {
        let time = seconds(asked.min_time.as_secs_f64());
        said.push(format!("Requests that are faster than {time} do not count."));
    }
    if let Some(time) = asked.max_time {
        said.push(format!("Requests that are slower than {} do not count.", seconds(time.as_secs_f64())));
    }
    Some(said.join(" ")).filter(|words| !words.is_empty())
}

/// What is printed, if that was chosen.
fn printed(asked: &IopingRequest) -> Option<String> {
    let every = match (asked.print_count, asked.print_interval.0) {
        (0, 0) => String::new(),
        (requests, 0) => format!("Raw statistics are printed every {} requests.", count(requests)),
        (_, _) => {
            format!("Raw statistics are printed every {}.", seconds(asked.print_interval.as_secs_f64()))
        }
    };
    let said = [
        (asked.json, "Everything is printed as JSON.".to_owned()),
        (asked.batch, "The statistics alone are printed, as one raw line.".to_owned()),
        (asked.quiet || asked.rapid, "No line is printed for each request.".to_owned()),
        (asked.clock_format.is_some(), "Each line begins with the time of day.".to_owned()),
        (!every.is_empty(), every),
    ];
    let said: Vec<String> = said.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect();
    Some(said.join(" ")).filter(|words| !words.is_empty())
}

/// Meaning of a word.
pub fn meaning(word: &str) -> String {
    let bare = word.trim_start_matches('-');
    if !word.starts_with('-') {
        return "The target, or the value of the word before it.".to_owned();
    }
    let name = bare.split('=').next().unwrap_or_default();
    let by_name = ROWS.iter().find(|row| row.name == name);
    let by_letter = || ROWS.iter().find(|row| bare.starts_with(row.own.short));
    by_name.or_else(by_letter).map_or_else(|| "Not known.".to_owned(), |row| sentence(row.help))
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}
