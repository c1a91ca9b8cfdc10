//! A file that fails on command: the device that tests measure where a real one would have to break.
//!
//! [`Device`] is one file in a directory of its own, served by a thread of this process through the kernel's FUSE. It
//! answers until it is told otherwise: it fails, shortens, delays, falls silent, shrinks, drops out, and heals. The kernel
//! above it is the real one, so what a program sees is what it would see of a broken disk or a hung network mount.
//! [`LoopOver`] makes a block device of it.
//!
//! They undo themselves also where the test is killed: a [`Watchdog`] aborts the connection, detaches and unmounts.
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

mod contents;
mod device;
mod faults;
mod loops;
mod mount;
mod protocol;
mod server;
mod tally;
mod tree;
mod watchdog;

pub use device::{Caching, Device};
pub use faults::{Errno, Ops};
pub use loops::{LoopOver, Through};
pub use tally::{Outcome, Seen, Tally};
pub use watchdog::{Until, Watchdog};
