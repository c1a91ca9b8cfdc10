//! `plimsoll check`: from a target to a verdict, a run file and a report.

use std::path::{Path, PathBuf};

use analysis::Analysis;
use experiments::{
    CheckAsk, LAYOUT_GUESS, Layout, LeftOut, PlanSeconds, Writes, next_plan_step, plan_left_out,
    plan_seconds, plan_seconds_left,
};
use policy::{BurstLength, Limits};
use record::{Run, TargetFacts};
use report::{Credits, Extent, Forecast, Paint};
use session::{Setup, Wish};
use workload::{Asked as Procedure, Bytes, CheckAsked, CheckPlan, Expectation, PolicyName, Target};

use super::bounds::Bounds;
use super::plans::{self, Planned};
use super::{burst, resume};
use crate::arguments::{CheckArguments, EffortName, Format};
use crate::commands::{outline, own};
use session::failure::Failure;
use session::output;
use session::place::Place;
use session::run::{self, Against, Course, Earlier, Session};
use session::signals::StopFlag;

/// Measures the target and answers against policy and expectation.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    if arguments.together {
        return super::together::run(arguments);
    }
    if let Some(other) = arguments.others.first() {
        return Err(super::together::refused(&arguments.target, other));
    }
    let asked = Asked::of(arguments)?;
    let stop = StopFlag::on_signals(arguments.ground.give_up);
    if asked.check.reads_only {
        something_to_read(&asked.target, &asked.typed)?;
    }
    let mut setup = run::set_up_target(&asked.target, &asked.target_words, &asked.wish, &stop)?;
    if asked.check.reads_only {
        (setup.writes, setup.layout, setup.facts.reads_only) = (Writes::LeftOut, Layout::None, true);
    }
    if let Some(before) = &asked.before {
        resume::same_target(before, &setup.facts)?;
    }
    let planned = plans::planned(&asked, &setup)?;
    announce(&asked, &setup, &planned);
    if arguments.ground.dry_run {
        return dry_run(arguments.format, &setup, (&planned, laying_out(&asked)));
    }
    if asked.check.plan == CheckPlan::Burst {
        burst::leave_for(seconds(&asked, &planned).usual, &setup, arguments.yes)?;
    }
    if !arguments.ground.busy {
        run::idle_gate(&mut setup, "a check", &stop)?;
    }
    let place =
        Place::new(arguments.ground.out.as_deref(), (&asked.target_words, "check"), &setup.facts.devices)?;
    let place = arguments.ground.onlookers.at(place)?;
    let place = if setup.is_virtual() { place.of_virtual_run() } else { place };
    let limits = asked.against.limits.as_ref();
    let plan = &planned.ask;
    let course = Course {
        left: &|done| plan_seconds_left(plan, limits, done),
        remarks: &|done| left_out_words(&[plan_left_out(plan, done), planned.left_out.clone()].concat()),
    };
    let session = Session {
        seconds: if setup.is_virtual() { 0.5 } else { seconds(&asked, &planned).most },
        setup,
        place: &place,
        stop: &stop,
        course: Some(course),
        against: &asked.against,
        asked: Some(Procedure::Check(Box::new(planned.check.clone()))),
    };
    let code = session.go_on(&asked.earlier, &|done| next_plan_step(plan, done), &|run, analysis| {
        let shape = Shape { format: arguments.format, extent: arguments.findings.extent() };
        present(&shape, run, analysis, &place)?;
        if stop.raised() {
            output::people(&resume::go_on_words(&place, &planned.check));
        }
        Ok(analysis.verdict.exit_code())
    })?;
    Ok(arguments.shown.page_of(&place, code))
}

/// The command line as it is understood, and the run that it goes on with.
pub(super) struct Asked {
    pub(super) target: Target,
    /// As it was typed.
    pub(super) typed: String,
    pub(super) target_words: String,
    pub(super) against: Against,
    pub(super) wish: Wish,
    pub(super) bounds: Bounds,
    /// What is stored of it; the parts of a run that begins are not there yet.
    pub(super) check: CheckAsked,
    pub(super) earlier: Earlier,
    /// What the earlier sitting measured.
    pub(super) before: Option<TargetFacts>,
}

