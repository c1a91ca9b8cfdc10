//! The measuring process of a member: plimsoll's ordinary command, whose progress is read from its stderr as JSON and
//! whose steps begin when its stdin says so.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use serde::Deserialize;
use workload::Nanos;

/// Environment of this process that tells MPI who it is: a program that we start is nobody.
const LAUNCHERS: [&str; 4] = ["PMI_FD", "PMI_RANK", "PMI_SIZE", "HYDI_CONTROL_FD"];

/// Something that the measuring process says.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuringEvent {
    /// The run file exists, and has this path.
    File(String),
    /// This step is ready to begin.
    Ready(String),
    /// Operations per second of the last interval.
    Interval(f64),
    /// A step has ended with this rate, operations per second.
    StepEnded(String, f64),
    /// A message for people.
    Said(String),
    /// A line that is no progress: the last words of a process that could not begin, or was ended by a bug.
    Line(String),
}

/// A line of progress, as far as it matters here.
#[derive(Deserialize)]
struct Line {
    event: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    iops: Option<f64>,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    totals: Totals,
    #[serde(default)]
    text: String,
    #[serde(default)]
    run_file: String,
}

/// What a step has done, without its flushes.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Totals {
    read: Count,
    write: Count,
    trim: Count,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Count {
    ops: u64,
}

impl Line {
    /// Returns the rate of a step that has ended, operations per second.
    fn rate(&self) -> f64 {
        let Totals { read, write, trim } = &self.totals;
        let ops = read.ops + write.ops + trim.ops;
        if self.seconds > 0.0 { ops as f64 / self.seconds } else { 0.0 }
    }
}

impl MeasuringEvent {
    /// Reads a line of the process's stderr; `None` if it does not matter.
    pub fn read(line: &str) -> Option<MeasuringEvent> {
        let Ok(line) = serde_json::from_str::<Line>(line) else {
            return Some(MeasuringEvent::Line(line.trim().to_owned())).filter(|_| !line.trim().is_empty());
        };
        match line.event.as_str() {
            "run_started" => Some(MeasuringEvent::File(line.run_file)),
            "ready" => Some(MeasuringEvent::Ready(line.name)),
            "interval" => Some(MeasuringEvent::Interval(line.iops.unwrap_or(0.0))),
            "step_ended" => {
                let rate = line.rate();
                Some(MeasuringEvent::StepEnded(line.name, rate))
            }
            "message" => Some(MeasuringEvent::Said(line.text)),
            _ => None,
        }
    }
}

/// A measuring process. Its stdin is held open for as long as it shall go on: it stops by itself if this process dies.
#[derive(Debug)]
pub struct Measuring {
    child: Child,
    to: Option<ChildStdin>,
    events: Receiver<MeasuringEvent>,
}

impl Measuring {
    /// Starts plimsoll with these words.
    ///
    /// # Errors
    /// The process cannot be started.
    pub fn start(words: &[String]) -> std::io::Result<Measuring> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(words).args(["--progress", "json", "--start-at", "-"]);
        LAUNCHERS.iter().for_each(|name| {
            command.env_remove(name);
        });
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // A signal from the terminal or the launcher is for this process, which passes it on.
        command.process_group(0);
        let mut child = command.spawn()?;
        let to = child.stdin.take();
        let (into, events) = channel();
        if let Some(stderr) = child.stderr.take() {
            std::thread::spawn(move || {
                let lines = BufReader::new(stderr).lines().map_while(Result::ok);
                for event in lines.filter_map(|line| MeasuringEvent::read(&line)) {
                    if into.send(event).is_err() {
                        return;
                    }
                }
            });
        }
        Ok(Measuring { child, to, events })
    }

    /// Returns what the process said next; `None` if nothing yet; an error once it can say no more.
    ///
    /// # Errors
    /// The process has closed its stderr.
    pub fn next(&self) -> Result<Option<MeasuringEvent>, TryRecvError> {
        match self.events.try_recv() {
            Ok(event) => Ok(Some(event)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(gone) => Err(gone),
        }
    }

    /// Lets the step that is ready begin at this time since 1970.
    pub fn go(&mut self, at: Nanos) {
        let line = format!("@{}.{:09}\n", at.0 / 1_000_000_000, at.0 % 1_000_000_000);
        // A process that has ended is noticed by its end.
        if let Some(to) = &mut self.to {
            let _ = to.write_all(line.as_bytes()).and_then(|()| to.flush());
        }
    }

    /// Asks the process to stop, with what is known by then.
    pub fn stop(&mut self) {
        self.to = None;
    }

    /// Returns the exit code if the process has ended: `Some(None)` if a signal ended it.
    pub fn ended(&mut self) -> Option<Option<i32>> {
        self.child.try_wait().ok().flatten().map(|status| status.code())
    }

    /// Ends the process at once.
    pub fn kill(&mut self) {
        // Already gone, or held by the kernel: either way nothing more can be done.
        let _ = self.child.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_progress_that_matter_are_read_and_other_words_are_messages() {
        let read = MeasuringEvent::read;
        let ready =
            r#"{"event":"ready","elapsed_s":0.1,"left_s":null,"run":null,"step":null,"name":"mixed"}"#;
        assert_eq!(read(ready), Some(MeasuringEvent::Ready("mixed".to_owned())));
        let ended = r#"{"event":"step_ended","name":"mixed","seconds":2.0,"totals":{"read":{"ops":10},"flush":{"ops":5}}}"#;
        assert_eq!(read(ended), Some(MeasuringEvent::StepEnded("mixed".to_owned(), 5.0)));
        let nothing = r#"{"event":"step_ended","name":"mixed","iops":null}"#;
        assert_eq!(read(nothing), Some(MeasuringEvent::StepEnded("mixed".to_owned(), 0.0)));
        assert_eq!(read(r#"{"event":"device","name":"sda"}"#), None);
        let panic = "thread 'main' panicked at a.rs:1:2:";
        assert_eq!(read(panic), Some(MeasuringEvent::Line(panic.to_owned())));
        assert_eq!(read(" "), None);
    }
}
