//! The collector: merges the sheets of all workers into intervals and totals, and determines when an interval is final.

use std::sync::atomic::Ordering;

use record::{DirectionTotals, Observer, WorkerTotals};
use workload::{Direction, Nanos, StepPlan, Totals, WorkerPlan};

use super::rows::{JobTimes, Row, Rows};
use super::sheet::{Track, Tracks, are_all};
use super::{CollectorEnd, Part, Remainder, Sheet};
use crate::rules::{Rules, Schedule, Timetable};

/// The collector's state of one worker.
#[derive(Debug)]
struct WorkerRecord {
    end: CollectorEnd,
    job: u16,
    schedule: Schedule,
    /// When the worker was over; `None` while it is at work.
    ended: Option<Nanos>,
    totals: WorkerTotals,
    /// Totals of the worker's ramp, which count if the ramp alone did the whole amount.
    ramp: Option<WorkerTotals>,
    /// Whether the record of each of the worker's I/Os is kept.
    keeps_ios: bool,
    /// Whether reads after the worker's counting may be made only for verification.
    reads_back: bool,
}

/// Merges sheets. It runs on the coordinating thread, which may allocate.
#[derive(Debug)]
pub(crate) struct Collector {
    timetable: Timetable,
    jobs: Vec<String>,
    workers: Vec<WorkerRecord>,
    rows: Rows,
    /// Jobs that restarted their counting, with the time of the restart, not reported yet.
    restarts: Vec<(u16, Nanos)>,
}

impl Collector {
    /// Makes a collector for the workers of `plan`, with an end and a schedule for each.
    pub(crate) fn new(
        plan: &StepPlan,
        ends: Vec<(CollectorEnd, Schedule)>,
        timetable: Timetable,
    ) -> Collector {
        assert!(
            ends.len() == plan.workers.len(),
            "{} collector ends of {} workers",
            ends.len(),
            plan.workers.len()
        );
        let step = plan;
        let mut jobs: Vec<String> = Vec::new();
        let mut worker = |((end, schedule), plan): ((CollectorEnd, Schedule), &WorkerPlan)| {
            let number = jobs.iter().position(|name| *name == plan.job).unwrap_or_else(|| {
                jobs.push(plan.job.clone());
                jobs.len() - 1
            });
            let job = number as u16;
            let totals = WorkerTotals { job, ..WorkerTotals::default() };
            let rules = Rules::of(step, plan);
            let ramp = rules.bytes_in_all.map(|_| WorkerTotals { job, ..WorkerTotals::default() });
            let keeps_ios = plan.terms.totals == Totals::WorkerAndEachIo;
            let reads_back = plan.verify.on().is_some_and(|verification| verification.when.reads_back());
            WorkerRecord { end, job, schedule, ended: None, totals, ramp, keeps_ios, reads_back }
        };
        let workers = ends.into_iter().zip(&plan.workers).map(&mut worker).collect();
        let rows = Rows::new(timetable, jobs.len());
        Collector { timetable, jobs, workers, rows, restarts: Vec::new() }
    }

    /// Takes in everything that the workers have handed over; returns the rows that became final, in order of time.
    pub(crate) fn collect(&mut self) -> Vec<Row> {
        // Read before the rings are emptied: everything from earlier intervals is in the rings by then.
        // A worker that has not been told to begin has nothing to hand over.
        let at_work = self
            .workers
            .iter()
            .filter(|worker| worker.ended.is_none() && worker.schedule.start != Nanos::MAX);
        let reached = at_work.map(|worker| worker.end.progress.interval.load(Ordering::Acquire)).min();
        for number in 0..self.workers.len() {
            self.empty(number);
        }
        let mut finals = Vec::new();
        while reached.is_some_and(|reached| self.rows.first() < reached) {
            let times = self.times(None);
            finals.push(self.rows.next(&times));
        }
        finals
    }

    fn empty(&mut self, number: usize) {
        while let Ok(sheet) = self.workers[number].end.sheets.pop() {
            self.take(number, &sheet);
            let given_back = self.workers[number].end.spares.push(sheet);
            assert!(given_back.is_ok(), "the ring of spares has no room for a sheet that came from it");
        }
    }

