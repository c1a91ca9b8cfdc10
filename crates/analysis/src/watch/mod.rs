//! A watched machine: figures by phase and device, the contract, and what its rules look at.
//!
//! Each device is read once, and its rules are applied while its intervals are at hand (method 12).

pub(crate) mod base;
pub(crate) mod contract;
pub(crate) mod contracted;
pub(crate) mod device;
pub(crate) mod diagnosis;
pub(crate) mod firing;
pub(crate) mod level;
pub(crate) mod limits;
pub(crate) mod load;
pub(crate) mod looked;
pub(crate) mod meter;
pub(crate) mod pressed;
pub(crate) mod series;
pub(crate) mod shape;
pub(crate) mod ticks;
pub(crate) mod timeline;
pub(crate) mod watched_run;
pub(crate) mod windows;
