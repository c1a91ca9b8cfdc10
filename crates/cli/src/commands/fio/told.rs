//! What fio's user is told: messages while a run goes on, jobs that fail, and the result on stdout or in the output file.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use fio::{Asked, Clock, Disk, FioError, INTERRUPTED, Presented, messages, not_run, opening};
use record::{Sample, StepRecord};
use workload::Nanos;

use session::failure::Failure;
use session::files::Output;
use session::output;
use session::signals::StopFlag;

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

/// What a run has brought so far, and what has been told of it.
pub struct Told<'a> {
    /// What results are printed from.
    pub presented: Presented<'a>,
    /// Counters before the first and after the last step.
    pub samples: Vec<Sample>,
    /// The disks under the files.
    pub disks: Vec<Disk>,
    /// Where the result goes, if not to stdout.
    output: Option<Output<'static>>,
    began: Instant,
    /// What has gone into the output file already.
    filed: String,
    /// The last hint, which is not given again for each clone.
    hint: Option<String>,
}

impl<'a> Told<'a> {
    /// Nothing yet of what is `asked`, with its place.
    pub fn new(asked: &'a Asked, output: Option<Output<'static>>) -> Told<'a> {
        Told {
            presented: Presented::begun(asked, unix_ms()),
            samples: Vec::new(),
            disks: Vec::new(),
            output,
            began: Instant::now(),
            filed: String::new(),
            hint: None,
        }
    }

    /// Text of the normal format that comes before the result: on stdout, unless that goes into a file with it.
    pub fn say(&self, text: &str) {
        let presentation = &self.presented.asked.presentation;
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
        self.presented.failed.extend(jobs.into_iter().map(|job| (job, error.errno())));
    }

    /// What is printed now is of now.
    fn refresh(&mut self) {
        self.presented.clock = Clock::local(unix_ms());
        self.presented.elapsed = Nanos(self.began.elapsed().as_nanos() as u64);
        self.presented.disks = self.disks.iter().filter_map(|disk| disk.use_in(&self.samples)).collect();
    }

    /// Writes a whole result of everything so far, with the step that runs and the counters of now.
    ///
    /// # Errors
    /// Where stdout or the file takes no more.
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
        // A pipe or a terminal keeps what it was given before.
        let new = if output.is_stream() { &text } else { &self.filed };
        Ok(output.write(new.as_bytes())?)
    }

    /// Notes the jobs that a failure or a wish to stop has kept from running.
    pub fn note_not_run(&mut self) {
        self.presented.notes.extend(not_run(&self.presented));
    }

    /// Tells the result; the exit code is fio's.
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
