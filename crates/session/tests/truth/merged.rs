//! Fleets of simulated machines whose runs are merged: how often the one that is 5 % slower is named, how often another is,
//! and whether the rate of all together lies inside its interval.

use analysis::{MergedAnswer, ProcedureAnswer, Reach, alone_rates, analyse};
use experiments::Step;
use record::{MachineRun, Run, merge};
use session::{Setup, Wish, conduct, set_up};
use statistics::Stream;
use workload::{
    Access, BlockSizes, Bytes, Job, Mix, Nanos, ProcedureRequest, StepKind, StopRule, Target, Workload,
};

use crate::checked::{Nobody, each, numbers};

/// Fleets of a full gate; of each four, one runs on every change.
const FLEETS: usize = 40;
const MACHINES: usize = 40;
const IOPS: f64 = 3000.0;
/// Deviation of a machine's rate from second to second, and of its level from that of the others.
const NOISE: &str = "2%";
const BETWEEN: f64 = 0.005;

fn load() -> Step {
    let job = Job {
        access: Access::random(Mix::READ),
        blocks: BlockSizes::all(Bytes::kib(4)),
        depth: 32,
        ..Job::named("reads")
    };
    let stop = vec![StopRule::Time(Nanos::from_secs(20))];
    let workload = Workload { jobs: vec![job], stop, ramp: Nanos::SECOND };
    Step { name: "reads".to_owned(), kind: StepKind::Job, workload, interval: None }
}

/// Runs the load on one machine, whose clock begins within a second of the others'; returns it with its true level.
fn machine(fleet: usize, at: usize, slower: f64) -> (MachineRun, f64) {
    let mut stream = Stream::new(fleet as u64, at as u64);
    let level = (IOPS * (BETWEEN * stream.normal()).exp() * (1.0 - slower)).round();
    let words =
        format!("sim:custom,iops={level},bandwidth=1000MiB/s,noise={NOISE},seed={}", 1000 * fleet + at);
    let set_up = set_up(&Target::parse(&words).unwrap(), &words, &Wish::default());
    let Setup { mut runner, .. } = set_up.unwrap_or_else(|error| panic!("{words}: {error}"));
    let once = |ran: &[record::StepRecord]| ran.is_empty().then(load);
    let (steps, error) = conduct(&once, runner.as_mut(), &mut Nobody);
    assert!(error.is_none(), "{words}: {error:?}");
    let mut run = Run::started(Vec::new(), 1_767_225_600_000 + (1000.0 * stream.unit_f64()) as u64);
    (run.steps, run.complete) = (steps, true);
    (
        MachineRun {
            label: format!("host-{at:02}"),
            file: format!("{at}.plimsoll"),
            clock_ns: 0,
            clock_within: None,
            run,
        },
        level,
    )
}

/// Returns the answer of a fleet, and the true rate of all together.
fn fleet(number: usize, slower: f64) -> (MergedAnswer, f64) {
    let odd = number % MACHINES;
    let of = |at: usize| machine(number, at, if at == odd { slower } else { 0.0 });
    let (machines, levels): (Vec<MachineRun>, Vec<f64>) = (0..MACHINES).map(of).unzip();
    let run = merge(machines, Vec::new()).unwrap();
    match analyse(&run, None, None).answered {
        Some(ProcedureAnswer::Merged(answer)) => (answer, levels.iter().sum()),
        other => panic!("{other:?}"),
    }
}

/// What a fleet showed: whether the slower machine was named, whether another was, without and with a slower one; and
/// whether the interval of the sum holds the truth.
struct Judged {
    found: bool,
    alarms: [bool; 2],
    holds: bool,
}

fn judged(number: usize) -> Judged {
    let odd = |answer: &MergedAnswer| -> Vec<usize> {
        answer.deviations.iter().filter(|of| of.odd).map(|of| of.side).collect()
    };
    let ((calm, truth), (one_slow, _)) = (fleet(number, 0.0), fleet(number, 0.05));
    let named = odd(&one_slow);
    let slow = number % MACHINES;
    let sum = calm.steps[0].loads[0].iops;
    Judged {
        found: named.contains(&slow),
        alarms: [!odd(&calm).is_empty(), named.iter().any(|of| *of != slow)],
        holds: (sum.low..=sum.high).contains(&truth),
    }
}

/// Returns whether a few machines share a limit, of which each has `kept` of its rate alone while all run.
fn reach(number: usize, kept: f64) -> Option<Reach> {
    let machines = 2 + number % 7;
    let of = |hour: usize, slower: f64| move |at: usize| machine(10_000 * hour + number, at, slower).0;
    let alone = (0..machines).map(of(1, 0.0)).flat_map(|of| alone_rates(&of.run, &of.label));
    let mut run = merge((0..machines).map(of(2, 1.0 - kept)).collect(), Vec::new()).unwrap();
    let Some(ProcedureRequest::Merged(request)) = &mut run.asked else { panic!("{:?}", run.asked) };
    request.alone = alone.collect();
    match analyse(&run, None, None).answered {
        Some(ProcedureAnswer::Merged(answer)) => answer.steps[0].loads[0].reach.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn machines_that_keep_their_rates_share_nothing_and_those_that_lose_a_tenth_do() {
    let all: Vec<usize> = numbers(FLEETS).collect();
    let told = each(&all, |number| (reach(*number, 1.0), reach(*number, 0.9)));
    let own = told.iter().filter(|(own, _)| *own == Some(Reach::Whole)).count();
    let shared = told.iter().filter(|(_, shared)| *shared == Some(Reach::Held)).count();
    let wrong = told
        .iter()
        .filter(|(own, shared)| *own == Some(Reach::Held) || *shared == Some(Reach::Whole))
        .count();
    println!(
        "{} fleets: {own} with limits of their own told, {shared} with a shared one, {wrong} wrong",
        all.len()
    );
    assert!(wrong == 0 && own * 100 >= 90 * all.len() && shared * 100 >= 90 * all.len(), "{told:?}");
}

#[test]
fn of_forty_machines_the_one_that_is_5_per_cent_slower_is_named_and_no_other() {
    let all: Vec<usize> = numbers(FLEETS).collect();
    let judged = each(&all, |number| judged(*number));
    let count = |of: &dyn Fn(&Judged) -> bool| judged.iter().filter(|one| of(one)).count();
    let (found, holds) = (count(&|one| one.found), count(&|one| one.holds));
    let (calm, beside) = (count(&|one| one.alarms[0]), count(&|one| one.alarms[1]));
    println!(
        "{} fleets: {found} slower machines named; an alarm in {calm} without one, and another machine named in {beside} with \
         one; {holds} sums inside their intervals",
        all.len()
    );
    assert!(
        found * 100 >= 95 * all.len() && calm * 100 <= 10 * all.len(),
        "{found} found, {calm} alarms of {}",
        all.len()
    );
}
