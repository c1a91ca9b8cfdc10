//! A rate that changes with time: the meters run by a separate clock, which goes as fast as the rate.
//!
//! A meter whose rate is r(t) times nominal admits at time t what a meter of the nominal rate admits at ∫r. So waves,
//! neighbours and noise need no change in the meter: it gets the clock's time, and its answer is converted back.

use std::collections::VecDeque;

use workload::Nanos;

use super::noise::Noise;
use super::spans::Spans;

/// A factor of a rate.
#[derive(Clone, Debug)]
pub(super) enum Factor {
    Noise(Noise),
    /// Others take this share during spans.
    Taken {
        share: f64,
        spans: Spans,
    },
    Wave(Wave),
    /// A slow change up and down, or only down.
    Slow(Slow),
}

/// A rate that changes slowly with time, in steps too short to notice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slow {
    pub(super) course: SlowCourse,
    /// Size of the change, as a share of the rate.
    pub(super) share: f64,
    /// Duration of the change.
    pub(super) over: Nanos,
}

/// Shape of a slow change.
#[derive(Clone, Copy, Debug)]
pub(super) enum SlowCourse {
    /// A sine around one.
    Sway,
    /// A line down, then level.
    Decline,
}

/// Number of steps in which a slow change is made.
const SLOW_STEPS: u64 = 1440;

impl Slow {
    fn at(&self, time: Nanos) -> (f64, Nanos) {
        let step = (self.over.0 / SLOW_STEPS).max(1);
        let number = time.0 / step;
        let done = (number as f64 + 0.5) / SLOW_STEPS as f64;
        let factor = match self.course {
            SlowCourse::Sway => 1.0 + self.share * (std::f64::consts::TAU * done).sin(),
            SlowCourse::Decline => 1.0 - self.share * done.min(1.0),
        };
        (factor, Nanos((number + 1) * step))
    }
}

/// A rate that is high for a while, low for a while, and so on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wave {
    pub(super) high: Nanos,
    pub(super) low: Nanos,
    /// Factor of the nominal rate while the wave is low.
    pub(super) share: f64,
    /// Time within the high part at which the wave begins.
    pub(super) phase: Nanos,
}

impl Wave {
    fn at(&self, time: Nanos) -> (f64, Nanos) {
        let within = (time.0 + self.phase.0) % (self.high.0 + self.low.0);
        if within < self.high.0 {
            return (1.0, Nanos(time.0 + self.high.0 - within));
        }
        (self.share, Nanos(time.0 + self.high.0 + self.low.0 - within))
    }
}

impl Factor {
    /// Returns the factor at `time`, which never goes back, and the time until which it applies.
    fn at(&mut self, time: Nanos) -> (f64, Nanos) {
        match self {
            Factor::Noise(noise) => noise.at(time),
            Factor::Wave(wave) => wave.at(time),
            Factor::Slow(slow) => slow.at(time),
            Factor::Taken { share, spans } => {
                let taken = spans.within(time).is_some();
                let until = spans.next_change(time);
                spans.forget(time);
                (if taken { 1.0 - *share } else { 1.0 }, until)
            }
        }
    }
}

/// A stretch of time at one rate.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    start: Nanos,
    end: Nanos,
    /// Time of the clock at the start of the stretch, in nanoseconds.
    clock: f64,
    rate: f64,
}

/// The clock of a rate. Queries may go ahead and come back, but not before the last [`Tempo::forget`].
#[derive(Clone, Debug)]
pub(super) struct Tempo {
    factors: Vec<Factor>,
    /// Stretches in order and without gaps; at least one.
    known: VecDeque<Stretch>,
}

impl Tempo {
    /// Returns a clock for the product of `factors`; `None` if there are no factors.
    pub(super) fn new(mut factors: Vec<Factor>) -> Option<Tempo> {
        if factors.is_empty() {
            return None;
        }
        let first = stretch(&mut factors, Nanos::ZERO, 0.0);
        Some(Tempo { factors, known: VecDeque::from([first]) })
    }

    /// Returns the clock at `time`.
    #[inline]
    pub(super) fn clock(&mut self, time: Nanos) -> Nanos {
        let stretch = self.at(time);
        Nanos((stretch.clock + time.since(stretch.start).0 as f64 * stretch.rate) as u64)
    }

    /// Returns the rate at `time`, as a factor of the nominal one.
    #[inline]
    pub(super) fn rate(&mut self, time: Nanos) -> f64 {
        self.at(time).rate
    }

