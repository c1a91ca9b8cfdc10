//! Results of ioping: text of four generations, raw statistics, JSON.

mod human;
mod json;
mod raw;

pub(crate) use human::human;
pub(crate) use json::{is_ioping, json};
pub(crate) use raw::{is_raw, raw};
