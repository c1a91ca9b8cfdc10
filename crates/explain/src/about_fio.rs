//! Paragraphs on fio's jobs as a whole. The effect of each single option is listed with the words.

use super::data_fio::data;
use super::depth_fio;
use super::figures::{bytes, count, typed_seconds};
use super::files_fio::{
    enumerated, is_device, kept_to, lacks_a_place, on_files_only, share, target, whole_part,
};
use super::lengths_fio::{self, places};
use super::load::{PlannedJob, Turn};
use super::pace_fio::paces;
use super::reach::{changed, gone_through, turns_unevenly};
use fio::{EngineWay, JobOptions, Stage, Waits, engine_way};
use workload::{Act, Direction, Nanos, SyncMode};

/// Returns a paragraph for each job; `of_engines` are options that only the engines of the jobs know.
pub fn asks(jobs: &[PlannedJob], of_engines: &[String]) -> Vec<String> {
    let mut alike: Vec<(String, Vec<&PlannedJob>)> = Vec::new();
    for job in jobs {
        let words = sentences(job, of_engines, &[]).join(" ");
        match alike.iter_mut().find(|(known, _)| *known == words) {
            Some((_, others)) => others.push(job),
            None => alike.push((words, vec![job])),
        }
    }
    let told = |(_, group): &(String, Vec<&PlannedJob>)| sentences(group[0], of_engines, group).join(" ");
    let mut said: Vec<String> = match jobs {
        [only] => vec![sentences(only, of_engines, &[only]).join(" ")],
        _ => alike.iter().map(told).collect(),
    };
    said.extend(order(jobs));
    said
}

/// The beginning of the first sentence on jobs that do the same.
fn subject(group: &[&PlannedJob]) -> String {
    let [job, others @ ..] = group else { return String::new() };
    let names: Vec<String> = group.iter().map(|job| job.job.name.clone()).collect();
    let (head, each) = match others {
        [] if job.is_alone => (format!("One job, {}", names[0]), ""),
        [] => (format!("Job {}", names[0]), ""),
        _ => (format!("Jobs {}", enumerated(&names)), ": each"),
    };
    match job.options().numjobs {
        1 if job.is_alone => format!("{head},"),
        1 => format!("{head}{each}"),
        copies if others.is_empty() => format!("{head}, in {copies} copies side by side: each"),
        copies => format!("{head}, each in {copies} copies side by side: each"),
    }
}

/// The order in which several jobs run.
fn order(jobs: &[PlannedJob]) -> Option<String> {
    let mut steps: Vec<(Turn, Vec<String>)> = Vec::new();
    for job in jobs {
        let mut name = job.job.name.clone();
        // One of those before it may go on.
        let is_early = jobs.iter().any(|other| other.turn() < job.turn() && job.runs_beside(other));
        if let Some(awaited) = job.options().time.wait_for.as_ref().filter(|_| is_early) {
            name += &format!(" as soon as {awaited} has ended");
        }
        match steps.iter_mut().find(|(known, _)| *known == job.turn()) {
            Some((_, names)) => names.push(name),
            None => steps.push((job.turn(), vec![name])),
        }
    }
    let together = |(_, names): &(Turn, Vec<String>)| names.join(" with ");
    let delayed = jobs.iter().any(|job| job.options().time.startdelay.1 > Nanos::ZERO);
    match steps.as_slice() {
        [] => None,
        [(_, names)] if delayed && names.len() > 1 => Some("No job waits for another.".to_owned()),
        [(_, names)] => (names.len() > 1).then(|| "All jobs run at the same time.".to_owned()),
        several => Some(format!(
            "They run in turn: {}.",
            several.iter().map(together).collect::<Vec<_>>().join(", then ")
        )),
    }
}

