//! Run files: whole, read, refused, damaged and killed.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod damaged;
mod killed;
mod page;
mod refusals;
mod round_trip;
mod runs;
mod samples;
