//! What is found in runs, by comparison and in watched machines.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod beside;
mod compare_items;
mod comparing;
mod field;
mod levels;
mod made_machines;
mod merged;
mod odd_one;
mod trending;
mod verdicts;
mod watching;
mod watching_caps;
mod watching_command;
mod watching_hostile;
mod watching_judged;
