//! What fio says when it refuses, on which stream and with which exit code, and what plimsoll adds to it.

use std::fmt;
use std::path::PathBuf;

use options::errno_text;

use super::value::Word;

pub const EINVAL: i32 = 22;
const EPERM: i32 = 1;
const ENOENT: i32 = 2;
const EBUSY: i32 = 16;

/// What fio says on stdout where a synchronous engine's first direct I/O is refused.
pub const FIRST_DIRECT: &str = "fio: first direct IO errored. File system may not support direct IO, or iomem_align= is bad, or invalid block size. Try setting direct=0.\n";

/// Where in a job file something stands; lines and columns count from 1.
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

/// An option of a job file that was refused: its text, the job it drops, and where it stands. On the command line there is
/// only the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// `name=value` as typed.
    pub text: String,
    /// Job and place, in a job file.
    pub within: Option<(String, Place)>,
}

/// When an engine hears of the end of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// It waits for each one.
    ForEach,
    /// It submits, and reaps later.
    ForNone,
}

/// A job of which nothing says how long its region is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsized {
    /// Its place among all jobs.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Its file, which is missing; `None` for an engine without files.
    pub path: Option<PathBuf>,
}

/// A file that holds less than a job reads of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// The job.
    pub job: String,
    /// The file.
    pub path: PathBuf,
    /// What it holds; `None` where it is missing.
    pub there: Option<u64>,
    /// Where the job's reads end.
    pub wanted: u64,
}

