//! Bursts that are not run in one quiet session: killed at any moment and continued, their duration compared with
//! the forecast, and drained by writes.

use std::cell::Cell;

use analysis::{BurstBudget, BurstPart, Estimate, Resource, burst_answer};
use experiments::{Layout, burst_forecast, burst_left, next_burst_step};
use policy::Catalogue;
use record::{Note, StepRecord};
use session::{Setup, conduct};
use statistics::Stream;
use workload::{BurstOf, BurstRequest, Direction, Ending, Mix, Nanos, StepKind, StopRule};

use crate::burst::{Case, MOST_S, QUICK_MOST, Until, choices, runner};
use crate::checked::{Nobody, count, each, quarter};

/// Number of volumes that are killed.
const KILLED: usize = 80;
/// Share of intervals that must contain the truth.
const COVERED: f64 = 0.95;
/// Relative error from which a figure is wrong whatever its interval.
const NEAR: f64 = 0.03;
/// Relative error allowed in a forecast.
const FORESEEN: f64 = 0.3;
/// Share of its content below which a bucket counts as empty.
const EMPTY: f64 = 0.02;
/// Longest time between a kill and the run that continues, in seconds.
const AWAY_MOST_S: f64 = 300.0;

/// Returns a volume to be killed: one burst of some minutes, with some noise.
fn volume(number: usize, random: &mut Stream) -> Case {
    let noise = ["", ",noise=1%,rho=0.3", ",noise=3%", ",noise=1%,slow=1%,slow_over=60s"][number % 4];
    let share = 0.04 + 0.08 * random.unit_f64();
    let of = [
        "aws-gp2,size=100GiB",
        "aws-gp2,size=334GiB",
        "aws-gp2,size=600GiB",
        "azure-premium-ssd-credit,tier=P10",
    ];
    let of = of[(number / 4) % of.len()];
    let words = format!("{of},credits={:.2}%{noise},seed={}", share * 100.0, number + 1);
    let share = (share * 1e4).round() / 1e4;
    Case { words, of: BurstOf::Operations, share, most_s: MOST_S }
}

/// Runs until `intervals` intervals were heard. Returns the steps as the run file of a killed run has them,
/// without anything after the last stored interval; `None` if the run ended before.
fn killed(
    asked: &BurstRequest,
    setup: &mut Setup,
    random: &mut Stream,
    intervals: usize,
) -> Option<KilledRun> {
    let next = |done: &[StepRecord]| next_burst_step(asked, Layout::None, done);
    let mut until = Until(Cell::new(intervals));
    let (mut steps, _) = conduct(&next, setup.runner.as_mut(), &mut until);
    let ops = |step: &StepRecord| step.tally(Direction::Read).ops as f64;
    let mut through: f64 = steps.iter().map(ops).sum();
    let last = steps.last_mut().filter(|step| step.ending == Ending::Interrupted)?;
    let lost = (random.unit_f64() * 2.0) as usize;
    last.intervals.truncate(last.intervals.len().saturating_sub(lost));
    last.ended = last.intervals.last().map_or(last.started, |interval| interval.end);
    last.notes.push(Note::CutOff);
    // The load went on until the kill, but nobody recorded it.
    let mut plan = last.plan.clone();
    plan.stop = vec![StopRule::Time(Nanos::from_secs_f64(plan.interval.as_secs_f64() * random.unit_f64()))];
    through += ops(&setup.runner.run(&plan, &mut Nobody).unwrap());
    Some(KilledRun { steps, through })
}

/// What is left of a run that was killed, and how many operations really completed.
struct KilledRun {
    steps: Vec<StepRecord>,
    through: f64,
}

