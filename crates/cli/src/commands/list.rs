//! `plimsoll list`: the stored runs, with their times and results.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use report::verdict_words;
use schemars::JsonSchema;
use serde::Serialize;
use session::failure::Failure;
use session::inputs::Reader;
use session::output;
use session::place::{own_folder, short};

use crate::arguments::{Format, ListArguments, typed};

/// Indent of the answer, to the column after date and time.
const INDENT: &str = "                  ";

/// Maximum number of characters by which a line may fall short, because no word is split.
const LONG_WORD: usize = 12;

/// The run files of a folder.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListDocument<'l> {
    /// The folder.
    folder: String,
    /// Number of run files in it.
    run_files: usize,
    /// The newest of them, the one written last first.
    runs: Vec<RunRow<'l>>,
}

/// A run file.
#[derive(Serialize, JsonSchema)]
struct RunRow<'l> {
    /// Path of the file.
    path: String,
    /// Start of the run: milliseconds since 1970, UTC.
    started_unix_ms: u64,
    /// Command after the program's name.
    command: &'l str,
    /// Whether the run was finished and not cut off.
    complete: bool,
    /// If it is not complete: how far it has come, or that it was stopped.
    state: &'l Option<String>,
    /// The answer, in words.
    verdict: Option<&'l String>,
    /// Why the file cannot be read.
    unreadable: Option<&'l String>,
}

/// A run in the list.
pub(super) struct RunEntry {
    pub(super) path: PathBuf,
    pub(super) started_unix_ms: u64,
    pub(super) command: String,
    /// The verdict, or an error if the file cannot be read.
    pub(super) answer: Result<String, String>,
    pub(super) complete: bool,
    /// Progress of an incomplete run, or the fact that it was stopped.
    pub(super) state: Option<String>,
}

/// Lists the run files of a folder, newest first.
pub fn run(arguments: &ListArguments) -> Result<u8, Failure> {
    let folder = match &arguments.folder {
        Some(folder) => folder.clone(),
        None => own_folder()?,
    };
    let files = newest_first(&folder, arguments.folder.is_some())?;
    let most = if arguments.all { files.len() } else { arguments.most };
    let listed: Vec<RunEntry> = files.iter().take(most).map(|path| look_at(path)).collect();
    match arguments.format {
        Format::Text => output::result(&text(&folder, &listed, files.len()))?,
        Format::Json => output::result(&document(&folder, &listed, files.len()))?,
    }
    Ok(0)
}

/// Returns the run files, the most recently written first; none if the user's own folder does not exist yet.
pub(super) fn newest_first(folder: &Path, named: bool) -> Result<Vec<PathBuf>, Failure> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if !named && error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(Failure::refused(format!(
                "{}: cannot be listed: {error}; name a folder with run files",
                folder.display()
            )));
        }
    };
    let written = |path: &Path| std::fs::metadata(path).and_then(|about| about.modified());
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "plimsoll"))
        .map(|path| (written(&path).unwrap_or(SystemTime::UNIX_EPOCH), path))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

pub(super) fn look_at(path: &Path) -> RunEntry {
    let read = Reader::of(typed()).recordings(std::slice::from_ref(&path.to_owned()));
    let recorded = read.map(|mut read| read.runs.remove(0));
    match recorded {
        Ok(recorded) => RunEntry {
            path: path.to_owned(),
            started_unix_ms: recorded.run.started_unix_ms,
            command: command(&recorded.run.words),
            answer: recorded
                .analysis()
                .map(|analysis| verdict_words(&recorded.run, &analysis).sentence())
                .map_err(|failure| failure.message),
            complete: recorded.run.complete,
            state: report::state(&recorded.run),
        },
        Err(failure) => RunEntry {
            path: path.to_owned(),
            started_unix_ms: 0,
            command: String::new(),
            answer: Err(failure.message),
            complete: false,
            state: None,
        },
    }
}

/// Returns the words after the program's own name.
fn command(words: &[String]) -> String {
    words.get(1..).unwrap_or_default().join(" ")
}

fn text(folder: &Path, listed: &[RunEntry], all: usize) -> String {
    let mut text = String::new();
    for run in listed {
        let state = run.state.as_ref().map(|state| format!(" ({state})")).unwrap_or_default();
        let _ = writeln!(text, "{:<16}  {}", when(run.started_unix_ms), cut(&run.command, &state));
        let answer = match &run.answer {
            Ok(answer) => answer.clone(),
            Err(why) => format!("cannot be read: {why}"),
        };
        text.push_str(&report::wrap(INDENT, &two_lines(&answer)));
        let _ = writeln!(text, "{INDENT}{}", short(&run.path));
    }
    let rest = all - listed.len();
    match (all, rest) {
        (0, _) => {
            let _ = writeln!(
                text,
                "no run yet in {}; plimsoll check measures this directory's volume",
                short(folder)
            );
        }
        (_, 0) => {}
        _ => {
            let _ = writeln!(text, "{rest} older: --all");
        }
    }
    text
}

/// Cuts an answer to two lines after the indent, enough for its figures, though not for all of a watch's.
fn two_lines(words: &str) -> String {
    report::cut(words, 2 * (report::columns_now() - INDENT.len()) - LONG_WORD)
}

/// Cuts `words` so that they fit into a line after the indent, followed by the whole of `state`.
fn cut(words: &str, state: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let room = report::columns_now().saturating_sub(INDENT.len() + state.chars().count());
    report::cut(&words, room) + state
}

/// Formats the local time, to the minute.
pub(super) fn when(unix_ms: u64) -> String {
    let instant = i64::try_from(unix_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    match instant.filter(|_| unix_ms > 0) {
        Some(instant) => {
            instant.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
        }
        None => "at no known time".to_owned(),
    }
}

fn document(folder: &Path, listed: &[RunEntry], run_files: usize) -> String {
    let runs = listed.iter().map(|run| RunRow {
        path: run.path.display().to_string(),
        started_unix_ms: run.started_unix_ms,
        command: &run.command,
        complete: run.complete,
        state: &run.state,
        verdict: run.answer.as_ref().ok(),
        unreadable: run.answer.as_ref().err(),
    });
    let (folder, runs) = (folder.display().to_string(), runs.collect());
    report::document_json("list", &ListDocument { folder, run_files, runs })
}
