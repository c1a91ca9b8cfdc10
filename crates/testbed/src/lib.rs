//! What tests need of a machine, all of it undone when they end.
//!
//! A file that fails on command stands in for a real device that would have to break. [`Device`] is one file
//! in a directory of its own, served by a thread of this process through the kernel's FUSE. It answers
//! normally until a test makes it fail, shorten, delay, fall silent, shrink, drop out or heal; and it takes
//! as long as a [`Character`] says. The kernel above it is the real one, so a program sees what it would see
//! of a broken disk or a hung network mount. [`LoopOver`] makes a block device of it.
//!
//! [`QemuThrottle`] is a file that a throttle group of QEMU limits: a limiter that is not ours.
//!
//! [`Disk`], [`Volume`] and [`MountGuard`] are storage of a test's own, [`Throttle`] limits it through control groups
//! of version 1 or 2, [`Running`] is a program at work beside the test, [`Neighbours`] and [`RunDelay`] show
//! whether others had the processors, and [`skipped`] is how every test reports that this machine cannot run it.
//!
//! They undo themselves even if the test is killed: a [`Watchdog`] aborts the connection, detaches and unmounts.
//!
//! ```no_run
//! use testbed::{Device, Errno, Ops};
//!
//! let Some(device) = Device::or_skip(64 << 20) else { return };
//! device.fail(4096..8192, Ops::READ, Errno::EIO);
//! // … a program reads device.path() …
//! assert_eq!(device.tally(Ops::READ).failed, 1);
//! device.heal();
//! ```

#![allow(clippy::unwrap_used, reason = "what sets a test up may fail it")]

mod character;
mod contents;
mod delay;
mod device;
mod disk;
mod faults;
mod loops;
mod machine;
mod mount;
mod neighbours;
mod program;
mod protocol;
mod qemu;
mod server;
mod shape;
mod skip;
mod tally;
mod throttle;
mod tree;
mod watchdog;

pub use character::{Character, Stalls, Takes};
pub use delay::RunDelay;
pub use device::{Caching, Device};
pub use disk::{Disk, MountGuard, Volume, ext4_at, loop_of, loop_over};
pub use faults::{Errno, Ops};
pub use loops::{LoopOver, Through};
pub use machine::{
    Undo, build_folder, directory, fingerprint, has, is_root, root_or_skip, run, text, unnamed, write_data,
};
pub use neighbours::Neighbours;
pub use program::{ProgramOutput, Running, comes_true, ended, has_ended, squeezed};
pub use qemu::QemuThrottle;
pub use shape::same_shape;
pub use skip::{Lack, SKIPS, skipped, skips_so_far};
pub use tally::{ArrivedRequest, Outcome, Tally};
pub use throttle::{MemoryGroup, Throttle};
pub use watchdog::{Until, Watchdog};
