//! The terse format: one line for each unit, with fields separated by semicolons, for programs that count them.

use std::fmt::Write as _;

use super::FioReport;
use super::bins::percents;
use super::group::Group;
use super::human::share_of_time;
use super::unit::{Figures, Latency, Unit, Windows};
use super::{DiskFigures, DiskUse};
use crate::asked::TerseVersion;
use crate::commands::VERSION;
use crate::options::JobOptions;

/// Number of percentile fields, however many percentiles there are.
const PERCENTILES: usize = 20;
const TRIM: usize = 2;
const MICROSECOND: u64 = 1_000;

/// Prints a line for each unit. Writing to a `String` cannot fail, so the results of `write!` are ignored.
pub fn terse(presented: &FioReport) -> String {
    let units = Unit::all(presented);
    let groups = Group::all(&units);
    let mut out = String::new();
    for unit in &units {
        Line { unit, groups: &groups, options: &unit.first.options, out: &mut out }.write(presented);
    }
    out
}

/// One line while it is being written.
struct Line<'l> {
    unit: &'l Unit<'l>,
    groups: &'l [Group],
    options: &'l JobOptions,
    out: &'l mut String,
}

impl Line<'_> {
    fn write(mut self, presented: &FioReport) {
        let version = presented.asked.presentation.terse;
        self.head(version);
        for (place, figures) in self.unit.reported() {
            if place != TRIM || version != TerseVersion::V3 {
                self.direction(place, figures, version);
            }
        }
        self.machine();
        if self.options.disk_util && version != TerseVersion::V2 {
            presented.disks.iter().for_each(|disk| self.disk(disk));
        }
        if let Some((errors, first)) = self.unit.passed_over() {
            self.field(errors);
            self.field(first);
        }
        if let Some(description) = &self.options.description {
            self.out.push_str(if version == TerseVersion::V2 { "\n" } else { "" });
            self.field(description);
        }
        self.out.push('\n');
    }

    fn field(&mut self, field: impl std::fmt::Display) {
        let _ = write!(self.out, ";{field}");
    }

    fn head(&mut self, version: TerseVersion) {
        let (number, fio) = match version {
            TerseVersion::V2 => ("2", String::new()),
            TerseVersion::V3 => ("3", format!(";{VERSION}")),
            TerseVersion::V4 => ("4", format!(";{VERSION}")),
            TerseVersion::V5 => ("5", format!(";{VERSION}")),
        };
        let first = self.unit.first;
        let _ = write!(self.out, "{number}{fio};{};{};{}", first.name, first.group, self.unit.errno);
    }

    /// Prints the fields of a direction, even of one without I/O, so that every field keeps its position.
    fn direction(&mut self, place: usize, figures: &Figures, version: TerseVersion) {
        let options = self.options;
        self.field(figures.bytes >> 10);
        self.field(figures.bytes_per_second() >> 10);
        self.field(figures.iops_mean() as u64);
        self.field(figures.runtime_ms);
        self.latency(&figures.slat, options.slat);
        self.latency(&figures.clat, options.clat);
        match options.lat_percentiles {
            true => self.percentiles(&figures.lat, options.lat),
            false => self.percentiles(&figures.clat, options.clat && options.clat_percentiles),
        }
        self.latency(&figures.lat, options.lat);
        self.windows(place, figures, version);
    }

    fn latency(&mut self, latency: &Latency, shown: bool) {
        let nothing = Latency::default();
        let latency = if shown { latency } else { &nothing };
        self.field(latency.min / MICROSECOND);
        self.field(latency.max / MICROSECOND);
        self.field(format_args!("{:.6}", latency.mean / 1e3));
        self.field(format_args!("{:.6}", latency.dev / 1e3));
    }

    fn percentiles(&mut self, latency: &Latency, shown: bool) {
        let list = &self.options.percentile_list.values;
        for at in 0..PERCENTILES {
            match list.get(at).filter(|_| shown) {
                Some(percent) => {
                    let value = latency.percentile(*percent) / MICROSECOND;
                    self.field(format_args!("{percent:.6}%={value}"));
                }
                None => self.field("0%=0"),
            }
        }
    }

    fn windows(&mut self, place: usize, figures: &Figures, version: TerseVersion) {
        let (bandwidth, iops) = (figures.bandwidth.clone(), figures.iops.clone());
        let share = match bandwidth.count {
            0 => 0.0,
            _ => Group::of(self.groups, self.unit, place).percent(bandwidth.mean),
        };
        let Windows { min, max, mean, dev, count } = bandwidth;
        self.field(format_args!("{min};{max};{share:.6}%;{mean:.6};{dev:.6}"));
        if version == TerseVersion::V5 {
            let Windows { min, max, mean, dev, count: iops } = iops;
            self.field(format_args!("{count};{min};{max};{mean:.6};{dev:.6};{iops}"));
        }
    }

    fn machine(&mut self) {
        let unit = self.unit;
        let totals = &unit.totals;
        for cpu_ns in [totals.user_cpu_ns, totals.system_cpu_ns] {
            self.field(format_args!("{:.6}%", share_of_time(cpu_ns, unit.runtime_ms_sum)));
        }
        for count in [totals.context_switches, totals.major_faults, totals.minor_faults] {
            self.field(count);
        }
        let depths = totals.depth_counts;
        for share in percents(depths, depths.iter().sum(), 0.1) {
            self.field(format_args!("{share:.1}%"));
        }
        let (coarse, ios) = (&unit.coarse, unit.ios());
        // Latencies in nanoseconds belong in the first bucket of microseconds.
        let below: u64 = coarse.nanoseconds.iter().sum();
        let mut microseconds = coarse.microseconds;
        microseconds[0] += below;
        let shares = percents(microseconds, ios, 0.01);
        for share in shares.into_iter().chain(percents(coarse.milliseconds, ios, 0.01)) {
            self.field(format_args!("{share:.2}%"));
        }
    }

    fn disk(&mut self, disk: &DiskUse) {
        self.field(&disk.name);
        self.disk_fields(&disk.figures());
        if let Some(members) = disk.member_figures() {
            self.field("slaves");
            self.disk_fields(&members);
        }
        for member in &disk.members {
            self.disk(member);
        }
    }

    fn disk_fields(&mut self, figures: &DiskFigures) {
        let [reads, writes] = figures.ios;
        let [merged_reads, merged_writes] = figures.merges;
        let [read_ms, write_ms] = figures.ticks;
        for count in [reads, writes, merged_reads, merged_writes, read_ms, write_ms, figures.in_queue] {
            self.field(count);
        }
        self.field(format_args!("{:.2}%", figures.util));
    }
}
