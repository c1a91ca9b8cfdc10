//! hdparm, sysbench, CrystalDiskMark in other locales, dd in other languages: every figure as printed.

use crate::vocabulary::*;

const HDPARM: &str = include_str!("fixtures/hdparm.txt");
const SYSBENCH_04: &str = include_str!("fixtures/sysbench-0.4.txt");
const SYSBENCH_10: &str = include_str!("fixtures/sysbench-1.0.txt");
const SYSBENCH_11: &str = include_str!("fixtures/sysbench-1.1.txt");
const CRYSTAL_3: &str = include_str!("fixtures/crystaldiskmark-3.txt");
const CRYSTAL_LOCALES: &str = include_str!("fixtures/crystaldiskmark-locales.txt");

/// Returns the results in `text`, which must be of these tools and read without any trouble.
fn whole(text: &str, wanted: &[&str]) -> Vec<record::Run> {
    let import = imported(text);
    assert_eq!((tools(&import), &import.troubles), (wanted.to_vec(), &vec![]), "{text}");
    import.runs
}

#[test]
fn hdparm_times_the_cache_and_the_device_apart() {
    let runs = whole(HDPARM, &["hdparm", "hdparm"]);
    holds(
        &runs[0],
        &[
            ("/dev/xvda: cached reads", "read rate", 9423.90, "MiB/s"),
            ("/dev/xvda: cached reads", "read bytes", 18706.0, "MiB"),
            ("/dev/xvda: buffered disk reads", "read rate", 392.62, "MiB/s"),
            ("/dev/xvda: buffered disk reads", "read runtime", 3.0, "s"),
        ],
    );
    holds(&runs[1], &[("/dev/sda2: O_DIRECT disk reads", "read rate", 169.62, "MiB/s")]);
    let cached = part(&runs[0], "/dev/xvda: cached reads");
    assert!(cached.said.iter().any(|(_, words)| words.contains("page cache")), "{:?}", cached.said);
}

#[test]
fn a_slow_device_of_hdparm_is_told_in_kb_and_a_failure_is_named() {
    let slow = "/dev/fd0:\n Timing buffered disk reads:   2 MB in  3.50 seconds = 585.14 kB/sec\n";
    holds(&whole(slow, &["hdparm"])[0], &[("/dev/fd0: buffered disk reads", "read rate", 585.14, "KiB/s")]);
    let failed =
        format!("{slow}\n/dev/sda1:\n Timing buffered disk reads:  read() failed: Input/output error\n");
    let import = imported(&failed);
    assert_eq!((import.runs.len(), import.troubles.len(), import.troubles[0].line), (1, 1, 5));
}

#[test]
fn sysbench_results_without_their_heads_stay_apart() {
    let at = SYSBENCH_10.find("File operations:").unwrap();
    let twice = format!("{}\n{}", &SYSBENCH_10[at..], &SYSBENCH_10[at..]);
    let import = imported(&twice);
    assert_eq!((import.runs.len(), import.troubles.len()), (2, 0));
    for run in &import.runs {
        holds(run, &[("fileio", "write iops", 2808.51, ""), ("fileio", "all lat p95", 0.62, "ms")]);
    }
}

