//! Tests of the mathematics on series of known truth.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod occasions;
mod segments;
mod stopping;
