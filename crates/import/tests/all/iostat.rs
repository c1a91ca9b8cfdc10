//! iostat's JSON of all four generations, sound and damaged: base units, intervals, and what was mended or left out.

use import::Import;
use proptest::prelude::*;
use record::{CpuMetric, Metric, ObservedMachine, Run};
use workload::Nanos;

use crate::vocabulary::*;

/// What the installed iostat 12.6.1 printed, by the options it was run with.
const GENUINE: [(&str, &str); 15] = [
    ("-x -t 1 4", include_str!("fixtures/iostat/extended.json")),
    ("-x -y -t 1 3", include_str!("fixtures/iostat/extended-y.json")),
    ("-x -t 1 3, ISO", include_str!("fixtures/iostat/extended-iso.json")),
    ("-x -m -d 1 3", include_str!("fixtures/iostat/extended-mb.json")),
    ("-x -t 1 3, POSIX", include_str!("fixtures/iostat/extended-sectors.json")),
    ("-t 1 4", include_str!("fixtures/iostat/basic.json")),
    ("-m -d 1 3", include_str!("fixtures/iostat/basic-mb.json")),
    ("1 3, POSIX", include_str!("fixtures/iostat/basic-sectors.json")),
    ("-x -s -t 1 3", include_str!("fixtures/iostat/short.json")),
    ("-x -t -g both 1 3", include_str!("fixtures/iostat/group.json")),
    ("-c -t 1 3", include_str!("fixtures/iostat/cpu.json")),
    ("-x -z -t 1 3", include_str!("fixtures/iostat/idle-left-out.json")),
    ("-x -t -p vda 1 3", include_str!("fixtures/iostat/partitions.json")),
    ("-x -t 1 100, killed", include_str!("fixtures/iostat/killed.json")),
    ("-x -t 1 100, interrupted", include_str!("fixtures/iostat/interrupted.json")),
];

fn genuine(options: &str) -> &'static str {
    GENUINE.iter().find(|(known, _)| *known == options).unwrap().1
}

