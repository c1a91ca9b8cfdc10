//! The plans of a check, blind: what a soak says about drift and about the promise, how long each plan takes
//! compared with its forecast, and a check that was stopped and continued.

use std::cell::Cell;

use analysis::{Analysis, Answer, ProcedureAnswer, SoakAnswer, analyse};
use experiments::{
    CheckAsk, Effort, HeadroomAsk, LAYOUT_GUESS, Layout, PartAsk, PlacesAsk, PlanAsk, SoakAsk, Writes,
    next_plan_step, plan_seconds,
};
use policy::Limits;
use record::{Interval, Observer, Run, StepRecord};
use session::{Setup, Wish, conduct, set_up};
use workload::{
    Access, BurstOf, BurstRequest, Bytes, CheckPlan, CheckRequest, Ending, Expectation, HeadroomRequest, Job,
    LatencyBound, LoadPart, Mix, Nanos, PlacesRequest, PolicyName, ProcedureRequest, SoakRequest, Target,
};

use crate::checked::{Nobody, REGION, each, is_full};

/// A volume and a plan on it.
struct Case {
    words: String,
    plan: CheckPlan,
    parts: Vec<PartAsk>,
}

impl Case {
    fn soak(words: &str, hours: f64) -> Case {
        let asked = SoakRequest::of(Nanos::from_secs_f64(hours * 3600.0), Bytes::kib(4), 1);
        let parts = vec![PartAsk::Soak(SoakAsk { asked, layout: Layout::None })];
        Case { words: words.to_owned(), plan: CheckPlan::Soak, parts }
    }

    fn quick(words: &str) -> Case {
        let parts = vec![PartAsk::Check(Box::new(check(Effort::QUICK)))];
        Case { words: words.to_owned(), plan: CheckPlan::Quick, parts }
    }

    /// Returns a standard check of five minutes.
    fn standard(words: &str) -> Case {
        let job = Job { access: Access::random(Mix::reads(70)), ..Job::named("arrivals") };
        let search = HeadroomRequest {
            rates: Vec::new(),
            bounds: vec![LatencyBound::percentile(99.0, Nanos::from_millis(10))],
            load: vec![LoadPart { job, share: 1.0 }],
            time: Nanos::from_secs(81),
            write_most: REGION,
        };
        let in_flight_most = CheckAsk::IN_FLIGHT_MOST;
        let places = PlacesRequest {
            size: Bytes::gib(20),
            time: Nanos::from_secs(54),
            largest: Bytes::gib(4),
            seed: 1,
        };
        let parts = vec![
            PartAsk::Check(Box::new(check(Effort::within(Nanos::from_secs(165))))),
            PartAsk::Headroom(HeadroomAsk { asked: search, layout: Layout::None, in_flight_most }),
            PartAsk::Places(PlacesAsk { asked: places, layout: Layout::None, writes: Writes::Measured }),
        ];
        Case { words: words.to_owned(), plan: CheckPlan::Standard, parts }
    }

    fn burst(words: &str) -> Case {
        let asked = BurstRequest {
            of: BurstOf::Operations,
            most: Nanos::from_secs(3600),
            small: BurstRequest::SMALL,
            large: BurstRequest::LARGE,
            mix: Mix::READ,
            both_ways: false,
            seed: 1,
            resumed: 0,
        };
        let parts = vec![PartAsk::Burst(asked, Layout::None)];
        Case { words: words.to_owned(), plan: CheckPlan::Burst, parts }
    }

    fn ask(&self, sittings: &[usize]) -> PlanAsk {
        PlanAsk { parts: self.parts.clone(), layout: Layout::None, seed: 1, sittings: sittings.to_vec() }
    }

    fn setup(&self) -> Setup {
        let words = format!("sim:{}", self.words);
        set_up(&Target::parse(&words).unwrap(), &words, &Wish::default()).unwrap()
    }

    fn limits(&self) -> Limits {
        policy::evaluate_with_rest(&PolicyName::parse(&self.words).unwrap()).unwrap().0
    }

    fn run_of(&self, steps: Vec<StepRecord>, sittings: &[usize]) -> Run {
        let asked = CheckRequest {
            plan: self.plan,
            sittings: sittings.to_vec(),
            parts: self.parts.iter().filter_map(PartAsk::asked).collect(),
            ..CheckRequest::default()
        };
        let mut run = Run::started(vec!["check".into()], 0);
        (run.steps, run.complete, run.asked) = (steps, true, Some(ProcedureRequest::Check(Box::new(asked))));
        run.policy = Some(self.words.clone());
        run
    }

    /// Runs it without interruption.
    fn run(&self) -> Run {
        let ask = self.ask(&[]);
        let mut setup = self.setup();
        let next = |done: &[StepRecord]| next_plan_step(&ask, done);
        let (steps, error) = conduct(&next, setup.runner.as_mut(), &mut Nobody);
        assert!(error.is_none(), "{}: {error:?}", self.words);
        self.run_of(steps, &[])
    }

