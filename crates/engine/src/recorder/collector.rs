//! The collector: merges the sheets of all workers into intervals and totals, and says when an interval is final.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use record::{Distribution, Interval, WorkerTotals};
use workload::{Nanos, StepPlan};

use super::sheet::Spread;
use super::{Inbox, Sheet};
use crate::rules::Timetable;

/// One interval, one entry a job.
pub(crate) type Row = Vec<Interval>;

/// What the collector knows of one worker.
#[derive(Debug)]
struct Desk {
    inbox: Inbox,
    job: u16,
    totals: WorkerTotals,
}

/// Merges sheets. It runs on the thread that coordinates, which may allocate.
#[derive(Debug)]
pub(crate) struct Collector {
    timetable: Timetable,
    jobs: Vec<String>,
    desks: Vec<Desk>,
    /// Rows from interval `first` on that are not final yet.
    rows: VecDeque<Row>,
    first: u64,
}

impl Collector {
    /// A collector for the workers of `plan`, one inbox each.
    pub(crate) fn new(plan: &StepPlan, inboxes: Vec<Inbox>, timetable: Timetable) -> Collector {
        let mut jobs: Vec<String> = Vec::new();
        let mut desk = |(inbox, job): (Inbox, &String)| {
            let number = jobs.iter().position(|name| name == job).unwrap_or_else(|| {
                jobs.push(job.clone());
                jobs.len() - 1
            });
            let job = number as u16;
            Desk { inbox, job, totals: WorkerTotals { job, ..WorkerTotals::default() } }
        };
        let names = plan.workers.iter().map(|worker| &worker.job);
        let desks = inboxes.into_iter().zip(names).map(&mut desk).collect();
        Collector { timetable, jobs, desks, rows: VecDeque::new(), first: 0 }
    }

    /// Takes in what the workers have handed over; the final rows that this makes come out in order of time.
    pub(crate) fn collect(&mut self) -> Vec<Row> {
        // Looked at before the rings are emptied: whatever is below is in the rings by now.
        let reached =
            self.desks.iter().map(|desk| desk.inbox.progress.interval.load(Ordering::Acquire)).min();
        for number in 0..self.desks.len() {
            while let Ok(sheet) = self.desks[number].inbox.sheets.pop() {
                self.take(number, &sheet);
                // The ring has room for every sheet of the worker.
                let _ = self.desks[number].inbox.spares.push(sheet);
            }
        }
        let mut finals = Vec::new();
        while reached.is_some_and(|reached| self.first < reached) {
            finals.push(self.next_row());
        }
        finals
    }

    /// Adds a sheet of worker `number` to its row and to its totals.
    pub(crate) fn take(&mut self, number: usize, sheet: &Sheet) {
        let job = self.desks[number].job;
        let counted = self.timetable.is_counted(sheet.index);
        // A sheet is never older than the rows that are left; if it were, its I/Os would still be counted once.
        let place = sheet.index.saturating_sub(self.first) as usize;
        while self.rows.len() <= place {
            let row = self.empty_row(self.first + self.rows.len() as u64);
            self.rows.push_back(row);
        }
        let (rows, desks) = (&mut self.rows, &mut self.desks);
        let interval = &mut rows[place][usize::from(job)];
        let totals = &mut desks[number].totals;
        for (direction, track) in sheet.tracks.iter().enumerate() {
            let Some(track) = track else { continue };
            let latency = track.latency();
            let mine = &mut interval.directions[direction];
            mine.tally.merge(&track.tally);
            mine.latency.merge(&latency);
            if counted {
                let total = &mut totals.directions[direction];
                total.tally.merge(&track.tally);
                total.latency.merge(&latency);
                merge(&mut total.service, track.service.as_ref());
                merge(&mut total.submission, track.submission.as_ref());
            }
        }
        interval.late += sheet.counts.late;
        interval.smeared |= sheet.smeared;
        if counted {
            add_counts(totals, sheet);
        }
    }

    /// The rows that are left, the last of which ends at `ended`, and the totals.
    pub(crate) fn finish(mut self, ended: Nanos) -> (Vec<Row>, Vec<WorkerTotals>, Vec<String>) {
        let last = self.timetable.index_at(ended);
        let mut rows = Vec::new();
        while !self.rows.is_empty() || (self.first <= last && !self.jobs.is_empty()) {
            rows.push(self.next_row());
        }
        // Of no length, and nothing ended in it: the step ended exactly at an edge.
        rows.pop_if(|row| row.iter().all(|interval| interval.start >= ended && is_empty(interval)));
        if let Some(row) = rows.last_mut() {
            row.iter_mut().for_each(|interval| interval.end = ended.max(interval.start));
        }
        let totals = self.desks.into_iter().map(|desk| with_service(desk.totals)).collect();
        (rows, totals, self.jobs)
    }

    fn next_row(&mut self) -> Row {
        let row = self.rows.pop_front().unwrap_or_else(|| self.empty_row(self.first));
        self.first += 1;
        row
    }

    /// Nothing has ended in it: a stall shows as zeros, not as a gap.
    fn empty_row(&self, index: u64) -> Row {
        let (start, end) = (self.timetable.start_of(index), self.timetable.end_of(index));
        let counted = self.timetable.is_counted(index);
        (0..self.jobs.len())
            .map(|job| Interval { counted, ..Interval::empty(job as u16, start, end) })
            .collect()
    }
}

fn merge(total: &mut Distribution, spread: Option<&Spread>) {
    if let Some(spread) = spread {
        total.merge(&spread.distribution());
    }
}

fn is_empty(interval: &Interval) -> bool {
    interval.late == 0 && interval.directions.iter().all(|one| one.tally.ops + one.tally.errors == 0)
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
    for direction in &mut totals.directions {
        if direction.service.is_empty() {
            direction.service = direction.latency.clone();
        }
    }
    totals
}