/// Returns a document with these reports.
fn document(reports: &[&str]) -> String {
    let head = r#"{"sysstat": {"hosts": [{"nodename": "h", "sysname": "Linux", "release": "5.4.0", "machine": "x86_64",
"number-of-cpus": 2, "date": "11/21/26", "statistics": ["#;
    format!("{head}\n{}\n]}}]}}}}\n", reports.join(",\n"))
}

/// Returns a report at that second of 2026-11-21 00:00 UTC with one row of `vda`.
fn at(second: u32, row: &str) -> String {
    format!(
        r#"{{"timestamp": "2026-11-21T00:00:{second:02}+0000", "disk": [{{"disk_device": "vda", {row}}}]}}"#
    )
}

/// Returns three reports ten seconds apart, the first for the time since boot, all with the same row.
fn three(row: &str) -> String {
    let reports = [0, 10, 20].map(|second| at(second, row));
    document(&reports.each_ref().map(String::as_str))
}

fn observed(run: &Run) -> &ObservedMachine {
    run.observed.as_ref().unwrap()
}

fn values(run: &Run, device: &str, metric: Metric) -> Option<Vec<f64>> {
    record::Recording::of(run).device(device, metric)
}

/// Returns the value of the first interval.
fn first(import: &Import, metric: Metric) -> Option<f64> {
    values(&import.runs[0], "vda", metric).map(|values| values[0])
}

fn notes(import: &Import) -> String {
    let events = import.runs.iter().flat_map(|run| &run.events).map(|event| event.text.clone());
    events.chain(import.notes.clone()).collect::<Vec<_>>().join("\n")
}

fn is(import: &Import, metric: Metric, wanted: f64) {
    let found = first(import, metric).unwrap_or_else(|| panic!("no {metric:?}"));
    assert!((found - wanted).abs() <= 1e-9 * wanted.abs(), "{metric:?}: {found}, not {wanted}");
}

#[test]
fn the_first_generation_counts_merges_a_second_under_rrqm() {
    let import = imported(&three(
        r#""rrqm": 1.50, "wrqm": 2.50, "r": 100.00, "w": 50.00, "rkB": 400.00, "wkB": 800.00, "avgrq-sz": 16.00,
        "avgqu-sz": 3.25, "await": 4.50, "r_await": 1.25, "w_await": 11.00, "svctm": 0.10, "util": 42.50"#,
    ));
    assert_eq!(tools(&import), ["iostat 11.5.1 to 11.5.6 JSON"]);
    for (metric, wanted) in [
        (Metric::ReadMerges, 1.5),
        (Metric::WriteMerges, 2.5),
        (Metric::ReadOps, 100.0),
        (Metric::WriteOps, 50.0),
        (Metric::ReadBytes, 409_600.0),
        (Metric::WriteBytes, 819_200.0),
        (Metric::Size, 8192.0),
        (Metric::QueueDepth, 3.25),
        (Metric::Await, 0.0045),
        (Metric::ReadAwait, 0.00125),
        (Metric::WriteAwait, 0.011),
        (Metric::Busy, 0.425),
    ] {
        is(&import, metric, wanted);
    }
    assert_eq!(first(&import, Metric::ReadMergedShare), None);
    assert!(notes(&import).contains("'svctm' is not kept"), "{}", notes(&import));
}

/// The second generation's row, in which throughput agrees with rate and size.
const SECOND: &str = r#""r/s": 100.00, "w/s": 50.00, "rkB/s": 400.00, "wkB/s": 800.00, "rrqm/s": 25.00, "wrqm/s": 0.00,
    "rrqm": 20.00, "wrqm": 0.00, "r_await": 1.25, "w_await": 11.00, "aqu-sz": 0.68, "rareq-sz": 4.00, "wareq-sz": 16.00,
    "svctm": 0.10, "util": 42.50"#;

#[test]
fn since_the_second_generation_rrqm_is_a_share_of_a_hundred() {
    let import = imported(&three(SECOND));
    assert_eq!(tools(&import), ["iostat 11.5.7 to 12.1.1 JSON"]);
    for (metric, wanted) in [
        (Metric::ReadMerges, 25.0),
        (Metric::ReadMergedShare, 0.2),
        (Metric::WriteMergedShare, 0.0),
        (Metric::ReadBytes, 409_600.0),
        (Metric::ReadSize, 4096.0),
        (Metric::WriteSize, 16_384.0),
        (Metric::QueueDepth, 0.68),
    ] {
        is(&import, metric, wanted);
    }
}

/// Returns the third generation's row: rates, throughputs in `unit`, the rest.
fn third(unit: &str, [read, written, discarded]: [f64; 3]) -> String {
    format!(
        r#""r/s": 100.00, "w/s": 50.00, "d/s": 2.00, "r{unit}/s": {read:.2}, "w{unit}/s": {written:.2}, "d{unit}/s": {discarded:.2},
        "rrqm/s": 0.00, "wrqm/s": 5.00, "drqm/s": 0.00, "rrqm": 0.00, "wrqm": 9.09, "drqm": 0.00, "r_await": 1.25,
        "w_await": 11.00, "d_await": 3.00, "rareq-sz": 4.00, "wareq-sz": 16.00, "dareq-sz": 512.00, "aqu-sz": 0.68, "util": 42.50"#
    )
}

#[test]
fn throughput_that_12_1_2_to_12_2_0_print_in_sectors_is_found_out_by_rate_times_size_and_corrected() {
    for (unit, right, wrong) in [
        ("kB", [400.0, 800.0, 1024.0], [800.0, 1600.0, 2048.0]),
        ("MB", [0.390_625, 0.78, 1.0], [800.0, 1600.0, 2048.0]),
    ] {
        let sound = imported(&three(&third(unit, right)));
        assert!(!notes(&sound).contains("sectors"), "{}", notes(&sound));
        let mended = imported(&three(&third(unit, wrong)));
        assert_eq!(tools(&mended), ["iostat 12.1.2 to 12.2 JSON"]);
        let times = if unit == "kB" { "2 times too large" } else { "2048 times too large" };
        assert!(notes(&mended).contains(times), "{unit}: {}", notes(&mended));
        is(&mended, Metric::ReadBytes, 409_600.0);
        is(&mended, Metric::WriteBytes, 819_200.0);
        is(&mended, Metric::DiscardBytes, 1_048_576.0);
        is(&mended, Metric::DiscardAwait, 0.003);
        is(&mended, Metric::WriteMergedShare, 0.0909);
    }
    let sectors = imported(&three(&third("sec", [800.0, 1600.0, 2048.0])));
    assert!(!notes(&sectors).contains("too large"), "{}", notes(&sectors));
    is(&sectors, Metric::ReadBytes, 409_600.0);
}

#[test]
fn where_no_size_stands_beside_a_throughput_the_fault_cannot_be_told_and_that_is_said() {
    let basic = r#""tps": 150.00, "kB_read/s": 800.00, "kB_wrtn/s": 1600.00, "kB_dscd/s": 0.00, "kB_read": 8000,
        "kB_wrtn": 16000, "kB_dscd": 0"#;
    let import = imported(&three(basic));
    assert!(notes(&import).contains("cannot be told"), "{}", notes(&import));
    is(&import, Metric::Ops, 150.0);
    is(&import, Metric::ReadBytes, 819_200.0);
    let old =
        imported(&three(r#""tps": 1.00, "kB_read/s": 8.00, "kB_wrtn/s": 0.00, "kB_read": 80, "kB_wrtn": 0"#));
    assert_eq!(tools(&old), ["iostat 11.5.7 to 12.1.1 JSON"]);
    assert!(!notes(&old).contains("cannot be told"), "no such version has these keys: {}", notes(&old));
    let oldest = imported(&three(
        r#""tps": 1.00, "kB_read_per_sec": 8.00, "kB_wrtn_per_sec": 4.00, "kB_read": 80, "kB_wrtn": 40"#,
    ));
    assert_eq!(tools(&oldest), ["iostat 11.5.1 to 11.5.6 JSON"]);
    is(&oldest, Metric::WriteBytes, 4096.0);
}

#[test]
fn the_fourth_generation_has_flushes_and_comes_out_as_the_installed_iostat_printed_it() {
    let import = named("runs/extended.json", genuine("-x -t 1 4"));
    assert_eq!(tools(&import), ["iostat 12.3.1 or later JSON"]);
    assert_eq!((import.troubles.len(), import.notes.len()), (0, 0), "{:?}", import.notes);
    let run = &import.runs[0];
    assert_eq!(observed(run).intervals.len(), 3, "the report since boot is left out");
    assert_eq!(run.host.as_ref().map(|host| (host.hostname.as_str(), host.cpus)), Some(("host", 2)));
    // Every value is compared with the document itself, as another JSON reader takes it.
    let json: serde_json::Value = serde_json::from_str(genuine("-x -t 1 4")).unwrap();
    let reports = json["sysstat"]["hosts"][0]["statistics"].as_array().unwrap();
    let mut compared = 0;
    for (index, report) in reports.iter().skip(1).enumerate() {
        for row in report["disk"].as_array().unwrap() {
            let device = row["disk_device"].as_str().unwrap();
            for (key, printed) in row.as_object().unwrap().iter().skip(1) {
                let metric = Metric::of_column(key).unwrap();
                let worth = match metric.unit() {
                    record::Unit::BytesPerSecond | record::Unit::Bytes => 1024.0,
                    record::Unit::Seconds => 1e-3,
                    record::Unit::Share => 1e-2,
                    record::Unit::PerSecond | record::Unit::Count => 1.0,
                };
                let value = values(run, device, metric).unwrap()[index];
                let printed = printed.as_f64().unwrap();
                let nothing = value.is_nan() && printed == 0.0;
                assert!(
                    nothing || (value - printed * worth).abs() < 1e-9 * value.abs().max(1e-9),
                    "{device} {key}"
                );
                compared += usize::from(!nothing);
            }
        }
        for metric in CpuMetric::ALL {
            let printed = report["avg-cpu"][metric.column()].as_f64().unwrap();
            let value = record::Recording::of(run).cpu(metric).unwrap()[index];
            assert!((value - printed / 100.0).abs() < 1e-12, "{metric:?}");
        }
    }
    assert!(compared > 80, "{compared}");
}

#[test]
fn every_set_of_options_is_read_without_a_word_of_trouble() {
    for (options, text) in GENUINE {
        let import = named(options, text);
        let run = &import.runs[0];
        assert_eq!((import.runs.len(), import.troubles.len()), (1, 0), "{options}: {:?}", import.troubles);
        let devices: Vec<&str> = observed(run).devices.iter().map(|device| device.name.as_str()).collect();
        let wanted: &[&str] = match options {
            "-c -t 1 3" => &[],
            "-x -t -p vda 1 3" => &["vda"],
            "-x -t -g both 1 3" => &["vda", "loop0", "both"],
            "-x -z -t 1 3" => &[],
            _ => &["loop0", "vda"],
        };
        if options != "-x -z -t 1 3" {
            assert_eq!(devices, wanted, "{options}");
        }
        let length = |(from, to): &(Nanos, Nanos)| to.since(*from).as_secs_f64();
        assert!(observed(run).intervals.iter().all(|span| (0.9..=2.1).contains(&length(span))), "{options}");
        let known = options.contains("-t");
        assert_eq!(run.started_unix_ms > 1_795_000_000_000, known, "{options}");
    }
}

#[test]
fn nothing_tells_of_the_time_since_boot_as_if_it_were_an_interval() {
    let kept = |options| observed(&named(options, genuine(options)).runs[0]).intervals.len();
    assert_eq!(kept("-x -t 1 4"), 3);
    assert_eq!(kept("-x -y -t 1 3"), 3, "-y leaves an empty line, and no such report");
    let comma =
        document(&[&at(10, SECOND), &at(20, SECOND)]).replace("\"statistics\": [", "\"statistics\": [\n,");
    let import = imported(&comma);
    assert_eq!(observed(&import.runs[0]).intervals.len(), 2);
    assert!(notes(&import).contains("11.6.0"), "{}", notes(&import));
    let only = refused(&document(&[&at(0, SECOND)]));
    assert!(only.contains("since boot alone") && only.contains("10 30"), "{only}");
}

#[test]
fn an_interval_without_times_is_as_long_as_amounts_over_rates() {
    let import = named("x", genuine("-m -d 1 3"));
    let spans = &observed(&import.runs[0]).intervals;
    assert!(spans.iter().all(|(from, to)| to.since(*from) == Nanos::SECOND), "{spans:?}");
    let silent = imported(&three(SECOND).replace("\"timestamp\"", "\"unsaid\""));
    assert!(notes(&silent).contains("nothing tells how far apart"), "{}", notes(&silent));
}

#[test]
fn a_stopped_iostat_loses_nothing_but_its_last_words() {
    let whole = genuine("-x -t 1 100, interrupted");
    assert_eq!(named("x", whole).notes.len(), 0, "12.6.1 closes its brackets on Ctrl-C");
    let import = named("x", genuine("-x -t 1 100, killed"));
    assert!(notes(&import).contains("as when iostat is stopped; 4 reports read"), "{}", notes(&import));
    assert_eq!(observed(&import.runs[0]).intervals.len(), 3);
    // Cut within the last number: what is left of it is not a figure.
    let cut = &whole[..whole.rfind("\"util\": ").unwrap() + 9];
    let import = named("x", cut);
    assert_eq!(import.troubles[0].line as usize, cut.lines().count(), "{:?}", import.troubles);
    let run = &import.runs[0];
    assert!(values(run, "vda", Metric::Busy).unwrap().last().unwrap().is_nan());
    assert!(!values(run, "vda", Metric::ReadOps).unwrap().last().unwrap().is_nan());
}

#[test]
fn devices_come_and_go_and_a_missing_field_is_nothing_rather_than_zero() {
    let row = |name: &str, rest: &str| format!(r#"{{"disk_device": "{name}", {rest}}}"#);
    let report = |second: u32, rows: &[String]| {
        let rows = rows.join(",");
        format!(r#"{{"timestamp": "2026-11-21T00:00:{second:02}+0000", "disk": [{rows}]}}"#)
    };
    let both = [row("vda", SECOND), row("sdb", SECOND)];
    let lost = SECOND.replace(r#""wkB/s": 800.00, "#, "");
    let reports = [
        report(0, &both),
        report(10, &both),
        report(20, &both[..1]),
        report(30, &[row("vda", &lost), row("sdb", SECOND), row("nvme0n1", SECOND)]),
    ];
    let import = imported(&document(&reports.each_ref().map(String::as_str)));
    let run = &import.runs[0];
    let read = |device| values(run, device, Metric::ReadOps).unwrap();
    assert_eq!(read("vda"), [100.0; 3]);
    assert!(read("sdb")[1].is_nan() && read("sdb")[2] == 100.0);
    assert!(read("nvme0n1")[..2].iter().all(|value| value.is_nan()) && read("nvme0n1")[2] == 100.0);
    assert!(values(run, "vda", Metric::WriteBytes).unwrap()[2].is_nan());
    assert_eq!(values(run, "vda", Metric::WriteOps).unwrap()[2], 50.0);
}

#[test]
fn what_iostat_prints_where_a_counter_fell_is_left_empty_with_all_that_was_made_of_it() {
    let fallen = SECOND
        .replace("\"r/s\": 100.00", "\"r/s\": 18446744073709551616.00")
        .replace("\"rkB/s\": 400.00", "\"rkB/s\": 9223372036854771712.00");
    let reports = [at(0, SECOND), at(10, SECOND), at(20, &fallen)];
    let import = imported(&document(&reports.each_ref().map(String::as_str)));
    let run = &import.runs[0];
    // The device has begun to count anew, so its writes are no more to be trusted than its reads.
    for metric in [Metric::ReadOps, Metric::ReadBytes, Metric::ReadAwait, Metric::ReadSize, Metric::WriteOps]
    {
        let series = values(run, "vda", metric).unwrap();
        assert!(!series[0].is_nan() && series[1].is_nan(), "{metric:?} {series:?}");
    }
    assert!(notes(&import).contains("a counter fell there, and iostat printed"), "{}", notes(&import));
    assert!(notes(&import).contains("of vda"), "{}", notes(&import));
}

#[test]
fn a_wait_of_no_io_is_no_wait_of_zero() {
    let idle = SECOND
        .replace("\"r/s\": 100.00", "\"r/s\": 0.00")
        .replace("\"r_await\": 1.25", "\"r_await\": 0.00")
        .replace("\"rareq-sz\": 4.00", "\"rareq-sz\": 0.00");
    let import = imported(&three(&idle));
    assert_eq!(first(&import, Metric::ReadOps), Some(0.0));
    assert!(first(&import, Metric::ReadAwait).unwrap().is_nan());
    assert!(first(&import, Metric::ReadSize).unwrap().is_nan());
}

#[test]
fn what_nobody_knows_is_named_and_passed_over() {
    let odd = format!(r#"{SECOND}, "wear": 3.00, "flags": ["a", {{"b": 1}}], "queue": null"#);
    let row = format!(r#"{SECOND}, "wear": 3.00"#);
    let import = imported(&three(&row));
    assert!(notes(&import).contains("no meaning is known of 'wear'"), "{}", notes(&import));
    assert_eq!(first(&import, Metric::Busy), Some(0.425));
    let import = imported(&three(&odd));
    assert_eq!(first(&import, Metric::Busy), Some(0.425), "{:?}", import.troubles);
    let words = three(SECOND).replacen("\"w/s\": 50.00", "\"w/s\": \"many\"", 1);
    let import = imported(&words);
    assert_eq!(import.troubles[0].expected, "a number for \"w/s\"");
    assert_eq!(import.troubles[0].found, "\"many\", \"rkB/s\": 400.00, \"wkB/s\": 800.00…");
    assert_eq!(observed(&import.runs[0]).intervals.len(), 2);
}

#[test]
fn several_hosts_and_several_documents_are_runs_of_their_own() {
    let one = three(SECOND);
    let host = &one[one.find("{\"nodename\"").unwrap()..one.rfind("]}}").unwrap()];
    let two = one.replace(host, &format!("{host}, {}", host.replace("\"h\"", "\"other\"")));
    let import = imported(&two);
    let names: Vec<&str> =
        import.runs.iter().map(|run| run.host.as_ref().unwrap().hostname.as_str()).collect();
    assert_eq!(names, ["h", "other"]);
    // Appended to a file that holds a killed one, as a script with `>>` does.
    let killed = genuine("-x -t 1 100, killed");
    let import = imported(&format!("{killed}\n{one}"));
    assert_eq!(import.runs.len(), 2, "{:?}", import.troubles);
    assert_eq!(observed(&import.runs[1]).intervals.len(), 2);
    assert_eq!(values(&import.runs[1], "vda", Metric::ReadOps).unwrap(), [100.0; 2]);
}

#[test]
fn keys_may_stand_in_any_order_and_on_one_line() {
    let sound = named("x", genuine("-x -t 1 4"));
    let json: serde_json::Value = serde_json::from_str(genuine("-x -t 1 4")).unwrap();
    let sorted = |value: &serde_json::Value| -> String {
        // Keys in alphabetical order, as `jq -S` writes them.
        let ordered: std::collections::BTreeMap<String, serde_json::Value> =
            serde_json::from_value(value.clone()).unwrap();
        serde_json::to_string(&ordered).unwrap()
    };
    let reports = json["sysstat"]["hosts"][0]["statistics"].as_array().unwrap();
    let reports: Vec<String> = reports.iter().map(sorted).collect();
    let reports: Vec<&str> = reports.iter().map(String::as_str).collect();
    let again = imported(&document(&reports).replace('\n', " "));
    let plain = |import: &Import| format!("{:?}", observed(&import.runs[0]).devices);
    assert_eq!(plain(&again), plain(&sound));
}

#[test]
fn a_clock_that_was_set_back_and_one_that_stood_still_for_a_second_leave_a_rising_series() {
    let row =
        |time: &str| format!(r#"{{"timestamp": "{time}", "disk": [{{"disk_device": "vda", {SECOND}}}]}}"#);
    let times = ["02:59:40", "02:59:50", "02:00:00", "02:00:10", "02:00:10", "02:00:30"];
    let reports = times.map(|time| row(&format!("25.10.2026 {time}")));
    let import = imported(&document(&reports.each_ref().map(String::as_str)));
    let ends: Vec<u64> =
        observed(&import.runs[0]).intervals.iter().map(|(_, to)| to.0 / 1_000_000_000).collect();
    assert_eq!(ends, [10, 20, 30, 40, 50]);
    assert!(notes(&import).contains("set back while iostat ran"), "{}", notes(&import));
}

#[test]
fn the_json_of_other_tools_of_the_family_is_refused_by_what_is_missing() {
    let mpstat = r#"{"sysstat": {"hosts": [{"nodename": "h", "statistics": [
        {"timestamp": "00:00:01", "cpu-load": [{"cpu": "all", "usr": 1.00}]}]}]}}"#;
    for text in [mpstat, "{\"sysstat\": {\"hosts\": []}}"] {
        assert!(refused(text).contains("expected 'disk' or 'avg-cpu'"), "{}", refused(text));
    }
}

#[test]
fn what_follows_a_broken_place_is_read() {
    let text = genuine("-x -t 1 4");
    let lines: Vec<&str> = text.lines().collect();
    let row = lines.iter().rposition(|line| line.contains("\"loop0\"")).unwrap();
    let mut broken = lines.clone();
    broken[row] = "\t\t\t\t\t\t{\"disk_device\": \"loop0\", \"r/s\" 4";
    let import = named("x", &broken.join("\n"));
    assert_eq!(import.troubles[0].line as usize, row + 1, "{:?}", import.troubles);
    assert_eq!(
        (import.troubles[0].column, import.troubles[0].expected.as_str()),
        (38, "':' after \"r/s\""),
        "{:?}",
        import.troubles
    );
    let sound = named("x", text);
    let same = |metric| {
        assert_eq!(
            format!("{:?}", values(&import.runs[0], "vda", metric)),
            format!("{:?}", values(&sound.runs[0], "vda", metric))
        );
    };
    Metric::all().for_each(same);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn damage_never_stops_the_reader_and_every_place_it_names_is_in_the_text(
        which in 0..GENUINE.len(),
        damages in prop::collection::vec((any::<prop::sample::Index>(), 0..5_u8, any::<u8>()), 1..6),
    ) {
        let mut bytes = GENUINE[which].1.as_bytes().to_vec();
        for (place, kind, byte) in damages {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match kind {
                0 => bytes.truncate(at),
                1 => bytes[at] = byte,
                2 => bytes.insert(at, b"{}[],:\"\n"[usize::from(byte) % 8]),
                3 => drop(bytes.drain(at..(at + usize::from(byte)).min(bytes.len()))),
                _ => bytes.splice(at..at, b"99999999999999999999".iter().copied()).for_each(drop),
            }
        }
        let lines = String::from_utf8_lossy(&bytes).lines().count() as u32 + 1;
        let read = import::read(import::Input { name: "x.json", bytes: &bytes }, &[]);
        if let Ok(import) = read {
            for trouble in &import.troubles {
                prop_assert!(trouble.line >= 1 && trouble.line <= lines && trouble.column >= 1, "{trouble:?}");
            }
            for run in import.runs.iter().filter(|run| run.observed.is_some()) {
                let observed = observed(run);
                let long = observed.intervals.len();
                prop_assert!(observed.intervals.iter().all(|(from, to)| from < to));
                prop_assert!(observed.intervals.windows(2).all(|pair| pair[0].1 == pair[1].0));
                let columns = observed.devices.iter().flat_map(|device| &device.metrics).map(|(_, values)| values);
                for values in columns.chain(observed.cpu.iter().map(|(_, values)| values)) {
                    prop_assert_eq!(values.len(), long);
                    prop_assert!(values.iter().all(|value| value.is_nan() || (0.0..1e15).contains(value)));
                }
            }
        }
    }
}
