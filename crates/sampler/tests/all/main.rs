//! Readings of this machine and of captured ones.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod captured;
mod command;
mod counters;
mod hot_plug;
mod machines;
mod thread;
mod tree;
