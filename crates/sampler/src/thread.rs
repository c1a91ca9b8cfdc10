//! Samples at a fixed interval on the run's clock, from a thread of its own.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use record::Sample;
use workload::Nanos;

use crate::{Root, Sampler, SamplerError};

/// Samples until it is stopped or dropped; a last sample is taken then, so that differences reach to the end.
#[derive(Debug)]
pub struct SamplerThread {
    samples: Receiver<Sample>,
    /// Dropped to stop the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SamplerThread {
    /// Samples the devices with these kernel names at once and then `every` so much time by `clock`, which shows the
    /// run's time. The interval does not drift; samples that a busy machine was too late for are left out.
    ///
    /// # Errors
    /// [`SamplerError`] where a file of counters cannot be opened, or the thread not be started.
    pub fn start<N: Into<String>>(
        root: &Root,
        devices: impl IntoIterator<Item = N>,
        every: Nanos,
        clock: impl Fn() -> Nanos + Send + 'static,
    ) -> Result<SamplerThread, SamplerError> {
        let mut sampler = Sampler::new(root, devices)?;
        let (send, samples) = channel();
        let (stop, stopped) = channel::<()>();
        let body = move || {
            let start = clock();
            loop {
                let now = clock();
                if send.send(sampler.read(now)).is_err() {
                    return;
                }
                let pause = tick_after(start, every, clock()).since(clock());
                if stopped.recv_timeout(Duration::from_nanos(pause.0)) == Err(RecvTimeoutError::Disconnected)
                {
                    // Nobody listening any more is no fault at the end.
                    let _ = send.send(sampler.read(clock()));
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("sampler".to_owned())
            .spawn(body)
            .map_err(|source| SamplerError { path: root.path().to_owned(), source })?;
        Ok(SamplerThread { samples, stop: Some(stop), thread: Some(thread) })
    }

    /// Samples taken since the last call, in time order; does not wait.
    pub fn taken(&self) -> impl Iterator<Item = Sample> + '_ {
        self.samples.try_iter()
    }

    /// The next sample, waited for; `None` where the thread has ended.
    pub fn wait(&self) -> Option<Sample> {
        self.samples.recv().ok()
    }

    /// Takes a last sample, ends the thread and gives back what was not taken yet, in time order.
    pub fn stop(mut self) -> Vec<Sample> {
        self.end();
        self.samples.try_iter().collect()
    }

    fn end(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // The thread does not panic: it reads, sends and waits. If it did, what it sent is still there.
            let _ = thread.join();
        }
    }
}

impl Drop for SamplerThread {
    fn drop(&mut self) {
        self.end();
    }
}

/// The first of `start`, `start + every`, `start + 2 every`, … that is later than `now`.
fn tick_after(start: Nanos, every: Nanos, now: Nanos) -> Nanos {
    let every = every.0.max(1);
    start + Nanos(every) * (now.since(start).0 / every + 1)
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
    fn an_interval_of_nothing_is_as_short_as_can_be() {
        assert_eq!(tick_after(Nanos(5), Nanos::ZERO, Nanos(9)), Nanos(10));
    }
}
