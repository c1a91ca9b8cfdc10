//! fio's refusals: their text, output stream and exit code, and plimsoll's additions.

use std::fmt;
use std::path::PathBuf;

use options::errno_text;

use super::value::Word;

pub const EINVAL: i32 = 22;
const EPERM: i32 = 1;
const ENOENT: i32 = 2;
const EBUSY: i32 = 16;

/// fio's message on stdout if the first direct I/O of a synchronous engine is refused.
pub const FIRST_DIRECT: &str = "fio: first direct IO errored. File system may not support direct IO, or iomem_align= is bad, or invalid block size. Try setting direct=0.\n";

/// A place in a job file; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}, column {}", self.file, self.line, self.column)
    }
}

/// A refused option: its text and, in a job file, its place and the job that is dropped because of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedOption {
    /// `name=value` as typed.
    pub text: String,
    /// Job and place; only in a job file.
    pub within: Option<(String, Place)>,
}

/// Whether an engine waits for each I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// The engine waits for each I/O.
    ForEach,
    /// The engine submits I/Os, and reaps completions later.
    ForNone,
}

/// A job whose region has no known length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobWithoutSize {
    /// Index of the job among all jobs.
    pub number: usize,
    /// Name of the job.
    pub name: String,
    /// The missing file; `None` for an engine without files.
    pub path: Option<PathBuf>,
}

/// A file that is missing or shorter than the range that a job reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// The job.
    pub job: String,
    /// The file.
    pub path: PathBuf,
    /// Length of the file in bytes; `None` if it is missing.
    pub there: Option<u64>,
    /// Offset at which the job's reads end, in bytes.
    pub wanted: u64,
}

impl Lacking {
    /// Errno with which fio's job ends under `--readonly`: EIO for reads past the end, ENOENT without a file.
    fn errno(&self) -> i32 {
        if self.there.is_some() { 5 } else { 2 }
    }

    pub(super) fn under_readonly(&self) -> String {
        let path = self.path.display();
        match self.there {
            None => format!(
                "{path} does not exist, and --readonly makes none: name a file that is there, or lay it out by the same command without --readonly."
            ),
            Some(there) => format!(
                "{path} ends at byte {there}, and job '{}' reads up to byte {}: give a size within the file.",
                self.job, self.wanted
            ),
        }
    }

    pub(super) fn not_ours(&self) -> String {
        let path = self.path.display();
        format!(
            "{path} was not laid out by plimsoll, or was changed since, and job '{}' only reads: what it holds is kept. \
             To read what is there give a size that ends at byte {} or before; to have a new file laid out remove this one \
             (rm {path}); --fio-exact does as fio does, which replaces it.",
            self.job,
            self.there.unwrap_or(0)
        )
    }
}

