//! What is risky or misleading about a command, as rows: a condition over what was understood, the words, the source.

use super::dd::Dd;
use super::iostat::Iostat;
use super::{risks_fio, risks_other};
use diskspd::TimeSpan;
use fio::FioJob;

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
    /// For each job of fio.
    Fio(fn(&FioJob) -> Option<String>),
    /// For the text of a job file.
    JobFile(fn(&str) -> Option<String>),
    /// For each timespan of DiskSpd.
    DiskSpd(fn(&TimeSpan) -> Option<String>),
    /// For ioping.
    Ioping(fn(&ioping::Asked) -> Option<String>),
    /// For iostat.
    Iostat(fn(&Iostat) -> Option<String>),
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
    /// One for which it does not.
    pub without: &'static str,
}

/// The rows of fio.
pub static RISKS: &[Risk] = risks_fio::ROWS;

/// All rows.
pub fn every() -> impl Iterator<Item = &'static Risk> {
    RISKS.iter().chain(risks_other::ROWS)
}
