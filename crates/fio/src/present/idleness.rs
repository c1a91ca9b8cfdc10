//! Idle time of the machine's CPUs (`--idle-prof`).

use std::fmt::Write as _;

use record::CpuCounters;

use super::tree::Tree;
use crate::asked::IdleCpus;

/// Percentage of time in which each CPU was idle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Idleness {
    cpus: Vec<(u32, f64)>,
}

impl Idleness {
    /// A remark next to the figures, because fio derives its own from another source.
    pub const SOURCE: &str = "CPU idleness is the time in which a CPU had nothing to run, by /proc/stat; fio's is what idle threads of its own could do, in units of work that are not shown here";

    /// Returns the idleness between two readings of each CPU's counters.
    pub fn between(before: &[(u32, CpuCounters)], after: &[(u32, CpuCounters)]) -> Idleness {
        let of = |(number, now): &(u32, CpuCounters)| {
            let (_, then) = before.iter().find(|(known, _)| known == number)?;
            let idle = |counters: &CpuCounters| counters.idle + counters.iowait;
            let time = now.total().checked_sub(then.total()).filter(|time| *time > 0)?;
            Some((*number, 100.0 * idle(now).saturating_sub(idle(then)) as f64 / time as f64))
        };
        Idleness { cpus: after.iter().filter_map(of).collect() }
    }

    /// Mean of all CPUs.
    fn machine(&self) -> f64 {
        self.cpus.iter().map(|(_, percent)| percent).sum::<f64>() / self.cpus.len().max(1) as f64
    }

    /// Returns the lines that follow the disks.
    pub(super) fn text(&self, asked: IdleCpus) -> String {
        let mut text = format!("\nCPU idleness:\n  system: {:3.2}%\n", self.machine());
        if asked == IdleCpus::Each {
            let each: Vec<String> = self.cpus.iter().map(|(_, percent)| format!("{percent:3.2}%")).collect();
            let _ = writeln!(text, "  percpu: {}", each.join(", "));
        }
        text
    }

    /// Returns the object that follows the disks.
    pub(super) fn tree(&self, asked: IdleCpus) -> Tree {
        let machine = ("system".to_owned(), Tree::Float(self.machine()));
        let each = self.cpus.iter().map(|(number, percent)| (format!("cpu-{number}"), Tree::Float(*percent)));
        let each = each.filter(|_| asked == IdleCpus::Each);
        Tree::Object(std::iter::once(machine).chain(each).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_is_idle_also_while_it_waits_for_io_and_one_without_time_is_left_out() {
        let ticks = |user, idle, iowait| CpuCounters { user, idle, iowait, ..CpuCounters::default() };
        let before = [(0, ticks(10, 100, 0)), (1, ticks(0, 0, 0)), (2, ticks(1, 1, 1))];
        let after =
            [(0, ticks(60, 130, 20)), (1, ticks(0, 200, 0)), (2, ticks(1, 1, 1)), (3, ticks(9, 9, 9))];
        let idleness = Idleness::between(&before, &after);
        assert_eq!(
            idleness.text(IdleCpus::Each),
            "\nCPU idleness:\n  system: 75.00%\n  percpu: 50.00%, 100.00%\n"
        );
        assert_eq!(idleness.text(IdleCpus::Together), "\nCPU idleness:\n  system: 75.00%\n");
        let json = idleness.tree(IdleCpus::Each).document();
        assert!(json.contains("\"cpu-1\" : 100.000000"), "{json}");
        assert!(!idleness.tree(IdleCpus::Together).document().contains("cpu-1"));
    }
}
