//! Outputs that people pasted into pages, and every figure of them that a reader looks at, typed in from those pages.

use crate::vocabulary::*;

const COLLAPSED: &str = include_str!("fixtures/fio-2-collapsed.txt");
const LOST: &str = include_str!("fixtures/fio-2-lost-words.txt");
const PAGE: &str = include_str!("fixtures/page-of-two-providers.txt");

/// The write test: what both pages kept.
const BW_TEST: &[Row] = &[
    ("bw-test", "write bytes", 22_937.0, "MiB"),
    ("bw-test", "write ops", 22_937.0, ""),
    ("bw-test", "write runtime", 120_160.0, "ms"),
    ("bw-test", "write slat min", 54.0, "us"),
    ("bw-test", "write slat max", 622.0, "us"),
    ("bw-test", "write slat mean", 135.46, "us"),
    ("bw-test", "write slat stddev", 23.21, "us"),
    ("bw-test", "write clat min", 7.0, "ms"),
    ("bw-test", "write clat max", 779.0, "ms"),
    ("bw-test", "write clat mean", 167.48, "ms"),
    ("bw-test", "write clat stddev", 26.28, "ms"),
    ("bw-test", "write lat min", 7.0, "ms"),
    ("bw-test", "write lat max", 779.0, "ms"),
    ("bw-test", "write lat mean", 167.62, "ms"),
    ("bw-test", "write lat stddev", 26.28, "ms"),
    ("bw-test", "write clat p1", 101.0, "ms"),
    ("bw-test", "write clat p5", 155.0, "ms"),
    ("bw-test", "write clat p10", 159.0, "ms"),
    ("bw-test", "write clat p20", 163.0, "ms"),
    ("bw-test", "write clat p30", 165.0, "ms"),
    ("bw-test", "write clat p40", 167.0, "ms"),
    ("bw-test", "write clat p50", 167.0, "ms"),
    ("bw-test", "write clat p60", 167.0, "ms"),
    ("bw-test", "write clat p70", 169.0, "ms"),
    ("bw-test", "write clat p80", 169.0, "ms"),
    ("bw-test", "write clat p90", 172.0, "ms"),
    ("bw-test", "write clat p95", 178.0, "ms"),
    ("bw-test", "write clat p99", 306.0, "ms"),
    ("bw-test", "write clat p99.5", 363.0, "ms"),
    ("bw-test", "write clat p99.9", 420.0, "ms"),
    ("bw-test", "write clat p99.95", 474.0, "ms"),
    ("bw-test", "write clat p99.99", 545.0, "ms"),
    ("bw-test", "write bandwidth.min", 137_730.0, "KiB/s"),
    ("bw-test", "write bandwidth.max", 254_485.0, "KiB/s"),
    ("bw-test", "write bandwidth.share", 100.0, "%"),
    ("bw-test", "write bandwidth.mean", 195_681.88, "KiB/s"),
    ("bw-test", "write bandwidth.stddev", 9_590.24, "KiB/s"),
    ("bw-test", "latency_ms.10", 0.01, "%"),
    ("bw-test", "latency_ms.20", 0.03, "%"),
    ("bw-test", "latency_ms.50", 0.37, "%"),
    ("bw-test", "latency_ms.100", 0.58, "%"),
    ("bw-test", "latency_ms.250", 97.55, "%"),
    ("bw-test", "latency_ms.500", 1.44, "%"),
    ("bw-test", "latency_ms.750", 0.03, "%"),
    ("bw-test", "latency_ms.1000", 0.01, "%"),
    ("bw-test", "cpu.user", 1.76, "%"),
    ("bw-test", "cpu.system", 1.83, "%"),
    ("bw-test", "cpu.context_switches", 22_777.0, ""),
    ("bw-test", "cpu.major_faults", 0.0, ""),
    ("bw-test", "cpu.minor_faults", 11.0, ""),
    ("bw-test", "depth.1", 0.1, "%"),
    ("bw-test", "depth.32", 99.9, "%"),
    ("bw-test", "depth.>=64", 0.0, "%"),
    ("bw-test", "submit.4", 100.0, "%"),
    ("bw-test", "complete.32", 0.1, "%"),
    ("bw-test", "write short", 0.0, ""),
    ("bw-test", "write dropped", 0.0, ""),
    ("bw-test", "target.percentile", 100.0, "%"),
    ("bw-test", "target.depth", 32.0, ""),
    ("group 0", "write bytes", 22_937.0, "MiB"),
    ("group 0", "write rate", 195_468.0, "KiB/s"),
    ("group 0", "write bandwidth.job_min", 195_468.0, "KiB/s"),
    ("group 0", "write bandwidth.job_max", 195_468.0, "KiB/s"),
    ("group 0", "write runtime.job_min", 120_160.0, "ms"),
    ("group 0", "write runtime.job_max", 120_160.0, "ms"),
];