#[test]
fn sysbench_of_every_generation_has_rates_and_latencies() {
    holds(
        &whole(SYSBENCH_04, &["sysbench 0.4.12 fileio"])[0],
        &[
            ("fileio", "read ops", 6000.0, ""),
            ("fileio", "write ops", 4000.0, ""),
            ("fileio", "flush ops", 12_800.0, ""),
            ("fileio", "read bytes", 93.75, "MiB"),
            ("fileio", "write bytes", 62.5, "MiB"),
            ("fileio", "all rate", 10.327, "MiB/s"),
            ("fileio", "all iops", 660.92, ""),
            ("fileio", "all lat mean", 13.92, "ms"),
            ("fileio", "all lat p95", 73.54, "ms"),
            ("fileio", "all lat max", 310.35, "ms"),
        ],
    );
    let run = &whole(SYSBENCH_10, &["sysbench 1.0.16 fileio"])[0];
    holds(
        run,
        &[
            ("fileio", "write iops", 2808.51, ""),
            ("fileio", "flush iops", 3585.69, ""),
            ("fileio", "write rate", 43.88, "MiB/s"),
            ("fileio", "all ops", 63_976.0, ""),
            ("fileio", "all lat mean", 0.16, "ms"),
            ("fileio", "all lat p95", 0.62, "ms"),
        ],
    );
    let headless = SYSBENCH_10.split_once("options:\n").unwrap().1;
    let headless = &whole(headless, &["sysbench fileio"])[0];
    assert_eq!(
        part(headless, "fileio").asked,
        part(run, "fileio").asked[1..],
        "the head without its first lines"
    );
    let fileio = part(run, "fileio");
    assert_eq!(
        ["mode", "block size", "threads"].map(|name| fileio.asked_for(name).unwrap()),
        ["random write", "16KiB", "1"]
    );
    assert_eq!(fileio.runtime.unwrap().0, 10_000_200_000);
    let series: Vec<_> = fileio
        .series
        .iter()
        .map(|series| (series.direction.unwrap().name(), series.points.clone()))
        .collect();
    assert_eq!(
        series[1],
        ("write", vec![(1_000_000_000, 1.09 * 1_048_576.0), (2_000_000_000, 1.06 * 1_048_576.0)])
    );
    assert_eq!(series[2], ("flush", vec![(1_000_000_000, 8829.31), (2_000_000_000, 8775.02)]));
    holds(
        &whole(SYSBENCH_11, &["sysbench fileio"])[0],
        &[
            ("fileio", "read iops", 8259.22, ""),
            ("fileio", "read rate", 129.05, "MiB/s"),
            ("fileio", "write iops", 5499.26, ""),
            ("fileio", "flush iops", 17_610.85, ""),
            ("fileio", "all lat p95", 0.54, "ms"),
        ],
    );
}

#[test]
fn other_tests_of_sysbench_are_refused_by_name() {
    let cpu = "sysbench 1.0.20 (using LuaJIT 2.1)\n\nCPU speed:\n    events per second:  1180.01\n\nGeneral statistics:\n    total time:  10.0005s\n    total number of events:  11803\n\nLatency (ms):\n         min:   0.84\n         avg:   0.85\n";
    let words = refused(cpu);
    assert!(words.contains("sysbench") && words.contains("fileio"), "{words}");
}

#[test]
fn crystaldiskmark_3_and_figures_of_other_locales() {
    let run = &whole(CRYSTAL_3, &["CrystalDiskMark 3.0.1 text"])[0];
    holds(
        run,
        &[
            ("Sequential", "read rate", 211.453e6, ""),
            ("Random 512KB", "write rate", 83.602e6, ""),
            ("Random 4KB QD32", "read iops", 28_384.3, ""),
            ("Random 4KB QD1", "write rate", 40.163e6, ""),
        ],
    );
    let runs = whole(CRYSTAL_LOCALES, &["CrystalDiskMark 7.0.0 text", "CrystalDiskMark 8.0.4 text"]);
    holds(
        &runs[0],
        &[
            ("Sequential 1MiB Q8 T1", "read rate", 558.093e6, ""),
            ("Sequential 1MiB Q8 T1", "write lat mean", 16_311.22, "us"),
            ("Random 4KiB Q32 T16", "read iops", 97_951.7, ""),
        ],
    );
    holds(&runs[1], &[("SEQ 1MiB Q8 T1", "read rate", 1_234.567e6, "")]);
}

