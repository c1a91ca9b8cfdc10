//! What is risky or misleading about a command, as rows: a condition on what was understood, the words, and the source.

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
    /// It does not do what its words seem to say, or does nothing.
    Wrong,
    /// Its figure is easily taken for something else.
    Misleading,
    /// Good to know.
    Note,
}

impl Level {
    /// The level's word in the output.
    pub fn word(self) -> &'static str {
        match self {
            Level::Danger => "danger",
            Level::Wrong => "wrong",
            Level::Misleading => "misleading",
            Level::Note => "note",
        }
    }
}

/// The condition of a risk, which returns its words if it holds.
#[derive(Clone, Copy)]
pub enum When {
    /// For each job of fio, with its options.
    Fio(fn(&PlannedJob, &JobOptions) -> Option<String>),
    /// For each job of fio that replays a trace; other conditions on jobs do not apply to it.
    Replay(fn(&PlannedJob, &JobOptions) -> Option<String>),
    /// For the text of a job file.
    JobFile(fn(&str) -> Option<String>),
    /// For each timespan of DiskSpd.
    DiskSpd(fn(&TimeSpan) -> Option<String>),
    /// For ioping.
    Ioping(fn(&ioping::IopingRequest) -> Option<String>),
    /// For iostat.
    Iostat(fn(&iostat::IostatRequest) -> Option<String>),
    /// For dd.
    Dd(fn(&Dd) -> Option<String>),
}

/// A risk: a row of the table.
#[derive(Clone, Copy)]
pub struct Risk {
    /// Its name in JSON.
    pub id: &'static str,
    /// How much it matters.
    pub level: Level,
    /// When it applies, and its words.
    pub when: When,
    /// Where to read about it.
    pub source: &'static str,
}

/// The words of a condition that needs no figures.
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
