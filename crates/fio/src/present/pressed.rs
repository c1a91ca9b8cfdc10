//! Output, in fio's words, for jobs that had a latency limit, a minimum rate or a latency target.

use record::{BoundCrossing, CrossedBound, Note, RateUnit, SteeredDepth, StepRecord};
use workload::Nanos;

use super::tree::Tree;
use super::unit::Unit;
use crate::asked::{FioJob, FioRequest};
use crate::error::verror;
use options::errno_text;

/// The limit that `job` crossed and that ended it.
pub(super) fn crossed<'s>(job: &FioJob, step: &'s StepRecord) -> Option<&'s CrossedBound> {
    step.notes.iter().find_map(|note| match note {
        Note::Crossed(crossed) if crossed.job == job.label => Some(&crossed.bound),
        _ => None,
    })
}

/// The search for the depth of `job`.
pub(super) fn steered<'s>(job: &FioJob, step: &'s StepRecord) -> Option<&'s SteeredDepth> {
    step.notes.iter().find_map(|note| match note {
        Note::Steered(steered) if steered.job == job.label => Some(steered),
        _ => None,
    })
}

/// Returns the text that fio prints after the error of a job that has crossed `bound`.
pub(super) fn cause(errno: i32, bound: Option<&CrossedBound>) -> String {
    let text = errno_text(errno);
    match bound {
        Some(CrossedBound::Rate { .. }) => {
            format!("file:backend.c:1131, func=check_min_rate, error={text}")
        }
        Some(CrossedBound::Latency { .. }) => {
            format!("file:io_u.c:1432, func=max latency exceeded, error={text}")
        }
        None => verror(errno),
    }
}

/// Returns the line that fio prints for each limit crossed in `step`.
pub(super) fn lines(asked: &FioRequest, step: &StepRecord) -> Vec<String> {
    let crossed = step.notes.iter().filter_map(|note| match note {
        Note::Crossed(crossed) => Some(crossed),
        _ => None,
    });
    crossed.map(|crossed| line(asked, crossed)).collect()
}

fn line(asked: &FioRequest, crossed: &BoundCrossing) -> String {
    let job = asked.jobs.iter().find(|job| job.label == crossed.job);
    let name = job.map_or(crossed.job.as_str(), |job| job.name.as_str());
    match &crossed.bound {
        CrossedBound::Rate { unit: RateUnit::Ops, least, got, .. } => {
            format!("{name}: rate_iops_min={least} not met, got {got} IOPS")
        }
        CrossedBound::Rate { unit: RateUnit::Bytes, least, got, .. } => {
            format!("{name}: rate_min={least}B/s not met, got {got}B/s")
        }
        CrossedBound::Latency { most, took, direction, path, offset, bytes } => format!(
            "fio: latency of {} nsec exceeds specified max ({} nsec): {path} {} {offset} {bytes}",
            took.0,
            most.0,
            direction.name()
        ),
    }
}

/// The depth that the search found for a unit, or the configured one.
fn depth(unit: &Unit) -> u32 {
    unit.steered.as_ref().map_or(unit.first.options.iodepth, |steered| steered.depth)
}

/// The unit's line in the normal format.
pub(super) fn row(unit: &Unit) -> String {
    let bounds = &unit.first.options.bounds;
    format!(
        "     latency   : target={}, window={}, percentile={:.2}%, depth={}\n",
        span(bounds.latency_target),
        span(bounds.latency_window),
        bounds.latency_percentile,
        depth(unit)
    )
}

/// Prints a time in the largest unit in which it is at least one.
fn span(time: Nanos) -> String {
    let ns = time.0 as f64;
    match time.0 {
        0..1_000 => format!("{ns:.2}ns"),
        1_000..1_000_000 => format!("{:.2}us", ns / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2}ms", ns / 1e6),
        _ => format!("{:.2}s", ns / 1e9),
    }
}

/// Members of the JSON document: the target in nanoseconds, the window in microseconds.
pub(super) fn members(unit: &Unit) -> Vec<(String, Tree)> {
    let bounds = &unit.first.options.bounds;
    let (target, window) = (bounds.latency_target.0, bounds.latency_window.0 / 1_000);
    Tree::members([
        ("latency_depth", Tree::Int(u64::from(depth(unit)))),
        ("latency_target", Tree::Int(target)),
        ("latency_target_ns", Tree::Int(target)),
        ("latency_percentile", Tree::Float(bounds.latency_percentile)),
        ("latency_window", Tree::Int(window)),
        ("latency_window_us", Tree::Int(window)),
    ])
}
