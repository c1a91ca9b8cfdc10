//! How truthful plimsoll is: blind checks of volumes of known truth, judged by values. Each family is a module:
//! `cargo test -p session --test truth -- waves --nocapture` runs one. `PLIMSOLL_TRUTH=1000` runs a thousand
//! volumes of a family instead of the few that every change is tested on, and `PLIMSOLL_TRUTH_FROM=5000` runs
//! other ones; with `PLIMSOLL_REGENERATE=1` the table is written to the page.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]
#![allow(clippy::print_stdout, reason = "a table is what this test is for")]

mod buckets;
mod burst;
mod catalogue;
mod ceilings;
mod checked;
mod coverage;
mod custom;
mod headroom;
mod identified;
mod judge;
mod map;
mod margins;
mod merged;
mod page;
mod places;
mod places_drawn;
mod plans;
mod profiles;
mod queues;
mod resumed;
mod sick;
mod size;
mod size_loads;
mod slow;
mod table;
mod together;
mod told;
mod trend;
mod turns;
mod volume;
mod waves;
