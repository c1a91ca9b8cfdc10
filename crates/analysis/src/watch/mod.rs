//! A watched machine: figures by phase and device, what is claimed of it, and what its rules look at (method 12).

pub(crate) mod base;
pub(crate) mod busiest;
pub(crate) mod command;
pub(crate) mod contracted;
pub(crate) mod counts;
pub(crate) mod device;
pub(crate) mod firing;
pub(crate) mod level;
pub(crate) mod limits;
pub(crate) mod load;
pub(crate) mod pressed;
pub(crate) mod series;
pub(crate) mod shape;
pub(crate) mod ticks;
pub(crate) mod timeline;
pub(crate) mod watched_run;
pub(crate) mod windows;
