//! What a fio command asks for, in words.

use super::besides::besides;
use super::figures::{bytes, count, seconds};
use fio::{Amount, Asked, COMMANDS, FioJob, JobOptions, ROWS};
use workload::{Act, Spread};

/// A paragraph a job.
pub fn asks(asked: &Asked) -> Vec<String> {
    let sections: Vec<&FioJob> = asked.jobs.iter().filter(|job| job.clone == 0).collect();
    let steps = asked.step_count();
    let mut said = Vec::new();
    for job in &sections {
        let mut told = sentences(job, sections.len() > 1, steps > 1);
        besides(asked, job).iter().for_each(|more| told.push_str(&format!(" {more}")));
        said.push(told);
    }
    if sections.len() > 1 && steps == 1 {
        said.push("All jobs run at the same time.".to_owned());
    }
    said
}

fn sentences(job: &FioJob, named: bool, in_turn: bool) -> String {
    let options = &job.options;
    let copies = options.numjobs;
    let subject = match (named, copies) {
        (false, 1) => format!("One job, {}, ", job.name),
        (false, copies) => format!("One job, {}, in {copies} copies side by side: each ", job.name),
        (true, 1) => format!("Job {} ", job.name),
        (true, copies) => format!("Job {}, in {copies} copies side by side: each ", job.name),
    };
    let act = options.engine.act();
    let mut said = match on_names(options) {
        Some(does) => vec![format!("{subject}{does}.")],
        None => vec![format!("{subject}{} {}.", verbs(options), places(options))],
    };
    said.push(depth(options));
    if act == Act::Move {
        said.push(match options.direct {
            true => "Past the page cache (direct=1).".to_owned(),
            false => "Through the page cache.".to_owned(),
        });
    }
    said.push(target(job));
    said.push(how_long(options));
    said.extend(rates(options));
    said.extend(flushes(options));
    if in_turn && job.step > 0 {
        said.push("It starts when the jobs before it have ended.".to_owned());
    }
    if copies > 1 && options.group_reporting {
        said.push("The copies are reported as one.".to_owned());
    }
    said.join(" ")
}

/// What is done to files by their names, where that is all; it counts as what `rw` says.
fn on_names(options: &JobOptions) -> Option<String> {
    let kind = if options.engine.is_of_folders() { "directories" } else { "files" };
    let does = match options.engine.act() {
        Act::MakeFile | Act::MakeFolder => format!("makes {kind}"),
        Act::LookUp => format!("looks up {kind} (stat)"),
        Act::RemoveFile | Act::RemoveFolder => format!("removes {kind}"),
        Act::Move | Act::Reserve | Act::Cut => return None,
    };
    let files = match options.nrfiles {
        1 => String::new(),
        count => format!(", {count} of them"),
    };
    Some(format!(
        "{does}{files}, and counts each as a {} of {}",
        options.pattern.word(),
        bytes(options.bs[0])
    ))
}

fn verbs(options: &JobOptions) -> String {
    let pattern = options.pattern;
    match options.engine.act() {
        Act::Reserve => return format!("reserves space (fallocate) for blocks of {}", block(options, 0)),
        Act::Cut => {
            return format!("cuts the file (ftruncate) to where each block of {} begins", block(options, 1));
        }
        _ => {}
    }
    let [read, write, trim] = [0, 1, 2].map(|direction| block(options, direction));
    let same = read == write;
    match (pattern.reads, pattern.writes, pattern.trims) {
        (true, true, _) => {
            let share = options.rwmix_read;
            let blocks =
                if same { format!("blocks of {read}") } else { format!("{read} and {write} blocks") };
            format!("reads ({share} %) and writes ({} %) {blocks}", 100 - share.min(100))
        }
        (true, false, _) => format!("reads blocks of {read}"),
        (false, true, false) => format!("writes blocks of {write}"),
        (false, true, true) => format!("trims and then writes blocks of {write}"),
        (false, false, _) => format!("trims blocks of {trim}"),
    }
}

/// The length of the blocks of a direction; the option that tells several lengths is told besides.
fn block(options: &JobOptions, direction: usize) -> String {
    match options.bssplit[direction].is_some() || options.bsrange[direction].is_some() {
        true => "several lengths".to_owned(),
        false => bytes(options.bs[direction]),
    }
}

