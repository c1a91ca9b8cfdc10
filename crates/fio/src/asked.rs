//! What a command line and its job files ask for, once every word is understood.

use std::path::PathBuf;
use std::sync::Arc;

use workload::{Bytes, Nanos};

use super::error::FioError;
use super::options::JobOptions;
use super::replaying::Trace;

/// What is known of the world while words are read. Everything else comes from the words.
pub struct Surroundings<'a> {
    /// The text of a job file; `-` is standard input.
    pub read: &'a dyn Fn(&str) -> std::io::Result<String>,
    /// The first bytes of a file that a pattern names, at least [`super::pattern::MOST`] where it has as many.
    pub bytes: &'a dyn Fn(&str) -> std::io::Result<Vec<u8>>,
    /// The regular files at any depth below a directory, in the order of their names.
    pub below: &'a dyn Fn(&str) -> std::io::Result<Vec<PathBuf>>,
    /// An environment variable, for `${NAME}` in job files.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// A number that differs from run to run, for `randrepeat=0`.
    pub entropy: u64,
    /// CPUs of the machine, for `$ncpus` and the check of `cpus_allowed`.
    pub cpus: u32,
    /// Memory of the machine, for `$mb_memory`.
    pub memory: Bytes,
    /// Size of a page, for `$pagesize`.
    pub page: Bytes,
}

/// What the words come to.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A load is to be run.
    Run(Box<Asked>),
    /// Only this is to be printed on stdout; the exit code is 0.
    Say(String),
}

/// A load that is asked for, and how its result is to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The words, the program's name left out.
    pub words: Vec<String>,
    /// One a clone, in the order in which fio numbers them.
    pub jobs: Vec<FioJob>,
    /// Global options as typed, by canonical name.
    pub globals: Vec<(String, String)>,
    /// How the result is shown.
    pub presentation: Presentation,
    /// Which files are laid out for jobs that only read.
    pub lays_out: LaysOut,
    /// What should be said about what was asked: approximations, words that mean something else than people think.
    pub notes: Vec<Remark>,
}

/// What should be said about what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is about.
    pub about: About,
    /// Its words.
    pub words: String,
}

/// What a remark is about, as far as anybody makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The job's time, which whoever runs it for a time of his own need not hear of.
    Time,
    /// An option or an engine that is done nearly as fio does it.
    Difference,
    /// A depth that has no effect, as the engine waits for each I/O.
    Depth,
    /// Anything else.
    Other,
}

impl std::ops::Deref for Remark {
    type Target = str;

    fn deref(&self) -> &str {
        &self.words
    }
}

/// Which files are laid out for jobs that only read, where they are missing or too short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaysOut {
    /// None (`--readonly`).
    Nothing,
    /// Missing ones, and those that plimsoll has laid out and nobody has changed since.
    #[default]
    Ours,
    /// Whatever stands there, as fio does (`--fio-exact`).
    Anything,
}

/// One clone of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct FioJob {
    /// Its name in the report; clones and careless users share names.
    pub name: String,
    /// A name that is unique in the run; the [`workload::Job`] and so the record carry it.
    pub label: String,
    /// Which of its clones, from 0.
    pub clone: u32,
    /// Place among all clones, from 0.
    pub number: u32,
    /// Group in the report.
    pub group: u32,
    /// Step in which it runs; a stonewall begins a new one.
    pub step: usize,
    /// Everything that was asked of it.
    pub options: JobOptions,
    /// Options as typed, by canonical name, globals left out.
    pub echo: Vec<(String, String)>,
    /// Seed of its random places.
    pub seed: u64,
    /// A number that no other run has.
    pub run: u64,
    /// What it replays, or why not, once [`read_traces`](super::read_traces) has looked; clones share it.
    pub trace: Option<Arc<Result<Trace, FioError>>>,
}

/// How the result is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// Formats, without repeats.
    pub formats: Vec<Format>,
    /// File that takes the result instead of stdout.
    pub output: Option<PathBuf>,
    /// Whether the live line is shown.
    pub eta: Eta,
    /// Time between two live lines.
    pub eta_interval: Nanos,
    /// Time after which the live line goes on below; `None`: it is written over.
    pub eta_newline: Option<Nanos>,
    /// Version of the terse format.
    pub terse: TerseVersion,
    /// Time between two whole results while the load goes on.
    pub status_interval: Option<Nanos>,
    /// True where logs of the bandwidth of all jobs together are kept.
    pub bandwidth_log: bool,
    /// True where windows of a log in which nothing was done get a row of zeros, which fio leaves out.
    pub stalls: bool,
    /// True where only the words are to be checked.
    pub parse_only: bool,
    /// Whose idle time is told; `None`: nobody's.
    pub idle: Option<IdleCpus>,
}

/// CPUs whose idle time is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleCpus {
    /// All as one.
    Together,
    /// Each besides.
    Each,
}

/// Version of the terse format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TerseVersion {
    /// Without fio's own version, with trims.
    V2,
    /// The default: without trims.
    #[default]
    V3,
    /// With trims.
    V4,
    /// With rates by window.
    V5,
}

/// A format of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text for people.
    Normal,
    /// One line a unit of the report, fields between semicolons.
    Terse,
    /// JSON.
    Json,
    /// JSON with the buckets of every histogram.
    JsonPlus,
}

/// Whether the live line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eta {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Default for Presentation {
    fn default() -> Self {
        Presentation {
            formats: vec![Format::Normal],
            output: None,
            eta: Eta::Auto,
            eta_interval: Nanos::SECOND,
            eta_newline: None,
            terse: TerseVersion::default(),
            status_interval: None,
            bandwidth_log: false,
            stalls: true,
            parse_only: false,
            idle: None,
        }
    }
}

impl Presentation {
    /// True where text for people is asked for; the banner is printed only then.
    pub fn is_normal(&self) -> bool {
        self.formats.contains(&Format::Normal)
    }

    /// True where lines for machines are asked for.
    pub fn is_terse(&self) -> bool {
        self.formats.contains(&Format::Terse)
    }

    /// The JSON format asked for.
    pub fn json(&self) -> Option<Format> {
        self.formats.iter().copied().find(|format| matches!(format, Format::Json | Format::JsonPlus))
    }
}

impl Asked {
    /// Number of steps that run one after the other.
    pub fn step_count(&self) -> usize {
        self.jobs.last().map_or(0, |job| job.step + 1)
    }

    /// The clones that are reported as one, by index into `jobs`, in the order of the report.
    pub fn units(&self) -> Vec<Vec<usize>> {
        let mut units: Vec<Vec<usize>> = Vec::new();
        for (at, job) in self.jobs.iter().enumerate() {
            let same_group = at > 0 && self.jobs[at - 1].group == job.group;
            match units.last_mut() {
                Some(unit) if same_group && job.options.group_reporting => unit.push(at),
                _ => units.push(vec![at]),
            }
        }
        units
    }
}
