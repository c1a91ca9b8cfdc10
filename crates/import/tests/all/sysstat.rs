//! What sar and sadf print about devices and CPUs, and the kernel's counters: recordings that machines in service already have.

use record::{CpuMetric, Metric, ObservedMachine, Recording};

use crate::vocabulary::*;

/// Seconds since 1970 of 2026-11-23 09:49:44 UTC.
const BEGAN: u64 = 1_795_427_384;

fn observed(text: &str, tool_wanted: &str) -> (ObservedMachine, u64) {
    let import = imported(text);
    assert_eq!(tools(&import), [tool_wanted]);
    assert_eq!(import.troubles, []);
    (import.runs[0].observed.clone().unwrap(), import.runs[0].started_unix_ms)
}

fn of(observed: &ObservedMachine, device: &str, metric: Metric) -> Vec<f64> {
    let device = observed.devices.iter().find(|known| known.name == device).unwrap();
    device.metrics.iter().find(|(known, _)| *known == metric).unwrap().1.clone()
}

fn seconds(observed: &ObservedMachine) -> Vec<f64> {
    observed.intervals.iter().map(|(from, to)| to.since(*from).as_secs_f64()).collect()
}

/// Asserts that this is the recording all of these hold: two intervals of a second, two devices.
fn is_the_recording((observed, started): (ObservedMachine, u64)) {
    assert_eq!(seconds(&observed), [1.0, 1.0]);
    assert_eq!(started, BEGAN * 1000);
    assert_eq!(of(&observed, "vda", Metric::Ops), [4919.0, 5079.0]);
    assert_eq!(of(&observed, "vda", Metric::ReadBytes), [19_676.0 * 1024.0, 20_316.0 * 1024.0]);
    assert_eq!(of(&observed, "vda", Metric::Busy), [0.08, 0.06]);
    assert_eq!(of(&observed, "sdb", Metric::WriteBytes), [416.0 * 1024.0, 0.0]);
    let user = observed.cpu.iter().find(|(metric, _)| *metric == CpuMetric::User).unwrap();
    assert_eq!(user.1, [2.70 / 100.0, 4.40 / 100.0]);
}

const HOST: &str = "Linux 6.1.0 (vm) \t11/23/26 \t_x86_64_\t(2 CPU)\n\n";
const CPU: &str = "09:49:44        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
09:49:45        all      2.70      0.00     13.51     30.27      3.24     50.27\n\
09:49:46        all      4.40      0.00     10.99     30.77      3.30     50.55\n\
Average:        all      3.55      0.00     12.25     30.52      3.27     50.41\n";
const DEVICES: &str = "09:49:44          DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util\n\
09:49:45          vda   4919.00  19676.00      0.00      0.00      4.00      0.12      0.02      8.00\n\
09:49:45          sdb     18.00      0.00    416.00      0.00     23.11      0.01      0.22      0.10\n\
09:49:46          vda   5079.00  20316.00      0.00      0.00      4.00      0.12      0.02      6.00\n\
09:49:46          sdb      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00\n\n\
Average:          DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util\n\
Average:          vda   4999.00  19996.00      0.00      0.00      4.00      0.12      0.02      7.00\n";

const SAR: &str = "sar or sadf text";

#[test]
fn sar_of_a_file_has_subject_after_subject() {
    is_the_recording(observed(&format!("{HOST}{CPU}\n{DEVICES}"), SAR));
}

#[test]
fn sar_of_a_moment_has_interval_after_interval_and_names_behind() {
    let interval = |from: &str, to: &str, [cpu, vda, sdb]: [&str; 3]| {
        format!(
            "{from}        CPU     %user     %nice   %system   %iowait    %steal     %idle\n{to}        all {cpu}\n\n\
             {from}          tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util DEV\n\
             {to} {vda} vda\n{to} {sdb} sdb\n\n"
        )
    };
    let first = [
        "2.70 0.00 13.51 30.27 3.24 50.27",
        "4919.00 19676.00 0.00 0.00 4.00 0.12 0.02 8.00",
        "18.00 0.00 416.00 0.00 23.11 0.01 0.22 0.10",
    ];
    let second = [
        "4.40 0.00 10.99 30.77 3.30 50.55",
        "5079.00 20316.00 0.00 0.00 4.00 0.12 0.02 6.00",
        "0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00",
    ];
    let text = interval("09:49:44", "09:49:45", first) + &interval("09:49:45", "09:49:46", second);
    is_the_recording(observed(&format!("{HOST}{text}"), SAR));
}

