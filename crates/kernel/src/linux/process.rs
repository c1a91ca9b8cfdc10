//! Other processes: their ids and names, and signals to them.

use std::fmt;
use std::io;
use std::path::Path;

use super::call::check;

/// A process, as shown to the user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    /// The process id.
    pub pid: u32,
    /// Name of the process, at most 15 bytes, without control characters.
    pub name: String,
}

impl Process {
    /// Reads the process with this id under `root` (normally `/`).
    pub fn read(root: &Path, pid: u32) -> Process {
        let comm = std::fs::read(root.join(format!("proc/{pid}/comm"))).unwrap_or_default();
        // The user who runs a process chooses its name, which may contain terminal escapes.
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

/// Ids of all processes under `root` (normally `/`), lowest first.
pub fn processes(root: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir(root.join("proc")).into_iter().flatten().flatten();
    let mut found: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    found.sort_unstable();
    found
}

/// Whether two threads, by their ids in `/proc` under `root`, are known to share a table of descriptors (kcmp(2)).
/// False if unknown: the kernel has no such call, or the ids in `/proc` are not those that this process sees.
pub(crate) fn share_files(root: &Path, one: u32, other: u32) -> bool {
    /// From <linux/kcmp.h>.
    const KCMP_FILES: libc::c_int = 2;
    if own_number(root) != Some(std::process::id()) {
        return false;
    }
    // SAFETY: the call takes only numbers.
    let said = unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_FILES, 0_u64, 0_u64) };
    said == 0
}

/// The id of this process in `/proc` under `root`, which may belong to another namespace.
pub(crate) fn own_number(root: &Path) -> Option<u32> {
    std::fs::read_link(root.join("proc/self")).ok()?.to_str()?.parse().ok()
}

/// Whether the process with this id is a child of the process `own` that has not executed its program yet: between fork
/// and exec it has every descriptor of its parent open, and closes them at once (fork(2), execve(2)).
pub(crate) fn is_unbegun_child(root: &Path, pid: u32, own: u32) -> bool {
    let of = |pid: u32, name: &str| root.join(format!("proc/{pid}/{name}"));
    let same = |name| matches!((std::fs::read(of(pid, name)), std::fs::read(of(own, name))), (Ok(a), Ok(b)) if a == b);
    let program = |pid| std::fs::read_link(of(pid, "exe")).ok();
    parent(root, pid) == Some(own)
        && same("cmdline")
        && program(pid).is_some_and(|of| Some(of) == program(own))
}

/// The id of the parent process: the second word after the name in `/proc/PID/stat`.
fn parent(root: &Path, pid: u32) -> Option<u32> {
    let stat = std::fs::read(root.join(format!("proc/{pid}/stat"))).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name itself may contain parentheses and spaces.
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(1)?.parse().ok()
}

/// Sends `signal` to the process with this id. Only for a child that has not been waited for: until then its id cannot
/// be reused for another process.
///
/// # Errors
/// The kernel's error: there is no such process, or this user may not signal it.
pub fn send_signal(process: u32, signal: i32) -> io::Result<()> {
    // A larger number is no process id; a negative one would mean a whole group, and 0 this process's group.
    let process = libc::pid_t::try_from(process).ok().filter(|&process| process > 0);
    let process = process.ok_or_else(|| io::Error::from_raw_os_error(libc::ESRCH))?;
    // SAFETY: `kill` takes two numbers and no pointer.
    check(unsafe { libc::kill(process, signal) }).map(drop)
}

/// Sends `signal` to the group that the process with this id leads: the leader and all processes it started in the
/// group. Only for a child that was started as the leader of its own group and has not been waited for.
///
/// # Errors
/// The kernel's error: there is no such group, or this user may not signal it.
pub fn send_signal_to_group(leader: u32, signal: i32) -> io::Result<()> {
    // 0 would mean this process's group, and 1 every process.
    let leader = libc::pid_t::try_from(leader).ok().filter(|&leader| leader > 1);
    let leader = leader.ok_or_else(|| io::Error::from_raw_os_error(libc::ESRCH))?;
    // SAFETY: `kill` takes two numbers and no pointer.
    check(unsafe { libc::kill(-leader, signal) }).map(drop)
}

/// Takes one of `signals` that is pending for this process; false if none is. A signal is handled in a thread that the
/// kernel picks, and stays pending while that thread is stuck in the kernel.
pub fn take_pending_signal(signals: &[i32]) -> bool {
    let no_time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a set of signals is made of integers, for which all zeros is a value; the calls read or write only the
    // given values, which live on the stack, and a null pointer requests no details.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in signals {
            libc::sigaddset(&raw mut set, *signal);
        }
        libc::sigtimedwait(&raw const set, std::ptr::null_mut(), &raw const no_time) > 0
    }
}

/// Raises this process's limit of open files to the hard limit: shells set a low default, and a job may name thousands.
/// If the kernel refuses, the limit is unchanged.
pub fn allow_open_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls read or write only the given value, which lives on the stack.
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

    /// Makes a `/proc` of three processes: this one, a copy of it, and a program that it started.
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
