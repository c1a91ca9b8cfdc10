//! `plimsoll run`: a profile, built in or the user's own, on any target.

use std::path::Path;

use analysis::{Analysis, cells};
use experiments::{LAYOUT_GUESS, Layout, Profile, ProfileTable, Step, Writes};
use record::{Run, StepRecord};
use report::{Credits, Forecast, Paint};
use session::failure::Failure;
use session::named_input::{NamedInput, WRITTEN};
use session::{Setup, Wish};
use workload::Target;

use super::measure::{Ground, Measurement, destruction, laid_out};
use crate::arguments::RunArguments;
use crate::commands::own;

/// Runs the profile on the target and prints what every job reached.
pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let profile = profile(arguments)?;
    let target = own::target(&arguments.target)?;
    let ground = match target {
        Target::Null => Ground::null(&arguments.measure),
        _ => {
            let wish = wish(arguments, &profile, &target)?;
            Ground::open((&target, &arguments.target), &wish, &arguments.measure)?
        }
    };
    let (writes, layout) = (ground.setup.writes, ground.setup.layout);
    if profile.permitted(writes).next().is_none() {
        return Err(Failure::refused(format!(
            "every step of {} writes, and {} is only read; name a directory, or a device with --allow-destroy",
            profile.name, ground.setup.facts.words
        )));
    }
    ground.measure(&ProfileRun { profile, writes, layout })
}

/// A profile to run on a target.
pub(super) struct ProfileRun {
    pub(super) profile: Profile,
    pub(super) writes: Writes,
    pub(super) layout: Layout,
}

impl Measurement for ProfileRun {
    fn command(&self) -> String {
        format!("run {}", self.profile.name.trim_end_matches(".toml"))
    }

    fn noun(&self) -> &'static str {
        "a profile"
    }

    fn next(&self, done: &[StepRecord]) -> Option<Step> {
        self.profile.next_step((self.writes, self.layout), done)
    }

    fn steps(&self) -> Option<usize> {
        let laid_out = usize::from(self.layout != Layout::None);
        Some(laid_out + self.profile.permitted(self.writes).count())
    }

    fn forecast(&self) -> Forecast {
        let laid_out = laid_out(self.layout).0;
        let seconds = laid_out as f64 / LAYOUT_GUESS + self.profile.seconds(self.writes);
        Forecast {
            seconds,
            seconds_most: seconds,
            bytes_written: laid_out,
            credits: Credits::NotForecast,
            billing: Vec::new(),
        }
    }

    /// Announces the profile by its title; what it writes follows from its rates.
    fn announcement(&self, setup: &Setup) -> Vec<String> {
        let head = report::head(&setup.facts, setup.runner.backend());
        let seconds = if setup.is_virtual() { 0.5 } else { self.forecast().seconds };
        let title = format!("{}, about {}.", self.profile.title, report::numbers::span(seconds));
        let left_out =
            self.profile.steps.iter().filter(|step| self.writes == Writes::LeftOut && step.writes());
        let left_out: Vec<&str> = left_out.map(|step| step.name.as_str()).collect();
        let without = (!left_out.is_empty()).then(|| {
            report::wrap("", &format!("Left out, since this target is only read: {}.", left_out.join(", ")))
        });
        [head, report::wrap("", &title)].into_iter().chain(without).chain(destruction(setup)).collect()
    }

    fn outline(&self) -> [String; 2] {
        let steps = self.profile.permitted(self.writes).map(|step| {
            let jobs = step.jobs.iter().map(report::job_words).collect::<Vec<_>>().join("; ");
            let span = report::numbers::span(step.time.as_secs_f64());
            report::wrap("  ", &format!("{}, {span}: {jobs}", step.name))
        });
        [format!("This would run:\n{}", steps.collect::<String>()), String::new()]
    }

    /// Returns the first of the profile's own steps, not the layout.
    fn first(&self) -> Option<Step> {
        self.profile.next_step((self.writes, Layout::None), &[])
    }

    fn text(&self, run: &Run, analysis: &Analysis, _: Paint) -> String {
        let cells = cells(run);
        let table = match self.profile.table {
            ProfileTable::CrystalDiskMark => report::crystal_table(&cells),
            ProfileTable::Lines => report::cell_lines(&cells),
        };
        match report::findings_brief(analysis) {
            found if found.is_empty() => table,
            found => format!("{table}\n{found}"),
        }
    }

    fn exit_code(&self, _: &Analysis) -> u8 {
        0
    }
}

/// Reads the named profile: a built-in one, or a file.
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
    let profile = profile.seeded(arguments.ground.seed);
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

/// Applies the profile's size only if a region is created; an existing file or device is measured as it is.
fn wish(arguments: &RunArguments, profile: &Profile, target: &Target) -> Result<Wish, Failure> {
    let asked = arguments.ground.wish()?;
    let made = match target {
        Target::Path(path) => path.is_dir(),
        Target::Lab(_) => true,
        _ => false,
    };
    let size = asked.size.or(profile.size.filter(|_| made));
    Ok(Wish { size, ..asked })
}
