//! Run to findings and verdict, purely: the same record gives the same findings on any day.

mod finding;
mod picture;
mod verdict;

pub use finding::{Confidence, Evidence, Finding, Limiter, Meaning};
pub use picture::{Analysis, Estimate, LatencyRow, Point, Spent};
pub use verdict::{Answer, ClaimRow, Claimed, Doubt, Quantity, Reading, Verdict};
