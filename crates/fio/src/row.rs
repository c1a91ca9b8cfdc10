//! The rows of fio's table of job options.

use options::Table;

use super::options::JobOptions;
use super::value::{Kind, Value};

/// Importance of an option in practice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Real scripts use it every day.
    A,
    /// Real job files use it now and then.
    B,
    /// Rare, or for special hardware.
    C,
}

/// The part of the table to which a row belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Job options, under this heading.
    Job(&'static str),
    /// Options of these engines only.
    Engine(&'static [&'static str]),
}

/// Properties of an option that only fio's table has.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// The part of the table that contains the option.
    pub part: Part,
    /// Importance of the option.
    pub class: Class,
}

/// The table of job options.
#[derive(Clone, Copy, Debug)]
pub struct JobTable;

impl Table for JobTable {
    type Takes = Kind;
    type Effect = fn(&mut JobOptions, &Value);
    type Own = Standing;
    const NOTHING: Self::Effect = |_, _| {};
    const PLAIN: Standing = Standing { part: Part::Job(""), class: Class::A };
}

/// One job option.
pub type Row = options::Row<JobTable>;

/// A job option that takes a value of `kind`.
pub const fn row(name: &'static str, kind: Kind, default: &'static str, class: Class) -> Row {
    Row::new(name, kind).by_default(default).with(Standing { class, ..JobTable::PLAIN })
}

/// Puts `row` into a part of the table.
pub const fn within(part: Part, row: Row) -> Row {
    row.with(Standing { part, ..row.own })
}
