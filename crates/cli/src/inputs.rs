//! What a recording is read from: run files, what other tools printed, and folders of iostat's JSON.

use std::io::Read;
use std::path::{Path, PathBuf};

use import::Input;
use record::{Event, EventKind, Run};

use session::failure::Failure;
use session::output;

/// A run and where it was read from.
pub struct Recorded {
    /// The file.
    pub path: PathBuf,
    /// Which of the runs in that file, from 0.
    pub which: usize,
    /// The run.
    pub run: Run,
}

/// Everything that was read, and how many of the named inputs were not.
pub struct Inputs {
    /// In the order in which they were named, those of a folder by their names.
    pub runs: Vec<Recorded>,
    /// Inputs that were named one by one and could not be read, which people were told.
    pub unread: usize,
}

/// Reads every input: a run file, what another tool printed, or a folder's `*.json` of iostat. What cannot be read is told
/// and passed over.
///
/// # Errors
/// The first input's own words where nothing at all could be read.
pub fn read(paths: &[PathBuf]) -> Result<Inputs, Failure> {
    let mut inputs = Inputs { runs: Vec::new(), unread: 0 };
    let mut failures = Vec::new();
    for path in paths {
        let read = if path.is_dir() { folder(path) } else { file(path) };
        match read {
            Ok(runs) => inputs.runs.extend(runs),
            Err(failure) => failures.push(failure),
        }
    }
    inputs.unread = failures.len();
    if inputs.runs.is_empty() && !failures.is_empty() {
        let first = failures.remove(0);
        failures.iter().for_each(|failure| passed_over(&failure.message));
        return Err(first);
    }
    failures.iter().for_each(|failure| passed_over(&failure.message));
    Ok(inputs)
}

fn told(words: &str) {
    output::people(report::wrap("plimsoll: ", words).trim_end());
}

fn passed_over(message: &str) {
    output::people(report::wrap("passed over: ", message).trim_end());
}

/// The files of a folder that are iostat's JSON; other `*.json` are named and passed over.
fn folder(folder: &Path) -> Result<Vec<Recorded>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Failure::refused(format!("{}: cannot be listed: {error}; name the files", folder.display()))
    })?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json")));
    files.sort();
    if files.is_empty() {
        return Err(Failure::refused(format!(
            "{}: no *.json in this folder; name a folder with iostat's JSON (iostat -x -t -o JSON 10 30 > FILE.json), or \
             the files themselves",
            folder.display()
        )));
    }
    let mut runs = Vec::new();
    for path in &files {
        match file(path) {
            Ok(read) if read.iter().all(|read| read.run.observed.is_some()) => runs.extend(read),
            Ok(_) => passed_over(&format!(
                "{}: the result of another tool than iostat; name it by itself to draw it",
                path.display()
            )),
            Err(failure) => passed_over(&failure.message),
        }
    }
    if runs.is_empty() {
        let text = format!("{}: no *.json in it is iostat's; name the files that are", folder.display());
        return Err(Failure::refused(text));
    }
    Ok(runs)
}

/// A run file, or what another tool printed.
fn file(path: &Path) -> Result<Vec<Recorded>, Failure> {
    let recorded = |runs: Vec<Run>| {
        let each = runs.into_iter().enumerate();
        each.map(|(which, run)| Recorded { path: path.to_owned(), which, run }).collect()
    };
    // What is no plain file (nothing there, a pipe) has its words in the reader of run files.
    let bytes = match std::fs::metadata(path) {
        Ok(about) if about.is_file() && !is_database(path) => std::fs::read(path).unwrap_or_default(),
        _ => Vec::new(),
    };
    if bytes.is_empty() {
        return run_file(path).map(|run| recorded(vec![run]));
    }
    imported(path, &bytes).map(recorded)
}

/// By its first bytes: the run file of a day is some hundred megabytes, which SQLite reads by itself.
fn is_database(path: &Path) -> bool {
    let mut head = [0; 15];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"SQLite format 3"
}

/// A run file, or what can be read of one that is damaged: what was lost is told, and noted as an event of the run, so
/// that its page tells it too.
fn run_file(path: &Path) -> Result<Run, Failure> {
    let (mut run, troubles) = runfile::read_what_can_be(path).map_err(Failure::refused)?;
    let sampled = run.samples.last().map(|sample| sample.at);
    let end = run.steps.iter().map(|step| step.ended).chain(sampled).max().unwrap_or_default();
    for trouble in &troubles {
        let text = trouble.to_string();
        told(&text);
        run.events.push(Event { at: end, kind: EventKind::Warning, text });
    }
    if !troubles.is_empty() {
        output::people(
            report::wrap("plimsoll: ", &format!("{}: the rest was read", path.display())).trim_end(),
        );
    }
    Ok(run)
}

/// What another tool printed; places that could not be read are told, and what stands around them counts.
fn imported(path: &Path, bytes: &[u8]) -> Result<Vec<Run>, Failure> {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let name = path.display().to_string();
    let import = import::read(Input { name: &name, bytes }, &words)
        .map_err(|error| Failure::refused(format!("{name} is no run file of plimsoll, and {error}")))?;
    let say =
        |words: &str| output::people(report::wrap("plimsoll: ", &format!("{name}: {words}")).trim_end());
    import.notes.iter().for_each(|note| say(note));
    import.troubles.iter().for_each(|trouble| say(&trouble.to_string()));
    if !import.troubles.is_empty() {
        say("the rest was read");
    }
    Ok(import.runs)
}
