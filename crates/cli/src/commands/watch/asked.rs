//! The command line of a watch, parsed and checked for contradictions.

use std::path::PathBuf;

use crate::commands::own;
use experiments::{Cycles, PlannedPhase, scales};
use session::failure::Failure;
use session::run::Against;
use session::signals::StopFlag;
use session::watch::{DeviceWish, Subject};
use workload::{Bytes, Expectation, Nanos, Target};

use super::arguments::WatchArguments;

/// Shortest time between two samples: a reading costs some tens of microseconds, and the kernel's own times have a
/// resolution of milliseconds.
const EVERY_LEAST: Nanos = Nanos::from_millis(50);
/// The parsed command line of a watch.
#[derive(Debug)]
pub struct WatchCommand {
    /// Time between two samples.
    pub every: Nanos,
    /// Activity during the watch.
    pub subject: Subject,
    /// The load of load cycles.
    pub load: Option<AskedLoad>,
    /// Policy and claims that the result is compared with.
    pub against: Against,
    /// Which devices are watched.
    pub devices: DeviceWish,
}

/// The load of load cycles.
#[derive(Debug)]
pub struct AskedLoad {
    /// The load, as typed.
    pub word: String,
    /// Text to use in place of the file's, if a part of the file was read elsewhere.
    pub text: Option<String>,
    /// Target of the load, as typed and as parsed; `None` for the files that the job names.
    pub on: Option<(String, Target)>,
    /// Whether the load is scaled.
    pub scaled: bool,
    /// Length of a phase.
    pub cycle: Nanos,
    /// Bytes to lay out and load.
    pub size: Option<Bytes>,
    /// The block device that may be destroyed.
    pub allow_destroy: Option<PathBuf>,
}

impl WatchCommand {
    /// Reads the command line.
    ///
    /// # Errors
    /// Wrong usage, with a correction.
    pub fn read(arguments: &WatchArguments) -> Result<WatchCommand, Failure> {
        one_subject(arguments)?;
        let every = every(arguments)?;
        let (subject, load) = match &arguments.load {
            Some(word) => cycles(arguments, word, every).map(|(subject, load)| (subject, Some(load)))?,
            None => (without_load(arguments, every)?, None),
        };
        let devices = DeviceWish {
            named: arguments.device.clone(),
            excluded: arguments.exclude.clone(),
            described: arguments.describe.clone(),
        };
        Ok(WatchCommand { every, subject, load, against: against(arguments)?, devices })
    }

    /// Returns the stop flag. If a command runs, no signal raises the flag: signals go to the command, whose end ends
    /// the watch.
    pub fn stop_flag(&self, patience: Nanos) -> StopFlag {
        match self.subject {
            Subject::Command { .. } => StopFlag::default(),
            Subject::Alone(_) | Subject::Cycles(_) => StopFlag::on_signals(patience),
        }
    }

    /// Returns the phases of load cycles.
    pub fn phases(&self) -> &[PlannedPhase] {
        match &self.subject {
            Subject::Cycles(phases) => phases,
            Subject::Alone(_) | Subject::Command { .. } => &[],
        }
    }
}

/// Reads the time between two samples.
fn every(arguments: &WatchArguments) -> Result<Nanos, Failure> {
    let every = span("--every", &arguments.every)?;
    if every < EVERY_LEAST {
        let words = &arguments.every;
        let text = "the kernel's counters say nothing over so short a time; say 50ms or more";
        return Err(Failure::refused(format!("--every {words}: {text}")));
    }
    Ok(every)
}

