//! Other benchmarks: CrystalDiskMark, dd, yabs, kubestr. Every figure as printed.

use crate::vocabulary::*;

const CRYSTAL_8: &str = include_str!("fixtures/crystaldiskmark-8.txt");
const CRYSTAL_6: &str = include_str!("fixtures/crystaldiskmark-6.txt");
const YABS: &str = include_str!("fixtures/yabs.txt");
const KUBESTR: &str = include_str!("fixtures/kubestr.txt");

/// Returns the only result in `text`, which must be of this tool and read without any trouble.
fn only(text: &str, tool_wanted: &str) -> record::Run {
    let mut import = imported(text);
    assert_eq!(
        (tools(&import), import.troubles.len()),
        (vec![tool_wanted], 0),
        "{text}\n{:?}",
        import.troubles
    );
    import.runs.remove(0)
}

#[test]
fn crystaldiskmark_since_7_has_rates_latencies_and_a_mix() {
    let run = only(CRYSTAL_8, "CrystalDiskMark 8.0.4 text");
    assert_eq!(run.reported.len(), 6);
    holds(
        &run,
        &[
            ("SEQ 1MiB Q8 T1", "read rate", 3_412.551e6, ""),
            ("SEQ 1MiB Q8 T1", "read iops", 3254.5, ""),
            ("SEQ 1MiB Q8 T1", "read lat mean", 2456.71, "us"),
            ("SEQ 1MiB Q8 T1", "write rate", 2_980.107e6, ""),
            ("RND 4KiB Q32 T16", "read iops", 401_210.4, ""),
            ("RND 4KiB Q1 T1", "write lat mean", 21.42, "us"),
            ("SEQ 1MiB Q8 T1 mix", "all rate", 3_050.998e6, ""),
            ("SEQ 1MiB Q8 T1", "volume.used", 51.0, "%"),
        ],
    );
    let row = part(&run, "RND 4KiB Q32 T16");
    assert_eq!(["block", "Q", "T"].map(|name| row.asked_for(name).unwrap()), ["4KiB", "32", "16"]);
    assert_eq!(figure(part(&run, "RND 4KiB Q1 T1 mix"), "all iops").unwrap().printed, "19876.0");
}

#[test]
fn crystaldiskmark_up_to_6_names_the_direction_in_each_row() {
    let run = only(CRYSTAL_6, "CrystalDiskMark 6.0.2 text");
    holds(
        &run,
        &[
            ("Sequential Q32 T1", "read rate", 551.201e6, ""),
            ("Sequential Q32 T1", "write rate", 514.002e6, ""),
            ("Random 4KiB Q8 T8", "read iops", 97_001.2, ""),
            ("Random 4KiB Q1 T1", "write rate", 120.5e6, ""),
        ],
    );
    assert!(lacks(&run).contains(&"latencies"));
    let damaged = imported(&CRYSTAL_6.replace("551.201 MB/s", "551.201 XB/s"));
    assert!(damaged.troubles[0].to_string().contains("expected a rate like 557.213 MB/s"));
}

#[test]
fn dd_of_every_make_has_its_bytes_time_and_rate() {
    let gib = 1_073_741_824.0;
    for (text, tool, [bytes, seconds, rate]) in [
        (
            "4+0 records in\n4+0 records out\n4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.0041276 s, 1.0 GB/s",
            "dd of GNU",
            [4_194_304.0, 0.004_127_6, 1e9],
        ),
        ("1073741824 bytes (1.1 GB) copied, 2.50312 s, 429 MB/s", "dd of GNU", [gib, 2.503_12, 429e6]),
        (
            "4194304 Bytes (4,2 MB, 4,0 MiB) kopiert, 0,0041276 s, 1,0 GB/s",
            "dd of GNU",
            [4_194_304.0, 0.004_127_6, 1e9],
        ),
        (
            "4194304字节（4.2 MB，4.0 MiB）已复制，0.0041276 s，1.0 GB/s",
            "dd of GNU",
            [4_194_304.0, 0.004_127_6, 1e9],
        ),
        (
            "16777216 bytes (16.0MB) copied, 0.012345 seconds, 1.3GB/s",
            "dd of busybox",
            [16_777_216.0, 0.012_345, 1.3 * gib],
        ),
        (
            "104857600 bytes transferred in 0.033400 secs (3139449102 bytes/sec)",
            "dd of BSD or macOS",
            [104_857_600.0, 0.0334, 3_139_449_102.0],
        ),
        ("512 bytes copied, 4.1e-05 s, 12.4 MB/s", "dd of GNU", [512.0, 4.1e-5, 12.4e6]),
    ] {
        let run = only(&format!("{text}\n"), tool);
        let way = &run.reported[0].directions[0];
        let found =
            [&way.bytes, &way.runtime, &way.bytes_per_second].map(|figure| figure.as_ref().unwrap().value);
        for (found, wanted) in found.into_iter().zip([bytes, seconds * 1e9, rate]) {
            assert!((found - wanted).abs() <= wanted * 1e-9, "{text}: {found}, not {wanted}");
        }
    }
}

