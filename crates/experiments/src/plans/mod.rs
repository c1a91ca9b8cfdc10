//! The plans of a check: which procedures run one after the other in one run, and how it goes on after it was stopped.
//!
//! A part runs as if it were alone: it is shown its own steps, by their names within it, and what it wants is named after it.

mod soak;

use std::borrow::Cow;

use analysis::own_steps;
use policy::Limits;
use record::StepRecord;
use workload::{Asked, BurstAsked, CheckPlan, name_in_part};

pub use soak::SoakAsk;

use crate::burst::{burst_forecast, next_burst_step};
use crate::check::{LeftOut, left_out, next_step, seconds_left, seconds_most, seconds_usual};
use crate::headroom::{HeadroomAsk, headroom_seconds, headroom_seconds_left, next_headroom_step};
use crate::layout::layout_step;
use crate::places::{PlacesAsk, next_places_step, places_seconds};
use crate::step::{Layout, Step};
use crate::{CheckAsk, LAYOUT_GUESS};

/// A check by its plan, on its ground.
#[derive(Clone, Debug)]
pub struct PlanAsk {
    /// What runs, one after the other.
    pub parts: Vec<PartAsk>,
    /// What is written at the beginning of each sitting.
    pub layout: Layout,
    /// Seed of what is written.
    pub seed: u64,
    /// How many steps there were when each later sitting began.
    pub sittings: Vec<usize>,
}

/// One procedure of a plan.
#[derive(Clone, Debug)]
pub enum PartAsk {
    /// The ladders and probes of a check.
    Check(CheckAsk),
    /// The greatest rate within a latency.
    Headroom(HeadroomAsk),
    /// Where the volume differs.
    Places(PlacesAsk),
    /// A drain on purpose.
    Burst(BurstAsked, Layout),
    /// Hours.
    Soak(SoakAsk),
}

/// The shares of a standard plan's time that its parts take: check, headroom, where.
const SHARES: [f64; 3] = [0.55, 0.27, 0.18];

/// The shares of its time that the parts of a plan have, in their order; one for a plan of one part.
pub fn part_shares(plan: CheckPlan) -> &'static [f64] {
    if plan == CheckPlan::Standard { &SHARES } else { &[1.0] }
}

/// What a plan is foreseen to take, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanSeconds {
    /// Usually.
    pub usual: f64,
    /// At most.
    pub most: f64,
}

/// The next step of a check by its plan, `None` when it is done. Pure: the same records give the same step.
pub fn next_plan_step(ask: &PlanAsk, done: &[StepRecord]) -> Option<Step> {
    if ask.sittings.contains(&done.len()) && !done.is_empty() {
        // What was laid out went with the sitting before, where it was ours.
        let most = workload::Nanos::from_secs(600);
        if let Some(layout) = layout_step(ask.layout, ask.seed, most) {
            return Some(Step { name: format!("layout {}", done.len()), ..layout });
        }
    }
    ask.parts.iter().find_map(|part| part.next(done))
}

/// What all parts will take on a volume that is laid out at this speed and of which these limits are known.
pub fn plan_seconds(ask: &PlanAsk, layout_bytes_per_second: f64, limits: Option<&Limits>) -> PlanSeconds {
    ask.parts.iter().map(|part| part.seconds(layout_bytes_per_second, limits)).fold(
        PlanSeconds::default(),
        |all, part| PlanSeconds { usual: all.usual + part.usual, most: all.most + part.most },
    )
}

/// The seconds that are usually left after these steps.
pub fn plan_seconds_left(ask: &PlanAsk, limits: Option<&Limits>, done: &[StepRecord]) -> f64 {
    ask.parts.iter().map(|part| part.seconds_left(limits, done)).sum()
}

/// Steps that did not run although they were wanted, with why.
pub fn plan_left_out(ask: &PlanAsk, done: &[StepRecord]) -> Vec<(String, LeftOut)> {
    let of = |part: &PartAsk| match part {
        PartAsk::Check(check) => left_out(check, &part.own(done)),
        _ => Vec::new(),
    };
    ask.parts.iter().flat_map(of).collect()
}

impl PartAsk {
    /// What it was asked, as it is stored; `None` of the check's own steps.
    pub fn asked(&self) -> Option<Asked> {
        match self {
            PartAsk::Check(_) => None,
            PartAsk::Headroom(ask) => Some(Asked::Headroom(ask.asked.clone())),
            PartAsk::Places(ask) => Some(Asked::Places(ask.asked.clone())),
            PartAsk::Burst(asked, _) => Some(Asked::Burst(asked.clone())),
            PartAsk::Soak(ask) => Some(Asked::Soak(ask.asked.clone())),
        }
    }

    fn name(&self) -> Option<&'static str> {
        self.asked().and_then(|asked| asked.part_name())
    }

    /// Its steps among those of the run, by their names within it.
    fn own<'d>(&self, done: &'d [StepRecord]) -> Cow<'d, [StepRecord]> {
        own_steps(done, self.name())
    }

    fn next(&self, done: &[StepRecord]) -> Option<Step> {
        let own = self.own(done);
        let cut = |step: &StepRecord| {
            matches!(step.ending, workload::Ending::Failed | workload::Ending::Interrupted)
        };
        if !matches!(self, PartAsk::Burst(..)) && done.last().is_some_and(cut) {
            return None;
        }
        let step = match self {
            PartAsk::Check(ask) => next_step(ask, &own),
            PartAsk::Headroom(ask) => next_headroom_step(ask, &own),
            PartAsk::Places(ask) => next_places_step(ask, &own),
            PartAsk::Burst(asked, layout) => next_burst_step(asked, *layout, &own),
            PartAsk::Soak(ask) => soak::next(ask, &own),
        }?;
        let name = self.name().map_or_else(|| step.name.clone(), |part| name_in_part(part, &step.name));
        Some(Step { name, ..step })
    }

    fn seconds(&self, layout_bytes_per_second: f64, limits: Option<&Limits>) -> PlanSeconds {
        let alike = |seconds: f64| PlanSeconds { usual: seconds, most: seconds };
        match self {
            PartAsk::Check(ask) => {
                let most = seconds_most(ask, layout_bytes_per_second);
                PlanSeconds { usual: seconds_usual(ask, layout_bytes_per_second).min(most), most }
            }
            PartAsk::Headroom(ask) => alike(headroom_seconds(ask)),
            PartAsk::Places(ask) => {
                let usual = places_seconds(ask);
                PlanSeconds { usual, most: usual.max(ask.asked.time.as_secs_f64()) }
            }
            PartAsk::Burst(asked, _) => {
                let foreseen = burst_forecast(asked, limits);
                PlanSeconds { usual: foreseen.seconds, most: foreseen.seconds_most }
            }
            PartAsk::Soak(ask) => alike(soak::seconds(ask, layout_bytes_per_second)),
        }
    }

    fn seconds_left(&self, limits: Option<&Limits>, done: &[StepRecord]) -> f64 {
        let own = self.own(done);
        match self {
            PartAsk::Check(ask) => seconds_left(ask, &own),
            PartAsk::Headroom(ask) => headroom_seconds_left(ask, &own),
            PartAsk::Soak(ask) => soak::seconds_left(ask, &own),
            PartAsk::Places(_) | PartAsk::Burst(..) => {
                let all = self.seconds(LAYOUT_GUESS, limits).usual;
                (all - analysis::in_sittings(&own).as_secs_f64()).max(0.0)
            }
        }
    }
}
