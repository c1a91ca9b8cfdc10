//! Results of fio in every form it prints: text of four generations, terse lines, JSON, logs.

mod figures;
mod finish;
mod groups;
mod header;
mod headless;
mod human;
mod json;
mod json_parts;
mod lines;
mod logs;
mod terse;
mod walk;

pub(crate) use human::human;
pub(crate) use json::{is_fio, json};
pub(crate) use logs::{is_log, log};
pub(crate) use terse::terse;
