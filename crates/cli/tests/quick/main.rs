//! Tests that need no device and no waiting: what the program reads, prints and refuses.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod compare;
mod compare_live;
mod damaged;
mod explain;
mod export;
mod guide_burst;
mod guide_check_plans;
mod guide_identify;
mod guide_learn;
mod guide_map;
mod guide_pages;
mod guide_serve;
mod guide_support;
mod guide_together;
mod headroom;
mod hostile;
mod import;
#[path = "../machine/mod.rs"]
mod machine;
mod merge;
mod open;
mod otlp;
mod own;
mod packages;
mod pictures;
mod places;
mod policies_page;
mod profile_from;
mod progress;
mod recordings;
mod resume;
mod schema;
mod simulated;
mod size;
mod trend;
mod watch_diagnosis;