#[test]
fn times_of_two_halves_of_a_day_and_older_columns_are_read() {
    let text = "Linux 2.6.32 (old) \t03/04/2013 \t_x86_64_\t(8 CPU)\n\n\
11:59:50 AM       DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n\
12:00:00 PM    dev8-0     10.00     80.00    160.00     24.00      0.01      1.50      0.50      0.50\n\
12:00:10 PM    dev8-0     20.00     80.00    160.00     12.00      0.01      1.50      0.50      0.50\n";
    let (observed, _) = observed(text, SAR);
    assert_eq!(seconds(&observed), [10.0, 10.0]);
    assert_eq!(of(&observed, "dev8-0", Metric::WriteBytes), [160.0 * 512.0; 2]);
    assert_eq!(of(&observed, "dev8-0", Metric::Size), [24.0 * 512.0, 12.0 * 512.0]);
}

#[test]
fn sadf_for_databases_is_read() {
    let row = |time: &str, rest: &str| format!("vm;1;2026-11-23 09:49:{time} UTC;{rest}\n");
    let text = "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n".to_owned()
        + &row("45", "-1;2.70;0.00;13.51;30.27;3.24;50.27")
        + &row("46", "-1;4.40;0.00;10.99;30.77;3.30;50.55")
        + "# hostname;interval;timestamp;kbmemfree;kbavail\n"
        + &row("45", "1;2")
        + "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util\n"
        + &row("45", "vda;4919.00;19676.00;0.00;0.00;4.00;0.12;0.02;8.00")
        + &row("45", "sdb;18.00;0.00;416.00;0.00;23.11;0.01;0.22;0.10")
        + &row("46", "vda;5079.00;20316.00;0.00;0.00;4.00;0.12;0.02;6.00")
        + &row("46", "sdb;0.00;0.00;0.00;0.00;0.00;0.00;0.00;0.00");
    is_the_recording(observed(&text, SAR));
}

#[test]
fn sadf_as_json_is_read() {
    let report = |time: &str, [cpu, vda, sdb]: [&str; 3]| {
        let device = |name: &str, figures: &str| {
            let [tps, read, write, util] = figures.split(' ').collect::<Vec<_>>().try_into().unwrap();
            format!(
                "{{\"disk-device\": \"{name}\", \"tps\": {tps}, \"rkB\": {read}, \"wkB\": {write}, \"dkB\": 0.00, \
                 \"areq-sz\": 4.00, \"util-percent\": {util}}}"
            )
        };
        format!(
            "{{\n\"timestamp\": {{\"date\": \"2026-11-23\", \"time\": \"{time}\", \"utc\": 1, \"interval\": 1}},\n\
             \"cpu-load\": [\n{{\"cpu\": \"all\", \"user\": {cpu}, \"idle\": 50.27}},\n{{\"cpu\": \"0\", \"user\": 99.00}}\n],\n\
             \"memory\": {{\"memfree\": 1, \"memused\": 2}},\n\"disk\": [\n{},\n{}\n]\n}}",
            device("vda", vda),
            device("sdb", sdb)
        )
    };
    let text = format!(
        "{{\"sysstat\": {{\"hosts\": [{{\"nodename\": \"vm\", \"release\": \"6.1.0\", \"number-of-cpus\": 2,\n\
         \"file-date\": \"2026-11-23\", \"timezone\": \"UTC\",\n\"statistics\": [\n{},\n{}\n],\n\"restarts\": [\n]}}]}}}}\n",
        report("09:49:45", ["2.70", "4919.00 19676.00 0.00 8.00", "18.00 0.00 416.00 0.10"]),
        report("09:49:46", ["4.40", "5079.00 20316.00 0.00 6.00", "0.00 0.00 0.00 0.00"])
    );
    is_the_recording(observed(&text, "sadf JSON"));
}

