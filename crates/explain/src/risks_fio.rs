//! Risky and misleading aspects of a fio command. Data: a risk is a row.

use super::about_fio::{done, stage, waits};
use super::figures::{bytes, count, seconds, typed_seconds};
use super::files_fio::{apart, covers_all, is_device, names_of, part, share};
use super::load::{PlannedJob, time_in_line};
use super::risk::Level::{Danger, Misleading, Note, Wrong};
use super::risk::{Risk, risk, says};
use fio::{Amount, JobOptions, Stage};
use workload::{Act, SyncMode};

/// Time in seconds for which a volume with burst credits may sustain its burst.
const BURST_S: f64 = 1800.0;
/// Bandwidth in MB/s that no volume has, nor memory.
const BEYOND_MB_S: f64 = 1e6;
const HOWTO: &str = "fio HOWTO";

/// Names of the risks that also apply to engines that move no data.
pub const WITHOUT_DATA: &[&str] =
    &["starts-a-command", "overwrites-file", "removes-files", "not-storage", "no-size", "one-at-a-time"];

/// Every row.
pub static ROWS: &[Risk] = &[
    risk("destroys-device", Danger, "fio HOWTO: filename")
        .fio(|job, options| {
            let names = options.filename.as_ref().filter(|name| is_device(name))?.replace(':', " and ");
            let pattern = options.pattern;
            let how = if pattern.writes { "writes over the device itself" } else { "trims the device itself" };
            (pattern.destroys() && options.engine.act() == Act::Move).then(|| match part(job) {
                None if covers_all(job) => format!("Everything on {names} is lost: the job {how}."),
                None => format!("Data on {names} is lost: the job {how}."),
                Some(part) => format!("Data on {names} is lost ({part}): the job {how}."),
            })
        }),
    risk("overwrites-file", Danger, "fio HOWTO: filename")
        .fio(|job, options| {
            let name = options.filename.as_ref().filter(|name| !is_device(name) && !options.file_append)?;
            let names = names_of(job).unwrap_or_else(|| name.replace(':', " and "));
            let exists = if name.contains(':') { "exist" } else { "exists" };
            let pattern = options.pattern;
            let how = match options.engine.act() {
                Act::Move if pattern.writes => "is overwritten",
                Act::Move | Act::Reserve if pattern.trims => "is lost, as its blocks are given back,",
                Act::Cut if pattern.writes => "is cut off",
                _ => return None,
            };
            let part = part(job).map_or(String::new(), |part| format!(" ({part})"));
            pattern
                .destroys()
                .then(|| format!("If {names} {exists}, what is in it{part} {how} without a question."))
        }),
    risk("starts-a-command", Danger, "fio HOWTO: exec_prerun, exec_postrun")
        .fio(|_, options| {
            let both = [("before", &options.exec_prerun), ("after", &options.exec_postrun)];
            let started: Vec<String> =
                both.into_iter().filter_map(|(when, command)| Some(format!("\"{}\" {when} it", command.as_ref()?))).collect();
            (!started.is_empty()).then(|| format!("The job starts a command of the shell: {}.", started.join(", and ")))
        }),
    risk("fills-the-volume", Danger, "fio HOWTO: fill_device")
        .fio(|job, _| says(job.fills_the_volume(), "The job writes until no space is left: whatever else writes to that file system then fails.")),
    risk("overwrites-store", Danger, "fio HOWTO: ioengine")
        .fio(|_, options| {
            (options.pattern.destroys() && stage(options) == Stage::Elsewhere).then(|| {
                format!("What {} finds under that name is overwritten without a question.", options.engine.name)
            })
        }),
    risk("not-storage", Wrong, "fio HOWTO: ioengine")
        .fio(|_, options| {
            (stage(options) == Stage::Nowhere).then(|| {
                format!(
                    "The IOPS and bandwidth that fio prints for {} are none of a disk's blocks.",
                    options.engine.name
                )
            })
        }),
    risk("flush-figures", Misleading, "fio HOWTO: fsync; etcd documentation: hardware, disks")
        .fio(|_, options| {
            let call = match (options.fsync, options.fdatasync) {
                (1.., _) => "fsync",
                (0, 1..) => "fdatasync",
                (0, 0) => return None,
            };
            let stable = options.time.sync != SyncMode::None;
            if options.direct || stable || !options.pattern.writes || options.engine.name == "null" {
                return None;
            }
            let log = options.fdatasync == 1 && !options.pattern.reads && !options.pattern.random;
            let bound = if log { ", as that of a log such as etcd's should: below 10 ms" } else { "" };
            Some(format!(
                "The latency of the writes themselves is the page cache's. Look at the lines of {call} behind \
                 \"fsync/fdatasync/sync_file_range\": their 99th percentile tells what the disk does{bound}. IOPS and \
                 bandwidth count writes with their flushes."
            ))
        }),
    risk("trace-writes", Danger, "fio HOWTO: read_iolog")
        .replay(|_, options| {
            let skipped = |word: &str| options.trace.skip.as_ref().is_some_and(|list| list.split(',').any(|one| one == word));
            let on = match &options.trace.redirect {
                Some(one) => one.clone(),
                None => "the files and devices that it names".to_owned(),
            };
            (!(skipped("write") && skipped("trim")))
                .then(|| format!("What the trace writes or trims is lost on {on}; --replay_redirect sends it elsewhere."))
        }),
    risk("removes-files", Danger, "fio HOWTO: ioengine filedelete")
        .fio(|job, options| {
            let names = match (&options.filename, &options.opendir) {
                (_, Some(place)) => format!("every file below {place}"),
                (Some(names), _) => names.replace(':', " and "),
                (None, None) => format!("{}.0.0 and what else has the job's names", job.job.name),
            };
            matches!(options.engine.act(), Act::RemoveFile | Act::RemoveFolder)
                .then(|| format!("What is there already is removed without a question: {names}."))
        }),
    risk("no-size", Wrong, "fio HOWTO: size")
        .fio(|job, options| {
            let device = options.filename.as_deref().is_some_and(is_device);
            let share = matches!(options.size, Some(Amount::Percent(_)));
            let sized = options.size.is_some() && !share || options.filesize > 0;
            if sized || device || job.fills_the_volume() || options.engine.name == "null" {
                return None;
            }
            Some(match &options.filename {
                Some(name) if share => format!(
                    "The size is a share of the file: if {name} does not exist, fio ends with \"you need to specify size=\"."
                ),
                Some(name) => format!(
                    "There is no size. If {name} exists, all of it is used; if it does not, fio ends with \"you need to \
                     specify size=\"."
                ),
                None => "There is no size, and the file is fio's own: unless an earlier run left it there, fio ends \
                         with \"you need to specify size=\"."
                    .to_owned(),
            })
        }),
    risk("one-at-a-time", Wrong, "fio HOWTO: iodepth")
        .fio(|_, options| {
            (waits(options) && options.iodepth > 1).then(|| {
                format!(
                    "iodepth={} has no effect: {} waits for each I/O, so that one is in flight. Take libaio or io_uring.",
                    options.iodepth, options.engine.name
                )
            })
        }),
    risk("buffered-libaio", Wrong, "fio HOWTO: ioengine libaio; io_submit(2)")
        .fio(|_, options| {
            (options.engine.name == "libaio" && !options.direct && options.iodepth > 1).then(|| {
                format!(
                    "libaio without direct=1 waits for each I/O while it is handed over: iodepth={} is not reached.",
                    options.iodepth
                )
            })
        }),
    risk("no-direct", Misleading, "fio HOWTO: direct")
        .fio(|_, options| {
            if options.direct || options.engine.name == "null" {
                return None;
            }
            let pattern = options.pattern;
            if options.engine.maps_files() {
                return Some("mmap goes through the page cache, whatever direct says: the figures can be those of memory.".to_owned());
            }
            if options.pre_read && pattern.reads {
                return Some("pre_read=1 reads the file into the page cache first: the reads come from memory.".to_owned());
            }
            let synced = options.fsync > 0 || options.fdatasync > 0 || options.end_fsync || options.time.sync != SyncMode::None;
            Some(match (pattern.reads, pattern.writes && !synced) {
                (true, true) => "There is no direct=1: reads may come from the page cache and writes end in it, so that \
                                 the figures can be those of memory.",
                (true, false) => "There is no direct=1: reads may come from the page cache, so that the figures can be \
                                  those of memory.",
                (false, true) => "There is no direct=1 and no fsync: writes end in the page cache, so that the figures can \
                                  be those of memory.",
                (false, false) => return None,
            }
            .to_owned())
        }),
    risk("runtime-is-a-cap", Misleading, "fio HOWTO: runtime, time_based")
        .fio(|job, options| {
            let runtime = options.runtime.as_secs_f64();
            if options.time_based || runtime <= 0.0 {
                return None;
            }
            let takes = job.ios().map_or(String::new(), |ios| {
                let all = ios as f64 * job.mean_block() * f64::from(options.numjobs);
                match all / runtime / 1e6 {
                    rate if rate > BEYOND_MB_S => String::new(),
                    rate => format!(", which takes more than {} MB/s", count(rate.round() as u64)),
                }
            });
            Some(format!(
                "There is no time_based: {} is only the longest that it may take, and it ends before, when {}{}{takes}.",
                typed_seconds(runtime),
                done(job),
                if options.numjobs > 1 { " by each copy" } else { "" }
            ))
        }),
    risk("no-set-time", Misleading, "fio HOWTO: runtime")
        .fio(|job, options| {
            let ios = job.ios()?;
            if options.runtime.0 > 0 || ios == 0 || job.fills_the_volume() {
                return None;
            }
            let takes = match job.held_s(ios).filter(|&time| time >= ios as f64 / 1e5) {
                Some(time) => format!(
                    "No time is set: at the rates that it is held to, {} take {} on a volume that bears them, and \
                     longer on one that does not.",
                    job.counted(ios),
                    seconds(time.round().max(1.0))
                ),
                None if !options.pattern.reads && !options.pattern.writes => format!(
                    "How long {} take depends on the volume, and trims of any length may take the same time.",
                    job.counted(ios)
                ),
                None => format!(
                    "How long it takes depends on the volume: {}. Two volumes are measured for different times, and a \
                     fast run may lie wholly inside a burst.",
                    at_two_rates(job, ios)
                ),
            };
            Some(match job.typed("time_based").is_some_and(|value| value != "0") {
                true => format!("{takes} time_based has no effect without runtime, fio drops it: give runtime too."),
                false => format!("{takes} Give runtime and time_based."),
            })
        }),
    risk("shorter-than-a-burst", Misleading, "EBS user guide: I/O credits and burst performance of gp2")
        .fio(|_, options| {
            let runtime = options.runtime.as_secs_f64();
            (runtime > 0.0 && runtime < BURST_S).then(|| {
                format!(
                    "{} fit into the burst of a volume that runs on credits: what is measured may not last. An EBS gp2 \
                     volume holds 3,000 IOPS for 30 minutes and more.",
                    typed_seconds(runtime)
                )
            })
        }),
    risk("no-latency", Misleading, "fio HOWTO: gtod_reduce")
        .fio(|job, _| says(without_latency(job), "gtod_reduce=1 leaves out every latency: a volume that stalls or queues looks as good as one that does not.")),
    risk("latency-of-the-queue", Misleading, "Little's law")
        .fio(|job, options| {
            let depth = in_flight(options);
            if depth < 16 || options.bounds.steers() || !meets_the_volume(options) || !job.rates().is_empty() || without_latency(job) || options.engine.name == "null" {
                return None;
            }
            let alone = match (options.iodepth > 1 && !waits(options), options.numjobs > 1) {
                (true, true) => "iodepth=1 and numjobs=1",
                (false, true) => "numjobs=1",
                _ => "iodepth=1",
            };
            let line = time_in_line(depth, job.mean_block() as u64);
            Some(format!(
                "With {} in flight the latency is that of waiting in line: {line}. The volume's own latency shows with {alone}.",
                count(depth)
            ))
        }),
    risk("iops-of-depth-one", Misleading, "Little's law").fio(|job, options| {
        let alone = in_flight(options) == 1 && meets_the_volume(options) && job.rates().is_empty();
        let time = if job.think().is_some() { "(latency + rest)" } else { "latency" };
        alone.then(|| {
            format!(
                "One I/O at a time measures latency. Its IOPS are 1 / {time}, and say nothing about what the volume does \
                 in parallel."
            )
        })
    }),
    risk("copies-in-step", Misleading, "fio HOWTO: numjobs, offset_increment")
        .fio(|_, options| {
            let shared = options.filename.is_some() && !apart(options);
            if options.pattern.random || options.numjobs < 2 || !shared || options.engine.name == "null" {
                return None;
            }
            let then = match options.pattern.destroys() {
                true => format!("each is written {} times", options.numjobs),
                false => "what one has read a cache may hold for the others".to_owned(),
            };
            Some(format!(
                "The {} copies go through the same blocks in the same order: {then}. offset_increment sets them apart.",
                options.numjobs
            ))
        }),
    risk("false-alarms", Misleading, "fio HOWTO: verify, numjobs, offset_increment")
        .fio(|job, options| {
            let shared = options.filename.is_some() && options.numjobs > 1 && !apart(options);
            let others = job.also_written_by.join(" and ");
            let who = match (shared, others.is_empty()) {
                (true, _) => format!("The {} copies", options.numjobs),
                (false, false) => format!("This job and {others}"),
                (false, true) => return None,
            };
            // A pattern without a header is the same whoever writes it.
            let alike = matches!(options.verify.kind, "pattern" | "null");
            (options.verify.is_on() && options.verify.reads_back && options.pattern.writes && !alike).then(|| {
                format!(
                    "{who} write the same blocks, and each checks what it wrote itself: fio can report corruption where \
                     the volume is sound. A part of its own for each (offset_increment, offset) avoids that. plimsoll \
                     knows the last writer of a block."
                )
            })
        }),
    risk("offset-of-one-copy", Wrong, "fio HOWTO: offset_increment")
        .fio(|_, options| {
            let step = options.offset_increment;
            let alone = options.numjobs == 1 && !matches!(step, Amount::Bytes(0) | Amount::Percent(0));
            alone.then(|| {
                format!(
                    "offset_increment ({}) has no effect: it sets copies of one job (numjobs) apart, and there is one. \
                     Several jobs are set apart by offset.",
                    share(step)
                )
            })
        }),
    risk("chance-in-order", Wrong, "fio HOWTO: rw, random_distribution, percentage_random")
        .fio(|job, options| {
            let by_chance = ["random_distribution", "percentage_random", "norandommap"];
            let typed = by_chance.iter().find(|name| job.typed(name).is_some())?;
            let in_order = !options.pattern.random && stage(options) != Stage::Elsewhere;
            in_order.then(|| {
                format!("{typed} has no effect: this rw goes in order. At random places go randread, randwrite and randrw.")
            })
        }),
    risk("rate-is-a-ceiling", Misleading, "fio HOWTO: rate, rate_iops")
        .fio(|job, _| says(!job.rates().is_empty() && !job.rests_below_its_rate(), "A rate shows whether the volume bears it, not how much it would bear; and after a stall fio catches \
                 up above the rate.")),
    risk("unwritten-reads", Misleading, "fio HOWTO: create_serialize, fallocate")
        .fio(|_, options| {
            let device = options.filename.as_deref().is_some_and(is_device);
            let sized = matches!(options.size, Some(Amount::Bytes(_))) || options.filesize > 0;
            if !options.pattern.reads || device || !sized {
                return None;
            }
            let laid_out = match options.allow_file_create {
                true => "A file that is missing or too short is written whole before the test, and by fio also where it \
                         holds somebody's data.",
                false => "No file is made (--readonly or allow_file_create=0): without one that is long enough the job \
                          fails.",
            };
            Some(format!(
                "{laid_out} One that is long enough is read as it is: where it was never written (a hole, reserved \
                 space) no disk is asked."
            ))
        }),
    risk("unwritten-writes", Misleading, "fio HOWTO: fallocate, overwrite")
        .fio(|_, options| {
            let device = options.filename.as_deref().is_some_and(is_device);
            let new = options.pattern.writes && !options.pattern.reads && options.allow_file_create;
            let what = match options.fallocate {
                "none" | "0" | "truncate" => "is sparse: the first write to a block allocates it and",
                _ => "only has its space reserved (fallocate): the first write to a block",
            };
            let again = if options.unlink { "" } else { " A second run over the same file is another test." };
            (new && !device && !options.overwrite).then(|| {
                format!("A new file {what} changes the file system's records too.{again} overwrite=1 writes it before.")
            })
        }),
    risk("other-caches", Note, "Azure documentation: disk caching, and warming the cache before a benchmark")
        .fio(|_, options| says(options.pattern.reads && options.direct, "direct=1 passes the page cache of this machine and no other: a cache of the host, the array or the \
                 disk may answer, and it may be cold now and warm later. Repeat until the figure stays.")),
    risk("same-places", Note, "fio HOWTO: randrepeat")
        .fio(|job, options| {
            if !options.pattern.random || !options.randrepeat {
                return None;
            }
            let how = if job.typed("randrepeat").is_some() { "randrepeat=1" } else { "randrepeat=1, the default," };
            Some(format!(
                "{how} visits the same places in the same order in every run: a second run may find them in a cache. \
                 randrepeat=0 changes that."
            ))
        }),
    risk("each-by-itself", Note, "fio HOWTO: group_reporting")
        .fio(|_, options| {
            (options.numjobs > 1 && !options.group_reporting).then(|| {
                format!(
                    "Without group_reporting each of the {} copies is reported by itself; the sum stands in the last \
                     lines only.",
                    options.numjobs
                )
            })
        }),
    risk("long-blocks", Note, "EBS user guide: I/O characteristics")
        .fio(|job, options| {
            let block = options.issued_blocks().max().unwrap_or(0);
            let up_to = if job.is_mixed() { "up to " } else { "" };
            let moves = options.pattern.reads || options.pattern.writes;
            (block > 256 << 10 && moves).then(|| {
                format!(
                    "Blocks of {up_to}{} measure bandwidth: the kernel may cut them, and providers count them in units of their \
                     own (256 KiB for EBS SSD), so that fio's IOPS are not the provider's.",
                    bytes(block)
                )
            })
        }),
    risk("trailing-comma", Note, "fio HOWTO: parameter types")
        .fio(|job, _| {
            let (name, value) = job.job.echo.iter().find(|(_, value)| value.ends_with(','))?;
            Some(format!(
                "The comma at the end of {name}={value} leaves what follows (trims) at its default; the values before \
                 it are for reads and writes."
            ))
        }),
    risk("name-inside-a-section", Note, HOWTO)
        .job_file(|text| {
            let mut section = "";
            for line in text.lines().map(str::trim) {
                if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                    section = name;
                } else if let Some(name) = line.strip_prefix("name=").filter(|name| *name != section) {
                    return Some(format!(
                        "name={name} inside [{section}] renames the job: it is reported as {name}."
                    ));
                }
            }
            None
        }),
];

