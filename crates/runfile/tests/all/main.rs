//! Run files: whole, read, refused, damaged, killed and of earlier versions.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod damaged;
mod earlier;
mod killed;
mod multiplied;
mod page;
mod refusals;
mod round_trip;
mod runs;
mod samples;
mod trend;
