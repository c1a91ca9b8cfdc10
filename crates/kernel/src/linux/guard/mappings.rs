//! Files and devices that processes have mapped for writing: they stay in use even with no descriptor left.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::store::Store;

/// Longest time that one process may take to answer: a change to its memory map blocks readers of it.
const PATIENCE: Duration = Duration::from_secs(1);
/// Number of processes that may fail to answer before the rest are not asked.
const SILENT: usize = 10;

/// A file or device that a process has mapped shared, from a descriptor open for writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SharedMapping {
    /// This device or file, whatever its name.
    Known(Store),
    /// The name that the process uses, because the kernel does not let this process look at the file.
    Named(PathBuf),
}

/// Finds the writable mappings of each of the processes with these ids.
pub(super) fn mapped(root: &Path, processes: &[u32]) -> Vec<(u32, SharedMapping)> {
    let (mut found, mut next) = (Vec::new(), 0);
    for _ in 0..SILENT {
        let told = ask_in_thread(root, &processes[next..]);
        while let Ok((pid, all)) = told.recv_timeout(PATIENCE) {
            found.extend(all.into_iter().map(|one| (pid, one)));
            next += 1;
        }
        // Skip the process that does not answer.
        next += 1;
        if next >= processes.len() {
            break;
        }
    }
    found
}

/// Sends each answer as it is found, in the order of `processes`.
fn ask_in_thread(root: &Path, processes: &[u32]) -> Receiver<(u32, Vec<SharedMapping>)> {
    let (sender, receiver) = channel();
    let (root, processes) = (root.to_owned(), processes.to_owned());
    let work = move || {
        for pid in processes {
            if sender.send((pid, mapped_by(&root, pid))).is_err() {
                return;
            }
        }
    };
    // Without a thread there are no answers.
    drop(std::thread::Builder::new().name("mappings".to_owned()).spawn(work));
    receiver
}

fn mapped_by(root: &Path, pid: u32) -> Vec<SharedMapping> {
    // If the first thread of a process has ended, another thread still has the map.
    let threads = super::writers::threads(root, pid);
    let told = [pid].into_iter().chain(threads).find_map(|thread| {
        let folder = root.join(format!("proc/{thread}"));
        let text = std::fs::read(folder.join("maps")).ok().filter(|text| !text.is_empty())?;
        Some((folder, String::from_utf8_lossy(&text).into_owned()))
    });
    told.map(|(folder, text)| shared(&text).into_iter().filter_map(|line| line.asked(&folder)).collect())
        .unwrap_or_default()
}

/// A line of `/proc/PID/maps` (proc(5)) that is a shared mapping of a file or device: range, mode, offset, device, inode,
/// name.
#[derive(Debug, PartialEq, Eq)]
struct Line<'t> {
    /// The address range in the form of `/proc/PID/map_files`.
    range: String,
    is_written: bool,
    /// Device and inode of the file at the name: for a block device those of its node.
    numbers: (&'t str, &'t str),
    name: PathBuf,
}

impl Line<'_> {
    fn read(text: &str) -> Option<Line<'_>> {
        let mut words = text.split_whitespace();
        let (range, mode, _, device, inode) =
            (words.next()?, words.next()?.as_bytes(), words.next()?, words.next()?, words.next()?);
        let name = text.find('/').filter(|_| mode.get(3) == Some(&b's'))?;
        let (from, to) = range.split_once('-')?;
        let bare = |word: &str| word.trim_start_matches('0').to_owned();
        Some(Line {
            range: format!("{}-{}", bare(from), bare(to)),
            is_written: mode.get(1) == Some(&b'w'),
            numbers: (device, inode),
            name: PathBuf::from(text.get(name..)?.replace("\\012", "\n")),
        })
    }

    /// Returns the mapped file: by the kernel's link to it, whose mode is that of the open file, otherwise by its name.
    fn asked(self, folder: &Path) -> Option<SharedMapping> {
        let link = folder.join("map_files").join(self.range);
        let is_open_for_writing = |link: std::fs::Metadata| link.permissions().mode() & 0o200 != 0;
        match std::fs::symlink_metadata(&link).map(is_open_for_writing) {
            Ok(false) => return None,
            Ok(true) => {}
            Err(_) if self.is_written => return Some(SharedMapping::Named(self.name)),
            Err(_) => return None,
        }
        match std::fs::metadata(&link) {
            Ok(found) => Store::of(&found).map(SharedMapping::Known),
            Err(_) => Some(SharedMapping::Named(self.name)),
        }
    }
}

/// The shared mappings in `text`, each device or file once.
fn shared(text: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = text.lines().filter_map(Line::read).collect();
    lines.sort_by(|a, b| (a.numbers, b.is_written).cmp(&(b.numbers, a.is_written)));
    lines.dedup_by(|a, b| a.numbers == b.numbers && a.name == b.name);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_is_told_once_with_the_range_that_the_kernel_links_to() {
        let text = "00007f52-7f53 r--s 00000000 00:06 100                        /dev/loop6\n\
                    7f53-7f54 rw-s 00001000 00:06 100                        /dev/loop6\n\
                    7f54-7f55 r--s 00000000 00:06 101                        /dev/loop7\n\
                    7f55-7f56 rw-p 00000000 fe:00 102                        /usr/lib/a b\n\
                    7f56-7f57 rw-s 00000000 fe:00 103                        /srv/a b\n\
                    7f57-7f58 rw-p 00000000 00:00 0                          [heap]\n";
        let told: Vec<_> =
            shared(text).into_iter().map(|line| (line.range, line.is_written, line.name)).collect();
        let line = |range: &str, is_written, name: &str| (range.to_owned(), is_written, PathBuf::from(name));
        assert_eq!(
            told,
            [
                line("7f53-7f54", true, "/dev/loop6"),
                line("7f54-7f55", false, "/dev/loop7"),
                line("7f56-7f57", true, "/srv/a b"),
            ]
        );
    }

    #[test]
    fn what_is_mapped_here_is_known_by_its_numbers_also_without_a_name() {
        use std::os::fd::AsRawFd;
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(4096).unwrap();
        let store = Store::of(&file.as_file().metadata().unwrap()).unwrap();
        // SAFETY: a new mapping of a file that stays open; nobody reads or writes it.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                4096,
                libc::PROT_READ,
                libc::MAP_SHARED,
                file.as_file().as_raw_fd(),
                0,
            )
        };
        assert_ne!(at, libc::MAP_FAILED);
        file.into_temp_path().close().unwrap();
        let found = mapped(Path::new("/"), &[std::process::id()]);
        // SAFETY: the mapping from above, which nobody uses.
        unsafe { libc::munmap(at, 4096) };
        if crate::linux::folder::effective_user() != 0 {
            return testbed::skipped(testbed::Lack::Root, "what is mapped is looked at by root alone");
        }
        assert!(found.iter().any(|(_, mapped)| *mapped == SharedMapping::Known(store.clone())), "{found:?}");
    }
}