    fn analysis(&self, run: &Run) -> Analysis {
        analyse(run, Some(&self.limits()), None)
    }

    fn soaked(&self) -> SoakAnswer {
        match self.analysis(&self.run()).answered {
            Some(ProcedureAnswer::Soak(answer)) => *answer,
            other => panic!("{}: {other:?}", self.words),
        }
    }
}

fn check(effort: Effort) -> CheckAsk {
    CheckAsk {
        writes: Writes::Measured,
        layout: Layout::None,
        write_most: CheckAsk::modest(Layout::None, REGION),
        in_flight_most: CheckAsk::IN_FLIGHT_MOST,
        expectation: Expectation::default(),
        limits: None,
        seed: 1,
        effort,
        block_min: Bytes(512),
    }
}

/// What a day does to the rate, as shares of its mean.
struct Day {
    words: &'static str,
    trend: f64,
    swing: f64,
}

#[test]
fn a_day_of_drift_is_told_and_none_is_made_up() {
    let days = [
        Day { words: "custom,iops=300,sway=10%", trend: 0.0, swing: 0.1 },
        Day { words: "custom,iops=300,sway=20%,noise=3%,rho=0.6", trend: 0.0, swing: 0.2 },
        Day { words: "custom,iops=300,sway=5%,noise=2%,seed=3", trend: 0.0, swing: 0.05 },
        Day { words: "custom,iops=300,decline=10%,noise=2%,rho=0.5", trend: -0.1 / 0.95, swing: 0.0 },
        Day { words: "custom,iops=300,noise=3%,rho=0.8", trend: 0.0, swing: 0.0 },
        Day {
            words: "custom,iops=300,neighbour=40%,neighbour_for=60s,neighbour_every=20m,neighbour_pace=poisson",
            trend: 0.0,
            swing: 0.0,
        },
    ];
    let judged = |day: &Day| {
        let told = Case::soak(day.words, 24.0).soaked();
        let (trend, swing) = (told.trend.unwrap(), told.swing.unwrap());
        println!("{}: trend {trend:?} swing {swing:?}", day.words);
        // Sure and wrong is the worst case: of an effect that does not exist, also beside one that does.
        assert_eq!(swing.sure, day.swing > 0.0, "{}: {swing:?}", day.words);
        assert_eq!(trend.sure, day.trend != 0.0, "{}: {trend:?}", day.words);
        let half = |share: analysis::Estimate| (share.high - share.low) / 2.0;
        if day.swing > 0.0 {
            let off = (swing.share.value - day.swing).abs();
            assert!(off <= 1.6 * half(swing.share) + 0.003, "{}: {swing:?}", day.words);
        }
        let off = (trend.share.value - day.trend).abs();
        assert!(off <= 1.6 * half(trend.share) + 0.003, "{}: {trend:?}", day.words);
    };
    each(&days, judged);
}

/// Returns the share of a soak in which a neighbour that comes at even intervals leaves the volume alone.
fn left_alone(hours: f64, every_s: f64, for_s: f64) -> f64 {
    let seconds = hours * 3600.0;
    let taken: f64 = (1..)
        .map(|n| every_s * f64::from(n))
        .take_while(|at| *at < seconds)
        .map(|at| for_s.min(seconds - at))
        .sum();
    1.0 - taken / seconds
}

#[test]
fn the_promise_is_kept_missed_or_not_told_and_never_surely_wrong() {
    let hours = 4.0;
    let cases: [(&str, f64, &[Answer]); 5] = [
        ("aws-gp3", 1.0, &[Answer::Meets]),
        ("aws-gp3,noise=2%,rho=0.6", 1.0, &[Answer::Meets]),
        // Five per cent of the time is missed, and one is allowed.
        (
            "aws-gp3,neighbour=40%,neighbour_for=60s,neighbour_every=20m",
            left_alone(hours, 1200.0, 60.0),
            &[Answer::Below],
        ),
        // One per cent: on the edge of what is allowed.
        (
            "aws-gp3,neighbour=40%,neighbour_for=12s,neighbour_every=20m",
            left_alone(hours, 1200.0, 12.0),
            &[Answer::CannotTell, Answer::Meets],
        ),
        // Nine tenths are promised, and nineteen twentieths are delivered.
        ("aws-gp3,neighbour=5%,neighbour_for=60s,neighbour_every=20m", 1.0, &[Answer::Meets]),
    ];
    each(&cases, |(words, truth, answers)| {
        let case = Case::soak(words, hours);
        let promise = case.soaked().promise.unwrap();
        println!("{words}: {promise:?}, {truth}");
        assert!(answers.contains(&promise.answer), "{words}: {promise:?}");
        assert!(
            promise.share.low <= truth + 0.002 && truth - 0.002 <= promise.share.high,
            "{words}: {promise:?} {truth}"
        );
    });
}

