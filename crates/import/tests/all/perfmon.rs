//! CSV of performance counters: typeperf and logman of Windows, esxtop of ESXi.

use import::{Input, read};
use record::{Metric, ObservedMachine, Run};

use crate::vocabulary::*;

/// What typeperf prints: a first row without rates, a disk that is missing later, the closing lines.
pub const TYPEPERF: &str = r#"
"(PDH-CSV 4.0)","\\WIN\PhysicalDisk(0 C:)\Disk Reads/sec","\\WIN\PhysicalDisk(1 D:)\Disk Reads/sec","\\WIN\PhysicalDisk(_Total)\Disk Reads/sec","\\WIN\PhysicalDisk(0 C:)\Avg. Disk sec/Read","\\WIN\PhysicalDisk(0 C:)\% Idle Time","\\WIN\PhysicalDisk(0 C:)\Current Disk Queue Length","\\WIN\Processor(_Total)\% Processor Time","\\WIN\PhysicalDisk(0 C:)\Disk Read Bytes/sec"
"11/04/2026 10:00:00.125"," "," "," "," "," ","3"," "," "
"11/04/2026 10:00:01.125","100.000000","0.000000","100","0.002500","40.000000","2","7.5","409600.000000"
"11/04/2026 10:00:02.625","200.5"," ","200.5","0.001","99.5","0","7","819200"
Exiting, please wait...                         
The command completed successfully.
"#;

/// What `esxtop -b` prints of an adapter, a device with its path, a virtual disk and a processor.
const ESXTOP: &str = r#""(PDH-CSV 4.0) (UTC)(0)","\\esx\Memory\Memory Overcommit (1 Minute Avg)","\\esx\Physical Disk Adapter(vmhba0)\Commands/sec","\\esx\Physical Disk SCSI Device(naa.60)\Reads/sec","\\esx\Physical Disk SCSI Device(naa.60)\MBytes Written/sec","\\esx\Physical Disk SCSI Device(naa.60)\Average Guest MilliSec/Command","\\esx\Physical Disk SCSI Device(naa.60)\Average Kernel MilliSec/Command","\\esx\Physical Disk Path(vmhba0:C0:T0:L0)\Reads/sec","\\esx\Virtual Disk(db (old):scsi0:0)\Average MilliSec/Write"
"11/24/2026 10:00:00","0.00","5.00","3.00","2.00","1.50","0.10","3.00","4.00"
"11/24/2026 10:00:05","0.00","6.00","4.00","-1","2.50","0.10","3.00","8.00"
"#;

fn observed(run: &Run) -> &ObservedMachine {
    run.observed.as_ref().unwrap()
}

fn of(run: &Run, device: &str, metric: Metric) -> Vec<Option<f64>> {
    let device = observed(run).devices.iter().find(|known| known.name == device).unwrap();
    let values = &device.metrics.iter().find(|(known, _)| *known == metric).unwrap().1;
    values.iter().map(|value| Some(*value).filter(|value| !value.is_nan())).collect()
}

fn names(run: &Run) -> Vec<&str> {
    observed(run).devices.iter().map(|device| device.name.as_str()).collect()
}

fn seconds(run: &Run) -> Vec<f64> {
    observed(run).intervals.iter().map(|(from, to)| to.since(*from).as_secs_f64()).collect()
}