fn places(options: &JobOptions) -> String {
    let random = options.percentage_random[usize::from(!options.pattern.reads)];
    match (options.pattern.random, random) {
        (false, _) if options.rw_number != 0 => {
            "one after the other, with a distance between them".to_owned()
        }
        (false, _) => "one after the other".to_owned(),
        (true, 100) if options.spread != Spread::Uniform => {
            "at random places that are not equally likely".to_owned()
        }
        (true, 100) if options.rw_number > 1 => {
            format!("at random places, {} in a row at each", options.rw_number)
        }
        (true, 100) => "at random places".to_owned(),
        (true, share) => format!("({share} % at random places, the others where the last one ended)"),
    }
}

fn depth(options: &JobOptions) -> String {
    let engine = &options.engine.name;
    let copies = u64::from(options.numjobs);
    if options.engine.is_synchronous() || options.iodepth == 1 {
        return match copies {
            1 => format!("One I/O at a time, through {engine}."),
            copies => format!("One I/O at a time in each copy, {copies} in all, through {engine}."),
        };
    }
    let depth = u64::from(options.iodepth);
    match copies {
        1 => format!("Up to {} I/Os at a time, through {engine}.", count(depth)),
        copies => format!(
            "Up to {} I/Os at a time in each copy, {} in all, through {engine}.",
            count(depth),
            count(depth * copies)
        ),
    }
}

/// Whether `path` is a device and no file.
pub fn is_device(path: &str) -> bool {
    path.starts_with("/dev/") && !path.starts_with("/dev/shm")
}

/// Whether each copy has a file of its own.
pub fn own_files(options: &JobOptions) -> bool {
    options.filename.is_none()
}

fn target(job: &FioJob) -> String {
    let options = &job.options;
    let copies = u64::from(options.numjobs);
    let length = match options.size {
        Some(Amount::Bytes(size)) => Some(bytes(size)),
        Some(Amount::Percent(share)) => Some(format!("{share} % of what is there")),
        None => None,
    };
    if let Some(place) = &options.opendir {
        let whole = || "as long as each is".to_owned();
        let of_size = |length: String| format!("{length} over all of them");
        let each = part(options).unwrap_or_else(|| length.map_or_else(whole, of_size));
        return format!("On all files below {place}: {each}.");
    }
    if let Some(name) = &options.filename {
        let name = match &options.directory {
            Some(directory) if !name.starts_with('/') => format!("{directory}/{name}"),
            _ => name.clone(),
        };
        let shared = if copies > 1 { ", the same for all copies" } else { "" };
        if let Some(part) = part(options) {
            return format!("On {}{shared}: {part}.", several(&name));
        }
        if name.contains(':') {
            let length =
                length.map_or("as long as each is".to_owned(), |length| format!("{length} over all of them"));
            return format!("On {}{shared}: {length}.", several(&name));
        }
        return match (length, is_device(&name)) {
            (Some(length), _) => format!("On {name}{shared}: its first {length}."),
            (None, true) => format!("On {name}{shared}: the whole device."),
            (None, false) => format!("On {name}{shared}, as long as it is; no size is given."),
        };
    }
    let place = options.directory.as_deref().map_or("the current directory".to_owned(), str::to_owned);
    let first = format!("{}.0.0", job.name);
    if let Some(part) = part(options) {
        let each = if copies > 1 { " for each copy" } else { "" };
        return format!("On a file{each} in {place}, {first}: {part}.");
    }
    match (copies, options.size, length) {
        (1, _, Some(length)) => format!("On a file of {length} in {place}: {first}."),
        (copies, Some(Amount::Bytes(size)), Some(length)) => format!(
            "On a file of {length} for each copy in {place} ({first} to {}.{}.0), {} in all.",
            job.name,
            copies - 1,
            bytes(size.saturating_mul(copies))
        ),
        (_, _, Some(length)) => format!("On a file of {length} for each copy in {place}."),
        (_, _, None) => format!("On a file in {place} ({first}); no size is given."),
    }
}

/// Files or devices that are separated by colons, in words.
fn several(names: &str) -> String {
    names.replace(':', " and ")
}

