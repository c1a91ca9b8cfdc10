//! The private recorder of a worker: sheets filled by time, handed over at interval edges, spares coming back.

mod collector;
mod sheet;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rtrb::{Consumer, Producer, RingBuffer};
use workload::{Direction, Nanos, WorkerPlan};

use crate::rules::Timetable;
pub(crate) use collector::Collector;
pub(crate) use sheet::Sheet;

/// Sheets of a worker: one it writes on, two spares. Two are enough while the collector looks in at least once an
/// interval.
const SHEETS: usize = 3;

/// How far a worker has come; written by it, read by the collector.
#[derive(Debug, Default)]
struct Progress {
    /// Number of the interval it is in: all before it are handed over.
    interval: AtomicU64,
}

/// The collector's ends of a worker's rings.
#[derive(Debug)]
pub struct Inbox {
    sheets: Consumer<Box<Sheet>>,
    spares: Producer<Box<Sheet>>,
    progress: Arc<Progress>,
}

/// Records what one worker does.
#[derive(Debug)]
pub struct Recorder {
    sheet: Box<Sheet>,
    /// End of the interval that `sheet` is for.
    edge: Nanos,
    timetable: Option<Timetable>,
    out: Producer<Box<Sheet>>,
    spares: Consumer<Box<Sheet>>,
    progress: Arc<Progress>,
}

impl Recorder {
    /// A recorder for a worker of `plan`, and what the collector needs to hear from it.
    pub fn new(plan: &WorkerPlan) -> (Recorder, Inbox) {
        let (out, sheets) = RingBuffer::new(SHEETS);
        let (mut back, spares) = RingBuffer::new(SHEETS);
        for _ in 1..SHEETS {
            // The ring holds SHEETS, so all of these fit.
            let _ = back.push(Box::new(Sheet::new(plan)));
        }
        let progress = Arc::new(Progress::default());
        let recorder = Recorder {
            sheet: Box::new(Sheet::new(plan)),
            edge: Nanos::MAX,
            timetable: None,
            out,
            spares,
            progress: Arc::clone(&progress),
        };
        (recorder, Inbox { sheets, spares: back, progress })
    }

    /// Begins with the first interval of `timetable`.
    pub(crate) fn begin(&mut self, timetable: Timetable) {
        self.edge = timetable.end_of(0);
        self.timetable = Some(timetable);
    }

    /// End of the interval that is being recorded.
    #[inline]
    pub(crate) fn edge(&self) -> Nanos {
        self.edge
    }

    /// Time has come to `now`: hands over the sheet where its interval is over.
    #[inline]
    pub(crate) fn reach(&mut self, now: Nanos) {
        if now >= self.edge {
            self.turn_page(now);
        }
    }

    /// Hands the sheet over and takes a spare; without one it keeps the sheet, which then belongs to the later interval.
    #[cold]
    fn turn_page(&mut self, now: Nanos) {
        let Some(timetable) = self.timetable else { return };
        let index = timetable.index_at(now);
        let mut fresh = match self.spares.pop() {
            Ok(spare) if !self.out.is_full() => spare,
            _ => return self.keep_page(index),
        };
        fresh.clear(index);
        // The ring is not full: looked at just above, and only this thread pushes.
        let _ = self.out.push(std::mem::replace(&mut self.sheet, fresh));
        self.edge = timetable.end_of(index);
        self.progress.interval.store(index, Ordering::Release);
    }

    fn keep_page(&mut self, index: u64) {
        let Some(timetable) = self.timetable else { return };
        if timetable.is_counted(index) && !timetable.is_counted(self.sheet.index) {
            // What the ramp did must not count.
            self.sheet.clear(index);
        }
        self.sheet.index = index;
        self.sheet.smeared = true;
        self.edge = timetable.end_of(index);
        self.progress.interval.store(index, Ordering::Release);
    }

    /// One I/O has ended well.
    #[inline]
    pub(crate) fn done(&mut self, direction: Direction, bytes: u64, latency: Nanos, service: Nanos) {
        if let Some(track) = &mut self.sheet.tracks[direction.index()] {
            track.done(bytes, latency, service);
        }
    }

    /// One I/O was handed over, so long after it was picked.
    #[inline]
    pub(crate) fn submission(&mut self, direction: Direction, span: Nanos) {
        if let Some(track) = &mut self.sheet.tracks[direction.index()] {
            track.submitted(span);
        }
    }

