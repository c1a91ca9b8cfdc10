//! Risks of a fio command: data that is lost, and words that do not do what they seem to. Data: a risk is a row.

use super::about_fio::{sends_commands, stage, waits};
use super::data_fio::idle;
use super::depth_fio::{is_held_by_the_cache, queues_by_file, without_latency};
use super::files_fio::{
    covers_all, is_device, is_named_like_a_device, names_of, on_a_drive, on_files_only, stores_nothing,
};
use super::load::PlannedJob;
use super::plain::WITHOUT_EFFECT;
use super::reach::lost_part;
use super::risk::Level::{Danger, Misleading, Wrong};
use super::risk::{Risk, risk, says};
use fio::{Amount, Stage};
use workload::{Act, SyncMode};

/// Bytes of the least block that any disk has, and of the least that many have.
const SECTOR: u64 = 512;
const LONG_SECTOR: u64 = 4096;

/// Whether the job's reads or writes go past the page cache to a disk.
fn is_past_the_cache(job: &PlannedJob) -> bool {
    let options = job.options();
    let is_stored = !options.filename.as_deref().is_some_and(stores_nothing);
    options.direct
        && is_stored
        && !sends_commands(options)
        && !options.engine.maps_files()
        && options.engine.is_real()
}

/// Every row.
pub static ROWS: &[Risk] = &[
    risk("destroys-device", Danger, "fio HOWTO: filename")
        .fio(|job, options| {
            let names = options.filename.as_ref().filter(|name| is_device(name))?.replace(':', " and ");
            let pattern = options.pattern;
            let how = if pattern.writes { "writes over the device itself" } else { "trims the device itself" };
            (pattern.destroys() && options.engine.act() == Act::Move).then(|| match lost_part(job) {
                None if covers_all(job) => format!("Everything on {names} is lost: the job {how}."),
                None => format!("Data on {names} is lost: the job {how}."),
                Some(part) => format!("Data on {names} is lost ({part}): the job {how}."),
            })
        }),
    risk("deletes-file", Danger, "fio HOWTO: unlink").fio(|job, options| {
        let name = options.filename.as_ref().filter(|name| !is_device(name) && !stores_nothing(name))?;
        let names = names_of(job).unwrap_or_else(|| name.replace(':', " and "));
        let deletes = options.unlink && options.engine.is_real();
        deletes.then(|| format!("{names} is deleted with all that is in it when the job ends (unlink)."))
    }),
    risk("overwrites-file", Danger, "fio HOWTO: filename")
        .fio(|job, options| {
            let moves = options.engine.act() == Act::Move;
            if let Some(place) = options.opendir.as_ref().filter(|_| moves && options.pattern.writes) {
                return Some(format!("What is in the files below {place} is overwritten without a question."));
            }
            let kept = |name: &&String| is_device(name) || stores_nothing(name) || options.file_append;
            let name = options.filename.as_ref().filter(|name| !kept(name))?;
            let names = names_of(job).unwrap_or_else(|| name.replace(':', " and "));
            let exists = if name.contains(':') { "exist" } else { "exists" };
            let pattern = options.pattern;
            let how = match options.engine.act() {
                Act::Move if pattern.trims => "is lost with plimsoll, which gives its blocks back, and not with fio,",
                Act::Move if pattern.writes => "is overwritten",
                Act::Reserve if pattern.trims => "is lost, as its blocks are given back,",
                Act::Cut if pattern.writes => "is cut off",
                _ => return None,
            };
            let part = lost_part(job).map_or(String::new(), |part| format!(" ({part})"));
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
            let path = on_a_drive(job)?;
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
            (options.pattern.trims && on_files_only(options)).then(|| {
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
            // Of these two it prints none.
            let has_figures = !matches!(options.engine.name.as_str(), "cpuio" | "exec");
            (stage(options) == Stage::Nowhere && has_figures).then(|| {
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
                let cached = if options.direct { "libaio or io_uring" } else { "io_uring, or libaio with direct=1" };
                format!(
                    "iodepth={} has no effect: {} waits for each I/O, so that one is in flight. Take {cached}.",
                    options.iodepth, options.engine.name
                )
            })
        }),
    risk("one-per-file", Wrong, "glibc manual: Asynchronous I/O; aio(7)")
        .fio(|_, options| {
            (queues_by_file(options) && options.iodepth > options.nrfiles).then(|| {
                format!(
                    "iodepth={} is not reached: with posixaio the C library does the I/Os of a file one after the other. \
                     Take io_uring, or libaio with direct=1.",
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
        .fio(|job, _| {
            let odd = job.off_the_unit(SECTOR).filter(|_| is_past_the_cache(job))?;
            Some(format!(
                "{odd} is no multiple of 512: with direct=1 such an I/O fails with \"Invalid argument\", and fio ends."
            ))
        }),
    risk("parts-of-a-page", Misleading, "open(2): O_DIRECT; fio issue 186")
        .fio(|job, _| {
            let is_odd = job.off_the_unit(SECTOR).is_some() || !is_past_the_cache(job);
            let odd = job.off_the_unit(LONG_SECTOR).filter(|_| !is_odd)?;
            Some(format!(
                "{odd} is no multiple of 4 KiB: with direct=1 it fails (\"Invalid argument\") on disks whose sectors have 4 KiB."
            ))
        }),
    risk("draws-without-a-place", Wrong, "fio 3.33, by its I/O counts")
        .fio(|job, _| says(job.draws_no_place(), "zipf, pareto and normal draws count in the shortest length of all directions: fio finds hardly any place for \
             longer blocks, leaves them out or ends at once, with exit code 0. Give bs one length.")),
    risk(WITHOUT_EFFECT, Wrong, "fio HOWTO").fio(|job, _| idle(job)),
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
];
