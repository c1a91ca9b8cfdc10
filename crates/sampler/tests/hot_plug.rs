//! A real device that comes and goes while the sampler runs: a loop device with a partition, attached twice.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use kernel::Clock;
use record::{Metric, Recording, Run, Sample};
use sampler::{Devices, Root, SamplerThread};
use workload::Nanos;

/// An attached loop device; detached also when the test fails.
struct Loop(String);

impl Loop {
    /// `None` where it cannot be had.
    fn attach(file: &Path) -> Option<Loop> {
        let made =
            Command::new("losetup").args(["--find", "--show", "--partscan"]).arg(file).output().ok()?;
        made.status.success().then(|| Loop(String::from_utf8(made.stdout).unwrap().trim().to_owned()))
    }

    fn partition(&self) -> String {
        format!("{}p1", self.0.trim_start_matches("/dev/"))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

/// 8 MiB with one partition of 4 MiB that begins at 1 MiB (an MBR, as fdisk writes it).
fn partitioned(file: &Path) {
    let mut bytes = vec![0u8; 8 << 20];
    bytes[446 + 4] = 0x83;
    bytes[446 + 8..446 + 12].copy_from_slice(&2048u32.to_le_bytes());
    bytes[446 + 12..446 + 16].copy_from_slice(&8192u32.to_le_bytes());
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    std::fs::write(file, bytes).unwrap();
}

/// Takes samples until one fits.
fn until(thread: &SamplerThread, samples: &mut Vec<Sample>, fits: impl Fn(&Sample) -> bool) -> bool {
    for _ in 0..100 {
        let sample = thread.wait().unwrap();
        let done = fits(&sample);
        samples.push(sample);
        if done {
            return true;
        }
    }
    false
}

fn holds(sample: &Sample, name: &str) -> bool {
    sample.disks.iter().any(|(known, _)| **known == *name)
}

#[test]
fn a_partition_that_comes_and_goes_is_sampled_while_it_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("image");
    partitioned(&file);
    let clock = Clock::start();
    let devices = Devices::Fitting(Box::new(|name| name.starts_with("loop")));
    let thread =
        SamplerThread::start(&Root::real(), devices, Nanos::from_millis(50), move || clock.now()).unwrap();
    let mut samples = vec![thread.wait().unwrap()];
    let Some(device) = Loop::attach(&file) else {
        eprintln!("skipped: no loop device can be made here (needs root and losetup)");
        return;
    };
    let name = device.partition();
    if !until(&thread, &mut samples, |sample| holds(sample, &name)) {
        eprintln!("skipped: this kernel makes no partitions of loop devices");
        return;
    }
    let read = Command::new("dd")
        .args([&format!("if=/dev/{name}"), "of=/dev/null", "bs=64k", "iflag=direct"])
        .stderr(std::process::Stdio::null())
        .status();
    let worked = read.is_ok_and(|status| status.success());
    std::thread::sleep(Duration::from_millis(100));
    samples.extend(thread.taken());
    drop(device);
    assert!(until(&thread, &mut samples, |sample| !holds(sample, &name)), "{name} never went");
    let again = Loop::attach(&file).unwrap();
    let name_again = again.partition();
    assert!(until(&thread, &mut samples, |sample| holds(sample, &name_again)), "{name_again} never came");
    samples.extend(thread.stop());

    assert!(!holds(&samples[0], &name) && samples.is_sorted_by_key(|sample| sample.at));
    let run = Run { samples, ..Run::started(Vec::new(), 0) };
    let recording = Recording::of(&run);
    let bytes = recording.device(&name, Metric::ReadBytes).unwrap();
    let seconds = recording.intervals().iter().map(|(from, to)| to.since(*from).as_secs_f64());
    let read: f64 =
        bytes.iter().zip(seconds).filter(|(rate, _)| !rate.is_nan()).map(|(rate, s)| rate * s).sum();
    // All that was read while it was there, and no false billions where its counters began anew.
    let most = if name == name_again { 16e6 } else { 8e6 };
    assert!(read <= most, "{read} bytes");
    assert!(!worked || read >= 4e6, "{read} bytes of 4 MiB");
    assert!(bytes[0].is_nan(), "a rate before it was there");
}
