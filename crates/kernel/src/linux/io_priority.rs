//! The priority of a thread's I/O for the kernel's scheduler.

use std::io;

use workload::{Priority, PriorityClass};

use super::call::check_long;

/// `IOPRIO_WHO_PROCESS`: a thread by its id, 0 for the calling one.
const WHO_PROCESS: libc::c_int = 1;
/// Number of bits of the level, which lie below the class (ioprio.h).
const CLASS_SHIFT: u32 = 13;

/// Sets the priority of the calling thread's I/O. Not every I/O scheduler respects it.
///
/// # Errors
/// `EPERM` for the realtime class without the privilege for it.
pub fn set_io_priority(priority: Priority) -> io::Result<()> {
    let value = libc::c_int::from(bits(priority));
    // SAFETY: the call takes three numbers and no pointer.
    check_long(unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, value) }).map(drop)
}

/// `priority` in the kernel's encoding.
pub(super) fn bits(priority: Priority) -> u16 {
    let class: u16 = match priority.class {
        PriorityClass::Realtime => 1,
        PriorityClass::BestEffort => 2,
        PriorityClass::Idle => 3,
    };
    class << CLASS_SHIFT | u16::from(priority.level.min(7))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_takes_the_classes_that_need_no_rights() {
        // In a separate thread, because threads that it starts would inherit the priority.
        let set = std::thread::spawn(|| {
            let idle = Priority { class: PriorityClass::Idle, level: 0 };
            let low = Priority { class: PriorityClass::BestEffort, level: 7 };
            set_io_priority(idle).and_then(|()| set_io_priority(low))
        });
        assert!(set.join().unwrap().is_ok());
    }
}
