//! A machine as the first process knows it.

use std::fmt;

use workload::Nanos;

use crate::clock::ClockOffset;

/// What a member is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineState {
    /// It has not said a word yet.
    Joining,
    /// It waits for its turn.
    Waiting,
    /// Its measuring process prepares.
    Preparing,
    /// This step is ready to begin.
    Ready(String),
    /// This step runs.
    Measuring(String),
    /// It sends its run file.
    Sending,
    /// Its measuring process has ended.
    Done,
}

impl fmt::Display for MachineState {
    /// Says what a member was doing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MachineState::Joining => f.write_str("before it said that it is there"),
            MachineState::Waiting => f.write_str("while it waited for its turn"),
            MachineState::Preparing => f.write_str("while it prepared"),
            MachineState::Ready(step) => write!(f, "ready for step '{step}'"),
            MachineState::Measuring(step) => write!(f, "in step '{step}'"),
            MachineState::Sending => f.write_str("while it sent its run file"),
            MachineState::Done => f.write_str("after it had measured"),
        }
    }
}

/// What went wrong with a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It has not answered since.
    Silent(MachineState),
    /// Its measuring process has ended with this code and these last words.
    Failed(MachineState, Option<i32>, String),
    /// Its measuring process has not ended after the order to stop.
    Held(MachineState),
    /// Its run file cannot be sent.
    NoFile(String),
}

/// What the first process knows of a member.
pub(crate) struct Machine {
    pub(crate) host: String,
    /// Members with the same name have the same clock.
    pub(crate) clock_name: String,
    pub(crate) state: MachineState,
    pub(crate) heard: Nanos,
    /// Whether its measuring process was named because it says nothing.
    pub(crate) is_quiet: bool,
    pub(crate) clock: Option<ClockOffset>,
    pub(crate) first_clock: Option<ClockOffset>,
    pub(crate) fault: Option<Fault>,
    pub(crate) has_file: bool,
    /// Operations per second of its last interval.
    pub(crate) iops: f64,
}

impl Machine {
    /// Whether it answers.
    pub(crate) fn is_there(&self) -> bool {
        !matches!(self.fault, Some(Fault::Silent(_)))
    }

    /// Whether it is in a step.
    pub(crate) fn is_in_step(&self) -> bool {
        self.is_there() && matches!(self.state, MachineState::Measuring(_))
    }

    /// Returns a member that has not said a word at `now`.
    pub(crate) fn new(now: Nanos) -> Machine {
        Machine {
            host: String::new(),
            clock_name: String::new(),
            state: MachineState::Joining,
            heard: now,
            is_quiet: false,
            clock: None,
            first_clock: None,
            fault: None,
            has_file: false,
            iops: 0.0,
        }
    }

    /// Takes in how far the clock is ahead now.
    pub(crate) fn compared(&mut self, now: ClockOffset) {
        self.clock = Some(now);
        let first = *self.first_clock.get_or_insert(now);
        // What the clock has moved since is part of how far it may be wrong.
        let moved = Nanos(now.ahead_ns.abs_diff(first.ahead_ns));
        let within = Nanos(first.within.0.max(moved.0 + now.within.0));
        self.first_clock = Some(ClockOffset { within, ..first });
    }
}