#[test]
fn the_command_above_tells_what_dd_measured_and_prints_on_the_way_are_one_copy() {
    let progress = "104857600 bytes (105 MB, 100 MiB) copied, 1 s, 105 MB/s\r209715200 bytes (210 MB, 200 MiB) copied, 2 s, 105 MB/s\r";
    let records = "256+0 records in\n256+0 records out\n268435456 bytes (268 MB, 256 MiB) copied,";
    let text = format!(
        "$ dd if=/dev/zero of=/mnt/f bs=1M count=256 oflag=direct status=progress\n{progress}\n{records} 2.6 s, 103 MB/s\n\
         $ dd if=/mnt/f of=/dev/null bs=1M\n{records} 1.3 s, 206 MB/s\n"
    );
    let import = imported(&text);
    assert_eq!(import.runs.len(), 2, "{:?}", tools(&import));
    holds(&import.runs[0], &[("/mnt/f", "write rate", 103e6, ""), ("/mnt/f", "write ops", 256.0, "")]);
    holds(&import.runs[1], &[("/mnt/f", "read rate", 206e6, "")]);
    assert_eq!(part(&import.runs[0], "/mnt/f").asked_for("oflag"), Some("direct"));
    let three = "268435456 bytes (268 MB, 256 MiB) copied, 2.6 s, 103 MB/s\n".repeat(3);
    assert_eq!(imported(&three).runs.len(), 3, "the same copy three times is three results");
}

#[test]
fn the_tables_of_yabs_are_one_result_in_its_own_megabytes() {
    let run = only(YABS, "yabs table");
    holds(
        &run,
        &[
            ("4k", "read rate", 208.61 * 1_024_000.0, ""),
            ("4k", "read iops", 52_100.0, ""),
            ("4k", "all iops", 104_300.0, ""),
            ("64k", "write rate", 1.27 * 1_024_000_000.0, ""),
            ("512k", "read iops", 852.0, ""),
            ("1m", "all rate", 2.71 * 1_024_000_000.0, ""),
        ],
    );
    assert_eq!(part(&run, "1m").asked_for("partition"), Some("/dev/vda1"));
    // Block size times I/Os is the bandwidth, which is how the unit was found.
    let rate = figure(part(&run, "4k"), "read rate").unwrap().value;
    assert!((rate / 4096.0 - 52_100.0).abs() < 60.0, "{rate}");
    let row = |line: &str| if line.contains('|') { format!("| {line} |\n") } else { format!("{line}\n") };
    assert_eq!(imported(&YABS.lines().map(row).collect::<String>()).runs[0].reported.len(), 4);
}

#[test]
fn a_job_of_kubestr_without_a_name_or_options_is_unnamed() {
    let text = KUBESTR.replace("JobName: read_iops", "JobName: ").replace("verify=0", "verify=");
    for text in [
        text.clone(),
        text.replace("JobName: \n", "JobName:\n").replace("blocksize=4K filesize=2G", "blocksize= filesize="),
    ] {
        let import = imported(&text);
        assert_eq!(import.troubles, []);
        let unnamed = part(&import.runs[0], "unnamed");
        assert_eq!(figure(unnamed, "read iops").unwrap().value, 8648.512695);
        assert_eq!(unnamed.asked_for("verify"), None);
    }
}

#[test]
fn figures_of_kubestr_that_cannot_be_placed_are_named() {
    let places = |text: &str| imported(text).troubles.iter().map(|trouble| trouble.line).collect::<Vec<_>>();
    let below = KUBESTR.split_once("read:\n").unwrap().1;
    assert_eq!(places(below), [1, 2, 3], "the line with the direction is missing");
    let renamed = KUBESTR.replacen("  iops: min", "  tail: min", 1);
    assert_eq!(places(&renamed), [14]);
}

#[test]
fn a_report_of_kubestr_has_its_jobs_and_devices() {
    let run = only(KUBESTR, "kubestr with fio 3.30");
    holds(
        &run,
        &[
            ("read_iops", "read iops", 8648.512695, ""),
            ("read_iops", "read rate", 34_610.0, "KiB/s"),
            ("write_bw", "write rate", 1_017_862.0, "KiB/s"),
            ("sda", "ios.read", 276_447.0, ""),
            ("sda", "utilisation", 99.5, "%"),
        ],
    );
    assert!(part(&run, "sda").directions.is_empty());
    let said = |name: &str| part(&run, "read_iops").said.iter().find(|(known, _)| known == name).cloned();
    assert!(said("test").unwrap().1.contains("StorageClass (fast)"));
    assert_eq!(said("elapsed").unwrap().1, "1m15.518424213s");
    let job = part(&run, "read_iops");
    assert_eq!([job.asked_for("blocksize"), job.asked_for("ioengine")], [Some("4K"), Some("libaio")]);
    assert_eq!(job.directions[0].figure("iops.max").unwrap().value, 10_572.0);
    assert_eq!(job.directions[0].figure("bandwidth.mean").unwrap().value, 34_713.433594 * 1024.0);
}
