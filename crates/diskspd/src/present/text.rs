//! The text result: profile, machine, each timespan, and their totals if there are several.

use std::fmt::Write as _;

use super::{DiskSpdReport, INTERRUPTED, latency, parameters, sections};
use crate::commandline::DiskSpdRequest;
use crate::draft::Compat;
use crate::effective::EffectiveRange;
use crate::profile::TimeSpan;
use crate::results::{Section, SpanResult};
use crate::system::{CpuPlace, System};

/// Prints the profile only, as `-Rptext` does.
pub fn profile_text(asked: &DiskSpdRequest, command_line: &str) -> String {
    let mut text = String::new();
    parameters::write(&mut text, command_line, (&asked.profile, asked.compat));
    text
}

/// Prints the machine only, as `-Rstext` does.
pub fn system_text(system: &System, compat: Compat) -> String {
    let mut text = "System information:\n\n".to_owned();
    let _ = write!(text, "\tcomputer name: {}\n\tstart time: {}\n", system.computer, system.start_time());
    if compat != Compat::V22 {
        return text;
    }
    let counts = [
        ("cpu", system.cpus.len()),
        ("core", system.count(|cpu| cpu.core)),
        ("group", system.count(CpuPlace::group)),
        ("node", system.count(|cpu| cpu.node)),
        ("socket", system.count(|cpu| cpu.socket)),
    ];
    text.push('\n');
    for (what, count) in counts {
        let _ = writeln!(text, "\t{what} count:\t\t{count}");
    }
    let kinds = if system.is_heterogeneous() { "y" } else { "n" };
    let _ = write!(text, "\theterogeneous cores:\t{kinds}\n\n\tactive power scheme:\t{}\n", system.scheme);
    text
}

/// Prints the whole result.
pub fn results_text(presented: &DiskSpdReport<'_>) -> String {
    let (asked, compat) = (presented.asked, presented.asked.compat);
    let mut text = profile_text(asked, presented.command_line);
    text.push_str(&system_text(presented.system, compat));
    for (index, (span, result)) in asked.profile.time_spans.iter().zip(presented.spans).enumerate() {
        text.push_str(if compat == Compat::V22 { "\n" } else { "\n\n" });
        let _ = writeln!(text, "Results for timespan {}:\n{}", index + 1, "*".repeat(79));
        time_span(&mut text, presented, (span, result));
    }
    if presented.spans.len() > 1 {
        totals(&mut text, presented.spans);
    }
    text
}

fn time_span(text: &mut String, presented: &DiskSpdReport<'_>, (span, result): (&TimeSpan, &SpanResult)) {
    let compat = presented.asked.compat;
    if result.seconds <= 0.0 {
        let _ = writeln!(text, "{INTERRUPTED}");
        return;
    }
    let _ = write!(text, "\nactual test time:\t{:.2}s\n", result.seconds);
    let _ = writeln!(text, "thread count:\t\t{}", result.threads.len());
    if span.is_pool() {
        let _ = writeln!(text, "request count:\t\t{}", span.requests);
    }
    if compat != Compat::V22 {
        let _ = writeln!(text, "proc count:\t\t{}", presented.system.cpus.len());
    }
    sections::cpus(text, (presented.system, result), compat);
    spreads(text, result);
    sections::io(text, (span, result), compat);
    if span.latency {
        latency::write(text, result, compat);
    }
}

/// A distribution, with its targets and their threads.
type DistributionUsers<'a> = (&'a [EffectiveRange], Vec<(&'a str, Vec<usize>)>);

/// Writes the effective distributions of random offsets without duplicates, with their targets and threads.
fn spreads(text: &mut String, result: &SpanResult) {
    let mut known: Vec<DistributionUsers<'_>> = Vec::new();
    for (number, targets) in result.threads.iter().enumerate() {
        for target in targets.iter().filter(|target| !target.spread.is_empty()) {
            let at = known.iter().position(|(ranges, _)| *ranges == target.spread.as_slice());
            let at = at.unwrap_or_else(|| {
                known.push((&target.spread, Vec::new()));
                known.len() - 1
            });
            let users = &mut known[at].1;
            match users.iter_mut().find(|(path, _)| *path == target.path) {
                Some((_, threads)) => threads.push(number),
                None => users.push((&target.path, vec![number])),
            }
        }
    }
    if !known.is_empty() {
        let _ = writeln!(text, "\nEffective IO Distributions\n{}", "-".repeat(26));
    }
    for (ranges, users) in known {
        for (path, threads) in users {
            let _ = writeln!(text, "target: {path} [thread:{}]", runs(&threads));
        }
        parameters::ranges(text, "", &parameters::effective_ranges(ranges));
    }
}

/// Prints thread numbers as ` 0 - 2 4`; three or more consecutive numbers are shortened.
fn runs(threads: &[usize]) -> String {
    let mut text = String::new();
    let mut rest = threads;
    while let Some(&first) = rest.first() {
        let length = rest.iter().enumerate().take_while(|&(at, &thread)| thread == first + at).count();
        let _ = match length {
            1 => write!(text, " {first}"),
            2 => write!(text, " {first} {}", first + 1),
            _ => write!(text, " {first} - {}", first + length - 1),
        };
        rest = &rest[length..];
    }
    text
}

fn totals(text: &mut String, spans: &[SpanResult]) {
    let seconds: f64 = spans.iter().map(|span| span.seconds).sum();
    let _ = write!(text, "\n\nTotals:\n{}\n\n", "*".repeat(79));
    let _ = writeln!(
        text,
        "type   |       bytes     |     I/Os     |    MiB/s   |  I/O per s\n{}",
        "-".repeat(79)
    );
    let mut row = |label: &str, section: Section| {
        let (mut bytes, mut ops) = (0, 0);
        for span in spans {
            let sum = span.sum(section).tally;
            (bytes, ops) = (bytes + sum.bytes, ops + sum.ops);
        }
        let seconds = seconds.max(1e-9);
        let (rate, iops) = (bytes as f64 / 1_048_576.0 / seconds, ops as f64 / seconds);
        if section == Section::Total {
            let _ = writeln!(text, "{}", "-".repeat(79));
        }
        let _ = writeln!(text, "{label:6} | {bytes:15} | {ops:12} | {rate:10.2} | {iops:10.2}");
    };
    row("write", Section::Write);
    row("read", Section::Read);
    row("total", Section::Total);
    let _ = writeln!(text, "\ntotal test time:\t{seconds:.2}s");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_in_a_row_are_shortened() {
        assert_eq!(runs(&[0]), " 0");
        assert_eq!(runs(&[0, 1]), " 0 1");
        assert_eq!(runs(&[0, 1, 2]), " 0 - 2");
        assert_eq!(runs(&[0, 1, 2, 4]), " 0 - 2 4");
        assert_eq!(runs(&[1, 3, 4, 6, 7, 8]), " 1 3 4 6 - 8");
    }
}
