//! How deep the queue of a job of fio is, and how long its I/Os take.

use super::about_fio::{sends_commands, stage, waits};
use super::figures::seconds;
use super::load::PlannedJob;
use super::native::places_of;
use fio::{JobOptions, Stage};
use workload::SyncMode;

const MIB: f64 = 1_048_576.0;

/// Most I/Os in flight, over all copies.
pub fn in_flight(job: &PlannedJob) -> u64 {
    let options = job.options();
    let waits = waits(options) || is_held_by_the_cache(options);
    let each = match options.iodepth {
        _ if waits => 1,
        depth if queues_by_file(options) => u64::from(depth.min(options.nrfiles)),
        depth => u64::from(depth),
    };
    job.in_flight(each) * u64::from(options.numjobs)
}

/// Most I/Os in flight of the jobs that run beside each job on one of its devices or folders.
pub fn depths_beside(jobs: &[PlannedJob]) -> Vec<u64> {
    let places: Vec<Vec<String>> = jobs.iter().map(places_of).collect();
    let shares = |one: usize, other: usize| places[other].iter().any(|place| places[one].contains(place));
    let of = |one: usize| {
        let others =
            (0..jobs.len()).filter(|&other| jobs[one].runs_beside(&jobs[other]) && shares(one, other));
        others.map(|other| &jobs[other]).filter(|job| meets_the_volume(job.options())).map(in_flight).sum()
    };
    (0..jobs.len()).map(of).collect()
}

/// Whether each I/O is done by the time that it has been handed over.
pub fn is_held_by_the_cache(options: &JobOptions) -> bool {
    options.engine.name == "libaio" && !options.direct
}

/// Whether the C library does the I/Os of a file one after the other, however many it was given (glibc's aio).
pub fn queues_by_file(options: &JobOptions) -> bool {
    options.engine.name == "posixaio"
}

/// Whether each I/O waits for the volume: it bypasses the page cache, is stable on completion, or is a random read.
/// Writes to the cache and reads that the kernel reads ahead wait for the volume in another way.
pub fn meets_the_volume(options: &JobOptions) -> bool {
    let stable = options.time.sync != SyncMode::None || options.fsync == 1 || options.fdatasync == 1;
    let past = options.direct && !options.engine.maps_files() || sends_commands(options);
    past || (options.pattern.writes && stable) || (options.pattern.reads && options.pattern.random)
}

/// Whether no latency is reported.
pub fn without_latency(job: &PlannedJob) -> bool {
    let options = job.options();
    !options.lat && !options.clat && !options.slat
}

/// What the time of `ios` I/Os depends on, in words.
pub fn depends_on(job: &PlannedJob, ios: u64) -> String {
    let options = job.options();
    let flushed = options.fsync > 0 || options.fdatasync > 0;
    let beside = if job.runs_beside_others { " and the jobs beside it" } else { "" };
    if stage(options) == Stage::Elsewhere {
        return format!("what {} reaches, and the way there{beside}", options.engine.name);
    }
    match meets_the_volume(options) {
        true => format!("the volume{beside}: {}", at_two_rates(job, ios, LARGE)),
        // The page cache collects writes, and reads ahead.
        false if options.pattern.random || flushed => format!("the page cache and the volume{beside}"),
        false => format!("the page cache and the volume{beside}: {}", at_two_rates(job, ios, 0.0)),
    }
}

/// Length in bytes from which on bandwidth, not IOPS, bounds most volumes.
const LARGE: f64 = 131_072.0;

/// The time that `ios` I/Os take on a slow and on a fast volume, in words: by bandwidth if they are at least `large` bytes
/// long, by IOPS below.
fn at_two_rates(job: &PlannedJob, ios: u64, large: f64) -> String {
    let block = job.mean_block();
    let (slow, fast, rates) = match block >= large {
        true => (100.0 * MIB / block, 1024.0 * MIB / block, ["100 MiB/s", "1 GiB/s"]),
        false => (3e3, 1e5, ["3,000 IOPS", "100,000"]),
    };
    let time = |rate: f64| match job.takes_s(ios, rate) {
        time if time < 1.0 => "less than a second".to_owned(),
        time => seconds(time.round()),
    };
    let alone = if job.runs_beside_others { ", by itself" } else { "" };
    let copies = job.options().numjobs;
    let of_each = if copies > 1 { format!(" in each of {copies} copies") } else { String::new() };
    let what = format!("{}{of_each}", job.described(ios));
    let are = if ios == 1 && copies == 1 { "is" } else { "are" };
    if (ios as f64) * f64::from(copies) < slow {
        return format!("{what} {are} {} at {}{alone}", time(slow), rates[0]);
    }
    format!("{what} {are} {} at {} and {} at {}{alone}", time(slow), rates[0], time(fast), rates[1])
}

/// The time that `depth` I/Os of `block` bytes wait in the queue, in words: by IOPS below 64 KiB, else by bandwidth.
pub fn time_in_line(depth: u64, block: u64) -> String {
    match block < 64 << 10 {
        true => format!("depth / IOPS, {} at 5,000 IOPS", seconds(depth as f64 / 5e3)),
        false => {
            format!("depth x block / bandwidth, {} at 200 MB/s", seconds((depth * block) as f64 / 200e6))
        }
    }
}
