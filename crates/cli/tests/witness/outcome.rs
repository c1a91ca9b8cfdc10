//! How a witness ended, and what that means for all of them.

use std::fmt;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use testbed::{Lack, Neighbours, RunDelay, skips_so_far};

/// Share of its time for which the threads of a witness must have waited, added up, before a failure proves nothing,
/// provided that other programs used the processors ([`Neighbours`]). Measured on two cores: beside two programs that
/// spin, the witness that does least work waited 0.03 of its time, the others 0.03 to 2.4. Without other programs
/// they wait for each other (0.002 to 0.09, and 1.8 with a browser), which is why waiting alone excuses nothing.
const DELAYED: f64 = 0.02;

/// Least number of witnesses that must have been judged.
const JUDGED_LEAST: usize = 10;

/// How a witness ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// It did not hold, and other programs used the processors.
    NotJudged,
    /// This machine lacks what it needs.
    Skipped,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "FAILED",
            Outcome::NotJudged => "not judged: it did not hold, and others had the processors",
            Outcome::Skipped => "skipped",
        })
    }
}

/// A witness that has ended.
pub struct WitnessResult {
    pub outcome: Outcome,
    /// The run delay of its threads as a share of its time.
    delayed: f64,
    took: Duration,
}

impl fmt::Display for WitnessResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, percent) = (self.took.as_secs_f64(), self.delayed * 100.0);
        write!(
            f,
            "{} ({seconds:.1} s, of which its threads waited {percent:.1} % for a processor)",
            self.outcome
        )
    }
}

/// Runs a witness to its end, on a thread with its name.
pub fn tried(name: &str, run: fn()) -> WitnessResult {
    let (begun, before) = (Instant::now(), skips_so_far().len());
    let (neighbours, delay) = (Neighbours::watch(), RunDelay::watch());
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || catch_unwind(run).is_ok());
    let held = thread.unwrap().join().unwrap_or(false);
    let lacking = skips_so_far().split_off(before);
    let delayed = delay.share();
    let starved = neighbours.were_busy() && delayed >= DELAYED;
    WitnessResult { outcome: outcome(held, &lacking, starved), delayed, took: begun.elapsed() }
}

/// Returns the outcome; `starved` if other programs used the processors and the witness's threads waited for them.
fn outcome(held: bool, lacking: &[Lack], starved: bool) -> Outcome {
    match held {
        _ if lacking.contains(&Lack::Cpu) => Outcome::NotJudged,
        false if starved => Outcome::NotJudged,
        false => Outcome::Failed,
        true if !lacking.is_empty() => Outcome::Skipped,
        true => Outcome::Passed,
    }
}

/// How many witnesses ended in each way.
#[derive(Default)]
pub struct Tally {
    passed: usize,
    failed: usize,
    not_judged: usize,
    skipped: usize,
}

impl Tally {
    pub fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::NotJudged => self.not_judged += 1,
            Outcome::Skipped => self.skipped += 1,
        }
    }

    /// Returns success if none failed and enough were judged. What a machine lacks is excused, except in continuous
    /// integration.
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

    /// Returns success if none failed.
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
