//! The coordination of a fleet, in virtual time.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod directed;
mod hostile;
mod judged;
mod quiet;
mod simulated;
