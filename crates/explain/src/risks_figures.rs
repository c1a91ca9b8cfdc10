//! Misleading aspects of the figures that a fio command gives. Data: a risk is a row.

use super::about_fio::{done, is_steadied, sends_commands, stage, waits};
use super::depth_fio::{
    depends_on, in_flight, is_held_by_the_cache, meets_the_volume, time_in_line, without_latency,
};
use super::figures::{bandwidth, bytes, count, seconds, typed_seconds};
use super::files_fio::{apart, is_device, is_of_ebs, number_of_files, on_files_only, share, stores_nothing};
use super::risk::Level::{Misleading, Note, Wrong};
use super::risk::{Risk, risk, says};
use fio::{Amount, Stage};
use workload::{Direction, SyncMode};

/// Time in seconds for which a volume with burst credits may sustain its burst.
const BURST_S: f64 = 1800.0;
/// Length in bytes from which on bandwidth bounds a volume before its credits in I/Os do.
const UNCREDITED: f64 = 65_536.0;
/// Bandwidth in bytes a second that no volume has, nor memory.
const BEYOND: f64 = 1e12;
const HOWTO: &str = "fio HOWTO";

/// Every row.
pub static ROWS: &[Risk] = &[
    risk("no-direct", Misleading, "fio HOWTO: direct")
        .fio(|_, options| {
            if options.direct || options.engine.name == "null" || sends_commands(options) {
                return None;
            }
            let pattern = options.pattern;
            if options.engine.maps_files() {
                return Some("mmap goes through the page cache, whatever direct says: the figures can be those of memory.".to_owned());
            }
            if options.pre_read && pattern.reads {
                return Some("pre_read=1 reads the file into the page cache first: the reads come from memory.".to_owned());
            }
            let synced = options.fsync > 0 || options.fdatasync > 0 || options.time.sync != SyncMode::None;
            let at_the_end = options.end_fsync || options.fsync_on_close;
            if at_the_end && options.loops <= 1 && !synced && pattern.writes && !pattern.reads {
                return Some(
                    "There is no direct=1, and the only flush comes at the end: until then writes end in the page cache, and \
                     their latencies are those of memory."
                        .to_owned(),
                );
            }
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
            let whole = runtime + options.ramp_time.as_secs_f64();
            // Rates and rests may let it do less than all in that time.
            if options.time_based || runtime <= 0.0 || is_steadied(options) || job.figures().least_s > whole {
                return None;
            }
            let earlier = job.ios().and_then(|ios| {
                let rate = ios as f64 * job.mean_block() * f64::from(options.numjobs) / whole;
                let own = if job.runs_beside_others { " of its own" } else { "" };
                (rate <= BEYOND).then(|| format!("at more than {}{own} it ends earlier, when", bandwidth(rate)))
            });
            if job.fills_the_volume() {
                return Some(format!("{} is only the longest that it may take; it ends earlier if no space is left.", typed_seconds(runtime)));
            }
            Some(format!(
                "There is no time_based: {} is only the longest that it may take; {} {}{}.",
                typed_seconds(runtime),
                earlier.as_deref().unwrap_or("it ends earlier if"),
                done(job),
                if options.numjobs > 1 { " by each copy" } else { "" }
            ))
        }),
    risk("no-set-time", Misleading, "fio HOWTO: runtime")
        .fio(|job, options| {
            let ios = job.ios()?;
            if options.engine.name == "null" || options.pattern.trims && on_files_only(options) {
                return None;
            }
            let ends_itself = is_steadied(options) || options.bounds.steers() || job.fills_the_volume();
            if options.runtime.0 > 0 || ios == 0 || ends_itself {
                return None;
            }
            let takes = match job.held_s(ios).filter(|&time| time >= ios as f64 / 1e5) {
                Some(time) => format!(
                    "No time is set: at the rates that it is held to, {} take {} on a volume that bears them, and \
                     longer on one that does not.",
                    job.counted(ios),
                    seconds(if time < 10.0 { time } else { time.round() })
                ),
                None if !options.pattern.reads && !options.pattern.writes => format!(
                    "How long {} take depends on the volume, and trims of any length may take the same time.",
                    job.counted(ios)
                ),
                None => format!(
                    "How long it takes depends on {}. Two volumes are measured for different times, and a fast run may \
                     lie wholly inside a burst.",
                    depends_on(job, ios)
                ),
            };
            let checks = options.verify.is_on() && options.pattern.writes && options.verify.reads_back;
            Some(match job.typed("time_based").is_some_and(|value| value != "0") {
                _ if checks => format!("{takes} With a time fio may end before it has read back what was written."),
                true => format!("{takes} time_based has no effect without runtime, fio drops it: give runtime too."),
                false => format!("{takes} Give runtime and time_based."),
            })
        }),
    risk("shorter-than-a-burst", Misleading, "EBS user guide: I/O credits and burst performance of gp2")
        .fio(|job, options| {
            let runtime = options.runtime.as_secs_f64();
            let is_slow = job.rests_below_its_rate() || !job.rates().is_empty();
            let is_bound = meets_the_volume(options) && job.mean_block() < UNCREDITED && !is_slow;
            (runtime > 0.0 && runtime < BURST_S && is_bound && is_of_ebs(job)).then(|| {
                format!(
                    "{} can lie wholly within a burst on credits: an EBS gp2 volume holds 3,000 IOPS for 30 min and more.",
                    typed_seconds(runtime)
                )
            })
        }),
    risk("no-latency", Misleading, "fio HOWTO: gtod_reduce")
        .fio(|job, _| {
            let by = if job.is_on("gtod_reduce") { "gtod_reduce=1 leaves" } else { "disable_lat, disable_clat and disable_slat leave" };
            without_latency(job).then(|| format!("{by} out every latency: a volume that stalls or queues looks as good as one that does not."))
        }),
    risk("latency-of-the-queue", Misleading, "Little's law")
        .fio(|job, options| {
            let depth = if job.flow.is_some() { 0 } else { in_flight(job) + job.in_flight_beside };
            let flushed = options.pattern.writes && options.fsync.max(options.fdatasync) == 1;
            let moves = options.pattern.reads || options.pattern.writes;
            if depth < 16 || flushed || !moves || options.bounds.steers() || !meets_the_volume(options) || !job.rates().is_empty() || without_latency(job) || options.engine.name == "null" {
                return None;
            }
            let all = [
                (options.iodepth > 1 && !waits(options), "iodepth=1"),
                (options.numjobs > 1, "numjobs=1"),
                (job.in_flight_beside > 0, "no job beside it"),
            ];
            let alone: Vec<&str> = all.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect();
            let alone = alone.join(" and ");
            let line = time_in_line(depth, job.mean_block() as u64);
            let rests = if job.think().is_some() { ", without the rests" } else { "" };
            Some(format!(
                "With {} in flight the latency is that of waiting in line: {line}{rests}. The volume's own latency shows with {alone}.",
                count(depth)
            ))
        }),
    risk("iops-of-depth-one", Misleading, "Little's law").fio(|job, options| {
        let queued = is_held_by_the_cache(options) && options.iodepth > 1;
        let alone = in_flight(job) + job.in_flight_beside == 1 && meets_the_volume(options) && job.rates().is_empty() && !queued && !without_latency(job);
        let flushed = options.pattern.writes && options.fsync.max(options.fdatasync) == 1;
        let time = match (job.think().is_some(), flushed) {
            (true, true) => "(latency + flush + rest)",
            (true, false) => "(latency + rest)",
            (false, true) => "(latency + flush)",
            (false, false) => "latency",
        };
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
            Some(format!(
                "The {} copies go through the same blocks in the same order: a cache may have what one of them read or wrote \
                 when the others come. offset_increment sets them apart.",
                options.numjobs
            ))
        }),
    risk("false-alarms", Misleading, "fio HOWTO: verify, numjobs, offset_increment")
        .fio(|job, options| {
            let shared = options.filename.is_some() && options.numjobs > 1 && (!apart(options) || job.copies_overlap());
            let others = job.also_written_by.join(" and ");
            let who = match (shared, others.is_empty()) {
                (true, _) => format!("The {} copies", options.numjobs),
                (false, false) => format!("This job and {others}"),
                (false, true) => return None,
            };
            // A pattern without a header is the same whoever writes it.
            let alike = matches!(options.verify.kind, "pattern" | "null");
            let cut_off = options.time_based && options.runtime.0 > 0 && waits(options);
            let checks = options.verify.is_on() && options.verify.reads_back && !cut_off;
            (checks && options.pattern.writes && !alike).then(|| {
                format!(
                    "{who} write the same blocks, and each checks what it wrote itself: fio can report corruption where \
                     the volume is sound. A part of its own for each (offset_increment, offset) avoids that. plimsoll \
                     knows the last writer of a block."
                )
            })
        }),
    risk("trims-of-others", Misleading, "fio 3.33, by its errors")
        .fio(|job, options| {
            let checks = options.verify.is_on() && options.verify.reads_back && options.pattern.writes;
            (checks && !job.also_trimmed_by.is_empty()).then(|| {
                format!(
                    "{} may trim blocks that this job has written and is still to check: fio then ends with \"verify: bad magic \
                     header\" where the volume is sound.",
                    job.also_trimmed_by.join(" and ")
                )
            })
        }),
    risk("one-trace", Wrong, "fio HOWTO: write_iolog")
        .fio(|job, options| {
            let trace = job.typed("write_iolog").filter(|_| options.numjobs > 1 || job.shares_its_trace)?;
            Some(format!(
                "All jobs write their traces into {trace}, one behind the other: it may be of no use to replay. Each needs a \
                 write_iolog of its own."
            ))
        }),
    risk("false-alarms-of-a-mix", Misleading, "fio 3.33, by its errors")
        .fio(|job, options| {
            let verify = &options.verify;
            let checks = verify.is_on() && !verify.only && verify.reads_back && verify.backlog == 0;
            let has_header = !matches!(verify.kind, "pattern" | "null");
            if checks && has_header && job.is_mix && job.goes_in_order(Direction::Write) && number_of_files(options) > 1 && options.pattern.writes {
                return Some("fio can report corruption (\"bad header rand_seed\") where the volume is sound: this mix goes through several files in \
                             turn. A single file or verify_backlog avoids that.".to_owned());
            }
            says(checks && has_header && job.writes_again_in_another_order(), "fio can report corruption (\"bad header rand_seed\") where the volume is sound: this mix writes \
                 blocks again, in another order than before. rw=randwrite or verify_backlog avoids that.")
        }),
    risk("overlapping-blocks", Misleading, "fio HOWTO: bs_unaligned, verify")
        .fio(|_, options| {
            let overlaps = options.bs_unaligned && options.pattern.random && (options.pattern.writes || options.verify.only);
            says(overlaps && options.verify.is_on(), "With bs_unaligned random writes overlap each other, and fio can report corruption where the volume is \
                 sound.")
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
            let by_chance = ["random_distribution", "percentage_random", "norandommap", "random_generator"];
            let typed: Vec<&str> = by_chance.into_iter().filter(|name| job.typed(name).is_some()).collect();
            let have = if typed.len() > 1 { "have" } else { "has" };
            let in_order = !typed.is_empty() && !options.pattern.random && stage(options) != Stage::Elsewhere;
            in_order.then(|| {
                format!("{} {have} no effect: this rw goes in order. At random places go randread, randwrite and randrw.", typed.join(" and "))
            })
        }),
    risk("share-without-a-mix", Wrong, "fio HOWTO: rwmixread, rwmixwrite")
        .fio(|job, options| {
            let typed = ["rwmixread", "rwmixwrite"].into_iter().find(|name| job.typed(name).is_some())?;
            let says = if options.pattern.reads { "reads" } else { "writes" };
            let told = || format!("{typed} has no effect: this rw only {says}. A mix is rw or randrw.");
            (!job.is_mix && !options.pattern.trims && stage(options) != Stage::Elsewhere).then(told)
        }),
    risk("flushes-of-a-reader", Note, "fio HOWTO: fsync, fdatasync, end_fsync, fsync_on_close, sync")
        .fio(|job, options| {
            let flushes = ["fsync", "fdatasync", "end_fsync", "fsync_on_close", "sync"];
            let typed = flushes.iter().find(|name| job.typed(name).is_some_and(|value| value != "0" && value != "none"))?;
            let only_reads = options.pattern.reads && !options.pattern.writes && !options.pattern.trims;
            only_reads.then(|| format!("{typed} has no effect: the job writes nothing."))
        }),
    risk("rate-is-a-ceiling", Misleading, "fio HOWTO: rate, rate_iops")
        .fio(|job, _| says(!job.rates().is_empty() && !job.rests_below_its_rate(), "A rate shows whether the volume bears it, not how much it would bear; and after a stall fio catches \
                 up above the rate.")),
    risk("unwritten-reads", Misleading, "fio HOWTO: create_serialize, fallocate")
        .fio(|job, options| {
            let device = options.filename.as_deref().is_some_and(|name| is_device(name) || stores_nothing(name));
            let sized = matches!(options.size, Some(Amount::Bytes(_))) || options.filesize > 0;
            if !job.counts_as_reading || device || !sized || job.made_by_others {
                return None;
            }
            if job.is_on("create_on_open") {
                return Some("No file is written before (create_on_open=1): reads of one that is missing or too short fail.".to_owned());
            }
            let laid_out = match options.allow_file_create {
                true => "A file that is missing or too short is written whole before the test, and by fio also where it \
                         holds somebody's data.",
                false if job.changes_nothing => "No file is made (--readonly): without one that is long enough the job fails.",
                false => "No file is made (allow_file_create=0): without one that is long enough the job fails, and fio removes \
                          one that is too short.",
            };
            let holes = match options.pattern.reads {
                true => " One that is long enough is read as it is: where it was never written (a hole, reserved space) no disk \
                         is asked.",
                false => "",
            };
            Some(format!("{laid_out}{holes}"))
        }),
    risk("unwritten-writes", Misleading, "fio HOWTO: fallocate, overwrite")
        .fio(|job, options| {
            let device = options.filename.as_deref().is_some_and(|name| is_device(name) || stores_nothing(name));
            let new = options.pattern.writes && !options.pattern.reads && options.allow_file_create;
            let has_no_size = !matches!(options.size, Some(Amount::Bytes(_))) && options.filesize == 0;
            let new = new && !job.counts_as_reading && !job.made_by_others;
            let what = match options.fallocate {
                "none" | "0" | "truncate" => "is sparse: the first write to a block allocates it and",
                _ => "only has its space reserved (fallocate): the first write to a block",
            };
            let again = if options.unlink { "" } else { " A second run over the same file is another test." };
            // What is mapped is written whole before, and what is filled is not reserved.
            let is_usual = !options.engine.maps_files() && !job.fills_the_volume() && !has_no_size;
            (new && !device && !options.overwrite && is_usual).then(|| {
                format!("A new file {what} changes the file system's records too.{again} overwrite=1 writes it before.")
            })
        }),
    risk("other-caches", Note, "Azure documentation: disk caching, and warming the cache before a benchmark")
        .fio(|_, options| says(options.pattern.reads && options.direct, "direct=1 passes the page cache of this machine and no other: a cache of the host, the array or the \
                 disk may answer, and it may be cold now and warm later. Repeat until the figure stays.")),
    risk("same-places", Note, "fio HOWTO: randrepeat")
        .fio(|job, options| {
            // Who checks what an earlier run wrote must go where that run went.
            let checks = options.verify.is_on() && !options.pattern.writes;
            if !options.pattern.random || !options.pattern.reads || !options.repeats() || checks {
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
                     lines of the text only.",
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
            // The last of two values is also that of trims.
            let typed: Vec<&str> = value.split(',').collect();
            let of = |way: usize| typed[way.min(typed.len() - 1)];
            let left = ["reads", "writes", "trims"].into_iter().enumerate().filter(|(way, _)| of(*way).is_empty());
            let left: Vec<&str> = left.map(|(_, name)| name).collect();
            Some(format!("The commas of {name}={value} leave {} at their default.", left.join(" and ")))
        }),
    risk("global-in-capitals", Wrong, "fio HOWTO: job file format")
        .job_file(|text| {
            let heading = text.lines().map(str::trim).find(|line| line.eq_ignore_ascii_case("[global]") && *line != "[global]")?;
            Some(format!(
                "{heading} is a job like any other, with the options below it: only [global] in lower-case letters holds \
                 for all jobs."
            ))
        }),
    risk("name-inside-a-section", Note, HOWTO)
        .job_file(|text| {
            let mut section = "";
            for line in text.lines().map(str::trim) {
                if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                    section = name;
                } else if let Some(name) = line.strip_prefix("name=").filter(|name| *name != section) {
                    return Some(match section {
                        "global" => format!(
                            "name={name} inside [global] has no effect: each job has the name of its section."
                        ),
                        _ => format!(
                            "name={name} inside [{section}] renames the job: it is reported as {name}, while its own files are \
                             named after {section}."
                        ),
                    });
                }
            }
            None
        }),
];
