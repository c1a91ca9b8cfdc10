//! The input parameters as text, line by line in DiskSpd's order.

use std::fmt::Write as _;

use super::figures::size;
use crate::draft::Compat;
use crate::effective::EffectiveRange;
use crate::profile::{
    Cache, Distribution, DistributionKind, MappedFlush, Profile, Target, Throughput, TimeSpan,
};

/// Writes `Command Line`, `Input parameters`, and each timespan, followed by an empty line.
pub(super) fn write(text: &mut String, command_line: &str, (profile, compat): (&Profile, Compat)) {
    let _ = write!(text, "\nCommand Line: {command_line}\n\n");
    if profile.experiments != 0 {
        let _ = write!(text, "Experiment Flags: 0x{:x}\n\n", profile.experiments);
    }
    text.push_str("Input parameters:\n\n");
    if profile.verbose {
        text.push_str("\tusing verbose mode\n");
    }
    for (index, span) in profile.time_spans.iter().enumerate() {
        let _ = writeln!(text, "\ttimespan: {:3}\n\t-------------", index + 1);
        time_span(text, span, compat);
        text.push('\n');
    }
}

fn time_span(text: &mut String, span: &TimeSpan, compat: Compat) {
    let _ = writeln!(text, "\tduration: {}s", span.duration);
    let _ = writeln!(text, "\twarm up time: {}s", span.warm_up);
    let _ = writeln!(text, "\tcool down time: {}s", span.cool_down);
    if span.no_affinity {
        text.push_str("\taffinity disabled\n");
    }
    if span.latency {
        text.push_str("\tmeasuring latency\n");
    }
    if span.iops {
        let _ = writeln!(text, "\tgathering IOPS at intervals of {}ms", span.bucket_ms);
    }
    let _ = writeln!(text, "\trandom seed: {}", span.seed);
    if span.threads > 0 && compat != Compat::V20 {
        let _ = writeln!(text, "\tthread pool with {} threads", span.threads);
        let _ = writeln!(text, "\tnumber of outstanding I/O operations per thread: {}", span.requests);
    }
    if !span.affinity.is_empty() {
        let list: Vec<String> =
            span.affinity.iter().map(|cpu| format!("{}/{}", cpu.group, cpu.number)).collect();
        let _ = writeln!(text, "\tadvanced affinity round robin (group/core): {}", list.join(", "));
    }
    if span.random_write_data {
        text.push_str(
            "\tgenerating random data for each write IO\n\
             \t  WARNING: this increases the CPU cost of issuing writes and should only\n\
             \t           be compared to other results using the -Zr flag\n",
        );
    }
    span.targets.iter().for_each(|one| target(text, span, (one, compat)));
}

fn target(text: &mut String, span: &TimeSpan, (target, compat): (&Target, Compat)) {
    let _ = match target.template() {
        Some(number) => writeln!(text, "\tpath: template target '{number}'"),
        None => writeln!(text, "\tpath: '{}'", target.path),
    };
    let mut line = |words: String| {
        let _ = writeln!(text, "\t\t{words}");
    };
    line(format!("think time: {}ms", target.think_ms));
    line(format!("burst size: {}", target.burst));
    caches(target).into_iter().chain(buffers(target, compat)).for_each(&mut line);
    pattern(target, compat).into_iter().for_each(&mut line);
    queue(span, target, compat).into_iter().for_each(&mut line);
    places(target, compat).into_iter().for_each(&mut line);
    threads(span, target).into_iter().for_each(&mut line);
    line(format!(
        "IO priority: {}",
        ["very low", "low", "normal"][usize::from(target.priority.clamp(1, 3)) - 1]
    ));
    match target.throughput {
        Throughput::Free => {}
        Throughput::Iops(iops) => line(format!("throughput rate-limited to {iops} IOPS")),
        Throughput::BytesPerMs(bytes) => line(format!("throughput rate-limited to {bytes} B/ms")),
    }
    if let Some(distribution) = &target.distribution {
        line("IO Distribution:".to_owned());
        ranges(text, "\t\t", &listed(distribution));
    }
}

fn caches(target: &Target) -> Vec<String> {
    let software = match target.cache {
        Cache::Used => "using software cache",
        Cache::RemoteOnly => "local software cache disabled, remote cache enabled",
        Cache::Off => "software cache disabled",
    };
    let hardware = match (target.write_through, target.cache) {
        (false, _) => "using hardware write cache, writethrough off",
        (true, Cache::Off) => "hardware write cache disabled, writethrough on",
        (true, _) => "hardware and software write caches disabled, writethrough on",
    };
    let mut lines = vec![software.to_owned(), hardware.to_owned()];
    if target.mapped {
        let flush = match target.mapped_flush {
            None => "",
            Some(MappedFlush::View) => ", flush mode: FlushViewOfFile",
            Some(MappedFlush::Memory) => ", flush mode: FlushNonVolatileMemory",
            Some(MappedFlush::MemoryNoDrain) => ", flush mode: FlushNonVolatileMemory with no drain",
        };
        lines.push(format!("memory mapped I/O enabled{flush}"));
    }
    lines
}

