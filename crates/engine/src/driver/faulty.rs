//! Backends that panic or fall silent, chosen by the name of a job, to test how the driver handles a lost worker.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use kernel::{Clock, Queue, QueueError, QueueRefusal};
use record::{Interval, Note, Observer, Silence, SilenceStage, StepRecord};
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, Completion, Direction, Ending, FilePlan, Flush, Io, Mix,
    Nanos, Pace, StepKind, StepPlan, StopRule, Terms, Verify, Wait, WorkerPlan,
};

use super::{EngineError, Null, run_real};

const OPENING: &str = "panics while it opens";
const LATER: &str = "panics later";
const SILENT: &str = "falls silent";
const SLEEPY: &str = "falls silent and wakes";

/// Time after which a step counts as hung; far longer than any of these steps takes.
const HANGS: Duration = Duration::from_secs(60);

/// A backend that misbehaves according to the name of its job.
#[derive(Debug)]
pub(super) struct Faulty {
    inner: Null,
    kind: &'static str,
    handed_over: u32,
    clock: Clock,
}

impl Faulty {
    /// Returns the faulty backend of `plan`; `None` if the job is to have a real one.
    pub(super) fn of(plan: &WorkerPlan, clock: Clock) -> Option<Faulty> {
        let kind = [OPENING, LATER, SILENT, SLEEPY].into_iter().find(|kind| *kind == plan.job)?;
        assert!(kind != OPENING, "the backend panicked as planned");
        Some(Faulty { inner: Null::new(plan.depth, 4096, clock), kind, handed_over: 0, clock })
    }

    /// Misbehaves after the first hundred I/Os; until then, and once woken, returns `wait` unchanged.
    fn misbehave(&mut self, wait: Wait) -> Option<Wait> {
        if self.handed_over < 100 {
            return Some(wait);
        }
        match self.kind {
            LATER => panic!("the worker panicked as planned"),
            SLEEPY if WOKEN.load(Ordering::Relaxed) => Some(wait),
            _ => None,
        }
    }
}

/// Set when the silence of [`SLEEPY`] is over.
static WOKEN: AtomicBool = AtomicBool::new(false);

impl Queue for Faulty {
    fn in_flight(&self) -> usize {
        self.inner.in_flight()
    }

    fn close(&mut self) -> usize {
        self.inner.close()
    }

    fn room(&self) -> usize {
        self.inner.room()
    }

    fn buffer_mut(&mut self, slot: u32) -> Option<&mut [u8]> {
        self.inner.buffer_mut(slot)
    }

    fn queue(&mut self, io: Io) -> Result<(), QueueRefusal> {
        self.handed_over += 1;
        self.inner.queue(io)
    }

    fn submit(&mut self, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        self.inner.submit(done)
    }

    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        match (self.misbehave(wait), wait) {
            (Some(wait), _) => self.inner.submit_and_reap(wait, done),
            (None, Wait::Until(at)) => {
                self.clock.sleep_until(at);
                Ok(())
            }
            // As in a queue whose waits may end early.
            (None, _) => {
                std::thread::sleep(Duration::from_millis(5));
                Ok(())
            }
        }
    }

    fn features(&self) -> &str {
        self.kind
    }
}

fn worker(job: &str) -> WorkerPlan {
    WorkerPlan {
        job: job.to_owned(),
        files: vec![FilePlan { path: "somewhere".into(), offset: Bytes(0), size: Bytes::GIB }],
        access: Access::random(Mix::READ),
        blocks: BlockSizes::all(Bytes::kib(4)),
        depth: 4,
        pace: Pace::Closed,
        backend: BackendKind::Null,
        direct: true,
        buffers: Buffers::Repeated,
        flush: Flush::Never,
        verify: Verify::Off,
        seed: 1,
        cpu: None,
        terms: Terms::default(),
    }
}

fn step(jobs: &[&str], time: Nanos) -> StepPlan {
    StepPlan {
        name: "step".to_owned(),
        kind: StepKind::Job,
        workers: jobs.iter().map(|job| worker(job)).collect(),
        stop: vec![StopRule::Time(time)],
        ramp: Nanos::ZERO,
        interval: Nanos::from_millis(50),
        choices: Vec::new(),
    }
}

/// Records the silences reported, and gives up after `patience`.
struct Listener {
    patience: Nanos,
    heard: Vec<Silence>,
}

impl Observer for Listener {
    fn interval(&mut self, _: &Interval) {}