/// Sentences on `job` for all of `group`, which differ from each other in their names and files; without a group, those that
/// tell whether jobs do the same.
fn sentences(job: &PlannedJob, of_engines: &[String], group: &[&PlannedJob]) -> Vec<String> {
    let options = job.options();
    let subject = subject(group);
    let mut said = match (&options.trace.read, on_names(options), stage(options)) {
        (Some(trace), ..) => return replay(&subject, trace, job),
        (None, Some(does), _) => vec![format!("{subject} {does}."), depth(job), target(job, group)],
        (None, None, Stage::Nowhere) => {
            vec![format!(
                "{subject} reads and writes no blocks of storage (ioengine={}).",
                options.engine.name
            )]
        }
        (None, None, Stage::Here) if job.does_nothing() => return only_made(job, &subject, group),
        (None, None, Stage::Here) => with_blocks(job, &subject, group),
        (None, None, Stage::Elsewhere) => elsewhere(job, &subject, of_engines),
    };
    // A time or an amount may stand in what is missing.
    let has_an_end = !job.lacks_words || options.size.is_some() || options.runtime.0 > 0;
    if has_an_end && (stage(options) != Stage::Nowhere || options.runtime.0 > 0) {
        said.push(how_long(job));
    }
    said.extend(begins_later(options));
    said.extend(read_back(job));
    said.extend(paces(job));
    said.extend(flushes(job));
    said.extend(flushes_again(job));
    said.extend(data(job));
    said.extend(unchanged(job));
    said
}

/// Sentences on a job that does no I/O, but makes its files.
fn only_made(job: &PlannedJob, subject: &str, group: &[&PlannedJob]) -> Vec<String> {
    let makes = "only makes its files where they are missing or too short";
    let (why, none) = match job.has_no_room() {
        true => (
            String::new(),
            "No I/O is done, however long the time: each of them is shorter than a block (fio: \"blocksize is larger \
             than data set range\").",
        ),
        false => (" (create_only=1)".to_owned(), "No I/O is done or measured."),
    };
    let mut said = vec![format!("{subject} {makes}{why}."), target(job, group), none.to_owned()];
    said.extend(unchanged(job));
    said
}

/// The delay of a job from the start of the run on.
fn begins_later(options: &JobOptions) -> Option<String> {
    let (least, most) = options.time.startdelay;
    let typed = |time: Nanos| typed_seconds(time.as_secs_f64());
    match most > Nanos::ZERO {
        false => None,
        true if least == most => {
            Some(format!("It begins {} after the start of the run (startdelay).", typed(most)))
        }
        true => Some(format!(
            "It begins between {} and {} after the start of the run (startdelay).",
            typed(least),
            typed(most)
        )),
    }
}

/// Describes what verification reads.
fn read_back(job: &PlannedJob) -> Option<String> {
    let options = job.options();
    let verify = &options.verify;
    if !verify.is_on() {
        return None;
    }
    let said = match (verify.only, options.pattern.writes, options.runtime.0 > 0) {
        (true, ..) => "It writes nothing, and checks what an earlier run wrote.",
        (_, false, _) if job.is_mix => "fio checks nothing: the mix has no writes.",
        (_, false, _) if !options.pattern.reads => "Nothing is read or checked: the job only trims.",
        (_, false, _) => {
            "Each block is checked for what was written before with the same verify; others are errors."
        }
        _ if !verify.reads_back => "Nothing is read back (do_verify=0).",
        _ if verify.backlog > 0 && is_reached(job) => {
            "What was written is read back and checked in between (verify_backlog)."
        }
        (_, _, false) if verify.backlog > 0 => {
            "What was written is then read back and checked: fewer blocks than verify_backlog wait before that."
        }
        (_, _, false) => "What was written is then read back and checked.",
        (_, _, true) if options.time_based => match waits(options) {
            true => {
                "If time ends the job, fio reads nothing back with this engine; plimsoll reads back after it."
            }
            false => {
                "fio reads each pass back when it is done, and nothing of one that time cuts off; plimsoll reads back after the time."
            }
        },
        (_, _, true) => {
            "What was written is then read back and checked, by fio only if the job ends before its time."
        }
    };
    let trims = match verify.trim_percentage {
        0 => String::new(),
        share => format!(" {share} % of the written blocks are trimmed (trim_percentage)."),
    };
    Some(format!("{said}{trims}"))
}

