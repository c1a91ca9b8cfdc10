//! Reads small files of `/sys` with a time limit of a second: a wedged device blocks every reader of its settings, and
//! the kernel does not let that reader be killed. So a child process reads; a blocked child can be left behind, while a
//! blocked thread would keep its process from ending.

use std::ffi::CString;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::call::check;

/// Longest time that a device may take to report its settings.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);
/// Size limit of a file in `/sys`: a page.
const PAGE: usize = 4096;

/// The files of one device, as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeviceAnswer {
    /// Contents of the files, in the order requested; empty for a file that does not exist.
    Files(Vec<Vec<u8>>),
    /// The device did not answer in time.
    Silent,
}

/// Reads the files of several devices, a list of paths for each. Takes two seconds at most, however many are silent.
pub(crate) fn read(sets: &[Vec<PathBuf>]) -> Vec<DeviceAnswer> {
    let Some(reader) = Reader::start(sets) else {
        // If no process can be made, read without a time limit.
        return sets.iter().map(|set| DeviceAnswer::Files(set.iter().map(at_once).collect())).collect();
    };
    let mut told = allot(reader.files(Instant::now() + PATIENCE), sets);
    // A silent device blocked the child for the devices after it; each of these now gets a separate reader.
    let behind: Vec<usize> = (0..sets.len()).filter(|&at| told[at] == DeviceAnswer::Silent).skip(1).collect();
    let readers: Vec<_> = behind.iter().map(|&at| (at, Reader::start(&sets[at..=at]))).collect();
    let until = Instant::now() + PATIENCE;
    for (at, reader) in readers {
        let files = reader.map(|reader| reader.files(until)).unwrap_or_default();
        told.splice(at..=at, allot(files, &sets[at..=at]));
    }
    told
}

fn at_once(path: &PathBuf) -> Vec<u8> {
    std::fs::read(path).unwrap_or_default()
}

/// Assigns to each of `sets` its files, which arrive in the order of the paths; a set with files missing is silent.
fn allot(files: Vec<Vec<u8>>, sets: &[Vec<PathBuf>]) -> Vec<DeviceAnswer> {
    let mut files = files.into_iter();
    let mut of_set = |set: &Vec<PathBuf>| {
        let whole: Vec<Vec<u8>> = files.by_ref().take(set.len()).collect();
        if whole.len() == set.len() { DeviceAnswer::Files(whole) } else { DeviceAnswer::Silent }
    };
    sets.iter().map(&mut of_set).collect()
}

/// A child process that reads files.
struct Reader {
    child: libc::pid_t,
    pipe: OwnedFd,
}

impl Reader {
    /// Starts a child; `None` if no process can be made.
    fn start(sets: &[Vec<PathBuf>]) -> Option<Reader> {
        let path = |path: &PathBuf| CString::new(path.as_os_str().as_bytes()).unwrap_or_default();
        let paths: Vec<CString> = sets.iter().flatten().map(path).collect();
        let mut ends = [0; 2];
        // SAFETY: the array has room for two descriptors.
        check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }).ok()?;
        // SAFETY: both have just been opened and nobody else owns them.
        let (pipe, child_end) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
        // SAFETY: the child has only this thread, so it makes only system calls: it takes no lock, allocates no memory,
        // and exits without running destructors or exit handlers.
        match unsafe { libc::fork() } {
            -1 => None,
            0 => bring(&paths, child_end.as_raw_fd()),
            child => Some(Reader { child, pipe }),
        }
    }

    /// Collects the files that arrive before `until`, each preceded by its length.
    fn files(self, until: Instant) -> Vec<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut pipe = File::from(self.pipe);
        let mut page = [0; PAGE];
        while wait_for(pipe.as_raw_fd(), until) {
            match pipe.read(&mut page) {
                Ok(0) | Err(_) => break,
                Ok(count) => bytes.extend_from_slice(&page[..count]),
            }
        }
        // SAFETY: our own child, which nobody has waited for, so its number cannot belong to another process. A blocked
        // child ends when its device answers; nobody waits for it.
        unsafe {
            libc::kill(self.child, libc::SIGKILL);
            libc::waitpid(self.child, std::ptr::null_mut(), libc::WNOHANG);
        }
        split(&bytes)
    }
}

