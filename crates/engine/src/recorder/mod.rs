//! The private recorder of a worker: sheets filled during an interval, handed over at its edge, with spares coming back.

mod collector;
mod rows;
mod sheet;
mod tracer;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kernel::ThreadCounters;
use record::IoTrace;
use rtrb::{Consumer, Producer, RingBuffer};
use workload::{Direction, Nanos, Totals, TracedIo, WorkerPlan};

use crate::rules::Timetable;
pub(crate) use collector::Collector;
pub(crate) use sheet::{CompletedIo, Part, Sheet};
use sheet::{Counts, Track};
pub(crate) use tracer::TraceReceiver;
use tracer::Tracer;

/// Sheets of a worker: one in use, three spares. An interval in which counting begins or ends takes two; with three
/// spares it is enough that the collector looks once per interval.
const SHEETS: usize = 4;

/// A worker's progress; written by the worker, read by the collector.
#[derive(Debug, Default)]
struct Progress {
    /// Number of the worker's current interval: all earlier ones are handed over.
    interval: AtomicU64,
}

/// The collector's ends of a worker's rings.
#[derive(Debug)]
pub struct CollectorEnd {
    sheets: Consumer<Box<Sheet>>,
    spares: Producer<Box<Sheet>>,
    progress: Arc<Progress>,
    traces: Option<TraceReceiver<IoTrace>>,
    issues: Option<TraceReceiver<TracedIo>>,
}

/// The records that a worker has not handed over when it is over. They are lost unless given to the collector.
#[derive(Debug)]
pub(crate) struct Remainder {
    pub(crate) sheet: Box<Sheet>,
    pub(crate) trace: Option<Vec<IoTrace>>,
    pub(crate) issues: Option<Vec<TracedIo>>,
}

/// Records the I/Os of one worker.
#[derive(Debug)]
pub struct Recorder {
    sheet: Box<Sheet>,
    /// When a sheet or a trace must be handed over: at `page_edge`, or earlier if I/Os are traced.
    edge: Nanos,
    /// End of the interval that `sheet` is for.
    page_edge: Nanos,
    /// The part to which completions now belong.
    part: Part,
    /// Traces every I/O when it completes, if the plan asks for it.
    tracer: Option<Tracer<IoTrace>>,
    /// Whether there is a `tracer`, or totals by priority.
    is_tracing: bool,
    /// Traces every I/O when it is issued, if the plan asks for it.
    issues: Option<Tracer<TracedIo>>,
    timetable: Option<Timetable>,
    /// Part of the time without a CPU that lies after `page_edge`.
    waited_beyond: Nanos,
    out: Producer<Box<Sheet>>,
    spares: Consumer<Box<Sheet>>,
    progress: Arc<Progress>,
}

impl Recorder {
    /// Makes a recorder for a worker of `plan`, and the collector's ends of its rings.
    pub fn new(plan: &WorkerPlan) -> (Recorder, CollectorEnd) {
        let (out, sheets) = RingBuffer::new(SHEETS);
        let (mut back, spares) = RingBuffer::new(SHEETS);
        for _ in 1..SHEETS {
            assert!(
                back.push(Box::new(Sheet::new(plan))).is_ok(),
                "the ring of sheets has no room for all of them"
            );
        }
        let progress = Arc::new(Progress::default());
        let (tracer, traces) = plan.terms.trace.then(|| Tracer::new(plan.depth)).unzip();
        let (issues, issue_ends) = plan.terms.tells_issues.then(|| Tracer::new(plan.depth)).unzip();
        let recorder = Recorder {
            sheet: Box::new(Sheet::new(plan)),
            edge: Nanos::MAX,
            page_edge: Nanos::MAX,
            part: Part::default(),
            is_tracing: tracer.is_some() || plan.terms.totals == Totals::WorkerAndPriority,
            tracer,
            issues,
            timetable: None,
            waited_beyond: Nanos::ZERO,
            out,
            spares,
            progress: Arc::clone(&progress),
        };
        (recorder, CollectorEnd { sheets, spares: back, progress, traces, issues: issue_ends })
    }

    /// Begins with the first interval of `timetable`.
    pub(crate) fn begin(&mut self, timetable: Timetable) {
        assert!(self.timetable.is_none(), "a recorder begins twice");
        self.page_edge = timetable.end_of(0);
        self.edge = self.page_edge;
        self.timetable = Some(timetable);
    }

    /// When a sheet or a trace is next to be handed over.
    #[inline]
    pub(crate) fn edge(&self) -> Nanos {
        self.edge
    }

    /// Hands over the sheet and the traces that are due at `now`.
    #[inline]
    pub(crate) fn reach(&mut self, now: Nanos) {
        if now >= self.edge {
            self.hand_over(now);
        }
    }

    #[cold]
    fn hand_over(&mut self, now: Nanos) {
        if now >= self.page_edge {
            self.turn_page(now);
        }
        if let Some(tracer) = &mut self.tracer {
            tracer.reach(now);
        }
        if let Some(issues) = &mut self.issues {
            issues.reach(now);
        }
        self.set_edge();
    }

