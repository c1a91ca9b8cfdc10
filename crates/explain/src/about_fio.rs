//! What a fio command asks for, in words.

use super::besides::besides;
use super::figures::{bytes, count, seconds};
use super::load::{Load, lengths, sized};
use fio::{Amount, Asked, COMMANDS, EngineWay, FioJob, JobOptions, ROWS, Stage, Waits, engine_way};
use workload::{Lengths, Spread};

/// A paragraph a job; `of_engines` are options that only the engines of the jobs know.
pub fn asks(asked: &Asked, of_engines: &[String]) -> Vec<String> {
    let sections: Vec<&FioJob> = asked.jobs.iter().filter(|job| job.clone == 0).collect();
    let steps = asked.step_count();
    let mut said = Vec::new();
    for job in &sections {
        let mut told = sentences(job, sections.len() > 1, steps > 1);
        if stage(&job.options) == Stage::Elsewhere {
            told.push_str(&elsewhere(&job.options, of_engines));
        } else if !of_engines.is_empty() {
            told.push_str(&format!(" The engine is told {} besides.", of_engines.join(", ")));
        }
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
    let mut said = match stage(options) {
        Stage::Nowhere => without_blocks(options, &subject),
        Stage::Here => with_blocks(job, &subject),
        Stage::Elsewhere => vec![format!("{subject}{} {}.", verbs(options), places(options)), depth(options)],
    };
    if stage(options) != Stage::Nowhere || options.runtime.0 > 0 {
        said.push(how_long(options));
    }
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

fn with_blocks(job: &FioJob, subject: &str) -> Vec<String> {
    let options = &job.options;
    let mut said = vec![format!("{subject}{} {}.", verbs(options), places(options)), depth(options)];
    if options.engine.is_real() {
        said.push(cache(options).to_owned());
    }
    said.push(target(job));
    said
}

fn cache(options: &JobOptions) -> &'static str {
    match (options.direct, options.engine.maps_files()) {
        (true, _) => "Past the page cache (direct=1).",
        (false, true) => "Through the page cache, whatever direct says.",
        (false, false) => "Through the page cache.",
    }
}

fn without_blocks(options: &JobOptions, subject: &str) -> Vec<String> {
    let does = way(options).map_or("other work is done", |way| way.by);
    let engine = &options.engine.name;
    vec![format!("{subject}reads and writes no blocks of storage: {does} (ioengine={engine}).")]
}

/// What is known of the engine, whether or not plimsoll has it.
fn way(options: &JobOptions) -> Option<EngineWay> {
    engine_way(&options.engine.name)
}

/// Where the I/O goes.
pub fn stage(options: &JobOptions) -> Stage {
    way(options).map_or(Stage::Here, |way| way.stage)
}

/// Whether the engine waits for each I/O.
pub fn waits(options: &JobOptions) -> bool {
    way(options).map_or(options.engine.is_synchronous(), |way| way.waits == Waits::ForEach)
}

/// On what an engine works that knows no file of this machine.
fn elsewhere(options: &JobOptions, of_engines: &[String]) -> String {
    let engine = &options.engine.name;
    let named: Vec<String> = options.filename.iter().map(|name| format!("filename={name}")).collect();
    let named = [named.as_slice(), of_engines].concat();
    let length = match options.size {
        Some(Amount::Bytes(size)) => format!(": its first {}", bytes(size)),
        Some(Amount::Percent(share)) => format!(": {share} % of it"),
        None => ": all of it".to_owned(),
    };
    match named.is_empty() {
        true => format!(" Its options do not say on what {engine} works."),
        false => format!(" On what {engine} finds by {}{length}.", named.join(", ")),
    }
}

fn verbs(options: &JobOptions) -> String {
    let pattern = options.pattern;
    let [read, write, trim] = [0, 1, 2].map(|direction| block(options, direction));
    let same = read == write;
    match (pattern.reads, pattern.writes, pattern.trims) {
        (true, true, _) => {
            let share = options.rwmix_read;
            let rest = 100 - share.min(100);
            match same {
                true => format!("reads ({share} %) and writes ({rest} %) blocks of {read}"),
                false => {
                    format!("reads ({share} %) blocks of {read} and writes ({rest} %) blocks of {write}")
                }
            }
        }
        (true, false, _) => format!("reads blocks of {read}"),
        (false, true, false) => format!("writes blocks of {write}"),
        (false, true, true) => format!("trims and then writes blocks of {write}"),
        (false, false, _) => format!("trims blocks of {trim}"),
    }
}

/// The length of the blocks of a direction; the option that tells several lengths is told besides.
fn block(options: &JobOptions, direction: usize) -> String {
    match lengths(options, direction) {
        Lengths::Fixed(length) => bytes(length.0),
        several if several.shortest() == several.longest() => bytes(several.shortest().0),
        _ => "several lengths".to_owned(),
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
    let engine = engine(options);
    let copies = u64::from(options.numjobs);
    if waits(options) || options.iodepth == 1 {
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

/// The engine's name; with what it is, where that is not done here by the same means.
fn engine(options: &JobOptions) -> String {
    let (engine, name) = (&options.engine, &options.engine.name);
    let is_alike = engine.backend().is_some() && engine.difference().is_none() && engine.is_real();
    match way(options).filter(|_| !is_alike) {
        Some(way) => format!("{name} ({})", way.by),
        None => name.clone(),
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
    match further_copies(options) {
        Some(step) => format!("{} Each further copy begins {step} behind the one before.", first_target(job)),
        None => first_target(job),
    }
}

/// How far behind each other the copies begin.
fn further_copies(options: &JobOptions) -> Option<String> {
    match options.offset_increment {
        _ if options.numjobs < 2 => None,
        Amount::Bytes(0) | Amount::Percent(0) => None,
        Amount::Bytes(step) => Some(bytes(step)),
        Amount::Percent(share) => Some(format!("{share} % of it")),
    }
}

fn first_target(job: &FioJob) -> String {
    let options = &job.options;
    let copies = u64::from(options.numjobs);
    let length = match options.size {
        Some(Amount::Bytes(size)) => Some(bytes(size)),
        Some(Amount::Percent(share)) => Some(format!("{share} % of what is there")),
        None => None,
    };
    if let Some(name) = &options.filename {
        let name = match &options.directory {
            Some(directory) if !name.starts_with('/') => format!("{directory}/{name}"),
            _ => name.clone(),
        };
        let shared = match (copies, further_copies(options)) {
            (1, _) => "",
            (_, None) => ", the same for all copies",
            (_, Some(_)) => ", for all copies",
        };
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
    let end = (options.filesize > 0).then(|| bytes(options.filesize));
    match (end, options.size) {
        (Some(end), Some(size)) => Some(format!("{} of I/O{from}, up to {end}", at(size))),
        (Some(end), None) => Some(format!("what lies{from} before {end}")),
        (None, Some(size)) if starts => Some(format!("{}{from}", at(size))),
        (None, None) if starts => Some(format!("all{from}")),
        _ => None,
    }
}

/// What must be done before a copy ends.
pub fn done(options: &JobOptions) -> String {
    let device = options.filename.as_deref().is_some_and(is_device);
    let (all, once) = match (sized(options), stage(options)) {
        (Some(amount), _) => (bytes(amount), "is done"),
        (None, Stage::Here) if device => ("the whole device".to_owned(), "has been done once"),
        (None, Stage::Here) => ("the whole file".to_owned(), "has been done once"),
        (None, _) => ("all of it".to_owned(), "has been done once"),
    };
    match options.number_ios.saturating_mul(options.loops) {
        0 => format!("{all} {once}"),
        ios => format!("{} I/Os are done, {all} at most", count(ios)),
    }
}

fn how_long(options: &JobOptions) -> String {
    let runtime = options.runtime.as_secs_f64();
    let done = done(options);
    let each = if options.numjobs > 1 { " by each copy" } else { "" };
    let mut said = match (options.time_based, runtime > 0.0) {
        (true, true) => format!("For {}, starting over when all of it is done.", seconds(runtime)),
        (_, true) => format!("Until {}{each}, and at most for {}.", done, seconds(runtime)),
        (_, false) => match sized(options).filter(|_| options.number_ios == 0) {
            Some(amount) => format!(
                "Until {done}{each}, which is {}, however long that takes.",
                Load::of(options).counted(amount)
            ),
            None => format!("Until {}{each}, however long that takes.", done),
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
