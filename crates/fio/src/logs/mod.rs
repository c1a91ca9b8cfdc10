//! fio's log files: rows of bandwidth, rates, latencies and histograms, made while the load runs.
//!
//! [`Logs`] receives I/Os in batches and returns text for each file along the way, so that nothing is lost if a run is
//! cut off, and memory does not grow with the run.

mod aggregate;
mod histograms;
mod row;
mod window;

use std::path::{Path, PathBuf};

use record::{Interval, IoTrace, StepRecord};
use workload::{Nanos, StepPlan};

use super::asked::{FioJob, FioRequest};
use super::engines::Engine;
use super::logging::LogOptions;
use super::options::JobOptions;
use aggregate::AggregateLogs;
use histograms::{Histograms, Rows};
use row::{Row, number_of};
use window::{LoggedIo, Part, Window, Windows};

/// Kinds of logs with a row for each I/O or window; each name is part of the file name.
const KINDS: [&str; 5] = ["bw", "iops", "slat", "clat", "lat"];
const BANDWIDTH: usize = 0;
const IOPS: usize = 1;
const SLAT: usize = 2;
const CLAT: usize = 3;
const LAT: usize = 4;

/// A log file, and the rows that are to be appended to it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LogFile {
    path: PathBuf,
    text: String,
}

/// The logs of a run: those of the current step, and those over all jobs.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    aggregate: Option<AggregateLogs>,
    /// Logs of each worker, in the order of the plan; `None` if its job keeps no log.
    workers: Vec<Option<WorkerLogs>>,
    files: Vec<LogFile>,
}

/// The logs of one worker.
#[derive(Clone, Debug)]
struct WorkerLogs {
    options: LogOptions,
    /// Index into the files, by kind; `None` if that log is not kept.
    files: [Option<usize>; 5],
    histogram_file: Option<usize>,
    /// Whether the job issues reads, writes and trims.
    issued: [bool; 3],
    /// When reading back began after all writes, on the run's clock: from then on, windows without writes are no stall.
    reads_back_from: Option<Nanos>,
    bytes: [u64; 3],
    /// Whether the bandwidth log has a row for each I/O.
    single_rates: bool,
    has_slat: bool,
    /// Whether windows without any I/O get a row.
    stalls: bool,
    /// When the run's clock showed zero, in milliseconds since 1970; 0 if times count from the job's start.
    epoch_ms: u64,
    /// When the job started, after its ramp, on the run's clock.
    origin: Option<Nanos>,
    windows: Option<Windows>,
    histograms: Option<Histograms>,
}

/// Whether a job issues reads, writes and trims: a mix of 0 or 100 % issues one of its directions only.
fn issued(options: &JobOptions) -> [bool; 3] {
    let pattern = options.pattern;
    let both = pattern.reads && pattern.writes;
    let of = |asks: bool, percent: u8| asks && !(both && percent == 0);
    [of(pattern.reads, options.rwmix_read), of(pattern.writes, 100 - options.rwmix_read), pattern.trims]
}

impl Logs {
    /// Returns the logs of `asked`, before its first step.
    pub fn new(asked: &FioRequest) -> Logs {
        let aggregate = asked.presentation.bandwidth_log.then(AggregateLogs::default);
        Logs { aggregate, ..Logs::default() }
    }

    /// Begins the step `plan`, whose clock was zero at `zero_unix_ms`. Rows of earlier steps stay.
    pub fn begin(&mut self, asked: &FioRequest, plan: &StepPlan, zero_unix_ms: u64) {
        (self.workers, self.files) = (Vec::new(), Vec::new());
        for worker in &plan.workers {
            let job = asked.jobs.iter().find(|job| job.label == worker.job);
            let kept =
                job.filter(|job| job.options.logs.any()).map(|job| self.keep(job, asked, zero_unix_ms));
            self.workers.push(kept);
        }
    }

