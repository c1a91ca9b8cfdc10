//! The mathematics on series whose truth is known.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod segments;
mod stopping;
