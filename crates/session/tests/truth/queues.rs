//! Latency under open load against queueing theory: one server, Poisson arrivals, exponential or constant service.

use analysis::{Estimate, HeadroomBound, analyse};
use experiments::Step;
use record::{Interval, Run, StepRecord};
use session::{Setup, Wish, conduct, set_up};
use workload::{
    Access, Direction, Expectation, Iops, Job, Mix, Nanos, Pace, StepKind, StopRule, Target, Workload,
};

use crate::checked::{Against, CheckedVolume, Nobody, each, is_full};
use crate::judge::Judgement;
use crate::table::Table;

/// Seconds of one service.
const SERVICE: f64 = 1e-3;
/// Relative error allowed in a percentile.
const NEAR: f64 = 0.05;
const P: f64 = 0.99;
/// Intervals of a step as long as in a check on whose latency there is a claim.
const STEP: usize = 40;
/// Greatest share of such steps that may report an interval which does not contain the truth.
const ASTRAY: f64 = 0.12;
/// Number of such steps that may do so by chance if there are few steps.
const BY_CHANCE: f64 = 2.0;

/// A queue: the coefficient of variation of its service, and the load.
struct Queue {
    cv: u32,
    load: f64,
}

impl Queue {
    fn words(&self) -> String {
        format!("sim:custom,servers=1,service=1ms,service_cv={},latency=0us,jitter=0", self.cv)
    }

    /// Returns the percentile of the time in the system, in seconds.
    fn truth(&self) -> f64 {
        match self.cv {
            0 => md1(self.load),
            _ => -(1.0 - P).ln() * SERVICE / (1.0 - self.load),
        }
    }

    /// Returns the mean time in the system, in seconds (Pollaczek and Khinchine).
    fn mean(&self) -> f64 {
        SERVICE * (1.0 + self.load * f64::from(1 + self.cv) / (2.0 * (1.0 - self.load)))
    }

    /// Returns the length of the run, which rises with the load: a queue remembers for about 1/(1-√ρ)² services.
    fn seconds(&self) -> f64 {
        let memory = SERVICE / (1.0 - self.load.sqrt()).powi(2);
        (memory * if is_full() { 40_000.0 } else { 20_000.0 }).max(100.0)
    }
}

/// Returns the percentile of the sojourn in M/D/1, in seconds.
fn md1(load: f64) -> f64 {
    (md1_wait(load) + 1.0) * SERVICE
}

/// Returns the 99th percentile of the wait in M/D/1, in services: computes the distribution of the number in the
/// system by cuts between n and n+1 (every term is positive, so this is stable), and from it the distribution of
/// the wait (Franx, Operations Research Letters 29, 2001).
pub fn md1_wait(load: f64) -> f64 {
    let levels = 400;
    let arrivals = poisson(load, levels + 2);
    let beyond: Vec<f64> = (0..levels + 2).map(|n| 1.0 - arrivals[..=n].iter().sum::<f64>()).collect();
    let mut number = vec![1.0 - load];
    for n in 0..levels {
        let up: f64 = number[0] * beyond[n] + (1..=n).map(|i| number[i] * beyond[n + 1 - i]).sum::<f64>();
        number.push(up.max(0.0) / arrivals[0]);
    }
    let at_most: Vec<f64> = (0..levels).map(|n| number[..=n + 1].iter().sum()).collect();
    let waits_at_most = |services: f64| {
        let k = services.floor() as usize + 1;
        let rest = load * (k as f64 - services);
        let term = poisson(rest, k);
        (0..k).map(|j| at_most[k - 1 - j] * term[j]).sum::<f64>()
    };
    let (mut low, mut high) = (0.0, 300.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if waits_at_most(middle) < P { low = middle } else { high = middle }
    }
    low
}

/// Returns the probabilities of 0, 1, … in a Poisson distribution with this mean.
fn poisson(mean: f64, count: usize) -> Vec<f64> {
    let mut chances = vec![(-mean).exp()];
    for n in 1..count {
        chances.push(chances[n - 1] * mean / n as f64);
    }
    chances
}

