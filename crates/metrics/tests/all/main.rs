//! What is exposed of a run: the text, the protobuf and the JSON say the same, and the dashboard asks for nothing else.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod dashboard;
mod forms;
