//! The time axis of a recording: clock time (UTC) for long ones, seconds since the start for short ones.

use jiff::Timestamp;
use record::Run;
use workload::Nanos;

use super::axis::Axis;
use crate::words::numbers;

/// Length in seconds from which the axis shows clock time: for longer runs, readers want to know the time of day,
/// not the time since the start.
const CLOCK_FROM_S: f64 = 600.0;
/// Room for one label of the axis, in pixels.
const LABEL: i32 = 84;

/// Seconds between ticks of clock time, at multiples that people read off a clock.
const STEPS: [i64; 15] =
    [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000];

/// A span of the run's clock as an axis in seconds since the run's start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeline {
    from: f64,
    to: f64,
    /// Wall clock at the run's start, in seconds since 1970; `None` if unknown, and for short spans.
    wall: Option<f64>,
}

impl Timeline {
    pub fn of(run: &Run, from: Nanos, to: Nanos) -> Timeline {
        let (from, to) = (from.as_secs_f64(), to.as_secs_f64());
        let known = run.started_unix_ms > 0 && to - from >= CLOCK_FROM_S;
        Timeline { from, to, wall: known.then(|| run.started_unix_ms as f64 / 1e3) }
    }

    pub fn place(&self, at: Nanos) -> f64 {
        at.as_secs_f64()
    }

    /// Clips a span to the axis; `None` if it is outside.
    pub fn clipped(&self, from: Nanos, to: Nanos) -> Option<(f64, f64)> {
        let (from, to) = (from.as_secs_f64().max(self.from), to.as_secs_f64().min(self.to));
        (from < to).then_some((from, to))
    }

    /// Returns the axis of a panel that is `wide` pixels wide.
    pub fn axis(&self, wide: i32) -> Axis {
        let most = (wide / LABEL).max(2) as usize;
        match self.wall {
            Some(wall) => Axis::with_ticks(self.from, self.to, self.clock_ticks(wall, most)),
            None => Axis::linear(self.from, self.to, most.min(10), numbers::figure),
        }
    }

    fn clock_ticks(&self, wall: f64, most: usize) -> Vec<(f64, String)> {
        let rough = (self.to - self.from) / most as f64;
        let step = STEPS.into_iter().find(|step| *step as f64 >= rough).unwrap_or(STEPS[STEPS.len() - 1]);
        let first = ((wall + self.from) / step as f64).ceil() as i64;
        let last = ((wall + self.to) / step as f64).floor() as i64;
        let tick = |number: i64| (number as f64 * step as f64 - wall, clock_words(number * step, step));
        (first..=last.min(first + 200)).map(tick).collect()
    }

    pub fn title(&self) -> String {
        match self.wall {
            Some(wall) => {
                let day = |at: f64| words((wall + at) as i64, "%Y-%m-%d");
                let (first, last) = (day(self.from), day(self.to - 1.0));
                let days = if first == last { first } else { format!("{first} to {last}") };
                format!("time of day (UTC), {days}")
            }
            None => "time since the start (s)".to_owned(),
        }
    }
}

/// Formats the time of day as `14:00`, or as a date at midnight and if ticks are days apart.
fn clock_words(unix: i64, step: i64) -> String {
    match unix % 86_400 == 0 || step >= 86_400 {
        true => words(unix, "%b %-d"),
        false => words(unix, "%H:%M"),
    }
}

fn words(unix: i64, format: &str) -> String {
    Timestamp::from_second(unix).map_or_else(|_| String::new(), |time| time.strftime(format).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(started_unix_ms: u64) -> Run {
        Run::started(Vec::new(), started_unix_ms)
    }

    #[test]
    fn a_day_is_told_by_the_clock_and_a_minute_by_its_seconds() {
        // 2026-11-21 22:30 UTC.
        let started = 1_795_300_200_000;
        let day = Timeline::of(&run(started), Nanos::ZERO, Nanos::from_secs(24 * 3600));
        let labels: Vec<String> = day.axis(920).labels().map(str::to_owned).collect();
        assert_eq!(
            labels,
            ["Nov 22", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00"],
            "every three hours"
        );
        assert_eq!(day.title(), "time of day (UTC), 2026-11-21 to 2026-11-22");
        let minute = Timeline::of(&run(started), Nanos::ZERO, Nanos::from_secs(60));
        assert_eq!(minute.title(), "time since the start (s)");
        let unknown = Timeline::of(&run(0), Nanos::ZERO, Nanos::from_secs(24 * 3600));
        assert_eq!(unknown.title(), "time since the start (s)");
    }
}
