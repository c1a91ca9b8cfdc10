//! The rows of fio's table of job options.

use options::Table;

use super::options::JobOptions;
use super::value::{Kind, Value};

/// The part of the table to which a row belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Job options, under this heading.
    Job(&'static str),
    /// Options of these engines only.
    Engine(&'static [&'static str]),
}

/// The table of job options.
#[derive(Clone, Copy, Debug)]
pub struct JobTable;

impl Table for JobTable {
    type Takes = Kind;
    type Effect = fn(&mut JobOptions, &Value);
    type Own = Part;
    const NOTHING: Self::Effect = |_, _| {};
    const PLAIN: Part = Part::Job("");
}

/// One job option.
pub type Row = options::Row<JobTable>;

/// A job option that takes a value of `kind`.
pub const fn row(name: &'static str, kind: Kind, default: &'static str) -> Row {
    Row::new(name, kind).by_default(default)
}

/// Puts `row` into a part of the table.
pub const fn within(part: Part, row: Row) -> Row {
    row.with(part)
}