#[test]
fn dd_is_read_in_the_languages_that_change_its_rate() {
    for (text, records, rate, seconds) in [
        (
            "dd if=/dev/zero of=a bs=1G\n记录了1+0 的读入\n记录了1+0 的写出\n1073741824字节(1.1 GB)已复制，5.43328 秒，198 MB/秒\n",
            1.0,
            198e6,
            5.43328,
        ),
        (
            "dd if=/dev/zero of=a bs=1M\n1000+0 レコード入力\n1000+0 レコード出力\n1048576000 バイト (1.0 GB, 1000 MiB) コピーされました、 0.582113 秒、 1.8 GB/秒\n",
            1000.0,
            1.8e9,
            0.582113,
        ),
        (
            "dd if=/dev/zero of=a bs=1M\n100+0 записей получено\n100+0 записей отправлено\n104857600 байт (105 MB) скопирован, 0,5 с, 210 MB/c\n",
            100.0,
            210e6,
            0.5,
        ),
    ] {
        let run = &whole(text, &["dd of GNU"])[0];
        let found = |path| figure(part(run, "a"), path).unwrap().value;
        assert_eq!((found("write ops"), found("write rate")), (records, rate), "{text}");
        assert!((found("write runtime") - seconds * 1e9).abs() < 1.0, "{text}");
    }
}

/// Returns the number of results in `text`, and the lines that are complained about.
fn complaints(text: &str) -> (usize, Vec<u32>) {
    let import = imported(text);
    (import.runs.len(), import.troubles.iter().map(|trouble| trouble.line).collect())
}

#[test]
fn a_row_that_a_cut_has_hit_is_named() {
    let crystal = "om Read 4KB (QD=1) :    20.125 MB/s [  4913.3 IOPS]\n Random Write 4KB (QD=1) :    63.500 MB/s [ 15502.9 IOPS]\n";
    assert_eq!(complaints(crystal), (1, vec![1]));
    assert_eq!(complaints(&crystal.replace("om Read 4KB (QD=1)", "My result")), (1, vec![]), "no row");
    assert_eq!(complaints("SEQ 1MiB (Q= 8, T= 1):  3558.093 MB/s [ 3393\n"), (1, vec![1]));
    let lost =
        "SEQ 1MiB (Q= 8, T= 1):  3558.093 MB/s [ 3393.3 IOPS] <  2356.01 us>\nRND 4KiB (Q= 1, T= 1):\n";
    assert_eq!(complaints(lost), (1, vec![2]), "a row without its figure");
    let cpus = "CPU |  Usage |  User  |  Kernel |  Idle\n   0|  12.34%|   5.00%|    7.34%|  87.66%\n   1|  12.34%|   5.0\n";
    assert_eq!(complaints(cpus), (1, vec![3]));
    let copy = "2097152 bytes (2.1 MB) copied, 0.5 s, 4.2 MB/s\n";
    for cut in ["2097152 bytes (2.1 MB) cop", "2097152 bytes (2.1", "2097152 bytes transferred in 0."] {
        assert_eq!(complaints(&format!("{copy}{cut}\n")), (1, vec![2]), "{cut}");
    }
    let korean = "2+0 레코드 들어옴\n2+0 레코드 나감\n2097152 바이트 (2.1 MB, 2.0 MiB) 복\n";
    assert_eq!(complaints(&format!("{copy}{korean}")), (1, vec![4]));
    assert_eq!(complaints(&format!("{copy}512 bytes (a sector)\n3 files (2 new)\n")), (1, vec![]), "prose");
}

#[test]
fn text_around_a_timing_of_hdparm_does_no_harm() {
    let cached = "Timing cached reads:   4000 MB in  2.00 seconds = 2000.50 MB/sec";
    let disk = "Timing buffered disk reads: 300 MB in  3.00 seconds = 100.25 MB/sec";
    for text in [
        format!("/dev/sdq: {cached} {disk} /dev/sdr: {disk}"),
        format!(
            "<pre>/dev/sdq:\n {cached}. Fast!\n {disk}`}}\n\n/dev/sdr:\n{disk}</pre>, and Timing cached reads: none"
        ),
    ] {
        let runs = whole(&text, &["hdparm", "hdparm"]);
        let rows = [
            ("/dev/sdq: cached reads", "read rate", 2000.5, "MiB/s"),
            ("/dev/sdq: buffered disk reads", "read rate", 100.25, "MiB/s"),
        ];
        holds(&runs[0], &rows);
        holds(&runs[1], &[("/dev/sdr: buffered disk reads", "read bytes", 300.0, "MiB")]);
    }
    assert_eq!(complaints(&format!("{cached} Timing buffered disk reads: 300 MB in 3.0")), (1, vec![1]));
}