    fn set_edge(&mut self) {
        let of_ends = self.tracer.as_ref().map_or(Nanos::MAX, Tracer::edge);
        let of_issues = self.issues.as_ref().map_or(Nanos::MAX, Tracer::edge);
        self.edge = self.page_edge.min(of_ends).min(of_issues);
    }

    /// Adds `used`, the resources used since the last call, up to `now`, with the time ready without a CPU; to be called
    /// before `now` is reached. The wait is assumed to have ended just now, so time beyond the elapsed part of the new interval belongs
    /// to earlier ones.
    #[cold]
    pub(crate) fn used(&mut self, now: Nanos, used: ThreadCounters) {
        let waited = used.run_delay;
        let beyond = waited.min(now.since(self.page_edge));
        self.sheet.counts.waited += waited.since(beyond);
        self.sheet.counts.used += used;
        self.waited_beyond = beyond;
    }

    /// Counts completions towards `part` from `now` on.
    #[cold]
    pub(crate) fn enter(&mut self, part: Part, now: Nanos) {
        assert!(part >= self.part, "the parts of a worker's time go back from {:?} to {part:?}", self.part);
        self.part = part;
        let Counts { waited, waited_before, used, .. } = self.sheet.counts;
        let nothing_else = Counts { waited, waited_before, used, ..Counts::default() };
        if now < self.page_edge && !self.sheet.is_used() && self.sheet.counts == nothing_else {
            self.sheet.part = part;
            return;
        }
        self.turn_page(now);
        self.set_edge();
    }

    /// Discards completions up to `now`; only later ones count.
    #[cold]
    pub(crate) fn restart(&mut self, now: Nanos) {
        self.turn_page(now);
        if self.sheet.is_used() {
            // There was no spare sheet: the contents are discarded.
            self.sheet.clear((self.sheet.index, self.part));
        }
        self.sheet.restarted = Some(now);
        self.set_edge();
    }

    /// Hands the sheet over and takes a spare; without one the worker keeps the sheet, which then belongs to the later
    /// interval.
    fn turn_page(&mut self, now: Nanos) {
        let Some(timetable) = self.timetable else { return };
        let index = timetable.index_at(now);
        assert!(index >= self.sheet.index, "intervals go back from {} to {index}", self.sheet.index);
        self.page_edge = timetable.end_of(index);
        match self.spares.pop() {
            Ok(mut fresh) if !self.out.is_full() => {
                fresh.clear((index, self.part));
                let beyond = std::mem::take(&mut self.waited_beyond);
                fresh.counts.waited = beyond.min(now.since(timetable.start_of(index)));
                fresh.counts.waited_before = beyond.since(fresh.counts.waited);
                let full = std::mem::replace(&mut self.sheet, fresh);
                // Checked just above, and only this thread pushes.
                assert!(self.out.push(full).is_ok(), "the ring of sheets is full though it had room");
            }
            _ => self.keep_page(index),
        }
        self.progress.interval.store(index, Ordering::Release);
    }

    fn keep_page(&mut self, index: u64) {
        let (was, part) = (self.sheet.part, self.part);
        // Completions that count stay counted, even if some that do not are added; those of the ramp must not count.
        if was != Part::Counted && was != part {
            self.sheet.clear((index, part));
        }
        let counts = &mut self.sheet.counts;
        counts.waited += std::mem::take(&mut self.waited_beyond);
        self.sheet.index = index;
        self.sheet.smeared = true;
    }

    /// Records one successful I/O.
    #[inline]
    pub(crate) fn done(&mut self, io: CompletedIo) {
        self.done_alike(io, 1);
    }

    /// Records `count` successful I/Os, at least one, that are recorded alike.
    #[inline(always)]
    pub(crate) fn done_alike(&mut self, io: CompletedIo, count: u32) {
        let (sheet, direction) = (&mut *self.sheet, io.direction.index());
        debug_assert!(sheet.tracks[direction].is_some(), "an I/O ended in a direction that is not issued");
        if let Some(track) = &mut sheet.tracks[direction] {
            track.done(&io, count);
        }
        if !sheet.files.is_empty()
            && let Some(Some(track)) =
                sheet.files.get_mut(io.file as usize).map(|tracks| &mut tracks[direction])
        {
            track.done(&io, count);
        }
    }

    /// Whether every I/O is traced, or has a place of its own in the totals.
    #[inline]
    pub(crate) fn is_tracing(&self) -> bool {
        self.is_tracing
    }

    /// Number of I/Os that can be traced before the collector takes any; [`usize::MAX`] if none is traced.
    pub(crate) fn trace_room(&self) -> usize {
        let of_ends = self.tracer.as_ref().map_or(usize::MAX, Tracer::room);
        self.issues.as_ref().map_or(usize::MAX, Tracer::room).min(of_ends)
    }

