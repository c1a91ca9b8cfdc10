//! Recordings of monitoring systems: answers of Prometheus and CloudWatch, scrapes of node_exporter and the EBS CSI
//! driver.

use record::{Metric, Run};
use std::fmt::Write as _;

use crate::vocabulary::*;

/// An answer of `query_range`, as Prometheus prints it: three counters of one disk, of which the second counts anew.
const RANGE: &str = r#"{"status":"success","data":{"resultType":"matrix","result":[
{"metric":{"__name__":"node_disk_reads_completed_total","device":"sda","instance":"db1:9100","job":"node"},"values":[[1795687200,"1000"],[1795687215,"1150"],[1795687230,"1600"]]},
{"metric":{"__name__":"node_disk_read_bytes_total","device":"sda","instance":"db1:9100","job":"node"},"values":[[1795687200,"4.096e+06"],[1795687215,"4.7104e+06"],[1795687230,"6.5536e+06"]]},
{"metric":{"__name__":"node_disk_read_time_seconds_total","device":"sda","instance":"db1:9100","job":"node"},"values":[[1795687200,"2.5"],[1795687215,"2.8"],[1795687230,"3.25"]]},
{"metric":{"__name__":"node_disk_io_time_seconds_total","device":"sda","instance":"db1:9100","job":"node"},"values":[[1795687200,"10"],[1795687215,"16"],[1795687230,"31"]]},
{"metric":{"__name__":"node_disk_io_now","device":"sda","instance":"db1:9100","job":"node"},"values":[[1795687200,"0"],[1795687215,"3"],[1795687230,"1"]]},
{"metric":{"__name__":"node_disk_writes_completed_total","device":"sdb","instance":"db1:9100","job":"node"},"values":[[1795687200,"90"],[1795687215,"5"],[1795687230,"35"]]}
]}}
"#;

/// A scrape at a time; the counters of the disk are `reads` and `seconds`.
fn scrape(reads: u32, seconds: f64) -> String {
    format!(
        "# HELP node_disk_reads_completed_total The total number of reads completed successfully.\n\
         # TYPE node_disk_reads_completed_total counter\n\
         node_disk_reads_completed_total{{device=\"nvme0n1\"}} {reads}\n\
         node_disk_reads_completed_total{{device=\"md \\\"a\\\"\"}} 2.5354637e+07\n\
         # TYPE node_disk_read_time_seconds_total counter\n\
         node_disk_read_time_seconds_total{{device=\"nvme0n1\"}} {seconds}\n\
         node_disk_info{{device=\"nvme0n1\",major=\"259\",model=\"x}} y\"}} 1\n\
         go_goroutines 8\n"
    )
}

const CLOUDWATCH: &str = r#"{
    "MetricDataResults": [
        {"Id": "r", "Label": "vol-0abc VolumeReadOps", "Timestamps": ["2026-11-26T10:10:00+00:00", "2026-11-26T10:05:00+00:00", "2026-11-26T10:00:00+00:00"], "Values": [30000.0, 0.0, 60000.0], "StatusCode": "Complete"},
        {"Id": "t", "Label": "vol-0abc VolumeTotalReadTime", "Timestamps": ["2026-11-26T10:10:00+00:00", "2026-11-26T10:05:00+00:00", "2026-11-26T10:00:00+00:00"], "Values": [15.0, 0.0, 60.0], "StatusCode": "Complete"},
        {"Id": "i", "Label": "vol-0abc VolumeIdleTime", "Timestamps": ["2026-11-26T10:10:00+00:00", "2026-11-26T10:05:00+00:00", "2026-11-26T10:00:00+00:00"], "Values": [240.0, 300.0, 60.0], "StatusCode": "Complete"},
        {"Id": "q", "Label": "VolumeQueueLength (vol-0abc)", "Timestamps": ["2026-11-26T10:10:00+00:00", "2026-11-26T10:00:00+00:00"], "Values": [1.5, 4.0], "StatusCode": "PartialData"},
        {"Id": "vol_0def", "Label": "VolumeWriteBytes", "Timestamps": ["2026-11-26T10:00:00Z", "2026-11-26T10:05:00Z"], "Values": [307200, 614400], "StatusCode": "Complete"},
        {"Id": "b", "Label": "vol-0abc BurstBalance", "Timestamps": ["2026-11-26T10:00:00Z"], "Values": [97.5], "StatusCode": "Complete"},
        {"Id": "z", "Label": "vol-0abc VolumeReadOps p99", "Timestamps": ["2026-11-26T10:00:00Z"], "Values": [1], "StatusCode": "Complete"}
    ],
    "Messages": []
}
"#;

