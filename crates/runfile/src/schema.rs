//! The identity of a run file, and its tables in order.

use crate::header::{Devices, Hosts, Runs, Targets};
use crate::machine::{Limits, Machine, Phases};
use crate::observed::{AllSeries, CpuValues, DiskValues, Sources, Spans};
use crate::remarks::{Events, Findings, Trends};
use crate::reported::{Parts, Points};
use crate::samples::{Commands, Counters, Heads, Memories, Names};
use crate::steps::{Directions, Failures, Histograms, Intervals, Ios, Steps, WorkerEnds, Workers};
use crate::table::{Table, create};

/// `application_id` of every run file: the letters `Plim`.
pub const APPLICATION_ID: i32 = 0x506c_696d;

/// `user_version` of the files that this version writes. It increases by one with every change that an older reader
/// would not understand; every released version remains readable.
pub const SCHEMA_VERSION: i32 = 3;

/// A table by name, with the statement that creates it.
pub(crate) struct TableDefinition {
    pub name: &'static str,
    statement: fn() -> String,
}

/// Makes a list of tables.
macro_rules! tables {
    ($($table:ty)+) => {
        &[$(TableDefinition { name: <$table>::NAME, statement: create::<$table> }),+]
    };
}

/// Tables of [`SCHEMA_VERSION`], in order.
pub(crate) const TABLES: &[TableDefinition] = tables! {
    Runs Hosts Targets Devices
    Machine Limits Phases
    Steps Intervals Histograms Workers Directions WorkerEnds Ios Failures
    Heads Memories Commands Counters Names
    Events Findings Trends
    Parts Points
    Sources AllSeries Spans CpuValues DiskValues
};

/// Returns the statements that create the tables, and then the views, of [`SCHEMA_VERSION`].
pub(crate) fn statements() -> String {
    let tables: String = TABLES.iter().map(|table| (table.statement)()).collect();
    tables + include_str!("views.sql")
}