    /// Traces one I/O that has completed or failed, if it is to be traced; only if [`is_tracing`](Recorder::is_tracing).
    pub(crate) fn trace(&mut self, io: IoTrace) {
        let counted = self.part == Part::Counted;
        if let Some(tracer) = &mut self.tracer {
            tracer.record(IoTrace { counted, ..io }, io.done);
            self.set_edge();
        }
    }

    /// Whether every I/O is traced when it is issued.
    #[inline]
    pub(crate) fn tells_issues(&self) -> bool {
        self.issues.is_some()
    }

    /// Traces one issued I/O, if the plan asks for it.
    pub(crate) fn issued(&mut self, io: TracedIo) {
        if let Some(issues) = &mut self.issues {
            issues.record(io, io.at);
            self.set_edge();
        }
    }

    /// Records that one I/O was submitted, `span` after it was picked.
    #[inline]
    pub(crate) fn submission(&mut self, direction: Direction, span: Nanos) {
        if let Some(track) = &mut self.sheet.tracks[direction.index()] {
            track.submitted(span);
        }
    }

    /// [`submission`](Recorder::submission) for the totals in all and for those in `place`.
    pub(crate) fn submission_in(&mut self, direction: Direction, place: u32, span: Nanos) {
        self.tracks(direction, place).for_each(|track| track.submitted(span));
    }

    /// Records that the I/O just recorded moved fewer bytes than requested.
    #[cold]
    pub(crate) fn short(&mut self, direction: Direction, file: u32) {
        self.tracks(direction, file).for_each(|track| track.tally.short += 1);
    }

    /// Records one failed I/O.
    #[cold]
    pub(crate) fn failed(&mut self, direction: Direction, file: u32) {
        self.tracks(direction, file).for_each(|track| track.tally.errors += 1);
    }

    fn tracks(&mut self, direction: Direction, file: u32) -> impl Iterator<Item = &mut Track> {
        let sheet = &mut *self.sheet;
        let of_file = sheet.files.get_mut(file as usize);
        [Some(&mut sheet.tracks), of_file]
            .into_iter()
            .flatten()
            .filter_map(move |tracks| tracks[direction.index()].as_mut())
    }

    /// Records an issue after its due time; beyond `limit` it counts as late.
    #[inline]
    pub(crate) fn lateness(&mut self, lateness: Nanos, limit: Nanos) {
        let counts = &mut self.sheet.counts;
        counts.late_ns_max = counts.late_ns_max.max(lateness.0);
        counts.late += u64::from(lateness > limit);
    }

    /// Records that `count` I/Os were submitted at once, with which `in_flight` are in flight. That depth counts for
    /// each of them: while a batch refills a queue, the queue never holds less.
    #[inline]
    pub(crate) fn submitted(&mut self, count: usize, in_flight: usize) {
        debug_assert!(
            count > 0 && count <= in_flight,
            "{count} I/Os were submitted, {in_flight} are in flight"
        );
        let counts = &mut self.sheet.counts;
        counts.submit[batch_bucket(count)] += 1;
        counts.depth[depth_bucket(in_flight)] += count as u64;
    }

    /// Records that `count` I/Os were reaped at once.
    #[inline]
    pub(crate) fn reaped(&mut self, count: usize) {
        self.sheet.counts.complete[batch_bucket(count)] += 1;
    }

    /// Returns the sheets and traces that have not been handed over, and ends the recorder.
    pub(crate) fn into_remainder(mut self) -> Remainder {
        self.sheet.counts.waited += self.waited_beyond;
        Remainder {
            sheet: self.sheet,
            trace: self.tracer.map(Tracer::into_rest),
            issues: self.issues.map(Tracer::into_rest),
        }
    }
}

/// Bucket of a depth: 1, 2-3, 4-7, … 64 and more.
#[inline]
fn depth_bucket(in_flight: usize) -> usize {
    ((in_flight | 1).ilog2() as usize).min(6)
}

/// Bucket of a batch size: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more.
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
        let (mut recorder, mut end) = Recorder::new(&plan());
        recorder.begin(Timetable::of(&crate::idle_plan("idle", Nanos(1), Nanos::SECOND), Nanos::ZERO));
        // Nobody collects: all spares are gone after the third edge.
        for second in 0..10 {
            recorder.reach(Nanos::from_secs(second));
            recorder.done(CompletedIo {
                direction: Direction::Read,
                file: 0,
                bytes: 4096,
                latency: Nanos(5),
                service: Nanos(5),
            });
        }
        let handed_over: Vec<_> = std::iter::from_fn(|| end.sheets.pop().ok()).collect();
        assert!(handed_over.iter().all(|sheet| !sheet.smeared));
        let last = recorder.into_remainder().sheet;
        assert_eq!((last.index, last.smeared), (9, true));
        let ops = |sheet: &Sheet| sheet.tracks[0].as_ref().map_or(0, |track| track.tally.ops);
        assert_eq!(
            handed_over.iter().map(|sheet| ops(sheet)).sum::<u64>() + ops(&last),
            10,
            "nothing is lost"
        );
    }
}
