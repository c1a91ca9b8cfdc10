//! The figures of a run: every number that a report prints is a field here or in the record.

use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::answered::ProcedureAnswer;
use crate::findings::Finding;
use crate::headroom::Headroom;
use crate::regimes::Regimes;
use crate::spent::Consumption;
use crate::step_figures::{LatencyRow, Point};
use crate::verdict::Verdict;
use crate::watch::shape::WatchFigures;
use crate::windows::FiveWindows;

/// The analysis of a run: its figures, findings and verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// Latency at depth 1: reads, writes, flushes.
    pub latencies: Vec<LatencyRow>,
    /// Rungs of the depth ladders, by direction and then rising depth.
    pub depths: Vec<Point>,
    /// Rungs of the block ladders, by direction and then rising block.
    pub blocks: Vec<Point>,
    /// Jobs that the user defined.
    pub jobs: Vec<Point>,
    /// The greatest rates at which claimed latencies hold.
    pub headroom: Vec<Headroom>,
    /// I/O and credits that the run has used up.
    pub spent: Consumption,
    /// Time from the first load that keeps the queue full to the end of the last, if the level neither changed nor
    /// drifted in it; otherwise zero.
    pub horizon: Nanos,
    /// The smallest change that would have shown at nearly any time of it, as a share of the level; `None` if no load
    /// was measured twice.
    pub sensitivity: Option<f64>,
    /// Changes of the level, with their times.
    pub regimes: Regimes,
    /// Steady state by five windows, if there was enough of one load since the last change.
    pub windows: Option<FiveWindows>,
    /// Findings, the weightiest first.
    pub findings: Vec<Finding>,
    /// The verdict.
    pub verdict: Verdict,
    /// The answer of the procedure; `None` if the figures of its steps are the answer.
    pub answered: Option<ProcedureAnswer>,
    /// Figures of a watched machine; `None` if only a target was measured.
    pub watched: Option<WatchFigures>,
}
