//! `plimsoll check`: from a target to a verdict, a run file and a report.

use std::path::{Path, PathBuf};

use analysis::Analysis;
use experiments::{
    CheckAsk, Effort, LAYOUT_GUESS, Layout, LeftOut, Writes, next_step, seconds_most, seconds_usual,
};
use policy::{BurstLength, Limits};
use record::Run;
use report::{Credits, Extent, Forecast, Paint};
use session::{Setup, Wish};
use workload::{Bytes, Expectation, PolicyName, Target};

use super::bounds::Bounds;
use crate::arguments::{CheckArguments, EffortName, Format};
use crate::commands::own;
use session::failure::Failure;
use session::output;
use session::place::Place;
use session::run::{self, Against, Course, Session};
use session::signals::StopFlag;

/// Measures the target and answers against policy and expectation.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    if arguments.together {
        return super::together::run(arguments);
    }
    if let Some(other) = arguments.others.first() {
        return Err(super::together::refused(&arguments.target, other));
    }
    let asked = Asked::read(arguments)?;
    let stop = StopFlag::on_signals(arguments.ground.give_up);
    if arguments.read_only {
        something_to_read(&asked.target, &arguments.target)?;
    }
    let mut setup = run::set_up_target(&asked.target, &asked.target_words, &asked.wish, &stop)?;
    if arguments.read_only {
        (setup.writes, setup.layout, setup.facts.reads_only) = (Writes::LeftOut, Layout::None, true);
    }
    let ask = asked.ask(&setup)?;
    announce(&asked, &setup, &ask);
    if arguments.ground.dry_run {
        return dry_run(&setup, &ask, laying_out(&asked));
    }
    if !arguments.ground.busy {
        run::idle_gate(&mut setup, "a check", &stop)?;
    }
    let place = Place::new(arguments.ground.out.as_deref(), &asked.target_words, &setup.facts.devices)?;
    let place = if setup.is_virtual() { place.of_virtual_run() } else { place };
    let (seconds, next) = (seconds(&asked, &setup, &ask), |done: &[_]| next_step(&ask, done));
    let course = Course {
        left: &|done| experiments::seconds_left(&ask, done),
        remarks: &|done| left_out_words(&experiments::left_out(&ask, done)),
    };
    let against = &asked.against;
    let session =
        Session { setup, place: &place, stop: &stop, seconds, course: Some(course), against, asked: None };
    session.run(&next, &|run, analysis| {
        let shape = Shape { format: arguments.format, extent: arguments.findings.extent() };
        present(&shape, run, analysis, &place)?;
        Ok(analysis.verdict.exit_code())
    })
}

/// The command line as it is understood.
struct Asked {
    target: Target,
    target_words: String,
    against: Against,
    wish: Wish,
    bounds: Bounds,
    effort: Effort,
}

impl Asked {
    fn read(arguments: &CheckArguments) -> Result<Asked, Failure> {
        let target = own::target(&arguments.target)?;
        let policy = match (&arguments.policy, &target) {
            (Some(words), _) => Some(own::policy(words)?),
            (None, Target::Lab(name) | Target::Sim(name)) if arguments.expect.is_none() => Some(name.clone()),
            (None, _) => None,
        };
        let limits = policy.as_ref().map(|name| limits(name, arguments.policy.is_some())).transpose()?;
        // A simulated volume may have none: it is then measured, and held against nothing.
        let limits = limits.filter(|limits| !limits.limits.is_empty());
        let policy = policy.filter(|_| limits.is_some());
        let expectation =
            arguments.expect.as_deref().map(Expectation::parse).transpose().map_err(Failure::refused)?;
        let bounds = Bounds::read(&arguments.ground, arguments.write_most.as_deref(), CheckAsk::modest)?;
        Ok(Asked {
            target_words: run::absolute(&target, &arguments.target),
            target,
            against: Against { policy, limits, expectation },
            wish: arguments.ground.wish()?,
            bounds,
            effort: effort(arguments)?,
        })
    }

    fn ask(&self, setup: &Setup) -> Result<CheckAsk, Failure> {
        let expectation = self.against.expectation.clone().unwrap_or_default();
        Ok(CheckAsk { expectation, ..self.bounds.ask(setup, self.effort)? })
    }
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

fn effort(arguments: &CheckArguments) -> Result<Effort, Failure> {
    let Some(word) = &arguments.time else {
        return Ok(match arguments.effort {
            EffortName::Quick => Effort::QUICK,
            EffortName::Brief => Effort::BRIEF,
        });
    };
    let time = workload::duration(word).map_err(Failure::refused)?;
    if time < Effort::LEAST {
        let least = report::numbers::span(Effort::LEAST.as_secs_f64());
        let text = format!(
            "--time {word} is too short for a check to tell anything; give it {least} or more, or look for half a minute with: \
             plimsoll quick {}",
            arguments.target
        );
        return Err(Failure::refused(text));
    }
    Ok(Effort::within(time))
}

/// Bytes a second at which data is taken to be laid out: what the policy names, else a guess that is low.
fn laying_out(asked: &Asked) -> f64 {
    let limits = asked.against.limits.as_ref();
    let rate = limits.and_then(|limits| limits.enforced_bytes_per_second(workload::Direction::Write));
    rate.map_or(LAYOUT_GUESS, |rate| rate.0)
}

/// How long the check takes at most; virtual time passes at once.
fn seconds(asked: &Asked, setup: &Setup, ask: &CheckAsk) -> f64 {
    if setup.is_virtual() { 0.5 } else { seconds_most(ask, laying_out(asked)) }
}

/// Says what is measured, what that will take, and what will be destroyed.
fn announce(asked: &Asked, setup: &Setup, ask: &CheckAsk) {
    output::people(report::head(&setup.facts, setup.runner.backend()).trim_end());
    let seconds = seconds(asked, setup, ask);
    let usual = seconds_usual(ask, laying_out(asked)).min(seconds);
    let forecast = Forecast {
        seconds: usual,
        seconds_most: seconds,
        bytes_written: ask.write_most.0,
        credits: credits(asked.against.limits.as_ref(), seconds),
        billing: asked.against.limits.as_ref().map(Limits::billing_notes).unwrap_or_default(),
    };
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

fn dry_run(setup: &Setup, ask: &CheckAsk, rate: f64) -> Result<u8, Failure> {
    let mut text = String::from("This would run, step by step (later rungs depend on earlier ones):\n");
    if let Some(step) = next_step(ask, &[]) {
        let plan = setup.runner.plan(&step).map_err(Failure::refused)?;
        text.push_str(&run::plan_words(&plan));
    }
    text.push_str(&experiments::outline(ask, rate));
    output::result(&text)?;
    Ok(0)
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
