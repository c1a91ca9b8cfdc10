//! Kernel counters of one thread: CPU time, context switches, page faults, and time spent waiting for a CPU.

use std::fs::File;
use std::marker::PhantomData;
use std::ops::AddAssign;
use std::os::unix::fs::FileExt;

use workload::Nanos;

use super::cpu_time::{CpuTime, RUSAGE_THREAD, resource_usage};

/// Counters of a thread since it started; [`ThreadCounters::since`] takes differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadCounters {
    /// CPU time.
    pub cpu: CpuTime,
    /// Time it was ready to run but had no CPU. Zero if the kernel does not say.
    pub run_delay: Nanos,
    /// Context switches, voluntary and involuntary.
    pub context_switches: u64,
    /// Page faults that needed I/O.
    pub major_faults: u64,
    /// Page faults that needed no I/O.
    pub minor_faults: u64,
}

impl AddAssign for ThreadCounters {
    fn add_assign(&mut self, more: ThreadCounters) {
        self.cpu.user += more.cpu.user;
        self.cpu.system += more.cpu.system;
        self.run_delay += more.run_delay;
        self.context_switches += more.context_switches;
        self.major_faults += more.major_faults;
        self.minor_faults += more.minor_faults;
    }
}

impl ThreadCounters {
    /// Returns what was counted since `earlier`.
    pub fn since(self, earlier: ThreadCounters) -> ThreadCounters {
        ThreadCounters {
            cpu: self.cpu.since(earlier.cpu),
            run_delay: self.run_delay.since(earlier.run_delay),
            context_switches: self.context_switches.saturating_sub(earlier.context_switches),
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
        }
    }
}

/// Reads the counters of the thread that opened it, and stays on that thread. A reading does not allocate, so it may be
/// taken while a worker counts.
#[derive(Debug)]
pub struct ThreadMeter {
    // `None` if the kernel has no such file (built without CONFIG_SCHED_INFO) or hides it.
    schedstat: Option<File>,
    _thread: PhantomData<*const ()>,
}

impl ThreadMeter {
    /// Opens a meter for the calling thread.
    pub fn open() -> ThreadMeter {
        ThreadMeter { schedstat: File::open("/proc/thread-self/schedstat").ok(), _thread: PhantomData }
    }

    /// Reads all counters.
    pub fn read(&self) -> ThreadCounters {
        let usage = resource_usage(RUSAGE_THREAD);
        let count = |value: libc::c_long| u64::try_from(value).unwrap_or(0);
        ThreadCounters {
            cpu: CpuTime::of(&usage),
            run_delay: self.run_delay().unwrap_or_default(),
            context_switches: count(usage.ru_nvcsw) + count(usage.ru_nivcsw),
            major_faults: count(usage.ru_majflt),
            minor_faults: count(usage.ru_minflt),
        }
    }

    fn run_delay(&self) -> Option<Nanos> {
        // Three numbers of at most 20 digits each.
        let mut text = [0u8; 64];
        let length = self.schedstat.as_ref()?.read_at(&mut text, 0).ok()?;
        run_delay_of(text.get(..length)?)
    }
}

/// The second figure of `schedstat` (kernel document scheduler/sched-stats): nanoseconds spent waiting on a runqueue.
fn run_delay_of(schedstat: &[u8]) -> Option<Nanos> {
    let mut figures = std::str::from_utf8(schedstat).ok()?.split_ascii_whitespace();
    figures.nth(1)?.parse().ok().map(Nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_figure_of_schedstat_is_the_wait_for_a_cpu() {
        assert_eq!(run_delay_of(b"81003224 5601 12\n"), Some(Nanos(5_601)));
        assert_eq!(run_delay_of(b"18446744073709551615 18446744073709551615 1\n"), Some(Nanos(u64::MAX)));
        for broken in [&b""[..], b"12\n", b"12 x 3\n", b"\xff\xff"] {
            assert_eq!(run_delay_of(broken), None);
        }
    }

    #[test]
    fn a_thread_that_touches_new_memory_and_sleeps_has_faults_and_switches() {
        let meter = ThreadMeter::open();
        let before = meter.read();
        let mut pages = vec![0u8; 8 << 20];
        pages.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        std::hint::black_box(&pages);
        std::thread::sleep(std::time::Duration::from_millis(2));
        let spent = meter.read().since(before);
        assert!(spent.minor_faults > 0, "{spent:?}");
        assert!(spent.context_switches > 0, "a sleep gives the CPU away: {spent:?}");
        assert_eq!(before.since(meter.read()), ThreadCounters::default(), "never below zero");
    }

    #[test]
    fn counters_belong_to_one_thread() {
        let meter = ThreadMeter::open();
        let before = meter.read();
        let other = std::thread::spawn(|| {
            (0..50).for_each(|_| std::thread::sleep(std::time::Duration::from_micros(100)));
            ThreadMeter::open().read().context_switches
        });
        let of_other = other.join().unwrap_or_default();
        let mine = meter.read().since(before).context_switches;
        assert!(of_other >= 50 && mine < of_other, "{mine} here, {of_other} there");
    }
}
