//! The procedure of `check --together`: throughput of several volumes under load at once.
//!
//! For each load: every volume alone, all at once, all at once again, and every volume alone in reverse order, so that
//! drift shows on both sides. If the total of all at once is less than the sum of each alone, further loads distinguish
//! causes: another block (operations or bytes), one volume at half its rate (do the others get the rest?), one
//! saturated beside modest users of the others (which starves which?), and, with more than two volumes, each pair. At
//! the end, each alone and all at once again.

mod forecast;

use analysis::{TogetherLook, TogetherRole, half_load, look_together, other_block};
use record::{Interval, StepRecord};
use statistics::random::mix;
use workload::{
    Access, BlockSizes, Bytes, Direction, Iops, Job, Mix, Nanos, Pace, StepKind, StopRule, TogetherLoad,
    TogetherRequest, Workload,
};

use crate::layout::layout_step;
use crate::step::{Layout, Step, was_cut_short};

pub use forecast::{together_looks_most, together_seconds, together_seconds_left};

/// Share of a look's duration that is its ramp.
const RAMP: f64 = 0.2;
/// Shortest look, in seconds: a volume's throttle works in slices of 0.1 s.
const LOOK_LEAST_S: f64 = 2.0;
/// Intervals of a look.
const INTERVALS: f64 = 8.0;
/// Share of the sum of the volumes alone below which a total at once shows a shared limit.
const LESS: f64 = 0.97;
/// Twice the standard error of the budget, as a share of the budget, at which it is known well enough.
const PRECISE: f64 = 0.015;
/// Maximum number of further loads of all at once if the budget is not known well enough.
const MORE: usize = 6;
/// Loads of all at once in any case: there, back, and once again.
const AGAIN: usize = 3;
/// Factor on the standard error of independent values, because successive values of noise are correlated.
const ALIKE: f64 = 1.5;
/// Most volumes of which each pair is loaded.
const PAIRS_MOST: usize = 4;
/// Longest layout of real data.
const LAYOUT_MOST: Nanos = Nanos::from_secs(120);

/// Request for the procedure, fitted to the targets.
#[derive(Clone, Debug)]
pub struct TogetherAsk {
    /// Parameters of the procedure.
    pub asked: TogetherRequest,
    /// Data to lay out on each volume first, in their order.
    pub layouts: Vec<Layout>,
    /// Most bytes in flight in all.
    pub in_flight_most: Bytes,
}

/// The next step; `None` when the procedure is done. A step that failed or was interrupted is the last.
pub fn next_together_step(ask: &TogetherAsk, done: &[StepRecord]) -> Option<Step> {
    if done.last().is_some_and(was_cut_short) {
        return None;
    }
    if done.is_empty()
        && let Some(layout) = layout(ask)
    {
        return Some(layout);
    }
    TogetherState::of(ask, done).next()
}

/// The layout of all volumes at once, if any is needed.
fn layout(ask: &TogetherAsk) -> Option<Step> {
    let of = |(volume, layout): (usize, &Layout)| {
        let step = layout_step(*layout, ask.asked.seed.wrapping_add(volume as u64), LAYOUT_MOST)?;
        let label = ask.asked.volumes.get(volume)?.label.clone();
        let Workload { jobs, stop, .. } = step.workload;
        // The volumes have different sizes.
        Some(jobs.into_iter().map(move |job| Job { name: label.clone(), stop: stop.clone(), ..job }))
    };
    let jobs: Vec<Job> = ask.layouts.iter().enumerate().filter_map(of).flatten().collect();
    let workload = Workload { jobs, stop: Vec::new(), ramp: Nanos::ZERO };
    let step = Step { name: "layout".to_owned(), kind: StepKind::Layout, workload, interval: None };
    (!step.workload.jobs.is_empty()).then_some(step)
}

/// A look that is wanted.
#[derive(Clone, Debug, PartialEq)]
struct WantedLook {
    load: TogetherLoad,
    role: TogetherRole,
}

/// State of the procedure so far.
struct TogetherState<'k> {
    ask: &'k TogetherAsk,
    done: &'k [StepRecord],
    looks: Vec<TogetherLook<'k>>,
}

