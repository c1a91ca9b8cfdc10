//! The search for headroom against queueing theory: servers, metered volumes, and volumes whose rate changes.

use analysis::{Greatest, HeadroomAnswer, HeadroomDoubt, ProcedureAnswer, analyse};
use experiments::{HeadroomAsk, Layout, next_headroom_step};
use record::Run;
use session::{Setup, Wish, conduct, set_up};
use workload::{Bytes, HeadroomRequest, Job, LatencyBound, LoadPart, Nanos, ProcedureRequest, Target};

use crate::checked::{Nobody, each, is_full, numbers};
use crate::judge::Judgement;
use crate::queues::md1_wait;
use crate::table::Table;

/// Relative error allowed in a rate.
const NEAR: f64 = 0.05;
/// Seconds by which a flat rule of the simulator lets I/O run ahead of its rate.
const TOLERANCE: f64 = 5e-3;
/// Latency of the metered volumes besides the wait, in seconds.
const BASE: f64 = 1e-4;
/// Length of a search unless another is given.
const TIME: Nanos = Nanos::from_secs(300);

/// A volume with a bound on its 99th percentile.
struct Case {
    kind: &'static str,
    words: String,
    /// Bound in seconds.
    bound: f64,
    /// Greatest rate at which the bound holds; on a volume that swings, the greatest that may be reported.
    truth: f64,
    /// Seed of the arrivals.
    seed: u64,
}

/// Returns one server; `services` is the bound in units of the service time.
fn server(cv: u32, services: f64, seed: usize) -> Case {
    let service = 1e-3;
    let words =
        format!("sim:custom,servers=1,service=1ms,service_cv={cv},latency=0us,jitter=0,seed={}", seed + 1);
    let load = match cv {
        // A wait of no more than a hundredth of a service amounts to a sojourn of one service.
        0 => inverse(md1_wait, services - 1.0),
        _ => 1.0 - 100f64.ln() / services,
    };
    let kind = if cv == 0 { "M/D/1" } else { "M/M/1" };
    Case { kind, words, bound: services * service, truth: load / service, seed: seed as u64 + 1 }
}

/// Returns a meter of `rate` operations a second that lets I/O run ahead: only waits of M/D/1 longer than that
/// tolerance occur.
fn metered(rate: f64, milliseconds: f64, seed: usize) -> Case {
    let words = format!("sim:custom,iops={rate},latency=100us,jitter=0,seed={}", seed + 1);
    let bound = milliseconds / 1e3;
    let load = inverse(md1_wait, (bound - BASE + TOLERANCE) * rate);
    Case { kind: "metered", words, bound, truth: load * rate, seed: seed as u64 + 1 }
}

/// Returns a cap that falls and rises in turns: nothing above its lower level holds for long.
fn swinging(seconds: f64, seed: usize) -> Case {
    let words = format!(
        "sim:custom,iops=1000,latency=100us,jitter=0,cap_low=50%,wave={seconds}s/{seconds}s,seed={}",
        seed + 1
    );
    Case { kind: "swinging", words, bound: 0.02, truth: 500.0, seed: seed as u64 + 1 }
}

/// Returns the load at which `of` equals `wanted`.
fn inverse(of: fn(f64) -> f64, wanted: f64) -> f64 {
    let (mut low, mut high) = (0.02, 0.98);
    for _ in 0..30 {
        let middle = (low + high) / 2.0;
        if of(middle) < wanted { low = middle } else { high = middle }
    }
    low
}

impl Case {
    fn asked(&self) -> HeadroomRequest {
        let most = Nanos::from_secs_f64(self.bound);
        let job = Job { seed: self.seed, ..Job::named("arrivals") };
        HeadroomRequest {
            rates: Vec::new(),
            bounds: vec![LatencyBound::percentile(99.0, most)],
            load: vec![LoadPart { job, share: 1.0 }],
            time: TIME,
            write_most: Bytes::gib(16),
        }
    }

    fn command(&self) -> String {
        format!(
            "plimsoll headroom '{}' --p99 {}us --seed {}",
            self.words,
            (self.bound * 1e6).round(),
            self.seed
        )
    }

    fn searched(&self) -> HeadroomAnswer {
        let target = Target::parse(&self.words).unwrap();
        let Setup { facts, mut runner, .. } = set_up(&target, &self.words, &Wish::default()).unwrap();
        let asked = self.asked();
        let ask = HeadroomAsk { asked: asked.clone(), layout: Layout::None, in_flight_most: Bytes::mib(256) };
        let (steps, error) = conduct(&|done| next_headroom_step(&ask, done), runner.as_mut(), &mut Nobody);
        assert!(error.is_none(), "{}: {error:?}", self.command());
        let mut run = Run::started(vec!["headroom".into()], 0);
        (run.steps, run.complete, run.target) = (steps, true, Some(facts));
        run.asked = Some(ProcedureRequest::Headroom(asked));
        match analyse(&run, None, None).answered {
            Some(ProcedureAnswer::Headroom(answer)) => *answer,
            other => panic!("{}: {other:?}", self.command()),
        }
    }