    /// Returns when the clock shows `clock`.
    #[inline]
    pub(super) fn when(&mut self, clock: Nanos) -> Nanos {
        let wanted = clock.0 as f64;
        while self.known.back().is_some_and(|last| last.clock + length(last) * last.rate <= wanted) {
            self.add();
        }
        let after = self.known.partition_point(|stretch| stretch.clock <= wanted);
        let stretch = self.known[after.saturating_sub(1)];
        let within = (wanted - stretch.clock).max(0.0) / stretch.rate;
        Nanos(stretch.start.0 + within.ceil() as u64)
    }

    /// Forgets the stretches before `time`.
    #[inline]
    pub(super) fn forget(&mut self, time: Nanos) {
        while self.known.len() > 1 && self.known[0].end <= time {
            self.known.pop_front();
        }
    }

    fn at(&mut self, time: Nanos) -> Stretch {
        while self.known.back().is_some_and(|last| last.end <= time) {
            self.add();
        }
        let after = self.known.partition_point(|stretch| stretch.start <= time);
        self.known[after.saturating_sub(1)]
    }

    fn add(&mut self) {
        let Some(last) = self.known.back() else { return };
        let next = stretch(&mut self.factors, last.end, last.clock + length(last) * last.rate);
        self.known.push_back(next);
    }
}

fn length(stretch: &Stretch) -> f64 {
    stretch.end.since(stretch.start).0 as f64
}

fn stretch(factors: &mut [Factor], start: Nanos, clock: f64) -> Stretch {
    let (mut rate, mut end) = (1.0, Nanos::MAX);
    for factor in factors {
        let (by, until) = factor.at(start);
        rate *= by;
        end = end.min(until);
    }
    assert!(rate > 0.0 && end > start, "a rate of {rate} from {start} to {end}");
    Stretch { start, end, clock, rate }
}

#[cfg(test)]
mod tests {
    use statistics::Stream;

    use super::*;

    fn wave(high: u64, low: u64, share: f64) -> Wave {
        Wave { high: Nanos::from_secs(high), low: Nanos::from_secs(low), share, phase: Nanos::ZERO }
    }

    #[test]
    fn a_wave_is_high_then_low_and_its_clock_shows_the_mean() {
        let mut tempo = Tempo::new(vec![Factor::Wave(wave(10, 20, 0.5))]).unwrap();
        for (time, clock) in [(0, 0.0), (10, 10.0), (20, 15.0), (30, 20.0), (40, 30.0), (300, 200.0)] {
            let shown = tempo.clock(Nanos::from_secs(time)).as_secs_f64();
            assert!((shown - clock).abs() < 1e-6, "{time}: {shown}");
        }
        assert_eq!(tempo.when(Nanos::from_secs(15)), Nanos::from_secs(20));
        assert_eq!(tempo.rate(Nanos::from_secs(12)), 0.5);
    }

    #[test]
    fn a_sway_comes_back_and_a_decline_stays() {
        let slow = |course| Factor::Slow(Slow { course, share: 0.2, over: Nanos::from_secs(86_400) });
        let at =
            |course, hours: u64| Tempo::new(vec![slow(course)]).unwrap().rate(Nanos::from_secs(hours * 3600));
        for (hours, sway, decline) in
            [(0, 1.0, 1.0), (6, 1.2, 0.95), (18, 0.8, 0.85), (24, 1.0, 0.8), (30, 1.2, 0.8)]
        {
            assert!((at(SlowCourse::Sway, hours) - sway).abs() < 2e-3, "{hours} h");
            assert!((at(SlowCourse::Decline, hours) - decline).abs() < 2e-3, "{hours} h");
        }
    }

    #[test]
    fn turning_the_clock_there_and_back_ends_where_it_began() {
        let noise = Noise::new(Nanos::from_millis(100), 0.2, 0.5, Stream::new(4, 4));
        let mut tempo = Tempo::new(vec![Factor::Noise(noise), Factor::Wave(wave(3, 1, 0.2))]).unwrap();
        for number in 0..10_000u64 {
            let time = Nanos(number * 7_654_321);
            let clock = tempo.clock(time);
            let back = tempo.when(clock);
            assert!(back.0.abs_diff(time.0) <= 100, "{time} became {back}");
            tempo.forget(time);
        }
    }

    #[test]
    fn the_mean_rate_of_a_noisy_clock_is_nominal() {
        let noise = Noise::new(Nanos::SECOND, 0.1, 0.6, Stream::new(4, 4));
        let mut tempo = Tempo::new(vec![Factor::Noise(noise)]).unwrap();
        let mean = tempo.clock(Nanos::from_secs(10_000)).as_secs_f64() / 10_000.0;
        assert!((mean - 1.0).abs() < 4.0 * 0.1 * 2.0 / 100.0, "{mean}");
    }
}
