//! The collector: merges the sheets of all workers into intervals and totals, and says when an interval is final.

use std::sync::atomic::Ordering;

use record::{DirectionTotals, Distribution, Observer, WorkerTotals};
use workload::{Nanos, StepPlan};

use super::rows::{Life, Row, Rows};
use super::sheet::{Spread, Tracks};
use super::{Inbox, Part, Remains, Sheet};
use crate::rules::{Shift, Timetable};

/// What the collector knows of one worker.
#[derive(Debug)]
struct Desk {
    inbox: Inbox,
    job: u16,
    shift: Shift,
    /// When it was over; `None` while it is at work.
    ended: Option<Nanos>,
    totals: WorkerTotals,
}

/// Merges sheets. It runs on the thread that coordinates, which may allocate.
#[derive(Debug)]
pub(crate) struct Collector {
    timetable: Timetable,
    jobs: Vec<String>,
    desks: Vec<Desk>,
    rows: Rows,
}

impl Collector {
    /// A collector for the workers of `plan`, one inbox and shift each.
    pub(crate) fn new(plan: &StepPlan, inboxes: Vec<(Inbox, Shift)>, timetable: Timetable) -> Collector {
        let mut jobs: Vec<String> = Vec::new();
        let mut desk = |((inbox, shift), job): ((Inbox, Shift), &String)| {
            let number = jobs.iter().position(|name| name == job).unwrap_or_else(|| {
                jobs.push(job.clone());
                jobs.len() - 1
            });
            let job = number as u16;
            let totals = WorkerTotals { job, ..WorkerTotals::default() };
            Desk { inbox, job, shift, ended: None, totals }
        };
        let names = plan.workers.iter().map(|worker| &worker.job);
        let desks = inboxes.into_iter().zip(names).map(&mut desk).collect();
        let rows = Rows::new(timetable, jobs.len());
        Collector { timetable, jobs, desks, rows }
    }

    /// Takes in what the workers have handed over; the final rows that this makes come out in order of time.
    pub(crate) fn collect(&mut self) -> Vec<Row> {
        // Looked at before the rings are emptied: whatever is below is in the rings by now.
        // Who has not been told to begin has nothing to hand over.
        let at_work = self.desks.iter().filter(|desk| desk.ended.is_none() && desk.shift.start != Nanos::MAX);
        let reached = at_work.map(|desk| desk.inbox.progress.interval.load(Ordering::Acquire)).min();
        for number in 0..self.desks.len() {
            self.empty(number);
        }
        let mut finals = Vec::new();
        while reached.is_some_and(|reached| self.rows.first() < reached) {
            let lives = self.lives(None);
            finals.push(self.rows.next(&lives));
        }
        finals
    }

    fn empty(&mut self, number: usize) {
        while let Ok(sheet) = self.desks[number].inbox.sheets.pop() {
            self.take(number, &sheet);
            // The ring has room for every sheet of the worker.
            let _ = self.desks[number].inbox.spares.push(sheet);
        }
    }

    /// Tells `watcher` of the I/Os of workers that are traced.
    pub(crate) fn tell(&mut self, watcher: &mut dyn Observer) {
        for (number, desk) in self.desks.iter_mut().enumerate() {
            if let Some(traces) = &mut desk.inbox.traces {
                traces.tell(number, watcher);
            }
        }
    }

    /// Worker `number` knows its times.
    pub(crate) fn begun(&mut self, number: usize, shift: Shift) {
        self.desks[number].shift = shift;
    }

    /// Worker `number` was over at `ended` and has left `remains`.
    pub(crate) fn over(&mut self, number: usize, ended: Nanos, remains: Option<&Remains>) {
        self.empty(number);
        self.desks[number].ended = Some(ended);
        if let Some(remains) = remains {
            self.take(number, &remains.sheet);
            self.desks[number].totals.untraced = remains.trace.as_ref().map_or(0, |trace| trace.lost);
        }
    }

    /// Adds a sheet of worker `number` to its row and to its totals.
    fn take(&mut self, number: usize, sheet: &Sheet) {
        self.rows.add(self.desks[number].job, sheet);
        if sheet.part != Part::Counted {
            return;
        }
        let totals = &mut self.desks[number].totals;
        add_tracks(&mut totals.directions, &sheet.tracks);
        totals.files.resize_with(sheet.files.len(), Default::default);
        totals.files.iter_mut().zip(&sheet.files).for_each(|(mine, tracks)| add_tracks(mine, tracks));
        add_counts(totals, sheet);
    }

    /// The rows that are left, and the totals. A worker of which nothing is known is over at `ended`.
    pub(crate) fn finish(mut self, ended: Nanos) -> (Vec<Row>, Vec<WorkerTotals>, Vec<String>) {
        let last = self.timetable.index_at(ended);
        let lives = self.lives(Some(ended));
        let mut rows = Vec::new();
        while !self.rows.is_empty() || self.rows.first() <= last {
            rows.push(self.rows.next(&lives));
        }
        let totals = self.desks.into_iter().map(|desk| with_service(desk.totals)).collect();
        (rows, totals, self.jobs)
    }

    /// When each job is at work; whoever is still at it ends at `ended`.
    fn lives(&self, ended: Option<Nanos>) -> Vec<Life> {
        let mut lives = vec![None; self.jobs.len()];
        for desk in &self.desks {
            let life: &mut Option<Life> = &mut lives[usize::from(desk.job)];
            let ended = desk.ended.or(ended).unwrap_or(Nanos::MAX);
            *life = Some(match *life {
                None => Life::of(&desk.shift, ended),
                Some(others) => others.joined(Life::of(&desk.shift, ended)),
            });
        }
        lives.into_iter().map(|life| life.unwrap_or(Life::UNBORN)).collect()
    }
}

fn add_tracks(totals: &mut [DirectionTotals; 4], tracks: &Tracks) {
    for (total, track) in totals.iter_mut().zip(tracks) {
        let Some(track) = track else { continue };
        total.tally.merge(&track.tally);
        total.latency.merge(&track.latency());
        merge(&mut total.service, track.service.as_ref());
        merge(&mut total.submission, track.submission.as_ref());
    }
}

fn merge(total: &mut Distribution, spread: Option<&Spread>) {
    if let Some(spread) = spread {
        total.merge(&spread.distribution());
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
    totals.late += counts.late;
    totals.late_ns_max = totals.late_ns_max.max(counts.late_ns_max);
}

/// In a closed loop an I/O is issued when it is due, so that both spans are one.
fn with_service(mut totals: WorkerTotals) -> WorkerTotals {
    for direction in totals.files.iter_mut().chain([&mut totals.directions]).flatten() {
        if direction.service.is_empty() {
            direction.service = direction.latency.clone();
        }
    }
    totals
}
