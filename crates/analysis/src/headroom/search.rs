//! The state of a search: its loads since the last change, and the rate at which the bounds cease to hold.

use record::StepRecord;
use serde::{Deserialize, Serialize};
use statistics::crossing::{Crossing, CrossingTarget, crossing};
use workload::{Ending, HeadroomRequest, LatencyBound, StepKind};

use super::clusters::Clusters;
use super::load::{BoundOutcome, OpenLoad};
use crate::estimate::Estimate;
use crate::sittings::in_sittings;

/// Share within which the rates of two loads do not contradict each other, whatever their results.
const APART: f64 = 0.03;
/// Share within which loads are joined into one.
const ALIKE: f64 = 0.015;
/// Usual slope of the log odds of being late against the rate, in multiples of the bound.
const USUAL_SLOPE: f64 = 1.5;
/// Share of the least rate tried below which a fitted line is not used.
const FAR: f64 = 0.8;
/// Fewest changes from which the volume counts as unsteady.
const SWINGS: usize = 3;
/// Ratio of variances above which loads disagree by more than chance: five loads exceed it in one case of a hundred.
const DISAGREE: f64 = 4.0;
/// Width of an interval, as a share of the rate, above which it is a range and not an answer.
const WIDE: f64 = 0.5;

/// The greatest rate, as far as known, I/Os per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "bound", content = "rate")]
pub enum Greatest {
    /// At this rate, with its 95 % interval.
    Found(Estimate),
    /// Between the greatest rate at which the bounds held and the least at which they did not.
    Between(Estimate),
    /// At least this: the bounds held at the greatest rate tried.
    AtLeast(f64),
    /// At most this: the bounds did not hold at the least rate tried.
    AtMost(f64),
}

/// Why the answer of a search is doubtful.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadroomDoubt {
    /// The volume changed: the answer is for its latest state.
    Changed,
    /// The volume changed again and again: there is no single answer.
    Swings,
    /// Loads near the answer disagree by more than chance.
    Disagree,
    /// The search was stopped before its end.
    Stopped,
    /// The interval is too wide: only the rates between which the answer lies are known.
    Wide,
}

/// The state of a search.
#[derive(Clone, Debug)]
pub struct Search {
    /// I/Os per second of the load with its queue kept full.
    pub full_queue: Option<f64>,
    /// Loads since the last change, in the order they ran.
    pub loads: Vec<OpenLoad>,
    /// Number of times that loads contradicted earlier ones.
    pub changes: usize,
    /// The loads by rising rate, with those of nearly equal rate joined.
    rows: Vec<OpenLoad>,
    crossing: Option<(usize, Crossing)>,
    bounds: Vec<LatencyBound>,
    /// Seconds from the first step that is not a layout to the end of the last.
    seconds: f64,
}

impl Search {
    /// Evaluates `steps` for the request `asked`.
    pub fn of(asked: &HeadroomRequest, steps: &[StepRecord]) -> Search {
        let of_kind = |kind| steps.iter().filter(move |step| step.plan.kind == kind);
        let loads = of_kind(StepKind::OpenLoad).filter_map(|step| OpenLoad::of(step, &asked.bounds));
        let full = of_kind(StepKind::Probe).next();
        let (loads, changes) = of_now(clustered(loads.collect(), &asked.bounds, full.map(rate_of)));
        // Rates that were asked for are a row each, however near.
        let alike = if asked.rates.is_empty() { ALIKE } else { 0.0 };
        let rows = by_rate(&loads, alike, &asked.bounds);
        let crossing = first_crossing(&loads, &asked.bounds);
        let (full_queue, bounds) = (full.map(rate_of), asked.bounds.clone());
        Search { full_queue, loads, changes, rows, crossing, bounds, seconds: elapsed(steps) }
    }

    /// Returns the length of the search so far, in seconds.
    pub fn elapsed(&self) -> f64 {
        self.seconds
    }

    /// Returns the greatest rate of a load that seemed to hold, below all that seemed not to, and the least of the
    /// latter.
    pub fn bracket(&self) -> (Option<f64>, Option<f64>) {
        let fails = self.rows.iter().filter(|load| !load.holds()).map(|load| load.rate).reduce(f64::min);
        let below = |rate: &f64| fails.is_none_or(|fails| *rate < fails);
        let holds = self.rows.iter().filter(|load| load.holds()).map(|load| load.rate);
        (holds.filter(below).reduce(f64::max), fails)
    }