#[test]
fn interim_lines_of_sysbench_alone_are_a_series() {
    let interim = "sysbench 1.1.0 (using bundled LuaJIT)\nBlock size 8KiB\n\n\
                   [ 5s ] reads: 12.50 MiB/s writes: 2.50 MiB/s fsyncs: 40.00/s latency (ms,95%): 1.250\n\
                   [ 10s ] reads: 25.00 MiB/s writes: 5.00 MiB/s fsyncs: 80.00/s latency (ms,95%): 1.25";
    let runs = whole(interim, &["sysbench 1.1.0 fileio"]);
    assert_eq!(runs[0].reported[0].series.len(), 3);
    assert!(runs[0].reported[0].series.iter().all(|series| series.points.len() == 2));
}

#[test]
fn a_copy_to_dev_zero_reads_its_source_for_the_time_printed() {
    let text = "# dd if=/srv/image of=/dev/zero bs=64k\n33554432 bytes (34 MB, 32 MiB) copied, 129.408 s, 259 kB/s\n";
    let runs = whole(text, &["dd of GNU"]);
    holds(&runs[0], &[("/srv/image", "read bytes", 32.0, "MiB")]);
    assert_eq!(part(&runs[0], "/srv/image").runtime, Some(workload::Nanos(129_408_000_000)));
}

/// Returns the beginning of `text` from the line that begins with `words`.
fn from<'t>(text: &'t str, words: &str) -> &'t str {
    &text[text.find(words).unwrap_or_else(|| panic!("no {words}"))..]
}

#[test]
fn sysbench_without_its_version_is_read_from_its_options_or_its_figures_on() {
    let marked = format!("```{}", from(SYSBENCH_10, "sysbench 1.0"));
    assert_eq!(tools(&imported(&marked)), tools(&imported(SYSBENCH_10)));
    let headless = whole(from(SYSBENCH_10, "Running the test"), &["sysbench fileio"]);
    assert!(part(&headless[0], "fileio").asked_for("mode").is_some());
    let twice =
        "Read 0b  Written 256Mb  Total transferred 256Mb  (64Mb/sec)\n 4096.00 Requests/sec executed\n";
    let runs = whole(
        &format!("one disk\n{twice}two disks\n{}", twice.replace("256", "512")),
        &["sysbench fileio"; 2],
    );
    holds(&runs[0], &[("fileio", "write bytes", 256.0, "MiB"), ("fileio", "all iops", 4096.0, "")]);
    holds(&runs[1], &[("fileio", "write bytes", 512.0, "MiB")]);
}

#[test]
fn records_of_dd_are_known_by_their_word_and_a_joined_line_is_read() {
    let copied = "8388608 bytes (8.4 MB, 8.0 MiB) copied, 4.00125 s, 2.1 MB/s";
    let command = "# dd if=/dev/mtd3 of=/dev/null ibs=4K obs=1K";
    for (text, ops) in [
        (format!("{command} 2048+0 records in\n8192+0 records out\n{copied}\n"), Some(2048.0)),
        (format!("{command}\n8192+0 records out\n{copied}\n"), None),
        (format!("{command} {copied}\n"), None),
        (format!("{command} 2048+0 records in 8192+0 records out {copied}\n"), Some(2048.0)),
        (
            format!("$dd if=/dev/mtd3 of=/dev/null\n2048+0 records in\n8192+0 records out\n{copied}\n"),
            Some(2048.0),
        ),
    ] {
        let runs = whole(&text, &["dd of GNU"]);
        let found = part(&runs[0], "/dev/mtd3");
        assert_eq!(figure(found, "read ops").map(|ops| ops.value), ops, "{text}");
        assert_eq!(figure(found, "read bytes").map(|bytes| bytes.value), Some(8_388_608.0), "{text}");
    }
}

