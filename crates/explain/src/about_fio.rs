//! What a fio command asks for, in words.

use super::besides::besides;
use super::figures::{bytes, count, typed_seconds};
use super::files_fio::{is_device, part, target};
use super::load::{Load, lengths, sized};
use fio::{Amount, EngineWay, FioJob, FioRequest, JobOptions, Stage, Waits, engine_way};
use workload::{Act, Lengths, Spread};

/// A paragraph for each job; `of_engines` are options that only the engines of the jobs know.
pub fn asks(asked: &FioRequest, of_engines: &[String]) -> Vec<String> {
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
    if let Some(trace) = &options.trace.read {
        return replay(&subject, trace, options);
    }
    let mut said = match (on_names(options), stage(options)) {
        (Some(does), _) => vec![format!("{subject}{does}."), depth(options), target(job)],
        (None, Stage::Nowhere) => without_blocks(options, &subject),
        (None, Stage::Here) => with_blocks(job, &subject),
        (None, Stage::Elsewhere) => {
            vec![format!("{subject}{} {}.", verbs(options), places(options)), depth(options)]
        }
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
    if options.engine.is_real() && options.engine.act() == Act::Move {
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

/// What an engine works on that does not use files of this machine.
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

/// A job that replays a trace; options that would otherwise decide its I/O have no effect.
fn replay(subject: &str, trace: &str, options: &JobOptions) -> String {
    let traces = fio_list(trace);
    let which = match traces.as_slice() {
        [one] => format!("the trace {one}"),
        several => format!("the traces {} in turn, one a copy", several.join(", ")),
    };
    let when = if options.trace.no_stall { "each as soon as it can be" } else { "at the times that it says" };
    let files = match &options.trace.redirect {
        Some(one) => format!("All of it goes to {one} alone."),
        None => "It goes to the files and devices that the trace names.".to_owned(),
    };
    let ends = match options.runtime.as_secs_f64() {
        runtime if runtime > 0.0 => {
            format!("Until the trace is over, and at most for {}.", typed_seconds(runtime))
        }
        _ => "Until the trace is over.".to_owned(),
    };
    let cache = if options.direct { "Past the page cache (direct=1)." } else { "Through the page cache." };
    format!(
        "{subject}replays {which}: its I/Os in their order, {when}. What the job itself says of directions, places, \
         lengths and amounts has no effect. {} {cache} {files} {ends}",
        depth(options)
    )
}

/// Splits a list at colons.
fn fio_list(list: &str) -> Vec<&str> {
    list.split(':').filter(|part| !part.is_empty()).collect()
}

/// What is done to files by name, if the job does nothing else; each counts as an I/O in the direction of `rw`.
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

/// Length of the blocks in a direction; several lengths are described with the option that sets them.
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
        (false, _) if options.rw_number > 0 => {
            format!("one after the other, {} left out behind each", bytes(options.rw_number.unsigned_abs()))
        }
        (false, _) if options.rw_number < 0 => {
            let back = bytes(options.rw_number.unsigned_abs());
            format!("one after the other, each {back} before the place where the last one ended")
        }
        (false, _) => "one after the other".to_owned(),
        (true, 100) if options.spread != Spread::Uniform => {
            "at random places that are not equally likely".to_owned()
        }
        (true, 100) if options.rw_number > 1 => {
            let how = if options.rw_identical { "times" } else { "in a row" };
            format!("at random places, {} {how} at each", options.rw_number)
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

/// Name of the engine, explained if plimsoll does not do the same by the same means.
fn engine(options: &JobOptions) -> String {
    let (engine, name) = (&options.engine, &options.engine.name);
    let is_alike = engine.backend().is_some() && engine.difference().is_none() && engine.is_real();
    match way(options).filter(|_| !is_alike) {
        Some(way) => format!("{name} ({})", way.by),
        None => name.clone(),
    }
}

/// What must be done before a copy ends.
pub fn done(options: &JobOptions) -> String {
    let names = options.filename.as_deref().unwrap_or_default();
    let several = names.contains(':') || options.nrfiles > 1 || options.opendir.is_some();
    let all = match (sized(options), stage(options)) {
        (Some(amount), _) => bytes(amount),
        (None, Stage::Here) if several || part(options).is_some() => "all of it".to_owned(),
        (None, Stage::Here) if is_device(names) => "the whole device".to_owned(),
        (None, Stage::Here) => "the whole file".to_owned(),
        (None, _) => "all of it".to_owned(),
    };
    let is_amount = sized(options).is_some();
    match options.number_ios.saturating_mul(options.loops) {
        0 if is_amount => format!("{all} is done"),
        0 => format!("{all} has been done {}", times(options.loops)),
        ios if is_amount || options.loops < 2 => format!("{} I/Os are done, {all} at most", count(ios)),
        ios => format!("{} I/Os are done, {all} {} at most", count(ios), times(options.loops)),
    }
}

fn times(passes: u64) -> String {
    match passes {
        0 | 1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{} times", count(more)),
    }
}

fn how_long(options: &JobOptions) -> String {
    let runtime = options.runtime.as_secs_f64();
    let done = done(options);
    let each = if options.numjobs > 1 { " by each copy" } else { "" };
    let mut said = match (options.time_based, runtime > 0.0) {
        (true, true) => format!("For {}, starting over when all of it is done.", typed_seconds(runtime)),
        (_, true) => format!("Until {}{each}, and at most for {}.", done, typed_seconds(runtime)),
        (_, false) => match sized(options).filter(|_| options.number_ios == 0) {
            Some(amount) => format!(
                "Until {done}{each}, which is {}, however long that takes.",
                Load::of(options).counted(amount)
            ),
            None => format!("Until {}{each}, however long that takes.", done),
        },
    };
    if options.ramp_time.0 > 0 {
        let ramp = typed_seconds(options.ramp_time.as_secs_f64());
        said.push_str(&match runtime > 0.0 {
            // The run time begins after the ramp.
            true => format!(" Before that it runs for {ramp} that do not count."),
            false => format!(" The first {ramp} do not count."),
        });
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
        // fio checks the count of writes before each I/O (3.33 under strace).
        let again = if options.pattern.mixed() { ", and after each read until the next write," } else { "" };
        let after = match every {
            0 => continue,
            1 => format!("each write{again}"),
            every => format!("every {every} writes{again}"),
        };
        said.push(match flush_goes_along(options) {
            Some(true) => format!("After {after} {call} goes into the queue, and I/O goes on beside it."),
            Some(false) => format!("After {after} it waits for {call}; what is in flight meanwhile goes on."),
            None => format!("After {after} it waits for {call}."),
        });
    }
    if options.end_fsync {
        said.push(match options.loops {
            0 | 1 => "At the end it waits until everything is stored.".to_owned(),
            passes => {
                format!("At the end of each of {} passes it waits until everything is stored.", count(passes))
            }
        });
    }
    said
}

/// Whether a flush is a request among the others; `None` if there are no others. Source: fio 3.33 under strace (with libaio
/// fio calls fsync itself, io_uring and posixaio have a request for it).
fn flush_goes_along(options: &JobOptions) -> Option<bool> {
    let others = !waits(options) && options.iodepth > 1;
    others.then_some(matches!(options.engine.name.as_str(), "io_uring" | "posixaio"))
}
