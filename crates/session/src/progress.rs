//! `--progress`: the progress of a command, for people or for programs. Programs get a JSON object on each line, on
//! stderr or in a file. On stderr, messages for people become such objects too, so that a program reads nothing else
//! there.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use kernel::OutletError;
use report::{ProgressEvent, Stamp};

use crate::failure::Failure;
use crate::files;

/// Form and destination of progress, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Overwritten lines on a terminal, plain lines elsewhere.
    #[default]
    Fitting,
    /// A line for each step, everywhere.
    Plain,
    /// JSON on stderr.
    Json,
    /// JSON to this path, which may be a pipe or descriptor; stderr stays for people.
    JsonIn(PathBuf),
}

impl Form {
    /// Reads `auto`, `plain`, `json` or `json:FILE`.
    ///
    /// # Errors
    /// The accepted forms, for any other word.
    pub fn parse(word: &str) -> Result<Form, String> {
        match word.split_once(':') {
            None if word == "auto" => Ok(Form::Fitting),
            None if word == "plain" => Ok(Form::Plain),
            None if word == "json" => Ok(Form::Json),
            Some(("json", path)) if !path.is_empty() => Ok(Form::JsonIn(PathBuf::from(path))),
            _ => Err("write auto, plain, json or json:FILE (json:/dev/fd/3 for a descriptor)".to_owned()),
        }
    }
}

/// Destination of JSON lines.
enum Sink {
    Stderr,
    File(File),
}

struct ProgressChannel {
    form: Form,
    begun: Instant,
    sink: Option<Mutex<Sink>>,
    /// Error of the first line that was lost although a reader was there.
    lost: OnceLock<std::io::Error>,
    runs: AtomicUsize,
}

/// The channel of this process; set once, before anything is printed.
static TOLD: OnceLock<ProgressChannel> = OnceLock::new();

/// Sets the destination of this process's progress. Must be called once, before anything is printed.
///
/// # Errors
/// The file cannot be written, or is no plimsoll progress file.
pub fn begin(form: &Form) -> Result<(), Failure> {
    let sink = match form {
        Form::Fitting | Form::Plain => None,
        Form::Json => Some(Sink::Stderr),
        Form::JsonIn(path) => Some(Sink::File(opened(path)?)),
    };
    let told = ProgressChannel {
        form: form.clone(),
        begun: Instant::now(),
        sink: sink.map(Mutex::new),
        lost: OnceLock::new(),
        runs: AtomicUsize::new(0),
    };
    // A second call would be a bug; the first form remains in force.
    let _ = TOLD.set(told);
    Ok(())
}

fn opened(path: &Path) -> Result<File, Failure> {
    files::begin_typed(path, "{\"schema\":\"plimsoll-progress\"").map_err(|error| {
        let why = match &error {
            OutletError::System(error) if error.kind() == ErrorKind::AlreadyExists => {
                "is there already and no progress of plimsoll's".to_owned()
            }
            _ => format!("cannot be written: {error}"),
        };
        Failure::refused(format!("--progress json:{}: {why}; name another place", path.display()))
    })
}

/// The form that was asked for.
pub(crate) fn form() -> &'static Form {
    TOLD.get().map_or(&Form::Fitting, |told| &told.form)
}

/// Writes a message for people as JSON if a program reads stderr; returns whether it did.
pub(crate) fn takes_words(text: &str) -> bool {
    let is_ours = *form() == Form::Json;
    if is_ours {
        tell("message", Stamp::default(), ProgressEvent::Message { text });
    }
    is_ours
}

/// Reports that the command is over, with this exit code. If the progress file lacks lines, reports that on stderr.
pub fn ended(code: u8) {
    tell("ended", Stamp { left_s: Some(0.0), ..Stamp::default() }, ProgressEvent::Ended { exit_code: code });
    if let Some(ProgressChannel { form: Form::JsonIn(path), lost, .. }) = TOLD.get()
        && let Some(error) = lost.get()
    {
        let path = path.display();
        crate::output::people(&format!("--progress json:{path}: lines are missing from it: {error}"));
    }
}

/// Writes a line. If the reader of a pipe is gone, there is nobody left to tell.
pub(crate) fn tell(event: &str, stamp: Stamp, fields: ProgressEvent<'_>) {
    let Some(told) = TOLD.get() else { return };
    let Some(sink) = &told.sink else { return };
    let stamp = Stamp { elapsed_s: told.begun.elapsed().as_secs_f64(), ..stamp };
    let line = report::progress_line(event, stamp, fields) + "\n";
    // A line is written whole, whatever happened to an earlier writer.
    let mut sink = sink.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let written = match &mut *sink {
        Sink::Stderr => std::io::stderr().lock().write_all(line.as_bytes()),
        Sink::File(file) => file.write_all(line.as_bytes()),
    };
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        // Only the first error is kept.
        let _ = told.lost.set(error);
    }
}

/// Reports the events of one run.
#[derive(Debug)]
pub(crate) struct Teller {
    run: usize,
    /// Number of steps that the run will have, if known.
    steps: Option<usize>,
    step: Cell<usize>,
    name: RefCell<String>,
}

impl Teller {
    /// Returns the reporter of the next run of this process, given its number of steps; `None` if no program
    /// listens.
    pub(crate) fn of_next_run(steps: Option<usize>) -> Option<Teller> {
        let told = TOLD.get().filter(|told| told.sink.is_some())?;
        let run = told.runs.fetch_add(1, Ordering::Relaxed) + 1;
        Some(Teller { run, steps, step: Cell::new(0), name: RefCell::default() })
    }

    /// Records that the next step begins.
    pub(crate) fn step(&self, name: &str) {
        self.step.set(self.step.get() + 1);
        self.name.replace(name.to_owned());
    }

    /// Number of steps that the run will have, if known.
    pub(crate) fn steps(&self) -> Option<usize> {
        self.steps
    }

    /// Name of the step that runs.
    pub(crate) fn name(&self) -> String {
        self.name.borrow().clone()
    }

    /// Reports an event of the run, with the seconds left of it.
    pub(crate) fn tell(&self, event: &str, left_s: Option<f64>, fields: ProgressEvent<'_>) {
        let step = Some(self.step.get()).filter(|&step| step > 0);
        tell(event, Stamp { left_s, run: Some(self.run), step, elapsed_s: 0.0 }, fields);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_are_read_and_another_word_is_refused() {
        assert_eq!(Form::parse("auto"), Ok(Form::Fitting));
        assert_eq!(Form::parse("json"), Ok(Form::Json));
        assert_eq!(Form::parse("json:/dev/fd/3"), Ok(Form::JsonIn("/dev/fd/3".into())));
        for word in ["", "json:", "jsn", "plain:x"] {
            assert!(Form::parse(word).is_err_and(|why| why.contains("json:FILE")), "{word}");
        }
    }
}
