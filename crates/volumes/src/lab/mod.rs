//! Volumes on this machine that its kernel throttles to a policy.
//!
//! A loop device is attached to a file of real data and is limited by a control group of this process; a second loop
//! device is stacked on it, and the load runs through the second. Only then do the counters of the device under test
//! look like those of a network volume: the waiting happens below it, where `/proc/diskstats` sees it.
//!
//! With `speed=` credits drain and refill: a controller counts admitted I/O and sets other limits in the kernel, in a
//! thread of the run that owns the volume, or in a separate process for a lasting volume.
//!
//! Caps and means are exact (within 1 %). [`LabVolume::notes`] lists the properties that a lab volume lacks: one limit
//! for reads and writes together, and added latency. The throttle works in slices of 100 ms, so percentiles, knee and
//! depth are those of the slices.

mod backing;
mod cleanup;
mod controller;
mod error;
mod group;
mod headroom;
mod keeper;
mod register;
mod stack;
mod throttle_plan;
mod volume;

pub use backing::{default_dir, swap_in_use};
pub use error::LabError;
pub use group::{Inside, enter};
pub use keeper::keep;
pub use kernel::lab::Limits as InForce;
pub use register::{LabEntry, Owner, Removal, down, down_own, lift_leftovers, list};
pub use volume::{LabVolume, Lifetime, MakeOptions, in_words};