/// Whether a pass has more writes than `verify_backlog` counts, as far as is known.
fn is_reached(job: &PlannedJob) -> bool {
    let options = job.options();
    let of_a_pass = |ios: u64| ios / options.loops.max(1);
    let most = job.ios().or_else(|| Some(job.sized()? / options.shortest_block().max(1)));
    most.is_none_or(|ios| u64::from(options.verify.backlog) < of_a_pass(ios))
}

/// Describes what the command forbids: any change, or new files.
fn unchanged(job: &PlannedJob) -> Option<String> {
    let created = job.options().allow_file_create || job.options().filename.as_deref().is_some_and(is_device);
    match (job.changes_nothing, created) {
        (true, _) => Some("No file is made, lengthened or changed (--readonly).".to_owned()),
        (false, false) => Some("No file is made (allow_file_create=0).".to_owned()),
        (false, true) => None,
    }
}

fn with_blocks(job: &PlannedJob, subject: &str, group: &[&PlannedJob]) -> Vec<String> {
    let options = job.options();
    let mut said = vec![format!("{subject} {} {}.", verbs(job), places(job)), depth(job)];
    let only_trims = !options.pattern.reads && !options.pattern.writes;
    if options.engine.is_real() && options.engine.act() == Act::Move && !only_trims {
        said.push(cache(options).to_owned());
    }
    said.push(target(job, group));
    if lacks_a_place(job) {
        return said;
    }
    said.extend(kept_to(job.options()));
    said.extend(below_the_pointers(job));
    said.extend(job.straddles());
    said.extend(gone_through(job));
    said.extend(changed(job));
    said
}

/// Where the reads of a zoned device stay.
fn below_the_pointers(job: &PlannedJob) -> Option<String> {
    let options = job.options();
    (options.zoned_device && options.pattern.reads && !job.is_on("read_beyond_wp"))
        .then(|| "Its reads stay below the write pointers of the zones.".to_owned())
}

/// Whether the engine sends commands to a device, past the page cache and whatever direct says.
pub fn sends_commands(options: &JobOptions) -> bool {
    matches!(options.engine.name.as_str(), "sg" | "io_uring_cmd" | "libblkio" | "xnvme" | "libzbc" | "mtd")
}

fn cache(options: &JobOptions) -> &'static str {
    let both =
        |name: &str, word: &str| options.typed.iter().any(|(known, value)| *known == name && value == word);
    let overruled =
        if options.direct { both("direct", "0") } else { both("direct", "1") || both("buffered", "0") };
    match (options.engine.maps_files(), options.direct) {
        _ if sends_commands(options) => "Past the page cache, by commands to the device.",
        (true, _) => "Through the page cache, whatever direct says.",
        (false, true) if overruled => "Past the page cache (buffered=0, which overrules direct=0).",
        (false, false) if overruled => "Through the page cache (the later of direct and buffered decides).",
        (false, true) => "Past the page cache (direct=1).",
        (false, false) => "Through the page cache.",
    }
}

/// The description of the engine, whether or not plimsoll has it.
fn way(options: &JobOptions) -> Option<EngineWay> {
    engine_way(&options.engine.name)
}

/// Where the job's I/O goes.
pub fn stage(options: &JobOptions) -> Stage {
    way(options).map_or(Stage::Here, |way| way.stage)
}

/// Whether the engine waits for each I/O.
pub fn waits(options: &JobOptions) -> bool {
    // Of trims only the queue of commands holds several.
    let only_trims = !options.pattern.reads && !options.pattern.writes;
    only_trims && by_ioctl(options)
        || way(options).map_or(options.engine.is_synchronous(), |way| way.waits == Waits::ForEach)
}

/// Whether a trim is a call that waits, in every version of fio: since 3.38 io_uring queues it.
fn by_ioctl(options: &JobOptions) -> bool {
    stage(options) == Stage::Here && !sends_commands(options) && !queues_trims(options)
}

fn queues_trims(options: &JobOptions) -> bool {
    options.engine.name == "io_uring"
}

