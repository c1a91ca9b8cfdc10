//! Words of these tests: what is typed, what is on the disk, what has happened.

use std::io;
use std::path::Path;

use fio::{
    Clock, DiskUse, FioError, FioReport, FioRequest, FioStep, OnDisk, OnDiskKind, PlannedSteps, Request,
    Surroundings, parse, steps,
};
use record::{Distribution, Histogram, Interval, IoFailure, StepRecord, Tally, WorkerTotals};
use workload::{Bytes, Direction, Ending, Nanos, StepKind, StepPlan};

/// Splits a command line at blanks, without the word `fio`.
pub fn line(words: &str) -> Vec<String> {
    words.split_whitespace().filter(|word| *word != "fio").map(str::to_owned).collect()
}

/// What a command line comes to on a machine with 64 CPUs, one job file `job.fio` and the variable `BS`.
pub fn request(words: &[String], job_file: &str) -> Result<Request, FioError> {
    let read = |path: &str| match path {
        "job.fio" | "deep/job.fio" => Ok(job_file.to_owned()),
        "folder" => Err(io::Error::other("it is a folder")),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    let variable = |name: &str| (name == "BS").then(|| "8k".to_owned());
    let around = Surroundings {
        read: &read,
        bytes: &|_| Ok(b"pattern".to_vec()),
        below: &|_| Ok(Vec::new()),
        variable: &variable,
        entropy: 7,
        cpus: 64,
        memory: Bytes::gib(2),
        page: Bytes(4096),
    };
    parse(words, &around)
}

/// The load that a command line asks for.
pub fn asked(words: &str) -> FioRequest {
    asked_with_file(words, "")
}

/// The load that a command line and `job.fio` ask for.
pub fn asked_with_file(words: &str, job_file: &str) -> FioRequest {
    match request(&line(words), job_file) {
        Ok(Request::Run(asked)) => *asked,
        other => panic!("{words}: {other:?}"),
    }
}

/// The load that `job.fio` alone asks for.
pub fn asked_by_file(job_file: &str) -> FioRequest {
    asked_with_file("fio job.fio", job_file)
}

/// Why a command line is refused.
pub fn refused(words: &str) -> FioError {
    match request(&line(words), "") {
        Err(error) => error,
        Ok(request) => panic!("{words}: not refused but {request:?}"),
    }
}

/// Why `job.fio` is refused.
pub fn refused_file(job_file: &str) -> FioError {
    match request(&line("job.fio"), job_file) {
        Err(error) => error,
        Ok(request) => panic!("{job_file}: not refused but {request:?}"),
    }
}

/// A disk with these files; names in `/dev` are devices, and names that end in `/` are directories.
pub fn disk<'d>(files: &'d [(&'d str, u64)]) -> impl Fn(&Path) -> Option<OnDisk> + 'd {
    move |path| {
        let known = |name: &str| Path::new(name.trim_end_matches('/')) == path;
        let (name, bytes) = files.iter().find(|(name, _)| known(name))?;
        let kind = match (name.starts_with("/dev/"), name.ends_with('/')) {
            (true, _) => OnDiskKind::Device { held_by: name.contains("held").then(|| "/mnt".to_owned()) },
            (_, true) => OnDiskKind::Directory,
            _ => OnDiskKind::File,
        };
        Some(OnDisk { bytes: *bytes, kind, laid_out: name.contains("ours") })
    }
}

/// The steps of a command line on a disk with `files`.
pub fn planned(words: &str, files: &[(&str, u64)]) -> Result<Vec<FioStep>, FioError> {
    steps(&asked(words), &disk(files)).and_then(PlannedSteps::whole)
}

/// What one clone did, in short.
#[derive(Clone, Debug, Default)]
pub struct Did {
    /// Direction, bytes of one I/O, and the latency of each I/O in nanoseconds.
    pub ios: Vec<(Direction, u64, Vec<u64>)>,
    /// I/Os a second by interval of 500 ms, for every direction with any I/O; their bytes follow from the I/Os.
    pub rates: Vec<u64>,
    /// Run time in milliseconds.
    pub runtime_ms: u64,
    /// Part of every latency before submission, in nanoseconds; 0: no submission of its own.
    pub submission_ns: u64,
    /// An errno that ended it, and the file.
    pub failure: Option<(i32, &'static str)>,
}

/// A distribution of `values` in nanoseconds.
pub fn distribution(values: impl Iterator<Item = u64> + Clone) -> Distribution {
    let mut histogram = Histogram::new();
    values.clone().for_each(|value| histogram.record(value));
    let (min, max) = (values.clone().min(), values.max());
    Distribution::of(&histogram, min.unwrap_or(u64::MAX), max.unwrap_or(0))
}

/// Records of `asked` whose clones did `did`, in order.
pub fn records(asked: &FioRequest, did: &[Did]) -> Vec<StepRecord> {
    (0..asked.step_count())
        .map(|step| {
            let members = asked.jobs.iter().zip(did).filter(|(job, _)| job.step == step);
            record_of(members.map(|(job, did)| (job.label.clone(), did)).collect())
        })
        .collect()
}

fn record_of(members: Vec<(String, &Did)>) -> StepRecord {
    let half = Nanos::from_millis(500);
    let mut record = StepRecord {
        plan: StepPlan {
            name: "step".to_owned(),
            kind: StepKind::Job,
            workers: Vec::new(),
            stop: Vec::new(),
            ramp: Nanos::ZERO,
            interval: half,
            choices: Vec::new(),
        },
        started: Nanos::from_millis(250),
        counted_from: Nanos::from_millis(250),
        ended: Nanos::ZERO,
        ending: Ending::Amount,
        jobs: Vec::new(),
        intervals: Vec::new(),
        workers: Vec::new(),
        failures: Vec::new(),
        notes: Vec::new(),
    };
    for (at, (label, did)) in members.into_iter().enumerate() {
        let job = at as u16;
        record.jobs.push(label);
        record.workers.push(worker(job, did));
        for (number, rate) in did.rates.iter().enumerate() {
            let start = record.started + half * number as u64;
            let mut interval = Interval::empty(job, start, start + half);
            for (direction, bytes, _) in &did.ios {
                let tally = &mut interval.directions[direction.index()].tally;
                (0..rate / 2).for_each(|_| tally.count(*bytes, 1));
            }
            record.intervals.push(interval);
        }
        if let Some((errno, path)) = did.failure {
            let path = path.to_owned();
            let at = Nanos::from_millis(300);
            let direction = Direction::Write;
            record.failures.push(IoFailure { at, direction, path, offset: 8192, bytes: 4096, errno });
            record.ending = Ending::Failed;
        }
    }
    record
}

fn worker(job: u16, did: &Did) -> WorkerTotals {
    let started = Nanos::from_millis(250);
    let mut worker = WorkerTotals {
        job,
        started,
        ended: started + Nanos::from_millis(did.runtime_ms),
        user_cpu_ns: did.runtime_ms * 100_000,
        system_cpu_ns: did.runtime_ms * 250_000,
        context_switches: 12,
        major_faults: 1,
        minor_faults: 34,
        ..WorkerTotals::default()
    };
    for (direction, bytes, latencies) in &did.ios {
        let totals = &mut worker.directions[direction.index()];
        let mut tally = Tally::default();
        latencies.iter().for_each(|&latency| tally.count(*bytes, latency));
        totals.tally = tally;
        totals.latency = distribution(latencies.iter().copied());
        totals.service = distribution(latencies.iter().map(|latency| latency - did.submission_ns));
        if did.submission_ns > 0 {
            totals.submission = distribution(latencies.iter().map(|_| did.submission_ns));
        }
        if *direction != Direction::Flush {
            worker.depth_counts[0] += latencies.len() as u64;
            worker.submit_counts[1] += latencies.len() as u64;
            worker.complete_counts[1] += latencies.len() as u64;
        }
    }
    worker
}

/// Everything that a result is printed from, at a fixed time.
pub fn presented<'a>(asked: &'a FioRequest, steps: &[StepRecord]) -> FioReport<'a> {
    FioReport {
        asked,
        steps: steps.to_vec(),
        clock: Clock { unix_ms: 1_795_230_179_351, words: "Sat Nov 21 03:02:59 2026".to_owned() },
        started_unix_ms: 1_795_230_177_000,
        elapsed: Nanos::from_millis(2_250),
        pid: 4242,
        disks: Vec::<DiskUse>::new(),
        failed: Vec::new(),
        notes: Vec::new(),
        idle: None,
    }
}