fn of(run: &Run, device: &str, metric: Metric) -> Vec<Option<f64>> {
    let observed = run.observed.as_ref().unwrap();
    let device = observed.devices.iter().find(|known| known.name == device).unwrap_or_else(|| {
        panic!("no '{device}' in {:?}", observed.devices.iter().map(|known| &known.name).collect::<Vec<_>>())
    });
    let values = &device.metrics.iter().find(|(known, _)| *known == metric).unwrap().1;
    values.iter().map(|value| Some(*value).filter(|value| !value.is_nan())).collect()
}

fn near(values: &[Option<f64>], expected: &[Option<f64>]) {
    let close = |pair: (&Option<f64>, &Option<f64>)| match pair {
        (Some(value), Some(expected)) => (value - expected).abs() <= 1e-9 * expected.abs().max(1.0),
        (value, expected) => value == expected,
    };
    assert!(
        values.len() == expected.len() && values.iter().zip(expected).all(close),
        "{values:?}, expected {expected:?}"
    );
}

fn seconds(run: &Run) -> Vec<f64> {
    run.observed.as_ref().unwrap().intervals.iter().map(|(from, to)| to.since(*from).as_secs_f64()).collect()
}

fn said(run: &Run) -> String {
    run.events.iter().map(|event| event.text.as_str()).collect::<Vec<_>>().join("; ")
}

#[test]
fn counters_of_a_range_are_rates_of_its_disks_and_a_counter_that_fell_is_a_gap() {
    let import = imported(RANGE);
    assert_eq!((tools(&import), &import.troubles), (vec!["Prometheus JSON"], &vec![]));
    let run = &import.runs[0];
    assert_eq!((run.started_unix_ms, seconds(run)), (1_795_687_200_000, vec![15.0, 15.0]));
    assert_eq!(run.host.as_ref().unwrap().hostname, "db1:9100");
    near(&of(run, "sda", Metric::ReadOps), &[Some(10.0), Some(30.0)]);
    near(&of(run, "sda", Metric::ReadBytes), &[Some(40_960.0), Some(122_880.0)]);
    near(&of(run, "sda", Metric::ReadAwait), &[Some(0.002), Some(0.001)]);
    near(&of(run, "sda", Metric::Busy), &[Some(0.4), Some(1.0)]);
    near(&of(run, "sda", Metric::InFlight), &[Some(3.0), Some(1.0)]);
    near(&of(run, "sdb", Metric::WriteOps), &[None, Some(2.0)]);
    assert!(lacks(run).contains(&"the CPUs"), "{:?}", lacks(run));
}

