//! How a witness ended, and what that means for all of them.

use std::fmt;
use std::panic::catch_unwind;
use std::process::ExitCode;

use testbed::{Lack, RunDelay, skips_so_far};

/// Of the time that a witness took, its threads may have waited this share for a processor, all together, before a failure of it
/// proves nothing. Measured on two cores, of all witnesses: at most 0.05 on an idle machine, at least 0.3 beside two programs
/// that spin, but for those that do nothing but wait.
const DELAYED: f64 = 0.15;

/// So many must have been judged.
const JUDGED_LEAST: usize = 10;

/// How one ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    Passed,
    Failed {
        /// The run delay of its threads as a share of its time.
        delayed: f64,
    },
    /// It did not hold, and others had the processors.
    NotJudged {
        delayed: f64,
    },
    /// This machine lacks what it needs.
    Skipped,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |delayed: f64| delayed * 100.0;
        match *self {
            Outcome::Passed => write!(f, "passed"),
            Outcome::Failed { delayed } => {
                write!(f, "FAILED; its threads waited {:.0} % of the time for a processor", percent(delayed))
            }
            Outcome::NotJudged { delayed } => write!(
                f,
                "not judged: it did not hold, and others had the processors (its threads waited {:.0} % of the time)",
                percent(delayed)
            ),
            Outcome::Skipped => write!(f, "skipped"),
        }
    }
}

/// Runs a witness to its end, on a thread with its name.
pub fn tried(name: &str, run: fn()) -> Outcome {
    let (before, delay) = (skips_so_far().len(), RunDelay::watch());
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || catch_unwind(run).is_ok());
    let held = thread.unwrap().join().unwrap_or(false);
    let lacking = skips_so_far().split_off(before);
    outcome(held, &lacking, delay.share())
}

fn outcome(held: bool, lacking: &[Lack], delayed: f64) -> Outcome {
    match held {
        _ if lacking.contains(&Lack::Cpu) => Outcome::NotJudged { delayed },
        false if delayed > DELAYED => Outcome::NotJudged { delayed },
        false => Outcome::Failed { delayed },
        true if !lacking.is_empty() => Outcome::Skipped,
        true => Outcome::Passed,
    }
}

/// How all of them ended.
#[derive(Default)]
pub struct Tally {
    passed: usize,
    failed: usize,
    not_judged: usize,
    skipped: usize,
}

impl Tally {
    pub fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed { .. } => self.failed += 1,
            Outcome::NotJudged { .. } => self.not_judged += 1,
            Outcome::Skipped => self.skipped += 1,
        }
    }

    /// Success where none failed and enough were judged. What a machine lacks is excused, but not in continuous integration.
    pub fn verdict(&self) -> ExitCode {
        let excused = if std::env::var_os("CI").is_some() { 0 } else { self.skipped };
        if self.passed + self.failed + excused < JUDGED_LEAST {
            println!(
                "fewer than {JUDGED_LEAST} were judged: nothing is proved; run them on a calmer machine"
            );
            return ExitCode::FAILURE;
        }
        self.verdict_of_some()
    }

    /// Success where none failed.
    pub fn verdict_of_some(&self) -> ExitCode {
        if self.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed", self.passed)?;
        for (count, what) in
            [(self.failed, "failed"), (self.not_judged, "not judged"), (self.skipped, "skipped")]
        {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}