fn buffers(target: &Target, compat: Compat) -> Vec<String> {
    let mut lines = Vec::new();
    if target.zero {
        lines.push("zeroing write buffers".to_owned());
    }
    if target.write_source_bytes > 0 {
        lines.push(format!("write buffer size: {}", size(target.write_source_bytes, 0, compat)));
        match (target.write_source.as_str(), compat) {
            ("", Compat::V20) => {}
            ("", _) => lines.push("write buffer source: random fill".to_owned()),
            (path, _) => lines.push(format!("write buffer source: '{path}'")),
        }
    }
    if target.parallel {
        lines.push("using parallel async I/O".to_owned());
    }
    lines
}

fn pattern(target: &Target, compat: Compat) -> Vec<String> {
    let test = match target.write_percent {
        0 => "performing read test".to_owned(),
        100 => "performing write test".to_owned(),
        writes => {
            format!("performing mix test (read/write ratio: {}/{writes})", 100u32.saturating_sub(writes))
        }
    };
    let step = size(target.step(), 0, compat);
    let order = match target.random {
        0 if target.interlocked => format!("using interlocked sequential I/O (stride: {step})"),
        0 => format!("using sequential I/O (stride: {step})"),
        100 => format!("using random I/O (alignment: {step})"),
        percent => {
            format!("using mixed random/sequential I/O ({percent}% random) (alignment/stride: {step})")
        }
    };
    vec![test, format!("block size: {}", size(u64::from(target.block), 0, compat)), order]
}

fn queue(span: &TimeSpan, target: &Target, compat: Compat) -> Vec<String> {
    let each = if compat == Compat::V20 { "" } else { " per thread" };
    vec![match span.is_pool() {
        true => format!("relative IO weight in thread pool: {}", target.weight),
        false => format!("number of outstanding I/O operations{each}: {}", target.requests),
    }]
}

fn places(target: &Target, compat: Compat) -> Vec<String> {
    let always = compat == Compat::V20;
    let sizes = [
        ("base file offset", target.base, false),
        ("max file size", target.max, false),
        ("thread stride size", target.thread_stride, always),
    ];
    let hints = [
        ("SEQUENTIAL_SCAN", target.sequential_hint, "FLAG"),
        ("RANDOM_ACCESS", target.random_hint, "FLAG"),
        ("TEMPORARY", target.temporary_hint, "ATTRIBUTE"),
    ];
    let sizes = sizes.into_iter().filter(|&(_, bytes, always)| bytes > 0 || always);
    let hints = hints.into_iter().filter(|&(_, set, _)| set);
    sizes
        .map(|(what, bytes, _)| format!("{what}: {}", size(bytes, 0, compat)))
        .chain(hints.map(|(what, _, kind)| format!("using FILE_{kind}_{what} hint")))
        .collect()
}

fn threads(span: &TimeSpan, target: &Target) -> Vec<String> {
    if span.threads > 0 {
        return Vec::new();
    }
    let mut lines = vec![format!("threads per file: {}", target.threads)];
    if target.requests > 1 {
        lines.push(match span.completion_routines {
            true => "using completion routines (ReadFileEx/WriteFileEx)".to_owned(),
            false => "using I/O Completion Ports".to_owned(),
        });
    }
    lines
}

/// A list of ranges, with the unit of their bounds.
pub(super) struct RangeList {
    kind: DistributionKind,
    ranges: Vec<EffectiveRange>,
}

/// Returns the ranges of a distribution as requested.
fn listed(distribution: &Distribution) -> RangeList {
    let mut from = 0;
    let range = |(start, range): (u64, crate::profile::Range)| {
        let at = from;
        from += range.io;
        EffectiveRange { from: at, io: range.io, start, length: range.length }
    };
    RangeList { kind: distribution.kind, ranges: distribution.placed().map(range).collect() }
}

/// Returns the ranges of a distribution on a target, in bytes.
pub(super) fn effective_ranges(ranges: &[EffectiveRange]) -> RangeList {
    RangeList { kind: DistributionKind::Absolute, ranges: ranges.to_vec() }
}

/// Writes one line for each range. If a list was cut off at the target's end, the shares are relative to the remaining
/// ranges, with one decimal.
pub(super) fn ranges(text: &mut String, indent: &str, list: &RangeList) {
    let sum = list.ranges.last().map_or(100, |last| last.from + last.io);
    for range in &list.ranges {
        text.push_str(indent);
        if list.kind == DistributionKind::Percent {
            let (io, start, end) = (range.io, range.start, range.start + range.length);
            let _ = writeln!(text, "   {io:3}% of IO => [{start:2}% - {end:3}%) of target");
            continue;
        }
        let _ = match sum {
            0..100 => {
                write!(text, "    {:.1}% of IO => [", 100.0 * f64::from(range.io) / f64::from(sum.max(1)))
            }
            _ => write!(text, "   {:3}% of IO => [", range.io),
        };
        let place = |bytes: u64| size(bytes, 6, Compat::V22);
        text.push_str(&if range.start == 0 { "     0   ".to_owned() } else { place(range.start) });
        text.push_str(" - ");
        match range.length {
            0 => text.push_str("      end)\n"),
            length => {
                let _ = writeln!(text, "{})", place(range.start + length));
            }
        }
    }
}
