//! Prints how often the interval at which the stop rule ends holds the truth, and how many values it took.
#![allow(clippy::print_stdout)]

use statistics::Stream;
use statistics::sequential::{Monitor, Rule};

const RUNS: u64 = 2000;
/// Relative half-width to reach, and coefficient of variation of a value.
const ROWS: [(f64, f64); 8] = [
    (0.01, 0.05),
    (0.05, 0.2),
    (0.02, 0.05),
    (0.005, 0.01),
    (0.04, 0.05),
    (0.01, 0.01),
    (0.02, 0.01),
    (0.01, 0.002),
];
const VALUES_MAX: usize = 2000;
/// Large compared with the noise, so that the mean of 100 stays positive.
const MEAN: f64 = 100.0;

/// One run under the rule: whether it was decided, whether the interval held the mean, and the number of values.
fn run(half_width: f64, cv: f64, rho: f64, stream: &mut Stream) -> (bool, bool, usize) {
    let mut monitor = Monitor::new(Rule::within(half_width));
    let mut noise = stream.normal();
    let innovation = (1.0 - rho * rho).sqrt();
    loop {
        noise = rho * noise + innovation * stream.normal();
        let look = monitor.push(MEAN * (1.0 + cv * noise));
        if look.decided || look.estimate.n == VALUES_MAX {
            return (look.decided, look.estimate.covers(MEAN), look.estimate.n);
        }
    }
}

fn main() {
    for (half_width, cv) in ROWS {
        print!("| {:5.2} (±{} % at CV {} %)", half_width / cv, 100.0 * half_width, 100.0 * cv);
        for rho in [0.0, 0.3, 0.6, 0.8] {
            let (mut decided, mut covered, mut values) = (0u32, 0u32, 0usize);
            for repeat in 0..RUNS {
                let mut stream = Stream::new((1e6 * half_width * rho + 1e3 * cv) as u64, repeat);
                let (stopped, held, n) = run(half_width, cv, rho, &mut stream);
                decided += u32::from(stopped);
                covered += u32::from(held && stopped);
                values += n;
            }
            let share = f64::from(covered) / f64::from(decided.max(1));
            let mean = values as f64 / RUNS as f64;
            let unfinished = RUNS as u32 - decided;
            print!(
                " | {:.1} ({mean:.0}){}",
                100.0 * share,
                if unfinished > 0 { format!(" {unfinished} undecided") } else { String::new() }
            );
        }
        println!(" |");
    }
}
