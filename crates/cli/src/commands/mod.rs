//! One file a command; each reads as the flow.

mod bounds;
pub mod burst;
pub mod check;
pub mod compare;
pub mod data_out;
pub mod diskspd;
pub mod explain;
pub mod fio;
pub mod headroom;
pub mod import;
pub mod ioping;
pub mod iostat;
pub mod lab;
pub mod map;
pub mod own;
pub mod places;
mod plans;
pub mod policy;
pub mod profile;
pub mod quick;
pub mod report;
mod resume;
pub mod run;
pub mod together;
pub mod tutorial;
pub mod watch;
