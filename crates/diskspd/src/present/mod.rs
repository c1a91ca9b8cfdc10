//! DiskSpd's output: one text or one XML document, printed at the end.

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

/// The version of DiskSpd that is imitated.
pub const VERSION: &str = "2.2.0";
/// Release date of that version.
pub const VERSION_DATE: &str = "2024/6/3";

/// Message for a run that ended before its measurement.
pub const INTERRUPTED: &str =
    "The test was interrupted before the measurements began. No results are displayed.";

/// Everything that a result shows.
#[derive(Clone, Debug)]
pub struct DiskSpdReport<'a> {
    /// What was asked.
    pub asked: &'a DiskSpdRequest,
    /// The line that was typed, with the program's name.
    pub command_line: &'a str,
    /// The machine.
    pub system: &'a System,
    /// Results of the timespans, in order.
    pub spans: &'a [SpanResult],
}
