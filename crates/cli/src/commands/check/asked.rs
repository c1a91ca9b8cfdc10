//! The parsed command line of a check.

use experiments::{CheckAsk, Effort};
use record::TargetFacts;
use session::Wish;
use session::failure::Failure;
use session::run::{Against, Earlier};
use workload::{CheckPlan, CheckRequest, Nanos, SoakRequest, Target};

use crate::arguments::{CheckArguments, EffortName};
use crate::commands::bounds::Bounds;
use crate::commands::own;
use crate::commands::promise::against;

/// Shortest time of a drain of one kind.
pub(super) const DRAIN_LEAST: Nanos = Nanos::from_secs(30);

/// The parsed command line, and the earlier run that it resumes.
pub(super) struct CheckCommand {
    pub(super) target: Target,
    /// The target as it was typed.
    pub(super) typed: String,
    pub(super) against: Against,
    pub(super) wish: Wish,
    pub(super) bounds: Bounds,
    /// The request as the run file stores it; the parts of a new run are not filled in yet.
    pub(super) check: CheckRequest,
    pub(super) earlier: Earlier,
    /// Facts about the target from the earlier sitting.
    pub(super) before: Option<TargetFacts>,
}

impl CheckCommand {
    /// Reads the command line of a new check.
    ///
    /// # Errors
    /// A word is no target, policy, claim, time or size.
    pub(super) fn read(arguments: &CheckArguments) -> Result<CheckCommand, Failure> {
        let target = own::target(&arguments.target)?;
        let named = arguments.policy.as_deref().map(own::policy).transpose()?;
        let against = against(&target, named, arguments.expect.as_deref())?;
        let bounds = Bounds::read(&arguments.ground, arguments.write_most.as_deref(), CheckAsk::modest)?;
        let check = CheckRequest {
            plan: arguments.plan.into(),
            time: time(arguments)?,
            brief: arguments.effort == EffortName::Brief,
            size: bounds.size,
            write_most: bounds.write_most,
            reads_only: arguments.read_only,
            seed: bounds.seed,
            ..CheckRequest::default()
        };
        Ok(CheckCommand {
            typed: arguments.target.clone(),
            target,
            against,
            wish: arguments.ground.wish()?,
            bounds,
            check,
            earlier: Earlier::default(),
            before: None,
        })
    }
}

/// Returns the time given, which must be enough for the plan.
fn time(arguments: &CheckArguments) -> Result<Option<Nanos>, Failure> {
    let Some(word) = &arguments.time else { return Ok(None) };
    let time = workload::duration(word).map_err(Failure::refused)?;
    let plan = CheckPlan::from(arguments.plan);
    let least = match plan {
        CheckPlan::Quick | CheckPlan::Standard => Effort::LEAST,
        CheckPlan::Burst => DRAIN_LEAST * 4,
        CheckPlan::Soak => SoakRequest::LEAST,
    };
    if time < least {
        let span = report::numbers::span(least.as_secs_f64());
        let text = match plan {
            CheckPlan::Soak | CheckPlan::Burst => format!(
                "--time {word} is too short for a {}; give it {span} or more, or leave --plan out for a check of minutes",
                plan.name()
            ),
            CheckPlan::Quick | CheckPlan::Standard => format!(
                "--time {word} is too short for a check to tell anything; give it {span} or more, or look for half a minute \
                 with: plimsoll stream {}",
                arguments.target
            ),
        };
        return Err(Failure::refused(text));
    }
    Ok(Some(time))
}
