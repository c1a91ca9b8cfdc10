//! The procedure of `burst`: overload until the rate has fallen; rest and measure the credits earned; rest again and
//! spend them at half the excess (method 8.1). Operations first, then bytes, unless the bucket of operations also pays
//! for bytes.

mod forecast;

use analysis::{Asking, BurstPart, Ends, MeasuredDrain, Resource, asked_for, burst_answer};
use record::StepRecord;
use workload::{
    Access, BlockSizes, BurstRequest, Bytes, Ending, Iops, Job, Mix, Nanos, Pace, StepKind, StopRule,
    Workload,
};

pub use forecast::{BurstForecast, burst_forecast, burst_left};

use crate::layout::layout_step;
use crate::step::{Layout, Step, full_depth};

/// Duration of the first look at an unknown volume.
const LOOK: Nanos = Nanos::from_secs(3);
/// Length of an interval of the first look.
const LOOK_INTERVAL: Nanos = Nanos::from_millis(500);
/// I/Os in flight in the first look, by resource.
const LOOK_DEPTHS: [u32; 2] = [16, 8];
/// Least and greatest depth that keeps a volume full, by resource.
const DEPTHS: [(f64, f64); 2] = [(8.0, 256.0), (4.0, 32.0)];
/// I/Os that an interval should hold, so that whole counts make no visible steps.
const IOS: f64 = 20.0;
/// Longest interval of a load, in seconds.
const INTERVAL_MOST: f64 = 10.0;
/// Least fall that is detected, as a share of the burst: the smallest in a published table is 14 % (method 8.1).
const FALL: f64 = 0.05;
/// Precision of the remaining rate, as a share of the fall; the error of the bucket is then as large.
const KNOWN: f64 = 0.01;
/// Time for which the remaining rate is observed after the first fall.
const SETTLED: Nanos = Nanos::from_secs(10);
/// Time for which the remaining rate is observed after later falls, when the levels are known.
const SETTLED_AGAIN: Nanos = Nanos::from_secs(5);
/// Seconds of burst that a rest should pay for.
const PAID_S: f64 = 20.0;
/// Shortest rest, in seconds.
const REST_LEAST_S: f64 = 10.0;
/// Longest rest, in seconds, unless [`REST_PART`] of the first burst is longer.
const REST_MOST_S: f64 = 300.0;
/// Share of the first burst's duration that a rest may take.
const REST_PART: f64 = 0.25;
/// Maximum credits that a rest may earn, as a share of the bucket's content, so that the bucket does not overflow.
const BRIM: f64 = 0.4;
/// Longest rest if no fall was seen, in seconds: if the bucket was empty, the rest earns a burst.
const BLIND_REST_S: f64 = 120.0;
/// Longest rest if no fall was seen, as a share of the longest drain.
const BLIND_PART: f64 = 0.25;
/// Longest look after a rest that followed no fall.
const BLIND_LOOK: Nanos = Nanos::from_secs(180);
/// Margin in seconds: the look after a rest ends this long after twice the burst that the rest should pay for, or after
/// twice the first burst, if that is longer.
const LOOK_BEYOND_S: f64 = 30.0;
/// Longest look, in seconds, that the duration of the first burst alone justifies.
const BACK_MOST_S: f64 = 150.0;
/// Rests that may bring no burst.
const RESTS: usize = 3;
/// Factor by which each further rest is longer, while none brought a burst.
const LONGER: f64 = 4.0;
/// Factor by which a rest is longer than a cool-off.
const COOLED: f64 = 1.1;
/// Duration of a look at reads and writes together.
const BOTH_WAYS: Nanos = Nanos::from_secs(8);
/// Share of the bucket that a rest across an interruption must earn to make it possibly full.
const BRIMMED: f64 = 0.9;
/// Shortest drain worth running.
const DRAIN_LEAST: Nanos = Nanos::from_secs(5);

/// Returns the next step of a burst; `None` when the burst is done. A step that failed or was interrupted is the last
/// of its sitting.
pub fn next_burst_step(asked: &BurstRequest, layout: Layout, done: &[StepRecord]) -> Option<Step> {
    let cut = |step: &StepRecord| matches!(step.ending, Ending::Interrupted | Ending::Failed);
    if done.len() > asked.resumed && done.last().is_some_and(cut) {
        return None;
    }
    // The data of an earlier sitting was removed at its end.
    if done.len() == asked.resumed
        && let Some(step) = layout_step(layout, asked.seed, asked.most)
    {
        return Some(step);
    }
    asked_for(asked).into_iter().find_map(|(resource, block)| Course::of(asked, done, resource, block).next())
}