/// The read test, of which only the head was shown: what both pages kept.
const LAT_READ: &[Row] = &[
    ("lat-read", "read bytes", 855_740.0, "KiB"),
    ("lat-read", "read rate", 7_131.2, "KiB/s"),
    ("lat-read", "read iops", 1_782.0, ""),
    ("lat-read", "read runtime", 120_001.0, "ms"),
    ("lat-read", "read slat min", 8.0, "us"),
    ("lat-read", "read slat max", 434.0, "us"),
    ("lat-read", "read slat mean", 16.77, "us"),
    ("lat-read", "read slat stddev", 5.92, "us"),
    ("lat-read", "read clat min", 2.0, "us"),
    ("lat-read", "read clat max", 450_994.0, "us"),
    ("lat-read", "read clat mean", 539.15, "us"),
    ("lat-read", "read clat stddev", 2_188.85, "us"),
    ("lat-read", "read lat min", 53.0, "us"),
    ("lat-read", "read lat max", 451_010.0, "us"),
    ("lat-read", "read lat stddev", 2_188.91, "us"),
];

/// What only the page that kept its words has.
const KEPT: [&[Row]; 2] = [
    &[("bw-test", "write rate", 195_468.0, "KiB/s"), ("bw-test", "write iops", 190.0, "")],
    &[("lat-read", "read lat mean", 556.61, "us")],
];