/// Sentences on a job whose engine does not use files of this machine.
fn elsewhere(job: &PlannedJob, subject: &str, of_engines: &[String]) -> Vec<String> {
    let options = job.options();
    let engine = &options.engine.name;
    let mut names: Vec<String> = options.filename.iter().map(|name| format!("filename={name}")).collect();
    names.extend_from_slice(of_engines);
    let length = options.size.map_or("all of it".to_owned(), |size| format!("the first {}", share(size)));
    let place = match names.is_empty() {
        true => format!("Its options do not say on what {engine} works."),
        false => format!("On what {engine} finds by {}: {length}.", names.join(", ")),
    };
    let mut said = vec![format!("{subject} {} {}.", verbs(job), places(job)), depth(job), place];
    said.push("The page cache of this machine has no part in it.".to_owned());
    said.extend(gone_through(job));
    said.extend(changed(job));
    said
}

/// Sentences on a job that replays a trace; options that would otherwise determine its I/O have no effect.
fn replay(subject: &str, trace: &str, job: &PlannedJob) -> Vec<String> {
    let options = job.options();
    let which = match fio::split_list(trace).as_slice() {
        [one] => format!("the trace {one}"),
        several => format!("the traces {} in turn, one a copy", several.join(", ")),
    };
    let when = if options.trace.no_stall { "each as soon as it can be" } else { "at the times that it says" };
    let files = options.trace.redirect.as_deref().unwrap_or("the files and devices that it names");
    let most = match options.runtime.as_secs_f64() {
        0.0 => String::new(),
        runtime => format!(", and at most for {}", typed_seconds(runtime)),
    };
    vec![
        format!(
            "{subject} replays {which} on {files}: its I/Os in their order, {when}, until it is over{most}."
        ),
        "What the job itself says of directions, places, lengths and amounts has no effect.".to_owned(),
        depth(job),
        cache(options).to_owned(),
    ]
}

/// The job's operation on file names, if it does nothing else; each counts as an I/O in the direction of `rw`.
fn on_names(options: &JobOptions) -> Option<String> {
    let kind = if options.engine.is_of_folders() { "directories" } else { "files" };
    let does = match options.engine.act() {
        Act::MakeFile | Act::MakeFolder => format!("makes {kind}"),
        Act::LookUp => format!("looks up {kind} (stat)"),
        Act::RemoveFile | Act::RemoveFolder => format!("removes {kind}"),
        Act::Move | Act::Reserve | Act::Cut => return None,
    };
    let word = options.pattern.word();
    Some(format!("{does}, and counts each as a {word} of {}", bytes(options.bs[0])))
}

fn verbs(job: &PlannedJob) -> String {
    let options = job.options();
    let [read, write, trim] = [Direction::Read, Direction::Write, Direction::Trim]
        .map(|way| lengths_fio::lengths(&job.lengths(way)));
    let pattern = options.pattern;
    match options.engine.act() {
        Act::Reserve => return format!("reserves space (fallocate) for blocks of {read}"),
        Act::Cut => return format!("cuts the file (ftruncate) to where each block of {write} begins"),
        _ => {}
    }
    match (pattern.reads, pattern.writes, pattern.trims) {
        (true, true, _) => {
            let blocks = if read == write { String::new() } else { format!(" blocks of {read}") };
            match job.read_percent() {
                Some(reads) => {
                    let by_rates =
                        if job.rates_decide() { ", where the volume bears both rates" } else { "" };
                    format!(
                        "reads ({reads} %{by_rates}){blocks} and writes ({} %) blocks of {write}",
                        100 - reads
                    )
                }
                None => {
                    let held =
                        if job.rates().iter().any(|rate| rate.what == "reads") { "reads" } else { "writes" };
                    let shift = if held == "reads" { "fewer" } else { "more" };
                    format!(
                        "reads ({} %, or {shift} where the rate holds the {held} back){blocks} and writes blocks of {write}",
                        options.rwmix_read
                    )
                }
            }
        }
        (true, false, _) => format!("reads blocks of {read}"),
        (false, true, false) => format!("writes blocks of {write}"),
        (false, true, true) => format!("trims and then writes blocks of {write}"),
        (false, false, _) => format!("trims blocks of {trim}"),
    }
}

