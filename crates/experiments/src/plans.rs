//! The plans of a check: which procedures run one after the other in one run, and how a stopped run resumes.
//!
//! A part runs as if it were alone: it sees only its own steps, by their names within the part; in the run, the names
//! of its steps include its own name.

use std::borrow::Cow;

use analysis::own_steps;
use policy::Limits;
use record::StepRecord;
use workload::{BurstRequest, CheckPlan, ProcedureRequest, name_in_part};

use crate::burst::{burst_forecast, next_burst_step};
use crate::check::{OmissionReason, left_out, next_step, seconds_left, seconds_most, seconds_usual};
use crate::headroom::{HeadroomAsk, headroom_seconds, headroom_seconds_left, next_headroom_step};
use crate::layout::layout_step;
use crate::places::{PlacesAsk, next_places_step, places_seconds, within_layout};
use crate::soak::{self, SoakAsk};
use crate::step::{Layout, Step};
use crate::{CheckAsk, LAYOUT_GUESS};

/// Request for a check by its plan, fitted to the target.
#[derive(Clone, Debug)]
pub struct PlanAsk {
    /// Procedures that run one after the other.
    pub parts: Vec<PartAsk>,
    /// Data to lay out at the beginning of each sitting.
    pub layout: Layout,
    /// Seed of that data.
    pub seed: u64,
    /// Number of steps recorded when each later sitting began.
    pub sittings: Vec<usize>,
}

/// One procedure of a plan.
#[derive(Clone, Debug)]
pub enum PartAsk {
    /// The ladders and probes of a check.
    Check(Box<CheckAsk>),
    /// The greatest rate within a latency.
    Headroom(HeadroomAsk),
    /// The search for differences between places of the volume.
    Places(PlacesAsk),
    /// Draining the volume on purpose.
    Burst(BurstRequest, Layout),
    /// A soak over hours.
    Soak(SoakAsk),
}

/// Shares of a standard plan's time for its parts: check, headroom, where.
const SHARES: [f64; 3] = [0.55, 0.27, 0.18];

/// Shares of a plan's time for its parts, in their order; a single 1 for a plan of one part.
pub fn part_shares(plan: CheckPlan) -> &'static [f64] {
    if plan == CheckPlan::Standard { &SHARES } else { &[1.0] }
}

/// Forecast of a plan, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanSeconds {
    /// Usual seconds.
    pub usual: f64,
    /// Longest seconds.
    pub most: f64,
}

/// The next step of a check by its plan, `None` when it is done. Pure: the same records give the same step.
pub fn next_plan_step(ask: &PlanAsk, done: &[StepRecord]) -> Option<Step> {
    if ask.sittings.contains(&done.len()) && !done.is_empty() {
        // Laid-out data was removed at the end of the previous sitting.
        let most = workload::Nanos::from_secs(600);
        if let Some(layout) = layout_step(ask.layout, ask.seed, most) {
            return Some(Step { name: format!("layout {}", done.len()), ..layout });
        }
    }
    ask.parts.iter().find_map(|part| part.next(done))
}

/// Forecasts all parts for a volume with this layout speed and these limits.
pub fn plan_seconds(ask: &PlanAsk, layout_bytes_per_second: f64, limits: Option<&Limits>) -> PlanSeconds {
    ask.parts.iter().map(|part| part.seconds(layout_bytes_per_second, limits)).fold(
        PlanSeconds::default(),
        |all, part| PlanSeconds { usual: all.usual + part.usual, most: all.most + part.most },
    )
}

/// Usual seconds that remain after the steps in `done`.
pub fn plan_seconds_left(ask: &PlanAsk, limits: Option<&Limits>, done: &[StepRecord]) -> f64 {
    ask.parts.iter().map(|part| part.seconds_left(limits, done)).sum()
}

/// Steps that were wanted but did not run, with the reason.
pub fn plan_left_out(ask: &PlanAsk, done: &[StepRecord]) -> Vec<(String, OmissionReason)> {
    let of = |part: &PartAsk| match part {
        PartAsk::Check(check) => left_out(check, &part.own(done)),
        _ => Vec::new(),
    };
    ask.parts.iter().flat_map(of).collect()
}

impl PartAsk {
    /// Request of the part, as it is stored; `None` for the check's own steps.
    pub fn asked(&self) -> Option<ProcedureRequest> {
        match self {
            PartAsk::Check(_) => None,
            PartAsk::Headroom(ask) => Some(ProcedureRequest::Headroom(ask.asked.clone())),
            PartAsk::Places(ask) => Some(ProcedureRequest::Places(ask.asked.clone())),
            PartAsk::Burst(asked, _) => Some(ProcedureRequest::Burst(asked.clone())),
            PartAsk::Soak(ask) => Some(ProcedureRequest::Soak(ask.asked.clone())),
        }
    }

    fn name(&self) -> Option<&'static str> {
        self.asked().and_then(|asked| asked.part_name())
    }

    /// Steps of the part among those of the run, by their names within the part.
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
            PartAsk::Places(ask) => next_places_step(&within_layout(ask, done), &own),
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
