//! Pastes whose units, columns, dates or options are easily mistaken.

use record::Metric;

use crate::vocabulary::*;

/// Returns a table of yabs below the given head, with a row for two block sizes.
fn yabs(head: &str, row: &str) -> String {
    format!(
        "{head}fio Disk Speed Tests (Mixed R/W 50/50) (Partition /dev/vda1):\nBlock Size | 512k (IOPS) | 1m (IOPS)\n{row}\n"
    )
}

#[test]
fn a_megabyte_of_yabs_is_what_its_ios_or_its_version_say() {
    let rate = |text: &str| {
        let import = imported(text);
        let value = figure(part(&import.runs[0], "512k"), "read rate").unwrap().value;
        (value.round() as u64, import.runs[0].events.iter().any(|event| event.text.contains("MB")))
    };
    let new = "Read | 377.66 MB/s (720) | 397.45 MB/s (379)";
    let old = "Read | 436.60 MB/s (852) | 461.00 MB/s (450)";
    let coarse = "Read | 1.05 GB/s (2.0k) | 1.05 GB/s (1.0k)";
    let head = |version: &str| format!("#  Yet-Another-Bench-Script  #\n#      {version}      #\n");
    for version in ["", "v2026-07-24"] {
        assert_eq!(rate(&yabs(&head(version), new)), (377_660_000, false), "{version}");
    }
    assert_eq!(rate(&yabs("", old)), (447_078_400, false));
    assert_eq!(rate(&yabs(&head("v2026-07-03"), coarse)), (1_050_000_000, false));
    assert_eq!(rate(&yabs(&head("v2026-05-19"), coarse)), (1_075_200_000, false));
    assert_eq!(rate(&yabs("", coarse)), (1_075_200_000, true), "nothing shows it, which a note says");
}

#[test]
fn bytes_of_shortened_json_are_bytes_by_the_version_or_by_what_stands_beside() {
    let bytes = |head: &str, beside: &str| {
        let job = format!("{{\"jobname\": \"a\", \"read\": {{\"io_bytes\": 4096, \"iops\": 2.5{beside}}}}}");
        let text = if head.is_empty() { job } else { format!("{{{head} \"jobs\": [{job}]}}") };
        figure(part(&imported(&text).runs[0], "a"), "read bytes").unwrap().value
    };
    for version in ["fio-3.36", "fio-2.21", "fio-3.36-17-gafdde5"] {
        assert_eq!(bytes(&format!("\"fio version\": \"{version}\","), ""), 4096.0, "{version}");
    }
    for version in ["fio-2.20", "fio-2.2.10", "fio-2.1"] {
        assert_eq!(bytes(&format!("\"fio version\": \"{version}\","), ""), 4096.0 * 1024.0, "{version}");
    }
    for beside in [", \"bw_bytes\": 10240", ", \"clat_ns\": {\"mean\": 5}"] {
        assert_eq!(bytes("", beside), 4096.0, "{beside}");
    }
    assert_eq!(bytes("", ""), 4096.0 * 1024.0);
}

#[test]
fn json_without_the_words_of_its_time_is_dated_by_its_timestamp() {
    for key in ["\"timestamp\": 1705123456", "\"timestamp_ms\": 1705123456789"] {
        let text = format!(
            "{{\"fio version\": \"fio-3.36\", {key}, \"jobs\": [{{\"jobname\": \"a\", \"read\": {{\"iops\": 2.5}}}}]}}"
        );
        let run = imported(&text).runs.remove(0);
        let printed = ("printed at".to_owned(), "Sat Jan 13 05:24:16Z 2024".to_owned());
        assert!(part(&run, "a").said.contains(&printed), "{key}: {:?}", part(&run, "a").said);
    }
}

#[test]
fn the_period_of_sysbenchs_flushes_is_asked() {
    let import = imported(
        "sysbench 1.0.17 (using system LuaJIT 2.0.4)\n\n128 files, 8MiB each\n\
         Periodic FSYNC enabled, calling fsync() each 100 requests.\nCalling fsync() at the end of test, Enabled.\n\n\
         File operations:\n    reads/s:                      2070.70\n    writes/s:                     1379.97\n",
    );
    let job = part(&import.runs[0], "fileio");
    assert_eq!(job.asked_for("fsync period"), Some("100 requests."));
    assert_eq!(job.asked_for("fsync"), Some("at the end of test, Enabled."));
}

#[test]
fn a_count_of_fio_that_fell_below_zero_is_named_as_such() {
    let import = imported(
        "a: (groupid=0, jobs=1): err= 0: pid=1: Mon Mar 16 17:31:06 2020\n  read : io=14768KB, bw=1440.4KB/s, iops=90 , runt= 10253msec\n  \
         cpu          : usr=0.00%, sys=0.00%, ctx=18446744073709341660, majf=0, minf=3\n",
    );
    let troubles: Vec<String> = import.troubles.iter().map(ToString::to_string).collect();
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    assert!(troubles[0].contains("fell below zero"), "{troubles:?}");
    assert_eq!(figure(part(&import.runs[0], "a"), "cpu.context_switches"), None);
}

const HUNG: &str = "Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sdl               0.00     0.00    0.00    0.00     0.00     0.00     0.00    42.00    0.00    0.00    0.00   0.00 100.00
";