fn depth(job: &PlannedJob) -> String {
    let options = job.options();
    let copies = u64::from(options.numjobs);
    let held = depth_fio::is_held_by_the_cache(options) && options.iodepth > 1;
    let depth = if waits(options) || held { 1 } else { u64::from(options.iodepth) };
    let depth = job.in_flight(depth);
    let most = match depth {
        1 => "One I/O".to_owned(),
        depth => format!("Up to {} I/Os", count(depth)),
    };
    let all = match copies {
        1 => String::new(),
        copies => format!(" in each copy, {} in all", count(depth * copies)),
    };
    let by_file = if depth_fio::queues_by_file(options) && depth > 1 {
        " The C library does those of a file one after the other."
    } else {
        ""
    };
    let why = match (held, options.iodepth > 1 && waits(options)) {
        (true, _) => " (it waits for each without direct=1)",
        (_, true) => ", whatever iodepth says",
        _ => "",
    };
    let pairs = options.pattern.trims && options.pattern.writes && by_ioctl(options) && depth > 1;
    let only_trims = options.pattern.trims && !options.pattern.writes;
    let trims = match pairs {
        true => " Trims go one at a time, and hold up the write behind them.",
        false if only_trims && queues_trims(options) && depth > 1 => {
            " fio before 3.38 does trims one at a time, and so do later ones where the kernel does not queue them."
        }
        false => "",
    };
    let flushed = depth > 1 && !options.pattern.reads && options.engine.name == "libaio";
    let flushes = if flushed && options.pattern.writes && options.fsync.max(options.fdatasync) == 1 {
        " Each waits for the flush before it, so that the disk has about one at a time; a latency counts the flushes of all those \
         in line."
    } else {
        ""
    };
    format!("{most} at a time{all}, through {}{why}.{by_file}{trims}{flushes}", options.engine.name)
}

/// The amount of I/O after which a copy ends.
pub fn done(job: &PlannedJob) -> String {
    let options = job.options();
    let all = match (job.sized(), stage(options)) {
        (Some(amount), _) => bytes(amount),
        (None, Stage::Here) => whole_part(job).unwrap_or_else(|| "all of it".to_owned()),
        (None, _) => "all of it".to_owned(),
    };
    match (options.number_ios.saturating_mul(options.loops), job.sized()) {
        (0, Some(_)) => {
            let about = if job.is_uneven() { "about " } else { "" };
            let why = job.falls_short().map_or(String::new(), |why| format!(" ({why})"));
            format!("{about}{all} is done{why}")
        }
        (0, None) => format!("{all} has been done {}", times(options.loops)),
        (ios, Some(_)) => format!("{} done, {all} at most", are(ios)),
        (ios, None) => format!("{} done, {all} {} at most", are(ios), times(options.loops)),
    }
}

fn are(ios: u64) -> String {
    if ios == 1 { "1 I/O is".to_owned() } else { format!("{} I/Os are", count(ios)) }
}

fn times(passes: u64) -> String {
    match passes {
        0 | 1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{} times", count(more)),
    }
}

/// Whether a steady rate ends the job.
pub fn is_steadied(options: &JobOptions) -> bool {
    options.steady.rule.is_some() && options.steady.duration > Nanos::ZERO
}