/// Returns what was reported of a volume that was killed, and the most that its bucket held when a drain began;
/// `None` if it was done before.
fn gone_on(number: usize) -> Option<(Case, BurstPart, f64)> {
    let mut random = Stream::new(number as u64, 19);
    let case = volume(number, &mut random);
    let truth = case.truth().unwrap();
    let mut asked = case.asked();
    let mut setup = runner(&case.words);
    let drain_s = case.share * truth.lasts_s;
    let intervals = (random.unit_f64() * (drain_s + 150.0)) as usize + 2;
    let KilledRun { mut steps, through } = killed(&asked, &mut setup, &mut random, intervals)?;
    let held = truth.held?;
    let left = held - through + truth.base * setup.runner.now().as_secs_f64();
    let away = Nanos::from_secs_f64(1.0 + AWAY_MOST_S * random.unit_f64());
    let later = setup.runner.now() + away;
    setup.runner.rest(later, &mut Nobody);
    asked.resumed = steps.len();
    let first = steps.clone();
    let next =
        |done: &[StepRecord]| next_burst_step(&asked, Layout::None, &[first.as_slice(), done].concat());
    steps.extend(conduct(&next, setup.runner.as_mut(), &mut Nobody).0);
    let part = burst_answer(&steps, &asked, None).of(Resource::Iops).cloned();
    // If it emptied before, the figure is what the first drain found.
    let emptied = first.iter().any(|step| step.plan.kind == StepKind::Idle);
    let most =
        if left > EMPTY * held && !emptied { held.max(left + truth.base * away.as_secs_f64()) } else { held };
    part.map(|part| (case, part, most))
}

/// How often a figure was reported, contained the truth, and was sure and wrong.
#[derive(Default)]
struct Coverage {
    told: usize,
    held: usize,
    wrong: Vec<String>,
}

impl Coverage {
    fn add(&mut self, told: Option<Estimate>, truth: f64, case: &str) {
        let Some(told) = told else { return };
        self.told += 1;
        let holds = told.low <= truth && truth <= told.high;
        self.held += usize::from(holds);
        if !holds {
            println!("{case}: {told:?} of {truth}");
        }
        if !holds && (told.value / truth - 1.0).abs() > NEAR {
            self.wrong.push(format!("{case}: {told:?} of {truth}"));
        }
    }

    fn conclude(&self, what: &str, of: usize) {
        println!("{what}: told of {} of {of}, {} hold the truth", self.told, self.held);
        assert!(self.wrong.is_empty(), "{what}: {:#?}", self.wrong);
        assert!(self.held as f64 >= COVERED * self.told as f64, "{what}: {} of {}", self.held, self.told);
        assert!(self.told as f64 >= 0.9 * of as f64, "{what}: told of {} of {of} alone", self.told);
    }
}

#[test]
fn intervals_hold_the_truth_of_runs_that_were_killed() {
    let numbers: Vec<usize> = (0..count(KILLED)).collect();
    let all: Vec<(Case, BurstPart, f64)> =
        each(&numbers, |number| gone_on(*number)).into_iter().flatten().collect();
    let (mut refill, mut held, mut base) = <(Coverage, Coverage, Coverage)>::default();
    for (case, part, most) in &all {
        let truth = case.truth().unwrap();
        refill.add(part.refill, truth.base, &case.words);
        base.add(part.base, truth.base, &case.words);
        held.add(part.held.map(|held| held.amount), *most, &case.words);
    }
    assert!(all.len() >= 60 || numbers.len() < KILLED, "{} were killed at all", all.len());
    base.conclude("what is left", all.len());
    refill.conclude("refill", all.len());
    held.conclude("bucket", all.len());
}

/// Returns the seconds that a drain took, and those forecast: before it, and after the first fall.
fn took(case: &Case) -> Option<(f64, f64, f64, f64)> {
    let limits = case.limits();
    let asked = case.asked();
    let mut setup = runner(&case.words);
    let next = |done: &[StepRecord]| next_burst_step(&asked, Layout::None, done);
    let (steps, error) = conduct(&next, setup.runner.as_mut(), &mut Nobody);
    assert!(error.is_none(), "{}: {error:?}", case.words);
    let (first, last) = (steps.first()?, steps.last()?);
    let fallen = steps.iter().position(|step| step.plan.kind == StepKind::Idle)?;
    let left = burst_left(&asked, Some(&limits), &steps[..fallen]);
    let ended = last.ended.as_secs_f64();
    let behind = ended - steps[fallen - 1].ended.as_secs_f64();
    let foreseen = burst_forecast(&asked, Some(&limits)).seconds;
    Some((ended - first.started.as_secs_f64(), foreseen, behind, left))
}