impl Lacking {
    /// The errno with which fio's job ends under `--readonly`: reads behind the end, or no file.
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

/// Why nothing runs. `Display` is what goes to stderr, in fio's words where fio has any; [`hint`](FioError::hint) adds what
/// to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FioError {
    /// The command line has an option that is unknown.
    #[error("fio: unrecognized option '{word}'\nfio: unrecognized option '{word}'{}", did_you_mean(near))]
    UnrecognizedOption {
        /// As typed.
        word: String,
        /// A known name nearby.
        near: Option<&'static str>,
    },
    /// An option of the command line lacks its value.
    #[error(
        "fio: option '{word}' requires an argument\nfio: unrecognized option '{word}'{}",
        did_you_mean(near)
    )]
    MissingArgument {
        /// As typed.
        word: String,
        /// Its full name.
        near: Option<&'static str>,
    },
    /// An option that takes no value was given one.
    #[error("fio: option '{word}' doesn't allow an argument")]
    NeedlessArgument {
        /// As typed.
        word: String,
    },
    /// A value is empty.
    #[error("fio: option {name} requires an argument")]
    EmptyValue {
        /// Its name.
        name: String,
    },
    /// A prefix fits several options.
    #[error(
        "fio: option '{word}' is ambiguous; possibilities:{}\nfio: unrecognized option '{word}'{}",
        possibilities(fits),
        did_you_mean(near)
    )]
    Ambiguous {
        /// As typed.
        word: String,
        /// The names that fit.
        fits: Vec<&'static str>,
        /// The nearest of all names.
        near: Option<&'static str>,
    },
    /// A value could not be read. `words` are the valid ones of an enumeration.
    #[error("{detail}fio: failed parsing {}{}", typed.text, dropped(typed))]
    Parsing {
        /// The option.
        typed: Box<Typed>,
        /// fio's own lines in front, or empty.
        detail: String,
        /// The valid words.
        words: &'static [Word],
        /// What was probably meant.
        meant: String,
    },
    /// A job file has an option that is unknown.
    #[error("Bad option <{}>{}{}", typed.text, did_you_mean(near), dropped(typed))]
    BadOption {
        /// The option.
        typed: Box<Typed>,
        /// A known name nearby.
        near: Option<&'static str>,
    },
    /// A job file has an option before any section.
    #[error("fio: option <{text}> outside of [] job section")]
    OutsideSection {
        /// The line.
        text: String,
        /// Where.
        place: Place,
    },
    /// A job file says something that is not understood here.
    #[error("fio: {place}: {problem}")]
    JobFile {
        /// Where.
        place: Place,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A job file could not be read.
    #[error("fio: unable to open '{path}' job file")]
    NoJobFile {
        /// As typed.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file that a job file includes could not be read.
    #[error("fio: unable to open '{path}' job file\nError 1 while parsing include file {path}")]
    NoInclude {
        /// As typed.
        path: String,
        /// The line that includes it.
        place: Place,
        /// Why.
        reason: String,
    },
    /// An included file opens a section.
    #[error("No new sections in included files")]
    SectionInInclude {
        /// Where.
        place: Place,
    },
    /// Nothing to run.
    #[error("No job(s) defined\n")]
    NoJobs,
    /// No section has a name that was asked for.
    #[error("No job(s) defined\n")]
    NoSection {
        /// The names asked for.
        asked: Vec<String>,
        /// The names there are.
        there: Vec<String>,
    },
    /// `--section=global`.
    #[error("fio: can't use global as only section")]
    GlobalSection,
    /// Something that would only be noted, under `--warnings-fatal`.
    #[error("fio: {0}")]
    Warned(String),
    /// Help on something that is unknown.
    #[error("{said}")]
    NoHelp {
        /// For stderr.
        said: String,
        /// For stdout.
        out: String,
    },
    /// The engine is not one of fio's.
    #[error("fio: engine {0} not loadable\nfio: failed to load engine")]
    UnknownEngine(String),
    /// The output format is unknown.
    #[error("fio: invalid output format {0}\nfio: failed parsing output-format")]
    OutputFormat(String),
    /// The output file has no place.
    #[error("fio: output file open error: {}", errno_text(*errno))]
    OutputFile {
        /// The errno.
        errno: i32,
        /// The path, and what to do.
        why: String,
    },
    /// A block does not fit.
    #[error("fio: size too small, must not be less than minimum block size: {size} < {block}")]
    SizeBelowBlock {
        /// Bytes of the region.
        size: u64,
        /// Bytes of the shortest block.
        block: u64,
    },
    /// What a file or a device holds is less than one block.
    #[error("fio: blocksize is larger than data set range")]
    BlockAboveRange {
        /// Bytes that there are.
        size: u64,
        /// Bytes of the shortest block.
        block: u64,
    },
    /// Both kinds of rate.
    #[error("fio: rate and rate_iops are mutually exclusive")]
    RateTwice,
    /// A least rate that the rate does not allow; places of the directions.
    #[error("{}", rates_below_least(.0))]
    RateBelowLeast(Vec<usize>),
    /// Neither a size nor anything there.
    #[error("{}", need_size(jobs))]
    NeedSize {
        /// The jobs, every clone by itself.
        jobs: Vec<Unsized>,
        /// The command line with a size.
        corrected: String,
    },
    /// The region starts behind the end.
    #[error("{job}: you need to specify valid offset=")]
    Offset {
        /// The job.
        job: String,
        /// Bytes that are there.
        there: u64,
    },
    /// Writes under `--readonly`.
    #[error("fio: trim and write operations are not allowed with the --readonly parameter.")]
    Readonly,
    /// A file is missing or too short under `--readonly`.
    #[error("fio: refusing extend of file due to read-only")]
    ReadonlyExtend(Lacking),
    /// A file is too short for a job that only reads, and it is not ours.
    #[error(
        "fio: refusing to replace {}: it holds {} bytes of the {} that are to be read",
        .0.path.display(), .0.there.unwrap_or(0), .0.wanted
    )]
    NotOurs(Lacking),
    /// `directory` is none.
    #[error("fio: {path} is not a directory\nfio: failed parsing directory={typed}")]
    NotADirectory {
        /// The one that is none.
        path: String,
        /// All of them, as typed.
        typed: String,
    },
    /// A file is missing and may not be made.
    #[error("fio: file creation disallowed by allow_file_create=0")]
    CreationDisallowed {
        /// The file.
        path: String,
    },
    /// The device is in use.
    #[error("fio: {path} appears mounted, and 'allow_mounted_write' isn't set. Aborting.")]
    Mounted {
        /// The device.
        path: String,
        /// By what.
        by: String,
    },
    /// The file system refuses direct I/O when the file is opened.
    #[error("fio: looks like your file system does not support direct=1/buffered=0")]
    DirectRefused {
        /// The file.
        path: String,
    },
    /// A system call failed while a job was being set up.
    #[error("fio: pid=0, err={errno}/file:filesetup.c:174, func={call}, error={}", errno_text(*errno))]
    Setup {
        /// The call.
        call: &'static str,
        /// Its errno.
        errno: i32,
        /// On what, and what to do.
        why: String,
    },
    /// Direct I/O at places or lengths that it cannot have. fio learns it from its first I/O, and says so in these words.
    #[error(
        "fio: io_u error on file {path}: {}: {direction} offset={offset}, buflen={bytes}",
        errno_text(EINVAL)
    )]
    Misaligned {
        /// The file.
        path: String,
        /// `read` or `write`.
        direction: &'static str,
        /// Where the first I/O would be.
        offset: u64,
        /// How long it would be.
        bytes: u64,
        /// Whether the engine waits for each I/O; only then fio speaks of the first one.
        engine: Waits,
        /// What is misaligned, and what to do.
        why: String,
    },
    /// No version of the terse format.
    #[error("fio: bad terse version format")]
    TerseVersion,
    /// What is asked cannot be run, for a reason that fio does not know.
    #[error("fio: {0}")]
    CannotRun(String),
    /// An option is known, and its value is not honoured here.
    #[error("fio: {option} is not supported: {reason}")]
    Refused {
        /// As typed.
        option: String,
        /// Why, and what to do instead.
        reason: String,
        /// Where, in a job file.
        place: Option<Place>,
    },
    /// Jobs of a group that are reported together differ in what is reported.
    #[error("fio: lat_percentiles in job: {0} differs from group")]
    DiffersFromGroup(String),
    /// A trace cannot be replayed. fio leaves out rows that it does not understand, and replays the rest.
    #[error(
        "fio: {}: {problem}\nfio: pid=0, err={EINVAL}/file:iolog.c:795, func=failed initializing iolog, error={}",
        place.as_ref().map_or_else(|| path.clone(), Place::to_string), errno_text(EINVAL)
    )]
    Trace {
        /// Where, in a text.
        place: Option<Place>,
        /// The trace.
        path: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A word that the shell or a web page has spoilt.
    #[error("fio: '{word}': {problem}")]
    Spoilt {
        /// As typed.
        word: String,
        /// What is wrong, and what to write.
        problem: String,
    },
}

