//! One run of fio 3.33 in three forms: text and terse lines agree with the JSON to their last digit.

use crate::vocabulary::*;

const TEXT: &str = include_str!("fixtures/fio-3.33.txt");
const TERSE: &str = include_str!("fixtures/fio-3.33.terse");
const JSON: &str = include_str!("fixtures/fio-3.33.json");

/// Figures that only the text has, and a share that fio computes from whole KiB in one form and from bytes in another.
pub const ONLY_TEXT: &[&str] =
    &["write zone_resets", "flush short", "flush dropped", "read bandwidth.share", "write bandwidth.share"];
/// Figures that differ in terse lines: the first also holds everything below a microsecond; the shares differ as above.
pub const FOLDED: &[&str] = &["latency_us.2", "read bandwidth.share", "write bandwidth.share"];

#[test]
fn text_and_terse_lines_agree_with_the_json() {
    // A page may mark the terse lines as code.
    let behind: String = TERSE.lines().map(|line| format!("20:16:21 out: {line}\n")).collect();
    assert_eq!(imported(&behind).runs[0].reported, imported(TERSE).runs[0].reported, "behind other words");
    let (text, terse, json) = (imported(TEXT), imported(&format!("`{}`", TERSE.trim_end())), imported(JSON));
    assert_eq!(tools(&text), ["fio 3.33 text"]);
    assert_eq!(tools(&terse), ["fio 3.33 terse v3"]);
    assert_eq!(tools(&json), ["fio 3.33 JSON+"]);
    for import in [&text, &terse, &json] {
        assert_eq!((import.troubles.len(), import.notes.len()), (0, 0), "{import:?}");
    }
    assert!(agree(&text.runs[0], &json.runs[0], ONLY_TEXT) > 150);
    assert!(agree(&terse.runs[0], &json.runs[0], FOLDED) > 130);
}

#[test]
fn figures_of_the_json_are_those_that_stand_in_it() {
    let import = imported(JSON);
    holds(
        &import.runs[0],
        &[
            ("mixed", "read bytes", 608.0, "KiB"),
            ("mixed", "read ops", 152.0, ""),
            ("mixed", "read iops", 4000.0, ""),
            ("mixed", "read runtime", 38.0, "ms"),
            ("mixed", "read slat mean", 3273.907895, "ns"),
            ("mixed", "read clat max", 11_429_071.0, "ns"),
            ("mixed", "write ops", 148.0, ""),
            ("mixed", "flush ops", 5.0, ""),
            ("mixed", "cpu.user", 5.405405, "%"),
            ("mixed", "cpu.context_switches", 88.0, ""),
            ("reads", "read ops", 400.0, ""),
            ("reads", "read iops", 100_000.0, ""),
        ],
    );
    let reads = part(&import.runs[0], "reads");
    assert_eq!(reads.asked_for("bs"), Some("16k"), "a job's own option goes before the global one");
    assert_eq!(reads.asked_for("ioengine"), Some("libaio"));
    assert_eq!(reads.said, [("description".to_owned(), "two clones".to_owned())]);
}

#[test]
fn the_bins_of_json_plus_are_a_histogram_of_every_io() {
    let import = imported(JSON);
    let way = part(&import.runs[0], "reads").of(Some(workload::Direction::Read)).unwrap();
    let latency = way.latency(record::LatencyKind::Completion).unwrap();
    let distribution = latency.distribution().unwrap();
    assert_eq!(distribution.count(), 400);
    assert_eq!(latency.bins.iter().map(|bin| bin.1).sum::<u64>(), 400);
    for (percent, figure) in latency.percentiles.iter().filter(|(percent, _)| *percent < 99.9) {
        let found = distribution.percentile(*percent).unwrap() as f64;
        assert!((found - figure.value).abs() <= 0.02 * figure.value, "p{percent}: {found} beside {figure:?}");
    }
    assert!(!lacks(&import.runs[0]).contains(&"a latency histogram"));
}

#[test]
fn three_forms_in_one_output_are_one_run_and_the_richest_counts() {
    let import = imported(&format!("{TERSE}{JSON}{TEXT}"));
    assert_eq!(tools(&import), ["fio 3.33 JSON+"]);
    assert_eq!(import.notes.len(), 2, "{:?}", import.notes);
}

#[test]
fn what_is_printed_short_keeps_its_words_and_what_its_last_digit_is_worth() {
    let import = imported(TEXT);
    let rate = figure(part(&import.runs[0], "reads"), "read iops").unwrap();
    assert_eq!((rate.value, rate.step, rate.printed.as_str()), (100_000.0, 1000.0, "100k"));
}
