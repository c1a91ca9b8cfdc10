//! One file a command; each reads as the flow.

pub mod check;
pub mod fio;
pub mod lab;
pub mod policy;
pub mod report;
