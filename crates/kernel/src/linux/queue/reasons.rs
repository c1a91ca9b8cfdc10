//! Why a queue is not available on a machine, with the remedy.

use std::io;
use std::path::Path;

/// Returns why io_uring could not be set up. `disabled` is `/proc/sys/kernel/io_uring_disabled`, if that file exists.
pub(super) fn uring_reason(error: &io::Error, disabled: Option<u64>) -> String {
    match (error.raw_os_error(), disabled) {
        (Some(libc::EPERM), Some(2)) => {
            "switched off for everyone: kernel.io_uring_disabled is 2; set it to 0 with sysctl".to_owned()
        }
        (Some(libc::EPERM), Some(1)) => "switched off for users outside kernel.io_uring_group: \
             kernel.io_uring_disabled is 1; run as root or set it to 0 with sysctl"
            .to_owned(),
        (Some(libc::EPERM | libc::EACCES), _) => {
            "not permitted, probably by a seccomp filter, as containers have; allow io_uring_setup there"
                .to_owned()
        }
        (Some(libc::ENOSYS), _) => {
            "this kernel was built without it, is older than 5.1, or a container hides it".to_owned()
        }
        (Some(libc::ENOMEM), _) => {
            "not enough lockable memory for the ring; raise ulimit -l or ask for less depth".to_owned()
        }
        (Some(libc::EMFILE | libc::ENFILE), _) => "too many open files; raise ulimit -n".to_owned(),
        _ => format!("io_uring_setup says: {error}"),
    }
}

/// Returns [`uring_reason`] with this machine's value of `io_uring_disabled`.
pub(super) fn uring_reason_here(error: &io::Error) -> String {
    let switch = Path::new("/proc/sys/kernel/io_uring_disabled");
    uring_reason(error, crate::linux::device::read_number(switch))
}

/// Returns why a libaio context could not be made.
pub(super) fn aio_reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EAGAIN) => {
            "the machine's asynchronous I/Os are used up; raise fs.aio-max-nr with sysctl".to_owned()
        }
        Some(libc::ENOSYS) => "this kernel was built without it, or a container hides it".to_owned(),
        Some(libc::EPERM | libc::EACCES) => {
            "not permitted, probably by a seccomp filter; allow io_setup there".to_owned()
        }
        _ => format!("io_setup says: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_its_remedy() {
        let says = |errno, switch| uring_reason(&io::Error::from_raw_os_error(errno), switch);
        assert!(says(libc::EPERM, Some(2)).contains("io_uring_disabled is 2"));
        assert!(says(libc::EPERM, Some(1)).contains("io_uring_group"));
        assert!(says(libc::EPERM, None).contains("seccomp"));
        assert!(says(libc::EPERM, Some(0)).contains("seccomp"));
        assert!(says(libc::ENOSYS, None).contains("older than 5.1"));
        assert!(aio_reason(&io::Error::from_raw_os_error(libc::EAGAIN)).contains("aio-max-nr"));
    }
}
