//! The request that a command line and its job files make, once every word has been understood.

use std::path::PathBuf;
use std::sync::Arc;

use workload::{Bytes, Nanos};

use super::error::FioError;
use super::options::JobOptions;
use super::replaying::Trace;

/// Access to everything outside the command line that parsing depends on.
pub struct Surroundings<'a> {
    /// Reads a job file; `-` is standard input.
    pub read: &'a dyn Fn(&str) -> std::io::Result<String>,
    /// Reads a file that a pattern names: all of it, or at least its first [`super::pattern::MOST`] bytes.
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

/// The outcome of parsing a command line.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Run a load.
    Run(Box<FioRequest>),
    /// Print only this on stdout, and exit with 0.
    Say(String),
    /// Compare with the real fio at this path, on a shortened copy.
    Check(String),
}

/// The jobs to run, and how to present the result.
#[derive(Clone, Debug, PartialEq)]
pub struct FioRequest {
    /// Words of the command line, without the program's name.
    pub words: Vec<String>,
    /// The jobs, one for each clone, in the order in which fio numbers them.
    pub jobs: Vec<FioJob>,
    /// Global options as typed, by canonical name.
    pub globals: Vec<(String, String)>,
    /// How the result is presented.
    pub presentation: Presentation,
    /// Which files are laid out for jobs that only read.
    pub lays_out: LaysOut,
    /// Remarks on the request: options that are approximated, and words that mean something other than people think.
    pub notes: Vec<Remark>,
}

/// A remark on the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Subject of the remark.
    pub about: About,
    /// Text of the remark.
    pub words: String,
}

/// Subject of a remark, for callers that show only some subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The job's run time, which does not matter to a caller that sets its own.
    Time,
    /// An option or engine that behaves only approximately as in fio.
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

/// Which missing or short files are laid out for jobs that only read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaysOut {
    /// No file (`--readonly`).
    Nothing,
    /// Missing files, and files that plimsoll laid out and nobody has changed since.
    #[default]
    Ours,
    /// Any file, whatever its contents, as fio does (`--fio-exact`).
    Anything,
}

/// One clone of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct FioJob {
    /// Name in the report; not unique: clones share it, and two jobs may have the same name.
    pub name: String,
    /// Name of the job's section: the files that it makes are named after it, whatever `name` in the section says.
    pub section: String,
    /// Unique name in the run: that of the [`workload::Job`], and so of its record.
    pub label: String,
    /// Number of the clone within its job, from 0.
    pub clone: u32,
    /// Number among all clones of all jobs, from 0.
    pub number: u32,
    /// Number of the job's group in the report.
    pub group: u32,
    /// Number of the step in which the clone runs; a stonewall begins a new step.
    pub step: usize,
    /// The options of the job.
    pub options: JobOptions,
    /// Options as typed, by canonical name, without the global ones.
    pub echo: Vec<(String, String)>,
    /// Seed of random offsets.
    pub seed: u64,
    /// A number unique to this run.
    pub run: u64,
    /// The trace to replay, or the error, once [`read_traces`](super::read_traces) has run; clones share it.
    pub trace: Option<Arc<Result<Trace, FioError>>>,
}

/// How the result is presented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// Formats without duplicates.
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
    /// Whether log windows without any I/O get a row of zeros, which fio leaves out.
    pub stalls: bool,
    /// Whether the words are only checked, and nothing runs.
    pub parse_only: bool,
    /// Lines of the debug log, printed before the banner.
    pub debug: String,
    /// Which idle times of CPUs are reported; `None`: none.
    pub idle: Option<IdleCpus>,
}

/// Which idle times of CPUs are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleCpus {
    /// The mean of all CPUs.
    Together,
    /// The mean of all CPUs, and each CPU separately.
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
            debug: String::new(),
        }
    }
}

impl Presentation {
    /// Whether the normal format is requested; the banner is printed only then.
    pub fn is_normal(&self) -> bool {
        self.formats.contains(&Format::Normal)
    }

    /// Whether the terse format is requested.
    pub fn is_terse(&self) -> bool {
        self.formats.contains(&Format::Terse)
    }

    /// The requested JSON format.
    pub fn json(&self) -> Option<Format> {
        self.formats.iter().copied().find(|format| matches!(format, Format::Json | Format::JsonPlus))
    }
}

impl FioRequest {
    /// Number of steps, which run one after another.
    pub fn step_count(&self) -> usize {
        self.jobs.last().map_or(0, |job| job.step + 1)
    }

    /// The units of the report, in order: for each, the indices into `jobs` of the clones reported together.
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