/// Most I/Os in flight, over all copies.
fn in_flight(options: &JobOptions) -> u64 {
    let waits = waits(options) || (options.engine.name == "libaio" && !options.direct);
    let each = if waits { 1 } else { u64::from(options.iodepth) };
    each * u64::from(options.numjobs)
}

/// Whether each I/O waits for the volume: it bypasses the page cache, is stable on completion, or is a random read.
/// Writes to the cache and reads that the kernel reads ahead wait for the volume in another way.
fn meets_the_volume(options: &JobOptions) -> bool {
    let stable = options.time.sync != SyncMode::None || options.fsync == 1 || options.fdatasync == 1;
    let past = options.direct && !options.engine.maps_files();
    past || (options.pattern.writes && stable) || (options.pattern.reads && options.pattern.random)
}

/// Whether no latency is reported.
fn without_latency(job: &PlannedJob) -> bool {
    job.typed("gtod_reduce").is_some_and(|value| value != "0")
}

/// The time that `ios` I/Os take on a slow and on a fast volume, in words: by bandwidth from 128 KiB on, by IOPS below.
fn at_two_rates(job: &PlannedJob, ios: u64) -> String {
    const LARGE: f64 = 131_072.0;
    let block = job.mean_block();
    let (slow, fast, rates) = match block >= LARGE {
        true => (100.0 * MIB / block, 1024.0 * MIB / block, ["100 MiB/s", "1 GiB/s"]),
        false => (3e3, 1e5, ["3,000 IOPS", "100,000"]),
    };
    let time = |rate: f64| match job.takes_s(ios, rate) {
        time if time < 1.0 => "less than a second".to_owned(),
        time => seconds(time.round()),
    };
    let what = job.described(ios);
    if (ios as f64) < slow {
        return format!("{what} are {} at {}", time(slow), rates[0]);
    }
    format!("{what} are {} at {} and {} at {}", time(slow), rates[0], time(fast), rates[1])
}

/// Risks that apply only to files and devices of this machine.
const OF_FILES: &[&str] = &[
    "destroys-device",
    "overwrites-file",
    "no-size",
    "buffered-libaio",
    "no-direct",
    "unwritten-reads",
    "unwritten-writes",
    "other-caches",
    "flush-figures",
    "copies-in-step",
    "false-alarms",
];

/// Risks that also apply if no block of storage is read or written.
const OF_ANYTHING: &[&str] =
    &["starts-a-command", "each-by-itself", "trailing-comma", "not-storage", "no-latency"];

/// Whether the risk `id` can apply to a job whose I/O goes to `stage`.
pub fn concerns(id: &str, stage: Stage) -> bool {
    match stage {
        Stage::Here => true,
        Stage::Elsewhere => !OF_FILES.contains(&id),
        Stage::Nowhere => OF_ANYTHING.contains(&id),
    }
}

const MIB: f64 = 1_048_576.0;