    /// Returns where the bounds cease to hold: the crossing of the first bound to do so, with its index.
    pub fn crossing(&self) -> Option<(usize, Crossing)> {
        self.crossing
    }

    /// Returns the index of the bound that binds; `None` if no load shows it.
    pub(super) fn binds(&self) -> Option<usize> {
        let failing = |load: &&OpenLoad| !load.holds();
        let least = self.loads.iter().filter(failing).min_by(|a, b| a.rate.total_cmp(&b.rate));
        let odds = |held: &BoundOutcome, bound: &LatencyBound| held.beyond / held.count / bound.may_exceed();
        let worst = |load: &OpenLoad| {
            let all = load.held.iter().zip(&self.bounds).map(|(held, bound)| odds(held, bound)).enumerate();
            all.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
        };
        self.crossing().map(|(at, _)| at).or_else(|| worst(least?))
    }

    /// Returns the greatest rate, as far as known.
    pub fn greatest(&self) -> Option<Greatest> {
        let (holds, fails) = self.bracket();
        match (holds, fails) {
            (None, None) => None,
            (Some(rate), None) => Some(Greatest::AtLeast(rate)),
            (None, Some(rate)) if !self.reaches(rate) => Some(Greatest::AtMost(rate)),
            (_, Some(fails)) => Some(self.between(holds.unwrap_or(0.0), fails)),
        }
    }

    /// Whether the line through the loads crosses the allowed share not far below the least of their rates.
    fn reaches(&self, least: f64) -> bool {
        self.crossing().is_some_and(|(_, found)| found.is_bounded() && found.at > FAR * least)
    }

    fn between(&self, holds: f64, fails: f64) -> Greatest {
        let least = self.surely_holds().unwrap_or(0.0).min(holds);
        let most = self.surely_fails().unwrap_or(f64::INFINITY).max(fails);
        match self.crossing() {
            // Beyond a rate that surely failed nothing holds, whatever the line gives.
            Some((_, found)) if found.is_bounded() && found.at > least && found.at < most => {
                // Nor is the greatest rate below one that surely held: if the line is loose, these rates are its ends.
                Greatest::Found(Estimate {
                    value: found.at,
                    low: found.low.max(least),
                    high: found.high.min(most),
                })
            }
            _ => {
                let middle = (holds + fails) / 2.0;
                let value = self.crossing().map_or(middle, |(_, found)| found.at.clamp(holds, fails));
                Greatest::Between(Estimate { value, low: least, high: most.min(fails * 2.0) })
            }
        }
    }

    /// Returns the least rate at which a bound surely did not hold. If it held at a higher one, the load failed by its
    /// moment and not by its rate.
    pub(super) fn surely_fails(&self) -> Option<f64> {
        let held = self.rows.iter().filter(|load| load.holds()).map(|load| load.rate).fold(0.0, f64::max);
        let fails = self.rows.iter().filter(|load| load.surely_fails() && load.rate > held);
        fails.map(|load| load.rate).reduce(f64::min)
    }

    /// Returns the greatest rate below that at which all bounds surely held.
    pub(super) fn surely_holds(&self) -> Option<f64> {
        let below = self.surely_fails().unwrap_or(f64::INFINITY);
        let held = self.rows.iter().filter(|load| load.surely_holds() && load.rate < below);
        held.map(|load| load.rate).reduce(f64::max)
    }

    /// Returns the greatest rate that the volume served within the bounds, if there are any, as far as known.
    pub(super) fn served(&self, greatest: Option<Greatest>) -> Option<f64> {
        let kept = self.rows.iter().filter(|load| load.is_whole() && load.holds()).map(|load| load.rate);
        match greatest {
            Some(Greatest::Found(rate) | Greatest::Between(rate)) => Some(rate.value),
            _ => kept.reduce(f64::max),
        }
    }

    /// Returns the doubts about the answer.
    pub(super) fn doubts(&self, steps: &[StepRecord]) -> Vec<HeadroomDoubt> {
        let last = steps.last().map(|step| step.ending);
        let stopped = last.is_some_and(|ending| matches!(ending, Ending::Interrupted | Ending::Failed));
        let disagree = self.crossing().is_some_and(|(_, found)| found.strays > DISAGREE);
        let wide = match self.greatest() {
            Some(Greatest::Found(rate) | Greatest::Between(rate)) => rate.high - rate.low > WIDE * rate.value,
            _ => false,
        };
        let all = [
            (self.changes > 0 && self.changes < SWINGS, HeadroomDoubt::Changed),
            (self.changes >= SWINGS, HeadroomDoubt::Swings),
            (disagree, HeadroomDoubt::Disagree),
            (stopped, HeadroomDoubt::Stopped),
            (wide, HeadroomDoubt::Wide),
        ];
        all.into_iter().filter(|(is, _)| *is).map(|(_, doubt)| doubt).collect()
    }