fn how_long(job: &PlannedJob) -> String {
    let options = job.options();
    let runtime = options.runtime.as_secs_f64();
    let each = if options.numjobs > 1 { " by each copy" } else { "" };
    let ios = job.ios().filter(|_| options.number_ios == 0);
    let number = ios.map_or(String::new(), |ios| format!(", which is {}", job.counted(ios)));
    let steers = options.bounds.steers() && !options.bounds.latency_run;
    let most =
        if runtime > 0.0 { format!(", and at most for {}", typed_seconds(runtime)) } else { String::new() };
    let said = match runtime > 0.0 {
        _ if options.verify.state_load => {
            let file = format!("local-{}-0-verify.state", job.job.name);
            format!(
                "Until all is read that the saved state ({file}) says was written{most}; without that file fio ends."
            )
        }
        _ if is_steadied(options) => {
            let steady = typed_seconds(options.steady.duration.as_secs_f64());
            let rule = job.typed("steadystate").unwrap_or_default();
            let or_done = match options.ends_by_time() {
                true => String::new(),
                false => format!(", or until {}{each}{number}", done(job)),
            };
            format!("Until its rate has been steady for {steady} (steadystate={rule}){or_done}{most}.")
        }
        true if job.fills_the_volume() => {
            format!("Until no space is left (fill_device=1), and at most for {}.", typed_seconds(runtime))
        }
        false if job.fills_the_volume() => "Until no space is left (fill_device=1).".to_owned(),
        _ if steers => {
            let done = if options.ends_by_time() {
                String::new()
            } else {
                format!(", or until {}{each}{number}", done(job))
            };
            format!("Until a depth is found that keeps to latency_target{done}{most}.")
        }
        true if options.time_based && stage(options) == Stage::Nowhere => {
            format!("For {}.", typed_seconds(runtime))
        }
        true if options.time_based
            && options.pattern.random
            && (!job.visits_each_once() || options.rw_number > 1) =>
        {
            format!("For {}.", typed_seconds(runtime))
        }
        true if options.time_based => {
            format!("For {}, starting over when all of it is done.", typed_seconds(runtime))
        }
        true => format!("Until {}{each}{number}, and at most for {}.", done(job), typed_seconds(runtime)),
        false => format!("Until {}{each}{number}, however long that takes.", done(job)),
    };
    let ramp = typed_seconds(options.ramp_time.as_secs_f64());
    match (options.ramp_time.0, runtime > 0.0) {
        (0, _) => said,
        (_, true) if options.time_based => {
            format!("{said} Before that it runs for {ramp} that do not count.")
        }
        (_, true) => {
            format!(
                "{said} Before that it runs for {ramp} that do not count, but what they move is part of the amount."
            )
        }
        (_, false) => {
            format!("{said} The first {ramp} do not count, but what they move is part of the amount.")
        }
    }
}

/// What plimsoll does in another way with the files of a job and its places there.
pub fn differs(job: &PlannedJob) -> Option<String> {
    let trims = job.options().pattern.trims && on_files_only(job.options());
    let says = match (trims, turns_unevenly(job)) {
        (true, _) => "fio fails at the first trim of a file; plimsoll gives the file's blocks back",
        (false, true) => "reads and writes each begin again by themselves, in fio both together",
        (false, false) => return None,
    };
    Some(format!("{}: {says}.", job.job.name))
}

/// The flushes of a job that writes, and what its writes wait for.
fn flushes(job: &PlannedJob) -> Option<String> {
    let options = job.options();
    if !options.pattern.writes || !options.engine.is_real() || options.engine.act() != Act::Move {
        return None;
    }
    let often = |call: &str, writes: u32| match writes {
        0 => None,
        1 => Some(format!("It flushes ({call}) after each write.")),
        more => Some(format!("It flushes ({call}) after every {} writes.", count(u64::from(more)))),
    };
    let stable = match options.time.sync {
        SyncMode::None => None,
        SyncMode::Dsync => Some("Each write is stable, with its data, when it is done (O_DSYNC)."),
        SyncMode::Sync => Some("Each write is stable, with data and metadata, when it is done (O_SYNC)."),
    };
    let counted = [often("fsync", options.fsync), often("fdatasync", options.fdatasync)];
    let at_the_end = [
        (options.end_fsync && options.loops > 1, "A flush comes after each of its loops (end_fsync)."),
        (options.end_fsync && options.loops <= 1, "A flush comes at its end (end_fsync)."),
        (options.fsync_on_close, "Its files are flushed when they are closed (fsync_on_close)."),
    ];
    let at_the_end = at_the_end.into_iter().filter(|(is_set, _)| *is_set).map(|(_, said)| said.to_owned());
    let said: Vec<String> =
        counted.into_iter().flatten().chain(stable.map(str::to_owned)).chain(at_the_end).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Describes the flushes of a mix that its option does not mention: fio up to 3.33 checks the count of writes before each I/O.
fn flushes_again(job: &PlannedJob) -> Option<String> {
    let options = job.options();
    let counted = options.fsync > 0 || options.fdatasync > 0;
    (counted && options.pattern.mixed()).then(|| {
        "fio 3.33 repeats a flush that is due after each read of a mix, until the next write; 3.42 does not.".to_owned()
    })
}