#[test]
fn a_row_of_sar_that_does_not_fit_is_named() {
    let import = imported(&format!("{HOST}{}", DEVICES.replace("5079.00", "50x9.00")));
    let told = import.troubles[0].to_string();
    assert!(told.starts_with("line 6, column 1: expected a time, a name and 8 figures"), "{told}");
    let next = imported(&format!("{HOST}{DEVICES}[root@host ~]# sar -p -d 1 1\n"));
    assert_eq!(next.troubles.len(), 0, "a command is no row");
}

/// Returns two snapshots with these words before them: 150 reads and 400 writes apart.
fn snapshots(times: [&str; 2]) -> String {
    let shot = |time: &str, counters: &str| {
        format!("{time}\n 252       0 vda {counters}\n   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0\n")
    };
    shot(times[0], "1000 100 20000 3000 2000 300 80000 9000 0 5000 12000 50 5 4000 60 70 80")
        + &shot(times[1], "1150 110 21200 3450 2400 380 96000 10600 3 5700 14050 60 7 4800 75 90 120")
}

#[test]
fn snapshots_of_the_kernels_counters_are_samples() {
    for (times, began) in [
        (["1795427384.5", "1795427386.5"], BEGAN * 1000 + 500),
        (["2026-11-23T09:49:44+0000", "2026-11-23T09:49:46+0000"], BEGAN * 1000),
        (["Mon Nov 23 09:49:44 UTC 2026", "Mon Nov 23 09:49:46 UTC 2026"], BEGAN * 1000),
        (["5000.25 9000.00", "5002.25 9003.10"], 0),
    ] {
        let import = imported(&snapshots(times));
        assert_eq!((tools(&import), import.troubles.len()), (vec!["/proc/diskstats"], 0), "{times:?}");
        let run = &import.runs[0];
        assert_eq!((run.samples[1].at.as_secs_f64(), run.started_unix_ms), (2.0, began), "{times:?}");
        let recording = record::Recording::of(run);
        let of = |metric| recording.device("vda", metric).unwrap()[0];
        assert_eq!((of(Metric::ReadOps), of(Metric::WriteOps)), (75.0, 200.0));
        assert_eq!((of(Metric::ReadBytes), of(Metric::Busy)), (1200.0 * 512.0 / 2.0, 0.35));
    }
}

#[test]
fn snapshots_without_times_or_alone_are_refused_with_what_is_missing() {
    let both = snapshots(["1795427384", "1795427386"]);
    for (text, missing) in [
        (snapshots(["", ""]), "a rising time before each snapshot"),
        (snapshots(["1795427386", "1795427384"]), "a rising time before each snapshot"),
        (both[..both.find("1795427386").unwrap()].to_owned(), "two snapshots"),
    ] {
        assert!(refused(&text).contains(missing), "{text}: {}", refused(&text));
    }
}

#[test]
fn sadf_as_xml_is_read_up_to_where_it_is_cut() {
    let xml = include_str!("fixtures/sadf.xml");
    for text in [xml.to_owned(), xml.split("</timestamp>").next().unwrap().to_owned()] {
        let import = imported(&text);
        assert_eq!((tools(&import), &import.troubles), (vec!["sadf XML"], &vec![]));
        let run = &import.runs[0];
        let observed = run.observed.as_ref().unwrap();
        assert_eq!(
            observed.intervals.iter().map(|(from, to)| (from.0, to.0)).collect::<Vec<_>>(),
            [(0, 600_000_000_000)]
        );
        assert_eq!(run.host.as_ref().map(|host| (host.hostname.as_str(), host.cpus)), Some(("h", 2)));
        let found =
            |wanted| observed.devices[0].metrics.iter().find(|(metric, _)| *metric == wanted).unwrap().1[0];
        assert_eq!(observed.devices[0].name, "sda");
        assert_eq!((found(Metric::Ops), found(Metric::WriteBytes)), (3.10, 51_200.0));
        assert!((found(Metric::Await) - 0.002).abs() < 1e-12 && (found(Metric::Busy) - 0.005).abs() < 1e-12);
        assert_eq!(run.started_unix_ms, 1_704_153_601_000);
    }
}

