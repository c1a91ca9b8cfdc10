//! Sums of I/Os over windows of equal length, from which the rows of a log are made.

use workload::Nanos;

/// Values of one kind in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values {
    count: u64,
    sum: u128,
    greatest: u64,
}

impl Values {
    fn add(&mut self, value: u64) {
        self.count += 1;
        self.sum += u128::from(value);
        self.greatest = self.greatest.max(value);
    }

    fn merge(&mut self, other: &Values) {
        self.count += other.count;
        self.sum += other.sum;
        self.greatest = self.greatest.max(other.greatest);
    }

    /// The rounded mean and the maximum; `None` if there is no value.
    pub fn mean_and_greatest(&self) -> Option<(u64, u64)> {
        let count = u128::from(self.count);
        let mean = (self.sum + count / 2).checked_div(count)?;
        Some((mean as u64, self.greatest))
    }
}

/// An I/O as counted in windows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoggedIo {
    /// Time of completion, from the job's start.
    pub done: Nanos,
    /// Direction, numbered as in rows.
    pub direction: u8,
    /// Bytes moved.
    pub bytes: u64,
    /// Submission, completion and total latency (slat, clat and lat) in nanoseconds.
    pub latencies: [u64; 3],
}

/// One direction of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// I/Os that completed in the window.
    pub ios: u64,
    /// Bytes that those I/Os moved.
    pub bytes: u64,
    /// Submission, completion and total latencies (slat, clat and lat) of those I/Os, in nanoseconds.
    pub latencies: [Values; 3],
}

impl Part {
    fn add(&mut self, io: &LoggedIo) {
        self.ios += 1;
        self.bytes += io.bytes;
        self.latencies.iter_mut().zip(io.latencies).for_each(|(values, latency)| values.add(latency));
    }

    fn merge(&mut self, other: &Part) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.latencies.iter_mut().zip(&other.latencies).for_each(|(mine, theirs)| mine.merge(theirs));
    }
}

/// A window that has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// End of the window, from the job's start.
    pub end: Nanos,
    /// Length of the window.
    pub length: Nanos,
    /// Reads, writes and trims.
    pub parts: [Part; 3],
}

impl Window {
    /// `amount` a second, rounded down.
    pub fn rate(&self, amount: u64) -> u64 {
        let per_second = u128::from(amount) * 1_000_000_000;
        per_second.checked_div(u128::from(self.length.0)).unwrap_or(0) as u64
    }

    fn after(&self, length: Nanos) -> Window {
        Window { end: self.end + length, length, ..Window::default() }
    }

    fn merge(&mut self, other: &Window) {
        self.length += other.length;
        self.parts.iter_mut().zip(&other.parts).for_each(|(mine, theirs)| mine.merge(theirs));
    }
}

/// Consecutive windows of one worker. The last whole window is held back: a remainder at the end that is too short for
/// a rate is merged into it.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    length: Nanos,
    now: Window,
    held: Option<Window>,
}

impl Windows {
    /// Returns windows of `length`, starting with the job.
    pub fn new(length: Nanos) -> Windows {
        Windows { length, now: Window::default().after(length), held: None }
    }

    /// Counts an I/O. Windows that end before it go to `out`, even if they have no I/O.
    pub fn count(&mut self, io: &LoggedIo, out: &mut Vec<Window>) {
        while io.done >= self.now.end {
            self.close(out);
        }
        self.now.parts[usize::from(io.direction)].add(io);
    }

    /// Ends the last window at `ended`, from the job's start; the remaining windows go to `out`.
    pub fn finish(mut self, ended: Nanos, out: &mut Vec<Window>) {
        while self.now.end <= ended {
            self.close(out);
        }
        let length = ended.since(self.now.end.since(self.length));
        let rest = Window { end: ended, length, ..self.now };
        match self.held {
            Some(mut held) if length * 2 < self.length => {
                held.merge(&rest);
                out.push(held);
            }
            held => {
                out.extend(held);
                out.extend((length > Nanos::ZERO).then_some(rest));
            }
        }
    }

    fn close(&mut self, out: &mut Vec<Window>) {
        let next = self.now.after(self.length);
        out.extend(self.held.replace(std::mem::replace(&mut self.now, next)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(ms: u64) -> Nanos {
        Nanos::from_millis(ms)
    }

    fn at(done: u64) -> LoggedIo {
        LoggedIo { done: ms(done), direction: 0, bytes: 4096, latencies: [0, 10, 20] }
    }

    #[test]
    fn a_stall_is_windows_without_io_and_a_short_rest_joins_the_window_before_it() {
        let mut windows = Windows::new(ms(100));
        let mut out = Vec::new();
        [10, 60, 420, 505].iter().for_each(|&done| windows.count(&at(done), &mut out));
        windows.finish(ms(506), &mut out);
        let seen: Vec<_> =
            out.iter().map(|w| (w.end.0 / 1_000_000, w.length.0 / 1_000_000, w.parts[0].ios)).collect();
        assert_eq!(seen, [(100, 100, 2), (200, 100, 0), (300, 100, 0), (400, 100, 0), (500, 106, 2)]);
        assert_eq!(out[0].parts[0].latencies[2].mean_and_greatest(), Some((20, 20)));
        assert_eq!(out[1].parts[0].latencies[2].mean_and_greatest(), None);
        assert_eq!((out[0].rate(out[0].parts[0].ios), out[4].rate(out[4].parts[0].bytes)), (20, 77_283));
    }

    #[test]
    fn a_run_shorter_than_a_window_is_one_row() {
        let mut out = Vec::new();
        let mut windows = Windows::new(ms(1000));
        windows.count(&at(3), &mut out);
        windows.finish(ms(4), &mut out);
        assert_eq!(out.iter().map(|w| (w.end, w.parts[0].ios)).collect::<Vec<_>>(), [(ms(4), 1)]);
    }

    proptest! {
        #[test]
        fn no_io_is_lost_and_the_windows_fill_the_time(
            mut times in proptest::collection::vec(0u64..5_000, 1..200), length in 1u64..900, more in 0u64..2_000,
        ) {
            times.sort_unstable();
            let ended = times[times.len() - 1] + more;
            let (mut windows, mut out) = (Windows::new(ms(length)), Vec::new());
            times.iter().for_each(|&done| windows.count(&at(done), &mut out));
            windows.finish(ms(ended), &mut out);
            let (ios, time) = out.iter().fold((0, Nanos::ZERO), |(n, t), w| (n + w.parts[0].ios, t + w.length));
            prop_assert_eq!(ios, if ended == 0 { 0 } else { times.len() as u64 });
            prop_assert_eq!(time, ms(ended));
        }
    }
}
