//! Uses that forbid writing, and their descriptions.

use std::fmt;
use std::path::PathBuf;

use crate::linux::process::Process;

/// A use of a device or file that forbids writing to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// `device`, which shares bytes with the target, is mounted at `point`.
    Mounted {
        /// The kernel's name.
        device: String,
        /// The mount point.
        point: PathBuf,
        /// A process that sees the mount, if this process does not (a container).
        seen_by: Option<Process>,
    },
    /// `device` is in use as swap space.
    Swap {
        /// The kernel's name, or the path of a file.
        device: String,
    },
    /// `holder` (a mapping, an array, …) is built on `device`.
    Built {
        /// The kernel's name.
        device: String,
        /// The kernel's name of the device built on it.
        holder: String,
    },
    /// The loop device `holder` is attached to `device`.
    Loop {
        /// The kernel's name, or the path of a file.
        device: String,
        /// The loop device's name.
        holder: String,
    },
    /// The loop device `holder` does not report its backing, or may not be asked, and may be attached to the target.
    Silent {
        /// The loop device's name.
        holder: String,
    },
    /// This machine exports `device` to others as a disk.
    Served {
        /// The kernel's name, or the path of a file.
        device: String,
        /// The service that exports it.
        by: String,
    },
    /// Something writes to `device`, but no process is seen to have it open.
    Written {
        /// The kernel's name.
        device: String,
        /// Written units of 512 bytes within 0.3 s; zero if a write was in flight and none completed.
        sectors: u64,
    },
    /// A process has `device` open for writing.
    Open {
        /// The kernel's name, or the path of a file.
        device: String,
        /// The process.
        process: Process,
    },
    /// A ring of io_uring did not report its registered files, which may include the target.
    UnsaidRing {
        /// The process that owns the ring.
        process: Process,
    },
    /// The kernel reports that the file `device` is open for writing, but no process is seen to have it open.
    OpenUnseen {
        /// The path of the file.
        device: String,
    },
    /// A program or the kernel holds `device` exclusively (`O_EXCL`), as a mount does.
    Claimed {
        /// The kernel's name.
        device: String,
    },
    /// A program has locked `device` (`flock`), as programs do that change the contents of a disk.
    Locked {
        /// The kernel's name.
        device: String,
        /// The process, if it is seen.
        process: Option<Process>,
    },
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hold::Mounted { device, point, seen_by } => {
                write!(f, "{device} is mounted at {}", point.display())?;
                match seen_by {
                    Some(process) => write!(f, " for {process}"),
                    None => Ok(()),
                }
            }
            Hold::Swap { device } => write!(f, "{device} is in use as swap space"),
            Hold::Built { device, holder } => write!(f, "{holder} is built on {device}"),
            Hold::Loop { device, holder } => write!(f, "the loop device {holder} is attached to {device}"),
            Hold::Silent { holder } => {
                write!(f, "the loop device {holder} may be attached to it and cannot be asked what it shows")
            }
            Hold::Served { device, by } => write!(f, "{device} is served to other machines by {by}"),
            Hold::Written { device, sectors } => {
                write!(
                    f,
                    "something that cannot be seen from here is writing to {device}: {sectors} sectors within 0.3 s"
                )
            }
            Hold::Open { device, process } => write!(f, "{process} has {device} open for writing"),
            Hold::UnsaidRing { process } => {
                write!(f, "{process} has a ring of io_uring that does not say which files it has registered")
            }
            Hold::OpenUnseen { device } => {
                write!(
                    f,
                    "a process that cannot be seen from here, or the kernel, has {device} open for writing"
                )
            }
            Hold::Claimed { device } => write!(f, "another program or the kernel holds {device} exclusively"),
            Hold::Locked { device, process: Some(process) } => write!(f, "{process} has locked {device}"),
            Hold::Locked { device, process: None } => write!(f, "another program has locked {device}"),
        }
    }
}
