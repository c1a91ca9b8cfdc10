//! The identity of a run file, and its tables in their order.

use crate::table::{Table, create};
use crate::{header, machine, observed, remarks, reported, samples, steps};

/// `application_id` of every run file: the letters `Plim`.
pub const APPLICATION_ID: i32 = 0x506c_696d;

/// `user_version` of the files that this version writes. It grows by one with every change that an older reader would
/// not understand; each version that was ever released stays readable.
pub const SCHEMA_VERSION: i32 = 3;

/// Tables of [`SCHEMA_VERSION`] by name, with what makes each.
pub(crate) const TABLES: [(&str, fn() -> String); 27] = [
    of::<header::Runs>(),
    of::<header::Hosts>(),
    of::<header::Targets>(),
    of::<header::Devices>(),
    of::<machine::Machine>(),
    of::<machine::Limits>(),
    of::<machine::Phases>(),
    of::<steps::Steps>(),
    of::<steps::Intervals>(),
    of::<steps::Histograms>(),
    of::<steps::Workers>(),
    of::<steps::Directions>(),
    of::<steps::WorkerEnds>(),
    of::<steps::Failures>(),
    of::<samples::Heads>(),
    of::<samples::Memories>(),
    of::<samples::Counters>(),
    of::<samples::Names>(),
    of::<remarks::Events>(),
    of::<remarks::Findings>(),
    of::<reported::Parts>(),
    of::<reported::Points>(),
    of::<observed::Sources>(),
    of::<observed::AllSeries>(),
    of::<observed::Spans>(),
    of::<observed::CpuValues>(),
    of::<observed::DiskValues>(),
];

const fn of<T: Table>() -> (&'static str, fn() -> String) {
    (T::NAME, create::<T>)
}

/// The statements that make the tables, and then the views, of [`SCHEMA_VERSION`].
pub(crate) fn statements() -> String {
    let tables: String = TABLES.iter().map(|(_, create)| create()).collect();
    tables + include_str!("views.sql")
}