impl FioError {
    /// The refusal of what was typed on the command line.
    pub(super) fn refused(option: &str, reason: &str) -> FioError {
        FioError::Refused { option: option.to_owned(), reason: reason.to_owned(), place: None }
    }

    /// The exit code: the number of jobs that end, 1 where none has begun. fio leaves with 0 where a mounted device is
    /// refused; here every refusal is 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            FioError::NeedSize { jobs, .. } => jobs.len().clamp(1, 255) as u8,
            _ => 1,
        }
    }

    /// The words that the error is about, as they were typed; `None` where it is about no single ones.
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

    /// Where in a job file it is wrong.
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

    /// True where the error is one of a job alone: fio has printed its banner before it notices, and runs the other jobs.
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

    /// The errno with which a job ends that this error keeps from running. fio reports 0 for some of them.
    pub fn errno(&self) -> i32 {
        match self {
            FioError::Setup { errno, .. } => *errno,
            FioError::Mounted { .. } => EBUSY,
            FioError::CreationDisallowed { .. } => ENOENT,
            FioError::ReadonlyExtend(lacking) => lacking.errno(),
            FioError::CannotRun(_) | FioError::NotOurs(_) => EPERM,
            _ => EINVAL,
        }
    }
}

/// fio's two lines for each job, which it prints one after the other.
fn need_size(jobs: &[Unsized]) -> String {
    let lines = jobs.iter().map(|job| {
        let name = &job.name;
        format!(
            "{name}: you need to specify size=\nfio: pid=0, err=22/file:filesetup.c:1155, func=total_file_size, error=Invalid argument"
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What fio puts behind an I/O error of a job.
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

fn dropped(typed: &Typed) -> String {
    typed.within.as_ref().map_or_else(String::new, |(job, _)| format!("\nfio: job {job} dropped"))
}
