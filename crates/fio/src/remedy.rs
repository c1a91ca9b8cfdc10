//! Texts that accompany one of fio's errors: fio's output on stdout, and the remedy that plimsoll adds.

use options::near::nearest;

use super::error::{EINVAL, FIRST_DIRECT, FioError, JobWithoutSize, Waits, verror};
use super::value::Word;
use super::{commandline, commands, meant};

impl FioError {
    /// Returns the text for stdout, as in fio; may be empty.
    pub fn stdout(&self) -> String {
        match self {
            FioError::Parsing { words, .. } if !words.is_empty() => valid_words(words),
            FioError::UnknownEngine(name) => format!(
                "fio: file:ioengines.c:142, func=dlopen, error={name}: cannot open shared object file: No such file or directory\n"
            ),
            FioError::NoJobs | FioError::NoSection { .. } => commands::usage(),
            FioError::NoHelp { out, .. } => out.clone(),
            FioError::Misaligned { engine, .. } => {
                let first = if *engine == Waits::ForEach { FIRST_DIRECT } else { "" };
                format!("{first}fio: pid=0, err={EINVAL}/{}\n", verror(EINVAL))
            }
            _ => String::new(),
        }
    }

    /// Returns plimsoll's addition on stderr: cause and remedy, if fio does not give them.
    pub fn hint(&self) -> Option<String> {
        match self {
            FioError::NeedSize { jobs, corrected } => jobs.first().map(|job| add_a_size(job, corrected)),
            FioError::Parsing { meant, .. } if !meant.is_empty() => Some(meant.clone()),
            FioError::BadOption { typed, .. } => meant::option(typed),
            FioError::Refused { place: Some(place), .. } => Some(place.to_string()),
            FioError::NoInclude { place, reason, .. } => Some(format!("{place}: {reason}")),
            FioError::SectionInInclude { place } => {
                Some(format!("{place}: put the section into the including file"))
            }
            FioError::NoSection { asked, there } => Some(no_section(asked, there)),
            FioError::UnknownEngine(name) => meant::engine(name),
            FioError::OutsideSection { place, .. } => {
                Some(format!("{place}: write a section such as [job1] above it"))
            }
            FioError::NoJobFile { path, reason } => Some(match commandline::is_option(path) {
                true => format!("{reason}; if {path} is an option, write --{path}"),
                false => reason.clone(),
            }),
            FioError::TerseVersion => Some("Write --terse-version=2, 3, 4 or 5.".to_owned()),
            FioError::BlockAboveRange { size, block } => Some(format!(
                "There are {size} bytes, and a block has {block}; give a smaller bs, or a size."
            )),
            FioError::Offset { there, .. } => Some(format!("There are {there} bytes; start below that.")),
            FioError::Mounted { path, by } => {
                Some(format!("{path} is in use ({by}) and is never written, whatever the options."))
            }
            FioError::CreationDisallowed { path } => Some(format!("{path} does not exist.")),
            FioError::OutputFile { why, .. }
            | FioError::Setup { why, .. }
            | FioError::Misaligned { why, .. } => Some(why.clone()),
            FioError::ReadonlyExtend(lacking) => Some(lacking.under_readonly()),
            FioError::NotOurs(lacking) => Some(lacking.not_ours()),
            FioError::DirectRefused { path } => {
                Some(format!("{path}: try direct=0, or another file system."))
            }
            _ => None,
        }
    }
}

fn no_section(asked: &[String], there: &[String]) -> String {
    let near = asked.iter().find_map(|name| nearest(name, there.iter().map(String::as_str)));
    let meant = near.map_or_else(String::new, |name| format!(" Did you mean --section={name}?"));
    format!("No section is named {}; there are: {}.{meant}", asked.join(", "), there.join(", "))
}

fn add_a_size(job: &JobWithoutSize, corrected: &str) -> String {
    let name = &job.name;
    match &job.path {
        // With a size, a regular file with that name would be created.
        Some(path) if path.starts_with("/dev/") => {
            format!("There is no device {}; lsblk lists those that there are.", path.display())
        }
        Some(_) => format!(
            "The file of job '{name}' does not exist and no size is given. Add one, for example:\n  {corrected}"
        ),
        None => format!("Job '{name}' has no file that could say how much to do. Add a size:\n  {corrected}"),
    }
}

/// Lists the words of an enumeration as fio does.
fn valid_words(words: &[Word]) -> String {
    let mut text = String::new();
    for (at, (word, help)) in words.iter().enumerate() {
        let head = if at == 0 { "valid values" } else { "" };
        text.push_str(&format!("{head:>20}: {word:<10} {help}\n"));
    }
    text.push('\n');
    text
}
