//! iostat's text as logs hold it: the headers of every generation, decimal commas, figures with units, and damage.

use record::{CpuMetric, Metric, Recording};

use crate::vocabulary::*;

/// Returns the host's line, one empty line, then the reports.
fn log(reports: &[&str]) -> String {
    format!("Linux 5.4.0 (box) \t11/21/2026 \t_x86_64_\t(4 CPU)\n\n{}\n", reports.join("\n\n"))
}

/// Returns the report twice: for the time since boot, and for an interval.
fn twice(report: &str) -> String {
    log(&[report, report])
}

fn is(text: &str, device: &str, wanted: &[(Metric, f64)]) {
    let import = imported(text);
    assert_eq!((import.runs.len(), import.troubles.len()), (1, 0), "{:?}", import.troubles);
    let recording = Recording::of(&import.runs[0]);
    assert_eq!(recording.intervals().len(), 1);
    for (metric, value) in wanted {
        let found = recording.device(device, *metric).unwrap_or_else(|| panic!("no {metric:?}"))[0];
        assert!((found - value).abs() <= 1e-9 * value.abs(), "{metric:?}: {found}, not {value}");
    }
}

#[test]
fn every_generation_of_header_is_read_in_base_units() {
    is(
        &twice(
            "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util\n\
             sda               1.50     2.50  100.00   50.00   400.00   800.00    16.00     3.25    4.50    1.25   11.00   0.10  42.50",
        ),
        "sda",
        &[
            (Metric::ReadMerges, 1.5),
            (Metric::ReadOps, 100.0),
            (Metric::WriteBytes, 819_200.0),
            (Metric::Size, 8192.0),
            (Metric::Await, 0.0045),
            (Metric::Busy, 0.425),
        ],
    );
    is(
        &twice(
            "Device            r/s     w/s     rkB/s     wkB/s   rrqm/s   wrqm/s  %rrqm  %wrqm r_await w_await aqu-sz rareq-sz wareq-sz  svctm  %util\n\
             sda            100.00   50.00    400.00    800.00    25.00     0.00  20.00   0.00    1.25   11.00   0.68     4.00    16.00   0.10  42.50",
        ),
        "sda",
        &[(Metric::ReadMergedShare, 0.2), (Metric::ReadSize, 4096.0), (Metric::QueueDepth, 0.68)],
    );
    is(
        &twice(
            "Device             tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd\n\
             nvme0n1         250.00      1768.00      9600.00     28728.00      17680      96000     287280",
        )
        .replacen("17680      96000     287280", "1768000    9600000   28728000", 1),
        "nvme0n1",
        &[(Metric::Ops, 250.0), (Metric::ReadBytes, 1_810_432.0), (Metric::DiscardBytes, 29_417_472.0)],
    );
}

/// What 12.6.1 prints with `-x -y -t`: a second empty line below the host's.
const WITH_TIMES: &str = "Linux 6.1.0 (box) \t11/21/26 \t_x86_64_\t(2 CPU)


11/21/26 17:43:38
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          28.64   66.50    4.37    0.00    0.49    0.00

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
sda              4.00     16.00     0.00   0.00    0.25     4.00  512.00   2048.00     0.00   0.00    0.35     4.00    0.00      0.00     0.00   0.00    0.00     0.00   28.25    0.05    0.61   3.30
vg data          4.00     16.00     0.00   0.00    0.25     4.00    0.00      0.00     0.00   0.00    0.00     0.00    0.00      0.00     0.00   0.00    0.00     0.00    0.00    0.00    0.01   0.10


11/21/26 17:43:48
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          10.00    0.00    5.00    1.00    0.00   84.00

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
sda              8.00     32.00     0.00   0.00    0.25     4.00  512.00   2048.00     0.00   0.00    0.35     4.00    0.00      0.00     0.00   0.00    0.00     0.00   28.25    0.05    0.61   3.30
";

#[test]
fn times_cpus_and_names_with_blanks_are_read() {
    let import = imported(WITH_TIMES);
    assert_eq!(tools(&import), ["iostat 12.3.1 or later text"]);
    let run = &import.runs[0];
    let recording = Recording::of(run);
    assert_eq!(recording.devices(), ["sda", "vg data"]);
    assert_eq!(recording.intervals().len(), 2, "-y left the report since boot out");
    assert_eq!(recording.usual().as_secs_f64(), 10.0);
    assert_eq!(recording.device("sda", Metric::ReadOps).unwrap(), [4.0, 8.0]);
    assert!(recording.device("vg data", Metric::ReadOps).unwrap()[1].is_nan());
    assert_eq!(recording.cpu(CpuMetric::Idle).unwrap(), [0.0, 0.84]);
    let comma = WITH_TIMES.replace('.', ",").replace("6,1,0", "6.1.0");
    let import = imported(&comma);
    assert_eq!(Recording::of(&import.runs[0]).cpu(CpuMetric::Idle).unwrap(), [0.0, 0.84]);
}

