//! Limiters with a known figure: this kernel's throttle, and a bucket of QEMU's.

use serde_json::Value;
use testbed::{LoopOver, QemuThrottle, Through, text};
use workload::Bytes;

use crate::machine::{Folder, ended, lab_volume};

/// Largest accepted error of a figure, as a share.
const NEAR: f64 = 0.02;

fn is_near(measured: f64, truth: f64) -> bool {
    (measured / truth - 1.0).abs() <= NEAR
}

/// Seconds of a slice, which a rested throttle lets through in addition at first.
const SLICE_S: f64 = 0.1;

/// Reads from `device` for this many seconds, in fio's words; returns the report on the reads.
fn reads(folder: &Folder, device: &str, (seconds, more): (u64, &str)) -> Value {
    let words = format!(
        "fio --name=reads --filename={device} --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth=32 \
         --time_based --runtime={seconds} --output-format=json {more}"
    );
    let words: Vec<&str> = words.split_whitespace().collect();
    let ended = ended(&mut folder.plimsoll(&words));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    ended.json()["jobs"][0]["read"].clone()
}

/// Returns the reads that the kernel has counted on a block device since it exists.
fn counted(device: &str) -> u64 {
    let name = device.trim_start_matches("/dev/");
    let text = std::fs::read_to_string(format!("/sys/class/block/{name}/stat")).unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

/// Every reported read is one of the device's, and their rate is the cap.
pub fn a_cap_of_the_kernel_is_what_fio_words_measure() {
    const CAP: f64 = 840.0;
    const SECONDS: u64 = 5;
    let folder = Folder::in_memory();
    let Some(volume) = lab_volume("custom,iops=840", Bytes::mib(64)) else { return };
    let device = text(volume.device());
    let before = counted(&device);
    let read = reads(&folder, &device, (SECONDS, "--disk_util=0"));
    let (told, happened) = (read["total_ios"].as_u64().unwrap(), counted(&device) - before);
    // Examining the device before a run reads some blocks too.
    assert!((told..told + 64).contains(&happened), "{told} reads told, {happened} counted by the kernel");
    let rate = read["iops"].as_f64().unwrap();
    let with_a_slice_more = CAP * (1.0 + SLICE_S / SECONDS as f64);
    assert!(is_near(rate, CAP) || is_near(rate, with_a_slice_more), "{rate} reads a second of {CAP}");
}

/// QEMU's bucket leaks: it holds what passes at the burst rate within its length, and drains at the base rate
/// meanwhile (QEMU, docs/throttle.txt). With four seconds of 1,500 and a base of 500, the burst lasts six.
pub fn a_bucket_of_qemu_lasts_as_long_as_it_should() {
    let limits = [("iops-total", 500), ("iops-total-max", 1_500), ("iops-total-max-length", 4)];
    let Some(throttled) = QemuThrottle::or_skip(64, &limits) else { return };
    let Some(device) = LoopOver::or_skip(throttled.path(), Through::Direct) else { return };
    let folder = Folder::in_memory();
    let log = format!("--write_iops_log={} --log_avg_msec=500", folder.text("reads"));
    let read = reads(&folder, &text(device.path()), (10, &log));
    let total = read["total_ios"].as_f64().unwrap();
    assert!(is_near(total, 6.0 * 1_500.0 + 4.0 * 500.0), "{total} reads in 10 s");
    let rows = std::fs::read_to_string(folder.path("reads_iops.1.log")).unwrap();
    let rates: Vec<f64> = rows.lines().filter_map(|row| row.split(", ").nth(1)?.parse().ok()).collect();
    let mean = |rows: &[f64]| rows.iter().sum::<f64>() / rows.len() as f64;
    let (first, last) = (mean(&rates[1..9]), mean(&rates[rates.len() - 5..]));
    assert!(is_near(first, 1_500.0) && is_near(last, 500.0), "first {first}, last {last}: {rates:?}");
}
