//! Turns successive readings into reports.

use std::collections::HashMap;

use record::{CpuCounters, DiskCounters};

use super::asked::IostatRequest;
use super::figures::{Differences, before};
use super::reading::{DiskLine, Host, Reading};
use super::report::{Line, Report};
use super::{json, text};

/// Turns readings into reports.
#[derive(Clone, Debug)]
pub struct Reporter {
    asked: IostatRequest,
    host: Host,
    last: Reading,
    printed: u64,
}

impl Reporter {
    /// Returns a reporter for `asked` on `host`; its first report counts from boot.
    pub fn new(asked: &IostatRequest, host: Host) -> Reporter {
        Reporter { asked: asked.clone(), host, last: Reading::default(), printed: 0 }
    }

    /// Returns the text before the first report.
    pub fn opening(&self) -> String {
        match self.asked.json {
            true => json::opening(&self.host, self.asked.skips_first()),
            false => text::opening(&self.host, self.asked.skips_first()),
        }
    }

    /// Uses `reading` as the start of the first interval, without a report.
    pub fn skip(&mut self, reading: Reading) {
        self.last = reading;
    }

    /// Reports the activity since the previous reading.
    pub fn report(&mut self, reading: Reading) -> String {
        let report = self.compare(&reading);
        self.last = reading;
        self.printed += 1;
        match self.asked.json {
            true => json::report(&self.asked, &report, self.printed == 1),
            false => text::report(&self.asked, &self.host, &report),
        }
    }

    /// Returns the text after the last report.
    pub fn closing(&self) -> String {
        if self.asked.json { json::closing(self.printed) } else { String::new() }
    }

    fn compare(&self, reading: &Reading) -> Report {
        let hundredths = reading.uptime_cs.saturating_sub(self.last.uptime_cs).max(1);
        Report {
            timestamp: reading.timestamp.clone(),
            cpu: shares(&self.last.cpu, &reading.cpu),
            lines: self.lines(&reading.disks),
            seconds: hundredths as f64 / 100.0,
        }
    }

    fn lines(&self, disks: &[DiskLine]) -> Vec<Line> {
        let then: HashMap<&str, &DiskCounters> =
            self.last.disks.iter().map(|disk| (disk.name.as_str(), &disk.counters)).collect();
        let line = |disk: &DiskLine| {
            let then = before(&disk.counters, then.get(disk.name.as_str()).copied());
            let differences = Differences::between(&then, &disk.counters);
            Line { name: disk.shown.clone(), differences }
        };
        let shows = |disk: &&DiskLine| (disk.full || !self.asked.extended) && self.is_shown(disk);
        let all: Vec<(&DiskLine, Line)> = disks.iter().filter(shows).map(|disk| (disk, line(disk))).collect();
        match self.asked.groups.is_empty() {
            true => all.into_iter().map(|(_, line)| line).filter(|line| self.is_wanted(line)).collect(),
            false => self.grouped(&all),
        }
    }

    /// Whether a device is shown: any device that was ever used, or every device if devices or `ALL` were typed.
    fn is_shown(&self, disk: &DiskLine) -> bool {
        let c = &disk.counters;
        self.asked.is_chosen()
            || self.asked.never_used_too
            || [c.reads, c.writes, c.discards, c.flushes] != [0; 4]
    }

    fn is_wanted(&self, line: &Line) -> bool {
        !(self.asked.skip_idle && line.differences.is_idle())
    }

    /// Lists the devices typed before any group, then each group with the devices that follow its name. Devices that
    /// were not typed belong to the last group.
    fn grouped(&self, all: &[(&DiskLine, Line)]) -> Vec<Line> {
        let groups = &self.asked.groups;
        let last = groups.len() - 1;
        let home = |disk: &DiskLine| {
            let named = groups.iter().position(|group| group.holds(&disk.name));
            named.or_else(|| (!self.asked.is_typed(&disk.name)).then_some(last))
        };
        let mut lines = Vec::new();
        self.add(&mut lines, all.iter().filter(|(disk, _)| home(disk).is_none()));
        for (index, group) in groups.iter().enumerate() {
            let sum = self.add(&mut lines, all.iter().filter(|(disk, _)| home(disk) == Some(index)));
            let line = Line { name: format!(" {}", group.name), differences: sum };
            if self.shows_group(&line, index == last) {
                lines.push(line);
            }
        }
        lines
    }

    /// Adds the lines of `members`, unless only groups are reported, and returns their sum.
    fn add<'a>(
        &self,
        lines: &mut Vec<Line>,
        members: impl Iterator<Item = &'a (&'a DiskLine, Line)>,
    ) -> Differences {
        let mut sum = Differences::nothing();
        for (_, line) in members {
            sum.add(&line.differences);
            if !self.asked.only_groups && self.is_wanted(line) {
                lines.push(line.clone());
            }
        }
        sum
    }

    /// Whether a group has its own line. In the extended report, a group without devices has none; if no device was
    /// typed, all devices belong to the last group, and the other groups have no line.
    fn shows_group(&self, line: &Line, is_last: bool) -> bool {
        let is_empty = line.differences.members == 0.0;
        self.is_wanted(line) && !(self.asked.extended && is_empty) && (is_last || self.asked.is_chosen())
    }
}

/// Percentages of the CPUs' time; a counter that decreased counts as no time.
fn shares(then: &CpuCounters, now: &CpuCounters) -> [f64; 6] {
    let system = |c: &CpuCounters| c.system + c.irq + c.softirq;
    let parts = [
        (then.user, now.user),
        (then.nice, now.nice),
        (system(then), system(now)),
        (then.iowait, now.iowait),
        (then.steal, now.steal),
        (then.idle, now.idle),
    ];
    let total = now.total().wrapping_sub(then.total()) as i64;
    parts.map(|(then, now)| {
        let part = now.saturating_sub(then) as f64;
        if total > 0 { 100.0 * part / total as f64 } else { 0.0 }
    })
}