/// The course of one resource so far.
struct Course<'s> {
    asked: &'s BurstRequest,
    done: &'s [StepRecord],
    resource: Resource,
    block: Bytes,
    part: Option<BurstPart>,
}

/// A load and when it ends.
struct Load {
    name: &'static str,
    depth: u32,
    pace: Pace,
    interval: Nanos,
    stop: StopRule,
}

impl Course<'_> {
    fn of<'s>(asked: &'s BurstRequest, done: &'s [StepRecord], resource: Resource, block: u64) -> Course<'s> {
        let part = burst_answer(done, asked, None).parts.into_iter().find(|part| part.resource == resource);
        Course { asked, done, resource, block: Bytes(block), part }
    }

    fn next(&self) -> Option<Step> {
        let Some(part) = &self.part else { return Some(self.look()) };
        if part.shared_unit.is_some() {
            return None;
        }
        let Some(base) = part.base.filter(|_| part.drains.iter().any(|drain| drain.fell_at_s.is_some()))
        else {
            return self.until_a_fall(part);
        };
        let levels = Levels { base: base.value, burst: burst_of(part)?.max(base.value) };
        self.empty(part, &levels)
            .or_else(|| self.earned(part, &levels))
            .or_else(|| self.at_half(part, &levels))
            .or_else(|| self.both_ways(part))
    }

    /// Drains; if the rate did not fall, rests and looks whether the rest earned credits.
    fn until_a_fall(&self, part: &BurstPart) -> Option<Step> {
        let first: f64 = part.drains.iter().map(|drain| drain.to_s - drain.from_s).sum();
        let left = self.asked.most.since(Nanos::from_secs_f64(first));
        let rested = self.own().skip_while(|step| step.plan.kind != StepKind::Idle).count() > 1;
        let over = self.done.last().is_some_and(|step| step.ending == Ending::Uncertain);
        match (rested, left > DRAIN_LEAST && !over) {
            (false, true) => Some(self.drain(left)),
            (false, false) if self.has_rested() => Some(self.again(FALL, BLIND_LOOK)),
            (false, false) => {
                let seconds = BLIND_REST_S.min(BLIND_PART * self.asked.most.as_secs_f64());
                Some(self.rest(seconds.max(REST_LEAST_S)))
            }
            (true, _) => None,
        }
    }

    /// Empties the bucket again after an interrupted drain or a new layout: the credits earned by a rest can be
    /// measured only from an empty bucket.
    fn empty(&self, part: &BurstPart, levels: &Levels) -> Option<Step> {
        let last = self.done.last()?;
        let left = part.drains.last().is_some_and(|drain| drain.left_some);
        let cut = last.ending == Ending::Interrupted && left;
        (cut || last.plan.kind == StepKind::Layout)
            .then(|| self.again(levels.fall_of(levels.burst), self.asked.most))
    }

    /// A rest and a look at the credits that it earned, until a rest earned some.
    fn earned(&self, part: &BurstPart, levels: &Levels) -> Option<Step> {
        let all = || part.drains.iter().filter(|drain| drain.asking == Asking::All);
        let again = all().filter(|drain| is_again(drain) && drain.fell_at_s.is_none()).count();
        let tried = all().skip_while(|drain| drain.fell_at_s.is_none()).count();
        let tells = |drain: &&MeasuredDrain| self.tells(drain, part, levels);
        if all().any(|drain| tells(&drain)) || tried > RESTS + 1 {
            return None;
        }
        let seconds = levels.rest_s(&EndedBurst::of(part)) * LONGER.powi(again as i32);
        if !self.has_rested() {
            return Some(self.rest(seconds));
        }
        let pays = levels.base * seconds / levels.above();
        let back = part.lasted_s.unwrap_or(0.0).mul_add(2.0, LOOK_BEYOND_S).min(BACK_MOST_S);
        let most = (2.0 * pays + LOOK_BEYOND_S).max(back);
        Some(self.again(levels.fall_of(levels.burst), Nanos::from_secs_f64(most)))
    }

    /// Whether a drain shows the credits that its rest earned, which it does not if the time between two sittings may
    /// have filled the bucket.
    fn tells(&self, drain: &MeasuredDrain, part: &BurstPart, levels: &Levels) -> bool {
        let rested = drain.rested_s.unwrap_or(0.0);
        let held = part.held.map_or(f64::INFINITY, |held| held.amount.value);
        let brimmed = self.asked.resumed > 0 && rested * levels.base > BRIMMED * held;
        is_again(drain) && drain.fell_at_s.is_some() && !brimmed
    }

    /// The same rest again, after which the credits are spent at half the excess, so that a bucket lasts twice as long.
    fn at_half(&self, part: &BurstPart, levels: &Levels) -> Option<Step> {
        let fell = |drain: &&MeasuredDrain| {
            drain.asking == Asking::All && is_again(drain) && drain.fell_at_s.is_some()
        };
        let mut all = part.drains.iter().rev().filter(fell);
        // Even if every rest may have filled the bucket, a bucket can still be distinguished from a timed burst.
        let back = all.clone().find(|drain| self.tells(drain, part, levels)).or_else(|| all.next())?;
        // An interrupted drain at half the excess is tried once more.
        let mut halves = part.drains.iter().filter(|drain| drain.asking == Asking::Half);
        if halves.clone().any(|drain| drain.fell_at_s.is_some()) || halves.nth(1).is_some() {
            return None;
        }
        let cooled = part.cool_off_s.map_or(0.0, |(_, most)| COOLED * most);
        let seconds = back.rested_s.unwrap_or(REST_LEAST_S).max(cooled);
        if !self.has_rested() {
            return Some(self.rest(seconds));
        }
        let half = f64::midpoint(levels.base, levels.burst);
        let pays = levels.base * seconds / (half - levels.base);
        let lasted = back.lasted_s.unwrap_or(0.0).max(pays);
        let each = if self.resource == Resource::Iops { 1.0 } else { self.block.0 as f64 };
        Some(self.load(&Load {
            name: "half the excess",
            depth: self.depth(),
            pace: Pace::Fixed(Iops(half / each)),
            interval: self.interval(Nanos::from_millis(500)),
            stop: StopRule::Fallen {
                share: levels.fall_of(half),
                half_width: KNOWN,
                settled: SETTLED_AGAIN,
                most: Nanos::from_secs_f64(2.0 * lasted + LOOK_BEYOND_S),
            },
        }))
    }

    /// Reads and writes together, while the drained bucket is empty.
    fn both_ways(&self, part: &BurstPart) -> Option<Step> {
        let half = Mix::reads(50);
        let empty = part.drains.last().is_some_and(|drain| drain.fell_at_s.is_some());
        let wanted = self.asked.both_ways && self.asked.mix != half && part.both_ways.is_none();
        // If the first look was inconclusive, a second one would be too.
        let looked = self.own().any(|step| step.plan.workers.iter().any(|worker| worker.access.mix == half));
        (wanted && empty && !looked).then(|| {
            let load = Load {
                name: "both ways",
                depth: self.depth(),
                pace: Pace::Closed,
                interval: self.interval(Nanos::from_millis(500)),
                stop: StopRule::Time(BOTH_WAYS),
            };
            self.load_of(&load, half)
        })
    }

    fn look(&self) -> Step {
        let depth = LOOK_DEPTHS[self.index()];
        let stop = StopRule::Time(LOOK);
        self.load(&Load { name: "look", depth, pace: Pace::Closed, interval: LOOK_INTERVAL, stop })
    }

    fn drain(&self, most: Nanos) -> Step {
        self.load(&Load {
            name: "drain",
            depth: self.depth(),
            pace: Pace::Closed,
            interval: self.interval(Nanos::SECOND),
            stop: StopRule::Fallen { share: FALL, half_width: KNOWN, settled: SETTLED, most },
        })
    }

    /// A full load after a rest.
    fn again(&self, share: f64, most: Nanos) -> Step {
        self.load(&Load {
            name: "after a rest",
            depth: self.depth(),
            pace: Pace::Closed,
            interval: self.interval(Nanos::from_millis(500)),
            stop: StopRule::Fallen { share, half_width: KNOWN, settled: SETTLED_AGAIN, most },
        })
    }

    fn rest(&self, seconds: f64) -> Step {
        let workload = Workload {
            jobs: Vec::new(),
            stop: vec![StopRule::Time(Nanos::from_secs_f64(seconds))],
            ramp: Nanos::ZERO,
        };
        let name = self.name("rest");
        Step { name, kind: StepKind::Idle, workload, interval: None }
    }

    /// Steps from the first load of this resource on.
    fn own(&self) -> impl Iterator<Item = &StepRecord> {
        self.done.iter().skip_while(|step| step.jobs.iter().all(|job| job != self.what()))
    }

    /// Whether the last step was a complete rest.
    fn has_rested(&self) -> bool {
        self.done.last().is_some_and(|step| step.plan.kind == StepKind::Idle && step.ending == Ending::Time)
    }

    fn load(&self, load: &Load) -> Step {
        self.load_of(load, self.asked.mix)
    }

    fn load_of(&self, load: &Load, mix: Mix) -> Step {
        let job = Job {
            access: Access::random(mix),
            blocks: BlockSizes::all(self.block),
            depth: load.depth,
            pace: load.pace,
            seed: self.asked.seed,
            ..Job::named(self.what())
        };
        let workload = Workload { jobs: vec![job], stop: vec![load.stop], ramp: Nanos::ZERO };
        Step { name: self.name(load.name), kind: StepKind::Drain, workload, interval: Some(load.interval) }
    }

    /// A name that no step has yet.
    fn name(&self, what: &str) -> String {
        let first = format!("{}: {what}", self.what());
        let free = |name: &String| self.done.iter().all(|step| step.plan.name != *name);
        let numbered = (2..).map(|number| format!("{first} {number}"));
        std::iter::once(first.clone()).chain(numbered).find(free).unwrap_or(first)
    }

    fn what(&self) -> &'static str {
        if self.resource == Resource::Iops { "operations" } else { "bytes" }
    }

    fn index(&self) -> usize {
        usize::from(self.resource == Resource::Bytes)
    }

    /// I/Os per second in the look.
    fn looked(&self) -> f64 {
        let loads = self.own().filter(|step| step.plan.kind == StepKind::Drain);
        loads
            .map(|step| {
                let ways = [workload::Direction::Read, workload::Direction::Write];
                let ops: u64 = ways.into_iter().map(|way| step.tally(way).ops).sum();
                ops as f64 / step.seconds().max(0.1)
            })
            .next()
            .unwrap_or(0.0)
    }

    fn depth(&self) -> u32 {
        full_depth(self.looked(), DEPTHS[self.index()])
    }

    /// Returns `usual`, or the time that enough I/Os take if that is longer.
    fn interval(&self, usual: Nanos) -> Nanos {
        let seconds = (IOS / self.looked().max(f64::MIN_POSITIVE)).min(INTERVAL_MOST);
        if seconds <= usual.as_secs_f64() { usual } else { Nanos::from_secs(seconds.ceil() as u64) }
    }
}

