//! A file limited by QEMU's throttle groups: an independent rate limiter with bursts, totals and an accounting unit.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::machine::write_data;
use crate::program::comes_true;
use crate::skip::{Lack, skipped};
use crate::watchdog::{Until, Watchdog};

/// The program that exports the file; in the package qemu-system-common on Debian.
const DAEMON: &str = "qemu-storage-daemon";
/// Directory on a disk: a file in memory has no latency, and swap must not affect it.
const ON_DISK: &str = "/var/tmp";
/// Bash commands that end the daemon `$1`, remove the mount `$2` and the folder `$3`.
const UNDO: &str = "kill \"$1\"; umount -l \"$2\"; rm -rf \"$3\"";

/// A raw file of real data, limited by a throttle group and served through FUSE by QEMU's storage daemon. Removed
/// on drop or when the test is killed; drop any device stacked on it first.
///
/// The daemon serves one request at a time and splits those above 64 KiB at its own size, so caps are judged at up to 64 KiB.
#[derive(Debug)]
pub struct QemuThrottle {
    daemon: Child,
    file: PathBuf,
    /// Removes what the daemon leaves.
    _watchdog: Watchdog,
}

impl QemuThrottle {
    /// Returns a file of `mib` MiB in a group with these limits, named as in QEMU: `iops-total`, `bps-read-max`,
    /// `iops-total-max-length` (seconds), `iops-size` (bytes). `None`, and a skip, if this machine cannot make one.
    pub fn or_skip(mib: usize, limits: &[(&str, u64)]) -> Option<QemuThrottle> {
        let found =
            Command::new(DAEMON).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if found.is_err() {
            skipped(Lack::Tool, format!("{DAEMON} is not installed (qemu-system-common)"));
            return None;
        }
        let made = QemuThrottle::serve(mib, limits);
        made.inspect_err(|why| skipped(Lack::Kernel, format!("{DAEMON} serves no file: {why}"))).ok()
    }

    fn serve(mib: usize, limits: &[(&str, u64)]) -> std::io::Result<QemuThrottle> {
        let folder = tempfile::Builder::new().prefix("plimsoll-qemu-").tempdir_in(ON_DISK)?.keep();
        let (stored, file) = (folder.join("stored.raw"), folder.join("throttled.raw"));
        write_data(&stored, mib);
        std::fs::write(&file, "")?;
        let limits: String = limits.iter().map(|(name, value)| format!(",limits.{name}={value}")).collect();
        let mut daemon = Command::new(DAEMON);
        daemon.args([
            "--blockdev",
            &format!("driver=file,node-name=stored,filename={},cache.direct=on", stored.display()),
            "--blockdev",
            "driver=raw,node-name=raw,file=stored",
            "--object",
            &format!("throttle-group,id=group{limits}"),
            "--blockdev",
            "driver=throttle,node-name=throttled,throttle-group=group,file=raw",
            "--export",
            &format!("type=fuse,id=export,node-name=throttled,mountpoint={},writable=on", file.display()),
        ]);
        let mut daemon = daemon.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let (id, point, place) = (daemon.id().to_string(), text(&file), text(&folder));
        let watchdog = Watchdog::new(Until::Closed, UNDO, &[&id, &point, &place])?;
        let up = comes_true(|| is_mounted(&point) || !matches!(daemon.try_wait(), Ok(None)));
        if !up || !is_mounted(&point) {
            let mut said = String::new();
            let _ = daemon.kill();
            let _ = daemon.stderr.take().map(|mut pipe| pipe.read_to_string(&mut said));
            let _ = daemon.wait();
            return Err(std::io::Error::other(said.trim().to_owned()));
        }
        Ok(QemuThrottle { daemon, file, _watchdog: watchdog })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.file
    }
}

impl Drop for QemuThrottle {
    fn drop(&mut self) {
        // The daemon removes its mount itself when asked to end; the watchdog removes the rest.
        let asked = Command::new("kill").arg(self.daemon.id().to_string()).status();
        if asked.is_err() || !comes_true(|| !matches!(self.daemon.try_wait(), Ok(None))) {
            let _ = self.daemon.kill();
            let _ = self.daemon.wait();
        }
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn is_mounted(point: &str) -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    mounts.lines().any(|line| line.split(' ').nth(1) == Some(point))
}
