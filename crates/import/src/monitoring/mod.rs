//! Recordings that monitoring systems keep: counters and amounts of devices at their times, which become series of
//! rates.
//!
//! Sources: the HTTP API and the exposition formats in Prometheus' documentation, the collectors of node_exporter and of
//! the EBS CSI driver, the API reference and the EBS metrics of CloudWatch.

mod cloudwatch;
mod exposition;
mod gathered;
mod json;
mod matrix;
mod names;

use super::iostat::Reports;
use super::pieces::near;

/// Length in bytes of a text's beginning, in which an answer shows its kind.
const HEAD: usize = 1 << 16;

/// Returns the reader of a text if it is of scrapes, or an answer of Prometheus' HTTP API or of CloudWatch, sound or
/// damaged. The reader takes the text and the name of the input.
pub(crate) fn reader(text: &str) -> Option<fn(&str, &str) -> Reports> {
    let head = near(text, 0, HEAD);
    match head {
        _ if exposition::is_exposition(text) => Some(exposition::read),
        head if cloudwatch::is_cloudwatch(head) => Some(cloudwatch::read),
        head if matrix::is_matrix(head) => Some(matrix::read),
        _ => None,
    }
}