#[test]
fn a_plan_takes_as_long_as_was_said() {
    let mut cases = vec![Case::soak("aws-gp3", 1.0), Case::burst("aws-gp2,size=100GiB")];
    let few = ["aws-gp3", "custom,iops=1200,bandwidth=60MiB/s,latency=2ms"];
    let more =
        ["do-volumes-pre-burst", "azure-premium-ssd-large,tier=P30", "custom,iops=500,bandwidth=40MiB/s"];
    for words in few.iter().chain(if is_full() { &more[..] } else { &[] }) {
        cases.push(Case::quick(words));
        cases.push(Case::standard(words));
    }
    let missed: Vec<String> = each(&cases, |case| {
        let run = case.run();
        let (first, last) = (run.steps.first().unwrap(), run.steps.last().unwrap());
        let took = last.ended.since(first.started).as_secs_f64();
        let said = plan_seconds(&case.ask(&[]), LAYOUT_GUESS, Some(&case.limits())).usual;
        println!("{:?} {}: {took:.0} s, forecast {said:.0} s", case.plan, case.words);
        ((said / took - 1.0).abs() > 0.3)
            .then(|| format!("{:?} {}: {took} said {said}", case.plan, case.words))
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Stops after this many intervals.
struct Until(Cell<usize>);

impl Observer for Until {
    fn interval(&mut self, _interval: &Interval) {
        self.0.set(self.0.get().saturating_sub(1));
    }

    fn interrupted(&self) -> bool {
        self.0.get() == 0
    }
}

/// Returns the run of a case that is stopped after `intervals` intervals and continued a while later.
fn broken(case: &Case, intervals: usize) -> Run {
    let mut setup = case.setup();
    let ask = case.ask(&[]);
    let next = |done: &[StepRecord]| next_plan_step(&ask, done);
    let (mut steps, _) = conduct(&next, setup.runner.as_mut(), &mut Until(Cell::new(intervals)));
    assert_eq!(steps.pop().unwrap().ending, Ending::Interrupted, "after {intervals}");
    let later = setup.runner.now() + Nanos::from_secs(600);
    setup.runner.rest(later, &mut Nobody);
    let sittings = [steps.len()];
    let (ask, first) = (case.ask(&sittings), steps.clone());
    let next = |done: &[StepRecord]| next_plan_step(&ask, &[first.as_slice(), done].concat());
    let (rest, error) = conduct(&next, setup.runner.as_mut(), &mut Nobody);
    assert!(error.is_none() && !rest.is_empty(), "after {intervals}: {error:?}");
    case.run_of([steps, rest].concat(), &sittings)
}

#[test]
fn a_check_that_was_stopped_goes_on_to_the_same_answer() {
    let case = Case::quick("custom,iops=1200,bandwidth=60MiB/s,latency=2ms");
    let whole = case.analysis(&case.run());
    for intervals in [30, 120, 250] {
        let run = broken(&case, intervals);
        let again = case.analysis(&run);
        assert_eq!(again.verdict.answer, whole.verdict.answer, "after {intervals}: {:?}", again.verdict);
        assert_eq!(again.verdict.rows.len(), whole.verdict.rows.len());
        for (one, other) in whole.verdict.rows.iter().zip(&again.verdict.rows) {
            let (a, b) = (one.measured.unwrap(), other.measured.unwrap());
            assert!((a.value / b.value - 1.0).abs() < 0.01, "after {intervals}: {a:?} {b:?}");
        }
    }
}

#[test]
fn parts_and_soaks_that_were_stopped_go_on_too() {
    let standard = Case::standard("custom,iops=1200,bandwidth=60MiB/s,latency=2ms");
    let rate = |run: &Run| match standard.analysis(run).answered {
        Some(ProcedureAnswer::Check(check)) => check.parts.iter().find_map(|part| match part {
            ProcedureAnswer::Headroom(answer) => Some((answer.greatest, answer.is_known())),
            _ => None,
        }),
        other => panic!("{other:?}"),
    };
    let value = |found| match found {
        Some((Some(analysis::Greatest::Found(rate) | analysis::Greatest::Between(rate)), true)) => rate.value,
        other => panic!("{other:?}"),
    };
    let whole = value(rate(&standard.run()));
    let again = value(rate(&broken(&standard, 700)));
    assert!((whole / again - 1.0).abs() < 0.06, "{whole} {again}");
    let soak = Case::soak("aws-gp3", 1.0);
    let run = broken(&soak, 400);
    let Some(ProcedureAnswer::Soak(answer)) = soak.analysis(&run).answered else {
        panic!("a soak answers as one")
    };
    assert!(!answer.cut_short && answer.probes.len() == 102, "{} looks", answer.probes.len());
}