#[test]
fn times_of_the_day_alone_tell_how_far_reports_are_apart_in_either_half() {
    let text = "11:59:01 AM       DEV       tps  rd_sec/s  wr_sec/s     await     %util
12:04:01 PM    dev8-0      9.63     14.92    114.92      9.46      8.21
12:09:01 PM    dev8-0      8.63     14.92    114.92      9.46      8.21
";
    let import = imported(text);
    let intervals = &import.runs[0].observed.as_ref().unwrap().intervals;
    let seconds: Vec<u64> = intervals.iter().map(|(from, to)| (to.0 - from.0) / 1_000_000_000).collect();
    assert_eq!(seconds, [300, 300]);
}

#[test]
fn a_device_that_began_to_count_anew_leaves_its_row_empty_and_sar_is_named() {
    let import = imported(
        "10:00:01  DEV  tps  rd_sec/s  wr_sec/s  %util
10:00:06  dev8-0  5.00  80.00  40.00  1.00
10:00:06  dev8-16  3689348814741910000.00  858993457.60  8.00  0.20
",
    );
    let recording = Recording::of(&import.runs[0]);
    assert_eq!(recording.device("dev8-0", Metric::ReadBytes).unwrap(), [40_960.0]);
    for metric in [Metric::Ops, Metric::ReadBytes, Metric::WriteBytes, Metric::Busy] {
        assert!(recording.device("dev8-16", metric).unwrap()[0].is_nan(), "{metric:?}");
    }
    let notes: Vec<&str> = import.runs[0].events.iter().map(|event| event.text.as_str()).collect();
    assert!(notes.iter().any(|note| note.contains("dev8-16") && note.contains("sar printed")), "{notes:?}");
}

#[test]
fn the_other_names_of_shares_in_sar_u_all_are_read_and_the_rest_is_named() {
    let import = imported(
        "10:00:01  CPU  %usr  %nice  %sys  %iowait  %steal  %irq  %soft  %guest  %gnice  %idle
10:00:06  all  10.00  0.00  5.00  20.00  0.00  0.00  1.00  4.00  0.00  60.00
",
    );
    let recording = Recording::of(&import.runs[0]);
    let share = |of| recording.cpu(of).unwrap()[0];
    assert_eq!([CpuMetric::User, CpuMetric::System, CpuMetric::Idle].map(share), [0.1, 0.05, 0.6]);
    let note = "no meaning is known of '%irq', '%soft', '%guest', '%gnice'";
    assert!(import.runs[0].events.iter().any(|event| event.text.contains(note)));
}

/// Returns start and end of each interval in seconds, and the rates of reads of `dev8-0`.
fn reads(run: &record::Run) -> (Vec<(f64, f64)>, Vec<Option<f64>>) {
    let observed = run.observed.as_ref().unwrap();
    let spans = observed.intervals.iter().map(|(from, to)| (from.as_secs_f64(), to.as_secs_f64()));
    let reads = of(observed, "dev8-0", Metric::ReadBytes);
    (spans.collect(), reads.into_iter().map(|rate| (!rate.is_nan()).then_some(rate / 1024.0)).collect())
}

/// Returns a table of sar: a header and rows of `dev8-0`, each a time and a rate of reads.
fn sar_table(began: &str, rows: &[(&str, f64)]) -> String {
    let rows = rows.iter().map(|(time, rate)| format!("{time}  dev8-0  5.00  {rate:.2}  40.00  1.00\n"));
    format!("{began}  DEV  tps  rkB/s  wkB/s  %util\n{}", rows.collect::<String>())
}

