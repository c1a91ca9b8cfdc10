//! iostat's words and reports, without a machine.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may unwrap")]

use std::path::PathBuf;

use iostat::{DiskLine, Host, ROWS, Reading, Reporter, Request, Source, Takes, Units, parse};
use options::reference::renewed;
use proptest::prelude::*;
use record::DiskCounters;

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn asked(text: &str) -> iostat::IostatRequest {
    match parse(&words(text), Units::Kilobytes).unwrap() {
        Request::Watch(asked) => *asked,
        Request::Say(said) => panic!("{text} only says {said}"),
    }
}

/// With `PLIMSOLL_REGENERATE=1` the test rewrites the table.
#[test]
fn the_reference_is_fresh() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/iostat.md");
    let page = std::fs::read_to_string(&path).expect("docs/reference/iostat.md is there");
    let fresh = renewed(&page, &iostat::table()).expect("the page has its marks");
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        std::fs::write(&path, fresh).expect("the reference can be written");
        return;
    }
    assert!(
        page == fresh,
        "docs/reference/iostat.md is stale; run PLIMSOLL_REGENERATE=1 cargo test --release -p iostat --test all"
    );
}

#[test]
fn every_option_that_is_honoured_changes_what_is_asked() {
    let plain = parse(&[], Units::Sectors).unwrap();
    for row in ROWS.iter().filter(|row| !row.is_refused()) {
        let line = match row.takes {
            Takes::Nothing if row.name == "-H" => "-H -g x".to_owned(),
            Takes::Nothing => row.name.to_owned(),
            Takes::Word("JSON") => format!("{} JSON", row.name),
            Takes::Word(value) if value.starts_with('=') => format!("{}=1", row.name),
            Takes::Word(_) => format!("{} x", row.name),
            Takes::Devices => format!("{} vda", row.name),
        };
        assert_ne!(parse(&words(&line), Units::Sectors).unwrap(), plain, "{line}");
    }
}

#[test]
fn numbers_are_interval_and_count_and_everything_else_is_a_device() {
    let both = asked("-x vda 2 5 /dev/sdb");
    assert_eq!((both.interval_s, both.count), (2, Some(5)));
    assert_eq!(both.names, ["vda", "sdb"]);
    assert_eq!(asked("3").count, None, "without a count it goes on");
    assert_eq!(asked("").count, Some(1), "without an interval there is one report");
    assert_eq!(asked("0.5").names, ["0.5"], "as with the real one");
    assert_eq!(asked("-p 1 2").source, Source::Everything);
    assert_eq!(asked("-p vda,sda 1").with_partitions, ["vda", "sda"]);
}

#[test]
fn the_first_interval_reaches_back_to_boot() {
    let disk = DiskLine {
        name: "vda".into(),
        shown: "vda".into(),
        counters: DiskCounters { reads: 1000, sectors_read: 4000, ..DiskCounters::default() },
        full: true,
    };
    let reading = Reading { uptime_cs: 10_000, disks: vec![disk], ..Reading::default() };
    let mut reporter = Reporter::new(&asked("-d"), Host::default());
    let text = reporter.report(reading);
    let row = text.lines().find(|line| line.starts_with("vda")).unwrap();
    assert_eq!(row.split_whitespace().take(3).collect::<Vec<_>>(), ["vda", "10.00", "20.00"]);
}

proptest! {
    #[test]
    fn no_words_and_no_counters_bring_it_down(
        line in "[-+a-zA-Z0-9=. /]{0,40}",
        counters in prop::collection::vec(any::<u64>(), 34),
        uptime in any::<(u64, u64)>(),
    ) {
        let Ok(Request::Watch(asked)) = parse(&words(&line), Units::Kilobytes) else { return Ok(()) };
        let reading = |from: usize, uptime_cs: u64| {
            let c = |at: usize| counters[from + at];
            let counters = DiskCounters {
                reads: c(0), reads_merged: c(1), sectors_read: c(2), read_ms: c(3), writes: c(4),
                writes_merged: c(5), sectors_written: c(6), write_ms: c(7), in_flight: c(8), busy_ms: c(9),
                queue_ms: c(10), discards: c(11), discards_merged: c(12), sectors_discarded: c(13),
                discard_ms: c(14), flushes: c(15), flush_ms: c(16),
            };
            let disk = DiskLine { name: "vda".into(), shown: "vda".into(), counters, full: true };
            Reading { uptime_cs, disks: vec![disk], ..Reading::default() }
        };
        let mut reporter = Reporter::new(&asked, Host::default());
        let mut text = reporter.opening();
        text.push_str(&reporter.report(reading(0, uptime.0)));
        text.push_str(&reporter.report(reading(17, uptime.1)));
        text.push_str(&reporter.closing());
        prop_assert!(!text.contains("18446744073709551616"));
        if asked.json {
            let value: Result<serde_json::Value, _> = serde_json::from_str(&text);
            prop_assert!(value.is_ok(), "{text}");
        }
    }
}
