//! DiskSpd's output: one text or XML document, printed at the end.

mod figures;
mod latency;
mod parameters;
mod sections;
mod text;
mod xml;

pub use text::{profile_text, results_text, system_text};
pub use xml::{results_xml, system_xml};

use super::commandline::DiskSpdRequest;
use super::results::SpanResult;
use super::system::System;

/// The DiskSpd version whose output is imitated.
pub const VERSION: &str = "2.2.0";
/// Release date of that version.
pub const VERSION_DATE: &str = "2024/6/3";

/// Message for a run that was interrupted before its measurement.
pub const INTERRUPTED: &str =
    "The test was interrupted before the measurements began. No results are displayed.";

/// The data of a result.
#[derive(Clone, Debug)]
pub struct DiskSpdReport<'a> {
    /// The request.
    pub asked: &'a DiskSpdRequest,
    /// The command line as typed, with the program's name.
    pub command_line: &'a str,
    /// The machine.
    pub system: &'a System,
    /// Results of the timespans, in order.
    pub spans: &'a [SpanResult],
}