    /// The I/O just recorded moved fewer bytes than asked.
    #[cold]
    pub(crate) fn short(&mut self, direction: Direction) {
        if let Some(track) = &mut self.sheet.tracks[direction.index()] {
            track.tally.short += 1;
        }
    }

    /// One I/O has failed.
    #[cold]
    pub(crate) fn failed(&mut self, direction: Direction) {
        if let Some(track) = &mut self.sheet.tracks[direction.index()] {
            track.tally.errors += 1;
        }
    }

    /// One I/O was issued; `in_flight` counts it.
    #[inline]
    pub(crate) fn issued(&mut self, in_flight: usize) {
        self.sheet.counts.depth[depth_bucket(in_flight)] += 1;
    }

    /// An issue came after its due time.
    #[inline]
    pub(crate) fn lateness(&mut self, lateness: Nanos, limit: Nanos) {
        let counts = &mut self.sheet.counts;
        counts.late_ns_max = counts.late_ns_max.max(lateness.0);
        counts.late += u64::from(lateness > limit);
    }

    /// `count` I/Os were handed over at once.
    #[inline]
    pub(crate) fn submitted(&mut self, count: usize) {
        self.sheet.counts.submit[batch_bucket(count)] += 1;
    }

    /// `count` I/Os came back at once.
    #[inline]
    pub(crate) fn reaped(&mut self, count: usize) {
        self.sheet.counts.complete[batch_bucket(count)] += 1;
    }

    /// The last sheet, which ends with the worker. The collector must be given it, or it is lost.
    pub(crate) fn into_last_sheet(self) -> Box<Sheet> {
        self.sheet
    }
}

/// 1, 2-3, 4-7, … 64 and more.
#[inline]
fn depth_bucket(in_flight: usize) -> usize {
    (in_flight.max(1).ilog2() as usize).min(6)
}

/// 0, 1-4, 5-8, 9-16, 17-32, 33-64, more.
#[inline]
fn batch_bucket(count: usize) -> usize {
    match count {
        0 => 0,
        1..=4 => 1,
        _ => ((count - 1).ilog2() as usize).min(6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use workload::Bytes;

    #[test]
    fn buckets_are_those_that_the_record_names() {
        assert_eq!([1, 2, 3, 4, 7, 8, 63, 64, 1000].map(depth_bucket), [0, 1, 1, 2, 2, 3, 5, 6, 6]);
        let counts = [0, 1, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 999];
        assert_eq!(counts.map(batch_bucket), [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
    }

    fn plan() -> WorkerPlan {
        let whole = workload::FilePlan { path: "f".into(), offset: Bytes(0), size: Bytes::MIB };
        WorkerPlan {
            job: "job".to_owned(),
            files: vec![whole],
            access: workload::Access::random(workload::Mix::READ),
            blocks: workload::BlockSizes::all(Bytes::kib(4)),
            depth: 1,
            pace: workload::Pace::Closed,
            backend: workload::BackendKind::Null,
            direct: true,
            buffers: workload::Buffers::Zero,
            flush: workload::Flush::Never,
            verify: workload::Verify::Off,
            seed: 1,
            cpu: None,
            terms: workload::Terms::default(),
        }
    }

    #[test]
    fn without_a_spare_it_keeps_recording_and_says_so() {
        let (mut recorder, mut inbox) = Recorder::new(&plan());
        let rules = Rules {
            ramp: Nanos::ZERO,
            interval: Nanos::SECOND,
            time: None,
            ops_each: None,
            bytes_each: None,
        };
        recorder.begin(rules.timetable(Nanos::ZERO));
        // Nobody collects: both spares are gone after the second edge.
        for second in 0..10 {
            recorder.reach(Nanos::from_secs(second));
            recorder.done(Direction::Read, 4096, Nanos(5), Nanos(5));
        }
        let handed_over: Vec<_> = std::iter::from_fn(|| inbox.sheets.pop().ok()).collect();
        assert!(handed_over.iter().all(|sheet| !sheet.smeared));
        let last = recorder.into_last_sheet();
        assert_eq!((last.index, last.smeared), (9, true));
        let ops = |sheet: &Sheet| sheet.tracks[0].as_ref().map_or(0, |track| track.tally.ops);
        assert_eq!(
            handed_over.iter().map(|sheet| ops(sheet)).sum::<u64>() + ops(&last),
            10,
            "nothing is lost"
        );
    }
}