/// Rate before a fall: the burst level, or, if that was never sustained for long, the rate at the start of the first
/// fall.
fn burst_of(part: &BurstPart) -> Option<f64> {
    let fell = part.drains.iter().find(|drain| drain.fell_at_s.is_some());
    part.burst.map(|burst| burst.value).or(fell.map(|drain| drain.before))
}

/// Whether a drain began with only the credits that a rest had earned.
fn is_again(drain: &MeasuredDrain) -> bool {
    drain.began_empty && drain.rested_s.is_some_and(|rested| rested >= REST_LEAST_S / 2.0)
}

/// The two levels of a burst, per second.
struct Levels {
    base: f64,
    burst: f64,
}

impl Levels {
    fn above(&self) -> f64 {
        (self.burst - self.base).max(f64::MIN_POSITIVE)
    }

    /// Least fall to detect for a load at `rate` between these levels: half of the actual fall.
    fn fall_of(&self, rate: f64) -> f64 {
        (0.5 * (1.0 - self.base / rate)).clamp(0.01, 0.5)
    }

    /// Seconds of rest that pay for a visible burst, if a rest earns the base rate.
    fn rest_s(&self, emptied: &EndedBurst) -> f64 {
        let wanted = PAID_S * self.above() / self.base;
        let room = emptied.held.map_or(f64::INFINITY, |held| BRIM * held / self.base);
        let most = REST_MOST_S.max(REST_PART * emptied.lasted_s);
        let least = if emptied.by_time { emptied.lasted_s } else { 0.0 };
        wanted.min(room).min(most).max(REST_LEAST_S).max(least)
    }
}

/// A burst that has ended.
struct EndedBurst {
    /// Duration in seconds.
    lasted_s: f64,
    /// Amount beyond the base rate, if known.
    held: Option<f64>,
    /// Whether the burst ended by time, not by credits spent.
    by_time: bool,
}

impl EndedBurst {
    fn of(part: &BurstPart) -> EndedBurst {
        EndedBurst {
            lasted_s: part.lasted_s.unwrap_or(0.0),
            held: part.held.map(|held| held.amount.value),
            by_time: part.ends == Ends::Time,
        }
    }
}
