//! The XML result: the machine, the profile, and each timespan.

use super::{DiskSpdReport, INTERRUPTED, VERSION, VERSION_DATE, sections};
use crate::markup::Markup;
use crate::profile::TimeSpan;
use crate::results::{Bucket, CpuUse, Section, Side, SpanResult, TargetResult};
use crate::system::{CpuPlace, System};
use crate::xml_profile::write_profile;

/// Prints the whole result, without a line end after the last tag.
pub fn results_xml(presented: &DiskSpdReport<'_>) -> String {
    let mut markup = Markup::default();
    markup.within("Results", &[], |markup| {
        write_system(markup, presented.system);
        write_profile(markup, &presented.asked.profile);
        for (span, result) in presented.asked.profile.time_spans.iter().zip(presented.spans) {
            markup.within("TimeSpan", &[], |markup| time_span(markup, presented.system, (span, result)));
        }
    });
    markup.into_text().trim_end().to_owned()
}

/// Prints the machine only, as `-Rsxml` does.
pub fn system_xml(system: &System) -> String {
    let mut markup = Markup::default();
    write_system(&mut markup, system);
    markup.into_text()
}

fn write_system(markup: &mut Markup, system: &System) {
    let different = [("Heterogeneous", system.is_heterogeneous().to_string())];
    markup.within("System", &[], |markup| {
        markup.leaf("ComputerName", &system.computer);
        markup.within("Tool", &[], |markup| {
            markup.leaf("Version", VERSION);
            markup.leaf("VersionDate", VERSION_DATE);
        });
        markup.leaf("RunTime", system.start_time());
        markup.empty("PowerScheme", &[("Name", system.scheme.clone()), ("Guid", String::new())]);
        markup.within("ProcessorTopology", &different, |markup| write_topology(markup, system));
    });
}

fn write_topology(markup: &mut Markup, system: &System) {
    for (group, mask) in system.masks(|_| true) {
        let active = mask.count_ones().to_string();
        markup.empty(
            "Group",
            &[
                ("Group", group.to_string()),
                ("MaximumProcessors", active.clone()),
                ("ActiveProcessors", active),
                ("ActiveProcessorMask", hex(mask)),
            ],
        );
    }
    for node in system.values(|cpu| cpu.node) {
        markup.within("Node", &[("Node", node.to_string())], |markup| {
            write_groups(markup, &system.masks(|cpu| cpu.node == node));
        });
    }
    for socket in system.values(|cpu| cpu.socket) {
        markup.within("Socket", &[("Socket", socket.to_string())], |markup| {
            write_groups(markup, &system.masks(|cpu| cpu.socket == socket));
        });
    }
    for core in system.values(|cpu| cpu.core) {
        let class = system.cpus.iter().find(|cpu| cpu.core == core).map_or(0, |cpu| cpu.class);
        for (group, mask) in system.masks(|cpu| cpu.core == core) {
            let numbers = [("Group", group.to_string()), ("Core", core.to_string())];
            let kind = [("Mask", hex(mask)), ("EfficiencyClass", class.to_string())];
            markup.empty("Core", &[numbers, kind].concat());
        }
    }
}

fn write_groups(markup: &mut Markup, masks: &[(u32, u64)]) {
    for &(group, mask) in masks {
        markup.empty("Group", &[("Group", group.to_string()), ("Mask", hex(mask))]);
    }
}

fn hex(mask: u64) -> String {
    format!("0x{mask:x}")
}

fn time_span(markup: &mut Markup, system: &System, (span, result): (&TimeSpan, &SpanResult)) {
    if result.seconds <= 0.0 {
        markup.leaf("Error", INTERRUPTED);
        return;
    }
    markup.leaf("TestTimeSeconds", format!("{:.2}", result.seconds));
    markup.leaf("ThreadCount", result.threads.len());
    markup.leaf("RequestCount", span.requests);
    markup.leaf("ProcCount", system.cpus.len());
    markup.within("CpuUtilization", &[], |markup| cpus(markup, system, &result.cpus));
    if span.latency {
        latency(markup, result);
    }
    if span.iops {
        markup.within("Iops", &[], |markup| iops(markup, result, &result.buckets()));
    }
    for (number, targets) in result.threads.iter().enumerate() {
        markup.within("Thread", &[], |markup| {
            markup.leaf("Id", number);
            for one in targets {
                markup.within("Target", &[], |markup| target(markup, (span, result), one));
            }
        });
    }
}

fn cpus(markup: &mut Markup, system: &System, cpus: &[CpuUse]) {
    for cpu in cpus {
        let place = system.cpus.iter().find(|place| place.number == cpu.number).copied().unwrap_or_default();
        let numbers = [
            ("Socket", place.socket),
            ("Node", place.node),
            ("Group", CpuPlace::group(&place)),
            ("Core", place.core),
            ("EfficiencyClass", place.class),
            ("Id", place.number % 64),
        ];
        markup.within("CPU", &[], |markup| {
            numbers.into_iter().for_each(|(name, number)| markup.leaf(name, number));
            percents(markup, cpu.percents());
        });
    }
    markup.within("Average", &[], |markup| percents(markup, sections::average(cpus)));
}

fn percents(markup: &mut Markup, values: [f64; 4]) {
    let names = ["UsagePercent", "UserPercent", "KernelPercent", "IdlePercent"];
    names.iter().zip(values).for_each(|(name, value)| markup.leaf(name, format!("{value:.2}")));
}

/// Percentiles from 0 to 99, then nines, then 100; up to 99 the index in the list is the percentile.
fn percentiles() -> impl Iterator<Item = (String, f64)> {
    let whole = (0..=99).map(|percent| (percent.to_string(), f64::from(percent)));
    let nines = (1..=7).map(|nines| {
        let text = format!("99.{}", "9".repeat(nines));
        let value = text.parse().unwrap_or(100.0);
        (text, value)
    });
    whole.chain(nines).chain([("100".to_owned(), 100.0)])
}