/// Why nothing runs. `Display` gives the text for stderr, in fio's words if fio has any; [`hint`](FioError::hint) adds
/// the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FioError {
    /// An unknown option on the command line.
    #[error("fio: unrecognized option '{word}'\nfio: unrecognized option '{word}'{}", did_you_mean(near))]
    UnrecognizedOption {
        /// The option as typed.
        word: String,
        /// The closest known name.
        near: Option<&'static str>,
    },
    /// A command line option without its value.
    #[error(
        "fio: option '{word}' requires an argument\nfio: unrecognized option '{word}'{}",
        did_you_mean(near)
    )]
    MissingArgument {
        /// The option as typed.
        word: String,
        /// The full name of the option.
        near: Option<&'static str>,
    },
    /// A value for an option that takes none.
    #[error("fio: option '{word}' doesn't allow an argument")]
    NeedlessArgument {
        /// The option as typed.
        word: String,
    },
    /// An empty value.
    #[error("fio: option {name} requires an argument")]
    EmptyValue {
        /// Name of the option.
        name: String,
    },
    /// An abbreviation that fits several options.
    #[error(
        "fio: option '{word}' is ambiguous; possibilities:{}\nfio: unrecognized option '{word}'{}",
        possibilities(fits),
        did_you_mean(near)
    )]
    Ambiguous {
        /// The option as typed.
        word: String,
        /// The names that fit.
        fits: Vec<&'static str>,
        /// The closest of all known names.
        near: Option<&'static str>,
    },
    /// A value that could not be read. For an enumeration, `words` are the valid ones.
    #[error("{detail}fio: failed parsing {}{}", typed.text, dropped(typed))]
    Parsing {
        /// The option.
        typed: Box<RefusedOption>,
        /// Lines of fio's own that precede the message; may be empty.
        detail: String,
        /// The valid words.
        words: &'static [Word],
        /// The suggestion of what was meant; may be empty.
        meant: String,
    },
    /// An unknown option in a job file.
    #[error("Bad option <{}>{}{}", typed.text, did_you_mean(near), dropped(typed))]
    BadOption {
        /// The option.
        typed: Box<RefusedOption>,
        /// The closest known name.
        near: Option<&'static str>,
    },
    /// An option before any section of a job file.
    #[error("fio: option <{text}> outside of [] job section")]
    OutsideSection {
        /// The line.
        text: String,
        /// Place in the job file.
        place: Place,
    },
    /// A part of a job file that is not understood here.
    #[error("fio: {place}: {problem}")]
    JobFile {
        /// Place in the job file.
        place: Place,
        /// The problem and the remedy.
        problem: String,
    },
    /// A job file that could not be read.
    #[error("fio: unable to open '{path}' job file")]
    NoJobFile {
        /// The path as typed.
        path: String,
        /// The reason.
        reason: String,
    },
    /// An included file that could not be read.
    #[error("fio: unable to open '{path}' job file\nError 1 while parsing include file {path}")]
    NoInclude {
        /// The path as typed.
        path: String,
        /// Place of the line that includes it.
        place: Place,
        /// The reason.
        reason: String,
    },
    /// A section heading in an included file.
    #[error("No new sections in included files")]
    SectionInInclude {
        /// Place in the included file.
        place: Place,
    },
    /// No job.
    #[error("No job(s) defined\n")]
    NoJobs,
    /// No section with any of the requested names.
    #[error("No job(s) defined\n")]
    NoSection {
        /// The requested names.
        asked: Vec<String>,
        /// The existing names.
        there: Vec<String>,
    },
    /// `--section=global`.
    #[error("fio: can't use global as only section")]
    GlobalSection,
    /// A remark, made an error by `--warnings-fatal`.
    #[error("fio: {0}")]
    Warned(String),
    /// A request for help on something unknown.
    #[error("{said}")]
    NoHelp {
        /// Text for stderr.
        said: String,
        /// Text for stdout.
        out: String,
    },
    /// An engine that fio does not have.
    #[error("fio: engine {0} not loadable\nfio: failed to load engine")]
    UnknownEngine(String),
    /// An unknown output format.
    #[error("fio: invalid output format {0}\nfio: failed parsing output-format")]
    OutputFormat(String),
    /// An output file that cannot be opened.
    #[error("fio: output file open error: {}", errno_text(*errno))]
    OutputFile {
        /// The errno.
        errno: i32,
        /// The path and the remedy.
        why: String,
    },
    /// A region shorter than its shortest block.
    #[error("fio: size too small, must not be less than minimum block size: {size} < {block}")]
    SizeBelowBlock {
        /// Bytes of the region.
        size: u64,
        /// Bytes of the shortest block.
        block: u64,
    },
    /// A region of an existing file or device that is shorter than one block.
    #[error("fio: blocksize is larger than data set range")]
    BlockAboveRange {
        /// Bytes of the region in the shortest file.
        size: u64,
        /// Bytes of the shortest block.
        block: u64,
    },
    /// Both kinds of rate at once.
    #[error("fio: rate and rate_iops are mutually exclusive")]
    RateTwice,
    /// A minimum rate above the rate limit, with the directions by index.
    #[error("{}", rates_below_least(.0))]
    RateBelowLeast(Vec<usize>),
    /// Jobs with neither a size nor a file that has one.
    #[error("{}", need_size(jobs))]
    NeedSize {
        /// The jobs, one entry for each clone.
        jobs: Vec<JobWithoutSize>,
        /// The command line with a size added.
        corrected: String,
    },
    /// A region that starts past the end.
    #[error("{job}: you need to specify valid offset=")]
    Offset {
        /// The job.
        job: String,
        /// Length of the longest file in bytes.
        there: u64,
    },
    /// A job that writes, despite `--readonly`.
    #[error("fio: trim and write operations are not allowed with the --readonly parameter.")]
    Readonly,
    /// A file that is missing or too short, which `--readonly` forbids to lay out.
    #[error("fio: refusing extend of file due to read-only")]
    ReadonlyExtend(Lacking),
    /// A file that is too short for a job that only reads, and that was not laid out by plimsoll.
    #[error(
        "fio: refusing to replace {}: it holds {} bytes of the {} that are to be read",
        .0.path.display(), .0.there.unwrap_or(0), .0.wanted
    )]
    NotOurs(Lacking),
    /// A `directory` that is not a directory.
    #[error("fio: {path} is not a directory\nfio: failed parsing directory={typed}")]
    NotADirectory {
        /// The path that is not a directory.
        path: String,
        /// All directories, as typed.
        typed: String,
    },
    /// A missing file that may not be created.
    #[error("fio: file creation disallowed by allow_file_create=0")]
    CreationDisallowed {
        /// The file.
        path: String,
    },
    /// A device in use.
    #[error("fio: {path} appears mounted, and 'allow_mounted_write' isn't set. Aborting.")]
    Mounted {
        /// The device.
        path: String,
        /// What uses the device.
        by: String,
    },
    /// A file system that refuses direct I/O when the file is opened.
    #[error("fio: looks like your file system does not support direct=1/buffered=0")]
    DirectRefused {
        /// The file.
        path: String,
    },
    /// A system call that failed while a job was being set up.
    #[error("fio: pid=0, err={errno}/file:filesetup.c:174, func={call}, error={}", errno_text(*errno))]
    Setup {
        /// Name of the call.
        call: &'static str,
        /// The errno.
        errno: i32,
        /// The argument of the call, and the remedy.
        why: String,
    },
    /// Direct I/O at an impossible offset or length. fio learns that from its first I/O, and says so in these words.
    #[error(
        "fio: io_u error on file {path}: {}: {direction} offset={offset}, buflen={bytes}",
        errno_text(EINVAL)
    )]
    Misaligned {
        /// The file.
        path: String,
        /// `read` or `write`.
        direction: &'static str,
        /// Offset of the first I/O.
        offset: u64,
        /// Length of the first I/O.
        bytes: u64,
        /// Whether the engine waits for each I/O; only then does fio mention the first one.
        engine: Waits,
        /// What is misaligned, and the remedy.
        why: String,
    },
    /// A terse version that does not exist.
    #[error("fio: bad terse version format")]
    TerseVersion,
    /// A request that cannot be run, for a reason that fio does not have.
    #[error("fio: {0}")]
    CannotRun(String),
    /// A known option whose value is not supported here.
    #[error("fio: {option} is not supported: {reason}")]
    Refused {
        /// The option as typed.
        option: String,
        /// The reason and the remedy.
        reason: String,
        /// The place; only in a job file.
        place: Option<Place>,
    },
    /// Jobs of a group that are reported together but ask for different reports.
    #[error("fio: lat_percentiles in job: {0} differs from group")]
    DiffersFromGroup(String),
    /// A trace that cannot be replayed. fio leaves out rows that it does not understand, and replays the others.
    #[error(
        "fio: {}: {problem}\nfio: pid=0, err={EINVAL}/file:iolog.c:795, func=failed initializing iolog, error={}",
        place.as_ref().map_or_else(|| path.clone(), Place::to_string), errno_text(EINVAL)
    )]
    Trace {
        /// The place; only in a text trace.
        place: Option<Place>,
        /// Path of the trace.
        path: String,
        /// The problem, and what would be correct.
        problem: String,
    },
    /// A word that a shell or a web page has altered.
    #[error("fio: '{word}': {problem}")]
    Spoilt {
        /// The word as typed.
        word: String,
        /// The problem, and what to write.
        problem: String,
    },
}

