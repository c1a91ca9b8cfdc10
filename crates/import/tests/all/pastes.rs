//! Pastes from mails, tickets and pages in other languages: every figure as it stands there, and no trouble for sound text.

use record::{Metric, Origin, Run};

use crate::vocabulary::*;

const FIO: &str = include_str!("fixtures/fio-3.33.txt");

/// Returns a text as a mail carries it: signs escaped, lines cut at 60 characters.
fn mailed(text: &str) -> String {
    let mut mail = String::new();
    for line in text.lines() {
        let line = line.replace('=', "=3D");
        let letters: Vec<char> = line.chars().collect();
        // No escaped sign is cut in two.
        let (mut at, mut rest) = (0, letters.len());
        while rest > 60 {
            let mut cut = 60;
            while letters[at + cut - 2..at + cut].contains(&'=') {
                cut -= 1;
            }
            mail.extend(&letters[at..at + cut]);
            mail.push_str("=\n");
            (at, rest) = (at + cut, rest - cut);
        }
        mail.extend(&letters[at..]);
        mail.push('\n');
    }
    mail
}

#[test]
fn a_result_that_a_mail_carries_has_every_figure() {
    let (wanted, found) = (imported(FIO), imported(&mailed(FIO)));
    assert_eq!(found.troubles, []);
    assert_eq!(found.runs[0].reported, wanted.runs[0].reported);
    assert_eq!(tools(&found), tools(&wanted));
}

/// A table without any sign is recognised by its lines alone.
#[test]
fn a_table_that_a_mail_has_cut_is_whole_again() {
    let text = "01:50:01          DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz    =\n await     svctm     %util\n\
                02:00:03       dev3-0     77.71   3283.53   2445.67     73.73      9.34    =\n118.72      3.17     24.66\n\
                02:10:03       dev3-0     56.31   2210.17   1183.08     60.25      8.53    =\n153.65      3.48     19.61\n";
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
    assert_eq!((tools(&found).as_slice(), &found.troubles), (&["fio 2.21 or later text"; 2][..], &vec![]));
    let rates = found.runs.iter().map(|run| figure(part(run, "group 0"), "read rate").unwrap().value);
    assert!(rates.eq([54.0 * 1_048_576.0, 23.0 * 1_048_576.0]));
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
