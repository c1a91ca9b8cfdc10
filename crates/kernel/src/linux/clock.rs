//! The run clock, and sleeping until a time on it.

use std::path::Path;

use workload::Nanos;

/// The clock of a run: nanoseconds of `CLOCK_MONOTONIC` since an origin.
///
/// A copy shows the same time; every thread of a run has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    origin_ns: u64,
}

/// `CLOCK_MONOTONIC` in nanoseconds.
#[inline]
fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing the result; the clock exists on every Linux, so the call cannot fail.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl Clock {
    /// Starts a clock that shows zero now.
    pub fn start() -> Clock {
        Clock { origin_ns: monotonic_ns() }
    }

    /// A clock that shows `at` now, for a run that is continued; `None` if the machine has been up for less than that.
    pub fn showing(at: Nanos) -> Option<Clock> {
        monotonic_ns().checked_sub(at.0).map(|origin_ns| Clock { origin_ns })
    }

    /// Time since the origin: one reading through the vDSO, without a system call if the clocksource allows it.
    #[inline]
    pub fn now(&self) -> Nanos {
        Nanos(monotonic_ns().saturating_sub(self.origin_ns))
    }

    /// Sleeps until the clock shows `at`, even across signals; returns at once if that time has passed.
    pub fn sleep_until(&self, at: Nanos) {
        let until_ns = self.origin_ns.saturating_add(at.0);
        let until = libc::timespec {
            tv_sec: (until_ns / 1_000_000_000).min(i64::MAX as u64) as _,
            tv_nsec: (until_ns % 1_000_000_000) as _,
        };
        loop {
            // SAFETY: `until` outlives the call; an absolute sleep writes no remainder, so null is allowed there.
            let error = unsafe {
                libc::clock_nanosleep(
                    libc::CLOCK_MONOTONIC,
                    libc::TIMER_ABSTIME,
                    &until,
                    std::ptr::null_mut(),
                )
            };
            if error != libc::EINTR {
                return;
            }
        }
    }

    /// Cost of one reading in nanoseconds: the least mean of nine batches, so that interruptions do not count.
    pub fn cost_per_read_ns(&self) -> f64 {
        const READS: u32 = 2_000;
        let batch = || {
            let start = monotonic_ns();
            for _ in 0..READS {
                std::hint::black_box(self.now());
            }
            (monotonic_ns() - start) as f64 / f64::from(READS)
        };
        (0..9).map(|_| batch()).fold(f64::INFINITY, f64::min)
    }
}

/// Name of the kernel's clocksource (`tsc`, `kvm-clock`, `hpet`, …) under `root`, normally `/`.
pub fn clocksource(root: &Path) -> Option<String> {
    let path = root.join("sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// Lets the calling thread's timers fire within a nanosecond of their time instead of the default 50 µs
/// (`PR_SET_TIMERSLACK`), by which the due times of a paced job would otherwise be late.
pub fn precise_timers() {
    // SAFETY: this option takes one integer and no pointer.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1u64, 0u64, 0u64, 0u64) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_starts_near_zero_and_never_goes_back() {
        let clock = Clock::start();
        let readings: Vec<Nanos> = (0..1000).map(|_| clock.now()).collect();
        assert!(readings.is_sorted());
        assert_eq!(clock, { clock }, "a copy shows the same time");
    }

    #[test]
    fn a_sleep_ends_no_earlier_than_asked() {
        let clock = Clock::start();
        let until = clock.now() + Nanos::from_millis(2);
        clock.sleep_until(until);
        assert!(clock.now() >= until);
        clock.sleep_until(Nanos::ZERO);
    }

    #[test]
    fn the_clocksource_is_read_below_the_root() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(clocksource(root.path()), None);
        let folder = root.path().join("sys/devices/system/clocksource/clocksource0");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("current_clocksource"), "tsc\n").unwrap();
        assert_eq!(clocksource(root.path()).as_deref(), Some("tsc"));
    }
}
