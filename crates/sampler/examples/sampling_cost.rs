//! Measures what a reading costs on this machine: `cargo run --release -p sampler --example sampling_cost`
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::hint::black_box;

use kernel::{Clock, thread_cpu_time};
use sampler::{Root, Sampler, SamplerError};

const READINGS: u32 = 5_000;

fn main() -> Result<(), SamplerError> {
    let stat = Root::real().text("proc/diskstats").unwrap_or_default();
    let found = stat.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_owned);
    let names: Vec<String> = found.take(20).collect();
    let count = names.len();
    let mut sampler = Sampler::new(&Root::real(), names.into_iter().collect())?;
    let clock = Clock::start();
    let (began, before) = (clock.now(), thread_cpu_time());
    for _ in 0..READINGS {
        black_box(sampler.read(clock.now()));
    }
    let spent = thread_cpu_time().since(before);
    let each = |ns: u64| ns / u64::from(READINGS);
    println!("devices            {count}");
    println!("a reading          {} ns", each(clock.now().since(began).0));
    println!("user CPU           {} ns", each(spent.user.0));
    println!("system CPU         {} ns", each(spent.system.0));
    let status = Root::real().text("proc/self/status").unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    println!("resident at most   {}", resident.trim());
    println!("one a second       {:.4} % of a core", spent.total().0 as f64 / f64::from(READINGS) / 1e7);
    Ok(())
}
