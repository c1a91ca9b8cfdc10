//! The languages of other tools, in and out.
//!
//! One folder a tool. Words go in and come out; nothing here opens a file, reads a clock or runs anything: what must be
//! known of the world is handed in as values and functions.

pub mod diskspd;
pub mod explain;
pub mod fio;
pub mod import;
pub mod ioping;
pub mod iostat;
