//! Prints the cost on this machine of one draw, one permuted index and one look of the stop rule.
#![allow(clippy::print_stdout)]

use statistics::sequential::{Monitor, Rule};
use statistics::{LogNormal, Permutation, Stream};
use std::hint::black_box;
use std::time::Instant;

const CALLS: u64 = 20_000_000;

fn time(what: &str, mut call: impl FnMut(u64) -> u64) {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        let mut sum = 0u64;
        for i in 0..CALLS {
            sum = sum.wrapping_add(call(i));
        }
        black_box(sum);
        best = best.min(start.elapsed().as_nanos() as f64 / CALLS as f64);
    }
    println!("{what:<44} {best:6.1} ns");
}

fn main() {
    let mut s = Stream::new(1, 0);
    time("next_u64", |_| s.next_u64());
    time("below(1e9)", |_| s.below(1_000_000_000));
    time("unit_f64", |_| s.unit_f64().to_bits());
    time("exponential", |_| s.exponential(1.0).to_bits());
    time("normal", |_| s.normal().to_bits());
    let lognormal = LogNormal::new(1.0, 0.5);
    time("lognormal, prepared", |_| lognormal.sample(&mut s).to_bits());
    time("lognormal(mean, cv)", |_| s.lognormal(1.0, 0.5).to_bits());
    for n in [1u64 << 20, 1_000_003, 1 << 31, (1 << 48) + 1] {
        let Some(permutation) = Permutation::new(n, black_box(7)) else { return };
        time(&format!("Permutation::at, n = {n}, independent"), |i| permutation.at(i & 0xF_FFFF));
        let mut last = 0;
        time(&format!("Permutation::at, n = {n}, chained"), |_| {
            last = permutation.at(last);
            last
        });
    }
    for count in [10, 100, 1000] {
        time_looks(count, &mut s);
    }
}

fn time_looks(count: u64, stream: &mut Stream) {
    const LOOKS: u32 = 1000;
    let mut monitor = Monitor::new(Rule::within(0.0));
    for _ in 0..count {
        monitor.push(100.0 + stream.normal());
    }
    let start = Instant::now();
    for _ in 0..LOOKS {
        black_box(monitor.look());
    }
    let look = start.elapsed() / LOOKS;
    let start = Instant::now();
    for _ in 0..LOOKS {
        black_box(monitor.steadiness());
    }
    let steadiness = start.elapsed() / LOOKS;
    println!("after {count} values: a look {look:?}, and {steadiness:?} to judge steadiness");
}
