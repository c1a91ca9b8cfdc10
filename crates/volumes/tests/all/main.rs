//! Simulated and lab volumes.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod burst;
mod lab;
mod machine;
mod page;
