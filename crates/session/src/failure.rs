//! Failure of a command: a message that names cause and remedy, and the exit code.

use std::fmt;

/// Why a command ended without a result.
#[derive(Debug)]
pub struct Failure {
    /// Exit code.
    pub code: Code,
    /// One paragraph: cause and remedy.
    pub message: String,
}

/// Exit codes of plimsoll's own commands that are no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The run failed.
    Failed = 1,
    /// Wrong usage, or refused.
    Refused = 2,
    /// The user's command exists but cannot be started, as env(1) reports it.
    NotStartable = 126,
    /// The user's command does not exist, as env(1) reports it.
    NotFound = 127,
    /// Stopped by Ctrl-C.
    Interrupted = 130,
}

impl Failure {
    /// Returns a failure of wrong usage or a refusal.
    pub fn refused(message: impl fmt::Display) -> Failure {
        Failure { code: Code::Refused, message: message.to_string() }
    }

    /// Returns a failure of the run.
    pub fn failed(message: impl fmt::Display) -> Failure {
        Failure { code: Code::Failed, message: message.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
