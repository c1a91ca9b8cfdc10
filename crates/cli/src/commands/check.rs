//! `plimsoll check`: from a target to a verdict, a run file and a report.

use analysis::Analysis;
use experiments::{
    LAYOUT_GUESS, Layout, PlanSeconds, Step, Writes, next_plan_step, plan_left_out, plan_seconds,
    plan_seconds_left,
};
use policy::Limits;
use record::StepRecord;
use report::{Extent, Forecast};
use session::Setup;
use session::failure::Failure;
use session::place::Place;
use session::run::{Against, Earlier};
use workload::{CheckPlan, Direction, ProcedureRequest};

mod asked;
mod plans;
mod resume;

use self::asked::CheckCommand;
use self::plans::PlannedCheck;
use super::drain;
use super::measure::{Ground, Measurement, credits_spent, destruction, left_out_words};
use super::readable::something_to_read;
use crate::arguments::CheckArguments;

/// Measures the target and compares it with policy and expectation.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    if arguments.together {
        return super::together::run(arguments);
    }
    if let Some(other) = arguments.others.first() {
        return Err(super::together::refused(&arguments.target, other));
    }
    let asked = match &arguments.resume {
        Some(path) => resume::resumed(arguments, path)?,
        None => CheckCommand::read(arguments)?,
    };
    if asked.check.reads_only {
        something_to_read(&asked.target, &asked.typed)?;
    }
    let mut ground = Ground::open((&asked.target, &asked.typed), &asked.wish, &arguments.measure)?;
    let setup = &mut ground.setup;
    if asked.check.reads_only {
        (setup.writes, setup.layout, setup.facts.reads_only) = (Writes::LeftOut, Layout::None, true);
    }
    if let Some(before) = &asked.before {
        resume::same_target(before, &setup.facts)?;
    }
    let planned = plans::planned(&asked, setup)?;
    let (extent, yes) = (arguments.findings.extent(), arguments.yes);
    ground.measure(&Check { asked, planned, extent, yes })
}

/// A check with its plan.
struct Check {
    asked: CheckCommand,
    planned: PlannedCheck,
    extent: Extent,
    /// Whether a drain starts without asking.
    yes: bool,
}

impl Check {
    fn limits(&self) -> Option<&Limits> {
        self.asked.against.limits.as_ref()
    }

    /// Returns the rate at which layout is expected to write, in bytes/s: the policy's, else a low guess.
    fn layout_rate(&self) -> f64 {
        let rate = self.limits().and_then(|limits| limits.enforced_bytes_per_second(Direction::Write));
        rate.map_or(LAYOUT_GUESS, |rate| rate.0)
    }

    /// Returns the expected duration of the check, or of the rest of a resumed one.
    fn seconds(&self) -> PlanSeconds {
        let all = plan_seconds(&self.planned.ask, self.layout_rate(), self.limits());
        if self.asked.earlier.steps.is_empty() {
            return all;
        }
        let left = self.left(&self.asked.earlier.steps);
        PlanSeconds { usual: left, most: all.most.min(1.5 * left) }
    }
}

impl Measurement for Check {
    fn command(&self) -> String {
        "check".to_owned()
    }

    fn noun(&self) -> &'static str {
        "a check"
    }

    fn asked(&self) -> Option<ProcedureRequest> {
        Some(ProcedureRequest::Check(Box::new(self.planned.check.clone())))
    }

    fn against(&self) -> &Against {
        &self.asked.against
    }

    fn earlier(&self) -> Option<&Earlier> {
        Some(&self.asked.earlier)
    }

    fn next(&self, done: &[StepRecord]) -> Option<Step> {
        next_plan_step(&self.planned.ask, done)
    }

    fn forecast(&self) -> Forecast {
        let (seconds, limits) = (self.seconds(), self.limits());
        Forecast {
            seconds: seconds.usual.min(seconds.most),
            seconds_most: seconds.most,
            bytes_written: self.planned.writes.0,
            credits: match self.asked.check.plan {
                CheckPlan::Burst => drain::credits(limits),
                _ => credits_spent(limits, seconds.most),
            },
            billing: limits.map(Limits::billing_notes).unwrap_or_default(),
        }
    }

    fn left(&self, done: &[StepRecord]) -> f64 {
        plan_seconds_left(&self.planned.ask, self.limits(), done)
    }

    fn remarks(&self, done: &[StepRecord]) -> Vec<String> {
        left_out_words(&[plan_left_out(&self.planned.ask, done), self.planned.left_out.clone()].concat())
    }

    fn announcement(&self, setup: &Setup) -> Vec<String> {
        let steps = self.asked.earlier.steps.len();
        let goes_on = (steps > 0).then(|| format!("Goes on after the {steps} steps that ran."));
        let forecast = (!setup.is_virtual()).then(|| report::forecast(&self.forecast()));
        let head = report::head(&setup.facts, setup.runner.backend());
        std::iter::once(head).chain(goes_on).chain(forecast).chain(destruction(setup)).collect()
    }

    fn outline(&self) -> [String; 2] {
        let parts = self.planned.ask.parts.iter().map(|part| plans::outline(part, self.layout_rate()));
        let left_out = left_out_words(&self.planned.left_out);
        let left_out = left_out.iter().map(|words| report::wrap("  ", words));
        let before = "This would run, step by step (later rungs depend on earlier ones):\n".to_owned();
        [before, parts.chain(left_out).collect()]
    }

    fn leave(&self, setup: &Setup) -> Result<(), Failure> {
        match self.asked.check.plan {
            CheckPlan::Burst if !self.yes => drain::ask_leave(self.seconds().usual, setup),
            _ => Ok(()),
        }
    }

    fn extent(&self) -> Extent {
        self.extent
    }

    fn resume_words(&self, _: &Analysis, place: &Place, stopped: bool) -> Option<String> {
        stopped.then(|| resume::go_on_words(place, &self.planned.check))
    }
}