#[test]
fn counters_of_windows_are_series_of_its_disks() {
    let wide =
        |text: &str| [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let zoned = TYPEPERF.replace("4.0)\"", "4.0) (W. Europe Standard Time)(-60)\"").replace('\n', "\r\n");
    let tabs = TYPEPERF.replace("\",\"", "\"\t\"").replace("PDH-CSV", "PDH-TSV").to_lowercase();
    // 2026-11-04 10:00:00.125 UTC; the month is first, whatever the day.
    let began = 1_793_786_400_125;
    for (bytes, began) in [
        (TYPEPERF.as_bytes().to_vec(), began),
        (TYPEPERF.replace('"', "").into_bytes(), began),
        (wide(&zoned), began - 3_600_000),
        (tabs.replace("(pdh-tsv", "(PDH-TSV").replace("c:", "C:").replace("d:", "D:").into_bytes(), began),
    ] {
        let import = read(Input { name: "x", bytes: &bytes }, &[]).unwrap();
        assert_eq!((tools(&import), &import.troubles), (vec!["Windows performance counters CSV"], &vec![]));
        let run = &import.runs[0];
        assert_eq!(
            (run.started_unix_ms, seconds(run), names(run)),
            (began, vec![1.0, 1.5], vec!["0 C:", "1 D:"])
        );
        assert_eq!(of(run, "0 C:", Metric::ReadOps), [Some(100.0), Some(200.5)]);
        assert_eq!(of(run, "0 C:", Metric::ReadBytes), [Some(409_600.0), Some(819_200.0)]);
        assert_eq!(of(run, "0 C:", Metric::ReadAwait), [Some(0.0025), Some(0.001)]);
        assert_eq!(of(run, "0 C:", Metric::Busy), [Some(0.6), Some(0.005)]);
        assert_eq!(of(run, "0 C:", Metric::InFlight), [Some(2.0), Some(0.0)]);
        assert_eq!(of(run, "1 D:", Metric::ReadOps), [Some(0.0), None], "a missing cell is a gap");
        assert!(run.events.iter().all(|event| !event.text.contains("boot")), "{:?}", run.events);
    }
}

#[test]
fn counters_of_esxi_are_series_of_its_adapters_devices_and_virtual_disks() {
    let import = imported(ESXTOP);
    assert_eq!((tools(&import), &import.troubles), (vec!["esxtop CSV"], &vec![]));
    let run = &import.runs[0];
    assert_eq!(names(run), ["vmhba0", "naa.60", "db (old):scsi0:0"]);
    assert_eq!((seconds(run), run.started_unix_ms), (vec![5.0, 5.0], 1_795_514_395_000));
    assert_eq!(run.host.as_ref().unwrap().hostname, "esx");
    assert_eq!(of(run, "vmhba0", Metric::Ops), [Some(5.0), Some(6.0)]);
    assert_eq!(of(run, "naa.60", Metric::WriteBytes), [Some(2.0 * 1_048_576.0), None]);
    assert_eq!(of(run, "naa.60", Metric::Await), [Some(0.0015), Some(0.0025)], "the guest's wait");
    assert_eq!(of(run, "db (old):scsi0:0", Metric::WriteAwait), [Some(0.004), Some(0.008)]);
}

#[test]
fn each_host_and_each_header_is_a_run() {
    let second = |text: &str| text.replace("\\\\WIN\\PhysicalDisk(1 D:)", "\\\\NEXT\\PhysicalDisk(1 D:)");
    let import = imported(&(second(TYPEPERF) + TYPEPERF));
    let hosts: Vec<&str> =
        import.runs.iter().map(|run| run.host.as_ref().unwrap().hostname.as_str()).collect();
    assert_eq!(hosts, ["WIN", "NEXT", "WIN"]);
    assert_eq!(names(&import.runs[1]), ["1 D:"]);
}

#[test]
fn counters_without_a_disk_or_in_another_language_are_refused_with_the_remedy() {
    for (found, text) in [
        (
            "\\\\WIN\\Physikalischer Datenträger(0 C:)",
            TYPEPERF.replace("PhysicalDisk", "Physikalischer Datenträger"),
        ),
        ("\\\\WIN\\Disque physique(0 C:)", TYPEPERF.replace("PhysicalDisk", "Disque physique")),
        ("\\\\WIN\\PhysicalDisk(_Total)", TYPEPERF.replace("0 C:", "_Total").replace("1 D:", "_Total")),
    ] {
        let told = refused(&text);
        assert!(told.contains("line 2, column 17: expected a counter of one disk"), "{told}");
        assert!(told.contains("English name") && told.contains(&format!("found '{found}")), "{told}");
    }
    assert!(refused(TYPEPERF.split("\"11/04/2026 10:00:01").next().unwrap()).contains("no two rows"));
}

#[test]
fn a_damaged_cell_and_a_cut_row_are_named_and_the_others_are_read() {
    let damaged = TYPEPERF.replace("0.002500", "0.0x").replace("11/04/2026 10:00:02", "31/04/2026 10:00:02");
    let told: Vec<String> = imported(&damaged).troubles.iter().map(ToString::to_string).collect();
    assert!(
        told[0].starts_with("line 4, column 57: expected a number") && told[0].ends_with("'0.0x'"),
        "{told:?}"
    );
    assert!(told[1].starts_with("line 5, column 1: expected a time like 11/24/2026"), "{told:?}");
    let import = imported(&TYPEPERF[..TYPEPERF.find("9200\"\nExiting").unwrap()]);
    assert_eq!(import.troubles.len(), 1, "{:?}", import.troubles);
    assert_eq!(of(&import.runs[0], "0 C:", Metric::ReadBytes), [Some(409_600.0), None], "not 81 bytes");
}

#[test]
fn a_table_that_a_page_has_indented_is_read() {
    let indented = format!(" {}", TYPEPERF.replace('\n', "\n "));
    assert_eq!(
        of(&imported(&indented).runs[0], "0 C:", Metric::ReadBytes),
        [Some(409_600.0), Some(819_200.0)]
    );
}

#[test]
fn many_columns_are_read_in_one_pass() {
    let column = |index: usize| format!(",\"\\\\e\\Physical Disk SCSI Device(naa.{index})\\Reads/sec\"");
    let header: String = (0..3000).map(column).collect();
    let others: String =
        (0..17_000).map(|index| format!(",\"\\\\e\\Group Cpu({index}:vm)\\% Used\"")).collect();
    let row = |second: u32| format!("\"11/24/2026 10:00:{second:02}\"{}\n", ",\"1.00\"".repeat(20_000));
    let text =
        format!("\"(PDH-CSV 4.0) (UTC)(0)\"{others}{header}\n") + &(0..20).map(row).collect::<String>();
    let import = imported(&text);
    assert_eq!(observed(&import.runs[0]).devices.len(), 3000);
    assert_eq!(of(&import.runs[0], "naa.2999", Metric::ReadOps), vec![Some(1.0); 20]);
}
