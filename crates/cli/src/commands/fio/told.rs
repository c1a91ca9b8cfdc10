//! What fio's user is told: messages while a run goes on, jobs that fail, and the result on stdout or in the output file.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use fio::{Asked, FioError, INTERRUPTED, Moment, Results, messages, not_run};
use record::{Sample, StepRecord};
use workload::Nanos;

use session::failure::Failure;
use session::signals::StopFlag;
use session::{files, output};

/// Writes to stdout; the exit code is 1 where that is not possible.
pub fn out(text: &str) -> u8 {
    let written = output::result(text);
    if let Err(failure) = &written {
        output::people(&format!("fio: {failure}"));
    }
    u8::from(written.is_err())
}

/// Says why nothing runs; the exit code.
pub fn refused(error: &FioError) -> u8 {
    out(&error.stdout());
    complain(error, error.hint().as_deref());
    error.exit_code()
}

fn complain(error: &FioError, hint: Option<&str>) {
    output::people(error.to_string().trim_end());
    if let Some(hint) = hint {
        output::people(hint.trim_end());
    }
}

/// Milliseconds since 1970, UTC.
pub fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// What has been told, and what is still to be told.
pub struct Told<'a> {
    /// What the run has brought.
    pub results: Results<'a>,
    began: Instant,
    /// What has gone into the output file already.
    filed: String,
    /// The last hint, which is not given again for each clone.
    hint: Option<String>,
}

impl<'a> Told<'a> {
    /// Nothing yet of what is `asked`.
    pub fn new(asked: &'a Asked) -> Told<'a> {
        let results = Results::new(asked, unix_ms());
        Told { results, began: Instant::now(), filed: String::new(), hint: None }
    }

    /// Text of the normal format that comes before the result: on stdout, unless that goes into a file with it.
    pub fn say(&self, text: &str) {
        let presentation = &self.results.asked.presentation;
        if presentation.is_normal() && presentation.output.is_none() {
            out(text);
        }
    }

    /// `jobs`, by index into those that were asked for, have failed with `error`.
    pub fn failed(&mut self, jobs: impl IntoIterator<Item = usize>, error: &FioError) {
        self.say(&error.stdout());
        let hint = error.hint();
        complain(error, hint.as_deref().filter(|_| hint != self.hint));
        self.hint = hint;
        self.results.failed.extend(jobs.into_iter().map(|job| (job, error.errno())));
    }

    fn moment(&self) -> Moment {
        let elapsed = Nanos(self.began.elapsed().as_nanos() as u64);
        Moment { unix_ms: unix_ms(), elapsed, pid: std::process::id() }
    }

    /// Writes a whole result of everything so far, with the step that runs and the counters of now.
    ///
    /// # Errors
    /// Where stdout or the file takes no more.
    pub fn write_between(&mut self, so_far: (StepRecord, Option<Sample>)) -> Result<(), Failure> {
        let text = self.results.text_with(so_far, self.moment());
        self.write(text)
    }

    fn write(&mut self, text: String) -> Result<(), Failure> {
        let Some(path) = &self.results.asked.presentation.output else {
            return output::result(&text);
        };
        let text = if self.filed.is_empty() { self.results.head_of_file() + &text } else { text };
        // A pipe or a terminal keeps what it was given before.
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return files::write_typed(path, text.as_bytes());
        }
        self.filed.push_str(&text);
        files::write_typed(path, self.filed.as_bytes())
    }

    /// Notes the jobs that a failure or a wish to stop has kept from running.
    pub fn note_not_run(&mut self) {
        let missing = not_run(&self.results.presented(self.moment()));
        self.results.notes.extend(missing);
    }

    /// Tells the result; the exit code is fio's.
    pub fn present(mut self, stop: &StopFlag) -> u8 {
        let at = self.moment();
        let presented = self.results.presented(at);
        let (to_stdout, to_stderr) = messages(&presented);
        let exit_code = presented.exit_code();
        let (stopped, interrupted) = INTERRUPTED;
        self.say(if stop.raised() && !stop.gave_up() { stopped } else { "" });
        self.say(&to_stdout);
        if !to_stderr.is_empty() {
            output::people(to_stderr.trim_end());
        }
        let text = self.results.text(at);
        match self.write(text) {
            Err(failure) => {
                output::people(&format!("fio: {failure}"));
                1
            }
            Ok(()) if stop.gave_up() => exit_code.max(1),
            Ok(()) if stop.raised() => interrupted,
            Ok(()) => exit_code,
        }
    }
}
