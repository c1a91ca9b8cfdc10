//! Risky and misleading aspects of a command, as rows: a condition on the parsed command, a text, and a source.

use super::dd::Dd;
use super::load::PlannedJob;
use diskspd::TimeSpan;
use fio::JobOptions;
use schemars::JsonSchema;
use serde::Serialize;

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Data may be lost.
    Danger,
    /// The command does not do what its words seem to say, or does nothing.
    Wrong,
    /// The command's result is easily taken for something else.
    Misleading,
    /// Good to know.
    Note,
}

impl Level {
    /// The word for the level in the output.
    pub fn word(self) -> &'static str {
        match self {
            Level::Danger => "danger",
            Level::Wrong => "wrong",
            Level::Misleading => "misleading",
            Level::Note => "note",
        }
    }
}

/// The condition of a risk; it returns the text of the risk if it is met.
#[derive(Clone, Copy)]
pub enum When {
    /// Checked for each fio job, with its options.
    Fio(fn(&PlannedJob, &JobOptions) -> Option<String>),
    /// Checked for each fio job that replays a trace; the other conditions on jobs are not.
    Replay(fn(&PlannedJob, &JobOptions) -> Option<String>),
    /// Checked for the text of a job file.
    JobFile(fn(&str) -> Option<String>),
    /// Checked for each timespan of DiskSpd.
    DiskSpd(fn(&TimeSpan) -> Option<String>),
    /// Checked for ioping.
    Ioping(fn(&ioping::IopingRequest) -> Option<String>),
    /// Checked for iostat.
    Iostat(fn(&iostat::IostatRequest) -> Option<String>),
    /// Checked for dd.
    Dd(fn(&Dd) -> Option<String>),
}

/// A risk: a row of the table.
#[derive(Clone, Copy)]
pub struct Risk {
    /// Name of the risk in JSON.
    pub id: &'static str,
    /// Severity of the risk.
    pub level: Level,
    /// When the risk applies, and its text.
    pub when: When,
    /// Reference for further reading.
    pub source: &'static str,
}

/// The text of a risk whose condition needs no figures.
pub(super) fn says(holds: bool, words: &str) -> Option<String> {
    holds.then(|| words.to_owned())
}

/// Returns a row that applies to nothing until its condition is set.
pub(super) const fn risk(id: &'static str, level: Level, source: &'static str) -> Risk {
    Risk { id, level, when: When::JobFile(|_| None), source }
}

impl Risk {
    pub(super) const fn fio(self, when: fn(&PlannedJob, &JobOptions) -> Option<String>) -> Risk {
        Risk { when: When::Fio(when), ..self }
    }

    pub(super) const fn replay(self, when: fn(&PlannedJob, &JobOptions) -> Option<String>) -> Risk {
        Risk { when: When::Replay(when), ..self }
    }

    pub(super) const fn job_file(self, when: fn(&str) -> Option<String>) -> Risk {
        Risk { when: When::JobFile(when), ..self }
    }

    pub(super) const fn diskspd(self, when: fn(&TimeSpan) -> Option<String>) -> Risk {
        Risk { when: When::DiskSpd(when), ..self }
    }

    pub(super) const fn ioping(self, when: fn(&ioping::IopingRequest) -> Option<String>) -> Risk {
        Risk { when: When::Ioping(when), ..self }
    }

    pub(super) const fn iostat(self, when: fn(&iostat::IostatRequest) -> Option<String>) -> Risk {
        Risk { when: When::Iostat(when), ..self }
    }

    pub(super) const fn dd(self, when: fn(&Dd) -> Option<String>) -> Risk {
        Risk { when: When::Dd(when), ..self }
    }
}
