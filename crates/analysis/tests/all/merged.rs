//! The runs of several machines as one: every I/O of theirs and no other, whatever the order and the clocks.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use proptest::prelude::*;
use record::{
    Distribution, Interval, IntervalDirection, MachineRun, Run, StepRecord, Tally, WorkerTotals, merge,
};
use workload::{
    Direction, Ending, LeftOutReason, LeftOutStep, MergedPart, Nanos, ProcedureRequest, StepKind, StepPlan,
};

const INTERVAL: Nanos = Nanos::from_millis(500);

/// A machine: the millisecond in which its run began, nanoseconds until its step did, intervals of ramp, and for each
/// job the latencies in its intervals.
type Drawn = (u64, u64, usize, Vec<Vec<Vec<u64>>>);

fn drawn() -> impl Strategy<Value = Drawn> {
    let latencies = proptest::collection::vec(1u64..1 << 36, 0..6);
    let job = proptest::collection::vec(latencies, 8);
    (0u64..2_000, 0u64..1 << 30, 0usize..3, proptest::collection::vec(job, 1..3))
}

fn figures(latencies: &[u64]) -> IntervalDirection {
    let mut tally = Tally::default();
    latencies.iter().for_each(|latency| tally.count(4096, *latency));
    IntervalDirection { tally, latency: distribution(latencies) }
}

fn distribution(latencies: &[u64]) -> Distribution {
    let counted: Vec<(u64, u64)> = latencies.iter().map(|latency| (*latency, 1)).collect();
    let least = latencies.iter().min().copied().unwrap_or(u64::MAX);
    Distribution::counted(&counted, least, latencies.iter().max().copied().unwrap_or(0))
}

