//! CPU time of a thread and of the process.

use workload::Nanos;

use super::call::check;

/// `RUSAGE_THREAD` from <bits/resource.h>, which the libc crate does not define for every target.
pub(super) const RUSAGE_THREAD: libc::c_int = 1;

/// CPU time of a thread or a process since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// Time in user mode.
    pub user: Nanos,
    /// Time in the kernel on its behalf.
    pub system: Nanos,
}

impl CpuTime {
    pub(super) fn of(usage: &libc::rusage) -> CpuTime {
        let nanos = |t: libc::timeval| Nanos(t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1_000);
        CpuTime { user: nanos(usage.ru_utime), system: nanos(usage.ru_stime) }
    }

    /// User and system time together.
    pub fn total(self) -> Nanos {
        self.user + self.system
    }

    /// Returns what was spent since `earlier`.
    pub fn since(self, earlier: CpuTime) -> CpuTime {
        CpuTime { user: self.user.since(earlier.user), system: self.system.since(earlier.system) }
    }
}

/// The kernel's account of `who`; all zeros if it refuses.
pub(super) fn resource_usage(who: libc::c_int) -> libc::rusage {
    // SAFETY: `rusage` is a struct of integers, for which all zeros is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid place for the result. If the call fails, it is untouched.
    let _ = check(unsafe { libc::getrusage(who, &mut usage) });
    usage
}

/// CPU time of the calling thread.
pub fn thread_cpu_time() -> CpuTime {
    CpuTime::of(&resource_usage(RUSAGE_THREAD))
}

/// CPU time of all threads of this process.
pub fn process_cpu_time() -> CpuTime {
    CpuTime::of(&resource_usage(libc::RUSAGE_SELF))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_grows_with_work_and_a_thread_is_part_of_its_process() {
        let (thread, process) = (thread_cpu_time(), process_cpu_time());
        let mut sum = 0u64;
        while thread_cpu_time().since(thread).total() < Nanos::from_millis(20) {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(7));
        }
        assert!(process_cpu_time().since(process).total() >= Nanos::from_millis(10));
    }
}
