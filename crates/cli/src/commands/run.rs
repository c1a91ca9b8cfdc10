//! `plimsoll run`: a profile, built in or the user's own, on any target.

use std::path::Path;

use analysis::{Analysis, Cell, cells};
use experiments::{LAYOUT_GUESS, Layout, Profile, ProfileTable, Writes};
use record::TargetKind;
use session::{Setup, Wish, null_setup};
use workload::Target;

use crate::arguments::{Format, RunArguments};
use crate::commands::{outline, own};
use session::failure::Failure;
use session::named_input::{NamedInput, WRITTEN};
use session::output;
use session::place::Place;
use session::run::{self, Against, Session};
use session::signals::StopFlag;

/// Runs the profile on the target and prints what every job reached.
pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let profile = profile(arguments)?;
    let target = own::target(&arguments.target)?;
    let stop = StopFlag::on_signals(arguments.give_up);
    let words = run::absolute(&target, &arguments.target);
    let mut setup = match target {
        Target::Null => null_setup(),
        _ => run::set_up_target(&target, &words, &wish(arguments, &profile, &target)?, &stop)?,
    };
    let ground = (setup.writes, setup.layout);
    announce(&profile, &setup)?;
    if arguments.dry_run {
        return dry_run(arguments.format, &profile, &setup);
    }
    if !arguments.busy && setup.facts.kind != TargetKind::Null {
        run::idle_gate(&mut setup, "a profile", &stop)?;
    }
    let command = format!("run {}", profile.name.trim_end_matches(".toml"));
    let place = Place::new(arguments.out.as_deref(), (&words, &command), &setup.facts.devices)?;
    let laid_out = usize::from(setup.layout != Layout::None);
    place.foresee_steps(laid_out + profile.permitted(setup.writes).count());
    let place = arguments.onlookers.at(place)?;
    let seconds = seconds(&profile, &setup);
    let next = |done: &[record::StepRecord]| profile.next_step(ground, done);
    let session = Session {
        setup,
        place: &place,
        stop: &stop,
        seconds,
        course: None,
        against: &Against::default(),
        asked: None,
    };
    let code = session.run(&next, &|run, analysis| {
        if arguments.format == Format::Json {
            output::result(&report::json(run, analysis))?;
            output::people(&place.files_line());
        } else {
            let table = table(profile.table, &cells(run));
            output::result(&format!("{table}\n{}{}\n", found(analysis), place.files_line()))?;
        }
        Ok(0)
    })?;
    Ok(arguments.shown.page_of(&place, code))
}

/// The profile that is named: one that is built in, or a file.
fn profile(arguments: &RunArguments) -> Result<Profile, Failure> {
    let word = &arguments.profile;
    let profile = if is_file(word) {
        let text = NamedInput::typed(word, WRITTEN).text().map_err(|error| {
            error.failure(format!("{word}: cannot be read: {error}; name a profile written in TOML"))
        })?;
        Profile::read(word, &text).map_err(Failure::refused)?
    } else {
        Profile::builtin(word).map_err(Failure::refused)?
    };
    let time = arguments.time.as_deref().map(workload::duration).transpose().map_err(Failure::refused)?;
    let profile = profile.seeded(arguments.seed);
    match time {
        Some(workload::Nanos(0)) => {
            Err(Failure::refused("--time 0 measures nothing; give each step a second or more"))
        }
        Some(time) => Ok(profile.lasting(time)),
        None => Ok(profile),
    }
}

fn is_file(word: &str) -> bool {
    word.contains('/') || Path::new(word).extension().is_some_and(|end| end == "toml")
}

/// The profile's size holds where a region is made for it; what is there already is measured as it is.
fn wish(arguments: &RunArguments, profile: &Profile, target: &Target) -> Result<Wish, Failure> {
    let asked = arguments.size.as_deref().map(workload::size).transpose().map_err(Failure::refused)?;
    let made = match target {
        Target::Path(path) => path.is_dir(),
        Target::Lab(_) => true,
        _ => false,
    };
    let size = asked.or(profile.size.filter(|_| made));
    Ok(Wish { size, allow_destroy: arguments.allow_destroy.clone(), ..Wish::default() })
}

fn seconds(profile: &Profile, setup: &Setup) -> f64 {
    let layout = match setup.layout {
        Layout::Write(size) => size.0 as f64 / LAYOUT_GUESS,
        Layout::None => 0.0,
    };
    if setup.is_virtual() { 0.5 } else { layout + profile.seconds(setup.writes) }
}

/// Says what is measured and for how long, what is left out, and what will be destroyed.
fn announce(profile: &Profile, setup: &Setup) -> Result<(), Failure> {
    output::people(report::head(&setup.facts, setup.runner.backend()).trim_end());
    let span = report::numbers::span(seconds(profile, setup));
    output::people(report::wrap("", &format!("{}, about {span}.", profile.title)).trim_end());
    let left: Vec<&str> = profile
        .steps
        .iter()
        .filter(|step| setup.writes == Writes::LeftOut && step.writes())
        .map(|step| step.name.as_str())
        .collect();
    if left.len() == profile.steps.len() {
        return Err(Failure::refused(format!(
            "every step of {} writes, and {} is only read; name a directory, or a device with --allow-destroy",
            profile.name, setup.facts.words
        )));
    }
    if !left.is_empty() {
        let words = format!("Left out, since this target is only read: {}.", left.join(", "));
        output::people(report::wrap("", &words).trim_end());
    }
    if let Some(destruction) = &setup.destruction {
        output::people(&run::destruction_words(destruction));
    }
    Ok(())
}

fn dry_run(format: Format, profile: &Profile, setup: &Setup) -> Result<u8, Failure> {
    let mut text = String::from("This would run:\n");
    for step in profile.permitted(setup.writes) {
        let jobs = step.jobs.iter().map(report::job_words).collect::<Vec<_>>().join("; ");
        let span = report::numbers::span(step.time.as_secs_f64());
        text += &report::wrap("  ", &format!("{}, {span}: {jobs}", step.name));
    }
    let first = profile.next_step((setup.writes, Layout::None), &[]).map(|step| setup.runner.plan(&step));
    let first = first.transpose().map_err(Failure::refused)?;
    text.extend(first.iter().map(run::plan_words));
    outline::tell(format, &setup.facts.words, (&text, first.as_ref()))
}

fn table(table: ProfileTable, cells: &[Cell]) -> String {
    match table {
        ProfileTable::CrystalDiskMark => report::crystal_table(cells),
        ProfileTable::Lines => report::cell_lines(cells),
    }
}

/// The findings with an empty line behind them, where there are any.
fn found(analysis: &Analysis) -> String {
    let found = report::findings_brief(analysis);
    if found.is_empty() { found } else { format!("{found}\n") }
}