impl Asked {
    fn of(arguments: &CheckArguments) -> Result<Asked, Failure> {
        match &arguments.resume {
            Some(path) => resume::resumed(arguments, path),
            None => Asked::read(arguments),
        }
    }

    fn read(arguments: &CheckArguments) -> Result<Asked, Failure> {
        let target = own::target(&arguments.target)?;
        let named = arguments.policy.as_deref().map(own::policy).transpose()?;
        let against = against(&target, named, arguments.expect.as_deref())?;
        let bounds = Bounds::read(&arguments.ground, arguments.write_most.as_deref(), CheckAsk::modest)?;
        let check = CheckAsked {
            plan: arguments.plan.into(),
            time: plans::time(arguments)?,
            brief: arguments.effort == EffortName::Brief,
            size: bounds.size,
            write_most: bounds.write_most,
            reads_only: arguments.read_only,
            seed: bounds.seed,
            ..CheckAsked::default()
        };
        Ok(Asked {
            typed: arguments.target.clone(),
            target_words: run::absolute(&target, &arguments.target),
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

/// What is claimed: by the policy that is named, else by that of a simulated or lab volume, and in words.
pub(super) fn against(
    target: &Target,
    named: Option<PolicyName>,
    expect: Option<&str>,
) -> Result<Against, Failure> {
    let typed = named.is_some();
    let policy = match (named, target) {
        (Some(name), _) => Some(name),
        (None, Target::Lab(name) | Target::Sim(name)) if expect.is_none() => Some(name.clone()),
        (None, _) => None,
    };
    let limits = policy.as_ref().map(|name| limits(name, typed)).transpose()?;
    // A simulated volume may have none: it is then measured, and held against nothing.
    let limits = limits.filter(|limits| !limits.limits.is_empty());
    let policy = policy.filter(|_| limits.is_some());
    let expectation = expect.map(Expectation::parse).transpose().map_err(Failure::refused)?;
    Ok(Against { policy, limits, expectation })
}

/// Refuses what holds nothing to read before something is written: a folder, of which the largest file is named, and a volume
/// that is made for the run.
pub(super) fn something_to_read(target: &Target, typed: &str) -> Result<(), Failure> {
    match target {
        Target::Lab(_) => Err(Failure::refused(format!(
            "{typed} is made for this check and holds nothing to read; leave --read-only out, it destroys nothing of anybody's"
        ))),
        Target::Path(path) if path.is_dir() => {
            let largest = largest_file(path).map_or_else(
                || "name a file that holds data, or the block device".to_owned(),
                |(file, size)| format!("name one, e.g. {} ({size})", file.display()),
            );
            Err(Failure::refused(format!(
                "{typed} is a folder, and --read-only reads what a file or device holds: {largest}"
            )))
        }
        _ => Ok(()),
    }
}

/// The largest file in a folder, as what may be read there.
fn largest_file(folder: &Path) -> Option<(PathBuf, Bytes)> {
    let files = std::fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
        let about = entry.metadata().ok().filter(|about| about.is_file())?;
        Some((entry.path(), Bytes(about.len())))
    });
    files.max_by_key(|(_, size)| *size)
}

/// The limits of `name`; of a simulated or lab target the parameters that are not the policy's are left to the target.
pub(super) fn limits(name: &PolicyName, typed: bool) -> Result<Limits, Failure> {
    if typed {
        return policy::evaluate(name).map_err(Failure::refused);
    }
    policy::evaluate_of_volume(name).map_err(Failure::refused)
}

/// Bytes a second at which data is taken to be laid out: what the policy names, else a guess that is low.
fn laying_out(asked: &Asked) -> f64 {
    let limits = asked.against.limits.as_ref();
    let rate = limits.and_then(|limits| limits.enforced_bytes_per_second(workload::Direction::Write));
    rate.map_or(LAYOUT_GUESS, |rate| rate.0)
}

/// How long it takes.
fn seconds(asked: &Asked, planned: &Planned) -> PlanSeconds {
    let all = plan_seconds(&planned.ask, laying_out(asked), asked.against.limits.as_ref());
    let ran = plan_seconds_left(&planned.ask, asked.against.limits.as_ref(), &asked.earlier.steps);
    if asked.earlier.steps.is_empty() {
        all
    } else {
        PlanSeconds { usual: ran, most: all.most.min(1.5 * ran) }
    }
}

/// Says what is measured, what that will take, and what will be destroyed.
fn announce(asked: &Asked, setup: &Setup, planned: &Planned) {
    output::people(report::head(&setup.facts, setup.runner.backend()).trim_end());
    let seconds = seconds(asked, planned);
    let limits = asked.against.limits.as_ref();
    let forecast = Forecast {
        seconds: seconds.usual.min(seconds.most),
        seconds_most: seconds.most,
        bytes_written: planned.writes.0,
        credits: match asked.check.plan {
            CheckPlan::Burst => limits.map_or(Credits::Unknown, burst::credits),
            _ => credits(limits, seconds.most),
        },
        billing: limits.map(Limits::billing_notes).unwrap_or_default(),
    };
    if !asked.earlier.steps.is_empty() {
        let steps = asked.earlier.steps.len();
        output::people(&format!("Goes on behind the {steps} steps that ran."));
    }
    if !setup.is_virtual() {
        output::people(report::forecast(&forecast).trim_end());
    }
    if let Some(destruction) = &setup.destruction {
        output::people(&run::destruction_words(destruction));
    }
}

/// The credit that a run of `seconds` at the burst rate spends.
fn credits(limits: Option<&Limits>, seconds: f64) -> Credits {
    let Some(limits) = limits else { return Credits::Unknown };
    match limits.longest_burst() {
        BurstLength::None => Credits::NoBurst,
        BurstLength::Unknown => Credits::Unpublished,
        BurstLength::Ends(length) => Credits::Share((seconds / length.as_secs_f64()).min(1.0)),
    }
}

/// What was left out, a sentence a reason.
pub(super) fn left_out_words(left_out: &[(String, LeftOut)]) -> Vec<String> {
    let of = |why: LeftOut| -> Vec<&str> {
        left_out.iter().filter(|(_, reason)| *reason == why).map(|(name, _)| name.as_str()).collect()
    };
    let sentence = |why: LeftOut, reason: &str| {
        let names = of(why);
        (!names.is_empty()).then(|| format!("Left out {reason}: {}.", names.join(", ")))
    };
    let bytes = "because more would be written than was said (--write-most SIZE allows more)";
    [sentence(LeftOut::Bytes, bytes), sentence(LeftOut::Time, "for want of time")]
        .into_iter()
        .flatten()
        .collect()
}

fn dry_run(format: Format, setup: &Setup, (planned, rate): (&Planned, f64)) -> Result<u8, Failure> {
    let mut text = String::from("This would run, step by step (later rungs depend on earlier ones):\n");
    let first = next_plan_step(&planned.ask, &[]).map(|step| setup.runner.plan(&step));
    let first = first.transpose().map_err(Failure::refused)?;
    text.extend(first.iter().map(run::plan_words));
    for part in &planned.ask.parts {
        text.push_str(&plans::outline(part, rate));
    }
    for words in left_out_words(&planned.left_out) {
        text.push_str(&report::wrap("  ", &words));
    }
    outline::tell(format, &setup.facts.words, (&text, first.as_ref()))
}

/// In which form a result is told.
pub struct Shape {
    /// Text or JSON.
    pub format: Format,
    /// How many of the findings; JSON has them all.
    pub extent: Extent,
}

/// Prints the result, and on stderr or behind it where its files are.
pub fn present(shape: &Shape, run: &Run, analysis: &Analysis, place: &Place) -> Result<(), Failure> {
    match shape.format {
        Format::Text => {
            let paint = if output::colours() { Paint::Ansi } else { Paint::Plain };
            let text = report::terminal(run, analysis, paint, shape.extent);
            output::painted(&format!("{text}\n{}\n", place.files_line()))?;
        }
        Format::Json => {
            output::result(&report::json(run, analysis))?;
            output::people(&place.files_line());
        }
    }
    Ok(())
}
