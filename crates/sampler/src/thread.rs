//! Samples at a fixed interval on the run's clock, from a separate thread.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use record::Sample;
use workload::Nanos;

use crate::{Devices, Root, Sampler, SamplerError};

/// A thread that samples until it is stopped or dropped; a last sample is then taken, so that differences are complete.
#[derive(Debug)]
pub struct SamplerThread {
    samples: Receiver<Sample>,
    /// Processes to follow; dropped to stop the thread.
    orders: Option<Sender<u32>>,
    thread: Option<JoinHandle<()>>,
}

impl SamplerThread {
    /// Samples these devices, and which processes move the most bytes, at once and then at intervals of `every` on `clock`, which shows the run's time. The
    /// interval does not drift; on a busy machine, samples that would be too late are left out.
    ///
    /// # Errors
    /// [`SamplerError`] if a file of counters cannot be opened, or the thread cannot be started.
    pub fn start(
        root: &Root,
        devices: Devices,
        every: Nanos,
        clock: impl Fn() -> Nanos + Send + 'static,
    ) -> Result<SamplerThread, SamplerError> {
        let mut sampler = Sampler::new(root, devices)?.with_processes();
        let (send, samples) = channel();
        let (orders, ordered) = channel::<u32>();
        let body = move || {
            let start = clock();
            let mut tick = start;
            while send.send(sampler.read(clock())).is_ok() {
                tick = tick_after(start, every, clock().max(tick));
                if look_until(tick, &clock, (&ordered, &mut sampler)) == WaitOutcome::Stopped {
                    // A receiver that is already gone is not an error at the end.
                    let _ = send.send(sampler.read(clock()));
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("sampler".to_owned())
            .spawn(body)
            .map_err(|source| SamplerError { path: root.path().to_owned(), source })?;
        Ok(SamplerThread { samples, orders: Some(orders), thread: Some(thread) })
    }

    /// Follows the process `pid`, which has just been started, and all that it starts.
    pub fn follow(&self, pid: u32) {
        if let Some(orders) = &self.orders {
            // A thread that has ended takes no samples either.
            let _ = orders.send(pid);
        }
    }

    /// Returns the samples taken since the last call, in time order; does not wait.
    pub fn taken(&self) -> impl Iterator<Item = Sample> + '_ {
        self.samples.try_iter()
    }

    /// Waits for the next sample; `None` if the thread has ended.
    pub fn wait(&self) -> Option<Sample> {
        self.samples.recv().ok()
    }

    /// Takes a last sample, ends the thread and returns the samples not yet taken, in time order.
    pub fn stop(mut self) -> Vec<Sample> {
        self.end();
        self.samples.try_iter().collect()
    }

    fn end(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // The thread does not panic: it reads, sends and waits. If it did, the samples sent are still there.
            let _ = thread.join();
        }
    }
}

impl Drop for SamplerThread {
    fn drop(&mut self) {
        self.end();
    }
}

#[derive(Debug, PartialEq, Eq)]
enum WaitOutcome {
    Reached,
    Stopped,
    Follow(u32),
}

/// Waits until `clock` shows `tick`, or the thread is stopped, and meanwhile looks at the followed command.
fn look_until(
    tick: Nanos,
    clock: &impl Fn() -> Nanos,
    (ordered, sampler): (&Receiver<u32>, &mut Sampler),
) -> WaitOutcome {
    loop {
        let look = sampler.next_look().filter(|&look| look < tick);
        match wait_until(look.unwrap_or(tick), clock, ordered) {
            WaitOutcome::Follow(pid) => sampler.follow(pid, clock()),
            WaitOutcome::Reached if look.is_some() => sampler.look(clock),
            outcome => return outcome,
        }
    }
}

/// Waits until `clock` shows `tick`, or the thread is stopped. The system's timer and the run's clock differ: a wait
/// that ends a little early by `clock` continues, so that a tick is neither early nor taken twice.
fn wait_until(tick: Nanos, clock: &impl Fn() -> Nanos, ordered: &Receiver<u32>) -> WaitOutcome {
    loop {
        let left = tick.since(clock());
        match ordered.recv_timeout(Duration::from_nanos(left.0)) {
            Ok(pid) => return WaitOutcome::Follow(pid),
            Err(RecvTimeoutError::Disconnected) => return WaitOutcome::Stopped,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if left == Nanos::ZERO {
            return WaitOutcome::Reached;
        }
    }
}

/// Returns the first of `start`, `start + every`, `start + 2 every`, … that is later than `now`.
fn tick_after(start: Nanos, every: Nanos, now: Nanos) -> Nanos {
    let every = every.0.max(1);
    let tick = start + Nanos(every) * (now.since(start).0 / every + 1);
    assert!(tick > now, "the sample after {now:?} would be taken at {tick:?}");
    tick
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_do_not_drift_and_missed_ones_are_left_out() {
        let second = Nanos::SECOND;
        let start = Nanos::from_millis(250);
        let after = |ms| tick_after(start, second, Nanos::from_millis(ms)).0 / 1_000_000;
        assert_eq!(after(250), 1250, "the start itself is over");
        assert_eq!(after(251), 1250);
        assert_eq!(after(1249), 1250);
        assert_eq!(after(1250), 2250, "a tick is not given twice");
        assert_eq!(after(1300), 2250, "a late sample does not move the next");
        assert_eq!(after(9000), 9250, "no bunch of samples after a long stall");
        assert_eq!(after(0), 1250, "a clock that has not reached the start");
    }

    #[test]
    fn a_wait_that_ends_early_by_the_runs_clock_goes_on() {
        let times = std::cell::RefCell::new(vec![Nanos(104), Nanos(99), Nanos(98)]);
        let clock = || times.borrow_mut().pop().unwrap();
        let (_orders, ordered) = channel::<u32>();
        assert_eq!(wait_until(Nanos(100), &clock, &ordered), WaitOutcome::Reached);
        assert!(times.borrow().is_empty(), "the wait ended before its tick");
    }

    #[test]
    fn a_thousand_ticks_of_50_ms_stand_on_their_grid_however_late_the_samples_come() {
        let (every, start) = (Nanos::from_millis(50), Nanos::from_millis(3));
        let (mut now, mut tick) = (start, start);
        for n in 1..=1000u64 {
            tick = tick_after(start, every, now.max(tick));
            assert_eq!(tick, start + every * n);
            // The reading begins up to 30 ms after its tick.
            now = tick + Nanos(n * 7_919_113 % 30_000_000);
        }
    }

    #[test]
    fn an_interval_of_nothing_is_as_short_as_can_be() {
        assert_eq!(tick_after(Nanos(5), Nanos::ZERO, Nanos(9)), Nanos(10));
    }
}
