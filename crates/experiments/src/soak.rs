//! A soak: a modest open load for hours, and in each of several equal cycles, at a random moment, a short look at full
//! load (method 10.2). A soak only reads.

use record::StepRecord;
use statistics::Stream;
use workload::{
    Access, BlockSizes, Direction, Iops, Job, Mix, Nanos, Pace, SoakRequest, StepKind, StopRule, Workload,
};

use crate::layout::{LAYOUT_GUESS, layout_step};
use crate::step::{Layout, Step, full_depth, was_cut_short};

/// Duration of the first look, which determines the duty (the rate of the modest load) and the depth.
const LOOK: Nanos = Nanos::from_secs(3);
/// I/Os in flight in the first look.
const LOOK_DEPTH: u32 = 32;
/// Name of the first look.
const FIRST: &str = "look";
/// Uncounted start of a look: a limit lets more through at first after a rest.
const RAMP: Nanos = Nanos::SECOND;
/// Duty as a share of the measured rate: the volume should remain available to others.
const DUTY_PART: f64 = 0.1;
/// Maximum I/Os per second of the duty: a latency needs no more.
const DUTY_MOST: f64 = 100.0;
/// I/Os in flight that an open load may need.
const DUTY_DEPTH: u32 = 256;
/// Least and greatest depth that keeps a volume full.
const DEPTHS: (f64, f64) = (8.0, 256.0);
/// Intervals of the duty per cycle.
const INTERVALS: u64 = 6;
/// Shortest and longest interval of the duty: a day's run file should stay small.
const INTERVAL: (Nanos, Nanos) = (Nanos::SECOND, Nanos::from_secs(30));
/// Shortest duty step: a shorter one shows nothing.
const DUTY_LEAST: Nanos = Nanos::SECOND;
/// Longest layout.
const LAYOUT_MOST: Nanos = Nanos::from_secs(120);

/// Request for a soak, fitted to the target.
#[derive(Clone, Debug)]
pub struct SoakAsk {
    /// Parameters of the soak.
    pub asked: SoakRequest,
    /// Data to lay out first.
    pub layout: Layout,
}

/// The next step of a soak; `None` when the soak is done. A step that failed or was interrupted is the last.
pub(crate) fn next(ask: &SoakAsk, done: &[StepRecord]) -> Option<Step> {
    if done.last().is_some_and(was_cut_short) {
        return None;
    }
    if done.is_empty()
        && let Some(layout) = layout_step(ask.layout, ask.asked.seed, LAYOUT_MOST)
    {
        return Some(layout);
    }
    let Some(look) = done.iter().find(|step| step.plan.name == FIRST) else { return Some(first(ask)) };
    let rate = look.tally(Direction::Read).ops as f64 / look.seconds().max(0.1);
    let probes = done.iter().filter(|step| is_probe(step)).count() as u64;
    if probes >= u64::from(ask.asked.cycles) {
        return None;
    }
    let length = duty_length(&ask.asked, probes);
    let on_duty = done.last().is_some_and(is_duty);
    Some(if on_duty || length < DUTY_LEAST {
        probe(ask, probes, rate)
    } else {
        duty(ask, (probes, length), rate)
    })
}

/// Whether a step is the modest load, which has a pace.
fn is_duty(step: &StepRecord) -> bool {
    let paced = step.plan.workers.first().is_some_and(|worker| worker.pace.rate().is_some());
    step.plan.kind == StepKind::Soak && paced
}

/// Whether a step is the look of a cycle.
fn is_probe(step: &StepRecord) -> bool {
    step.plan.kind == StepKind::Soak && step.plan.name != FIRST && !is_duty(step)
}

/// When the look of a cycle begins, counted from the start of the first cycle.
fn begins(asked: &SoakRequest, cycle: u64) -> Nanos {
    let room = asked.cycle().since(asked.probe + RAMP);
    let at = Stream::new(asked.seed, cycle).unit_f64();
    asked.cycle() * cycle + Nanos::from_secs_f64(room.as_secs_f64() * at)
}

/// Time from the end of the previous look to the start of this cycle's.
fn duty_length(asked: &SoakRequest, cycle: u64) -> Nanos {
    let since = cycle.checked_sub(1).map_or(Nanos::ZERO, |before| begins(asked, before) + asked.probe);
    begins(asked, cycle).since(since)
}

fn job(ask: &SoakAsk, name: &str, number: u64) -> Job {
    Job {
        access: Access::random(Mix::READ),
        blocks: BlockSizes::all(ask.asked.block),
        seed: statistics::random::mix(ask.asked.seed).wrapping_add(number),
        ..Job::named(name)
    }
}

/// Ramp, counted time and interval of a step.
struct Window {
    ramp: Nanos,
    time: Nanos,
    interval: Nanos,
}

fn step(name: String, job: Job, window: &Window) -> Step {
    let workload = Workload { jobs: vec![job], stop: vec![StopRule::Time(window.time)], ramp: window.ramp };
    Step { name, kind: StepKind::Soak, workload, interval: Some(window.interval) }
}

fn first(ask: &SoakAsk) -> Step {
    let job = Job { depth: LOOK_DEPTH, ..job(ask, FIRST, 0) };
    step(FIRST.to_owned(), job, &Window { ramp: Nanos::ZERO, time: LOOK, interval: Nanos::SECOND })
}

fn duty(ask: &SoakAsk, (cycle, length): (u64, Nanos), rate: f64) -> Step {
    let pace = Pace::Poisson(Iops((DUTY_PART * rate).clamp(1.0, DUTY_MOST)));
    let job = Job { depth: DUTY_DEPTH, pace, ..job(ask, "duty", 2 * cycle + 1) };
    let interval = Nanos(ask.asked.cycle().0 / INTERVALS).clamp(INTERVAL.0, INTERVAL.1);
    step(format!("duty {}", cycle + 1), job, &Window { ramp: Nanos::ZERO, time: length, interval })
}

fn probe(ask: &SoakAsk, cycle: u64, rate: f64) -> Step {
    let depth = full_depth(rate, DEPTHS);
    let job = Job { depth, ..job(ask, "probe", 2 * cycle + 2) };
    let time = ask.asked.probe.since(RAMP);
    step(format!("probe {}", cycle + 1), job, &Window { ramp: RAMP, time, interval: Nanos::SECOND })
}

/// Seconds of a soak, including the layout.
pub(crate) fn seconds(ask: &SoakAsk, layout_bytes_per_second: f64) -> f64 {
    let layout = match ask.layout {
        Layout::Write(size) => (size.0 as f64 / layout_bytes_per_second).min(LAYOUT_MOST.as_secs_f64()),
        Layout::None => 0.0,
    };
    layout + LOOK.as_secs_f64() + ask.asked.time.as_secs_f64()
}

/// Seconds that remain after the steps in `done`.
pub(crate) fn seconds_left(ask: &SoakAsk, done: &[StepRecord]) -> f64 {
    let probes = done.iter().filter(|step| is_probe(step)).count();
    let cycles = f64::from(ask.asked.cycles) - probes as f64;
    if done.is_empty() { seconds(ask, LAYOUT_GUESS) } else { cycles * ask.asked.cycle().as_secs_f64() }
}
