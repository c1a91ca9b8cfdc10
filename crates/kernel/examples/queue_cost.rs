//! The cost of a queue itself: 4 KiB random reads of PATH through each backend, in CPU time per I/O.
//!
//! `cargo run --release -p kernel --example queue_cost -- PATH [DEPTH] [SECONDS] [BACKEND]`
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use kernel::{Clock, Direct, Queue, QueueSize, UringQueue, open_for_read, open_queue, thread_cpu_time};
use workload::{BackendKind, Completion, Direction, Io, Nanos, Wait};

type Failure = Box<dyn std::error::Error>;

/// A small generator (xorshift64*), cheap beside what is measured.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

macro_rules! measure {
    ($queue:expr, $depth:expr, $blocks:expr, $until:expr, $clock:expr) => {{
        let mut queue = $queue;
        let mut random = Random(88_172_645_463_325_252);
        let mut free: Vec<u32> = (0..$depth).collect();
        let mut done: Vec<Completion> = Vec::with_capacity($depth as usize);
        let (mut count, mut enters) = (0u64, 0u64);
        let (from, cpu) = ($clock.now(), thread_cpu_time());
        while $clock.now() < $until {
            while queue.room() > 0 {
                let Some(slot) = free.pop() else { break };
                let block = ((u128::from(random.next()) * u128::from($blocks)) >> 64) as u64;
                let due = Nanos::ZERO;
                queue.queue(Io {
                    slot,
                    kind: Direction::Read,
                    file: 0,
                    offset: block * 4096,
                    bytes: 4096,
                    due,
                })?;
            }
            done.clear();
            queue.submit_and_reap(Wait::One, &mut done)?;
            enters += 1;
            count += done.len() as u64;
            free.extend(done.iter().map(|d| d.slot));
        }
        let (spent, cpu) = ($clock.now().since(from), thread_cpu_time().since(cpu));
        println!(
            "{}\n  {:.0} IOPS, user {:.1} ns, system {:.1} ns an I/O, {:.1} I/Os a reap",
            queue.features(),
            count as f64 / spent.as_secs_f64(),
            cpu.user.0 as f64 / count as f64,
            cpu.system.0 as f64 / count as f64,
            count as f64 / enters as f64
        );
    }};
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let path = PathBuf::from(words.first().ok_or("name a file or device")?);
    let depth: u32 = words.get(1).map_or(Ok(64), |w| w.parse())?;
    let seconds: u64 = words.get(2).map_or(Ok(3), |w| w.parse())?;
    let only = words.get(3).map(String::as_str);
    let file = open_for_read(&path, Direct::Yes)?;
    let blocks = file.size().0 / 4096;
    let clock = Clock::start();
    println!("clock reading: {:.1} ns", clock.cost_per_read_ns());
    for kind in [BackendKind::IoUring, BackendKind::Libaio, BackendKind::Pread] {
        if only.is_some_and(|name| name != kind.name()) {
            continue;
        }
        let until = clock.now() + Nanos::from_secs(seconds);
        let files = [file.clone()];
        match kind {
            BackendKind::IoUring => {
                measure!(UringQueue::open(&files, depth, 4096, clock)?, depth, blocks, until, clock);
            }
            _ => measure!(
                open_queue(kind, &files, QueueSize { depth, slot_bytes: 4096 }, clock)?,
                depth,
                blocks,
                until,
                clock
            ),
        }
    }
    Ok(())
}