/// Which part of a file or device is used, where its start or its end is told.
fn part(options: &JobOptions) -> Option<String> {
    let at = |amount: Amount| match amount {
        Amount::Bytes(at) => bytes(at),
        Amount::Percent(share) => format!("{share} % of it"),
    };
    let starts = !matches!(options.offset, Amount::Bytes(0));
    let from = if starts { format!(" from {} on", at(options.offset)) } else { String::new() };
    let (least, most) = (options.filesize_least, options.filesize);
    let end = (most > 0).then(|| match least == most {
        true => bytes(most),
        false => format!("an end drawn for each file between {} and {}", bytes(least), bytes(most)),
    });
    match (end, options.size) {
        (Some(end), Some(size)) => Some(format!("{} of I/O{from}, up to {end}", at(size))),
        (Some(end), None) => Some(format!("what lies{from} before {end}")),
        (None, Some(size)) if starts => Some(format!("{}{from}", at(size))),
        (None, None) if starts => Some(format!("all{from}")),
        _ => None,
    }
}

/// Bytes that a copy does before it is done; `None` where its words do not say.
pub fn amount(options: &JobOptions) -> Option<u64> {
    let asked = options.io_size.or(options.size);
    match asked {
        Some(Amount::Bytes(amount)) => Some(amount.saturating_mul(options.loops)),
        _ => None,
    }
}

fn how_long(options: &JobOptions) -> String {
    let runtime = options.runtime.as_secs_f64();
    let done = match amount(options) {
        Some(amount) => format!("{} is done", bytes(amount)),
        None => "the whole file has been done once".to_owned(),
    };
    let each = if options.numjobs > 1 { " by each copy" } else { "" };
    let mut said = match (options.time_based, runtime > 0.0) {
        (true, true) => format!("For {}, starting over when all of it is done.", seconds(runtime)),
        (_, true) => format!("Until {done}{each}, and at most for {}.", seconds(runtime)),
        (_, false) => match amount(options) {
            Some(amount) => format!(
                "Until {done}{each}, which is {} I/Os, however long that takes.",
                count(amount / options.shortest_block().max(1))
            ),
            None => format!("Until {done}{each}, however long that takes."),
        },
    };
    if options.ramp_time.0 > 0 {
        said.push_str(&format!(" The first {} do not count.", seconds(options.ramp_time.as_secs_f64())));
    }
    said
}

fn rates(options: &JobOptions) -> Vec<String> {
    let copies = u64::from(options.numjobs);
    let mut said = Vec::new();
    let sums = |rate: u64, unit: &dyn Fn(u64) -> String| match copies {
        1 => unit(rate),
        copies => format!("{} in each copy, {} in all", unit(rate), unit(rate * copies)),
    };
    let directions = [("reads", options.pattern.reads), ("writes", options.pattern.writes)];
    for (at, (what, _)) in directions.into_iter().enumerate().filter(|(_, (_, issued))| *issued) {
        if options.rate_iops[at] > 0 {
            let iops = |rate: u64| format!("{} I/Os a second", count(rate));
            said.push(format!("Its {what} are held to {}.", sums(options.rate_iops[at], &iops)));
        }
        if options.rate[at] > 0 {
            let rate = |rate: u64| format!("{} a second", bytes(rate));
            said.push(format!("Its {what} are held to {}.", sums(options.rate[at], &rate)));
        }
    }
    said
}

fn flushes(options: &JobOptions) -> Vec<String> {
    let mut said = Vec::new();
    for (every, call) in [(options.fsync, "fsync"), (options.fdatasync, "fdatasync")] {
        match every {
            0 => {}
            1 => said.push(format!("After each write it waits for {call}.")),
            every => said.push(format!("After every {every} writes it waits for {call}.")),
        }
    }
    if options.end_fsync {
        said.push("At the end it waits until everything is stored.".to_owned());
    }
    said
}

/// What a word of the command line, or a line of a job file, means.
pub fn meaning(word: &str) -> String {
    if word.starts_with('[') {
        return match word.starts_with("[global") {
            true => "What stands below holds for all jobs.".to_owned(),
            false => "A job begins.".to_owned(),
        };
    }
    let bare = word.trim_start_matches('-');
    let name = bare.split('=').next().unwrap_or_default().trim();
    let by_row = ROWS.iter().find(|row| row.names().any(|known| known == name));
    let by_prefix =
        || ROWS.iter().find(|row| !name.is_empty() && row.names().any(|known| known.starts_with(name)));
    let command = COMMANDS.iter().find(|row| row.name == name);
    match (by_row, command, word.starts_with('-') || word.contains('=')) {
        (Some(row), ..) => row.help.to_owned(),
        (None, Some(row), _) => row.help.to_owned(),
        (None, None, true) => by_prefix().map_or_else(|| "Not known.".to_owned(), |row| row.help.to_owned()),
        (None, None, false) => "A job file, or the value of the word before it.".to_owned(),
    }
}
