//! The parts of a lab volume: this kernel's loop devices and throttles.

mod loop_device;
pub(crate) mod loop_info;
mod throttle;

pub use loop_device::{AttachedLoop, LoopDevice, LoopError, LoopOptions, detach, loops};
pub use throttle::{
    Limits, Throttle, ThrottleError, change_limits, flushes_are_off, leftover_groups, let_flushes_through,
    limits_on, set_max_sectors_kb, throttle_version,
};