fn latency(markup: &mut Markup, result: &SpanResult) {
    let sides = [Section::Read, Section::Write, Section::Total].map(|section| result.sum(section));
    let buckets = |side: &Side| side.latency.middles().count().to_string();
    let [read, write, total] = &sides;
    let counts = [
        ("ReadHistoBuckets", buckets(read)),
        ("WriteHistoBuckets", buckets(write)),
        ("TotalHistoBuckets", buckets(total)),
    ];
    markup.within("Latency", &counts, |markup| {
        let names = [
            ("AverageReadMilliseconds", "ReadLatencyStdev"),
            ("AverageWriteMilliseconds", "WriteLatencyStdev"),
            ("AverageTotalMilliseconds", "LatencyStdev"),
        ];
        names.iter().zip(&sides).for_each(|(&names, side)| moments(markup, names, side));
        for (text, percent) in percentiles() {
            markup.within("Bucket", &[], |markup| {
                markup.leaf("Percentile", text);
                percentile(markup, &sides, percent);
            });
        }
    });
}

fn percentile(markup: &mut Markup, sides: &[Side; 3], percent: f64) {
    let names = ["ReadMilliseconds", "WriteMilliseconds", "TotalMilliseconds"];
    for (name, side) in names.iter().zip(sides) {
        let value = if percent == 0.0 { side.latency.ns_min() } else { side.latency.percentile(percent) };
        // Programs that read percentiles fail if those of all I/O are missing.
        let always = *name == "TotalMilliseconds";
        if let Some(ns) = value.or(always.then_some(0)) {
            markup.leaf(name, milliseconds(ns as f64 / 1e6));
        }
    }
}

/// Writes mean and deviation of a direction; nothing if the direction has no I/O.
fn moments(markup: &mut Markup, (mean, deviation): (&str, &str), side: &Side) {
    if side.tally.ops > 0 {
        markup.leaf(mean, milliseconds(side.mean_ms()));
        markup.leaf(deviation, milliseconds(side.deviation_ms().unwrap_or(0.0)));
    }
}

fn milliseconds(value: f64) -> String {
    format!("{value:.3}")
}

fn iops(markup: &mut Markup, result: &SpanResult, buckets: &[Bucket]) {
    let sections = [
        ("ReadIopsStdDev", Section::Read),
        ("WriteIopsStdDev", Section::Write),
        ("IopsStdDev", Section::Total),
    ];
    for (name, section) in sections {
        if buckets.iter().any(|bucket| section.ops(bucket) > 0) {
            markup.leaf(name, milliseconds(result.deviation(buckets, section)));
        }
    }
    for (index, bucket) in buckets.iter().enumerate() {
        let rate =
            |section: Section| format!("{:.0}", section.ops(bucket) as f64 / result.bucket_seconds.max(1e-9));
        let end = (index + 1) as f64 * result.bucket_seconds * 1000.0;
        let mut attributes = vec![
            ("SampleMillisecond", format!("{end:.0}")),
            ("Read", rate(Section::Read)),
            ("Write", rate(Section::Write)),
            ("Total", rate(Section::Total)),
        ];
        let names = [
            [
                "ReadMinLatencyMilliseconds",
                "ReadMaxLatencyMilliseconds",
                "ReadAvgLatencyMilliseconds",
                "ReadLatencyStdDev",
            ],
            [
                "WriteMinLatencyMilliseconds",
                "WriteMaxLatencyMilliseconds",
                "WriteAvgLatencyMilliseconds",
                "WriteLatencyStdDev",
            ],
        ];
        for (names, side) in names.into_iter().zip([&bucket.read, &bucket.write]) {
            attributes.extend(names.into_iter().zip(extremes(side).map(milliseconds)));
        }
        markup.empty("Bucket", &attributes);
    }
}

fn extremes(side: &Side) -> [f64; 4] {
    let ms = |ns: Option<u64>| ns.unwrap_or(0) as f64 / 1e6;
    let latency = &side.latency;
    [ms(latency.ns_min()), ms(latency.ns_max()), side.mean_ms(), side.deviation_ms().unwrap_or(0.0)]
}

fn target(markup: &mut Markup, (span, result): (&TimeSpan, &SpanResult), target: &TargetResult) {
    let total = Section::Total.of(&target.read, &target.write);
    markup.leaf("Path", &target.path);
    let counts = [
        ("BytesCount", total.tally.bytes),
        ("FileSize", target.size),
        ("IOCount", total.tally.ops),
        ("ReadBytes", target.read.tally.bytes),
        ("ReadCount", target.read.tally.ops),
        ("WriteBytes", target.write.tally.bytes),
        ("WriteCount", target.write.tally.ops),
    ];
    counts.into_iter().for_each(|(name, count)| markup.leaf(name, count));
    if !target.spread.is_empty() {
        markup.within("Distribution", &[], |markup| {
            markup.within("Absolute", &[], |markup| {
                for range in &target.spread {
                    let attributes = [("IO", range.io.to_string()), ("Offset", range.start.to_string())];
                    markup.leaf_with("Range", &attributes, range.length);
                }
            });
        });
    }
    if span.latency {
        moments(markup, ("AverageReadLatencyMilliseconds", "ReadLatencyStdev"), &target.read);
        moments(markup, ("AverageWriteLatencyMilliseconds", "WriteLatencyStdev"), &target.write);
        moments(markup, ("AverageLatencyMilliseconds", "LatencyStdev"), &total);
    }
    if span.iops {
        markup.within("Iops", &[], |markup| iops(markup, result, &target.buckets));
    }
}