/// fio 1.59 and 2.1.3 in turns: mixed, reads, writes. The `minb` and `maxb` of 1.59 are in 1000s.
const PROVIDERS: [&[Row]; 6] = [
    &[
        ("test", "read bytes", 3070.5, "MiB"),
        ("test", "read rate", 132_862.0, "KiB/s"),
        ("test", "read iops", 33_215.0, ""),
        ("test", "read runtime", 23_665.0, "ms"),
        ("test", "read ops", 786_042.0, ""),
        ("test", "write bytes", 1025.6, "MiB"),
        ("test", "write rate", 44_375.0, "KiB/s"),
        ("test", "write iops", 11_093.0, ""),
        ("test", "write runtime", 23_665.0, "ms"),
        ("test", "write ops", 262_534.0, ""),
        ("test", "cpu.user", 14.62, "%"),
        ("test", "cpu.system", 45.22, "%"),
        ("test", "cpu.context_switches", 30_449.0, ""),
        ("test", "cpu.minor_faults", 17.0, ""),
        ("test", "depth.>=64", 100.0, "%"),
        ("test", "complete.64", 0.1, "%"),
        ("group 0", "read rate", 132_861.0, "KiB/s"),
        ("group 0", "read bandwidth.job_min", 136_050.0, "kB/s"),
        ("group 0", "write rate", 44_375.0, "KiB/s"),
        ("group 0", "write bandwidth.job_max", 45_440.0, "kB/s"),
        ("vda", "ios.read", 779_743.0, ""),
        ("vda", "ios.write", 260_397.0, ""),
        ("vda", "merges.write", 6.0, ""),
        ("vda", "time.read", 400_068.0, "ms"),
        ("vda", "time.write", 754_896.0, "ms"),
        ("vda", "queue_time", 1_154_500.0, "ms"),
        ("vda", "utilisation", 99.55, "%"),
    ],
    &[
        ("test", "read bytes", 3071.7, "MiB"),
        ("test", "read rate", 9_028.2, "KiB/s"),
        ("test", "read iops", 2_257.0, ""),
        ("test", "read ops", 786_347.0, ""),
        ("test", "write bytes", 1024.4, "MiB"),
        ("test", "write rate", 3_010.7, "KiB/s"),
        ("test", "write iops", 752.0, ""),
        ("test", "write runtime", 348_403.0, "ms"),
        ("test", "write ops", 262_229.0, ""),
        ("test", "cpu.context_switches", 1_014_229.0, ""),
        ("group 0", "read bandwidth.job_min", 9_028.0, "KiB/s"),
        ("group 0", "write bandwidth.job_max", 3_010.0, "KiB/s"),
        ("xvda", "merges.read", 3_166.0, ""),
        ("xvda", "merges.write", 439.0, ""),
        ("xvda", "time.read", 16_287_332.0, "ms"),
        ("xvda", "utilisation", 100.0, "%"),
    ],
    &[
        ("test", "read bytes", 4096.0, "MiB"),
        ("test", "read rate", 346_522.0, "KiB/s"),
        ("test", "read iops", 86_630.0, ""),
        ("test", "read runtime", 12_104.0, "ms"),
        ("test", "read ops", 1_048_576.0, ""),
        ("test", "cpu.system", 52.84, "%"),
        ("group 0", "read bandwidth.job_max", 354_838.0, "kB/s"),
        ("vda", "ios.read", 1_030_890.0, ""),
        ("vda", "ios.write", 3.0, ""),
        ("vda", "utilisation", 95.57, "%"),
    ],
    &[
        ("test", "read rate", 12_065.0, "KiB/s"),
        ("test", "read iops", 3_016.0, ""),
        ("test", "read runtime", 347_640.0, "ms"),
        ("test", "cpu.user", 1.07, "%"),
        ("test", "cpu.minor_faults", 88.0, ""),
        ("xvda", "merges.read", 5_210.0, ""),
        ("xvda", "queue_time", 22_139_708.0, "ms"),
    ],
    &[
        ("test", "write rate", 35_404.0, "KiB/s"),
        ("test", "write iops", 8_850.0, ""),
        ("test", "write runtime", 118_471.0, "ms"),
        ("test", "cpu.user", 3.41, "%"),
        ("group 0", "write rate", 35_403.0, "KiB/s"),
        ("group 0", "write bandwidth.job_min", 36_253.0, "kB/s"),
        ("vda", "ios.write", 1_048_294.0, ""),
        ("vda", "merges.write", 67_571.0, ""),
        ("vda", "utilisation", 99.87, "%"),
    ],
    &[
        ("test", "write rate", 11_774.0, "KiB/s"),
        ("test", "write iops", 2_943.0, ""),
        ("test", "write runtime", 356_237.0, "ms"),
        ("test", "cpu.system", 2.89, "%"),
        ("group 0", "write rate", 11_773.0, "KiB/s"),
        ("xvda", "ios.read", 530.0, ""),
        ("xvda", "merges.write", 143_157.0, ""),
        ("xvda", "time.write", 22_762_076.0, "ms"),
    ],
];

/// ioping 0.6, and 0.7 or 0.8.
const IOPING: [&[Row]; 2] = [
    &[
        (".", "read ops", 10.0, ""),
        (".", "read iops", 3_318.0, ""),
        (".", "read rate", 13.0, "MiB/s"),
        (".", "read lat min", 0.2, "ms"),
        (".", "read lat mean", 0.3, "ms"),
        (".", "read lat max", 0.6, "ms"),
        (".", "read lat stddev", 0.1, "ms"),
    ],
    &[
        (".", "read ops", 10.0, ""),
        (".", "read iops", 2_700.0, ""),
        (".", "read rate", 10.7, "MiB/s"),
        (".", "read lat min", 294.0, "us"),
        (".", "read lat mean", 365.0, "us"),
        (".", "read lat max", 710.0, "us"),
        (".", "read lat stddev", 116.0, "us"),
    ],
];

#[test]
fn the_table_is_as_long_as_it_should_be() {
    let pages = 2 * (BW_TEST.len() + LAT_READ.len()) + KEPT.iter().map(|rows| rows.len()).sum::<usize>();
    let providers: usize = PROVIDERS.iter().chain(&IOPING).map(|rows| rows.len()).sum();
    assert!(pages + providers >= 240, "{} figures", pages + providers);
}