    /// Passes the I/Os of traced workers to `watcher`.
    pub(crate) fn tell(&mut self, watcher: &mut dyn Observer) {
        for (number, worker) in self.workers.iter_mut().enumerate() {
            if let Some(traces) = &mut worker.end.traces {
                let mut kept = worker.keeps_ios.then_some(&mut worker.totals.ios);
                traces.empty(|chunk| {
                    watcher.traced(number, chunk);
                    kept.iter_mut().for_each(|kept| kept.extend_from_slice(chunk));
                });
            }
            if let Some(issues) = &mut worker.end.issues {
                issues.empty(|chunk| watcher.issued(number, chunk));
            }
        }
    }

    /// Sets the times of worker `number`.
    pub(crate) fn begun(&mut self, number: usize, schedule: Schedule) {
        assert!(self.workers[number].schedule.start == Nanos::MAX, "worker {number} begins twice");
        self.workers[number].schedule = schedule;
    }

    /// Notes that worker `number` was over at `ended` and has left `remainder`.
    pub(crate) fn over(&mut self, number: usize, ended: Nanos, remainder: Option<&Remainder>) {
        self.empty(number);
        assert!(self.workers[number].ended.is_none(), "worker {number} is over twice");
        self.workers[number].ended = Some(ended);
        if let Some(remainder) = remainder {
            self.take(number, &remainder.sheet);
            let worker = &mut self.workers[number];
            if let Some(trace) = remainder.trace.as_ref().filter(|_| worker.keeps_ios) {
                worker.totals.ios.extend_from_slice(trace);
            }
        }
    }

    /// Adds a sheet of worker `number` to its row and to its totals.
    fn take(&mut self, number: usize, sheet: &Sheet) {
        if let Some(at) = sheet.restarted {
            self.restart(number, at);
        }
        self.rows.add(self.workers[number].job, sheet);
        match sheet.part {
            Part::Ramp => self.workers[number].ramp.iter_mut().for_each(|totals| add_sheet(totals, sheet)),
            Part::Counted => {
                let totals = &mut self.workers[number].totals;
                add_sheet(totals, sheet);
                totals.ended = self.timetable.end_of(sheet.index);
            }
            Part::Cool => self.workers[number].take_read_back(sheet),
        }
    }

    /// Discards the counts of worker `number` from before `at`.
    fn restart(&mut self, number: usize, at: Nanos) {
        let worker = &mut self.workers[number];
        worker.schedule.counted_from = at;
        worker.totals = WorkerTotals { job: worker.job, ..WorkerTotals::default() };
        self.rows.restart(worker.job);
        self.restarts.push((worker.job, at));
    }

    /// Reports to `watcher` the jobs that restarted their counting.
    pub(crate) fn tell_restarts(&mut self, watcher: &mut dyn Observer) {
        self.restarts.drain(..).for_each(|(job, at)| watcher.restarted(job, at));
    }

    /// Returns the totals of all workers as far as their sheets have been handed over.
    pub(crate) fn so_far(&self) -> Vec<WorkerTotals> {
        self.workers.iter().map(|worker| with_service(worker.so_far())).collect()
    }

    /// Returns the remaining rows, the totals and the jobs. A worker of unknown end is over at `ended`.
    pub(crate) fn finish(mut self, ended: Nanos) -> (Vec<Row>, Vec<WorkerTotals>, Vec<String>) {
        let last = self.timetable.index_at(ended);
        let times = self.times(Some(ended));
        let mut rows = Vec::new();
        while !self.rows.is_empty() || self.rows.first() <= last {
            rows.push(self.rows.next(&times));
        }
        let totals = self.workers.into_iter().map(|worker| with_service(worker.into_totals())).collect();
        (rows, totals, self.jobs)
    }

    /// The times of each job; workers still at work end at `ended`.
    fn times(&self, ended: Option<Nanos>) -> Vec<JobTimes> {
        let mut times = vec![None; self.jobs.len()];
        for worker in &self.workers {
            let job: &mut Option<JobTimes> = &mut times[usize::from(worker.job)];
            let ended = worker.ended.or(ended).unwrap_or(Nanos::MAX);
            *job = Some(match *job {
                None => JobTimes::of(&worker.schedule, ended),
                Some(others) => others.joined(JobTimes::of(&worker.schedule, ended)),
            });
        }
        times.into_iter().map(|job| job.unwrap_or(JobTimes::UNKNOWN)).collect()
    }
}