#[test]
fn answers_one_after_another_or_under_keys_are_one_recording_for_each_machine() {
    let (head, rest) = RANGE.split_once("[\n").unwrap();
    let rows: Vec<&str> = rest.lines().take(6).map(|row| row.trim_end_matches(',')).collect();
    let answers: Vec<String> = rows.iter().map(|row| format!("{head}[{row}]}}}}\n")).collect();
    let whole = imported(RANGE);
    let named: Vec<String> =
        answers.iter().enumerate().map(|(at, answer)| format!("\"q{at}\": {answer}")).collect();
    let of_values = rows.join(",\n");
    for text in [answers.concat(), format!("{{{}}}", named.join(",")), format!("[{of_values}]")] {
        let same = format!("{:?}", imported(&text).runs[0].observed);
        assert_eq!(same, format!("{:?}", whole.runs[0].observed), "{text}");
    }
    let two = format!("{RANGE}{}", RANGE.replace("db1", "db2"));
    let hosts: Vec<String> =
        imported(&two).runs.iter().map(|run| run.host.as_ref().unwrap().hostname.clone()).collect();
    assert_eq!(hosts, ["db1:9100", "db2:9100"]);
}

#[test]
fn values_of_single_queries_and_series_of_other_times_are_joined() {
    let value = |time: u32, reads: u32| {
        format!(
            "{{\"status\":\"success\",\"data\":{{\"resultType\":\"vector\",\"result\":[{{\"metric\":{{\"__name__\":\
             \"node_disk_reads_completed_total\",\"device\":\"a\"}},\"value\":[{time},\"{reads}\"]}}]}}}}\n"
        )
    };
    let import =
        imported(&[value(1_795_687_200, 0), value(1_795_687_210, 50), value(1_795_687_240, 80)].concat());
    near(&of(&import.runs[0], "a", Metric::ReadOps), &[Some(5.0), Some(1.0)]);
    assert_eq!(seconds(&import.runs[0]), [10.0, 30.0]);
    let shifted = RANGE.replacen("[1795687215,\"1150\"]", "[1795687220,\"1150\"]", 1);
    let run = &imported(&shifted).runs[0];
    assert_eq!(seconds(run), [15.0, 5.0, 10.0], "a mean over a time is that of its parts");
    near(&of(run, "sda", Metric::ReadOps), &[Some(7.5), Some(7.5), Some(45.0)]);
    near(&of(run, "sda", Metric::ReadBytes), &[Some(40_960.0), Some(122_880.0), Some(122_880.0)]);
}

#[test]
fn what_a_function_returned_or_another_collector_counted_is_refused_with_the_remedy() {
    let nameless = RANGE.replace("\"__name__\":\"node_disk_reads_completed_total\",", "");
    let import = imported(&nameless);
    let told = import.troubles[0].to_string();
    assert!(told.starts_with("line 2, column ") && told.contains("query the counter itself"), "{told}");
    let all = RANGE
        .lines()
        .take(2)
        .collect::<Vec<_>>()
        .join("\n")
        .replace("\"__name__\":\"node_disk_reads_completed_total\",", "");
    assert!(refused(&(all + "]}}")).contains("what rate() and other functions return has lost it"));
    let other = RANGE.replace("node_disk_", "windows_logical_disk_");
    assert!(
        refused(&other).contains("expected a series of node_exporter or of the EBS CSI driver"),
        "{}",
        refused(&other)
    );
    let once: String = RANGE.replace(",[1795687215", "],\"x\":[[1").replace(",[1795687230", ",[2");
    assert!(refused(&once).contains("two readings of a counter"), "{}", refused(&once));
    let mixed = RANGE.replace("node_disk_io_now", "node_load1");
    assert!(said(&imported(&mixed).runs[0]).is_empty());
    assert!(imported(&mixed).notes.join(";").contains("no figure of a device is known by 'node_load1'"));
}

