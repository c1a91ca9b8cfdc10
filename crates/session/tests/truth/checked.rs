//! A check in virtual time, and its analyses against whatever is claimed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use analysis::{Analysis, analyse};
use experiments::{CheckAsk, Effort, Layout, Writes, next_step};
use policy::Limits;
use record::{Interval, Observer, Run, StepRecord};
use session::{Setup, Wish, conduct, set_up};
use workload::{Bytes, Direction, Expectation, Nanos, PolicyName, StepKind, Target};

/// The region that `plimsoll check` takes by default.
pub const REGION: Bytes = Bytes::gib(4);

/// An observer that ignores everything.
pub struct Nobody;

impl Observer for Nobody {
    fn interval(&mut self, _interval: &Interval) {}
}

/// What a check recorded on a volume.
pub struct CheckedVolume {
    /// The target as typed, without `sim:`.
    pub words: String,
    pub run: Run,
}

/// What a recorded check is compared with.
#[derive(Clone, Debug)]
pub enum Against {
    Nothing,
    /// The policy that the volume is made of.
    Itself,
    /// Figures in words.
    Expectation(String),
}

impl CheckedVolume {
    /// Checks `sim:words`, with the steps that follow from `claim`, which may be empty.
    pub fn of(words: &str, claim: &str) -> CheckedVolume {
        let target_words = format!("sim:{words}");
        let target = Target::parse(&target_words).unwrap();
        let set_up = set_up(&target, &target_words, &Wish::default());
        let Setup { facts, mut runner, .. } = set_up.unwrap_or_else(|error| panic!("{words}: {error}"));
        let ask = CheckAsk {
            writes: Writes::Measured,
            layout: Layout::None,
            write_most: CheckAsk::modest(Layout::None, REGION),
            in_flight_most: CheckAsk::IN_FLIGHT_MOST,
            expectation: expectation(claim).unwrap_or_default(),
            limits: None,
            seed: 1,
            effort: Effort::QUICK,
            block_min: facts.direct_alignment,
        };
        let (steps, error) = conduct(&|done| next_step(&ask, done), runner.as_mut(), &mut Nobody);
        assert!(error.is_none(), "{words}: {error:?}");
        let mut run = Run::started(vec!["check".into()], 0);
        (run.steps, run.complete, run.target) = (steps, true, Some(facts));
        CheckedVolume { words: words.to_owned(), run }
    }

    pub fn analysis(&self, against: &Against) -> Analysis {
        let (limits, claims) = match against {
            Against::Nothing => (None, None),
            Against::Itself => (self.limits(), None),
            Against::Expectation(words) => (None, expectation(words)),
        };
        let found = analyse(&self.run, limits.as_ref(), claims.as_ref());
        for (at, a) in found.findings.iter().enumerate() {
            let other = found.findings[at + 1..].iter().find(|b| analysis::exclude(a, b));
            assert!(other.is_none(), "both are told: {a:?} {other:?}: {}", self.command(against));
        }
        found
    }

    /// Returns the limits that the volume enforces; `None` if it has no rule.
    pub fn limits(&self) -> Option<Limits> {
        limits(&self.words)
    }

    /// Returns the command that repeats the check by hand.
    pub fn command(&self, against: &Against) -> String {
        let rest = match against {
            Against::Nothing | Against::Itself => String::new(),
            Against::Expectation(words) => format!(" --expect '{words}'"),
        };
        format!("plimsoll check 'sim:{}'{rest}", self.words)
    }

    /// Returns the steps that keep the volume busy, in order of time.
    pub fn saturating(&self) -> impl Iterator<Item = &StepRecord> {
        let keeps_busy = |step: &&StepRecord| {
            !matches!(step.plan.kind, StepKind::Idle | StepKind::Layout | StepKind::Latency | StepKind::Job)
                && step.plan.workers.iter().all(|worker| worker.pace == workload::Pace::Closed)
        };
        self.run.steps.iter().filter(keeps_busy)
    }
}

fn limits(words: &str) -> Option<Limits> {
    let (limits, _) = policy::evaluate_with_rest(&PolicyName::parse(words).unwrap()).unwrap();
    Some(limits).filter(|limits| !limits.limits.is_empty())
}

fn expectation(words: &str) -> Option<Expectation> {
    (!words.is_empty()).then(|| Expectation::parse(words).unwrap_or_else(|error| panic!("{words}: {error}")))
}

/// A stretch of the record: start and end in seconds, operations, bytes.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub from: f64,
    pub to: f64,
    pub ops: f64,
    pub bytes: f64,
}

/// Returns what the whole run did, interval by interval, ramps and pauses included, all jobs together.
pub fn stretches(run: &Run) -> Vec<Stretch> {
    let seconds = |time: Nanos| time.as_secs_f64();
    let mut all: Vec<Stretch> = Vec::new();
    for interval in run.steps.iter().flat_map(|step| &step.intervals) {
        let of = |direction| interval.of(direction).tally;
        let (read, write) = (of(Direction::Read), of(Direction::Write));
        let ops = (read.ops + write.ops) as f64;
        let bytes = (read.bytes + write.bytes) as f64;
        all.push(Stretch { from: seconds(interval.start), to: seconds(interval.end), ops, bytes });
    }
    all.sort_by(|a, b| a.from.total_cmp(&b.from));
    all
}

/// Returns how many volumes a family has: the number in the environment, or else a quarter of `usual`.
pub fn count(usual: usize) -> usize {
    let asked = std::env::var("PLIMSOLL_TRUTH").ok().and_then(|words| words.parse().ok());
    asked.unwrap_or(usual.div_ceil(4))
}

/// Returns the numbers of a family's volumes, from which each is drawn: [`count`] of them, starting at
/// `PLIMSOLL_TRUTH_FROM`. Rules are tested on numbers that they were not made with.
pub fn numbers(usual: usize) -> std::ops::Range<usize> {
    let first = std::env::var("PLIMSOLL_TRUTH_FROM").ok().and_then(|words| words.parse().ok()).unwrap_or(0);
    first..first + count(usual)
}

/// Returns every fourth of `cases`, or all of them if the environment says how many volumes a family has.
pub fn quarter<C>(cases: Vec<C>) -> Vec<C> {
    cases.into_iter().step_by(if is_full() { 1 } else { 4 }).collect()
}

/// Whether the full gate runs.
pub fn is_full() -> bool {
    std::env::var_os("PLIMSOLL_TRUTH").is_some()
}

/// Does `work` on each of `cases`, on all processors; results are in the order of the cases.
pub fn each<C: Sync, R: Send>(cases: &[C], work: impl Fn(&C) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(at) else { break };
                    let result = work(case);
                    results.lock().unwrap().push((at, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
