//! Devices, mounts, limits and other facilities for tests, all of them removed when a test ends.
//!
//! A file that fails on command stands in for a broken device. [`Device`] is one file in a separate directory,
//! served by a thread of this process through the kernel's FUSE. It answers normally until a test makes it fail,
//! shorten, delay, fall silent, shrink, drop out or heal; a [`Character`] sets its timing. The kernel above the
//! device is the real one, so a program sees it as it would see a broken disk or a hung network mount.
//! [`LoopOver`] makes a block device of the file.
//!
//! [`QemuThrottle`] is a file limited by a throttle group of QEMU, an independent rate limiter.
//!
//! [`Disk`], [`Volume`] and [`MountGuard`] are storage for one test, [`Throttle`] limits it through control groups
//! of version 1 or 2, [`Running`] is a program that runs beside the test, [`Neighbours`] and [`RunDelay`] show
//! whether others used the processors, and with [`skipped`] a test reports that this machine cannot run it.
//!
//! Everything is removed even if the test is killed: a [`Watchdog`] aborts the connection, detaches and unmounts.
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
