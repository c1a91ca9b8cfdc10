//! What people read: text, pages and pictures.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod chart_words;
mod ladder_charts;
mod leads;
#[path = "../../../analysis/tests/all/made_machines/mod.rs"]
mod made_machines;
mod made_up;
mod pages;
mod pictures;
mod size_page;
mod text;
mod watch_text;