impl<'k> TogetherState<'k> {
    fn of(ask: &'k TogetherAsk, done: &'k [StepRecord]) -> TogetherState<'k> {
        TogetherState {
            ask,
            done,
            looks: done.iter().filter_map(|step| look_together(step, &ask.asked)).collect(),
        }
    }

    fn next(&self) -> Option<Step> {
        let wanted = self.wanted();
        let of = |wanted: &WantedLook| self.in_role(wanted.load, &wanted.role).count();
        let missing = |at: &usize| {
            let before = wanted[..*at].iter().filter(|earlier| **earlier == wanted[*at]).count();
            before >= of(&wanted[*at]) && self.may_write(wanted[*at].load)
        };
        let next = (0..wanted.len()).find(missing)?;
        let over = forecast::elapsed(self.done) + self.seconds() > self.ask.asked.time.as_secs_f64() * 1.05;
        if over { None } else { self.step(&wanted[next]) }
    }

    fn in_role<'s>(
        &'s self,
        load: TogetherLoad,
        role: &'s TogetherRole,
    ) -> impl Iterator<Item = &'s TogetherLook<'k>> {
        self.looks.iter().filter(move |look| look.load == load && look.role == *role)
    }

    fn volumes(&self) -> usize {
        self.ask.asked.volumes.len()
    }

    /// All looks that are wanted in the current state, including completed ones.
    fn wanted(&self) -> Vec<WantedLook> {
        let asked = &self.ask.asked;
        let mut wanted: Vec<WantedLook> =
            asked.loads.iter().flat_map(|load| self.there_and_back(*load)).collect();
        let held: Vec<TogetherLoad> =
            asked.loads.iter().copied().filter(|load| self.is_held(*load)).collect();
        let all = |load: TogetherLoad| WantedLook { load, role: TogetherRole::All };
        wanted.extend(held.iter().map(|load| all(TogetherLoad { block: other_block(load.block), ..*load })));
        wanted.extend(held.first().into_iter().flat_map(|load| self.apart(*load)));
        // Once again at the end: a volume that fluctuates by itself may have been low twice while all were loaded.
        wanted.extend(held.iter().flat_map(|load| self.there(*load)));
        // Remaining time makes the budgets more precise, the least known first.
        let known = |load: &TogetherLoad| self.in_role(*load, &TogetherRole::All).count();
        let rough = held.iter().filter(|load| known(load) < AGAIN + MORE && !self.is_precise(**load));
        if let Some(load) = rough.min_by_key(|load| known(load)) {
            wanted.extend((0..=known(load)).map(|_| all(*load)).skip(AGAIN));
        }
        wanted
    }

    /// Each volume alone, all at once, and both again in reverse order.
    fn there_and_back(&self, load: TogetherLoad) -> Vec<WantedLook> {
        let there = self.there(load);
        let back = there.iter().rev().cloned();
        there.iter().cloned().chain(back).collect()
    }

    /// Each volume alone, and all at once.
    fn there(&self, load: TogetherLoad) -> Vec<WantedLook> {
        let roles = (0..self.volumes()).map(TogetherRole::Alone).chain([TogetherRole::All]);
        roles.map(|role| WantedLook { load, role }).collect()
    }

    /// Looks that distinguish the causes of a lower total of all at once.
    fn apart(&self, load: TogetherLoad) -> Vec<WantedLook> {
        let volumes = self.volumes();
        let paced = half_load(&self.shares(load)).map(|(volume, _)| TogetherRole::Paced(volume));
        let shallow = (0..volumes).map(TogetherRole::Shallow);
        let greedy = (0..volumes).map(TogetherRole::Greedy);
        let pairs = (0..volumes).flat_map(|one| (one + 1..volumes).map(move |other| vec![one, other]));
        let pairs = pairs.filter(|_| volumes > 2 && volumes <= PAIRS_MOST).map(TogetherRole::Part);
        let roles = paced.into_iter().chain(shallow).chain(greedy).chain(pairs);
        roles.map(|role| WantedLook { load, role }).collect()
    }

    /// Rate of each volume in the first look at all at once.
    fn shares(&self, load: TogetherLoad) -> Vec<f64> {
        let Some(all) = self.in_role(load, &TogetherRole::All).next() else { return Vec::new() };
        (0..self.volumes()).map(|volume| all.rate(volume).unwrap_or(0.0)).collect()
    }

    /// Whether the total of all at once is less than the sum of each alone.
    fn is_held(&self, load: TogetherLoad) -> bool {
        let alone = |volume: usize| {
            let role = TogetherRole::Alone(volume);
            let rates: Vec<f64> = self.in_role(load, &role).filter_map(|look| look.rate(volume)).collect();
            (rates.len() > 1).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
        };
        let alone: Option<f64> = (0..self.volumes()).map(alone).sum();
        let values = self.totals(load);
        let total = values.iter().sum::<f64>() / values.len().max(1) as f64;
        alone.is_some_and(|alone| total > 0.0 && total < LESS * alone)
    }

    fn totals(&self, load: TogetherLoad) -> Vec<f64> {
        self.in_role(load, &TogetherRole::All).flat_map(|look| look.total()).collect()
    }

    fn is_precise(&self, load: TogetherLoad) -> bool {
        let values = self.totals(load);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = ALIKE * (squares / (count - 1.0).max(1.0) / count).sqrt();
        2.0 * error <= PRECISE * mean
    }

    /// Seconds of a look, its ramp included.
    fn seconds(&self) -> f64 {
        let looks = together_looks_most(&self.ask.asked) as f64;
        (self.ask.asked.time.as_secs_f64() / looks).max(LOOK_LEAST_S)
    }

    fn step(&self, wanted: &WantedLook) -> Option<Step> {
        let (seconds, load) = (self.seconds(), wanted.load);
        let time = Nanos::from_secs_f64(seconds * (1.0 - RAMP));
        let jobs = self.jobs(wanted);
        let mut stop = vec![StopRule::Time(time)];
        if load.direction == Direction::Write {
            let left = Bytes(self.left_to_write() / jobs.len().max(1) as u64);
            stop.push(StopRule::WrittenEach(left));
        }
        let workload = Workload { jobs, stop, ramp: Nanos::from_secs_f64(seconds * RAMP) };
        let interval = Nanos::from_secs_f64(seconds * (1.0 - RAMP) / INTERVALS);
        let name = format!("{}: {}", self.done.len() + 1, self.name(wanted));
        Some(Step { name, kind: StepKind::Together, workload, interval: Some(interval) })
    }

    fn name(&self, wanted: &WantedLook) -> String {
        let label = |volume: usize| self.ask.asked.volumes[volume].label.as_str();
        let load = format!("{} {}s", wanted.load.block, wanted.load.direction.name());
        match &wanted.role {
            TogetherRole::Alone(volume) => format!("{} alone, {load}", label(*volume)),
            TogetherRole::Shallow(volume) => format!("{} alone, shallow, {load}", label(*volume)),
            TogetherRole::Part(volumes) => {
                let labels: Vec<&str> = volumes.iter().map(|volume| label(*volume)).collect();
                format!("{}, {load}", labels.join(" and "))
            }
            TogetherRole::All => format!("all, {load}"),
            TogetherRole::Greedy(volume) => format!("{} deep, the others shallow, {load}", label(*volume)),
            TogetherRole::Paced(volume) => format!("{} at half its rate, {load}", label(*volume)),
        }
    }

    /// Jobs of a look, with different places in each step.
    fn jobs(&self, wanted: &WantedLook) -> Vec<Job> {
        let asked = &self.ask.asked;
        let loaded: Vec<usize> = match &wanted.role {
            TogetherRole::Alone(volume) | TogetherRole::Shallow(volume) => vec![*volume],
            TogetherRole::Part(volumes) => volumes.clone(),
            TogetherRole::All | TogetherRole::Greedy(_) | TogetherRole::Paced(_) => {
                (0..self.volumes()).collect()
            }
        };
        let ways = if wanted.load.direction == Direction::Read { Mix::READ } else { Mix::WRITE };
        let job = |volume: usize| Job {
            access: Access::random(ways),
            blocks: BlockSizes::all(wanted.load.block),
            depth: self.depth(wanted, volume),
            pace: self.pace(wanted, volume),
            seed: mix(asked.seed.wrapping_add(volume as u64)).wrapping_add(self.done.len() as u64),
            ..Job::named(&asked.volumes[volume].label)
        };
        loaded.into_iter().map(job).collect()
    }

    fn depth(&self, wanted: &WantedLook, volume: usize) -> u32 {
        let asked = &self.ask.asked;
        let each = self.ask.in_flight_most.0 / self.volumes().max(1) as u64 / wanted.load.block.0.max(1);
        let full = each.clamp(u64::from(asked.shallow) + 1, u64::from(asked.depth)) as u32;
        match wanted.role {
            TogetherRole::Shallow(_) => asked.shallow,
            TogetherRole::Greedy(greedy) if greedy != volume => asked.shallow,
            _ => full,
        }
    }

    fn pace(&self, wanted: &WantedLook, volume: usize) -> Pace {
        let TogetherRole::Paced(paced) = wanted.role else { return Pace::Closed };
        match half_load(&self.shares(wanted.load)) {
            Some((_, rate)) if volume == paced => Pace::Fixed(Iops(rate)),
            _ => Pace::Closed,
        }
    }

    /// Whether enough bytes may still be written for a look at writes.
    fn may_write(&self, load: TogetherLoad) -> bool {
        let least = load.block.0 * u64::from(self.ask.asked.depth) * self.volumes() as u64;
        load.direction != Direction::Write || self.left_to_write() >= least
    }

    fn left_to_write(&self) -> u64 {
        let looked = self.done.iter().filter(|step| step.plan.kind == StepKind::Together);
        let bytes = |one: &Interval| one.of(Direction::Write).tally.bytes;
        let written: u64 = looked.flat_map(|step| &step.intervals).map(bytes).sum();
        self.ask.asked.write_most.0.saturating_sub(written)
    }
}