#[test]
fn the_time_of_the_day_that_old_versions_print_is_that_of_the_hosts_day() {
    let report = |time: &str, reads: u32| {
        format!(
            "Time: {time}\nDevice:  tps  Blk_read/s  Blk_wrtn/s  Blk_read  Blk_wrtn\nsda  {reads}.00  8.00  0.00  80  0"
        )
    };
    let reports = [report("11:59:40 PM", 1), report("11:59:50 PM", 2), report("12:00:00 AM", 3)];
    let import = imported(&log(&reports.each_ref().map(String::as_str)));
    assert_eq!((seconds(&import), import.runs[0].started_unix_ms), (vec![10.0; 3], 1_795_305_570_000));
    assert_eq!(Recording::of(&import.runs[0]).device("sda", Metric::Ops).unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn figures_with_units_of_their_own_and_names_behind_them_are_read() {
    is(
        &twice(
            "     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device\n   1.50k     16.5M     7.09   0.5%    0.29    11.6k sda\n\n     \
             w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz Device\n  509.50     29.2M   127.29  20.0%    0.35    58.6k sda",
        ),
        "sda",
        &[
            (Metric::ReadOps, 1500.0),
            (Metric::ReadBytes, 16.5 * 1_048_576.0),
            (Metric::ReadSize, 11.6 * 1024.0),
            (Metric::WriteMergedShare, 0.2),
        ],
    );
}

#[test]
fn a_row_that_does_not_fit_its_header_is_named_and_the_others_are_read() {
    let broken = WITH_TIMES.replacen("    0.61   3.30\nvg", "    0.61   x.30\nvg", 1).replacen(
        "sda              8.00     32.00",
        "sda",
        1,
    );
    let import = imported(&broken);
    let told: Vec<String> = import.troubles.iter().map(ToString::to_string).collect();
    assert!(told[0].starts_with("line 9, column 1: expected a number for %util of sda"), "{told:?}");
    assert!(told[1].starts_with("line 18, column 1: expected a device's name and 22 figures"), "{told:?}");
    assert_eq!(Recording::of(&import.runs[0]).device("sda", Metric::ReadOps).unwrap()[0], 4.0);
    assert!(refused("Linux 5.4.0 (box) \t11/21/26 \t_x86_64_\t(4 CPU)\n\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n 1.00 0.00 1.00 0.00 0.00 98.00\n").contains("covers an interval"));
}

#[test]
fn rows_that_grep_picked_out_are_a_report_each() {
    let host = "Linux 6.1.0 (box) \t11/21/26 \t_x86_64_\t(2 CPU)\n";
    let head = "Device            r/s     w/s     rMB/s  %util\n";
    let row = |device: &str, rate: u32| format!("{device}  {rate}.00 2.00 0.50 3.00\n");
    let two = |rate: u32| row("nvme0n1", rate) + &row("nvme1n1", 7);
    let one = |rate: u32| row("nvme0n1", rate);
    let timed = |rate: u32| format!("11/21/26 17:43:{rate}\n{}", one(rate));
    let rows = |form: &dyn Fn(u32) -> String| [40, 41, 43].map(form).concat();
    let headed = |rate: u32| format!("{head}{}", one(rate));
    // The header once, before every row, or with other lines between; with the host's line, the first row is since boot.
    for (text, rates, lengths) in [
        (format!("{host}{head}{}", rows(&one)), vec![41.0, 43.0], vec![1.0, 1.0]),
        (format!("{head}{}", rows(&one)), vec![40.0, 41.0, 43.0], vec![1.0; 3]),
        (format!("{host}{head}{}", rows(&two)), vec![41.0, 43.0], vec![1.0, 1.0]),
        (format!("{host}{}", rows(&headed)), vec![41.0, 43.0], vec![1.0, 1.0]),
        (
            format!("$ iostat -dmx 2 3 | grep nvme0n1\n{host}{head}{}", rows(&one)),
            vec![41.0, 43.0],
            vec![2.0, 2.0],
        ),
        (format!("{host}{head}{}", rows(&timed)), vec![41.0, 43.0], vec![1.0, 2.0]),
        (
            rows(&|rate| format!("11/21/26 17:43:{rate}\n{}", headed(rate))),
            vec![40.0, 41.0, 43.0],
            vec![2.0, 1.0, 2.0],
        ),
        (rows(&|rate| headed(rate) + "--\n"), vec![40.0, 41.0, 43.0], vec![1.0; 3]),
    ] {
        let import = imported(&text);
        assert_eq!((import.runs.len(), &import.troubles), (1, &vec![]), "{text}");
        let recording = Recording::of(&import.runs[0]);
        assert_eq!(recording.device("nvme0n1", Metric::ReadOps).unwrap(), rates, "{text}");
        assert_eq!(seconds(&import), lengths, "{text}");
    }
    let told = refused(
        &(host.to_owned() + &"sda 1.00 2.00 3.00 4.00 5.00 6.00 7.00 8.00 9.00 1.00 2.00\n".repeat(3)),
    );
    assert!(told.contains("line 2, column 1: expected the line 'Device r/s"), "{told}");
}

#[test]
fn amounts_show_a_first_report_since_boot_whose_hosts_line_is_missing() {
    let row = |rate: &str, amount: u32| {
        format!("Device  tps kB_read/s kB_wrtn/s kB_read kB_wrtn\nsda 1.00 {rate} 0.00 {amount} 0\n")
    };
    let import = imported(&(row("20.00", 2_000_000) + &row("50.00", 100) + &row("60.00", 120)));
    assert_eq!(seconds(&import), [2.0, 2.0]);
}

/// Returns reports without times, as pages show them, one for each of `reads`, its reads a second.
fn bare_reports(reads: &[u32]) -> String {
    let report = |reads: &u32| {
        format!(
            "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s  %util\nsda  0.00 1.00 {reads}.00 2.00 8.00 9.00 3.00\n\n"
        )
    };
    reads.iter().map(report).collect()
}

fn seconds(import: &import::Import) -> Vec<f64> {
    let observed = import.runs[0].observed.as_ref().unwrap();
    observed.intervals.iter().map(|(from, to)| to.since(*from).as_secs_f64()).collect()
}

#[test]
fn a_command_above_the_reports_tells_their_interval_and_whether_the_first_is_since_boot() {
    let host = "Linux 3.10.0 (h) \t01/02/20 \t_x86_64_\t(4 CPU)\n\n";
    for (before, expected) in [
        (format!("$ iostat -x 5 3\n{host}"), vec![5.0, 5.0]),
        ("[root@h ~]# iostat -x 5 3\n".to_owned(), vec![5.0, 5.0]),
        ("# iostat -xy 5 3\n".to_owned(), vec![5.0, 5.0, 5.0]),
        ("$ iostat -x 5\n".to_owned(), vec![5.0, 5.0, 5.0]),
        (format!("$ /usr/bin/iostat -y -x 2 3 | tee log\n{host}"), vec![2.0, 2.0, 2.0]),
    ] {
        let import = imported(&format!("{before}{}", bare_reports(&[1, 2, 3])));
        assert_eq!(seconds(&import), expected, "{before}");
        let told = |word: &str| import.runs[0].events.iter().any(|event| event.text.contains(word));
        assert!(!told("one second"), "{before}");
    }
}

#[test]
fn columns_that_a_page_has_wrapped_are_read_and_make_no_devices() {
    let text = "Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s
                wMB/s avgrq-sz avgqu-sz   await  %util
sda               0.00    11.60    0.60   24.20     0.02
                  0.14    13.35     0.06    2.42   1.06
sdb               1.00    11.60    7.60   24.20     0.02
                  0.14    13.35     0.06    2.42   1.06
";
    let import = imported(text);
    assert_eq!(import.troubles, []);
    let observed = import.runs[0].observed.as_ref().unwrap();
    let names: Vec<&str> = observed.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(names, ["sda", "sdb"]);
    let of = |metric| observed.devices[1].metrics.iter().find(|(known, _)| *known == metric).unwrap().1[0];
    assert_eq!((of(record::Metric::ReadOps), of(record::Metric::Busy)), (7.6, 0.0106));
}

#[test]
fn a_row_that_holds_more_than_its_columns_is_refused_by_its_place() {
    let text = "Device            r/s     w/s  %util\nsda 1.00 2.00 3.00\nwMB/s avgrq-sz avgqu-sz 4.00 5.00 6.00\n81.09 1010.19 1.00 2.00 3.00\n";
    let import = imported(text);
    let observed = import.runs[0].observed.as_ref().unwrap();
    assert_eq!(observed.devices.len(), 1, "{:?}", observed.devices);
    let told: Vec<String> = import.troubles.iter().map(ToString::to_string).collect();
    assert!(told[0].starts_with("line 3, column 1: expected a device's name and 3 figures"), "{told:?}");
    assert_eq!(told.len(), 2);
}

/// Returns the shares of the first report: idle, system, iowait.
fn shares(text: &str) -> [Option<f64>; 3] {
    let import = imported(text);
    assert_eq!(import.troubles, [], "{text}");
    let recording = Recording::of(&import.runs[0]);
    [CpuMetric::Idle, CpuMetric::System, CpuMetric::Iowait]
        .map(|of| recording.cpu(of).map(|shares| shares[0]))
}

#[test]
fn every_share_of_the_cpus_stays_below_its_own_column() {
    let row = "\n           4.00    1.00    2.00   30.00   63.00\n";
    let wanted = [Some(0.63), Some(0.02), Some(0.3)];
    for heads in ["%user   %nice    %sys %iowait   %idle", "%User %Nice %System %Iowait %Idle"] {
        assert_eq!(shares(&format!("avg-cpu:  {heads}{row}")), wanted, "{heads}");
    }
    // A column that is not known keeps its place.
    let unknown = format!("avg-cpu:  %user   %new  %system %iowait   %idle{row}");
    assert_eq!(shares(&unknown), wanted);
    assert!(told(&imported(&unknown), "no meaning is known of '%new'"));
    assert_eq!(shares(&format!("avg-cpu:  %user   %nice\n  %sys %iowait   %idle{row}")), wanted, "wrapped");
    let cut = imported(&format!(
        "avg-cpu: %user %nice %sys %iowait %idle{row}\navg-cpu: %user %nice %sys %iowait %idle\n 4.00 1.00 2.0\n"
    ));
    assert_eq!(
        cut.troubles[0].to_string(),
        "line 5, column 1: expected 5 shares of the CPUs, found '4.00 1.00 2.0'"
    );
}

fn told(import: &import::Import, words: &str) -> bool {
    import.runs[0].events.iter().any(|event| event.text.contains(words))
}

fn devices(import: &import::Import) -> Vec<&str> {
    let observed = import.runs[0].observed.as_ref().unwrap();
    observed.devices.iter().map(|device| device.name.as_str()).collect()
}

#[test]
fn sentences_below_rows_are_neither_devices_nor_reported() {
    let text = "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
vdb              20.50       300.25       100.75       1501        503
In this sample vdb has read some 300 kB in each second
and 15 of its 20 requests took less than 5 ms.
";
    let import = imported(text);
    assert_eq!((devices(&import), &import.troubles), (vec!["vdb"], &vec![]));
    let cut = imported(&format!("{text}vdc              20.50       300.25"));
    assert_eq!(cut.troubles[0].line, 5, "a row that has been cut is reported all the same");
    let thousands =
        imported(&text.replace("20.50       300.25       100.75", "1,020.50     3,000.25     1,000.75"));
    let recording = Recording::of(&thousands.runs[0]);
    assert_eq!(recording.device("vdb", Metric::Ops).unwrap(), [1020.5], "{:?}", thousands.troubles);
}

#[test]
fn columns_and_figures_of_one_device_below_its_first_ones_are_its_own() {
    let import = imported(
        "Device: rrqm/s wrqm/s r/s w/s rMB/s\nvdb 0.00 2.00 30.00 4.00 0.50\nwMB/s await %util\n0.25 1.50 12.00\nAs 1 of 8 disks it is idle.\n",
    );
    assert_eq!((devices(&import), &import.troubles), (vec!["vdb"], &vec![]));
    let recording = Recording::of(&import.runs[0]);
    assert_eq!(recording.device("vdb", Metric::Busy).unwrap(), [0.12]);
    assert_eq!(recording.device("vdb", Metric::ReadOps).unwrap(), [30.0]);
}

#[test]
fn a_row_whose_header_was_cut_off_is_reported_if_others_are_read() {
    let row = "vdb 0.00 2.00 30.00 4.00 0.50 0.25 8.00 0.10 1.50 0.30 12.00\n";
    let header = "Device: rrqm/s wrqm/s r/s w/s rMB/s wMB/s avgrq-sz avgqu-sz await svctm %util\n";
    let import = imported(&format!("{row}\n{header}{row}"));
    let told = import.troubles[0].to_string();
    assert!(told.starts_with("line 1, column 1: expected the line 'Device r/s"), "{told}");
    // A row of another width is another tool's.
    assert_eq!(imported(&format!("cpu0{}\n{header}{row}", " 1.00".repeat(10))).troubles, []);
}

#[test]
fn a_report_since_boot_alone_is_refused_for_that_with_any_options() {
    let row = |figures: usize| format!("vda{}\n\n", "     1.00".repeat(figures));
    let cpu = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n          63.17    9.83    5.77    1.52    0.12   19.60\n\n";
    let host = "Linux 3.10.0-1160.el7.x86_64 (vm) \t11/27/2026 \t_x86_64_\t(2 CPU)\n\n";
    let of_7 = "Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util\n";
    let new = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n";
    for (header, figures) in [(of_7, 13), (new, 14)] {
        for above in [String::new(), cpu.to_owned(), format!("11/27/2026 08:31:53 AM\n{cpu}")] {
            let words = refused(&format!("{host}{above}{header}{}", row(figures)));
            assert!(words.contains("give iostat an interval"), "{words}");
        }
        assert!(refused(&row(figures)).contains("keep it"), "a row alone still lacks its header");
    }
}
