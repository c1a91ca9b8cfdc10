//! When the next I/O becomes due: at once, at fixed intervals, or at the times of a random process.

use statistics::Stream;
use workload::{Direction, Iops, Nanos, Pace, WorkerPlan};

use super::seeds;

/// Greatest number of draws counted one by one for a Poisson process that fell behind, 20 ms of work; the rest is
/// estimated from the mean gap.
const MOST_DRAWN: u64 = 1 << 20;

/// Due times of a worker, independent of completions.
#[derive(Clone, Debug)]
pub(super) enum Pacer {
    /// Due as soon as a slot is free.
    Closed,
    /// I/O number `index` is due at `start + phase + index · gap`: computed from the index, so that no error accumulates.
    Fixed { start: Nanos, gap_ns: f64, phase_ns: f64, index: u64, next: Nanos },
    /// Due at `start + phase + bytes · gap`, where `bytes` are those of all I/Os before it and `gap` is the time of a byte.
    Bytes { start: Nanos, gap_ns: f64, mean_gap_ns: f64, phase_ns: f64, bytes: u64, next: Nanos },
    /// Exponential gaps, summed in fractions of a nanosecond; the sum stays exact to 0.02 ns for a day.
    Poisson { start: Nanos, gap_ns: f64, elapsed_ns: f64, next: Nanos, stream: Box<Stream> },
    /// Exponential gaps of two phases in turn.
    Phases { start: Nanos, phases: Box<Phases>, next: Nanos },
    /// Due times from a trace: the code that replays it sets when the next I/O is due.
    Traced { start: Nanos, next: Nanos },
}

impl Pacer {
    /// The pace from time zero on; `begin` moves it to the worker's start.
    pub(super) fn new(pace: Pace, stream: Stream) -> Pacer {
        // The planner refuses any other rate.
        assert!(pace.rate().is_none_or(|rate| rate.0 > 0.0), "a pace needs a rate above zero");
        match pace {
            Pace::Closed => Pacer::Closed,
            Pace::Traced => Pacer::Traced { start: Nanos::ZERO, next: Nanos::ZERO },
            Pace::Fixed(rate) => {
                let gap_ns = 1e9 / rate.0;
                Pacer::Fixed { start: Nanos::ZERO, gap_ns, phase_ns: 0.0, index: 0, next: Nanos::ZERO }
            }
            Pace::Bytes { rate, length } => {
                let mean_gap_ns = 1e9 / rate.0;
                let gap_ns = mean_gap_ns / length.0.max(1) as f64;
                let (start, next) = (Nanos::ZERO, Nanos::ZERO);
                Pacer::Bytes { start, gap_ns, mean_gap_ns, phase_ns: 0.0, bytes: 0, next }
            }
            Pace::Poisson(rate) => {
                let mut stream = Box::new(stream);
                let gap_ns = 1e9 / rate.0;
                let elapsed_ns = stream.exponential(gap_ns);
                Pacer::Poisson {
                    start: Nanos::ZERO,
                    gap_ns,
                    elapsed_ns,
                    next: Nanos(elapsed_ns as u64),
                    stream,
                }
            }
            Pace::Phases { rates, stays } => {
                let phases = Box::new(Phases::new((rates, stays), stream));
                Pacer::Phases { start: Nanos::ZERO, next: Nanos(phases.elapsed_ns as u64), phases }
            }
        }
    }

    /// Shifts all due times of a fixed rate by `share` of a gap; a Poisson process has no phase. Only before `begin`.
    pub(super) fn shift(&mut self, share: f64) {
        assert!((0.0..1.0).contains(&share), "due times are moved by a share of a gap, not by {share}");
        if let Pacer::Fixed { start, gap_ns, phase_ns, next, .. }
        | Pacer::Bytes { start, mean_gap_ns: gap_ns, phase_ns, next, .. } = self
        {
            *phase_ns = share * *gap_ns;
            *next = *start + Nanos(*phase_ns as u64);
        }
    }