#[test]
fn a_device_without_ios_has_no_mean_wait_or_size_of_all() {
    let served = HUNG.replace(
        "0.00    0.00     0.00     0.00     0.00    42.00    0.00    0.00",
        "1.00    0.00     0.00     0.00     8.00    42.00    3.00    3.00",
    );
    let import = imported(&format!("{HUNG}\n{served}"));
    let observed = import.runs[0].observed.as_ref().unwrap();
    for (metric, value) in [(Metric::Await, 0.003), (Metric::Size, 4096.0)] {
        let of_metric = |known: &&(Metric, Vec<f64>)| known.0 == metric;
        let values = &observed.devices[0].metrics.iter().find(of_metric).unwrap().1;
        assert!(values[0].is_nan() && values[1] == value, "{metric:?}: {values:?}");
    }
}

#[test]
fn a_command_that_its_prompt_touches_says_the_interval() {
    for prompt in ["$", "[root@x ~]$", "[root@x ~]#", "root@x:~# ", "/usr/bin/"] {
        let import = imported(&format!("{prompt}iostat -xm 5 /dev/sdl\n{HUNG}\n{HUNG}"));
        let lengths: Vec<f64> = import.runs[0]
            .observed
            .as_ref()
            .unwrap()
            .intervals
            .iter()
            .map(|(from, to)| to.since(*from).as_secs_f64())
            .collect();
        assert_eq!(lengths, [5.0, 5.0], "{prompt}");
    }
}

const SHARES: &str = "CPU | Usage | User | Kernel | IO Wait | Idle\n------\n 0 | 7.99% | 3.11% | 4.88% | 0.00% | 92.01%\n------\n";
const THREADS: &str = "thread | bytes | I/Os | MB/s | I/O per s | file\n------\n 0 | 12241797120 | 186795 | 389.16 | 6226.50 | C:\\t.dat (53687091200B)\n------\n";
const TOTAL: &str = "total: 12241797120 | 186795 | 389.16 | 6226.50";

#[test]
fn shares_of_cpus_are_those_below_their_heads() {
    let import = imported(&format!(
        "{SHARES}avg: 2.01% | 0.83% | 1.18% | 0.00% | 97.99%\nTotal IO\n{THREADS}{TOTAL}\n"
    ));
    assert_eq!((tools(&import), &import.troubles), (vec!["DiskSpd for Linux text"], &vec![]));
    let shares = [("cpu.usage", 7.99), ("cpu.user", 3.11), ("cpu.system", 4.88), ("cpu.idle", 92.01)];
    for (name, share) in shares {
        assert_eq!(figure(part(&import.runs[0], "cpu 0"), name).unwrap().value, share, "{name}");
    }
    holds(&import.runs[0], &[("cpu avg.", "cpu.idle", 97.99, "%"), ("timespan 1", "all iops", 6226.5, "")]);
}

#[test]
fn no_row_of_another_table_is_one_of_cpus() {
    let cpus = |text: &str| {
        let import = imported(text);
        let parts = import.runs[0].reported.iter().filter(|part| part.scope == record::Scope::Cpu);
        let names: Vec<String> = parts.map(|part| part.job.clone()).collect();
        let troubles: Vec<(u32, String)> =
            import.troubles.iter().map(|trouble| (trouble.line, trouble.expected.clone())).collect();
        (names.join(" "), troubles)
    };
    let glued = format!("{SHARES}avg: 2.01% | 0.83% | 1.18% | 0.00% | 97.99%Total IO\n{THREADS}{TOTAL}\n");
    let (names, troubles) = cpus(&glued);
    assert_eq!((names.as_str(), troubles.len()), ("cpu 0 cpu avg.", 2), "{troubles:?}");
    assert!(troubles[0].1.contains("12.34%") && troubles[0].0 == 5, "{troubles:?}");
    assert!(troubles[1].1.contains("'Total IO'") && troubles[1].0 == 6, "{troubles:?}");
    let (names, troubles) = cpus(&format!("{SHARES} 1 | 535412736 | 65358 | 17.02 | 2178.60 | /d\n"));
    assert_eq!((names.as_str(), troubles.len()), ("cpu 0", 1), "{troubles:?}");
    let (names, troubles) = cpus(&format!("{SHARES} 1 | 7.99% | 3.11% | 4.88% | 92.01%\n"));
    assert_eq!((names.as_str(), troubles.len()), ("cpu 0", 1), "a cell is lost: {troubles:?}");
}

#[test]
fn totals_of_diskspd_are_totals_in_italics_and_in_capitals_too() {
    for total in [format!("*{TOTAL}*"), format!("**{TOTAL}**"), TOTAL.replace("total: ", "Total: | ")] {
        let import = imported(&format!("Total IO\n{THREADS}{total}\n"));
        assert_eq!(import.troubles, [], "{total}");
        holds(
            &import.runs[0],
            &[("timespan 1", "all bytes", 12_241_797_120.0, ""), ("timespan 1", "all iops", 6226.5, "")],
        );
        assert_eq!(import.runs[0].reported.len(), 2, "{total}: {:?}", import.runs[0].reported);
    }
    let bare = imported(&format!("Total IO\n{THREADS}"));
    assert!(lacks(&bare.runs[0]).contains(&"totals"), "{:?}", lacks(&bare.runs[0]));
}

#[test]
fn no_version_of_diskspd_is_claimed_that_the_text_does_not_prove() {
    let text = |rest: &str| {
        format!(
            "Command Line: diskspd.exe -b4K t.dat\n\nInput parameters:\n\n  block size: 4096\n{rest}\nResults for timespan 1:\n\nTotal IO\n{THREADS}{TOTAL}\n"
        )
    };
    for (rest, tool) in [
        ("\nSystem information:\n\n\tcomputer name: h\n", "DiskSpd 2.0.21 or later text"),
        ("\nSystem information:\n\n        computer name: h\n", "DiskSpd 2.0.21 or later text"),
    ] {
        assert_eq!(tools(&imported(&text(rest))), [tool], "{rest:?}");
    }
}
