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
    let whole = imported(&glued.replace("Total IO", "")).runs.remove(0);
    assert_eq!(part(&whole, "timespan 1").said, [], "a row of figures is no fact about the time span");
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

const TWO_GROUPS: &str = "hdd: (g=3): rw=write, bs=1M-1M/1M-1M/1M-1M, ioengine=sync, iodepth=2
hdd: (g=4): rw=read, bs=1M-1M/1M-1M/1M-1M, ioengine=sync, iodepth=2
fio-2.2.8
Starting 2 threads

hdd: (groupid=3, jobs=1): err= 0: pid=20103: Sun Jun 12 14:55:40 2016
  write: io=4829.0MB, bw=164824KB/s, iops=160, runt= 30001msec
hdd: (groupid=4, jobs=1): err= 0: pid=20107: Sun Jun 12 14:55:40 2016
  read : io=4834.0MB, bw=164962KB/s, iops=161, runt= 30007msec
";

#[test]
fn jobs_of_one_name_in_two_groups_have_their_own_options() {
    let import = imported(TWO_GROUPS);
    let asked: Vec<_> = import.runs[0].reported.iter().map(|job| (job.group, job.asked_for("rw"))).collect();
    assert_eq!(asked, [(Some(3), Some("write")), (Some(4), Some("read"))]);
    // In one group, nothing shows which line is whose.
    let one = TWO_GROUPS.replace("(g=4)", "(g=3)").replace("groupid=4", "groupid=3");
    let import = imported(&one);
    let asked = import.runs[0].reported.iter().map(|job| (job.asked_for("rw"), job.asked_for("iodepth")));
    assert!(asked.eq([(None, Some("2")), (None, Some("2"))]), "{:?}", import.runs[0].reported);
    let notes: Vec<&str> = import.runs[0].events.iter().map(|event| event.text.as_str()).collect();
    assert!(notes.iter().any(|note| note.starts_with("'hdd' is one of unlike jobs")), "{notes:?}");
}

#[test]
fn each_of_a_thousand_jobs_of_a_group_has_its_options() {
    let starts: String = (0..1000)
        .map(|job| format!("j{job}: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=sync, iodepth={job}\n"))
        .collect();
    let import = imported(&format!(
        "{starts}fio-2.2.8\nStarting 1000 threads\n\nj999: (groupid=0, jobs=1): err= 0: pid=7: Sun Jun 12 14:55:40 2016\n  \
         read : io=4834.0MB, bw=164962KB/s, iops=161, runt= 30007msec\n"
    ));
    assert_eq!(part(&import.runs[0], "j999").asked_for("iodepth"), Some("999"));
}

#[test]
fn a_sum_of_unlike_jobs_has_no_options_of_the_first_alone() {
    let text = |other: &str| {
        format!(
            "binlog: (g=0): rw=write, bs=1K-1K/1K-1K/1K-1K, ioengine=sync, iodepth=1\n...\n{other}: (g=0): {}, ioengine=sync, iodepth=1\n\
             next: (g=1): rw=trim, bs=4K-4K/4K-4K/4K-4K, ioengine=sync, iodepth=1\nfio-2.0.13\nStarting 3 processes\n\n\
             binlog: (groupid=0, jobs=3): err= 0: pid=2930: Tue Jan  7 16:55:33 2014\n  read : io=145824KB, bw=497275 B/s, iops=30 , runt=300284msec\n",
            if other == "binlog" {
                "rw=write, bs=1K-1K/1K-1K/1K-1K"
            } else {
                "rw=randrw, bs=16K-16K/16K-16K/16K-16K"
            }
        )
    };
    let notes = |import: &import::Import| {
        import.runs[0].events.iter().map(|event| event.text.clone()).collect::<Vec<_>>().join("\n")
    };
    let unlike = imported(&text("data"));
    let job = part(&unlike.runs[0], "binlog");
    let own = |pair: [&str; 2]| (pair[0].to_owned(), pair[1].to_owned());
    assert_eq!(job.asked, [own(["ioengine", "sync"]), own(["iodepth", "1"])]);
    let told = notes(&unlike);
    for words in ["'binlog' is the sum of unlike jobs", "binlog (rw=write, bs=1K", "data (rw=randrw, bs=16K"]
    {
        assert!(told.contains(words), "{told}");
    }
    assert!(!told.contains("trim"), "that is another group: {told}");
    let alike = imported(&text("binlog"));
    assert_eq!(part(&alike.runs[0], "binlog").asked_for("rw"), Some("write"));
    assert!(!notes(&alike).contains("unlike"), "{}", notes(&alike));
}