#[test]
fn scrapes_of_node_exporter_are_rates_by_whatever_tells_their_times() {
    let stamped = |text: String, ms: u64| {
        let stamp =
            |line: &str| if line.starts_with('#') { format!("{line}\n") } else { format!("{line} {ms}\n") };
        text.lines().map(stamp).collect::<String>()
    };
    let first = || scrape(100, 0.5);
    let second = || scrape(300, 0.9);
    for text in [
        stamped(first(), 1_795_687_200_500) + &stamped(second(), 1_795_687_210_500),
        format!(
            "{}node_time_seconds 1.7956872005e+09\n{}node_time_seconds 1795687210.5\n",
            first(),
            second()
        ),
        format!("1795687200.5\n{}1795687210.5\n{}", first(), second()),
    ] {
        let import = imported(&text);
        assert_eq!((tools(&import), &import.troubles), (vec!["Prometheus text"], &vec![]), "{text}");
        let run = &import.runs[0];
        assert_eq!((run.started_unix_ms, seconds(run)), (1_795_687_200_500, vec![10.0]));
        near(&of(run, "nvme0n1", Metric::ReadOps), &[Some(20.0)]);
        near(&of(run, "nvme0n1", Metric::ReadAwait), &[Some(0.002)]);
        near(&of(run, "md \"a\"", Metric::ReadOps), &[Some(0.0)]);
    }
    let told = refused(&(first() + &second()));
    assert!(told.contains("a time of each scrape") && told.contains("'date +%s.%N'"), "{told}");
    let told = refused(&stamped(first(), 1_795_687_200_500));
    assert!(told.contains("two scrapes one after the other"), "{told}");
}

#[test]
fn counters_of_ebs_volumes_are_read_in_both_forms() {
    let line = |name: &str, value: f64, second: u64| {
        format!(
            "aws_ebs_csi_{name}{{instance_id=\"i-01\",volume_id=\"vol-0a\"}} {value} {}\n",
            (1_795_687_200 + second) * 1000
        )
    };
    let scrape = |at: u64, ops: f64, seconds: f64, queue: f64| {
        [
            line("write_ops_total", ops, at),
            line("write_seconds_total", seconds, at),
            line("volume_queue_length", queue, at),
            line("exceeded_iops_seconds_total", seconds, at),
        ]
        .concat()
    };
    let text = scrape(0, 5000.0, 1.0, 9.0) + &scrape(30, 5600.0, 4.0, 2.0);
    let series = |name: &str, values: [f64; 2]| {
        format!(
            "{{\"metric\":{{\"__name__\":\"aws_ebs_csi_{name}\",\"instance\":\"10.0.0.1:3302\",\"instance_id\":\"i-01\",\
             \"volume_id\":\"vol-0a\"}},\"values\":[[1795687200,\"{}\"],[1795687230,\"{}\"]]}}",
            values[0], values[1]
        )
    };
    let rows = [
        series("write_ops_total", [5000.0, 5600.0]),
        series("write_seconds_total", [1.0, 4.0]),
        series("volume_queue_length", [9.0, 2.0]),
        series("exceeded_iops_seconds_total", [1.0, 4.0]),
    ];
    let json = format!("{{\"data\":{{\"resultType\":\"matrix\",\"result\":[{}]}}}}", rows.join(","));
    for text in [text, json] {
        let run = &imported(&text).runs[0];
        assert_eq!(run.host.as_ref().unwrap().hostname, "i-01");
        near(&of(run, "vol-0a", Metric::WriteOps), &[Some(20.0)]);
        near(&of(run, "vol-0a", Metric::WriteAwait), &[Some(0.005)]);
        near(&of(run, "vol-0a", Metric::InFlight), &[Some(2.0)]);
        let exceeded = &run.exceeded[0];
        assert_eq!((exceeded.device.as_str(), exceeded.lasted.as_secs_f64()), ("vol-0a", 30.0));
        assert_eq!(
            (exceeded.before.volume_iops_us, exceeded.after.unwrap().volume_iops_us),
            (1_000_000, 4_000_000)
        );
    }
}