#[test]
fn a_drain_takes_as_long_as_was_foreseen() {
    let all = Catalogue::builtin().list().iter().flat_map(choices);
    let ways = [BurstOf::Operations, BurstOf::Bytes];
    let cases: Vec<Case> = all
        .flat_map(|words| ways.map(|of| Case { words: words.clone(), of, share: 1.0, most_s: MOST_S }))
        .filter(|case| case.ios() < QUICK_MOST)
        .filter(|case| case.truth().is_some_and(|truth| truth.burst > 1.06 * truth.base))
        // The length of some bursts is not published, so nothing can be forecast.
        .filter(|case| case.limits().longest_burst() != policy::BurstLength::Unknown)
        .collect();
    let cases = quarter(cases);
    let mut off = Vec::new();
    for (case, times) in cases.iter().zip(each(&cases, took)) {
        let Some((took, foreseen, behind, left)) = times else { continue };
        let line = format!(
            "{} {:?}: {took:.0} s, foreseen {foreseen:.0}; behind the fall {behind:.0} s, foreseen {left:.0}",
            case.words, case.of
        );
        println!("{line}");
        let far = |told: f64, truth: f64| (told / truth - 1.0).abs() > FORESEEN;
        if far(foreseen, took) || (left - behind).abs() > FORESEEN * took {
            off.push(line);
        }
    }
    assert!(cases.len() > 5, "{} policies", cases.len());
    assert!(off.is_empty(), "{off:#?}");
}

/// What writes spend is reported as what reads spend, on a policy with one bucket for both.
#[test]
fn writes_drain_as_reads_do() {
    for mix in [Mix::WRITE, Mix::reads(70)] {
        let words = "aws-gp2,size=100GiB,credits=10%,seed=3".to_owned();
        let case = Case { words, of: BurstOf::Operations, share: 0.1, most_s: MOST_S };
        let asked = BurstRequest { mix, ..case.asked() };
        let mut setup = runner(&case.words);
        let next = |done: &[StepRecord]| next_burst_step(&asked, Layout::None, done);
        let (steps, error) = conduct(&next, setup.runner.as_mut(), &mut Nobody);
        assert!(error.is_none(), "{error:?}");
        let part = burst_answer(&steps, &asked, None).of(Resource::Iops).cloned().unwrap();
        let near = |told: Option<Estimate>, truth: f64| (told.unwrap().value / truth - 1.0).abs() < 0.01;
        assert!(near(part.burst, 3000.0) && near(part.base, 300.0) && near(part.refill, 300.0), "{part:#?}");
        assert!(near(part.held.map(|held| held.amount), 540_000.0), "{part:#?}");
        assert_eq!(part.mix, mix);
    }
}

/// Returns the steps of a burst whose bucket counts both directions, with the look at both.
fn both_ways_of(words: &str, mix: Mix) -> (BurstRequest, Vec<StepRecord>) {
    let case = Case { words: words.to_owned(), of: BurstOf::Operations, share: 0.05, most_s: MOST_S };
    let asked = BurstRequest { mix, both_ways: true, ..case.asked() };
    let mut setup = runner(&case.words);
    let next = |done: &[StepRecord]| next_burst_step(&asked, Layout::None, done);
    let (steps, error) = conduct(&next, setup.runner.as_mut(), &mut Nobody);
    assert!(error.is_none(), "{error:?}");
    (asked, steps)
}

fn budget(steps: &[StepRecord], asked: &BurstRequest) -> Option<BurstBudget> {
    let part = burst_answer(steps, asked, None).of(Resource::Iops).cloned().unwrap();
    part.both_ways.map(|both| both.budget)
}

#[test]
fn reads_and_writes_share_a_bucket_or_have_one_each() {
    for noise in ["", ",noise=3%"] {
        for mix in [Mix::READ, Mix::WRITE] {
            let (asked, mut steps) =
                both_ways_of(&format!("aws-gp2,size=100GiB,credits=5%{noise},seed=4"), mix);
            assert_eq!(budget(&steps, &asked), Some(BurstBudget::Shared), "{noise} {mix:?}");
            // No published burst applies to each direction separately, so the last look is at a volume whose
            // limits do.
            let plan = steps.pop().unwrap().plan;
            assert!(budget(&steps, &asked).is_none(), "{}", plan.name);
            let mut other = runner(&format!("custom,read_iops=300,write_iops=300{noise},seed=5"));
            steps.push(other.runner.run(&plan, &mut Nobody).unwrap());
            assert_eq!(budget(&steps, &asked), Some(BurstBudget::Separate), "{noise} {mix:?}");
        }
    }
}
