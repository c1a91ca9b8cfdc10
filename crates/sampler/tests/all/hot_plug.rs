//! A real device that comes and goes while the sampler runs: a loop device that is made, attached, read and removed, twice.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use kernel::Clock;
use record::{Metric, Recording, Run, Sample};
use sampler::{Devices, Root, SamplerThread};
use testbed::{Lack, skipped};
use workload::Nanos;

/// Request of `/dev/loop-control` to make a device (loop(4)).
const LOOP_CTL_ADD: u32 = 0x4c80;
/// Request of `/dev/loop-control` to remove a device.
const LOOP_CTL_REMOVE: u32 = 0x4c81;

/// Makes or removes the loop device of this number. Python stands in for the system call, which only one crate may make.
fn control(request: u32, number: u32) -> bool {
    let program = format!(
        "import fcntl, os; fcntl.ioctl(os.open('/dev/loop-control', os.O_RDWR), {request}, {number})"
    );
    let done = Command::new("python3").args(["-c", &program]).stderr(std::process::Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

/// A new loop device, attached to a file; removed on drop, even if the test fails.
struct Loop(u32);

impl Loop {
    /// Makes the device; `None` if that is impossible.
    fn make(number: u32, file: &Path) -> Option<Loop> {
        if !control(LOOP_CTL_ADD, number) {
            return None;
        }
        let made = Loop(number);
        let attached = Command::new("losetup").arg(made.node()).arg(file).status();
        attached.is_ok_and(|status| status.success()).then_some(made)
    }

    fn name(&self) -> String {
        format!("loop{}", self.0)
    }

    fn node(&self) -> String {
        format!("/dev/loop{}", self.0)
    }

    /// Reads all of it without the page cache.
    fn read(&self) {
        let read = Command::new("dd")
            .args([&format!("if={}", self.node()), "of=/dev/null", "bs=64k", "iflag=direct"])
            .stderr(std::process::Stdio::null())
            .status();
        assert!(read.unwrap().success());
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.node()]).status();
        // The last process that had it open may finish detaching it a moment later.
        let mut tries = 0..50;
        while !control(LOOP_CTL_REMOVE, self.0) && tries.next().is_some() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
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
fn a_device_that_comes_and_goes_is_sampled_while_it_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("image");
    std::fs::write(&file, vec![7u8; 8 << 20]).unwrap();
    // Numbers that nobody else is likely to have used.
    let number = 500 + std::process::id() % 500;
    let name = format!("loop{number}");
    let clock = Clock::start();
    let wanted = name.clone();
    let devices = Devices::Fitting(Box::new(move |name| name == wanted));
    let thread =
        SamplerThread::start(&Root::real(), devices, Nanos::from_millis(50), move || clock.now()).unwrap();
    let mut samples = vec![thread.wait().unwrap()];
    for _ in 0..2 {
        let Some(device) = Loop::make(number, &file) else {
            skipped(Lack::Kernel, "no loop device can be made here (needs root, losetup and python3)");
            return;
        };
        assert_eq!(device.name(), name);
        assert!(until(&thread, &mut samples, |sample| holds(sample, &name)), "{name} never came");
        device.read();
        // Counters are sampled once more before it goes.
        let last = samples.last().unwrap().at;
        until(&thread, &mut samples, |sample| sample.at > last + Nanos::from_millis(100));
        drop(device);
        assert!(until(&thread, &mut samples, |sample| !holds(sample, &name)), "{name} never went");
    }
    samples.extend(thread.stop());

    assert!(samples.is_sorted_by_key(|sample| sample.at) && !holds(&samples[0], &name));
    let run = Run { samples, ..Run::started(Vec::new(), 0) };
    let recording = Recording::of(&run);
    let bytes = recording.device(&name, Metric::ReadBytes).unwrap();
    assert!(bytes[0].is_nan(), "a rate before it was there");
    let seconds = recording.intervals().iter().map(|(from, to)| to.since(*from).as_secs_f64());
    let read: f64 =
        bytes.iter().zip(seconds).filter(|(rate, _)| !rate.is_nan()).map(|(rate, s)| rate * s).sum();
    // All that was read in both its lives (plus a little by processes that probed it), and no false billions
    // from the restart of its counters.
    let (least, most) = (2.0 * f64::from(8 << 20), 2.5 * f64::from(8 << 20));
    assert!((least * 0.95..most).contains(&read), "{read} bytes");
}
