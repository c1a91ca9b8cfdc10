//! Pastes from tickets and pages in other languages: every figure as it stands there, and no trouble for sound text.

use record::{Metric, Origin, Run};

use crate::vocabulary::*;

#[test]
fn a_table_of_sar_without_its_head_is_read() {
    let text = "01:50:01          DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n\
                02:00:03       dev3-0     77.71   3283.53   2445.67     73.73      9.34    118.72      3.17     24.66\n\
                02:10:03       dev3-0     56.31   2210.17   1183.08     60.25      8.53    153.65      3.48     19.61\n";
    let found = imported(text);
    assert_eq!(found.troubles, []);
    assert_eq!(values(&found.runs[0], "dev3-0", Metric::Ops), [77.71, 56.31]);
    assert_eq!(values(&found.runs[0], "dev3-0", Metric::QueueDepth), [9.34, 8.53]);
    let observed = found.runs[0].observed.as_ref().unwrap();
    let (from, to) = observed.intervals[0];
    assert_eq!(to.since(from).as_secs_f64(), 602.0, "the clock tells how far apart they are");
}

#[test]
fn last_lines_of_several_runs_below_each_other_are_as_many_results() {
    let lines = |rate: u32| {
        format!(
            "// Linux 5.{rate}:\nRun status group 0 (all jobs):\n   READ: bw={rate}MiB/s (24.7MB/s), \
             {rate}MiB/s-{rate}MiB/s (24.7MB/s-24.7MB/s), io=2821MiB (2959MB), run=120002-120002msec\n\n"
        )
    };
    let found = imported(&(lines(54) + &lines(23)));
    assert_eq!((tools(&found).as_slice(), &found.troubles), (&["fio 2.17 or later text"; 2][..], &vec![]));
    let rates = found.runs.iter().map(|run| figure(part(run, "group 0"), "read rate").unwrap().value);
    assert!(rates.eq([54.0 * 1_048_576.0, 23.0 * 1_048_576.0]));
}

