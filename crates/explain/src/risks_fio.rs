//! Risky and misleading aspects of a fio command. Data: a risk is a row.

use super::about_fio::{done, is_steadied, sends_commands, stage, waits};
use super::depth_fio::{
    depends_on, in_flight, is_held_by_the_cache, meets_the_volume, queues_by_file, without_latency,
};
use super::figures::{bytes, count, seconds, typed_seconds};
use super::files_fio::{
    apart, covers_all, is_device, is_named_like_a_device, names_of, part, share, stores_nothing,
};
use super::load::time_in_line;
use super::risk::Level::{Danger, Misleading, Note, Wrong};
use super::risk::{Risk, risk, says};
use fio::{Amount, Stage};
use workload::{Act, Direction, SyncMode};

/// Time in seconds for which a volume with burst credits may sustain its burst.
const BURST_S: f64 = 1800.0;
/// Bandwidth in MB/s that no volume has, nor memory.
const BEYOND_MB_S: f64 = 1e6;
const HOWTO: &str = "fio HOWTO";

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
            let kept = |name: &&String| is_device(name) || stores_nothing(name) || options.file_append;
            let name = options.filename.as_ref().filter(|name| !kept(name))?;
            let names = names_of(job).unwrap_or_else(|| name.replace(':', " and "));
            let exists = if name.contains(':') { "exist" } else { "exists" };
            let pattern = options.pattern;
            let how = match options.engine.act() {
                Act::Move if pattern.writes => "is overwritten",
                Act::Move if pattern.trims => "is lost with plimsoll, which gives its blocks back,",
                Act::Reserve if pattern.trims => "is lost, as its blocks are given back,",
                Act::Cut if pattern.writes => "is cut off",
                _ => return None,
            };
            let part = part(job).map_or(String::new(), |part| format!(" ({part})"));
            pattern
                .destroys()
                .then(|| format!("If {names} {exists}, what is in it{part} {how} without a question."))
        }),
    risk("commands-to-a-file", Wrong, "fio HOWTO: ioengine io_uring_cmd, sg")
        .fio(|job, options| {
            let is_of_files = job.files().0.iter().any(|path| !path.starts_with("/dev"));
            (sends_commands(options) && is_of_files).then(|| {
                format!("{} sends commands to devices: with a file fio ends at once.", options.engine.name)
            })
        }),
    risk("empty-logs", Wrong, "fio HOWTO: gtod_reduce, log_avg_msec")
        .fio(|job, options| {
            let is_logged = ["write_bw_log", "write_iops_log"].iter().any(|log| job.typed(log).is_some());
            let is_windowed = job.is_on("log_avg_msec");
            says(without_latency(job) && is_logged && !is_windowed && options.engine.act() == Act::Move, "With gtod_reduce=1 logs of bandwidth and rates stay empty; log_avg_msec fills them.")
        }),
    risk("stores-nothing", Wrong, "null(4), zero(4)")
        .fio(|_, options| {
            let name = options.filename.as_ref().filter(|name| stores_nothing(name))?;
            Some(format!("{name} stores nothing: no data is lost, and the figures are those of memory."))
        }),
    risk("zones-without-a-mode", Wrong, "fio HOWTO: zonemode, zonesize")
        .fio(|_, options| {
            let is_alone = options.zonesize > 0 && !options.strided && !options.zoned_device;
            says(is_alone, "fio ends at once: zonesize needs zonemode=strided or zonemode=zbd.")
        }),
    risk("colon-in-a-path", Wrong, "fio HOWTO: filename, directory")
        .fio(|job, _| {
            let path = ["filename", "directory"].iter().find_map(|name| {
                let is_drive = |path: &&str| path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
                job.typed(name).filter(is_drive)
            })?;
            Some(format!(
                "{path}: fio takes a colon for the end of a name; for a drive write {}\\:{}.",
                &path[..1],
                &path[2..]
            ))
        }),
    risk("one-report", Misleading, "fio HOWTO: group_reporting, new_group")
        .fio(|job, _| {
            (!job.reported_with.is_empty()).then(|| {
                format!(
                    "group_reporting adds {} into the report of {}: neither is reported alone. new_group or stonewall keeps \
                     them apart.",
                    job.reported_with.join(" and "),
                    job.job.name
                )
            })
        }),
    risk("trims-a-file", Wrong, "fio source: os/os-linux.h, os_trim")
        .fio(|_, options| {
            let on_files = !options.filename.as_deref().is_some_and(is_device);
            (options.pattern.trims && on_files).then(|| {
                "fio trims devices alone: on a file the first trim fails (\"Inappropriate ioctl for device\") and ends the \
                 job."
                    .to_owned()
            })
        }),
    risk("starts-a-command", Danger, "fio HOWTO: exec_prerun, exec_postrun")
        .fio(|_, options| {
            let both = [("before", &options.exec_prerun), ("after", &options.exec_postrun)];
            let started: Vec<String> =
                both.into_iter().filter_map(|(when, command)| Some(format!("\"{}\" {when} it", command.as_ref()?))).collect();
            let who = if options.numjobs > 1 { "Each copy" } else { "The job" };
            (!started.is_empty()).then(|| format!("{who} starts a command of the shell: {}.", started.join(", and ")))
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
                (None, None) => format!("{}.0.0 and what else has the job's names", job.job.section),
            };
            matches!(options.engine.act(), Act::RemoveFile | Act::RemoveFolder)
                .then(|| format!("What is there already is removed without a question: {names}."))
        }),
    risk("no-size", Wrong, "fio HOWTO: size")
        .fio(|job, options| {
            let device = options.filename.as_deref().is_some_and(is_device);
            let share = matches!(options.size, Some(Amount::Percent(_)));
            let sized = options.size.is_some() && !share || options.filesize > 0;
            let found = options.opendir.is_some() || job.made_by_others;
            if sized || device || found || job.fills_the_volume() || options.engine.name == "null" {
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
                None if share => "The size is a share of a file that is fio's own: unless an earlier run left it there, fio ends \
                                  with \"you need to specify size=\"."
                    .to_owned(),
                None => "There is no size, and the file is fio's own: unless an earlier run left it there, fio ends \
                         with \"you need to specify size=\"."
                    .to_owned(),
            })
        }),
    risk("one-at-a-time", Wrong, "fio HOWTO: iodepth")
        .fio(|_, options| {
            let only_trims = !options.pattern.reads && !options.pattern.writes;
            if only_trims && !options.engine.is_synchronous() && waits(options) && options.iodepth > 1 {
                return Some(format!(
                    "iodepth={} has no effect on trims: fio does them one at a time, whatever the engine.",
                    options.iodepth
                ));
            }
            (waits(options) && options.iodepth > 1).then(|| {
                format!(
                    "iodepth={} has no effect: {} waits for each I/O, so that one is in flight. Take libaio or io_uring.",
                    options.iodepth, options.engine.name
                )
            })
        }),
    risk("one-per-file", Wrong, "glibc manual: Asynchronous I/O; aio(7)")
        .fio(|_, options| {
            (queues_by_file(options) && options.iodepth > options.nrfiles).then(|| {
                format!(
                    "iodepth={} is not reached: with posixaio the C library does the I/Os of a file one after the other. \
                     Take libaio or io_uring.",
                    options.iodepth
                )
            })
        }),
    risk("appends-once", Wrong, "fio 3.33, by its I/O counts")
        .fio(|job, options| {
            let kept = ["loops", "io_size", "time_based"].into_iter();
            let in_vain = kept.filter(|name| *name != "time_based" || !options.pattern.random);
            let in_vain: Vec<&str> = in_vain.filter(|name| job.is_on(name)).collect();
            (options.file_append && !in_vain.is_empty()).then(|| {
                format!(
                    "With file_append fio ends after one pass, whatever {} says; plimsoll does as much as is typed.",
                    in_vain.join(" and ")
                )
            })
        }),
    risk("device-without-a-path", Misleading, "fio HOWTO: filename")
        .fio(|_, options| {
            let names = fio::split_list(options.filename.as_deref()?);
            let name = names.into_iter().find(|name| is_named_like_a_device(name))?;
            Some(format!("{name} is a file in the current directory. The device is /dev/{name}."))
        }),
    risk("parts-of-a-sector", Wrong, "open(2): O_DIRECT")
        .fio(|job, options| {
            let short = [Direction::Read, Direction::Write].into_iter().find_map(|way| job.odd_length(way))?;
            (options.direct && !sends_commands(options) && options.engine.is_real()).then(|| {
                format!(
                    "A length of {} is no multiple of 512: with direct=1 such an I/O fails with \"Invalid argument\", and fio ends.",
                    bytes(short)
                )
            })
        }),
    risk("depth-of-rests", Wrong, "fio HOWTO: thinktime, thinktime_blocks")
        .fio(|job, options| {
            let most = job.most_before_a_rest()?;
            (most < u64::from(options.iodepth) && !waits(options)).then(|| {
                format!(
                    "iodepth={} is not reached: thinktime waits until the queue is empty. With thinktime_blocks=N up to N are in \
                     flight.",
                    options.iodepth
                )
            })
        }),
    risk("buffered-libaio", Wrong, "fio HOWTO: ioengine libaio; io_submit(2)")
        .fio(|_, options| {
            (is_held_by_the_cache(options) && options.iodepth > 1).then(|| {
                format!(
                    "libaio without direct=1 waits for each I/O while it is handed over: iodepth={} is not reached, though fio \
                     reports it, and counts the wait in its latencies.",
                    options.iodepth
                )
            })
        }),
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
            if options.time_based || runtime <= 0.0 || is_steadied(options) {
                return None;
            }
            let earlier = job.ios().and_then(|ios| {
                let all = ios as f64 * job.mean_block() * f64::from(options.numjobs);
                let rate = all / (runtime + options.ramp_time.as_secs_f64()) / 1e6;
                let at = |rate: f64| format!("at more than {} MB/s it ends earlier, when", count(rate.round() as u64));
                (rate <= BEYOND_MB_S).then(|| at(rate))
            });
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
            if options.engine.name == "null" {
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
                    seconds(time.round().max(1.0))
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
            let checks = options.verify.is_on() && options.pattern.writes && waits(options);
            Some(match job.typed("time_based").is_some_and(|value| value != "0") {
                _ if checks => format!("{takes} A time would end it before fio has read back what was written."),
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
            let depth = in_flight(job);
            let flushed = options.pattern.writes && options.fsync.max(options.fdatasync) == 1;
            if depth < 16 || flushed || options.bounds.steers() || !meets_the_volume(options) || !job.rates().is_empty() || without_latency(job) || options.engine.name == "null" {
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
        let queued = is_held_by_the_cache(options) && options.iodepth > 1;
        let alone = in_flight(job) == 1 && meets_the_volume(options) && job.rates().is_empty() && !queued;
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
            let then = match (options.pattern.destroys(), options.pattern.reads) {
                (true, false) => "each writes over what the others wrote",
                (true, true) => "a cache may hold for one what another has read or written",
                (false, true) => "what one has read a cache may hold for the others",
                (false, false) => return None,
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
    risk("overlapping-blocks", Misleading, "fio HOWTO: bs_unaligned, verify")
        .fio(|_, options| {
            let overlaps = options.bs_unaligned && options.pattern.random && options.pattern.writes;
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
            let by_chance = ["random_distribution", "percentage_random", "norandommap"];
            let typed = by_chance.iter().find(|name| job.typed(name).is_some())?;
            let in_order = !options.pattern.random && stage(options) != Stage::Elsewhere;
            in_order.then(|| {
                format!("{typed} has no effect: this rw goes in order. At random places go randread, randwrite and randrw.")
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
            if !job.counts_as_reading || device || !sized || job.made_by_others || job.is_on("create_on_open") {
                return None;
            }
            let laid_out = match options.allow_file_create {
                true => "A file that is missing or too short is written whole before the test, and by fio also where it \
                         holds somebody's data.",
                false if job.changes_nothing => "No file is made (--readonly): without one that is long enough the job fails.",
                false => "No file is made (allow_file_create=0): without one that is long enough the job fails, and fio removes \
                          one that is too short.",
            };
            Some(format!(
                "{laid_out} One that is long enough is read as it is: where it was never written (a hole, reserved \
                 space) no disk is asked."
            ))
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
