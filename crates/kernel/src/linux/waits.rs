//! What a sleeping task waits for, by the number of the system call that it is in.

/// What a system call waits for while the task in it sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallWait {
    /// The file, pipe or socket whose descriptor is the first argument.
    Descriptor,
    /// A file system that looks a name up or changes one.
    Name,
    /// Asynchronous I/O.
    Completion,
    /// A lock, or another thread.
    Lock,
    /// A moment in time.
    Time,
    /// Any of several descriptors.
    Events,
    /// A child process.
    Child,
    /// Anything else.
    Other,
}

/// System calls of this architecture whose waits are known. Those that wait uninterruptibly for a device are in no need
/// of a row unless their first argument is a descriptor.
const CALLS: &[(CallWait, &[libc::c_long])] = &[
    (
        CallWait::Descriptor,
        &[
            libc::SYS_read,
            libc::SYS_write,
            libc::SYS_pread64,
            libc::SYS_pwrite64,
            libc::SYS_readv,
            libc::SYS_writev,
            libc::SYS_preadv,
            libc::SYS_pwritev,
            libc::SYS_preadv2,
            libc::SYS_pwritev2,
            libc::SYS_fsync,
            libc::SYS_fdatasync,
            libc::SYS_syncfs,
            libc::SYS_sync_file_range,
            libc::SYS_ftruncate,
            libc::SYS_fallocate,
            libc::SYS_getdents64,
            libc::SYS_close,
            libc::SYS_recvfrom,
            libc::SYS_recvmsg,
            libc::SYS_recvmmsg,
            libc::SYS_sendto,
            libc::SYS_sendmsg,
            libc::SYS_sendmmsg,
            libc::SYS_accept,
            libc::SYS_accept4,
            libc::SYS_connect,
        ],
    ),
    (
        CallWait::Name,
        &[
            libc::SYS_openat,
            libc::SYS_newfstatat,
            libc::SYS_statx,
            libc::SYS_unlinkat,
            libc::SYS_renameat2,
            libc::SYS_mkdirat,
        ],
    ),
    (CallWait::Completion, &[libc::SYS_io_getevents, libc::SYS_io_uring_enter]),
    (CallWait::Lock, &[libc::SYS_futex, libc::SYS_flock]),
    (CallWait::Time, &[libc::SYS_nanosleep, libc::SYS_clock_nanosleep, libc::SYS_rt_sigtimedwait]),
    (CallWait::Events, &[libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2]),
    (CallWait::Child, &[libc::SYS_wait4, libc::SYS_waitid, libc::SYS_clone, libc::SYS_clone3]),
    // Calls that only older architectures have.
    #[cfg(target_arch = "x86_64")]
    (CallWait::Name, &[libc::SYS_open, libc::SYS_stat, libc::SYS_unlink, libc::SYS_rename, libc::SYS_mkdir]),
    #[cfg(target_arch = "x86_64")]
    (CallWait::Events, &[libc::SYS_poll, libc::SYS_select, libc::SYS_epoll_wait]),
    #[cfg(target_arch = "x86_64")]
    (CallWait::Child, &[libc::SYS_vfork]),
];

/// Returns what the system call with this number, as in `/proc/PID/syscall`, waits for.
pub fn call_wait(number: i64) -> CallWait {
    let found = CALLS.iter().find(|(_, calls)| calls.iter().any(|&call| i64::from(call) == number));
    found.map_or(CallWait::Other, |(wait, _)| *wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_call_waits_for_two_things() {
        let all: Vec<i64> =
            CALLS.iter().flat_map(|(_, calls)| calls.iter().map(|&call| i64::from(call))).collect();
        assert!(all.iter().all(|call| all.iter().filter(|other| *other == call).count() == 1));
        assert_eq!(call_wait(i64::from(libc::SYS_fsync)), CallWait::Descriptor);
        assert_eq!(call_wait(-1), CallWait::Other);
    }
}