#[test]
fn what_tail_and_grep_leave_is_read_and_no_whole_line_is_complained_about() {
    let kubestr = include_str!("fixtures/kubestr.txt");
    let fio = include_str!("fixtures/fio-3.33.txt");
    let picked = |words: &[&str]| -> String {
        fio.lines()
            .filter(|line| words.iter().any(|word| line.contains(word)))
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let closing = "76.1 k requests completed in 963.5 ms, 3.60 GiB read, 980.8 k iops, 3.74 GiB/s\n";
    let ended = closing.to_owned()
        + "generated 76.2 k requests in 1.00 s, 3.60 GiB, 945.0 k iops, 3.60 GiB/s\nmin/avg/max/mdev = 490 ns / 1.02 us / 12.0 ms / 26.9 us\n";
    let request = "4 KiB <<< f (ext4 /dev/vda 252.0 GiB): request=2 time=1.02 us\n";
    let cpus = "CPU |  Usage |  User  |  Kernel |  Idle\n   0|  12.34%|   5.00%|    7.34%|  87.66%\n";
    for (text, name, path) in [
        (ended.as_str(), "unnamed", "read lat mean"),
        (closing, "unnamed", "read ops"),
        (
            &format!("{request}\n--- f (ext4 /dev/vda 252.0 GiB) ioping statistics ---\n{closing}"),
            "f",
            "read iops",
        ),
        (&kubestr[kubestr.find("read:").unwrap()..], "unnamed", "read iops"),
        (&kubestr.replace("avg=", "**avg=").replace("read:", "**read**:"), "read_iops", "read iops.mean"),
        (&picked(&["groupid", "IOPS=", "READ: "]), "group 0", "read rate"),
        (cpus, "cpu 0", "cpu.usage"),
    ] {
        let import = imported(text);
        assert_eq!((import.runs.len(), &import.troubles), (1, &vec![]), "{text}");
        assert!(figure(part(&import.runs[0], name), path).is_some(), "{text}");
    }
    let import = imported(request);
    assert_eq!(
        (&import.troubles, import.runs[0].reported[0].series.len()),
        (&vec![], 1),
        "its closing lines are cut off"
    );
    assert!(
        refused("50000 requests completed in 1.62 seconds\n").contains("ioping"),
        "those of another tool"
    );
}

fn values(run: &Run, device: &str, metric: Metric) -> Vec<f64> {
    let observed = run.observed.as_ref().unwrap();
    let device = observed.devices.iter().find(|found| found.name == device);
    let device = device.unwrap_or_else(|| panic!("not there: {:?}", observed.devices));
    device.metrics.iter().find(|(found, _)| *found == metric).map(|(_, values)| values.clone()).unwrap()
}

const CHINESE: &str = "Linux 2.6.32 (localhost) \t2017年01月12日 \t_x86_64_\t(8 CPU)\n\n\
    14时33分12秒       DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n\
    14时33分13秒    dev8-0      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00\n\n\
    14时33分13秒       DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n\
    14时33分14秒    dev8-0      4.00      0.00     32.00      8.00      0.04      8.75      8.75      3.50\n\n\
    平均时间:       DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n\
    平均时间:    dev8-0      2.00      0.00     16.00      8.00      0.02      8.75      8.75      1.75\n";

#[test]
fn times_in_chinese_are_times() {
    let found = imported(CHINESE);
    assert_eq!(found.troubles, []);
    assert_eq!(found.runs.len(), 1);
    assert_eq!(values(&found.runs[0], "dev8-0", Metric::Ops), [0.0, 4.0]);
    // 2017-01-12 14:33:12 in UTC.
    assert_eq!(found.runs[0].started_unix_ms, 1_484_231_592_000);
}

#[test]
fn means_of_sar_alone_are_refused_with_what_is_missing() {
    let text = "Average:          DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n\
                Average:          sda     83.04     96.72  46401.44    559.95      1.03     12.36      9.95     82.64\n";
    let words = refused(text);
    assert!(words.contains("sar's text") && words.contains("copy the rows above them too"), "{words}");
}

const REPORT: &str = "Device:   rrqm/s wrqm/s   r/s   w/s  rkB/s  wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util\n\
     xvdb       1.00   2.00 20.00  5.00 609.65 637.21    98.00     3.97  1.56    0.31    6.67  0.24 60.47\n";

#[test]
fn a_report_below_another_tools_head_belongs_to_its_own_command() {
    let text = format!(
        "a$ pidstat 60\nLinux 4.9.0 (host)     08/01/2017  _x86_64_    (8 CPU)\n\n10:15:51 PM   UID  PID  %usr\n\
         10:16:51 PM     0     18468    2.85\n\nb$ iostat -x 60\n[...]\n{REPORT}```\nmore words\n"
    );
    let found = imported(&text);
    assert_eq!(found.troubles, []);
    assert_eq!(values(&found.runs[0], "xvdb", Metric::ReadOps), [20.0]);
    assert!(matches!(&found.runs[0].origin, Origin::Imported { tool, .. } if tool.starts_with("iostat")));
    let wide = imported(&REPORT.replace("Device:", "Device："));
    assert_eq!(values(&wide.runs[0], "xvdb", Metric::ReadOps), [20.0]);
}

#[test]
fn figures_of_other_locales_are_read_where_they_were_in_the_way() {
    let head = "a: (groupid=0, jobs=1): err= 0: pid=77: Wed Jan 10 10:00:00 2024\n";
    let german = format!(
        "{head}  read: IOPS=12,3k, BW=48,0MiB/s (50,4MB/s)(481MiB/10001msec)\n    clat (usec): min=90, max=20100, avg=1290,10, stdev=310,40\n    clat percentiles (usec):\n     |  1,00th=[  600], 99,00th=[ 2212], 99,99th=[12518]\n     issued rwts: total=152,148,0,5 short=0,0,0,0 dropped=0,0,0,0\n"
    );
    let import = imported(&german);
    assert_eq!(import.troubles, []);
    holds(
        &import.runs[0],
        &[
            ("a", "read iops", 12_300.0, ""),
            ("a", "read ops", 152.0, ""),
            ("a", "read clat mean", 1290.1, "us"),
            ("a", "read clat p99.99", 12_518.0, "us"),
        ],
    );
    let grouped = format!(
        "{head}  write: IOPS=1,234, BW=4,936KiB/s (5,054kB/s)(48.2MiB/10,001msec); 0 zone resets\n    clat (usec): min=90, max=20,100, avg=1,290.10, stdev=310.40\n     issued rwts: total=0,12340,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
    );
    let import = imported(&grouped);
    assert_eq!(import.troubles, []);
    holds(
        &import.runs[0],
        &[
            ("a", "write iops", 1234.0, ""),
            ("a", "write rate", 4936.0, "KiB/s"),
            ("a", "write runtime", 10_001.0, "ms"),
            ("a", "write ops", 12_340.0, ""),
            ("a", "write clat max", 20_100.0, "us"),
            ("a", "write clat mean", 1290.1, "us"),
        ],
    );
}

#[test]
fn closing_lines_of_ioping_without_their_heads_are_as_many_results() {
    let text = "$ ioping -c 20 /srv\n....\n20 requests completed in 19.0 s, 155 iops, 155.5 MiB/s\n\n`ioping -c 30 /mnt`\n\
                30 requests completed in 29.0 s, 4.1 k iops, 4.0 GiB/s\nmin/avg/max/mdev = 100 us / 244 us / 400 us / 50 us\n\n\
                --- /mnt (ext4 /dev/vdx) ioping statistics ---\n40 requests completed in 39.0 s, 700 iops, 2.7 MiB/s\n";
    let import = imported(text);
    assert_eq!((import.runs.len(), &import.troubles), (3, &vec![]));
    holds(&import.runs[0], &[("unnamed", "all ops", 20.0, ""), ("unnamed", "all iops", 155.0, "")]);
    holds(&import.runs[1], &[("unnamed", "all ops", 30.0, ""), ("unnamed", "all lat mean", 244.0, "us")]);
    holds(&import.runs[2], &[("/mnt", "all ops", 40.0, "")]);
    assert_eq!(figure(part(&import.runs[0], "unnamed"), "all lat mean"), None, "it belongs to the second");
    assert_eq!(part(&import.runs[1], "unnamed").asked_for("command"), Some("ioping -c 30 /mnt"));
    assert!(!lacks(&import.runs[1]).contains(&"what was asked"));
}

#[test]
fn a_device_of_ioping_has_a_size_and_no_file_system() {
    for place in ["device 12.5 GiB", "block device 12.5 GiB"] {
        let text = format!(
            "--- /dev/vdx ({place}) ioping statistics ---\n40 requests completed in 39.0 s, 700 iops, 2.7 MiB/s\n"
        );
        let said = [("device size".to_owned(), "12.5 GiB".to_owned())];
        assert_eq!(part(&imported(&text).runs[0], "/dev/vdx").said, said);
    }
}

#[test]
fn a_mark_of_code_hides_no_cpus_and_words_below_a_table_are_no_row() {
    let text = format!(
        "`avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n 12.50 0.00 2.50 5.00 0.00 80.00\n{REPORT}\
         and then every interval`\n"
    );
    let found = imported(&text);
    assert_eq!(found.troubles, []);
    assert!(!lacks(&found.runs[0]).contains(&"the CPUs"));
    assert!(found.runs[0].events.iter().all(|event| !event.text.contains("zone")), "no time is there");
    let cut = imported(&format!("{REPORT}xvdc       1.00   2.00\n"));
    assert_eq!(cut.troubles.len(), 1, "{:?}", cut.troubles);
}

#[test]
fn lost_line_breaks_do_no_harm_to_sar() {
    let text = "$ sar -d 20 2 Linux 5.4.0 (box) 2024-05-17 _x86_64_ (4 CPU) 10:00:00 DEV tps rd_sec/s wr_sec/s await %util \
                10:00:20 dev8-0 25.00 100.00 200.00 1.50 12.00 10:00:40 dev8-0 50.00 100.00 200.00 1.50 24.00 \
                Average: dev8-0 37.50 100.00 200.00 1.50 18.00\nNothing else was running.\n";
    let found = imported(text);
    assert_eq!((found.runs.len(), &found.troubles), (1, &vec![]));
    assert_eq!(values(&found.runs[0], "dev8-0", Metric::Ops), [25.0, 50.0]);
    assert_eq!(found.runs[0].host.as_ref().unwrap().hostname, "box");
}

#[test]
fn kinds_that_are_not_read_are_named() {
    let python = refused(
        "{'disk_util': [{'name': 'vdx'}], 'jobs': [{'jobname': 'a', 'iodepth_level': {'1': 100.0}}]}\n",
    );
    assert!(python.contains("Python") && python.contains("json.dumps"), "{python}");
    let sar = refused("12:00:00     device    %busy    avque    r+w/s   blks/s   avwait   avserv\n");
    assert!(sar.contains("another system's sar"), "{sar}");
}
