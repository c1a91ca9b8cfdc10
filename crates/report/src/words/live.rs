//! The live display of a terminal while steps run: the results so far, the running step, its rate and its latency
//! against time.

use analysis::Analysis;
use record::{Distribution, Interval, Run};

use crate::words::numbers::{self, Prefix};
use crate::words::progress::cut;
use crate::words::steps::{part_line, part_words};
use crate::words::wrap::clean;

/// Moments kept of a step: as many as a wide line shows.
const KEPT: usize = 120;
/// Most lines of results so far; with the running step they fit a terminal of 24 rows.
const PARTS: usize = 16;
/// Columns before a sparkline.
const HEAD: usize = 46;
/// Fewest columns of a sparkline; a shorter one would show nothing.
const COURSE_LEAST: usize = 8;
/// Most columns of a sparkline; a longer one is no easier to read.
const COURSE_MOST: usize = 40;
/// Columns of the progress bar.
const BAR: usize = 10;

/// A moment of the running step, over all of its jobs.
#[derive(Clone, Debug, Default)]
struct Moment {
    iops: f64,
    bytes_per_second: f64,
    latency: Distribution,
}

/// State of the live display.
#[derive(Clone, Debug, Default)]
pub struct Showing {
    step: String,
    /// Number of the step, from 1.
    number: usize,
    moments: Vec<Moment>,
    /// End of the last moment in nanoseconds; intervals of several jobs with the same end belong to one moment.
    until: u64,
    parts: Vec<String>,
}

impl Showing {
    /// Records that a step has begun.
    pub fn step(&mut self, name: &str) {
        self.step = clean(name);
        self.number += 1;
        self.moments.clear();
    }

    /// Adds an interval of one of the step's jobs.
    pub fn heard(&mut self, interval: &Interval) {
        if self.moments.is_empty() || interval.end.0 != self.until {
            self.until = interval.end.0;
            self.moments.push(Moment::default());
            let over = self.moments.len().saturating_sub(KEPT);
            self.moments.drain(..over);
        }
        let Some(moment) = self.moments.last_mut() else { return };
        moment.iops += interval.iops();
        moment.bytes_per_second += interval.bytes_per_second();
        interval.directions.iter().for_each(|of| moment.latency.merge(&of.latency));
    }

    /// Updates the results so far, in the words of the final result.
    pub fn so_far(&mut self, run: &Run, analysis: &Analysis) {
        let lines = part_words(run, analysis).iter().map(part_line).collect::<String>();
        let lines: Vec<&str> = lines.lines().collect();
        let kept = &lines[lines.len().saturating_sub(PARTS)..];
        self.parts = kept.iter().map(|line| (*line).to_owned()).collect();
    }

    /// Returns lines for a terminal, each at most `room` columns; `elapsed_s` and `left_s` are seconds of the
    /// whole run.
    pub fn lines(&self, room: usize, (elapsed_s, left_s): (f64, f64)) -> Vec<String> {
        let mut lines = self.parts.clone();
        lines.push(self.head(room, (elapsed_s, left_s)));
        if let Some(now) = self.moments.last() {
            let rate = format!(
                "{}  {}",
                numbers::iops(now.iops),
                numbers::bandwidth(now.bytes_per_second, Prefix::Binary)
            );
            let rates: Vec<f64> = self.moments.iter().map(|moment| moment.iops).collect();
            lines.push(against_time(("rate", &rate), &rates, room));
            if let Some(words) = latency_words(&now.latency) {
                let p99: Vec<f64> = self.moments.iter().map(|moment| p99(&moment.latency)).collect();
                lines.push(against_time(("latency", &words), &p99, room));
            }
        }
        lines.iter().map(|line| cut(line, room)).collect()
    }

