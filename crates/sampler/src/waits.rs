//! What a sleeping task waits for, by the number of the system call that it is in.

/// What a system call waits for while the task in it sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallWait {
    /// The file, pipe or socket whose descriptor is the first argument.
    Descriptor,
    /// A file system that looks a name up or changes one, or asynchronous I/O.
    Storage,
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

/// Numbers of system calls (the kernel's `syscall_64.tbl`): reading, writing, flushing, sockets; names, io_getevents,
/// io_uring_enter; futex, flock; nanosleep and others; poll, select, epoll; wait, clone, vfork.
#[cfg(target_arch = "x86_64")]
const CALLS: [(CallWait, &[i64]); 6] = [
    (
        CallWait::Descriptor,
        &[
            0, 1, 17, 18, 19, 20, 295, 296, 327, 328, 74, 75, 306, 277, 77, 285, 217, 3, 45, 47, 299, 44, 46,
            307, 43, 288, 42,
        ],
    ),
    (CallWait::Storage, &[257, 262, 332, 263, 316, 258, 2, 4, 87, 82, 83, 208, 426]),
    (CallWait::Lock, &[202, 73]),
    (CallWait::Time, &[35, 230, 128]),
    (CallWait::Events, &[271, 270, 281, 441, 7, 23, 232]),
    (CallWait::Child, &[61, 247, 56, 435, 58]),
];
/// The same, by the kernel's `asm-generic/unistd.h`.
#[cfg(not(target_arch = "x86_64"))]
const CALLS: [(CallWait, &[i64]); 6] = [
    (
        CallWait::Descriptor,
        &[
            63, 64, 67, 68, 65, 66, 69, 70, 286, 287, 82, 83, 267, 84, 46, 47, 61, 57, 207, 212, 243, 206,
            211, 269, 202, 242, 203,
        ],
    ),
    (CallWait::Storage, &[56, 79, 291, 35, 276, 34, 4, 426]),
    (CallWait::Lock, &[98, 32]),
    (CallWait::Time, &[101, 115, 137]),
    (CallWait::Events, &[73, 72, 22, 441]),
    (CallWait::Child, &[260, 95, 220, 435]),
];

/// Returns what the system call with this number, as in `/proc/PID/syscall`, waits for.
pub(crate) fn call_wait(number: i64) -> CallWait {
    CALLS.iter().find(|(_, calls)| calls.contains(&number)).map_or(CallWait::Other, |(wait, _)| *wait)
}