/// Checks that a watch has one subject (time alone, a command, or load cycles), and no options of another.
fn one_subject(arguments: &WatchArguments) -> Result<(), Failure> {
    let (load, command) = (arguments.load.is_some(), !arguments.command.is_empty());
    let (length, expect) = (arguments.length.is_some(), arguments.expect.is_some());
    let ends_in_nothing = std::env::args_os().next_back().is_some_and(|last| last == "--");
    let contradictions = [
        (
            ends_in_nothing && !command,
            "-- without a command: write the command after it, as in plimsoll watch -- ./app",
        ),
        (
            load && command,
            "--load and a command: a watch runs load cycles or a command, not both; leave one out",
        ),
        (
            load && length,
            "--for with --load: load cycles last as long as --cycle and --repeat say; leave --for out",
        ),
        (
            expect && arguments.policy.is_some(),
            "--expect and --policy: a watch is held against one of them; leave the other out",
        ),
    ];
    if let Some((_, text)) = contradictions.iter().find(|(is_so, _)| *is_so) {
        return Err(Failure::refused(text));
    }
    let of_load = [
        ("--on", arguments.on.is_some()),
        ("--cycle", arguments.cycle.is_some()),
        ("--repeat", arguments.repeat.is_some()),
        ("--scale", arguments.scale.is_some()),
        ("--size", arguments.size.is_some()),
        ("--allow-destroy", arguments.allow_destroy.is_some()),
        ("--busy", arguments.busy),
    ];
    match of_load.iter().find(|(_, given)| *given && !load) {
        Some((option, _)) => Err(Failure::refused(format!(
            "{option} without --load: there is no load that it could be said of; name one, as in --load job.fio"
        ))),
        None => Ok(()),
    }
}

fn span(option: &str, words: &str) -> Result<Nanos, Failure> {
    workload::duration(words).map_err(|error| Failure::refused(format!("{option} {words}: {error}")))
}

fn without_load(arguments: &WatchArguments, every: Nanos) -> Result<Subject, Failure> {
    let length = arguments.length.as_deref().map(|words| span("--for", words)).transpose()?;
    if !arguments.command.is_empty() {
        return Ok(Subject::Command { words: arguments.command.clone(), at_most: length });
    }
    let (Some(words), Some(length)) = (&arguments.length, length) else { return Ok(Subject::Alone(None)) };
    if length < every {
        let every = &arguments.every;
        let text =
            format!("--for {words}: too short for samples every {every}; watch longer, or sample more often");
        return Err(Failure::refused(text));
    }
    Ok(Subject::Alone(Some(length)))
}

fn cycles(arguments: &WatchArguments, word: &str, every: Nanos) -> Result<(Subject, AskedLoad), Failure> {
    let cycle = arguments.cycle.as_deref().map(|words| span("--cycle", words)).transpose()?;
    let scales = arguments.scale.as_deref().map(scales).transpose().map_err(Failure::refused)?;
    let on = arguments.on.as_deref().map(|typed| own::target(typed).map(|target| (typed.to_owned(), target)));
    let size = arguments.size.as_deref().map(workload::size).transpose().map_err(Failure::refused)?;
    let scaled = scales.is_some();
    let cycles = Cycles::said(cycle, arguments.repeat, scales);
    let load = AskedLoad {
        word: word.to_owned(),
        text: None,
        on: on
            .transpose()
            .map_err(|error| Failure { message: format!("--on: {}", error.message), ..error })?,
        scaled,
        cycle: cycles.cycle,
        size,
        allow_destroy: arguments.allow_destroy.clone(),
    };
    Ok((Subject::Cycles(cycles.phases(every).map_err(Failure::refused)?), load))
}

fn against(arguments: &WatchArguments) -> Result<Against, Failure> {
    let policy = arguments.policy.as_deref().map(own::policy).transpose()?;
    let limits = policy.as_ref().map(policy::evaluate).transpose().map_err(Failure::refused)?;
    let expectation =
        arguments.expect.as_deref().map(Expectation::parse).transpose().map_err(Failure::refused)?;
    if let Some(load) = expectation.as_ref().map(|asked| asked.load).filter(|load| !load.is_empty()) {
        let text =
            "a watch looks at a load that others make or --load describes; leave the load out of --expect";
        return Err(Failure::refused(format!("--expect \"... {load}\": {text}")));
    }
    Ok(Against { policy, limits, expectation })
}