    fn keep(&mut self, job: &FioJob, asked: &FioRequest, zero_unix_ms: u64) -> WorkerLogs {
        let options = job.options.logs.clone();
        let jobs = &job.options;
        let latency = |shown: bool| options.latency.as_ref().filter(|_| shown);
        let windowed = options.window > Nanos::ZERO;
        let prefixes = [
            options.bandwidth.as_ref(),
            options.iops.as_ref(),
            latency(jobs.slat),
            latency(jobs.clat),
            latency(jobs.lat),
        ];
        let mut files = [None; 5];
        for ((place, prefix), kind) in files.iter_mut().zip(prefixes).zip(KINDS) {
            *place = prefix.map(|prefix| self.file(prefix, kind, job));
        }
        let histogram = options.histogram.as_ref().filter(|_| options.keeps_histograms() && jobs.clat);
        let histogram_file = histogram.map(|prefix| self.file(prefix, "clat_hist", job));
        WorkerLogs {
            files,
            histogram_file,
            issued: issued(jobs),
            reads_back_from: None,
            bytes: jobs.bs,
            single_rates: jobs.windows,
            has_slat: submits_apart(&jobs.engine),
            stalls: asked.presentation.stalls,
            epoch_ms: if options.wall_clock { zero_unix_ms } else { 0 },
            origin: None,
            windows: windowed.then(|| Windows::new(options.window)),
            histograms: histogram_file.map(|_| Histograms::new(&options)),
            options,
        }
    }

    /// Index of a log file; jobs that do not have their own files share one.
    fn file(&mut self, prefix: &str, kind: &str, job: &FioJob) -> usize {
        let prefix = if prefix.is_empty() { job.name.as_str() } else { prefix };
        let path = PathBuf::from(match job.options.logs.per_job {
            true => format!("{prefix}_{kind}.{}.log", job.number + 1),
            false => format!("{prefix}_{kind}.log"),
        });
        let known = self.files.iter().position(|file| file.path == path);
        known.unwrap_or_else(|| {
            self.files.push(LogFile { path, text: String::new() });
            self.files.len() - 1
        })
    }

    /// Paths of the files, each once. They are created before the load, so that none is missing without I/O.
    pub fn paths(&self) -> Vec<PathBuf> {
        let of_all = self.aggregate.iter().flat_map(|_| AggregateLogs::paths());
        of_all.chain(self.files.iter().map(|file| file.path.clone())).collect()
    }

    /// Adds an interval of one job.
    pub fn interval(&mut self, interval: &Interval) {
        self.aggregate.iter_mut().for_each(|logs| logs.take(interval));
    }

    /// Adds I/Os of the worker at index `worker` in the plan, in the order of completion.
    pub fn traced(&mut self, worker: usize, ios: &[IoTrace]) {
        let Some(Some(kept)) = self.workers.get_mut(worker) else { return };
        for io in ios.iter().filter(|io| io.errno == 0) {
            // An I/O that is not counted belongs to the ramp, or reads back after the last write.
            let is_read_back = !io.counted && kept.origin.is_some();
            if is_read_back {
                kept.reads_back_from.get_or_insert(io.due);
            }
            if let Some(direction) = number_of(io.direction).filter(|_| io.counted || is_read_back) {
                kept.take(io, direction, &mut self.files);
            }
        }
    }

    /// Ends the step: the remaining I/Os become rows.
    pub fn end(&mut self, record: &StepRecord) {
        for (kept, totals) in self.workers.iter_mut().zip(&record.workers) {
            if let Some(kept) = kept.take() {
                kept.finish(totals.ended, &mut self.files);
            }
        }
        self.aggregate.iter_mut().for_each(AggregateLogs::finish);
    }

    /// Passes each file's new rows to `append`.
    pub fn drain(&mut self, mut append: impl FnMut(&Path, &str)) {
        for file in self.files.iter_mut().filter(|file| !file.text.is_empty()) {
            append(&file.path, &file.text);
            file.text.clear();
        }
        if let Some(aggregate) = &mut self.aggregate {
            aggregate.drain(append);
        }
    }
}

/// Whether the engine submits I/Os in a separate call, so that there is a submission latency.
fn submits_apart(engine: &Engine) -> bool {
    engine.backend() == Some(workload::BackendKind::Libaio)
}

