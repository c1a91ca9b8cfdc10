//! CPU time that other processes used during a test: figures from a starved machine prove nothing.

use std::fmt::Display;
use std::fs;

use crate::skip::{Lack, skipped};

/// Share of CPU time used by others beyond which a measurement is worthless: the rest of two processors is not
/// enough for a generator, a peer and the kernel's own threads.
const BUSY_SHARE: f64 = 0.2;

/// Ticks of all processors, those in use, and those used by this process, its children and the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Ticks {
    all: f64,
    used: f64,
    own: f64,
}

/// Watches the CPU time of other processes while a test measures.
#[derive(Debug)]
pub struct Neighbours(Ticks);

impl Neighbours {
    /// Starts the watch.
    pub fn watch() -> Neighbours {
        Neighbours(now())
    }

    /// Returns the share of all processors' time, 0 to 1, that others have used since the start.
    pub fn share(&self) -> f64 {
        share(self.0, now())
    }

    /// Whether others have used so much CPU time that a measurement proves nothing.
    pub fn were_busy(&self) -> bool {
        self.share() > BUSY_SHARE
    }

    /// Fails with `what`, a description of the measured and the expected figure; skips instead if others used too much
    /// CPU time.
    ///
    /// # Panics
    /// If nobody else was busy.
    pub fn excuse_or_fail(&self, what: impl Display) {
        skipped(Lack::Cpu, excuse(self.share(), what));
    }
}

/// Returns the reason for ignoring `what`.
fn excuse(share: f64, what: impl Display) -> String {
    assert!(share > BUSY_SHARE, "{what}; others used {:.0} % of the processors", share * 100.0);
    format!("others used {:.0} % of the processors: {what}", share * 100.0)
}

fn share(before: Ticks, after: Ticks) -> f64 {
    let others = (after.used - before.used) - (after.own - before.own);
    (others / (after.all - before.all).max(1.0)).clamp(0.0, 1.0)
}

fn now() -> Ticks {
    let machine = fs::read_to_string("/proc/stat").unwrap_or_default();
    let own = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let (all, used) = of_machine(&machine);
    Ticks { all, used, own: of_process(&own) + of_the_kernel() }
}

/// Returns the ticks used by the kernel's threads. They work for every process, but mostly for a test of devices.
fn of_the_kernel() -> f64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = processes.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    stats.filter(|text| is_of_the_kernel(text)).map(|text| of_process(&text)).sum()
}

/// Whether a `stat` text is of a kernel thread: all are children of process 2.
fn is_of_the_kernel(text: &str) -> bool {
    let behind = text.rsplit_once(") ").map_or("", |(_, behind)| behind);
    behind.split_whitespace().nth(1) == Some("2")
}

/// Returns all ticks, and those not spent idling or waiting (the fourth and fifth figures of the first line).
fn of_machine(text: &str) -> (f64, f64) {
    let line = text.lines().next().unwrap_or_default();
    let figures: Vec<f64> =
        line.split_whitespace().skip(1).take(8).filter_map(|word| word.parse().ok()).collect();
    let (all, idle): (f64, f64) = (figures.iter().sum(), figures.iter().skip(3).take(2).sum());
    (all, all - idle)
}

/// Returns user and system time of the process and of its ended children: fields 14 to 17, counted after the name.
fn of_process(text: &str) -> f64 {
    let behind = text.rsplit_once(") ").map_or("", |(_, behind)| behind);
    behind.split_whitespace().skip(11).take(4).filter_map(|word| word.parse::<f64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_children_used_is_our_own() {
        assert_eq!(of_machine("cpu  10 1 5 80 4 0 0 0 0 0\ncpu0 1 2 3"), (100.0, 16.0));
        assert_eq!(of_process("7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 20 3 5 2 0 0"), 30.0);
        assert!(is_of_the_kernel("37 (kworker/0:1) I 2 0 0") && !is_of_the_kernel("2 (kthreadd) S 0 0 0"));
        let before = Ticks { all: 1000.0, used: 100.0, own: 50.0 };
        let after = Ticks { all: 1200.0, used: 200.0, own: 100.0 };
        assert_eq!(share(before, after), 0.25);
    }

    #[test]
    #[should_panic(expected = "12 instead of 13")]
    fn on_a_quiet_machine_a_miss_is_a_failure() {
        // As if others had used no CPU time since, however busy the machine is.
        Neighbours(Ticks { all: 0.0, used: f64::MAX, own: 0.0 }).excuse_or_fail("12 instead of 13");
    }

    #[test]
    fn beside_busy_neighbours_a_miss_is_a_skip() {
        assert_eq!(excuse(0.3, "12 instead of 13"), "others used 30 % of the processors: 12 instead of 13");
    }
}
