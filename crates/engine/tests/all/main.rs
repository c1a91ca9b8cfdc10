//! The engine: plans, workers and drivers, in virtual time and on real files.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod access;
mod batching;
mod buffers;
mod diskspd;
mod diskspd_real;
mod held;
mod orders;
mod overlap;
mod places;
mod planning;
mod real;
mod replay;
mod seeds;
mod simulation;
mod starved;
mod stuck;
mod terms;
mod verify;
mod vocabulary;
