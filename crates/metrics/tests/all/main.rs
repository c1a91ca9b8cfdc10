//! What is exposed of a run: text, protobuf and JSON agree, and the dashboard queries nothing else.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod dashboard;
mod forms;
