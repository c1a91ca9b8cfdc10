//! Signals to other processes.

use std::io;

use super::call::check;

/// Sends `signal` to the process with this number. Only for one that has not been waited for: before that its number
/// cannot become another's.
///
/// # Errors
/// What the kernel says: no such process, or one that is not ours.
pub fn send_signal(process: u32, signal: i32) -> io::Result<()> {
    // Numbers above that are no process's, and negative ones would mean a whole group.
    let process = libc::pid_t::try_from(process).map_err(|_| io::Error::from_raw_os_error(libc::ESRCH))?;
    // SAFETY: `kill` takes two numbers and touches no memory of ours.
    check(unsafe { libc::kill(process, signal) }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn a_child_hears_its_signal() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        send_signal(child.id(), libc::SIGTERM).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM));
        assert!(send_signal(u32::MAX, libc::SIGTERM).is_err(), "never everybody");
    }
}
