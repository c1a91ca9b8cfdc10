//! Profiles: workloads written in TOML, built in or the user's own, run step by step on any target.

mod fields;
mod job;
mod text;
mod written;

use record::StepRecord;
use workload::{Bytes, Job, Nanos, StepKind, StopRule, Workload};

use crate::layout::{LAYOUT_MOST, layout_step};
use crate::step::{Layout, Step, Writes, was_cut_short};

/// A workload read from a file or built in.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Name, or path of its file.
    pub name: String,
    /// A few words for lists.
    pub title: String,
    /// Description of the workload that the profile imitates.
    pub about: String,
    /// Description of what is measured.
    pub measures: String,
    /// Description of what is not measured.
    pub left_out: String,
    /// Form in which the result is printed.
    pub table: ProfileTable,
    /// Size of the region to measure, if the target leaves it open.
    pub size: Option<Bytes>,
    /// Steps in the order they run; never empty.
    pub steps: Vec<ProfileStep>,
}

/// Form in which the result of a profile is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileTable {
    /// One line per job and direction.
    Lines,
    /// CrystalDiskMark's table.
    CrystalDiskMark,
}

/// One step of a profile: jobs that run side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileStep {
    /// Name, unique in the profile.
    pub name: String,
    /// Counted time.
    pub time: Nanos,
    /// Uncounted time before the counted time.
    pub ramp: Nanos,
    /// Jobs of the step; never empty.
    pub jobs: Vec<Job>,
}

/// Error in finding or reading a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The text of a profile is wrong.
    #[error("{name}, {}", listed(mistakes, *more))]
    Text {
        /// The file or the built-in profile.
        name: String,
        /// Mistakes in the order of the text; if there are very many, the first ones.
        mistakes: Vec<Mistake>,
        /// Number of mistakes beyond those.
        more: usize,
    },
    /// There is no such profile.
    #[error(
        "no profile is called '{name}'{}; there are {}; a file of your own must end in .toml",
        nearest.as_ref().map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default(),
        known.join(", ")
    )]
    Unknown {
        /// The name as typed.
        name: String,
        /// The nearest name.
        nearest: Option<String>,
        /// All names.
        known: Vec<String>,
    },
}

/// A mistake at one place of a profile's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct Mistake {
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1 in characters.
    pub column: usize,
    /// The mistake and its correction.
    pub problem: String,
}

/// Most mistakes that are listed; further ones are only counted.
const TOLD_MOST: usize = 12;

fn listed(mistakes: &[Mistake], more: usize) -> String {
    let told: Vec<String> = mistakes.iter().take(TOLD_MOST).map(Mistake::to_string).collect();
    match more + mistakes.len().saturating_sub(TOLD_MOST) {
        0 => told.join("; "),
        more => format!("{}; and {more} more", told.join("; ")),
    }
}

/// Names and texts of the built-in profiles.
const BUILTIN: [(&str, &str); 7] = [
    ("five-figures", include_str!("../../profiles/five-figures.toml")),
    ("side-by-side", include_str!("../../profiles/side-by-side.toml")),
    ("crystaldiskmark", include_str!("../../profiles/crystaldiskmark.toml")),
    ("file-server", include_str!("../../profiles/file-server.toml")),
    ("mail-server", include_str!("../../profiles/mail-server.toml")),
    ("web-server", include_str!("../../profiles/web-server.toml")),
    ("database", include_str!("../../profiles/database.toml")),
];

/// Names of the built-in profiles.
pub fn profile_names() -> impl Iterator<Item = &'static str> + Clone {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// The text of the built-in profile of this name, for copying.
///
/// # Errors
/// Returns [`ProfileError::Unknown`] with the nearest name.
pub fn profile_text(name: &str) -> Result<&'static str, ProfileError> {
    let wanted = name.to_ascii_lowercase();
    let found = BUILTIN.iter().find(|(known, _)| *known == wanted);
    found.map(|(_, text)| *text).ok_or_else(|| ProfileError::Unknown {
        name: name.to_owned(),
        nearest: policy::nearest(&wanted, profile_names()).map(str::to_owned),
        known: profile_names().map(str::to_owned).collect(),
    })
}

impl Profile {
    /// The built-in profile of this name, ignoring case.
    ///
    /// # Errors
    /// Returns [`ProfileError::Unknown`] with the nearest name.
    pub fn builtin(name: &str) -> Result<Profile, ProfileError> {
        text::read(&name.to_ascii_lowercase(), profile_text(name)?)
    }

    /// Reads the text of a profile; `name` is its name in errors.
    ///
    /// # Errors
    /// Returns [`ProfileError::Text`] with line and column.
    pub fn read(name: &str, text: &str) -> Result<Profile, ProfileError> {
        text::read(name, text)
    }

    /// This profile with the counted time `time` for every step.
    pub fn lasting(mut self, time: Nanos) -> Profile {
        self.steps.iter_mut().for_each(|step| step.time = time);
        self
    }

    /// This profile with the seed `seed` for every random choice.
    pub fn seeded(mut self, seed: u64) -> Profile {
        self.steps.iter_mut().flat_map(|step| &mut step.jobs).for_each(|job| job.seed = seed);
        self
    }

    /// Steps that may run under this rule for writes.
    pub fn permitted(&self, writes: Writes) -> impl Iterator<Item = &ProfileStep> {
        self.steps.iter().filter(move |step| writes == Writes::Measured || !step.writes())
    }

    /// Seconds of the permitted steps, ramps included.
    pub fn seconds(&self, writes: Writes) -> f64 {
        self.permitted(writes).map(|step| (step.time + step.ramp).as_secs_f64()).sum()
    }

    /// The next step, `None` when all have run; a step that failed or was interrupted is the last.
    pub fn next_step(&self, ground: (Writes, Layout), done: &[StepRecord]) -> Option<Step> {
        if done.last().is_some_and(was_cut_short) {
            return None;
        }
        let (writes, layout) = ground;
        let seed = self.steps.first().and_then(|step| step.jobs.first()).map_or(1, |job| job.seed);
        let own = self.permitted(writes).map(ProfileStep::step);
        let ran = |step: &Step| done.iter().any(|record| record.plan.name == step.name);
        layout_step(layout, seed, LAYOUT_MOST).into_iter().chain(own).find(|step| !ran(step))
    }
}

impl ProfileStep {
    /// Whether any job of the step writes.
    pub fn writes(&self) -> bool {
        self.jobs.iter().any(|job| !job.access.mix.reads_only())
    }

    /// The step to run, before planning.
    pub fn step(&self) -> Step {
        let workload =
            Workload { jobs: self.jobs.clone(), stop: vec![StopRule::Time(self.time)], ramp: self.ramp };
        Step { name: self.name.clone(), kind: StepKind::Job, workload, interval: None }
    }
}