fn ran(queue: &Queue) -> Run {
    let words = queue.words();
    let target = Target::parse(&words).unwrap();
    let Setup { facts, mut runner, .. } = set_up(&target, &words, &Wish::default()).unwrap();
    let job = Job {
        access: Access::random(Mix::READ),
        pace: Pace::Poisson(Iops(queue.load / SERVICE)),
        depth: 1024,
        ..Job::named("open load")
    };
    let stop = vec![StopRule::Time(Nanos::from_secs_f64(queue.seconds()))];
    let workload = Workload { jobs: vec![job], stop, ramp: Nanos::from_secs(5) };
    let step = Step { name: "open load".to_owned(), kind: StepKind::Job, workload, interval: None };
    let next = |done: &[_]| done.is_empty().then(|| step.clone());
    let (steps, error) = conduct(&next, runner.as_mut(), &mut Nobody);
    assert!(error.is_none(), "{error:?}");
    let mut run = Run::started(vec!["run".into()], 0);
    (run.steps, run.complete, run.target) = (steps, true, Some(facts));
    run
}

/// What the intervals of a claim say on steps of the usual length.
struct IntervalCounts {
    steps: usize,
    told: usize,
    held: usize,
}

impl IntervalCounts {
    fn words(&self) -> String {
        let share = 100.0 * self.held as f64 / self.told.max(1) as f64;
        format!("{share:.0} % of {} ({} left open)", self.told, self.steps - self.told)
    }

    fn is_sound(&self) -> bool {
        (self.told - self.held) as f64 <= (ASTRAY * self.steps as f64).max(BY_CHANCE)
    }
}

/// Checks, step by step, whether the interval of `claim` contains `truth` (seconds).
fn held(run: &Run, claim: &str, truth: f64) -> IntervalCounts {
    let expectation = Expectation::parse(claim).unwrap();
    let counted = run.steps[0].counted();
    let mut bare = run.clone();
    bare.steps[0].intervals.clear();
    let of_step = |part: &[Interval]| -> Option<Estimate> {
        let mut run = bare.clone();
        cut(&mut run.steps[0], part);
        analyse(&run, None, Some(&expectation)).verdict.rows[0].measured
    };
    let parts = counted.chunks_exact(STEP);
    let (steps, told) = (parts.len(), parts.filter_map(of_step).collect::<Vec<Estimate>>());
    let holds = |one: &&Estimate| one.low / 1e9 <= truth && truth <= one.high / 1e9;
    IntervalCounts { steps, told: told.len(), held: told.iter().filter(holds).count() }
}

/// Reduces `step` to these intervals.
fn cut(step: &mut StepRecord, part: &[Interval]) {
    step.intervals = part.to_vec();
    let reads = &mut step.workers[0].directions[Direction::Read.index()];
    *reads = record::DirectionTotals::default();
    for interval in part {
        reads.tally.merge(&interval.of(Direction::Read).tally);
        reads.latency.merge(&interval.of(Direction::Read).latency);
    }
}

fn judge(queue: &Queue) -> Table {
    let mut table = Table::default();
    let run = ran(queue);
    let found = analyse(&run, None, None);
    let told = found.jobs[0].latency_ns_p99 as f64 / 1e9;
    let truth = queue.truth();
    let judged = if (told / truth - 1.0).abs() <= NEAR { Judgement::Right } else { Judgement::SureWrong };
    let name = if queue.cv == 0 { "M/D/1" } else { "M/M/1" };
    let what = || format!("{name} at {:.0} %: p99 {told} s of {truth} s", queue.load * 100.0);
    table.add("p99 of open load", judged, (&queue.words(), &what));
    let figures =
        format!("p99 {:.2} ms of {:.2} ms ({:+.1} %)", told * 1e3, truth * 1e3, 100.0 * (told / truth - 1.0));
    let claims = [("read p99 < 1s", truth), ("read mean < 1s", queue.mean())];
    let [of_p99, of_mean] = claims.map(|(claim, truth)| held(&run, claim, truth));
    let figures =
        format!("{figures}; steps of 20 s hold it: p99 {}, mean {}", of_p99.words(), of_mean.words());
    assert!(of_p99.is_sound() && of_mean.is_sound(), "{name} at {}: {figures}", queue.load);
    table.figures.insert(format!("{name} at {:.0} %", queue.load * 100.0), figures);
    table
}