impl FioError {
    /// Returns the refusal of an option of the command line.
    pub(super) fn refused(option: &str, reason: &str) -> FioError {
        FioError::Refused { option: option.to_owned(), reason: reason.to_owned(), place: None }
    }

    /// Exit code: the number of jobs without a size, otherwise 1. fio exits with 0 after it has refused a mounted
    /// device; here, every refusal gives 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            FioError::NeedSize { jobs, .. } => jobs.len().clamp(1, 255) as u8,
            _ => 1,
        }
    }

    /// The words that the error is about, as typed; `None` if it is not about particular words.
    pub fn typed(&self) -> Option<String> {
        match self {
            FioError::UnrecognizedOption { word, .. }
            | FioError::MissingArgument { word, .. }
            | FioError::NeedlessArgument { word }
            | FioError::Ambiguous { word, .. }
            | FioError::Spoilt { word, .. }
            | FioError::EmptyValue { name: word }
            | FioError::OutsideSection { text: word, .. }
            | FioError::Refused { option: word, .. }
            | FioError::NoJobFile { path: word, .. } => Some(word.clone()),
            FioError::Parsing { typed, .. } | FioError::BadOption { typed, .. } => Some(typed.text.clone()),
            FioError::NotADirectory { typed, .. } => Some(format!("directory={typed}")),
            FioError::UnknownEngine(name) => Some(format!("ioengine={name}")),
            _ => None,
        }
    }

    /// Place of the error in a job file, if it has one.
    pub fn place(&self) -> Option<&Place> {
        match self {
            FioError::Parsing { typed, .. } | FioError::BadOption { typed, .. } => {
                typed.within.as_ref().map(|(_, place)| place)
            }
            FioError::OutsideSection { place, .. }
            | FioError::JobFile { place, .. }
            | FioError::NoInclude { place, .. }
            | FioError::SectionInInclude { place } => Some(place),
            FioError::Refused { place, .. } | FioError::Trace { place, .. } => place.as_ref(),
            _ => None,
        }
    }

    /// Whether the error concerns only one job: fio notices it after its banner, and runs the other jobs.
    pub fn is_of_a_job(&self) -> bool {
        matches!(
            self,
            FioError::NeedSize { .. }
                | FioError::Offset { .. }
                | FioError::BlockAboveRange { .. }
                | FioError::CreationDisallowed { .. }
                | FioError::Setup { .. }
                | FioError::Trace { .. }
                | FioError::Misaligned { .. }
                | FioError::CannotRun(_)
                | FioError::DirectRefused { .. }
                | FioError::ReadonlyExtend(_)
                | FioError::NotOurs(_)
        )
    }

    /// The errno with which the job ends that this error keeps from running. fio reports 0 for some such errors.
    pub fn errno(&self) -> i32 {
        match self {
            FioError::Setup { errno, .. } => *errno,
            FioError::Mounted { .. } => EBUSY,
            FioError::CreationDisallowed { .. } => ENOENT,
            FioError::ReadonlyExtend(lacking) => lacking.errno(),
            FioError::NotOurs(_) => EPERM,
            _ => EINVAL,
        }
    }
}

/// fio's two lines for each job, one job after another.
fn need_size(jobs: &[JobWithoutSize]) -> String {
    let lines = jobs.iter().map(|job| {
        let name = &job.name;
        format!(
            "{name}: you need to specify size=\nfio: pid=0, err=22/file:filesetup.c:1155, func=total_file_size, error=Invalid argument"
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the text that fio prints after an I/O error of a job.
pub fn verror(errno: i32) -> String {
    format!("file:io_u.c:1876, func=io_u error, error={}", errno_text(errno))
}

fn rates_below_least(ways: &[usize]) -> String {
    let lines: Vec<String> =
        ways.iter().map(|way| format!("fio: minimum rate exceeds rate, ddir {way}")).collect();
    lines.join("\n")
}

fn did_you_mean(near: &Option<&'static str>) -> String {
    near.map_or_else(String::new, |name| format!("\nDid you mean {name}?"))
}

fn possibilities(fits: &[&'static str]) -> String {
    fits.iter().map(|name| format!(" '--{name}'")).collect()
}

fn dropped(typed: &RefusedOption) -> String {
    typed.within.as_ref().map_or_else(String::new, |(job, _)| format!("\nfio: job {job} dropped"))
}