impl WorkerLogs {
    fn take(&mut self, io: &IoTrace, direction: u8, files: &mut [LogFile]) {
        let origin = *self.origin.get_or_insert(io.due.min(io.done));
        let done = io.done.since(origin);
        let (lat, clat) = (io.done.since(io.due).0, io.done.since(io.issued).0);
        let latencies = [lat.saturating_sub(clat), clat, lat];
        let counted = LoggedIo { done, direction, bytes: u64::from(io.bytes), latencies };
        if let (Some(histograms), Some(file)) = (&mut self.histograms, self.histogram_file) {
            let epoch_ms = if self.epoch_ms > 0 { self.epoch_ms + origin.0 / 1_000_000 } else { 0 };
            let mut rows = Rows { text: &mut files[file].text, bytes: self.bytes, epoch_ms };
            histograms.count(&counted, &mut rows);
        }
        let Some(windows) = &mut self.windows else {
            self.single(io, (direction, latencies), files);
            return;
        };
        let mut over = Vec::new();
        windows.count(&counted, &mut over);
        over.iter().for_each(|window| self.window(window, files));
    }

    /// Time of a row in milliseconds; `since` is measured from the job's start.
    fn time_ms(&self, since: Nanos) -> u64 {
        match self.epoch_ms {
            0 => since.0 / 1_000_000,
            epoch_ms => epoch_ms + (self.origin.unwrap_or(Nanos::ZERO) + since).0 / 1_000_000,
        }
    }

    /// Writes the rows of a single I/O. Its bandwidth is bytes over completion latency, in units of 1000, as in fio.
    fn single(&self, io: &IoTrace, (direction, latencies): (u8, [u64; 3]), files: &mut [LogFile]) {
        let [slat, clat, lat] = latencies;
        let bandwidth = (u64::from(io.bytes) * 1_000_000).checked_div(clat).unwrap_or(0);
        let row = Row {
            time_ms: self.time_ms(io.done.since(self.origin.unwrap_or(io.due))),
            direction,
            bytes: io.bytes,
            offset: io.offset,
            ..Row::default()
        };
        let issued_ns = io.issued.since(self.origin.unwrap_or(io.due)).0;
        for (kind, value) in [(BANDWIDTH, bandwidth), (IOPS, 1), (SLAT, slat), (CLAT, clat), (LAT, lat)] {
            let empty = (kind == SLAT && !self.has_slat) || (kind == BANDWIDTH && !self.single_rates);
            if let Some(file) = self.files[kind].filter(|_| !empty) {
                let issued_ns = if matches!(kind, SLAT | CLAT) { issued_ns } else { 0 };
                Row { value, greatest: value, issued_ns, ..row }.write(&mut files[file].text, &self.options);
            }
        }
    }

    /// Writes the rows of a window: rates even if there was no I/O, latencies only if there are any.
    fn window(&self, window: &Window, files: &mut [LogFile]) {
        let reads_back =
            self.reads_back_from.is_some_and(|from| window.end > from.since(self.origin.unwrap_or(from)));
        let issued = if reads_back { [true, false, false] } else { self.issued };
        for (direction, part) in (0..).zip(&window.parts) {
            let row = Row { time_ms: self.time_ms(window.end), direction, ..Row::default() };
            if part.ios > 0 || (self.stalls && issued[usize::from(direction)]) {
                self.rates((window, part), row, files);
            }
            for (kind, values) in [SLAT, CLAT, LAT].into_iter().zip(&part.latencies) {
                let empty = kind == SLAT && !self.has_slat;
                if let (Some(file), Some((value, greatest))) =
                    (self.files[kind].filter(|_| !empty), values.mean_and_greatest())
                {
                    Row { value, greatest, ..row }.write(&mut files[file].text, &self.options);
                }
            }
        }
    }

    fn rates(&self, (window, part): (&Window, &Part), row: Row, files: &mut [LogFile]) {
        for (kind, value) in [(BANDWIDTH, window.rate(part.bytes) / 1024), (IOPS, window.rate(part.ios))] {
            if let Some(file) = self.files[kind] {
                Row { value, greatest: value, ..row }.write(&mut files[file].text, &self.options);
            }
        }
    }

    fn finish(mut self, ended: Nanos, files: &mut [LogFile]) {
        let Some(origin) = self.origin else { return };
        let ended = ended.since(origin);
        if let Some(windows) = self.windows.take() {
            let mut over = Vec::new();
            windows.finish(ended, &mut over);
            over.iter().for_each(|window| self.window(window, files));
        }
        if let (Some(mut histograms), Some(file)) = (self.histograms.take(), self.histogram_file) {
            let epoch_ms = if self.epoch_ms > 0 { self.epoch_ms + origin.0 / 1_000_000 } else { 0 };
            histograms.write(ended, &mut Rows { text: &mut files[file].text, bytes: self.bytes, epoch_ms });
        }
    }
}