#[test]
fn sums_of_cloudwatch_are_rates_over_the_period_in_whichever_order_its_times_are() {
    let import = imported(CLOUDWATCH);
    assert_eq!((tools(&import), &import.troubles), (vec!["CloudWatch JSON"], &vec![]));
    let run = &import.runs[0];
    // 2026-11-26 10:00 UTC; a timestamp is the beginning of its period.
    assert_eq!((run.started_unix_ms, seconds(run)), (1_795_687_200_000, vec![300.0; 3]));
    near(&of(run, "vol-0abc", Metric::ReadOps), &[Some(200.0), Some(0.0), Some(100.0)]);
    near(&of(run, "vol-0abc", Metric::ReadAwait), &[Some(0.001), None, Some(0.0005)]);
    near(&of(run, "vol-0abc", Metric::Busy), &[Some(0.8), Some(0.0), Some(0.2)]);
    near(&of(run, "vol-0abc", Metric::QueueDepth), &[Some(4.0), None, Some(1.5)]);
    near(&of(run, "vol-0def", Metric::WriteBytes), &[Some(1024.0), Some(2048.0), None]);
    let notes = import.notes.join("; ");
    assert!(notes.contains("no figure of a device is known by 'vol-0abc BurstBalance'"), "{notes}");
    assert!(
        notes.contains(
            "'vol-0abc VolumeReadOps p99' stands for a volume and a metric that another result has"
        ),
        "{notes}"
    );
}

#[test]
fn pages_of_one_answer_are_joined_and_a_single_time_has_no_period() {
    let page = |second: u32, value: u32| {
        format!(
            "{{\"MetricDataResults\": [{{\"Id\": \"r\", \"Label\": \"VolumeReadOps\", \"Timestamps\": [\"2026-11-26T10:{second:02}:00Z\"], \
             \"Values\": [{value}]}}], \"NextToken\": \"x\"}}\n"
        )
    };
    let import = imported(&(page(1, 600) + &page(0, 1200) + &page(3, 60)));
    near(&of(&import.runs[0], "volume", Metric::ReadOps), &[Some(20.0), Some(10.0), None, Some(1.0)]);
    let told = refused(&page(1, 600));
    assert!(told.contains("two timestamps of a result"), "{told}");
    let told = refused(&page(1, 600).replace("VolumeReadOps", "CPUUtilization"));
    assert!(told.contains("a result whose 'Label' names a metric of an EBS volume"), "{told}");
}

