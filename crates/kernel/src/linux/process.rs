//! Other processes: which there are, what they are called, and signals to them.

use std::fmt;
use std::io;
use std::path::Path;

use super::call::check;

/// A process, for people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its name, at most 15 bytes, without control characters.
    pub name: String,
}

impl Process {
    /// The process with this number under `root` (normally `/`).
    pub(crate) fn read(root: &Path, pid: u32) -> Process {
        let comm = std::fs::read(root.join(format!("proc/{pid}/comm"))).unwrap_or_default();
        // Whoever runs a process chooses its name, escapes of a terminal among it.
        let name = String::from_utf8_lossy(&comm).trim().chars().filter(|c| !c.is_control()).collect();
        Process { pid, name }
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.is_empty() {
            true => write!(f, "process {}", self.pid),
            false => write!(f, "{} (process {})", self.name, self.pid),
        }
    }
}

/// Numbers of all processes under `root` (normally `/`), lowest first.
pub(crate) fn processes(root: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir(root.join("proc")).into_iter().flatten().flatten();
    let mut found: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    found.sort_unstable();
    found
}

/// Whether two threads, by their numbers in `/proc` under `root`, are known to have one table of descriptors (kcmp(2)); a
/// kernel without that call, or a `/proc` with other numbers than this process sees, does not say.
pub(crate) fn share_files(root: &Path, one: u32, other: u32) -> bool {
    /// <linux/kcmp.h>
    const KCMP_FILES: libc::c_int = 2;
    if own_number(root) != Some(std::process::id()) {
        return false;
    }
    // SAFETY: the call takes numbers alone, and touches no memory of ours.
    let said = unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_FILES, 0_u64, 0_u64) };
    said == 0
}

/// The number of this process as `/proc` under `root` has it, which may be that of another namespace.
pub(crate) fn own_number(root: &Path) -> Option<u32> {
    std::fs::read_link(root.join("proc/self")).ok()?.to_str()?.parse().ok()
}

/// Whether the process with this number is a copy of the process `own` that has not begun its program yet: what lies between
/// fork and exec has every descriptor of its parent open, and closes them at once (fork(2), execve(2)).
pub(crate) fn is_unbegun_child(root: &Path, pid: u32, own: u32) -> bool {
    let of = |pid: u32, name: &str| root.join(format!("proc/{pid}/{name}"));
    let same = |name| matches!((std::fs::read(of(pid, name)), std::fs::read(of(own, name))), (Ok(a), Ok(b)) if a == b);
    let program = |pid| std::fs::read_link(of(pid, "exe")).ok();
    parent(root, pid) == Some(own)
        && same("cmdline")
        && program(pid).is_some_and(|of| Some(of) == program(own))
}

/// The number of the process that made the one with this number: the second word behind its name in `/proc/PID/stat`.
fn parent(root: &Path, pid: u32) -> Option<u32> {
    let stat = std::fs::read(root.join(format!("proc/{pid}/stat"))).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name may hold brackets and blanks itself.
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(1)?.parse().ok()
}

/// Sends `signal` to the process with this number. Only for one that has not been waited for: before that its number
/// cannot become another's.
///
/// # Errors
/// What the kernel says: no such process, or one that is not ours.
pub fn send_signal(process: u32, signal: i32) -> io::Result<()> {
    // Numbers above that are no process's, negative ones would mean a whole group, and 0 our own.
    let process = libc::pid_t::try_from(process).ok().filter(|&process| process > 0);
    let process = process.ok_or_else(|| io::Error::from_raw_os_error(libc::ESRCH))?;
    // SAFETY: `kill` takes two numbers and touches no memory of ours.
    check(unsafe { libc::kill(process, signal) }).map(drop)
}

/// Sends `signal` to the process with this number and to all that it has started in the group that it leads. Only for one
/// that was started as the leader of a group of its own, and that has not been waited for.
///
/// # Errors
/// What the kernel says: no such group, or one that is not ours.
pub fn send_signal_to_group(leader: u32, signal: i32) -> io::Result<()> {
    // 0 and 1 would mean our own group and everybody.
    let leader = libc::pid_t::try_from(leader).ok().filter(|&leader| leader > 1);
    let leader = leader.ok_or_else(|| io::Error::from_raw_os_error(libc::ESRCH))?;
    // SAFETY: `kill` takes two numbers and touches no memory of ours.
    check(unsafe { libc::kill(-leader, signal) }).map(drop)
}

/// Takes one of `signals` that this process was sent and that no thread has taken yet; false where there is none. A handler
/// runs in the first thread where that can be, and while the kernel holds that thread nobody hears of the signal.
pub fn take_pending_signal(signals: &[i32]) -> bool {
    let no_time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a set of signals is made of integers, for which all zeros is a value; the calls read or write what is given,
    // which lives on the stack, and a null pointer asks for no details.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in signals {
            libc::sigaddset(&raw mut set, *signal);
        }
        libc::sigtimedwait(&raw const set, std::ptr::null_mut(), &raw const no_time) > 0
    }
}

/// Lets this process have as many files open as it may at all: shells give it few by default, and a job may name thousands.
/// Where the kernel refuses, it has as many as before.
pub fn allow_open_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls read or write the value that is given, which lives on the stack.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 && limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    /// A `/proc` of three processes: this one, a copy of it, and a program that it started.
    fn three(root: &Path) {
        for (pid, parent, line, program) in [
            (5, 1, "plimsoll\0check", "/plimsoll"),
            (6, 5, "plimsoll\0check", "/plimsoll"),
            (7, 5, "sleep\09", "/sleep"),
        ] {
            let folder = root.join(format!("proc/{pid}"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("stat"), format!("{pid} (a) b) S {parent} 5 5")).unwrap();
            std::fs::write(folder.join("cmdline"), line).unwrap();
            std::os::unix::fs::symlink(program, folder.join("exe")).unwrap();
        }
    }

    #[test]
    fn a_copy_that_has_not_begun_its_program_is_told_from_a_program() {
        let root = tempfile::tempdir().unwrap();
        three(root.path());
        assert!(is_unbegun_child(root.path(), 6, 5));
        assert!(!is_unbegun_child(root.path(), 7, 5), "another program");
        assert!(!is_unbegun_child(root.path(), 5, 6), "the parent");
        assert!(!is_unbegun_child(root.path(), 9, 5), "none");
    }

    #[test]
    fn a_child_hears_its_signal() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        send_signal(child.id(), libc::SIGTERM).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM));
        assert!(send_signal(u32::MAX, libc::SIGTERM).is_err(), "never everybody");
        assert!(send_signal(0, 0).is_err(), "never our own group");
        for nobody in [0, 1, u32::MAX] {
            assert!(send_signal_to_group(nobody, 0).is_err(), "never our own group, and never everybody");
        }
    }
}