    /// Counts due times from `at`.
    pub(super) fn begin(&mut self, at: Nanos) {
        match self {
            Pacer::Closed => {}
            Pacer::Fixed { start, next, .. }
            | Pacer::Bytes { start, next, .. }
            | Pacer::Poisson { start, next, .. }
            | Pacer::Phases { start, next, .. }
            | Pacer::Traced { start, next } => {
                assert!(*next >= *start, "an I/O is due before its pace begins");
                *next = at + next.since(*start);
                *start = at;
            }
        }
    }

    /// When the next I/O is due; in a closed loop `now`.
    #[inline]
    pub(super) fn next(&self, now: Nanos) -> Nanos {
        match self {
            Pacer::Closed => now,
            Pacer::Fixed { next, .. }
            | Pacer::Bytes { next, .. }
            | Pacer::Poisson { next, .. }
            | Pacer::Phases { next, .. }
            | Pacer::Traced { next, .. } => *next,
        }
    }

    /// Takes the next I/O, of `length` bytes, and computes when the following one is due.
    #[inline]
    pub(super) fn advance(&mut self, length: u32) {
        match self {
            Pacer::Closed | Pacer::Traced { .. } => {}
            Pacer::Fixed { start, gap_ns, phase_ns, index, next } => {
                *index += 1;
                let due = *start + Nanos((*index as f64 * *gap_ns + *phase_ns) as u64);
                debug_assert!(due >= *next, "due times of a fixed rate go back");
                *next = due;
            }
            Pacer::Bytes { start, gap_ns, phase_ns, bytes, next, .. } => {
                *bytes += u64::from(length);
                let due = *start + Nanos((*bytes as f64 * *gap_ns + *phase_ns) as u64);
                debug_assert!(due >= *next, "due times of a rate in bytes go back");
                *next = due;
            }
            Pacer::Poisson { start, gap_ns, elapsed_ns, next, stream } => {
                *elapsed_ns += stream.exponential(*gap_ns);
                let due = *start + Nanos(*elapsed_ns as u64);
                debug_assert!(due >= *next, "due times of a Poisson process go back");
                *next = due;
            }
            Pacer::Phases { start, phases, next } => *next = phases.advance(*start),
        }
    }

    /// Moves all future due times by `pause`; those of a fixed rate by a gap less if it fits into the pause, so that an I/O is
    /// due at its end.
    pub(super) fn delay(&mut self, pause: Nanos) {
        let gap = match self {
            Pacer::Fixed { gap_ns, .. } | Pacer::Bytes { mean_gap_ns: gap_ns, .. } => Nanos(*gap_ns as u64),
            _ => Nanos::ZERO,
        };
        let pause = if gap <= pause { pause - gap } else { pause };
        if let Pacer::Fixed { start, next, .. }
        | Pacer::Bytes { start, next, .. }
        | Pacer::Poisson { start, next, .. }
        | Pacer::Phases { start, next, .. }
        | Pacer::Traced { start, next } = self
        {
            *start += pause;
            *next += pause;
        }
    }

    /// The origin of the due times; zero for a closed loop.
    pub(super) fn start(&self) -> Nanos {
        match self {
            Pacer::Closed => Nanos::ZERO,
            Pacer::Fixed { start, .. }
            | Pacer::Bytes { start, .. }
            | Pacer::Poisson { start, .. }
            | Pacer::Phases { start, .. }
            | Pacer::Traced { start, .. } => *start,
        }
    }

    /// Sets when the next I/O of a trace is due. All other paces compute this themselves.
    pub(super) fn set_next(&mut self, due: Nanos) {
        if let Pacer::Traced { next, .. } = self {
            *next = due;
        }
    }

