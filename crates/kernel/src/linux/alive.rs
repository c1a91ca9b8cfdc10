//! A mark on a file that lasts as long as the process that made it: a lock on a byte far beyond the end of any file,
//! which the kernel releases however that process ends.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::call::check;

/// The byte that is locked: beyond the end of any file, and SQLite's own locks lie at 1 GiB (SQLite's file format, section 1.4).
const BYTE: libc::off_t = 1 << 62;

/// Marks `file`, which is open for writing, until it and all its duplicates are closed. The lock belongs to the open file,
/// not to the process, so that SQLite's locks and ours do not release each other (fcntl(2), open file description locks).
///
/// # Errors
/// The kernel's error: somebody else has marked it, or the file system has no locks.
pub fn mark_alive(file: &File) -> io::Result<()> {
    ask(file, libc::F_OFD_SETLK).map(drop)
}

/// Whether a process that marked the file at `path` still exists; also `false` if that cannot be known, for a copy of the
/// file, and for anything but a regular file.
pub fn is_alive(path: &Path) -> bool {
    let opened = std::fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    let plain = opened.ok().filter(|file| file.metadata().is_ok_and(|about| about.is_file()));
    let found = plain.and_then(|file| ask(&file, libc::F_OFD_GETLK).ok());
    found.is_some_and(|kind| kind != libc::F_UNLCK)
}

/// Requests the lock or queries its holder, as `how` says; returns the resulting kind of lock.
fn ask(file: &File, how: libc::c_int) -> io::Result<libc::c_int> {
    // SAFETY: `flock` is a struct of integers, for which all zeros is a value; l_pid must be zero.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    (lock.l_start, lock.l_len) = (BYTE, 1);
    // SAFETY: the descriptor is open, and `lock` is a valid place that outlives the call.
    check(unsafe { libc::fcntl(file.as_raw_fd(), how, &raw mut lock) })?;
    Ok(libc::c_int::from(lock.l_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_seen_until_its_last_holder_is_gone_and_not_on_a_copy() {
        let dir = tempfile::tempdir().unwrap();
        let (path, copy) = (dir.path().join("run"), dir.path().join("copy"));
        let file = File::create(&path).unwrap();
        assert!(!is_alive(&path), "nobody has marked it");
        mark_alive(&file).unwrap();
        std::fs::copy(&path, &copy).unwrap();
        assert!(is_alive(&path) && !is_alive(&copy));
        let held = file.try_clone().unwrap();
        drop(file);
        assert!(is_alive(&path), "a duplicate holds it");
        // Opened and closed by another part of this process, as SQLite does.
        drop(File::open(&path).unwrap());
        assert!(is_alive(&path));
        drop(held);
        assert!(!is_alive(&path));
        assert!(!is_alive(dir.path()) && !is_alive(&dir.path().join("none")));
    }
}
