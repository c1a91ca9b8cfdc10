//! System calls on real files and devices.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod files;
mod guard;
mod guard_holders;
mod guard_spaces;
mod guard_stacks;
mod lab;
mod queues;
mod stacks;
mod stuck;
mod trims;