    /// Returns the running step, the progress of the run, and the time left.
    fn head(&self, room: usize, (elapsed_s, left_s): (f64, f64)) -> String {
        let share = (elapsed_s / (elapsed_s + left_s).max(1.0)).clamp(0.0, 1.0);
        let filled = (share * BAR as f64).round() as usize;
        let bar: String = (0..BAR).map(|at| if at < filled { '█' } else { '░' }).collect();
        let step = format!("  step {}  {}", self.number, self.step);
        let left = format!("{} left", numbers::span(left_s.ceil()));
        let with_bar = format!("{bar}  {left}");
        let tail = if room >= HEAD + BAR + left.chars().count() + 4 { with_bar } else { left };
        let pad = room.saturating_sub(tail.chars().count() + 2);
        format!("{:<pad$}  {tail}", cut(&step, pad))
    }
}

fn p99(latency: &Distribution) -> f64 {
    latency.percentile(99.0).map_or(f64::NAN, |time| time as f64)
}

fn latency_words(latency: &Distribution) -> Option<String> {
    let of = |percent| Some(numbers::time(latency.percentile(percent)? as f64));
    Some(format!("p50 {}  p99 {}", of(50.0)?, of(99.0)?))
}

/// Formats a quantity with a sparkline if there is room for one: `  rate  43,120 IOPS  168 MiB/s   ▁▃▆▇▇`.
fn against_time((what, words): (&str, &str), values: &[f64], room: usize) -> String {
    let head = format!("  {what:<8} {words}");
    let columns = room.saturating_sub(HEAD).min(COURSE_MOST);
    if columns < COURSE_LEAST || head.chars().count() >= HEAD || values.len() < 2 {
        return head;
    }
    format!("{head:<HEAD$}{}", course(&values[values.len().saturating_sub(columns)..]))
}

/// Returns a sparkline: a character for each value, in eight heights from zero to the greatest; a blank for a
/// value that is not finite.
fn course(values: &[f64]) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    let height = |value: f64| match value.is_finite() && most > 0.0 {
        true => HEIGHTS[((value / most * 8.0).ceil() as usize).clamp(1, 8) - 1],
        false => ' ',
    };
    values.iter().map(|&value| height(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::{Direction, Nanos};

    fn interval(job: u16, second: u64, ops: u64) -> Interval {
        let (start, end) = (Nanos::from_secs(second), Nanos::from_secs(second + 1));
        let mut interval = Interval::empty(job, start, end);
        let read = &mut interval.directions[Direction::Read.index()];
        read.tally.ops = ops;
        read.tally.bytes = ops * 4096;
        read.latency = Distribution::counted(&[(100_000, ops.max(1))], 100_000, 100_000);
        interval
    }

    #[test]
    fn a_step_shows_its_rate_and_latency_against_time_within_any_width() {
        let mut showing = Showing::default();
        showing.step("read depth 8");
        for second in 0..70 {
            showing.heard(&interval(0, second, second * 100));
            showing.heard(&interval(1, second, 50));
        }
        for room in [19, 39, 59, 79, 119, 199] {
            let lines = showing.lines(room, (30.0, 90.0));
            assert_eq!(lines.len(), 3, "{lines:?}");
            assert!(lines.iter().all(|line| line.chars().count() <= room), "{room}: {lines:?}");
        }
        let lines = showing.lines(79, (30.0, 90.0));
        assert!(
            lines[0].starts_with("  step 1  read depth 8") && lines[0].ends_with("90 s left"),
            "{lines:?}"
        );
        assert!(
            lines[1].contains("6,950 IOPS") && lines[1].ends_with('█'),
            "the jobs are put together: {lines:?}"
        );
        assert!(lines[2].contains("p99 0.10 ms"), "{lines:?}");
    }

    #[test]
    fn a_course_rises_to_the_greatest_and_leaves_gaps() {
        assert_eq!(course(&[0.0, 1.0, f64::NAN, 8.0]), "▁▁ █");
        assert_eq!(course(&[0.0, 0.0]), "  ", "nothing at all");
    }
}
