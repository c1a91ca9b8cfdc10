//! Notices when no I/O completes: looks at each worker's I/Os in flight a few times a second, from outside.

use kernel::OpenFile;
use record::{Silence, SilenceStage};
use workload::{Direction, Nanos, WorkerPlan};

use crate::worker::{InFlight, SlotsView};

/// Time between two looks. Each look reads cache lines that the worker writes, so it is not made at every turn.
const EVERY: Nanos = Nanos::from_millis(250);
/// Longest time between two looks that counts: completions while the process was stopped are unknown.
const LOOK_MOST: Nanos = Nanos::SECOND;
/// Silence after which a device counts as not answering: far above any intended latency of a volume, and short enough
/// for a user who waits.
const NOTICED: Nanos = Nanos::from_secs(5);

/// A worker to watch.
#[derive(Clone, Copy, Debug)]
pub(super) struct WatchedWorker<'a> {
    /// Index of the worker in the step's plan.
    pub(super) number: usize,
    pub(super) plan: &'a WorkerPlan,
    pub(super) files: &'a [OpenFile],
    pub(super) view: &'a SlotsView,
}

/// Watches the I/Os in flight of a step's workers.
#[derive(Debug)]
pub(super) struct SilenceWatch {
    patience: Nanos,
    looked: Nanos,
    seen: Vec<WorkerSilence>,
}

/// Observations of one worker.
#[derive(Debug, Default)]
struct WorkerSilence {
    /// When the I/O in each slot was issued.
    issues: Vec<Option<Nanos>>,
    /// Pages that the flush longest in flight still has to write.
    to_write: Option<u64>,
    /// Time without any completion.
    silent: Nanos,
    /// The last report about an ongoing silence.
    told: Option<Silence>,
}

impl SilenceWatch {
    /// Watches `workers` workers from `now` on; a silence of `patience` is too long.
    pub(super) fn new(workers: usize, patience: Nanos, now: Nanos) -> SilenceWatch {
        SilenceWatch { patience, looked: now, seen: (0..workers).map(|_| WorkerSilence::default()).collect() }
    }

    /// Returns the time since the last look, at most [`LOOK_MOST`], if another look is due; `None` otherwise.
    pub(super) fn is_due(&mut self, now: Nanos) -> Option<Nanos> {
        let passed = now.since(self.looked);
        (passed >= EVERY).then(|| {
            self.looked = now;
            passed.min(LOOK_MOST)
        })
    }

    /// Looks at `worker`, at `passed` after the last look; returns the silence to report, if any.
    pub(super) fn look(&mut self, worker: WatchedWorker<'_>, now: Nanos, passed: Nanos) -> Option<Silence> {
        assert!(passed <= LOOK_MOST, "{passed:?} count of the time between two looks");
        let WatchedWorker { number, plan, files, view } = worker;
        let issues: Vec<Option<Nanos>> = view.issues().collect();
        let seen = self.seen.get_mut(number)?;
        let came_back = seen.issues.iter().zip(&issues).any(|(then, now)| then.is_some() && then != now);
        seen.issues = issues;
        let in_flight = view.in_flight();
        let oldest = in_flight.iter().min_by_key(|io| io.issued);
        let came_back = came_back || oldest.is_some_and(|io| seen.flush_goes_on(io, files));
        let Some(oldest) = oldest.filter(|_| !came_back) else {
            seen.silent = Nanos::ZERO;
            return seen.end(now);
        };
        seen.silent = (seen.silent + passed).min(now.since(oldest.issued));
        let stage = match seen.silent {
            silent if silent >= self.patience => SilenceStage::GivenUp,
            silent if silent >= NOTICED && seen.told.is_none() => SilenceStage::Noticed,
            _ => return None,
        };
        let path = plan.files.get(oldest.file as usize).map(|file| file.path.display().to_string());
        let silence = Silence {
            stage,
            at: now,
            lasted: seen.silent,
            path: path.unwrap_or_default(),
            direction: oldest.kind,
            offset: oldest.offset,
            bytes: oldest.bytes,
            others: in_flight.len() - 1,
            patience: self.patience,
        };
        seen.told = Some(silence.clone());
        Some(silence)
    }

    /// Stops watching worker `number`, which is over, even if I/Os were in flight.
    pub(super) fn leave(&mut self, number: usize, now: Nanos) -> Option<Silence> {
        self.seen.get_mut(number)?.end(now)
    }
}

impl WorkerSilence {
    /// Whether `io` is a flush that makes progress: much data from the page cache takes time to reach the device.
    fn flush_goes_on(&mut self, io: &InFlight, files: &[OpenFile]) -> bool {
        let file = files.get(io.file as usize).filter(|_| io.kind == Direction::Flush);
        let left = file.and_then(kernel::pages_to_write);
        left != std::mem::replace(&mut self.to_write, left)
    }

    /// Ends a silence that was reported, because an I/O has completed.
    fn end(&mut self, now: Nanos) -> Option<Silence> {
        let told = self.told.take().filter(|told| told.stage == SilenceStage::Noticed)?;
        let lasted = told.lasted + now.since(told.at);
        Some(Silence { stage: SilenceStage::Over, at: now, lasted, ..told })
    }
}
