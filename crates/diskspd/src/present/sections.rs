//! The tables of a result: CPUs, total I/O, reads and writes.

use std::fmt::Write as _;

use super::figures::file_size;
use crate::draft::Compat;
use crate::profile::TimeSpan;
use crate::results::{Bucket, CpuUse, Section, Side, SpanResult};
use crate::system::{CpuPlace, System};

/// A column of the CPU table, shown only if the machine has more than one of its kind.
struct Column {
    kind: Of,
    head: &'static str,
    width: usize,
    of: fn(&CpuPlace) -> u32,
}

/// The part of the topology that a column of the CPU table numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Socket,
    Node,
    Group,
    Core,
    Class,
}

const COLUMNS: [Column; 5] = [
    Column { kind: Of::Socket, head: "Socket | ", width: 7, of: |cpu| cpu.socket },
    Column { kind: Of::Node, head: "Node | ", width: 5, of: |cpu| cpu.node },
    Column { kind: Of::Group, head: "Group | ", width: 6, of: CpuPlace::group },
    Column { kind: Of::Core, head: "Core | ", width: 5, of: |cpu| cpu.core },
    Column { kind: Of::Class, head: "Class | ", width: 5, of: |cpu| cpu.class },
];

impl Column {
    fn cell(&self, system: &System, place: &CpuPlace) -> String {
        let value = (self.of)(place);
        if self.kind != Of::Class {
            return format!("{value:width$}| ", width = self.width);
        }
        let fast = value == system.values(self.of).into_iter().max().unwrap_or(0);
        format!("{value:5}{}| ", if fast { "P" } else { " " })
    }
}

fn columns(system: &System, compat: Compat) -> Vec<&'static Column> {
    let shown = |column: &&Column| match (column.kind, compat) {
        // Cores are shown if a core has several CPUs.
        (Of::Core, Compat::V22) => system.count(column.of) < system.cpus.len(),
        (_, Compat::V22) | (Of::Group, _) => system.count(column.of) > 1,
        _ => false,
    };
    COLUMNS.iter().filter(shown).collect()
}

/// Writes the CPU table.
pub(super) fn cpus(text: &mut String, (system, result): (&System, &SpanResult), compat: Compat) {
    let columns = columns(system, compat);
    // Before 2.2, the kernel's column is one character wider.
    let wide = if compat == Compat::V22 { "" } else { " " };
    let heads: String = columns.iter().map(|column| column.head).collect();
    let _ = writeln!(text, "\n{heads}CPU |  Usage |  User  | {wide}Kernel |  Idle");
    let border = "-".repeat(heads.len() + 40 + if wide.is_empty() { 0 } else { 3 });
    let border = if compat == Compat::V22 { border } else { "-".repeat(43) };
    let _ = writeln!(text, "{border}");
    for cpu in &result.cpus {
        let place = system.cpus.iter().find(|place| place.number == cpu.number).copied().unwrap_or_default();
        text.extend(columns.iter().map(|column| column.cell(system, &place)));
        // As in DiskSpd, the number of a CPU is that within its group.
        let _ = writeln!(text, "{:4}|{}", cpu.number % 64, cells(cpu.percents(), wide));
    }
    let _ = writeln!(text, "{border}");
    let _ = writeln!(text, "{}avg.|{}", " ".repeat(heads.len()), cells(average(&result.cpus), wide));
}

fn cells([usage, user, kernel, idle]: [f64; 4], wide: &str) -> String {
    format!(" {usage:6.2}%| {user:6.2}%| {wide}{kernel:6.2}%| {idle:6.2}%")
}

/// Mean percentages of all CPUs.
pub(super) fn average(cpus: &[CpuUse]) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for cpu in cpus {
        sum.iter_mut().zip(cpu.percents()).for_each(|(sum, part)| *sum += part);
    }
    sum.map(|part| part / cpus.len().max(1) as f64)
}

/// Writes the tables `Total IO`, `Read IO` and `Write IO`.
pub(super) fn io(text: &mut String, (span, result): (&TimeSpan, &SpanResult), compat: Compat) {
    for (title, section) in [("Total", Section::Total), ("Read", Section::Read), ("Write", Section::Write)] {
        let _ = writeln!(text, "\n{title} IO");
        Table { span, result, section }.write(text, compat);
    }
}

/// A table of I/O.
struct Table<'a> {
    span: &'a TimeSpan,
    result: &'a SpanResult,
    section: Section,
}

impl Table<'_> {
    fn write(&self, text: &mut String, compat: Compat) {
        let Table { span, result, section } = *self;
        let latency = |words: &'static str| if span.latency { words } else { "" };
        let iops = if span.iops { "| IopsStdDev " } else { "" };
        let _ = writeln!(
            text,
            "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s {}{iops}{}|  file",
            latency("|  AvgLat  "),
            latency("| LatStdDev ")
        );
        let width = 66 + if span.latency { 11 + 12 } else { 0 } + if span.iops { 13 } else { 0 } + 12;
        let border = "-".repeat(width);
        let _ = writeln!(text, "{border}");
        for (number, targets) in result.threads.iter().enumerate() {
            for target in targets {
                let side = section.of(&target.read, &target.write);
                let cells = self.row(&side, &target.buckets);
                let size = file_size(target.size, compat);
                let _ = writeln!(text, "{number:6} | {cells} | {} ({size})", target.path);
            }
        }
        let _ = writeln!(text, "{border}");
        let buckets = if span.iops { result.buckets() } else { Vec::new() };
        let _ = writeln!(text, "total:   {}", self.row(&result.sum(section), &buckets));
    }

    fn row(&self, side: &Side, buckets: &[Bucket]) -> String {
        let Table { span, result, section } = *self;
        let (bytes, ops) = (side.tally.bytes, side.tally.ops);
        let mut cells = format!(
            "{bytes:15} | {ops:12} | {:10.2} | {:10.2}",
            bytes as f64 / 1_048_576.0 / result.seconds,
            ops as f64 / result.seconds
        );
        if span.latency {
            let _ = write!(cells, " | {:8.3}", side.mean_ms());
        }
        if span.iops {
            let _ = write!(cells, " | {:10.2}", result.deviation(buckets, section));
        }
        if span.latency {
            let deviation = side.deviation_ms().map_or("N/A".to_owned(), |ms| format!("{ms:.3}"));
            let _ = write!(cells, " |  {deviation:>8}");
        }
        cells
    }
}