    /// Returns the loads by rising rate, with those of nearly equal rate joined.
    pub(super) fn into_rows(self) -> Vec<OpenLoad> {
        self.rows
    }
}

/// Returns the seconds from the first of `steps` that is not a layout to the end of the last, without gaps in between.
pub fn elapsed(steps: &[StepRecord]) -> f64 {
    let first = steps.iter().position(|step| step.plan.kind != StepKind::Layout);
    first.map_or(0.0, |first| in_sittings(&steps[first..]).as_secs_f64())
}

/// Returns the bound that ceases to hold first, and its crossing. In a queue, the log odds of being late grow with the
/// rate by one (M/M/1) to two (M/D/1) times the bound.
fn first_crossing(loads: &[OpenLoad], bounds: &[LatencyBound]) -> Option<(usize, Crossing)> {
    let of_bound = |(at, bound): (usize, &LatencyBound)| {
        let trials: Vec<_> = loads.iter().filter_map(|load| load.trial(at)).collect();
        let sought =
            CrossingTarget { share: bound.may_exceed(), usual_slope: USUAL_SLOPE * bound.most.as_secs_f64() };
        Some((at, crossing(&trials, sought)?))
    };
    bounds.iter().enumerate().filter_map(of_bound).min_by(|a, b| a.1.at.total_cmp(&b.1.at))
}

/// Sorts loads by rising rate, and joins those nearer than the share `alike` to the first of them.
fn by_rate(loads: &[OpenLoad], alike: f64, bounds: &[LatencyBound]) -> Vec<OpenLoad> {
    let mut sorted = loads.to_vec();
    sorted.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    let mut rows: Vec<(f64, OpenLoad)> = Vec::new();
    for load in sorted {
        match rows.last_mut() {
            Some((first, row)) if load.rate < *first * (1.0 + alike) && row.is_whole() && load.is_whole() => {
                *row = row.with(&load, bounds);
            }
            _ => rows.push((load.rate, load)),
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Judges loads by the clustering of late I/Os in all of them, weighted by events: a load with few events shows too
/// little.
fn clustered(loads: Vec<OpenLoad>, bounds: &[LatencyBound], full: Option<f64>) -> Vec<OpenLoad> {
    let seen: Vec<Clusters> =
        bounds.iter().enumerate().map(|bound| Clusters::seen(&loads, bound, full)).collect();
    let judged = |load: OpenLoad| {
        let least: Vec<f64> = seen.iter().map(|seen| seen.at(load.rate)).collect();
        load.clustering(&least, bounds)
    };
    loads.into_iter().map(judged).collect()
}

/// Returns the I/Os per second of a step with a full queue.
fn rate_of(step: &StepRecord) -> f64 {
    let counted = step.counted();
    let seconds: f64 = counted.iter().map(record::Interval::seconds).sum();
    let ops: f64 = counted.iter().map(|one| one.iops() * one.seconds()).sum();
    if seconds > 0.0 { ops / seconds } else { 0.0 }
}

/// Returns the loads since the volume last changed, and the number of changes: loads that contradict each other lie on
/// either side of one.
fn of_now(loads: Vec<OpenLoad>) -> (Vec<OpenLoad>, usize) {
    let (mut now, mut changes) = (Vec::<OpenLoad>::new(), 0);
    for load in loads {
        if let Some(last) = now.iter().rposition(|earlier| contradict(earlier, &load)) {
            now.drain(..=last);
            changes += 1;
        }
        now.push(load);
    }
    (now, changes)
}

/// Whether a later load fails at a lower rate than one that held, or holds at a higher rate than one that failed, and their
/// shares of late I/Os differ by more than chance.
fn contradict(earlier: &OpenLoad, later: &OpenLoad) -> bool {
    let worse = earlier.holds() && later.surely_fails() && later.rate < earlier.rate * (1.0 - APART);
    let better = earlier.surely_fails() && later.holds() && later.rate > earlier.rate * (1.0 + APART);
    worse && later.is_surely_later(earlier) || better && earlier.is_surely_later(later)
}