/// Whatever is done to a recording, reading it ends in a result or a refusal.
#[test]
fn damaged_recordings_end_in_a_result_or_a_refusal() {
    let text = format!("1795687200.5\n{}1795687210.5\n{}", scrape(100, 0.5), scrape(300, 0.9));
    for whole in [RANGE, text.as_str(), CLOUDWATCH] {
        let hostile = [
            whole.replace("1150", "NaN").replace(" 300", " NaN").replace("30000.0", "NaN"),
            whole.replace("1150", "+Inf").replace(" 300", " +Inf").replace("30000.0", "1e999"),
            whole.replace("1150", "-1e308").replace(" 300", " -1e308").replace("30000.0", "-1e308"),
            whole.replace("1600", "1e308").replace(" 100\n", " 1e308\n").replace("60000.0", "1e308"),
            whole.replace("1795687215", "1e300").replace("1795687210.5", "1e300").replace("10:05", "99:99"),
            whole.replace("1795687215", "-5").replace("1795687210.5", "-5").replace("10:05", "10:10"),
            whole
                .replace("1795687215", "1795687200")
                .replace("1795687210.5", "1795687200.5")
                .replace("T10:", "T"),
            whole
                .replace("1795687200,", "1795687300,")
                .replace("1795687200.5", "1795687300.5")
                .replace("10:00:00", "23:00:00"),
            whole.replace(['"', '{'], ""),
            whole.replace(['[', ']'], "[[[[").replace("device=", "device=\""),
            whole.repeat(3),
            whole.replace("sda", &"x".repeat(10_000)).replace("vol-0abc", &"y".repeat(10_000)),
            whole.replace("1150", "").replace(" 300", "").replace("30000.0", "\"a\""),
            whole.replace("sda", "\\ud800\\\"").replace("nvme0n1", "\\").replace("vol-0abc", "\\u12"),
        ];
        for text in &hostile {
            match import::read(import::Input { name: "x", bytes: text.as_bytes() }, &[]) {
                Ok(import) => import.runs.iter().flat_map(|run| &run.observed).for_each(|observed| {
                    let values = observed.devices.iter().flat_map(|device| &device.metrics);
                    for (metric, values) in values {
                        assert_eq!(values.len(), observed.intervals.len(), "{metric:?}");
                        assert!(values.iter().all(|value| !value.is_infinite()), "{metric:?}: {text}");
                    }
                    assert!(observed.intervals.iter().all(|(from, to)| from < to), "{text}");
                }),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let _ = import::read(import::Input { name: "x", bytes: &whole.as_bytes()[..end] }, &[]);
        }
    }
}

#[test]
fn an_answer_that_is_cut_is_read_up_to_there() {
    let cut = &RANGE[..RANGE.find("\"node_disk_io_now\"").unwrap()];
    let import = imported(cut);
    near(&of(&import.runs[0], "sda", Metric::Busy), &[Some(0.4), Some(1.0)]);
    assert!(import.troubles[0].to_string().contains("the brackets that close it"), "{:?}", import.troubles);
}

/// A day of twenty disks every fifteen seconds, in each of eight counters: 920,000 readings in 24 MB.
#[test]
fn a_day_of_twenty_disks_is_read_whole() {
    let mut text = String::from("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[");
    let names = [
        "reads_completed_total",
        "writes_completed_total",
        "read_bytes_total",
        "written_bytes_total",
        "read_time_seconds_total",
        "write_time_seconds_total",
        "io_time_seconds_total",
        "io_now",
    ];
    for disk in 0..20 {
        for name in names {
            let _ = write!(
                text,
                "{{\"metric\":{{\"__name__\":\"node_disk_{name}\",\"device\":\"sd{disk}\",\"instance\":\"a\"}},\"values\":["
            );
            for at in 0..5760_u64 {
                let _ = write!(
                    text,
                    "{}[{},\"{}\"]",
                    if at > 0 { "," } else { "" },
                    1_795_687_200 + 15 * at,
                    30 * at
                );
            }
            text += "]},";
        }
    }
    text.pop();
    text += "]}}";
    let import = imported(&text);
    let observed = import.runs[0].observed.as_ref().unwrap();
    assert_eq!((observed.devices.len(), observed.intervals.len()), (20, 5759));
    assert_eq!(of(&import.runs[0], "sd19", Metric::WriteAwait), vec![Some(1.0); 5759]);
    assert!(import.notes.is_empty() && import.troubles.is_empty(), "{:?}", import.notes);
}

/// Series of which none has a time of another leave nearly all cells empty; they are bounded, and this is said.
#[test]
fn series_of_ever_other_times_take_no_more_memory_than_allowed() {
    let mut text = String::from("{\"data\":{\"resultType\":\"matrix\",\"result\":[");
    for at in 0..3000_u64 {
        let (first, last) = (1_795_687_200 + at, 1_795_787_200 + at);
        let _ = write!(
            text,
            "{{\"metric\":{{\"__name__\":\"node_disk_io_now\",\"device\":\"d{at}\"}},\"values\":[[{first},\"0\"],[{last},\"1\"]]}},"
        );
    }
    text.pop();
    let import = imported(&(text + "]}}"));
    let observed = import.runs[0].observed.as_ref().unwrap();
    let cells = observed
        .devices
        .iter()
        .flat_map(|device| &device.metrics)
        .map(|(_, values)| values.len())
        .sum::<usize>();
    assert!(!observed.devices.is_empty() && cells < 1 << 23, "{cells}");
    assert!(
        said(&import.runs[0]).contains("query all with the same start and step"),
        "{}",
        said(&import.runs[0])
    );
}
