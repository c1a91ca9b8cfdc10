//! Content of one report.

use super::figures::Differences;

/// One line of the device report.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) differences: Differences,
}

/// Content of one report.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Report {
    pub(super) timestamp: String,
    /// user, nice, system, iowait, steal, idle, as percentages.
    pub(super) cpu: [f64; 6],
    pub(super) lines: Vec<Line>,
    pub(super) seconds: f64,
}
