//! The words of a watch, understood and held against each other.

use std::ffi::OsString;

use experiments::{Cycles, PlannedPhase, scales};
use policy::Limits;
use workload::{Bytes, Expectation, Nanos, PolicyName, Target};

use super::arguments::WatchArguments;
use session::failure::Failure;
use session::signals::StopFlag;

/// Shortest time between two samples: a reading costs some tens of microseconds, and the kernel's own times are
/// milliseconds.
const EVERY_LEAST: Nanos = Nanos::from_millis(50);
/// Length of a phase where none is said.
const CYCLE: Nanos = Nanos::from_secs(60);

/// A watch as it is understood.
#[derive(Debug)]
pub struct Asked {
    /// Time between two samples.
    pub every: Nanos,
    /// What is watched.
    pub subject: Subject,
    /// What is promised.
    pub contract: Contract,
}

/// What is watched.
#[derive(Debug)]
pub enum Subject {
    /// The machine as it is, for so long; `None`: until Ctrl-C.
    Alone(Option<Nanos>),
    /// The machine while a command runs.
    Command(Vec<OsString>),
    /// The machine under load cycles.
    Cycles(AskedLoad),
}

/// Load cycles.
#[derive(Debug)]
pub struct AskedLoad {
    /// The load, as typed.
    pub word: String,
    /// Where it runs, as typed and as understood; `None`: on the files of its job.
    pub on: Option<(String, Target)>,
    /// The phases.
    pub phases: Vec<PlannedPhase>,
    /// Whether the load is scaled.
    pub scaled: bool,
    /// Length of a phase.
    pub cycle: Nanos,
    /// Bytes to lay out and load.
    pub size: Option<Bytes>,
}

/// What is promised of the storage.
#[derive(Debug, Default)]
pub struct Contract {
    /// The policy.
    pub policy: Option<PolicyName>,
    /// Its limits.
    pub limits: Option<Limits>,
    /// What is claimed in words.
    pub expectation: Option<Expectation>,
}

impl Asked {
    /// Reads the words.
    ///
    /// # Errors
    /// Wrong usage, with what to say instead.
    pub fn read(arguments: &WatchArguments) -> Result<Asked, Failure> {
        one_subject(arguments)?;
        let every = every(arguments)?;
        Ok(Asked { every, subject: subject(arguments, every)?, contract: contract(arguments)? })
    }

    /// A wish to stop: with a command, signals are the command's, and its end is that of the watch.
    pub fn stop_flag(&self, patience: Nanos) -> StopFlag {
        match self.subject {
            Subject::Command(_) => StopFlag::default(),
            _ => StopFlag::on_signals(patience),
        }
    }

    /// The load cycles, where there are any.
    pub fn load(&self) -> Option<&AskedLoad> {
        match &self.subject {
            Subject::Cycles(load) => Some(load),
            _ => None,
        }
    }
}

impl Contract {
    /// Where nothing was promised, what was asked for is: a load that a policy states is held against that policy.
    pub fn fall_back_on(&mut self, limits: Option<Limits>) {
        if let (None, None, Some(limits)) = (&self.policy, &self.expectation, limits) {
            self.policy = Some(limits.policy.clone());
            self.limits = Some(limits);
        }
    }
}

/// Time between two samples.
///
/// # Errors
/// It is no time, or too short a one.
pub fn every(arguments: &WatchArguments) -> Result<Nanos, Failure> {
    let every = span("--every", &arguments.every)?;
    if every < EVERY_LEAST {
        let words = &arguments.every;
        let text = "the kernel's counters say nothing over so short a time; say 50ms or more";
        return Err(Failure::refused(format!("--every {words}: {text}")));
    }
    Ok(every)
}

