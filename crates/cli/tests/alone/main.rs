//! The program on devices of its own, on volumes that this kernel throttles, and in real time. Most tests need root.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod bad_input;
mod burst;
mod diskspd;
mod diskspd_caps;
mod fault_matrix;
mod faults;
mod field;
mod files;
mod fleet;
mod guide_lab;
mod guide_providers;
mod guide_watch;
mod interrupt;
mod lab_check;
#[path = "../machine/mod.rs"]
mod machine;
mod named_inputs;
mod named_paths;
mod not_fooled;
mod places;
mod profiles;
mod published;
mod running;
mod safety;
mod silent;
mod size_field;
mod starved;
mod thrift;
mod together;
mod watch;
mod watch_above;
mod watch_load;
mod watch_words;