/// Waits until `pipe` can be read; false if `until` has passed.
fn wait_for(pipe: RawFd, until: Instant) -> bool {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut poll = libc::pollfd { fd: pipe, events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid entry, and the length passed is one.
        let ready = unsafe { libc::poll(&mut poll, 1, left.as_millis() as libc::c_int) };
        match ready {
            -1 if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            ready => return ready > 0,
        }
    }
}

/// Splits whole files, each preceded by its length.
fn split(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_ne_bytes(*head) as usize;
        let Some((file, rest)) = rest.split_at_checked(length) else { break };
        files.push(file.to_vec());
        bytes = rest;
    }
    files
}

/// The child's main: sends the files through `pipe` and exits.
fn bring(paths: &[CString], pipe: RawFd) -> ! {
    close_all_but(pipe);
    let mut page = [0u8; 4 + PAGE];
    for path in paths {
        // SAFETY: a path that ends with zero, a buffer that is long enough, a descriptor that was just opened; only
        // system calls, as required in a child of a process with threads.
        unsafe {
            let file = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NOCTTY);
            let read = if file < 0 { 0 } else { libc::read(file, page[4..].as_mut_ptr().cast(), PAGE) };
            let length = read.max(0) as usize;
            page[..4].copy_from_slice(&(length as u32).to_ne_bytes());
            libc::write(pipe, page.as_ptr().cast(), 4 + length);
            libc::close(file);
        }
    }
    // SAFETY: ends the child at once, without exit handlers.
    unsafe { libc::_exit(0) }
}

/// Closes all descriptors except `kept`: a child left behind must hold no lock, no device, and no pipe read to its end.
pub(crate) fn close_all_but(kept: RawFd) {
    let kept = kept as libc::c_uint;
    // SAFETY: the call takes only numbers; the child uses nothing that it closes. Kernels before 5.9 leave all open.
    unsafe {
        if kept > 0 {
            libc::syscall(libc::SYS_close_range, 0 as libc::c_uint, kept - 1, 0);
        }
        libc::syscall(libc::SYS_close_range, kept + 1, libc::c_uint::MAX, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(texts: &[&str]) -> DeviceAnswer {
        DeviceAnswer::Files(texts.iter().map(|text| text.as_bytes().to_vec()).collect())
    }

    /// Makes a pipe that nobody writes to: opening it blocks, like an attribute whose lock is held.
    fn wedge(path: &std::path::Path) {
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: a path that ends with zero.
        check(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }).unwrap();
    }

    #[test]
    fn a_device_that_holds_its_reader_keeps_nobody_from_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a", "b", "c", "d"] {
            std::fs::write(at(name), name.repeat(3)).unwrap();
        }
        wedge(&at("held"));
        wedge(&at("held too"));
        let set = |names: &[&str]| names.iter().map(|name| at(name)).collect::<Vec<_>>();
        let sets =
            [set(&["a", "missing"]), set(&["b", "held"]), set(&["c"]), set(&["held too", "a"]), set(&["d"])];
        let began = Instant::now();
        let told = read(&sets);
        assert_eq!(
            told,
            [
                files(&["aaa", ""]),
                DeviceAnswer::Silent,
                files(&["ccc"]),
                DeviceAnswer::Silent,
                files(&["ddd"])
            ]
        );
        assert!(began.elapsed() < PATIENCE * 10, "{:?}", began.elapsed());
        assert_eq!(read(&[]), []);
    }

    #[test]
    fn what_is_left_behind_holds_no_pipe_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let held = folder.path().join("held");
        wedge(&held);
        let (mut reader, writer) = std::io::pipe().unwrap();
        let left = Reader::start(&[vec![held]]).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        drop(writer);
        // Returns only when no copy of the other end is open any more.
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert!(left.files(Instant::now()).is_empty() && text.is_empty());
    }
}