/// A watch has one subject: time alone, a command, or load cycles; options of one mean nothing to another.
fn one_subject(arguments: &WatchArguments) -> Result<(), Failure> {
    let refuse = |text: &str| Err(Failure::refused(text));
    let (load, command) = (arguments.load.is_some(), !arguments.command.is_empty());
    let ends_in_nothing = std::env::args_os().next_back().is_some_and(|last| last == "--");
    let of_load = [
        ("--on", arguments.on.is_some()),
        ("--cycle", arguments.cycle.is_some()),
        ("--repeat", arguments.repeat.is_some()),
        ("--scale", arguments.scale.is_some()),
        ("--size", arguments.size.is_some()),
        ("--allow-destroy", arguments.allow_destroy.is_some()),
        ("--busy", arguments.busy),
    ];
    let lonely = of_load.iter().find(|(_, given)| *given && !load);
    match () {
        () if ends_in_nothing && !command => {
            refuse("-- without a command: write the command behind it, as in plimsoll watch -- ./app")
        }
        () if load && command => {
            refuse("--load and a command: a watch runs load cycles or a command, not both; leave one out")
        }
        () if arguments.length.is_some() && load => {
            refuse("--for with --load: load cycles last as long as --cycle and --repeat say; leave --for out")
        }
        () if arguments.length.is_some() && command => {
            refuse("--for with a command: the watch ends when the command does; leave --for out")
        }
        () if arguments.expect.is_some() && arguments.policy.is_some() => {
            refuse("--expect and --policy: a watch is held against one of them; leave the other out")
        }
        () => match lonely {
            Some((option, _)) => refuse(&format!(
                "{option} without --load: there is no load that it could be said of; name one, as in --load job.fio"
            )),
            None => Ok(()),
        },
    }
}

fn span(option: &str, words: &str) -> Result<Nanos, Failure> {
    workload::duration(words).map_err(|error| Failure::refused(format!("{option} {words}: {error}")))
}

fn subject(arguments: &WatchArguments, every: Nanos) -> Result<Subject, Failure> {
    if let Some(word) = &arguments.load {
        return Ok(Subject::Cycles(cycles(arguments, word, every)?));
    }
    if !arguments.command.is_empty() {
        return Ok(Subject::Command(arguments.command.clone()));
    }
    let Some(words) = &arguments.length else { return Ok(Subject::Alone(None)) };
    let length = span("--for", words)?;
    if length < every {
        let every = &arguments.every;
        let text =
            format!("--for {words}: too short for samples every {every}; watch longer, or sample more often");
        return Err(Failure::refused(text));
    }
    Ok(Subject::Alone(Some(length)))
}

fn cycles(arguments: &WatchArguments, word: &str, every: Nanos) -> Result<AskedLoad, Failure> {
    let cycle = arguments.cycle.as_deref().map(|words| span("--cycle", words)).transpose()?;
    let scales = arguments.scale.as_deref().map(scales).transpose().map_err(Failure::refused)?;
    let on =
        arguments.on.as_deref().map(|typed| Target::parse(typed).map(|target| (typed.to_owned(), target)));
    let size = arguments.size.as_deref().map(workload::size).transpose().map_err(Failure::refused)?;
    let scaled = scales.is_some();
    let cycles = Cycles {
        cycle: cycle.unwrap_or(CYCLE),
        repeat: arguments.repeat.unwrap_or(if scaled { 1 } else { 2 }),
        scales: scales.unwrap_or_default(),
    };
    Ok(AskedLoad {
        word: word.to_owned(),
        on: on.transpose().map_err(|error| Failure::refused(format!("--on: {error}")))?,
        phases: cycles.phases(every).map_err(Failure::refused)?,
        scaled,
        cycle: cycles.cycle,
        size,
    })
}

fn contract(arguments: &WatchArguments) -> Result<Contract, Failure> {
    let policy = arguments.policy.as_deref().map(PolicyName::parse).transpose().map_err(Failure::refused)?;
    let limits = policy.as_ref().map(policy::evaluate).transpose().map_err(Failure::refused)?;
    let expectation =
        arguments.expect.as_deref().map(Expectation::parse).transpose().map_err(Failure::refused)?;
    Ok(Contract { policy, limits, expectation })
}