fn machine((label, drawn): (usize, &Drawn)) -> MachineRun {
    let (began_ms, before, ramp, jobs) = drawn;
    let mut run = Run::started(Vec::new(), 1_700_000_000_000 + began_ms);
    let started = Nanos(*before);
    let mut step = StepRecord {
        plan: StepPlan {
            name: "load".into(),
            kind: StepKind::Job,
            workers: Vec::new(),
            stop: Vec::new(),
            ramp: INTERVAL * *ramp as u64,
            interval: INTERVAL,
            choices: Vec::new(),
        },
        started,
        counted_from: started + INTERVAL * *ramp as u64,
        ended: started + INTERVAL * 8,
        ending: Ending::Time,
        jobs: (0..jobs.len()).map(|job| format!("job {job}")).collect(),
        intervals: Vec::new(),
        workers: Vec::new(),
        failures: Vec::new(),
        notes: Vec::new(),
    };
    for (job, intervals) in jobs.iter().enumerate() {
        for (at, latencies) in intervals.iter().enumerate() {
            let start = started + INTERVAL * at as u64;
            let mut interval = Interval::empty(job as u16, start, start + INTERVAL);
            interval.counted = at >= *ramp;
            interval.directions[Direction::Read.index()] = figures(latencies);
            step.intervals.push(interval);
        }
        let IntervalDirection { tally, latency } = figures(&intervals[*ramp..].concat());
        let mut worker = WorkerTotals { job: job as u16, ..WorkerTotals::default() };
        let read = &mut worker.directions[Direction::Read.index()];
        (read.tally, read.latency) = (tally, latency);
        step.workers.push(worker);
    }
    run.steps.push(step);
    MachineRun {
        label: format!("host-{label}"),
        file: format!("{label}.plimsoll"),
        clock_ns: 0,
        clock_within: None,
        run,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn a_merged_step_holds_every_io_of_its_machines_and_no_other(fleet in proptest::collection::vec(drawn(), 2..6)) {
        let machines: Vec<MachineRun> = fleet.iter().enumerate().map(machine).collect();
        let mut backwards = machines.clone();
        backwards.reverse();
        let Ok(merged) = merge(machines, Vec::new()) else {
            // Starts differ by three seconds at most, and every machine counts for three at least.
            return Ok(());
        };
        prop_assert_eq!(&merged, &merge(backwards, Vec::new()).unwrap());
        let Some(ProcedureRequest::Merged(request)) = &merged.asked else { panic!("{:?}", merged.asked) };
        let (step, parts) = (&merged.steps[0], &request.steps[0]);
        let of = |part: &MergedPart| &fleet[usize::from(part.machine)];
        let all: Vec<u64> = parts.iter().flat_map(|part| of(part).3.iter().flat_map(|job| job[of(part).2..].concat())).collect();
        prop_assert_eq!(step.latency(Direction::Read), distribution(&all));
        prop_assert_eq!(step.tally(Direction::Read).ops, all.len() as u64);
        let every: Vec<u64> = parts.iter().flat_map(|part| of(part).3.concat().concat()).collect();
        let mut seen = Distribution::default();
        step.intervals.iter().for_each(|one| seen.merge(&one.of(Direction::Read).latency));
        prop_assert_eq!(seen, distribution(&every));
        prop_assert_eq!(parts.len() + request.left_out.len(), fleet.len());
    }

    #[test]
    fn counted_intervals_are_those_in_which_every_machine_counted(fleet in proptest::collection::vec(drawn(), 2..6)) {
        let machines: Vec<MachineRun> = fleet.iter().enumerate().map(machine).collect();
        let Ok(merged) = merge(machines, Vec::new()) else { return Ok(()) };
        let step = &merged.steps[0];
        for whole in step.counted() {
            prop_assert_eq!(whole.end.since(whole.start), INTERVAL);
            let of_jobs = step.intervals.iter().filter(|one| one.start == whole.start && one.counted);
            prop_assert_eq!(of_jobs.count(), step.jobs.len());
        }
        let Some(ProcedureRequest::Merged(request)) = &merged.asked else { panic!("{:?}", merged.asked) };
        prop_assert!(request.steps[0].iter().all(|part| part.moved_ns.unsigned_abs() <= INTERVAL.0 / 2));
    }
}

#[test]
fn a_machine_that_was_interrupted_voids_the_sum_but_not_the_rest() {
    let whole: Drawn = (0, 0, 0, vec![vec![vec![1000]; 8]]);
    let mut machines: Vec<MachineRun> =
        [&whole, &whole, &whole].into_iter().enumerate().map(machine).collect();
    machines[1].run.steps[0].ending = Ending::Interrupted;
    let merged = merge(machines.clone(), Vec::new()).unwrap();
    let Some(ProcedureRequest::Merged(request)) = &merged.asked else { panic!("{:?}", merged.asked) };
    let left = LeftOutStep { machine: 1, step: "load".into(), reason: LeftOutReason::CutShort };
    assert_eq!(
        (request.left_out.as_slice(), merged.steps[0].tally(Direction::Read).ops),
        ([left].as_slice(), 16)
    );
    machines.iter_mut().for_each(|machine| machine.run.steps[0].ending = Ending::Interrupted);
    assert_eq!(merge(machines, Vec::new()).unwrap().steps[0].jobs.len(), 3);
}

#[test]
fn what_cannot_be_merged_is_refused_by_name() {
    let one: Drawn = (0, 0, 0, vec![vec![vec![1000]; 8]]);
    let late: Drawn = (60_000, 0, 0, vec![vec![vec![1000]; 8]]);
    let of = |fleet: [&Drawn; 2]| -> Vec<MachineRun> { fleet.into_iter().enumerate().map(machine).collect() };
    let refusal = |machines: Vec<MachineRun>| merge(machines, Vec::new()).unwrap_err().to_string();
    assert!(refusal(of([&one, &late])).contains("ran at different times"));
    let mut named = of([&one, &one]);
    let again = named[0].run.steps.clone();
    named[0].run.steps.extend(again);
    named[1].run.steps[0].plan.name = "other".into();
    assert!(refusal(named).contains("no two machines ran a step of the same name"));
    let merged = MachineRun {
        run: merge(of([&one, &one]), Vec::new()).unwrap(),
        label: "both".into(),
        ..machine((7, &one))
    };
    assert!(refusal(vec![merged, machine((8, &one))]).contains("name those instead: 0.plimsoll, 1.plimsoll"));
    let mut watch = of([&one, &one]);
    watch[1].run.steps.clear();
    assert!(refusal(watch).starts_with("1.plimsoll holds no I/Os"));
}

#[test]
fn a_clock_that_is_wrong_can_be_corrected() {
    let one: Drawn = (0, 0, 0, vec![vec![vec![1000]; 8]]);
    let mut machines: Vec<MachineRun> = [&one, &one].into_iter().enumerate().map(machine).collect();
    machines[1].run.started_unix_ms += 90_000;
    assert!(merge(machines.clone(), Vec::new()).is_err());
    machines[1].clock_ns = -90_000_000_000;
    let merged = merge(machines, Vec::new()).unwrap();
    assert_eq!(merged.steps[0].counted().len(), 8);
}

#[test]
fn a_machine_that_a_damaged_file_invents_has_no_name_and_stops_nothing() {
    let one: Drawn = (0, 0, 0, vec![vec![vec![1000]; 8]]);
    let mut run = merge([&one, &one].into_iter().enumerate().map(machine).collect(), Vec::new()).unwrap();
    let Some(ProcedureRequest::Merged(request)) = &mut run.asked else { panic!("{:?}", run.asked) };
    (request.steps[0][0].machine, request.steps[0][0].jobs, request.steps[0][1].jobs) =
        (9, u16::MAX, u16::MAX);
    request.left_out.push(LeftOutStep { machine: 77, step: "load".into(), reason: LeftOutReason::Alone });
    let Some(analysis::ProcedureAnswer::Merged(answer)) = analysis::analyse(&run, None, None).answered else {
        panic!("no answer")
    };
    assert_eq!((answer.label(0), answer.label(9), answer.label(77)), ("host-0", "?", "?"));
}

/// Of five machines, three ran at the same time, or two: then there is nothing that most of them did together.
#[test]
fn a_few_machines_that_ran_together_are_no_measure_of_all() {
    let one = |began_ms, latency| -> Drawn { (began_ms, 0, 0, vec![vec![vec![latency; 6]; 8]]) };
    for (third_ms, is_together) in [(0, true), (90_000, false)] {
        let fleet = [one(0, 1000), one(0, 1001), one(third_ms, 9000), one(30_000, 1000), one(60_000, 1000)];
        let machines = fleet.iter().enumerate().map(machine).collect();
        let run = merge(machines, Vec::new()).unwrap();
        let Some(analysis::ProcedureAnswer::Merged(answer)) = analysis::analyse(&run, None, None).answered
        else {
            panic!("no answer")
        };
        assert_eq!((answer.is_together(), answer.deviations.is_empty()), (is_together, !is_together));
        assert_eq!(answer.most_at_once(), if is_together { 3 } else { 2 });
    }
}
