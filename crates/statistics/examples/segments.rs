//! Prints how often noise is cut into segments, and how often a change is found and its interval holds the true time.
#![allow(clippy::print_stdout)]

use statistics::Stream;
use statistics::segments::{Rule, Sample, segments};

const RUNS: u64 = 400;

/// A series to cut, in cells of half a second.
#[derive(Clone, Copy)]
struct Noisy {
    n: usize,
    cv: f64,
    rho: f64,
    /// Standard deviation of a slow part, and its memory in seconds.
    slow: (f64, f64),
}

const CELL: f64 = 0.5;

impl Noisy {
    fn series(&self, seed: u64, level: impl Fn(f64, f64) -> f64) -> Vec<Sample> {
        let mut stream = Stream::new(seed, self.n as u64);
        let (mut fast, mut slow) = (stream.normal(), stream.normal());
        let kept = (-CELL / self.slow.1).exp();
        (0..self.n)
            .map(|at| {
                fast = self.rho * fast + (1.0 - self.rho * self.rho).sqrt() * stream.normal();
                slow = kept * slow + (1.0 - kept * kept).sqrt() * stream.normal();
                let (from, to) = (at as f64 * CELL, (at + 1) as f64 * CELL);
                let noise = (1.0 + self.cv * fast + self.slow.0 * slow).max(0.0);
                Sample { from, to, value: level(from, to) * noise }
            })
            .collect()
    }
}

fn false_alarms(noisy: Noisy) -> f64 {
    let alarms = (0..RUNS)
        .filter(|seed| !segments(&noisy.series(*seed, |_, _| 3000.0), &Rule::default()).changes.is_empty());
    100.0 * alarms.count() as f64 / RUNS as f64
}

/// Mean of a level, relative to 3,000, that is 1 before `at` and `after` from then on.
fn step(at: f64, after: f64) -> impl Fn(f64, f64) -> f64 {
    move |from, to| {
        let share = ((at - from) / (to - from)).clamp(0.0, 1.0);
        3000.0 * (share + (1.0 - share) * after)
    }
}

/// Percent of runs with exactly one change found; of those, percent whose interval holds the true time, percent whose time
/// is within 2 s, and mean length of the interval.
fn power(noisy: Noisy, after: f64) -> [f64; 4] {
    let (mut found, mut held, mut near, mut length) = (0.0, 0.0, 0.0, 0.0);
    for seed in 0..RUNS {
        let mut stream = Stream::new(seed, 77);
        let at = CELL * noisy.n as f64 * (0.2 + 0.6 * stream.unit_f64());
        let cut = segments(&noisy.series(seed, step(at, after)), &Rule::default());
        if let [change] = cut.changes.as_slice() {
            found += 1.0;
            held += f64::from(u8::from(change.low <= at && at <= change.high));
            near += f64::from(u8::from((change.at - at).abs() <= 2.0));
            length += change.high - change.low;
        }
    }
    [100.0 * found / RUNS as f64, 100.0 * held / found, 100.0 * near / found, length / found]
}

fn main() {
    println!("false alarms, % of series");
    for n in [30, 60, 120, 300, 600] {
        for cv in [0.005, 0.05, 0.2] {
            print!("| {n} | {cv} |");
            for rho in [0.0, 0.3, 0.6, 0.8] {
                print!(" {:.1} |", false_alarms(Noisy { n, cv, rho, slow: (0.0, 60.0) }));
            }
            for slow in [(0.02, 60.0), (0.05, 60.0), (0.02, 300.0), (0.05, 300.0)] {
                print!(" {:.1} |", false_alarms(Noisy { n, cv, rho: 0.3, slow }));
            }
            println!();
        }
    }
    println!("power");
    for n in [60, 240] {
        for (cv, after) in [
            (0.002, 0.9),
            (0.01, 0.9),
            (0.05, 0.9),
            (0.05, 0.7),
            (0.05, 0.5),
            (0.1, 0.5),
            (0.2, 0.5),
            (0.2, 0.2),
        ] {
            print!("| {n} | {cv} | {after} |");
            for rho in [0.0, 0.3, 0.6, 0.8] {
                let [found, held, near, length] = power(Noisy { n, cv, rho, slow: (0.0, 60.0) }, after);
                print!(" {found:.0} / {held:.0} / {near:.0} / {length:.1} |");
            }
            println!();
        }
    }
}