    fn silence(&mut self, silence: &Silence) {
        // Ends a noticed silence, so that the sleepy device wakes.
        WOKEN.fetch_or(silence.stage == SilenceStage::Noticed, Ordering::Relaxed);
        self.heard.push(silence.clone());
    }

    fn patience(&self) -> Nanos {
        self.patience
    }
}

/// Runs `plan` in a separate thread, so that a step that hangs fails its test.
fn run(plan: StepPlan, patience: Nanos) -> (Result<StepRecord, EngineError>, Vec<Silence>) {
    let (sender, ended) = channel();
    std::thread::spawn(move || {
        let mut listener = Listener { patience, heard: Vec::new() };
        let record = run_real(&plan, &[], Clock::start(), &mut listener);
        let _ = sender.send((record, listener.heard));
    });
    ended.recv_timeout(HANGS).unwrap_or_else(|error| panic!("the step does not end: {error}"))
}

/// Path and final stage of each silence in the record's notes.
fn silences(record: &StepRecord) -> Vec<(&str, SilenceStage)> {
    let silences = record.notes.iter().filter_map(|note| match note {
        Note::Silence(silence) => Some((silence.path.as_str(), silence.stage)),
        _ => None,
    });
    silences.collect()
}

const LONG: Nanos = Nanos::from_secs(1_000_000);

#[test]
fn a_worker_that_panics_ends_the_step_and_is_named() {
    for (jobs, number) in [
        (&[LATER][..], 0),
        (&["well", LATER], 1),
        (&[LATER, LATER], 9),
        (&[OPENING], 0),
        (&["well", OPENING], 1),
        (&[OPENING, "well", "well"], 0),
    ] {
        let (record, _) = run(step(jobs, LONG), LONG);
        let error = record.err().map(|error| error.to_string()).unwrap_or_default();
        let which =
            if number == 9 { "worker ".to_owned() } else { format!("worker {number} of job 'panics") };
        assert!(error.contains(&which), "{jobs:?}: {error}");
        assert!(error.contains("panicked as planned") && error.contains("please report"), "{error}");
    }
}

/// Asks to stop before anything has started.
struct Stopping;

impl Observer for Stopping {
    fn interval(&mut self, _: &Interval) {}

    fn interrupted(&self) -> bool {
        true
    }
}

#[test]
fn a_wish_to_stop_is_heard_before_the_start_too() {
    let plan = step(&["well", "well"], LONG);
    let record = run_real(&plan, &[], Clock::start(), &mut Stopping);
    assert_eq!(record.map(|record| record.ending).ok(), Some(Ending::Interrupted));
}

#[test]
fn what_nobody_answers_is_given_up_also_when_the_time_is_over() {
    for time in [LONG, Nanos::from_millis(300)] {
        let (record, heard) = run(step(&["well", SILENT], time), Nanos::from_secs(1));
        let record = record.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(record.ending, Ending::Failed);
        let stages: Vec<SilenceStage> = heard.iter().map(|silence| silence.stage).collect();
        assert_eq!(stages, [SilenceStage::GivenUp], "{heard:?}");
        let held = &record.failures;
        assert_eq!(held.len(), 4, "the whole queue: {held:?}");
        assert!(held.iter().all(|io| (io.errno, io.path.as_str()) == (110, "somewhere")), "{held:?}");
        assert!(silences(&record).contains(&("somewhere", SilenceStage::GivenUp)), "{:?}", record.notes);
        let ended_well = record.workers[0].ending;
        assert_ne!(ended_well, Some(Ending::Failed), "the other worker has done nothing wrong");
        assert!(record.workers.iter().all(|worker| worker.directions[0].tally.ops > 0));
    }
}

#[test]
fn a_silence_that_ends_is_told_and_the_step_goes_on() {
    let (record, heard) = run(step(&[SLEEPY], Nanos::from_secs(6)), LONG);
    let record = record.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((record.ending, record.failures.len()), (Ending::Time, 0), "{:?}", record.notes);
    let stages: Vec<SilenceStage> = heard.iter().map(|silence| silence.stage).collect();
    assert_eq!(stages, [SilenceStage::Noticed, SilenceStage::Over], "{heard:?}");
    let first = &heard[0];
    assert!(first.lasted >= Nanos::from_secs(5), "{first}");
    assert_eq!((first.direction, first.bytes, first.others), (Direction::Read, 4096, 3));
    assert!(silences(&record).contains(&("somewhere", SilenceStage::Over)), "{:?}", record.notes);
}
