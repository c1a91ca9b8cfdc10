//! What a command line and its job files ask for, once every word has been understood.

use std::path::PathBuf;
use std::sync::Arc;

use workload::{Bytes, Nanos};

use super::error::FioError;
use super::options::JobOptions;
use super::replaying::Trace;

/// What is known of the world while words are read. Everything else comes from the words.
pub struct Surroundings<'a> {
    /// Reads a job file; `-` is standard input.
    pub read: &'a dyn Fn(&str) -> std::io::Result<String>,
    /// Reads the start of a file that a pattern names: all of it, or at least [`super::pattern::MOST`] bytes.
    pub bytes: &'a dyn Fn(&str) -> std::io::Result<Vec<u8>>,
    /// Lists the regular files at any depth below a directory, ordered by name.
    pub below: &'a dyn Fn(&str) -> std::io::Result<Vec<PathBuf>>,
    /// Looks up an environment variable, for `${NAME}` in job files.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// A number that differs from run to run, for `randrepeat=0`.
    pub entropy: u64,
    /// Number of CPUs of the machine, for `$ncpus` and to check `cpus_allowed`.
    pub cpus: u32,
    /// Memory of the machine, for `$mb_memory`.
    pub memory: Bytes,
    /// Size of a page, for `$pagesize`.
    pub page: Bytes,
}

/// What a command line comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Run a load.
    Run(Box<FioRequest>),
    /// Print only this on stdout, and exit with 0.
    Say(String),
}

/// A load that is asked for, and how its result is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FioRequest {
    /// Words of the command line, without the program's name.
    pub words: Vec<String>,
    /// The jobs, one for each clone, in the order in which fio numbers them.
    pub jobs: Vec<FioJob>,
    /// Global options as typed, by canonical name.
    pub globals: Vec<(String, String)>,
    /// How the result is shown.
    pub presentation: Presentation,
    /// Which files are laid out for jobs that only read.
    pub lays_out: LaysOut,
    /// Remarks on the request: options that are approximated, and words that mean something else than people think.
    pub notes: Vec<Remark>,
}

/// A remark on what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its subject.
    pub about: About,
    /// Its text.
    pub words: String,
}

/// Subject of a remark, as far as any caller tells subjects apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The job's time: of no interest to a caller that sets a time of its own.
    Time,
    /// An option or an engine that behaves only nearly as in fio.
    Difference,
    /// A depth that has no effect, because the engine waits for each I/O.
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

/// Which files are laid out for jobs that only read, if they are missing or too short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaysOut {
    /// No file (`--readonly`).
    Nothing,
    /// Missing files, and files that plimsoll laid out and nobody has changed since.
    #[default]
    Ours,
    /// Any file, whatever it holds, as fio does (`--fio-exact`).
    Anything,
}

/// One clone of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct FioJob {
    /// Its name in the report; not unique: clones share it, and two jobs may have the same one.
    pub name: String,
    /// A name that is unique in the run: that of the [`workload::Job`], and so of the record.
    pub label: String,
    /// Number of the clone within its job, from 0.
    pub clone: u32,
    /// Number among all clones of all jobs, from 0.
    pub number: u32,
    /// Number of its group in the report.
    pub group: u32,
    /// Number of the step in which it runs; a stonewall begins a new one.
    pub step: usize,
    /// Everything that was asked of it.
    pub options: JobOptions,
    /// Options as typed, by canonical name, without the global ones.
    pub echo: Vec<(String, String)>,
    /// Seed of its random places.
    pub seed: u64,
    /// A number that no other run has.
    pub run: u64,
    /// The trace that it replays, or why it cannot, once [`read_traces`](super::read_traces) has run; clones share it.
    pub trace: Option<Arc<Result<Trace, FioError>>>,
}

/// How the result is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// Formats, each once.
    pub formats: Vec<Format>,
    /// File to which the result is written instead of stdout.
    pub output: Option<PathBuf>,
    /// When the live line is shown.
    pub eta: Eta,
    /// Interval between two live lines.
    pub eta_interval: Nanos,
    /// Interval after which the live line continues on a new line; `None`: it is always overwritten.
    pub eta_newline: Option<Nanos>,
    /// Version of the terse format.
    pub terse: TerseVersion,
    /// Interval between two full results while the load runs.
    pub status_interval: Option<Nanos>,
    /// Whether logs of the total bandwidth of all jobs are kept.
    pub bandwidth_log: bool,
    /// Whether windows of a log without any I/O get a row of zeros, which fio leaves out.
    pub stalls: bool,
    /// Whether the words are only checked.
    pub parse_only: bool,
    /// CPUs whose idle time is reported; `None`: not reported.
    pub idle: Option<IdleCpus>,
}

/// CPUs whose idle time is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleCpus {
    /// All as one.
    Together,
    /// All as one, and each by itself.
    Each,
}

/// Version of the terse format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TerseVersion {
    /// Version 2: without fio's own version, with trims.
    V2,
    /// Version 3, the default: without trims.
    #[default]
    V3,
    /// Version 4: with trims.
    V4,
    /// Version 5: with rates by window.
    V5,
}

/// A format of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text for people.
    Normal,
    /// One line for each unit of the report, with fields separated by semicolons.
    Terse,
    /// JSON.
    Json,
    /// JSON with the buckets of every histogram.
    JsonPlus,
}

/// When the live line is shown.
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
    /// Whether text for people is asked for; the banner is printed only then.
    pub fn is_normal(&self) -> bool {
        self.formats.contains(&Format::Normal)
    }

    /// Whether the terse format is asked for.
    pub fn is_terse(&self) -> bool {
        self.formats.contains(&Format::Terse)
    }

    /// The JSON format asked for.
    pub fn json(&self) -> Option<Format> {
        self.formats.iter().copied().find(|format| matches!(format, Format::Json | Format::JsonPlus))
    }
}

impl FioRequest {
    /// Number of steps, which run one after the other.
    pub fn step_count(&self) -> usize {
        self.jobs.last().map_or(0, |job| job.step + 1)
    }

    /// Clones that are reported as one, by index into `jobs`, in the order of the report.
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