    fn judge(&self) -> Outcome {
        let answer = self.searched();
        let (judged, off) = match self.kind {
            "swinging" => (self.of_swinging(&answer), None),
            _ => self.of_steady(&answer),
        };
        let held = match answer.greatest {
            Some(Greatest::Found(rate)) => Some(rate.low <= self.truth && self.truth <= rate.high),
            _ => None,
        };
        let mut table = Table::default();
        let told = || format!("{:?} {:?} of {:.1}", answer.greatest, answer.doubts, self.truth);
        table.add(self.kind, judged, (&self.command(), &told));
        let time = answer.seconds / TIME.as_secs_f64();
        Outcome { kind: self.kind, table, off, held, time }
    }

    fn of_steady(&self, answer: &HeadroomAnswer) -> (Judgement, Option<f64>) {
        let within = |low: f64, high: f64| low <= self.truth && self.truth <= high;
        match answer.greatest {
            Some(Greatest::Found(rate)) => {
                let off = rate.value / self.truth - 1.0;
                let right = off.abs() <= NEAR || within(rate.low, rate.high);
                // A 95 % interval misses the truth in one of twenty searches, by little.
                let judged = match (right, off.abs() <= 2.0 * NEAR) {
                    (true, _) => Judgement::Right,
                    (false, true) => Judgement::Wrong,
                    (false, false) => Judgement::SureWrong,
                };
                (judged, Some(off))
            }
            Some(Greatest::Between(rate))
                if answer.is_known() && (rate.value / self.truth - 1.0).abs() <= NEAR =>
            {
                (Judgement::Right, Some(rate.value / self.truth - 1.0))
            }
            Some(Greatest::Between(rate)) if within(rate.low, rate.high) => (Judgement::HeldBack, None),
            Some(Greatest::AtLeast(rate)) if rate <= self.truth * (1.0 + NEAR) => (Judgement::HeldBack, None),
            Some(Greatest::AtMost(rate)) if rate >= self.truth * (1.0 - NEAR) => (Judgement::HeldBack, None),
            None => (Judgement::HeldBack, None),
            Some(_) => (Judgement::SureWrong, None),
        }
    }

    /// Judges a search on a swinging volume. A rate above the lower level is right for a while, but must not be
    /// reported without a doubt.
    fn of_swinging(&self, answer: &HeadroomAnswer) -> Judgement {
        let told = |doubt: &HeadroomDoubt| !matches!(doubt, HeadroomDoubt::Stopped);
        let doubted = answer.doubts.iter().any(told);
        match answer.greatest {
            Some(Greatest::Found(rate)) if rate.value <= self.truth * (1.0 + NEAR) => Judgement::Right,
            Some(Greatest::Found(_)) if doubted => Judgement::Right,
            Some(Greatest::Found(_) | Greatest::AtLeast(_)) => Judgement::SureWrong,
            _ => Judgement::Open,
        }
    }
}

/// Result of one case.
struct Outcome {
    kind: &'static str,
    table: Table,
    /// Relative error of the rate.
    off: Option<f64>,
    /// Whether the interval contains the truth.
    held: Option<bool>,
    /// Time that it took, as a share of the time given.
    time: f64,
}

fn figures(outcomes: &[Outcome], kind: &str) -> String {
    let of_kind = || outcomes.iter().filter(|outcome| outcome.kind == kind);
    let off: Vec<f64> = of_kind().filter_map(|outcome| outcome.off).collect();
    let near = off.iter().filter(|off| off.abs() <= NEAR).count();
    let held: Vec<bool> = of_kind().filter_map(|outcome| outcome.held).collect();
    let holds = held.iter().filter(|held| **held).count();
    let mean = off.iter().sum::<f64>() / off.len().max(1) as f64;
    let time = of_kind().map(|outcome| outcome.time);
    let (least, most) = (time.clone().fold(f64::MAX, f64::min), time.fold(0.0, f64::max));
    format!(
        "{} searches, {} told a rate: {near} within 5 %, mean {:+.1} %; {holds} of {} intervals hold it; time {:.0} to {:.0} % of the forecast",
        of_kind().count(),
        off.len(),
        100.0 * mean,
        held.len(),
        100.0 * least,
        100.0 * most
    )
}

#[test]
fn headroom() {
    let services: &[f64] = if is_full() { &[8.0, 12.0, 16.0, 24.0, 32.0, 48.0] } else { &[12.0, 32.0] };
    let meters: &[(f64, f64)] = match is_full() {
        true => {
            &[(300.0, 20.0), (1000.0, 5.0), (1000.0, 20.0), (3000.0, 2.0), (3000.0, 10.0), (16000.0, 2.0)]
        }
        false => &[(1000.0, 20.0), (3000.0, 5.0)],
    };
    let waves: &[f64] = if is_full() { &[2.0, 5.0, 10.0, 20.0, 40.0] } else { &[5.0, 20.0] };
    let mut cases: Vec<Case> = Vec::new();
    for seed in numbers(1).take(if is_full() { 8 } else { 1 }) {
        cases.extend(services.iter().flat_map(|&k| [0, 1].map(|cv| server(cv, k, seed))));
        cases.extend(meters.iter().map(|&(rate, bound)| metered(rate, bound, seed)));
        cases.extend(waves.iter().map(|&wave| swinging(wave, seed)));
    }
    let outcomes = each(&cases, Case::judge);
    let mut all = Table::default();
    for kind in ["M/D/1", "M/M/1", "metered"] {
        all.figures.insert(kind.to_owned(), figures(&outcomes, kind));
    }
    outcomes.into_iter().for_each(|outcome| all.merge(outcome.table));
    all.conclude("headroom", cases.len());
}