#[test]
fn a_row_cut_within_its_rate_is_reported_and_kdiskmark_has_its_name() {
    let text = "KDiskMark (3.1.4): https://github.com/JonMagon/KDiskMark\n[Read]\nSequential 1 MiB (Q= 8, T= 1):  1500.250 MB/s [   1430.7 IOPS] <  5500.10 us>\n";
    let runs = whole(text, &["KDiskMark 3.1.4 text"]);
    assert_eq!(runs[0].reported.len(), 1);
    for rate in ["48.1", "48.125 MB", "48.125 MB/"] {
        let import = imported(&format!("{text}Random 4 KiB (Q= 1, T= 1):    {rate}"));
        assert_eq!((import.troubles.len(), import.troubles[0].line), (1, 4), "{rate}");
    }
    assert_eq!(imported(&format!("{text}Random notes: 3 of them\n")).troubles, []);
}

#[test]
fn a_second_drive_of_crystaldiskmark_without_its_banner_is_a_result_of_its_own() {
    let drive = |read: &str, write: &str| {
        format!(
            "[Read]\n  SEQ    1MiB (Q=  8, T= 1):  {read} MB/s\n  RND    4KiB (Q=  1, T= 1):    {read} MB/s\n[Write]\n  SEQ    1MiB (Q=  8, T= 1):  {write} MB/s\n\n"
        )
    };
    let unknown = "CrystalDiskMark of an unknown version text";
    let runs = whole(&(drive("3412.551", "2980.107") + &drive("512.250", "498.125")), &[unknown; 2]);
    for (run, read, write) in [(&runs[0], 3412.551e6, 2980.107e6), (&runs[1], 512.25e6, 498.125e6)] {
        let rows = [
            ("SEQ 1MiB Q8 T1", "read rate", read, ""),
            ("RND 4KiB Q1 T1", "read rate", read, ""),
            ("SEQ 1MiB Q8 T1", "write rate", write, ""),
        ];
        holds(run, &rows);
    }
    let below = format!("{CRYSTAL_3}\n Sequential Read :   500.125 MB/s\n");
    holds(
        &whole(&below, &["CrystalDiskMark 3.0.1 text", unknown])[1],
        &[("Sequential", "read rate", 500.125e6, "")],
    );
}

#[test]
fn a_second_column_of_crystaldiskmark_is_reported() {
    let row = " Random Read 4KB (QD=1) :    20.125 MB/s [  4913.3 IOPS] < 203.1 us>";
    assert_eq!(complaints(&format!("{row}\n")), (1, vec![]));
    for second in [row, "  19.500 MB/s", " [ 4761.0 IOPS]", " | 19.500 | < 209.9 us>"] {
        assert_eq!(complaints(&format!("{row}{second}\n")), (1, vec![1]), "{second}");
    }
}

#[test]
fn a_database_benchmark_and_summaries_of_fio_are_refused_by_name() {
    let pgbench = "scaling factor: 50\nlatency average = 117.392 ms\ntps = 85.184871 (including connections establishing)\n";
    for text in [
        pgbench,
        "tps = 85.184871 (including connections establishing)\n",
        "tps = 85.2 (without initial connection time)\n",
    ] {
        let words = refused(text);
        assert!(words.contains("pgbench") && words.contains("database"), "{words}");
    }
    let kbench = "FIO Benchmark Summary\nFor: test_device\nIOPS (Read/Write)\n   Random:   73,679 / 63,210\n";
    assert!(refused(kbench).contains("kbench"), "{}", refused(kbench));
    let avocado = "20:16:21 DEBUG| [stdout] Device            r/s     rkB/s  %util\n20:16:21 DEBUG| [stdout] vda    1.00   2.00  3.00\n";
    let words = refused(avocado);
    assert!(words.contains("avocado") && words.contains("cut -d"), "{words}");
}