#[test]
fn options_of_a_command_are_those_of_its_job_and_of_all() {
    let text = |name: &str| {
        format!(
            "$ fio --bs=4k --name=a --rw=read --name=b --rw=write\n{name}: (groupid=0, jobs=1): err= 0: pid=7: Mon Nov 23 09:49:01 2026\n  \
             read: IOPS=8000, BW=34.0MiB/s (35.6MB/s)(29.5MiB/1001msec)\n"
        )
    };
    for (name, bs, rw) in
        [("a", Some("4k"), Some("read")), ("b", Some("4k"), Some("write")), ("c", None, None)]
    {
        let import = imported(&text(name));
        let job = part(&import.runs[0], name);
        assert_eq!((job.asked_for("bs"), job.asked_for("rw")), (bs, rw), "{name}");
    }
}

const BELOW: &str = "...\n  write: io=406640KB, bw=13554KB/s, iops=3388 , runt= 30001msec\n...\n";

#[test]
fn a_result_without_its_line_is_that_of_the_command_above() {
    let command =
        |name: &str, rw: &str| format!("[root@h ~]# fio -rw={rw} -bs=4k -name={name} -exit_all\n{BELOW}\n");
    let import =
        imported(&format!("{}words between\n\n{}", command("one", "write"), command("two", "randwrite")));
    let asked: Vec<_> = import
        .runs
        .iter()
        .map(|run| (run.reported[0].job.as_str(), run.reported[0].asked_for("rw")))
        .collect();
    assert_eq!(asked, [("one", Some("write")), ("two", Some("randwrite"))]);
    assert!(!lacks(&import.runs[0]).contains(&"what was asked"));
    for (before, why) in [
        (String::new(), "no command"),
        ("$ fio -rw=read -name=one\n".to_owned(), "the command reads"),
        ("$ fio -bs=4k -name=one -rw=write -name=two -rw=write\n".to_owned(), "it has two jobs"),
    ] {
        let import = imported(&format!("{before}{BELOW}"));
        let job = &import.runs[0].reported[0];
        assert_eq!((job.job.as_str(), job.asked.len()), ("unnamed", 0), "{why}");
    }
    let again = imported(&format!("{}words between\n\nand more\n\n{BELOW}", command("one", "write")));
    let jobs: Vec<&str> = again.runs.iter().map(|run| run.reported[0].job.as_str()).collect();
    assert_eq!(jobs, ["one", "unnamed"], "another result stands between");
}

#[test]
fn groups_without_their_jobs_have_the_options_of_the_start_lines() {
    let start = |name: &str, group: u32, rw: &str| {
        format!(
            "{name}: (g={group}): rw={rw}, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\n"
        )
    };
    let group = |number: u32| {
        format!(
            "Run status group {number} (all jobs):\n   READ: bw=12.1MiB/s (12.7MB/s), 12.1MiB/s-12.1MiB/s (12.7MB/s-12.7MB/s), io=477MiB (500MB), run=39364-39364msec\n\n"
        )
    };
    let import = imported(&format!(
        "{}{}fio-3.30\nStarting 2 processes\n...\n{}{}",
        start("home", 0, "randrw"),
        start("ssd", 1, "read"),
        group(0),
        group(1)
    ));
    assert_eq!(tools(&import), ["fio 3.30 text"]);
    for (group, name, rw) in [("group 0", "home", "randrw"), ("group 1", "ssd", "read")] {
        let part = part(&import.runs[0], group);
        assert_eq!((part.asked_for("name"), part.asked_for("rw")), (Some(name), Some(rw)));
    }
    assert!(!lacks(&import.runs[0]).contains(&"what was asked"));
}

#[test]
fn devices_that_other_text_separates_from_cpus_are_another_report() {
    let cpus = |user: &str| {
        format!(
            "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           {user}    0.81    7.91   21.98    0.22   64.91\n\n"
        )
    };
    let reports = |between: &str| {
        let import = imported(&format!("$ iostat -xm 1\n{}{between}{HUNG}\n{}", cpus("4.18"), cpus("2.84")));
        let observed = import.runs[0].observed.clone().unwrap();
        let is_there = |values: &[f64]| values.iter().map(|value| !value.is_nan()).collect::<Vec<bool>>();
        let busy = observed.devices[0].metrics.iter().find(|(metric, _)| *metric == Metric::Busy).unwrap();
        (is_there(&observed.cpu[0].1), is_there(&busy.1))
    };
    let (cpus, devices) = reports("The disk hangs.\n\nunmount it:\n\numount /dev/sdl1\n\n");
    assert_eq!((cpus, devices), (vec![true, false, true], vec![false, true, false]));
    let (cpus, devices) = reports("[  12.3] a line of the kernel\n");
    assert_eq!((cpus, devices), (vec![true, true], vec![true, false]), "one line of a log");
}