#[test]
fn sar_without_its_banner_keeps_its_times_and_the_gaps_between_tables() {
    let (first, second) =
        (sar_table("07:57:53", &[("07:57:58", 10.0)]), sar_table("08:20:46", &[("08:20:51", 20.0)]));
    let gap = (vec![(0.0, 5.0), (5.0, 1373.0), (1373.0, 1378.0)], vec![Some(10.0), None, Some(20.0)]);
    for (banner, began) in
        [("$ sar -d 5\n", 0), ("Linux 5.4.0 (h) \t05/31/22 \t_x86_64_\t(2 CPU)\n\n", 1_653_983_873_000)]
    {
        let import = imported(&format!("{banner}{first}\n{second}"));
        assert_eq!((import.runs.len(), reads(&import.runs[0])), (1, gap.clone()));
        assert_eq!(import.runs[0].started_unix_ms, began);
        let notes: Vec<&str> = import.runs[0].events.iter().map(|event| event.text.as_str()).collect();
        assert!(
            notes.iter().any(|note| note.starts_with("one stretch of time between the tables")),
            "{notes:?}"
        );
    }
    let long = sar_table("12:00:01 AM", &[("12:10:01 AM", 1.0), ("12:20:01 AM", 2.0), ("12:50:01 AM", 3.0)]);
    assert_eq!(reads(&imported(&long).runs[0]).0, [(0.0, 600.0), (600.0, 1200.0), (1200.0, 3000.0)]);
    let live =
        sar_table("23:59:50", &[("23:59:55", 1.0)]) + "\n" + &sar_table("23:59:55", &[("00:00:00", 2.0)]);
    let live = live + "\n" + &sar_table("00:00:00", &[("00:00:05", 3.0)]);
    let days = format!("Linux 5.4.0 (h) \t05/31/22 \t_x86_64_\t(2 CPU)\n\n{live}");
    for text in [live, days] {
        let import = imported(&text);
        assert_eq!(reads(&import.runs[0]).0, [(0.0, 5.0), (5.0, 10.0), (10.0, 15.0)]);
        assert_eq!(import.runs[0].events.iter().filter(|event| event.text.contains("set back")).count(), 0);
    }
}

#[test]
fn a_day_of_sar_after_another_is_not_lost_and_calls_of_sar_are_runs() {
    let days = sar_table("10:00:00", &[("22:00:00", 1.0), ("10:00:00", 2.0), ("22:00:00", 3.0)]);
    let hours = |from: f64| (from * 3600.0, (from + 12.0) * 3600.0);
    assert_eq!(reads(&imported(&days).runs[0]).0, [hours(0.0), hours(12.0), hours(24.0)]);
    let (one, other) =
        (sar_table("07:57:53", &[("07:57:58", 10.0)]), sar_table("08:20:46", &[("08:20:51", 20.0)]));
    for text in [
        format!("$ sar -d 5\n{one}# other host\n$ sar --dev=dev8-0 -d 5\n{other}"),
        format!("[root@a ~]# sar -d 5\n{one}...\n[root@b ~]# sar -d 5\n...\n{other}"),
        // Without the commands, a time that goes back shows it.
        format!("{other}\n{one}"),
        format!("{one}\nand on the second host\n\n{one}"),
    ] {
        let import = imported(&text);
        let spans: Vec<_> = import.runs.iter().map(|run| reads(run).0).collect();
        assert_eq!((spans, import.troubles), (vec![vec![(0.0, 5.0)]; 2], vec![]), "{text}");
    }
    let prose = format!("{one}\nfrom sar then came\n\n{}", sar_table("07:57:58", &[("07:58:03", 11.0)]));
    assert_eq!(imported(&prose).runs.len(), 1, "a word of prose is no command");
}

