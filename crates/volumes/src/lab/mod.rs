//! Volumes on this machine that its kernel throttles to a policy.
//!
//! A file of real data is shown by a loop device, which a control group of this process limits; a second loop device
//! stands on the first, and through it the load runs. Only then do the counters of what is measured look like those of a
//! network volume: the waiting happens below it, where `/proc/diskstats` sees it.
//!
//! Credits drain and refill where `speed=` asks for it: a controller counts what was let through and tells the kernel other
//! limits, in a thread of the run that the volume belongs to, or in a process beside a volume that lasts.
//!
//! Caps and means are exact (within 1 %). What a lab volume cannot give is said in [`LabVolume::notes`]: one limit for
//! reads and writes together, and a latency of its own; the throttle works in slices of 100 ms, so that
//! percentiles, knee and depth are those of the slices.

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
