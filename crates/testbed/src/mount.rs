//! The FUSE connection to the kernel: mounted, found among all others, aborted.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Bash commands that abort the connection of the mount on `$1` and remove the mount; they find the connection
/// themselves.
pub(crate) const UNDO: &str = "while read -r _ _ device _ point _; do \
    if [ \"$point\" = \"$1\" ]; then echo 1 >\"/sys/fs/fuse/connections/${device#*:}/abort\"; fi; \
    done </proc/self/mountinfo; umount -l \"$1\"; rmdir \"$1\"";

/// Folder in which the kernel shows its FUSE connections.
const CONNECTIONS: &str = "/sys/fs/fuse/connections";

/// Opens the FUSE device, not mounted yet. The descriptor is closed when a program is started.
pub(crate) fn open() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/fuse")
}

/// Mounts the file system that is served through `fuse` on `point`. The mount program gets the descriptor as
/// standard input and has ended when this returns, so that only this process keeps the connection.
pub(crate) fn mount(fuse: &File, point: &Path) -> io::Result<()> {
    let options = "fd=0,rootmode=40000,user_id=0,group_id=0,allow_other";
    let mut mount = Command::new("mount");
    mount.args(["-i", "-t", "fuse", "-o", options, "plimsoll-testbed"]).arg(point);
    done(mount.stdin(Stdio::from(fuse.try_clone()?)))
}

/// Runs a program to its end.
pub(crate) fn done(command: &mut Command) -> io::Result<()> {
    let out = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?.wait_with_output()?;
    match out.status.success() {
        true => Ok(()),
        false => Err(io::Error::other(String::from_utf8_lossy(&out.stderr).trim().to_owned())),
    }
}

/// Ensures that the folder of the connections exists.
pub(crate) fn show_connections() -> io::Result<()> {
    let mounts = std::fs::read_to_string("/proc/self/mounts")?;
    if mounts.lines().any(|line| line.split(' ').nth(1) == Some(CONNECTIONS)) {
        return Ok(());
    }
    done(Command::new("mount").args(["-t", "fusectl", "none", CONNECTIONS]).stdin(Stdio::null()))
}

/// Returns the file that aborts the connection of the mount on `point` when written to. Found without a
/// request to the mount itself, which may be silent.
pub(crate) fn abort_file(point: &Path) -> io::Result<PathBuf> {
    let number = connection(&std::fs::read_to_string("/proc/self/mountinfo")?, point);
    let number = number.ok_or_else(|| io::Error::other("the mount is not in /proc/self/mountinfo"))?;
    Ok(Path::new(CONNECTIONS).join(number).join("abort"))
}

/// Returns the minor number of the file system on `point`, under which its connection is shown.
fn connection(mounts: &str, point: &Path) -> Option<String> {
    let point = point.to_str()?;
    let mine = |line: &&str| line.split(' ').nth(4) == Some(point);
    let line = mounts.lines().rev().find(mine)?;
    let (_, minor) = line.split(' ').nth(2)?.split_once(':')?;
    Some(minor.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_is_that_of_the_mount_on_top() {
        let mounts = "41 27 0:38 / /tmp/a rw - fuse x rw\n42 27 0:39 / /tmp/m rw - fuse x rw\n\
                      43 42 0:44 / /tmp/m rw - fuse x rw\n";
        assert_eq!(connection(mounts, Path::new("/tmp/m")), Some("44".to_owned()));
        assert_eq!(connection(mounts, Path::new("/tmp/n")), None);
    }
}