    /// Number of I/Os that are due before `at` and have not been taken.
    pub(super) fn due_before(&self, at: Nanos) -> u64 {
        let waiting = at.since(self.next(at)).0;
        match self {
            _ if waiting == 0 => 0,
            Pacer::Closed | Pacer::Traced { .. } => 0,
            Pacer::Fixed { gap_ns, .. } | Pacer::Bytes { mean_gap_ns: gap_ns, .. } => {
                (waiting as f64 / gap_ns).ceil() as u64
            }
            Pacer::Poisson { start, gap_ns, elapsed_ns, stream, .. } => {
                let (until_ns, mut stream, mut elapsed_ns) =
                    (at.since(*start).0, (**stream).clone(), *elapsed_ns);
                let mut draws = 0;
                while (elapsed_ns as u64) < until_ns && draws < MOST_DRAWN {
                    elapsed_ns += stream.exponential(*gap_ns);
                    draws += 1;
                }
                draws + ((until_ns as f64 - elapsed_ns).max(0.0) / gap_ns) as u64
            }
            Pacer::Phases { start, phases, .. } => {
                let (until_ns, mut phases) = (at.since(*start).0, phases.clone());
                let mut draws = 0;
                while (phases.elapsed_ns as u64) < until_ns && draws < MOST_DRAWN {
                    phases.advance(*start);
                    draws += 1;
                }
                draws
            }
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        matches!(self, Pacer::Closed)
    }
}

/// Gaps of two phases in turn, each with its mean and the chance that the phase ends after an I/O.
#[derive(Clone, Debug)]
pub(super) struct Phases {
    gaps_ns: [f64; 2],
    ends: [f64; 2],
    phase: usize,
    elapsed_ns: f64,
    stream: Stream,
}

impl Phases {
    fn new((rates, stays): ([Iops; 2], [f64; 2]), mut stream: Stream) -> Phases {
        let gaps_ns = rates.map(|rate| 1e9 / rate.0);
        let ends = stays.map(|ios| 1.0 / ios.max(1.0));
        // An I/O is in a phase with the probability of the phase's share of all I/Os.
        let phase = usize::from(stream.unit_f64() * (stays[0] + stays[1]) >= stays[0]);
        let elapsed_ns = stream.exponential(gaps_ns[phase]);
        Phases { gaps_ns, ends, phase, elapsed_ns, stream }
    }

    /// Draws the next gap, and returns when the I/O after it is due.
    #[cold]
    fn advance(&mut self, start: Nanos) -> Nanos {
        if self.stream.unit_f64() < self.ends[self.phase] {
            self.phase = 1 - self.phase;
        }
        self.elapsed_ns += self.stream.exponential(self.gaps_ns[self.phase]);
        start + Nanos(self.elapsed_ns as u64)
    }
}

/// The paces of a worker: one for all its I/O, or one for its writes and one for the rest.
#[derive(Clone, Debug)]
pub(super) struct Paces {
    /// The pace of all I/O, or of all I/O except writes.
    pub(super) main: Pacer,
    writes: Option<Box<Pacer>>,
    /// Whether one pace serves all I/O and no trace sets due times.
    one: bool,
    /// A direction that was drawn, but is not due yet.
    drawn: Option<Direction>,
}

impl Paces {
    pub(super) fn new(plan: &WorkerPlan) -> Paces {
        let stream = |index| Stream::new(plan.seed, index);
        let issues = |direction| plan.access.mix.issues(direction);
        // If only writes are issued, their pace is the only one, and no other direction could be due.
        let (main, writes) = match plan.terms.write_pace.filter(|_| issues(Direction::Write)) {
            Some(pace) if !issues(Direction::Read) => (pace, None),
            writes => (plan.pace, writes),
        };
        Paces {
            one: writes.is_none() && plan.access.replay.is_none(),
            main: Pacer::new(main, stream(seeds::PACE)),
            writes: writes.map(|pace| Box::new(Pacer::new(pace, stream(seeds::WRITE_PACE)))),
            drawn: None,
        }
    }

    /// Whether one pace serves all I/O and no trace sets due times.
    #[inline]
    pub(super) fn is_one(&self) -> bool {
        self.one
    }