/// Encodes as mail programs do, in lines of at most 76 characters.
fn mailed(text: &str) -> String {
    let line = |line: &str| {
        let (mut whole, mut width) = (String::new(), 0);
        for letter in line.replace("  ", "\u{a0} ").chars() {
            let code: String = match letter {
                '=' => "=3D".to_owned(),
                '\u{a0}' => "=C2=A0".to_owned(),
                other => other.to_string(),
            };
            if width + code.len() > 75 {
                whole.push_str("=\r\n");
                width = 0;
            }
            width += code.len();
            whole.push_str(&code);
        }
        whole + "\r\n"
    };
    text.lines().map(line).collect()
}

#[test]
fn an_encoded_mail_is_decoded_which_a_note_says() {
    let fio = include_str!("fixtures/fio-3.33.txt");
    let headers =
        "Content-Type: text/plain; charset=\"UTF-8\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n";
    let import = imported(&format!("{headers}{}", mailed(fio)));
    assert_eq!(import.troubles, []);
    let parts = |import: &import::Import| {
        let parts = import.runs[0].reported.iter();
        parts.map(|part| (part.asked.clone(), figures(part))).collect::<Vec<_>>()
    };
    assert_eq!(parts(&import), parts(&imported(fio)));
    assert!(import.notes[0].contains("quoted-printable"), "{:?}", import.notes);
}

#[test]
fn the_note_names_what_was_taken_off_the_lines() {
    let note = |before: &str| {
        let lines = include_str!("fixtures/fio-3.33.txt").lines();
        imported(&lines.map(|line| format!("{before}{line}\n")).collect::<String>()).notes.concat()
    };
    assert_eq!(note("> "), "marks of quotation before the lines were taken off");
    assert_eq!(note("2024-03-01T10:11:12.123Z "), "times before the lines were taken off");
    assert!(note("> 2024-03-01T10:11:12.123Z ").contains("times"), "{}", note("> 2024-03-01T10:11:12.123Z "));
}

#[test]
fn a_letter_of_several_bytes_before_a_field_that_looks_terse_is_no_version() {
    for before in ["\u{fffd}", "5", "a5", "\u{fffd}5", ""] {
        let text = format!("{before};fio-3.33;mixed;0;0;608;16000\n");
        let read = import::read(import::Input { name: "-", bytes: text.as_bytes() }, &[]);
        assert!(read.is_err(), "{text}");
    }
}

#[test]
fn a_megabyte_of_kdiskmark_is_what_its_ios_say() {
    let rate = |row: &str| {
        let text = format!("KDiskMark (3.1.4): https://github.com/JonMagon/KDiskMark\n[Read]\n{row}\n");
        let run = imported(&text).runs.remove(0);
        (
            figure(&run.reported[0], "read rate").unwrap().value.round() as u64,
            run.reported[0].asked[0].1.clone(),
        )
    };
    let of_kib = rate("Random 4 KiB (Q= 1, T= 1):     7.774 MB/s [   1943.6 IOPS] <   511.89 us>");
    assert_eq!(of_kib, (7_960_576, "4KiB".to_owned()));
    assert_eq!(rate("Random 4 KiB (Q= 1, T= 1):     7.774 MB/s").0, 7_960_576);
    let bare =
        imported("[Read]\nRandom 4 KiB (Q= 1, T= 1):     7.774 MB/s [   1943.6 IOPS] <   511.89 us>\n");
    assert_eq!(tools(&bare), ["KDiskMark of an unknown version text"]);
    assert_eq!(figure(&bare.runs[0].reported[0], "read rate").unwrap().value.round() as u64, 7_960_576);
    let of_megabytes = rate("Sequential 1 MiB (Q= 8, T= 1):  1500.250 MB/s [   1430.7 IOPS] <  5500.10 us>");
    assert_eq!(of_megabytes, (1_500_250_000, "1MiB".to_owned()));
}