/// A claim on the percentile of a whole check, in services.
struct PercentileClaim {
    cv: u32,
    services: f64,
}

impl PercentileClaim {
    /// Returns the load at which the percentile equals the claim.
    fn greatest(&self) -> f64 {
        let (mut low, mut high) = (0.01, 0.99);
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            let there = Queue { cv: self.cv, load: middle }.truth();
            if there < self.services * SERVICE { low = middle } else { high = middle }
        }
        low
    }

    fn judge(&self) -> Table {
        let mut table = Table::default();
        let words = format!("{},seed={}", Queue { cv: self.cv, load: 0.0 }.words(), self.services as u64);
        let claim = format!("read p99 < {:.0}us", self.services * SERVICE * 1e6);
        let checked = CheckedVolume::of(words.trim_start_matches("sim:"), &claim);
        let claim = Against::Expectation(claim);
        let found = checked.analysis(&claim);
        let truth = self.greatest() / SERVICE;
        let told = found.headroom.first().map(|row| row.bound);
        let judged = match told {
            Some(HeadroomBound::Between(rate)) if (rate.value / truth - 1.0).abs() <= NEAR => {
                Judgement::Right
            }
            Some(HeadroomBound::Between(rate)) if rate.low <= truth && truth <= rate.high => Judgement::Right,
            Some(HeadroomBound::Between(_)) => Judgement::SureWrong,
            Some(HeadroomBound::AtLeast(rate)) if rate <= truth * (1.0 + NEAR) => Judgement::HeldBack,
            Some(HeadroomBound::AtMost(rate)) if rate >= truth * (1.0 - NEAR) => Judgement::HeldBack,
            Some(_) => Judgement::SureWrong,
            // No load was observed for long enough to be sure of it.
            None => Judgement::HeldBack,
        };
        table.add("headroom", judged, (&checked.command(&claim), &|| format!("{told:?} of {truth}")));
        table
    }
}

#[test]
fn queues() {
    let loads: &[f64] = if is_full() { &[0.5, 0.6, 0.7, 0.8, 0.9, 0.95] } else { &[0.5, 0.8] };
    let cases: Vec<Queue> =
        [0, 1].iter().flat_map(|&cv| loads.iter().map(move |&load| Queue { cv, load })).collect();
    let services: &[f64] = if is_full() { &[8.0, 12.0, 16.0, 24.0, 32.0, 48.0] } else { &[12.0, 24.0] };
    let held = |cv| services.iter().map(move |&services| PercentileClaim { cv, services });
    let claims: Vec<PercentileClaim> = [0, 1].into_iter().flat_map(held).collect();
    let mut tables = each(&cases, judge);
    tables.extend(each(&claims, PercentileClaim::judge));
    Table::of(tables).conclude("queues", cases.len() + claims.len());
}

/// Compares with published values for M/D/1 (at 90 % load the wait exceeds 21 services in nearly a hundredth of
/// cases).
#[test]
fn the_theory_is_that_of_the_books() {
    let alone = md1(0.01);
    assert!((alone / SERVICE - 1.0) < 0.1, "{alone}");
    // The tail decays by exp(-x) with load (exp(x) - 1) = x: at 90 % x is 0.2071 a service.
    let slope = (md1(0.9) / SERVICE - 1.0) * 0.2071;
    assert!((slope - 4.45).abs() < 0.2, "{slope}");
}