    /// Whether writes have a separate pace.
    #[inline]
    pub(super) fn differ(&self) -> bool {
        self.writes.is_some()
    }

    /// The pace of I/O of `kind`.
    pub(super) fn of(&mut self, kind: Direction) -> &mut Pacer {
        match &mut self.writes {
            Some(writes) if kind == Direction::Write => writes,
            _ => &mut self.main,
        }
    }

    fn each(&mut self) -> impl Iterator<Item = &mut Pacer> {
        [Some(&mut self.main), self.writes.as_deref_mut()].into_iter().flatten()
    }

    /// Chooses the direction of the next I/O if writes have a separate pace: the one that `draw` returns, or the other
    /// if only that one is due; `None` if neither is, and then the earlier one is next.
    pub(super) fn choose(
        &mut self,
        now: Nanos,
        draw: impl FnOnce() -> Direction,
    ) -> Option<(Direction, Nanos)> {
        let drawn = self.drawn.take().unwrap_or_else(draw);
        let other = if drawn == Direction::Write { Direction::Read } else { Direction::Write };
        let due = [drawn, other].map(|kind| (kind, self.of(kind).next(now)));
        let chosen = due.into_iter().find(|(_, due)| *due <= now);
        if chosen.is_none() {
            self.drawn = Some(if due[1].1 < due[0].1 { other } else { drawn });
        }
        chosen
    }

    /// When the next I/O is due; in a closed loop `now`.
    #[inline]
    pub(super) fn next(&self, now: Nanos) -> Nanos {
        let main = self.main.next(now);
        self.writes.as_ref().map_or(main, |writes| writes.next(now).min(main))
    }

    /// Whether I/O of `kind` is due when it is issued.
    #[inline]
    pub(super) fn is_closed(&self, kind: Direction) -> bool {
        match &self.writes {
            Some(writes) if kind == Direction::Write => writes.is_closed(),
            _ => self.main.is_closed(),
        }
    }

    /// Whether some I/O is due as soon as a slot is free.
    #[inline]
    pub(super) fn fills_the_queue(&self) -> bool {
        self.main.is_closed() || self.is_closed(Direction::Write)
    }

    /// Applies [`Pacer::shift`] to each pace.
    pub(super) fn shift(&mut self, share: f64) {
        self.each().for_each(|pacer| pacer.shift(share));
    }

    /// Applies [`Pacer::begin`] to each pace.
    pub(super) fn begin(&mut self, at: Nanos) {
        self.each().for_each(|pacer| pacer.begin(at));
    }

    /// Applies [`Pacer::delay`] to each pace.
    pub(super) fn delay(&mut self, pause: Nanos) {
        self.each().for_each(|pacer| pacer.delay(pause));
    }

