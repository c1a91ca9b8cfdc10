//! Run to findings and verdict, purely: the same record gives the same findings on any day.

mod caps;
mod cells;
mod claims;
pub mod compare;
mod finding;
mod honesty;
mod judge;
mod picture;
mod points;
mod quick;
mod repeats;
mod target_doubt;
mod verdict;
mod watch;

pub use cells::{Cell, Pattern, cells};
pub use claims::EXPECTATION;
pub use finding::{Confidence, Evidence, Finding, Limiter, Meaning};
pub use judge::analyse;
pub use picture::{Analysis, Estimate, LatencyRole, LatencyRow, Point, Spent};
pub use quick::{QuickRow, Whose, quick_rows};
pub use verdict::{Answer, ClaimRow, Claimed, Doubt, Quantity, Reading, Verdict};
pub use watch::{
    ContractRow, DeviceFigures, Flow, Latency, Level, LoadFigures, LoadFlow, Named, PhaseFigures, Place,
    Remark, SeriesRow, WHOLE, Waiting, Watched, WatchedDevice,
};

/// Points and rows of a run, before anything is concluded from them.
pub(crate) struct Figures {
    latencies: Vec<LatencyRow>,
    depths: Vec<Point>,
    blocks: Vec<Point>,
    jobs: Vec<Point>,
    /// The rung that ran once more at the end, where its rate had fallen well below the plateau of the beginning.
    fallen: Option<Point>,
}
