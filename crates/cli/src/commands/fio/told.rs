//! Output of `plimsoll fio`: messages during a run, failed jobs, and the result on stdout or in the output file.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use fio::{Clock, Disk, FioError, FioReport, FioRequest, INTERRUPTED, messages, not_run, opening};
use record::{Sample, StepRecord};
use workload::Nanos;

use session::failure::Failure;
use session::files::Output;
use session::output;
use session::signals::StopFlag;

/// Writes to stdout; returns the exit code, 1 if that failed.
pub fn out(text: &str) -> u8 {
    let written = output::result(text);
    if let Err(failure) = &written {
        output::people(&format!("fio: {failure}"));
    }
    u8::from(written.is_err())
}

/// Reports why nothing runs; returns the exit code.
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

/// Returns milliseconds since 1970, UTC.
pub fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// The results of a run so far, and what has been printed of them.
pub(crate) struct FioOutput<'a> {
    /// The report from which results are printed.
    pub presented: FioReport<'a>,
    /// Counters before the first and after the last step.
    pub samples: Vec<Sample>,
    /// The disks under the files.
    pub disks: Vec<Disk>,
    /// The output file, if the result does not go to stdout.
    output: Option<Output<'static>>,
    began: Instant,
    /// Text already written to the output file.
    filed: String,
    /// The latest hint, which is not repeated for each clone of a job.
    hint: Option<String>,
}

impl<'a> FioOutput<'a> {
    /// Begins a run of `asked`, without results, that writes to `output`.
    pub fn new(asked: &'a FioRequest, output: Option<Output<'static>>) -> FioOutput<'a> {
        FioOutput {
            presented: FioReport::begun(asked, unix_ms()),
            samples: Vec::new(),
            disks: Vec::new(),
            output,
            began: Instant::now(),
            filed: String::new(),
            hint: None,
        }
    }

    /// Prints text that precedes the result in the normal format: to stdout, and not at all if the result goes into a file.
    pub fn say(&self, text: &str) {
        let presentation = &self.presented.asked.presentation;
        if presentation.is_normal() && presentation.output.is_none() {
            out(text);
        }
    }

    /// Records that `jobs`, by index into those asked for, have failed with `error`.
    pub fn failed(&mut self, jobs: impl IntoIterator<Item = usize>, error: &FioError) {
        self.say(&error.stdout());
        let hint = error.hint();
        complain(error, hint.as_deref().filter(|_| hint != self.hint));
        self.hint = hint;
        self.presented.failed.extend(jobs.into_iter().map(|job| (job, error.errno())));
    }

    /// Updates clock, elapsed time and disk statistics before results are printed.
    fn refresh(&mut self) {
        self.presented.clock = Clock::local(unix_ms());
        self.presented.elapsed = Nanos(self.began.elapsed().as_nanos() as u64);
        self.presented.disks = self.disks.iter().filter_map(|disk| disk.use_in(&self.samples)).collect();
    }

    /// Writes a complete result of everything so far, including the running step and the current counters.
    ///
    /// # Errors
    /// Stdout or the file cannot be written.
    pub fn write_between(&mut self, running: StepRecord, sample: Option<Sample>) -> Result<(), Failure> {
        let samples = self.samples.len();
        self.presented.steps.push(running);
        self.samples.extend(sample);
        self.refresh();
        let written = self.write();
        self.presented.steps.pop();
        self.samples.truncate(samples);
        written
    }

    fn write(&mut self) -> Result<(), Failure> {
        let (asked, mut text) = (self.presented.asked, self.presented.text());
        let Some(output) = &mut self.output else {
            return output::result(&text);
        };
        if asked.presentation.is_normal() && self.filed.is_empty() {
            text.insert_str(0, &opening(asked));
        }
        self.filed.push_str(&text);
        // A pipe or a terminal has kept the earlier output.
        let new = if output.is_stream() { &text } else { &self.filed };
        Ok(output.write(new.as_bytes())?)
    }

    /// Notes the jobs that did not run because of a failure or a stop.
    pub fn note_not_run(&mut self) {
        self.presented.notes.extend(not_run(&self.presented));
    }

    /// Prints the result; returns fio's exit code.
    pub fn present(mut self, stop: &StopFlag) -> u8 {
        self.refresh();
        let (to_stdout, to_stderr) = messages(&self.presented);
        let exit_code = self.presented.exit_code();
        let (stopped, interrupted) = INTERRUPTED;
        self.say(if stop.raised() && !stop.gave_up() { stopped } else { "" });
        self.say(&to_stdout);
        if !to_stderr.is_empty() {
            output::people(to_stderr.trim_end());
        }
        let format = &self.presented.asked.presentation;
        if !format.is_normal() && format.json().is_none() {
            // Terse lines have no place for notes.
            self.presented.notes().iter().for_each(|note| output::people(&format!("note: {note}")));
        }
        match self.write() {
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