impl WorkerRecord {
    /// The totals of all sheets handed over.
    fn so_far(&self) -> WorkerTotals {
        let ended = self.totals.ended.min(self.ended.unwrap_or(Nanos::MAX)).min(self.schedule.deadline);
        WorkerTotals { started: self.schedule.counted_from.min(ended), ended, ..self.totals.clone() }
    }

    /// Returns the totals of the worker after its ramp; if it did its whole amount in the ramp, those of the ramp.
    fn into_totals(self) -> WorkerTotals {
        let has_counted = self.totals.directions.iter().any(|way| way.tally.ops > 0);
        match self.ramp {
            Some(ramp) if !has_counted => {
                let WorkerTotals { read_back, ios, .. } = self.totals;
                WorkerTotals { read_back, ios, ..ramp }
            }
            _ => self.totals,
        }
    }

    /// Adds reads made after all writes for verification. A worker that goes on after its time, to keep up the load for
    /// others, reads for its load as well, so nothing is added.
    fn take_read_back(&mut self, sheet: &Sheet) {
        let goes_on = self.schedule.over > self.schedule.deadline;
        let read = &sheet.tracks[Direction::Read.index()];
        if let (true, false, Some(track)) = (self.reads_back, goes_on, read) {
            add_track(&mut self.totals.read_back.get_or_insert_default().reads, track);
        }
    }
}

fn add_sheet(totals: &mut WorkerTotals, sheet: &Sheet) {
    add_tracks(&mut totals.directions, &sheet.tracks);
    totals.files.resize_with(sheet.files.len(), Default::default);
    totals.files.iter_mut().zip(&sheet.files).for_each(|(mine, tracks)| add_tracks(mine, tracks));
    add_counts(totals, sheet);
}

fn add_tracks(totals: &mut [DirectionTotals; 4], tracks: &Tracks) {
    for (total, track) in totals.iter_mut().zip(tracks) {
        track.iter().for_each(|track| add_track(total, track));
    }
}

fn add_track(total: &mut DirectionTotals, track: &Track) {
    total.tally.merge(&track.tally);
    total.latency.merge(&track.latency());
    assert!(are_all(&total.latency, total.tally.ops), "a worker's operations are not the sum of its buckets");
    if let Some(service) = &track.service {
        total.service.merge(&service.distribution(track.tally.ops));
    }
    if let Some(submission) = &track.submission {
        total.submission.merge(&submission.handed_over());
    }
}

fn add_counts(totals: &mut WorkerTotals, sheet: &Sheet) {
    let counts = &sheet.counts;
    let pairs = [
        (&mut totals.depth_counts, &counts.depth),
        (&mut totals.submit_counts, &counts.submit),
        (&mut totals.complete_counts, &counts.complete),
    ];
    for (mine, theirs) in pairs {
        mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
    }
    totals.user_cpu_ns += counts.used.cpu.user.0;
    totals.system_cpu_ns += counts.used.cpu.system.0;
    totals.run_delay_ns += counts.used.run_delay.0;
    totals.context_switches += counts.used.context_switches;
    totals.major_faults += counts.used.major_faults;
    totals.minor_faults += counts.used.minor_faults;
    totals.late += counts.late;
    totals.late_ns_max = totals.late_ns_max.max(counts.late_ns_max);
}

/// Copies latency to service if they are the same: in a closed loop an I/O is issued when it is due.
fn with_service(mut totals: WorkerTotals) -> WorkerTotals {
    let read_back = totals.read_back.iter_mut().map(|back| &mut back.reads);
    let directions = totals.files.iter_mut().chain([&mut totals.directions]).flatten();
    for direction in directions.chain(read_back) {
        if direction.service.is_empty() {
            direction.service = direction.latency.clone();
        }
        assert!(are_all(&direction.service, direction.tally.ops), "service times of another number of I/Os");
    }
    totals
}