    /// Returns the sum of [`Pacer::due_before`] over all paces.
    pub(super) fn due_before(&mut self, at: Nanos) -> u64 {
        self.each().map(|pacer| pacer.due_before(at)).sum()
    }
}

/// Returns, for each worker, the share of its gap by which its due times are shifted: `k / n` for worker `k` of the `n`
/// workers of a job, so that together they keep the pace of one worker `n` times as fast and do not issue at once.
pub(crate) fn phases(workers: &[WorkerPlan]) -> Vec<f64> {
    let same = |worker: &WorkerPlan, others: &[WorkerPlan]| {
        others.iter().filter(|other| other.job == worker.job && other.pace == worker.pace).count() as f64
    };
    let phase =
        |(number, worker): (usize, &WorkerPlan)| same(worker, &workers[..number]) / same(worker, workers);
    workers.iter().enumerate().map(phase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use workload::Bytes;

    fn due_times(pace: Pace, seed: u64) -> impl Iterator<Item = u64> {
        let mut pacer = Pacer::new(pace, Stream::new(seed, 0));
        pacer.begin(Nanos::SECOND);
        std::iter::from_fn(move || {
            let due = pacer.next(Nanos::ZERO);
            pacer.advance(4096);
            Some(due.0 - Nanos::SECOND.0)
        })
    }

    #[test]
    fn a_rate_in_bytes_waits_as_long_as_each_length_takes() {
        let mut pacer =
            Pacer::new(Pace::Bytes { rate: Iops(100.0), length: Bytes(10_000) }, Stream::new(0, 0));
        pacer.shift(0.5);
        pacer.begin(Nanos::SECOND);
        let mut due = |length| {
            pacer.advance(length);
            pacer.next(Nanos::ZERO).since(Nanos::SECOND).0
        };
        // A byte takes 1 µs, and half of a mean gap is 5 ms.
        assert_eq!([due(4_000), due(16_000), due(10_000)], [9_000_000, 25_000_000, 35_000_000]);
        assert_eq!(pacer.due_before(Nanos(1_065_000_000)), 3, "30 ms hold three of mean length");
    }

    #[test]
    fn two_phases_keep_their_mean_rate_and_their_bursts() {
        let pace = Pace::Phases { rates: [Iops(10_000.0), Iops(100.0)], stays: [90.0, 10.0] };
        let due: Vec<u64> = due_times(pace, 5).take(200_000).collect();
        let rate = due.len() as f64 / (due[due.len() - 1] as f64 / 1e9);
        let mean = pace.rate().unwrap().0;
        assert!((rate / mean - 1.0).abs() < 0.05, "{rate} of {mean}");
        let dense = due.windows(2).filter(|pair| pair[1] - pair[0] < 1_000_000).count() as f64;
        // Of the dense gaps nearly all are below a millisecond, of the others a tenth.
        assert!((dense / due.len() as f64 - 0.91).abs() < 0.02, "{dense}");
        let mut pacer = Pacer::new(pace, Stream::new(5, 0));
        pacer.begin(Nanos::SECOND);
        let until = Nanos(Nanos::SECOND.0 + due[1000]);
        assert_eq!(pacer.due_before(until), 1000, "the I/Os that are due before then");
    }

    proptest! {
        #[test]
        fn a_fixed_rate_has_no_drift(rate in 0.1f64..2e6, index in 0u64..5_000) {
            let due = due_times(Pace::Fixed(Iops(rate)), 0).nth(index as usize).unwrap();
            prop_assert!((due as f64 - index as f64 * 1e9 / rate).abs() <= 1.0);
        }
    }

    #[test]
    fn a_fixed_rate_has_exactly_its_count_in_a_second() {
        for rate in [1u64, 7, 1_000, 3_000, 33_333, 500_000] {
            let count =
                due_times(Pace::Fixed(Iops(rate as f64)), 0).take_while(|&due| due < 1_000_000_000).count();
            assert!(count.abs_diff(rate as usize) <= 1, "{rate}: {count}");
        }
    }

    #[test]
    fn poisson_counts_lie_within_three_sigma_and_their_variance_is_their_mean() {
        for (rate, seed) in [(1_000.0, 1), (30_000.0, 2), (100_000.0, 3), (500_000.0, 4)] {
            let window_ns = 1_000_000;
            let windows = 1_000;
            let mut counts = vec![0u32; windows];
            for due in due_times(Pace::Poisson(Iops(rate)), seed) {
                match counts.get_mut((due / window_ns) as usize) {
                    Some(count) => *count += 1,
                    None => break,
                }
            }
            let total: f64 = counts.iter().map(|&c| f64::from(c)).sum();
            assert!((total - rate).abs() < 3.0 * rate.sqrt(), "{rate}: {total} in a second");
            let mean = total / windows as f64;
            let variance =
                counts.iter().map(|&c| (f64::from(c) - mean).powi(2)).sum::<f64>() / windows as f64;
            // The dispersion index of 1,000 windows is 1 ± 0.045.
            assert!((variance / mean - 1.0).abs() < 0.15, "{rate}: dispersion {}", variance / mean);
        }
    }
}
