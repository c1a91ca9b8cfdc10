//! A block device on a file that fails on command.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::mount::done;
use crate::skip::{Lack, skipped};
use crate::watchdog::{Until, Watchdog};

/// Path by which a loop device accesses its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// Without the page cache: each request to the device is one to the file.
    Direct,
    /// Through the page cache.
    Cache,
}

/// A loop device, detached on drop or when the test is killed. Drop it before the [`crate::Device`] below it.
#[derive(Debug)]
pub struct LoopOver {
    path: PathBuf,
    /// Detaches the device when dropped.
    _watchdog: Watchdog,
}

impl LoopOver {
    /// Attaches a loop device to the file; `None`, and a skip, if this machine makes none.
    pub fn or_skip(file: &Path, through: Through) -> Option<LoopOver> {
        let direct = if through == Through::Direct { "--direct-io=on" } else { "--direct-io=off" };
        LoopOver::with(file, &[direct])
    }

    /// Attaches a loop device to the file by losetup with `options`.
    pub fn with(file: &Path, options: &[&str]) -> Option<LoopOver> {
        let made = LoopOver::attach(file, options);
        made.inspect_err(|why| skipped(Lack::Kernel, format!("no loop device can be made: {why}"))).ok()
    }

    fn attach(file: &Path, options: &[&str]) -> io::Result<LoopOver> {
        let mut losetup = Command::new("losetup");
        losetup.args(["--find", "--show"]).args(options).arg(file);
        let out = losetup.stdin(Stdio::null()).output()?;
        if !out.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&out.stderr).trim().to_owned()));
        }
        let path = PathBuf::from(String::from_utf8_lossy(&out.stdout).trim());
        let node = path.display().to_string();
        // A read-only mark outlives the loop device: it stays with the device number for the next user.
        let watchdog = Watchdog::new(Until::Closed, "blockdev --setrw \"$1\"; losetup -d \"$1\"", &[&node]);
        let watchdog = watchdog.inspect_err(|_| drop(done(Command::new("losetup").arg("-d").arg(&path))))?;
        if !options.contains(&"--read-only") {
            done(Command::new("blockdev").arg("--setrw").arg(&path))?;
        }
        Ok(LoopOver { path, _watchdog: watchdog })
    }

    /// Returns `/dev/loopN`.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