#[test]
fn a_result_that_a_page_put_on_one_line_is_read_in_full() {
    let import = imported(COLLAPSED);
    assert_eq!(tools(&import), ["fio 2.x text", "fio 2.x text"]);
    assert_eq!(import.troubles, []);
    holds(&import.runs[0], BW_TEST);
    holds(&import.runs[1], LAT_READ);
    (0..2).for_each(|index| holds(&import.runs[index], KEPT[index]));
    let job = part(&import.runs[0], "bw-test");
    assert_eq!((job.group, job.clones, job.runtime.unwrap().0), (Some(0), Some(1), 120_160_000_000));
    assert_eq!(
        job.said,
        [("pid".into(), "2584".into()), ("printed at".into(), "Fri Apr 20 17:14:19 2018".into())]
    );
    assert_eq!((job.asked_for("bs"), job.asked_for("iodepth")), (Some("1024k"), Some("32")));
}

#[test]
fn what_a_page_lost_stays_unknown_and_is_said() {
    let import = imported(LOST);
    assert_eq!(import.troubles, []);
    holds(&import.runs[0], BW_TEST);
    holds(&import.runs[1], LAT_READ);
    for (run, name, path) in
        [(0, "bw-test", "write rate"), (0, "bw-test", "write iops"), (1, "lat-read", "read lat mean")]
    {
        assert_eq!(figure(part(&import.runs[run], name), path), None, "{path}");
    }
    let notes =
        |run: usize| import.runs[run].events.iter().map(|event| event.text.as_str()).collect::<Vec<_>>();
    assert_eq!(notes(0)[1], "line 7, job 'bw-test': the text has lost bw and iops");
    assert!(
        notes(1).iter().any(|note| note.ends_with("job 'lat-read': the text has lost avg")),
        "{:?}",
        notes(1)
    );
    assert_eq!(notes(0)[0], "the job 'Outputbw-test' is 'bw-test', as a command line of the text calls it");
}

#[test]
fn a_page_with_eight_results_of_four_versions_gives_eight_runs() {
    let import = imported(PAGE);
    let wanted = ["fio 1.59 text", "fio 2.1.3 text"].repeat(3);
    assert_eq!(tools(&import)[..6], wanted);
    assert_eq!(tools(&import)[6..], ["ioping 0.6 text", "ioping 0.7 or 0.8 text"]);
    assert_eq!(import.troubles, []);
    for (run, rows) in import.runs.iter().zip(PROVIDERS.iter().chain(&IOPING)) {
        holds(run, rows);
    }
    let job = part(&import.runs[0], "test");
    for (option, value) in
        [("rw", "randrw"), ("iodepth", "64"), ("size", "4G"), ("rwmixread", "75"), ("gtod_reduce", "1")]
    {
        assert_eq!(job.asked_for(option), Some(value), "typed with typographic dashes");
    }
    assert!(lacks(&import.runs[0]).contains(&"latencies"), "gtod_reduce left them out");
}

#[test]
fn the_requests_of_ioping_are_a_series_and_its_time_is_the_time_that_passed() {
    let import = imported(PAGE);
    let times = |run: usize| {
        import.runs[run].reported[0].series[0].points.iter().map(|point| point.1).collect::<Vec<_>>()
    };
    assert_eq!(times(6), [2e5, 3e5, 6e5, 3e5, 2e5, 2e5, 2e5, 4e5, 2e5, 2e5]);
    assert_eq!(times(7)[..5], [710e3, 347e3, 312e3, 333e3, 349e3]);
    assert_eq!(import.runs[6].reported[0].runtime.unwrap().0, 9_005_300_000);
    assert_eq!(import.runs[7].reported[0].runtime.unwrap().0, 9_000_000_000);
    assert_eq!(import.runs[6].reported[0].asked_for("command"), Some("ioping -c 10 ."));
    assert_eq!(import.runs[6].reported[0].said[0], ("file system".to_owned(), "ext4".to_owned()));
}
