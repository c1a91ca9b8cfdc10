//! What the data are that a job of fio writes, and options without effect.

use super::about_fio::waits;
use super::files_fio::{is_device, number_of_files};
use super::load::PlannedJob;
use fio::JobOptions;
use workload::{Buffers, Shape};

/// Options that say what the data are.
const OF_DATA: [&str; 8] = [
    "zero_buffers",
    "refill_buffers",
    "scramble_buffers",
    "buffer_pattern",
    "buffer_compress_percentage",
    "dedupe_percentage",
    "dedupe_mode",
    "dedupe_working_set_percentage",
];

/// What the written data are, if an option says something of them.
pub fn data(job: &PlannedJob) -> Option<String> {
    let options = job.options();
    let typed = job.typed("buffer_compress_percentage").filter(|typed| !matches!(*typed, "" | "0"));
    if let Some(typed) = typed.filter(|_| options.pattern.writes && options.compress_percentage == 0) {
        return Some(format!(
            "Nothing of its data is made to compress (buffer_compress_percentage={typed})."
        ));
    }
    if options.pattern.writes && options.verify.pattern.is_some() {
        return Some(match options.verify.kind {
            "pattern" => "Its data are the typed pattern (verify_pattern).".to_owned(),
            _ => "Its data are headers and the typed pattern (verify_pattern).".to_owned(),
        });
    }
    if !options.pattern.writes || !OF_DATA.iter().any(|name| job.typed(name).is_some()) {
        return None;
    }
    let anew = if options.refill_buffers { ", new in each write" } else { "" };
    let shaped = |shape: &Shape| {
        let rest = if shape.rest.is_some() { "the typed pattern" } else { "zeros" };
        let compresses = match shape.compressible_percent {
            0 => None,
            share => Some(format!("{share} % of them are {rest} and compress (buffer_compress_percentage)")),
        };
        let repeats = match shape.duplicate_percent {
            0 => None,
            share => Some(format!("{share} % of the blocks repeat others (dedupe_percentage)")),
        };
        let said: Vec<String> = compresses.into_iter().chain(repeats).collect();
        format!("random{anew}; {}", said.join("; "))
    };
    let said = match &job.first()?.buffers {
        // A check fills each block itself: only the share that compresses has an effect then.
        Buffers::Shaped(shape) if options.verify.is_on() => {
            shaped(&Shape { duplicate_percent: 0, ..shape.clone() })
        }
        _ if options.verify.is_on() => return None,
        Buffers::Shaped(shape) => shaped(shape),
        Buffers::Zero => "zeros".to_owned(),
        Buffers::Pattern(_) => "the typed pattern again and again (buffer_pattern)".to_owned(),
        Buffers::Unique => "random and new in each write (refill_buffers)".to_owned(),
        Buffers::Stamped => {
            "random, filled once, with marks of their own in each write (scramble_buffers)".to_owned()
        }
        Buffers::Repeated => "random, filled once and the same in each write (scramble_buffers=0)".to_owned(),
    };
    Some(format!("Its data are {said}."))
}

/// When options have no effect, and why.
type Idle = fn(&PlannedJob, &JobOptions) -> Option<String>;

fn because(holds: bool, why: &str) -> Option<String> {
    holds.then(|| why.to_owned())
}

/// Options that have no effect in some jobs, and the reason.
#[rustfmt::skip]
const IDLE: &[(&[&str], Idle)] = &[
    (&["log_avg_msec", "log_hist_msec", "log_window_value", "log_offset", "log_compression", "log_unix_epoch", "per_job_logs"], |job, _| {
        let logs = ["write_bw_log", "write_iops_log", "write_lat_log", "write_hist_log"];
        because(logs.iter().all(|log| job.typed(log).is_none()), "no log is written")
    }),
    (&["iodepth_batch", "iodepth_batch_complete_min", "iodepth_batch_complete_max", "iodepth_low"], |_, options| {
        let engine = &options.engine.name;
        match waits(options) {
            true => Some(format!("{engine} waits for each I/O")),
            false => because(options.iodepth < 2, "iodepth is 1"),
        }
    }),
    (&["thinktime_blocks", "thinktime_blocks_type", "thinktime_spin", "thinktime_iotime"], |job, _| {
        because(!job.is_on("thinktime"), "there is no thinktime")
    }),
    (&["do_verify", "verify_fatal", "verify_dump", "verify_backlog", "verify_async", "verify_interval", "verify_offset", "verify_only"], |_, options| {
        because(!options.verify.is_on(), "there is no verify")
    }),
    (&["overwrite", "fallocate", "create_fsync", "create_serialize", "create_on_open"], |_, options| {
        because(options.filename.as_deref().is_some_and(is_device), "a device is not made")
    }),
    (&["refill_buffers", "zero_buffers", "scramble_buffers", "buffer_pattern", "buffer_compress_percentage", "dedupe_percentage"], |_, options| {
        let device = options.filename.as_deref().is_some_and(is_device);
        because(device && !options.pattern.destroys(), "nothing is written")
    }),
    (&["zero_buffers", "buffer_pattern", "dedupe_percentage"], |_, options| {
        let fills = options.verify.is_on() && options.pattern.writes && options.compress_percentage == 0;
        because(fills, "verify fills each block itself")
    }),
    (&["scramble_buffers"], |job, options| {
        because(options.refill_buffers && options.pattern.writes && job.typed("scramble_buffers") == Some("1"), "refill_buffers fills each anew")
    }),
    (&["bs"], |_, options| {
        let pattern = options.pattern;
        let ways = [pattern.reads, pattern.writes && !pattern.trims, pattern.trims].into_iter().zip(&options.bssplit);
        because(ways.into_iter().all(|(issued, split)| !issued || split.is_some()), "bssplit sets all lengths")
    }),
    (&["cmd_type"], |_, options| because(options.engine.name != "io_uring_cmd", "only io_uring_cmd knows it")),
    (&["bs_unaligned"], |job, _| because(!job.is_mixed(), "all blocks have one length")),
    (&["loops"], |_, options| because(options.loops > 1 && options.ends_by_time(), "time alone ends the job")),
    (&["openfiles"], |_, options| because(number_of_files(options) == 1 && options.opendir.is_none(), "there is one file")),
    (&["rate_process", "rate_cycle"], |job, _| because(job.rates().is_empty(), "there is no rate")),
    (&["cpus_allowed_policy"], |_, options| because(options.cpus.is_empty(), "there is no cpus_allowed")),
    (&["stonewall"], |job, _| {
        because(job.job.number == 0 && (job.is_alone || job.runs_beside_others), "no job comes before it")
    }),
    (&["exitall"], |job, options| because(job.is_alone && options.numjobs == 1, "there is one job")),
];

/// Options that were typed and have no effect in this job, with the reason.
pub fn idle(job: &PlannedJob) -> Option<String> {
    let is_typed = |name: &&&str| job.is_on(name) && job.typed(name) != Some("none");
    let said: Vec<String> = IDLE
        .iter()
        .filter_map(|(names, why)| {
            let typed: Vec<&str> = names.iter().filter(is_typed).copied().collect();
            let why = why(job, job.options()).filter(|_| !typed.is_empty())?;
            let have = if typed.len() == 1 { "has" } else { "have" };
            Some(format!("{} {have} no effect: {why}.", typed.join(" and ")))
        })
        .collect();
    (!said.is_empty()).then(|| said.join(" "))
}
