//! The mark of a file that plimsoll laid out: an extended attribute that becomes invalid when anybody changes the file.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;

use super::{FileKind, OpenFile};
use crate::linux::call::{check, check_long, retry};

/// Name of the attribute.
const NAME: &std::ffi::CStr = c"user.plimsoll";
/// Longest value read, in bytes; plimsoll writes none that is longer.
const LONGEST: usize = 128;

/// Marks `file`, in its present state, as laid out by plimsoll. Later writes by anybody are not covered: the mark names
/// length, time of the last change and inode, so neither changed data nor a copy of the file passes for plimsoll's own.
///
/// # Errors
/// `EBADF` if the file was opened without a permit, `EINVAL` for a device, `EOPNOTSUPP` if the file system has no such
/// attributes; without a mark the file counts as somebody else's.
pub fn mark_laid_out(file: &OpenFile) -> io::Result<()> {
    if !file.is_writable() {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    if file.kind() != FileKind::Regular {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    let value = as_it_is(file.as_fd())?;
    // SAFETY: the descriptor is open; name and value live through the call, and the length is the value's.
    let set =
        || unsafe { libc::fsetxattr(file.as_raw_fd(), NAME.as_ptr(), value.as_ptr().cast(), value.len(), 0) };
    retry(|| check(set())).map(drop)
}

/// Whether plimsoll laid out the file and nobody has changed it since. False if this cannot be determined.
pub fn is_laid_out(file: &OpenFile) -> bool {
    let mut held = [0_u8; LONGEST];
    // SAFETY: the descriptor is open; the kernel writes at most the length of `held`.
    let mut get =
        || unsafe { libc::fgetxattr(file.as_raw_fd(), NAME.as_ptr(), held.as_mut_ptr().cast(), LONGEST) };
    let Ok(bytes) = check_long(get() as libc::c_long) else { return false };
    as_it_is(file.as_fd()).is_ok_and(|now| now.as_bytes() == &held[..bytes as usize])
}

/// Returns the value of a mark for the file in its present state.
fn as_it_is(fd: BorrowedFd<'_>) -> io::Result<String> {
    let facts = std::fs::File::from(fd.try_clone_to_owned()?).metadata()?;
    let (seconds, nanos) = (facts.mtime(), facts.mtime_nsec());
    Ok(format!("laid out: {} bytes at {seconds}.{nanos:09}, inode {}", facts.len(), facts.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::file::{Direct, open_for_read, open_for_write};
    use crate::linux::guard::permit_named_file;
    use std::io::Write;
    use std::path::Path;

    fn marked(path: &Path) -> bool {
        is_laid_out(&open_for_read(path, Direct::No).expect("it was made"))
    }

    #[test]
    fn a_mark_holds_until_somebody_changes_the_file_and_does_not_pass_to_a_copy() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a folder");
        let path = folder.path().join("f");
        std::fs::write(&path, [7; 4096]).expect("a file");
        assert!(!marked(&path));
        let permit = permit_named_file(&path).expect("leave");
        let file = open_for_write(&permit, Direct::No).expect("it is open");
        assert!(mark_laid_out(&open_for_read(&path, Direct::No).expect("it is there")).is_err());
        if let Err(error) = mark_laid_out(&file) {
            return testbed::skipped(testbed::Lack::Kernel, format!("no extended attributes here: {error}"));
        }
        assert!(marked(&path));
        let copy = folder.path().join("copy");
        let copied = std::process::Command::new("cp").args(["-a"]).arg(&path).arg(&copy).status();
        assert!(copied.is_ok_and(|status| status.success()) && !marked(&copy));
        std::thread::sleep(std::time::Duration::from_millis(20));
        // The length is unchanged, and the attribute is still there.
        std::fs::File::options().write(true).open(&path).expect("it is there").write_all(&[8]).expect("room");
        assert!(!marked(&path));
    }
}
