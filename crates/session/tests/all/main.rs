//! Checks of simulated volumes, and profiles, from the first step to the last.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod causes;
mod changes;
mod credits;
mod inputs;
mod interrupted;
mod profiles;
mod simulated_checks;
mod two_runs;
