//! What a text states about its result besides the figures: its time, the version, what stands before its lines.

use record::PRINTED_AT;

use crate::vocabulary::*;

fn diskspd(head: &str, below: &str) -> String {
    format!(
        "Command Line: diskspd.exe -b4K t.dat\n{head}\nResults for timespan 1:\n*****\n\nactual test time:\t30.00s\nthread count:\t\t1\n\
         proc count:\t\t8\n\nTotal IO\nthread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file\n\
         -----------\n     0 |        40960000 |        10000 |      1.30 |     333.33 | t.dat (8MiB)\n-----------\n\
         total:          40960000 |        10000 |      1.30 |     333.33\n{below}"
    )
}

const INPUT: &str = "\nInput parameters:\n\n\ttimespan:   1\n\tduration: 30s\n";
const SYSTEM: &str = "\nSystem information:\n\n\tcomputer name: ads\n\tstart time: 2020/12/29 16:35:07 UTC\n";

#[test]
fn the_start_that_diskspd_states_is_that_of_the_run() {
    let import = imported(&diskspd(&format!("{INPUT}{SYSTEM}"), ""));
    assert_eq!(import.runs[0].started_unix_ms, 1_609_259_707_000);
    let without = imported(&diskspd(&format!("{INPUT}{}", SYSTEM.replace(" UTC", "")), ""));
    assert_eq!(without.runs[0].started_unix_ms, 0, "a zone that is not there is not assumed");
}

#[test]
fn a_version_of_diskspd_is_shown_by_what_the_text_has_not_by_what_it_lacks() {
    for (head, version) in [
        (String::new(), "of an unknown version"),
        (INPUT.to_owned(), "up to 2.0.20"),
        (format!("{INPUT}{SYSTEM}"), "2.0.21 or later"),
        (SYSTEM.to_owned(), "2.0.21 or later"),
    ] {
        assert_eq!(tools(&imported(&diskspd(&head, ""))), [format!("DiskSpd {version} text")], "{head}");
    }
}

#[test]
fn prose_below_the_tables_of_diskspd_is_no_fact_of_it() {
    let import = imported(&diskspd(
        SYSTEM,
        "\nOk, now [virtio\ndrivers](https://docs.example.org/x) and note: this\n",
    ));
    let said: Vec<&str> = import.runs[0].reported[0].said.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(said, ["computer name", "start time", "proc count"]);
}

#[test]
fn the_date_below_the_rows_of_crystaldiskmark_is_when_they_were_printed() {
    for date in ["2021-10-18 22:26:35", "2019/06/07 08:09:10"] {
        let import = imported(&format!(
            "KDiskMark (2.2.1): https://x\n[Read]\nRandom 4 KiB (Q= 1, T= 1):  7.774 MB/s [ 1943.6 IOPS]\n  Date: {date}\n"
        ));
        let said = &import.runs[0].reported[0].said;
        assert_eq!(said.as_slice(), [(PRINTED_AT.to_owned(), date.to_owned())]);
    }
}

#[test]
fn the_day_of_a_recording_without_times_is_in_a_note() {
    let report = "Device  r/s  w/s  rkB/s  wkB/s\nsda  1.00  2.00  3.00  4.00\n";
    let import = imported(&format!(
        "$ iostat -x 1 2\nLinux 7.0.12 (h) \t09/25/2026 \t_aarch64_\t(14 CPU)\n\n{report}\n{report}"
    ));
    let notes: Vec<&str> = import.runs[0].events.iter().map(|event| event.text.as_str()).collect();
    assert!(
        notes.contains(&"the reports have no times; the line above them has the date 09/25/2026"),
        "{notes:?}"
    );
}

#[test]
fn seconds_in_full_are_those_of_old_gnu() {
    for (unit, tool) in [("seconds", "dd of GNU"), ("secs", "dd of BSD or macOS")] {
        let import =
            imported(&format!("10485760 bytes transferred in 0.028418 {unit} (368981986 bytes/sec)\n"));
        assert_eq!(tools(&import), [tool]);
        holds(&import.runs[0], &[("dd", "all rate", 368_981_986.0, ""), ("dd", "all runtime", 28.418, "ms")]);
    }
}

#[test]
fn marks_of_a_comment_are_taken_off_the_lines_of_any_tool() {
    let counters = "\"(PDH-CSV 4.0)\",\"\\\\H\\PhysicalDisk(0 C:)\\Disk Reads/sec\",\"\\\\H\\PhysicalDisk(0 C:)\\Avg. Disk sec/Read\"\n\
                    \"11/21/2026 10:00:00.000\",\"5.0\",\"0.001\"\n\"11/21/2026 10:00:10.000\",\"6.0\",\"0.002\"\n";
    let copies =
        "4+0 records in\n4+0 records out\n4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.0041 s, 1.0 GB/s\n";
    for text in [counters, copies] {
        let bare = imported(text);
        for mark in ["// ", "\t// ", "# ", " * ", "-- "] {
            let commented: String = text.lines().map(|line| format!("{mark}{line}\n")).collect();
            let import = imported(&format!("int x;\n{commented}\nint y;\n"));
            assert_eq!(import.troubles, [], "{mark}");
            assert_eq!(import.runs[0].observed, bare.runs[0].observed, "{mark}");
            assert_eq!(import.runs[0].reported.len(), bare.runs[0].reported.len(), "{mark}");
        }
    }
}

#[test]
fn what_stands_on_a_line_of_fio_is_not_said_to_be_lost() {
    let rates = |line: &str| {
        imported(&format!("a: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 18 15:51:29 2016\n{line}\n"))
    };
    let torn = rates("write : io=5118.7M B, bw=19942KB/s, iops=4985 , runt=262833 msec");
    assert_eq!(torn.troubles, []);
    holds(
        &torn.runs[0],
        &[
            ("a", "write bytes", 5118.7, "MiB"),
            ("a", "write rate", 19_942.0, "KiB/s"),
            ("a", "write iops", 4985.0, ""),
            ("a", "write runtime", 262_833.0, "ms"),
        ],
    );
    let broken = rates("write : io=5118.7 x MB, bw=19942KB/s, iops=4985 , runt=262833msec");
    assert_eq!(broken.troubles.len(), 1, "{:?}", broken.troubles);
    let notes: Vec<&str> = broken.runs[0].events.iter().map(|event| event.text.as_str()).collect();
    assert!(notes.iter().all(|note| !note.contains("has lost")), "{notes:?}");
}

#[test]
fn a_table_of_yabs_whose_line_breaks_are_lost_is_refused_for_that() {
    let told = refused(
        "fio Disk Speed Tests (Mixed R/W 50/50) (Partition /dev/vda1):-----Block Size | 4k            (IOPS) | 64k           (IOPS)  \
         ------   | ---            ----  | ----           ---- Read       | 193.28 MB/s  (48.3k) | 1.78 GB/s    (27.8k)Write      | \
         193.79 MB/s  (48.4k) | 1.79 GB/s    (28.0k)\n",
    );
    assert!(
        told.contains("but no table 'Block Size | 4k (IOPS)' with a line for each of its rows"),
        "{told}"
    );
}
