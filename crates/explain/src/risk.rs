//! What is risky or misleading about a command, as rows: a condition over what was understood, the words, the source.

use super::dd::Dd;
use diskspd::TimeSpan;
use fio::{FioJob, JobOptions};

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Data may be lost.
    Danger,
    /// It does not do what its words seem to say, or nothing.
    Wrong,
    /// The figure is easily taken for something else.
    Misleading,
    /// Good to know.
    Note,
}

impl Level {
    /// Its word in the output.
    pub fn word(self) -> &'static str {
        match self {
            Level::Danger => "danger",
            Level::Wrong => "wrong",
            Level::Misleading => "misleading",
            Level::Note => "note",
        }
    }
}

/// The condition, which gives the words where it holds.
#[derive(Clone, Copy)]
pub enum When {
    /// For each job of fio, with its options.
    Fio(fn(&FioJob, &JobOptions) -> Option<String>),
    /// The same of jobs that replay a trace, to which nothing else applies that is said of jobs.
    Replay(fn(&FioJob, &JobOptions) -> Option<String>),
    /// For the text of a job file.
    JobFile(fn(&str) -> Option<String>),
    /// For each timespan of DiskSpd.
    DiskSpd(fn(&TimeSpan) -> Option<String>),
    /// For ioping.
    Ioping(fn(&ioping::Asked) -> Option<String>),
    /// For iostat.
    Iostat(fn(&iostat::Asked) -> Option<String>),
    /// For dd.
    Dd(fn(&Dd) -> Option<String>),
}

/// One row.
#[derive(Clone, Copy)]
pub struct Risk {
    /// Its name in JSON.
    pub id: &'static str,
    /// How much it matters.
    pub level: Level,
    /// When it holds, and its words.
    pub when: When,
    /// Where that can be read.
    pub source: &'static str,
    /// A command for which it holds.
    pub example: &'static str,
    /// One for which it does not; empty where it always does.
    pub without: &'static str,
}

/// A row that holds of nothing until it is said of what.
pub(super) const fn risk(id: &'static str, level: Level, source: &'static str) -> Risk {
    Risk { id, level, when: When::JobFile(|_| None), source, example: "", without: "" }
}

impl Risk {
    /// With a command for which it holds.
    pub(super) const fn holds_for(self, example: &'static str) -> Risk {
        Risk { example, ..self }
    }

    /// With a command for which it does not.
    pub(super) const fn but_not_for(self, without: &'static str) -> Risk {
        Risk { without, ..self }
    }

    pub(super) const fn fio(self, when: fn(&FioJob, &JobOptions) -> Option<String>) -> Risk {
        Risk { when: When::Fio(when), ..self }
    }

    pub(super) const fn replay(self, when: fn(&FioJob, &JobOptions) -> Option<String>) -> Risk {
        Risk { when: When::Replay(when), ..self }
    }

    pub(super) const fn job_file(self, when: fn(&str) -> Option<String>) -> Risk {
        Risk { when: When::JobFile(when), ..self }
    }

    pub(super) const fn diskspd(self, when: fn(&TimeSpan) -> Option<String>) -> Risk {
        Risk { when: When::DiskSpd(when), ..self }
    }

    pub(super) const fn ioping(self, when: fn(&ioping::Asked) -> Option<String>) -> Risk {
        Risk { when: When::Ioping(when), ..self }
    }

    pub(super) const fn iostat(self, when: fn(&iostat::Asked) -> Option<String>) -> Risk {
        Risk { when: When::Iostat(when), ..self }
    }

    pub(super) const fn dd(self, when: fn(&Dd) -> Option<String>) -> Risk {
        Risk { when: When::Dd(when), ..self }
    }
}