#[test]
fn an_empty_line_below_each_line_of_sar_and_iostat_does_no_harm() {
    let double = |text: &str| text.replace('\n', "\n\n");
    let live = sar_table("07:57:53", &[("07:57:58", 1.0), ("07:58:03", 2.0)]);
    let other = "07:57:53  IFACE  rxpck/s  txpck/s  rxkB/s  txkB/s\n07:57:58  eth0  9.00  9.00  9.00  9.00\n";
    let import = imported(&double(&format!("{live}\n{other}")));
    assert_eq!(
        (reads(&import.runs[0]), import.troubles),
        ((vec![(0.0, 5.0), (5.0, 10.0)], vec![Some(1.0), Some(2.0)]), vec![])
    );
    assert_eq!(import.runs[0].observed.as_ref().unwrap().devices.len(), 1, "another subject has no devices");

    let shares = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n  1.72    0.10    1.56    0.38    0.00   96.23\n";
    let report = |reads: u32| {
        format!(
            "{shares}\nDevice  r/s  w/s  rkB/s  wkB/s\nsda  {reads}.00  2.00  3.00  4.00\nsdb  7.00  2.00  3.00  4.00\n\n"
        )
    };
    let text = format!(
        "$ iostat 5 3\nLinux 7.0 (h) \t09/25/2026 \t_x86_64_\t(4 CPU)\n\n{}{}{}",
        report(1),
        report(2),
        report(3)
    );
    let bare = |text: &str| {
        let import = imported(text);
        assert_eq!((import.runs.len(), import.troubles), (1, vec![]));
        let observed = import.runs[0].observed.clone().unwrap();
        (observed.intervals.len(), format!("{:?}{:?}", observed.devices, observed.cpu))
    };
    assert_eq!(bare(&double(&text)).1, bare(&text).1);
    assert_eq!(bare(&text).0, 2);
}

#[test]
fn rows_of_sar_that_a_page_has_cut_out_or_left_without_a_header_are_known() {
    let (head, tail) =
        (sar_table("07:57:53", &[("07:57:58", 1.0)]), "08:20:51  dev8-0  5.00  2.00  40.00  1.00\n");
    for cut in ["...\n", "\n[snip 12 rows]\n\n"] {
        let import = imported(&format!("{head}{cut}{tail}"));
        assert_eq!(reads(&import.runs[0]).0, [(0.0, 5.0), (5.0, 1373.0), (1373.0, 1378.0)], "{cut}");
        assert_eq!(import.troubles, [], "{cut}");
    }
    let import = imported(&format!("{tail}\n{head}"));
    assert_eq!(import.troubles[0].line, 1, "{:?}", import.troubles);
    assert!(import.troubles[0].expected.contains("above the rows"), "{:?}", import.troubles);
}

#[test]
fn wrapped_columns_of_sar_are_joined_and_intervals_keep_their_lengths() {
    let wrapped = "Linux 4.15.0-117-generic (m1)      03/20/21\n_x86_64_        (88 CPU)\n\n\
                   00:00:01          DEV       tps     rkB/s     wkB/s   areq-sz\naqu-sz     await     svctm     %util\n\
                   00:05:01       dev8-0      1.74      0.92      6.02      4.00\n0.29    184.17     28.01      4.86\n\
                   00:15:01       dev8-0      4.77      3.35     15.74      4.00\n0.53    119.11     14.67      7.00\n\
                   00:25:01       dev8-0      0.48      1.54      0.37      4.00\n0.00      1.31      0.20      0.01\n";
    let import = imported(wrapped);
    assert_eq!(import.troubles, []);
    let spans = vec![(0.0, 300.0), (300.0, 900.0), (900.0, 1500.0)];
    assert_eq!(reads(&import.runs[0]), (spans, vec![Some(0.92), Some(3.35), Some(1.54)]));
    let observed = import.runs[0].observed.as_ref().unwrap();
    assert_eq!(of(observed, "dev8-0", Metric::Busy), [4.86, 7.0, 0.01].map(|share| share / 100.0));
    let cut = imported(&wrapped.replace("0.53    119.11     14.67      7.00\n", ""));
    let told: Vec<String> = cut.troubles.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("line 8, column 1: expected the rest of the row on the next line"),
        "{told:?}"
    );
    let last = imported(&wrapped.replace("0.00      1.31      0.20      0.01\n", ""));
    assert_eq!(last.troubles.len(), 1, "the end of the text leaves a row without its rest");
}
