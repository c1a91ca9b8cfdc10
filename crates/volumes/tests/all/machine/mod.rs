//! Helpers of the lab's tests: volumes, the peer that loads them, processes that are killed, and what is left.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::Direct;
use kernel::guard::{AllowDestroy, permit_block_device};
use kernel::lab::{LoopDevice, LoopOptions, limits_on, loops};
use testbed::{Lack, Neighbours, skipped};
use volumes::lab::{self, LabEntry, LabError, LabVolume, Lifetime};
use workload::{Bytes, PolicyName};

/// Small, so that tests are quick; large enough that no request repeats soon.
pub const SIZE: Bytes = Bytes::mib(64);

/// Lab tests take turns: some of them take down every lasting volume, and throughput is shared.
pub fn lab_turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a volume; `None`, with the reason printed, if this machine makes none.
pub fn up(words: &str, lifetime: Lifetime) -> Option<LabVolume> {
    let name = PolicyName::parse(words).unwrap();
    match LabVolume::up(&name, SIZE, &lab::default_dir(SIZE), lifetime) {
        Ok(volume) => Some(volume),
        Err(error @ (LabError::Loop(_) | LabError::Throttle(_) | LabError::Backing { .. })) => {
            skipped(Lack::Kernel, error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The real fio.
#[derive(Default)]
pub struct Peer {
    /// Additional options.
    words: Vec<&'static str>,
}

impl Peer {
    /// Returns fio; `None`, with the reason printed, if it is not installed.
    pub fn find() -> Option<Peer> {
        let found = Command::new("fio").arg("--version").stdout(Stdio::null()).status();
        if found.is_err() {
            skipped(Lack::Tool, "fio is not installed");
        }
        found.is_ok().then(Peer::default)
    }

    /// Adds an option.
    pub fn with(mut self, word: &'static str) -> Peer {
        self.words.push(word);
        self
    }

    /// Returns the operations a second over 3 s of an access mode and block size, after a second that does not count.
    pub fn iops(&self, device: &Path, (mode, block): (&str, &str), depth: u32) -> f64 {
        let out = Command::new("fio")
            .args([
                "--name=x",
                "--ioengine=libaio",
                "--direct=1",
                "--time_based",
                "--runtime=3",
                "--ramp_time=1",
            ])
            .arg(format!("--filename={}", device.display()))
            .args([format!("--rw={mode}"), format!("--bs={block}"), format!("--iodepth={depth}")])
            .args(&self.words)
            .args(["--output-format=terse", "--terse-version=3"])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout);
        let line = text.lines().find(|line| line.starts_with("3;"));
        let line = line.unwrap_or_else(|| panic!("fio: {text}{}", String::from_utf8_lossy(&out.stderr)));
        // In the terse format: IOPS of reads and of writes.
        let field = |at: usize| line.split(';').nth(at).and_then(|word| word.parse().ok()).unwrap_or(0.0);
        let (read, write): (f64, f64) = (field(7), field(48));
        read + write
    }

    /// Asserts that the device serves `expected` operations a second within 2 %, in one of three tries: a slice of the
    /// throttle is lost when the machine has no CPU for it. If the machine is too busy to decide, that is printed instead.
    pub fn assert_serves(&self, device: &Path, access: (&str, &str), expected: f64) {
        let mut measured = Vec::new();
        let neighbours = Neighbours::watch();
        while measured.len() < 3 {
            let rate = self.iops(device, access, 32);
            if is_close(rate, expected) {
                return;
            }
            measured.push(rate);
        }
        neighbours.excuse_or_fail(format!("{access:?}: {measured:.0?} measured, {expected} expected"));
    }
}

fn is_close(measured: f64, expected: f64) -> bool {
    (measured / expected - 1.0).abs() < 0.02
}

/// The environment variable by which the test binary plays the process that is killed.
const VICTIM: &str = "PLIMSOLL_LAB_VICTIM";
const READY: &str = "ready ";

/// Has another process make a volume and kills it; returns what it had made, or `None` if this machine makes none.
pub fn crash(lifetime: &str) -> Option<LabEntry> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lab::crash_victim", "--nocapture"])
        .env(VICTIM, lifetime)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let device = ready_device(&mut child);
    let entry = device.and_then(|device| lab::list().into_iter().find(|entry| entry.device == device));
    child.kill().unwrap();
    child.wait().unwrap();
    entry
}

fn ready_device(child: &mut Child) -> Option<PathBuf> {
    let lines = BufReader::new(child.stdout.take()?).lines();
    let line = lines.map_while(Result::ok).find_map(|line| Some(line.split_once(READY)?.1.to_owned()));
    line.map(PathBuf::from)
}

/// If the process was started as the victim, makes a volume, reports it, and waits for its end.
pub fn be_the_victim() {
    let Ok(lifetime) = std::env::var(VICTIM) else { return };
    let lifetime = if lifetime == "this-run" { Lifetime::ThisRun } else { Lifetime::UntilDown };
    let Some(volume) = up("custom,iops=100,unit=32KiB", lifetime) else { return };
    println!("{READY}{}", volume.device().display());
    std::io::stdout().flush().unwrap();
    std::thread::sleep(Duration::from_secs(60));
}

/// Returns what still exists of a volume, in words.
pub fn leftovers(entry: &LabEntry) -> Vec<String> {
    let mut found = Vec::new();
    if entry.backing.exists() {
        found.push(format!("{} exists", entry.backing.display()));
    }
    for device in loops(Path::new("/")) {
        let shown = device.backing.display().to_string();
        if shown.starts_with(&entry.backing.display().to_string()) || device.backing == entry.below {
            found.push(format!("{} shows {shown}", device.name));
        }
    }
    for device in [&entry.below, &entry.device] {
        let name = device.file_name().and_then(|name| name.to_str()).unwrap();
        let Some(number) = kernel::number_of_name(Path::new("/"), name) else { continue };
        for group in ["blkio", "blkio/plimsoll-lab", "plimsoll-lab"] {
            if limits_on(&Path::new("/sys/fs/cgroup").join(group), number) != Default::default() {
                found.push(format!("{name} is limited in {group}"));
            }
        }
        found.extend(queue_of_ours(name));
    }
    found
}

/// Returns the queue settings that a loop device does not get from the kernel.
pub fn queue_of_ours(name: &str) -> Vec<String> {
    let read = |file: &str| std::fs::read_to_string(format!("/sys/class/block/{name}/queue/{file}"));
    let wrong = [("max_sectors_kb", "1280"), ("write_cache", "write back")].map(|(file, usual)| {
        let is = read(file).unwrap_or_default();
        (is.trim() != usual).then(|| format!("{name}: {file} is {is}"))
    });
    wrong.into_iter().flatten().collect()
}

/// Returns the flushes that the device has done, the sixteenth figure of its counters.
pub fn flushes(device: &Path) -> u64 {
    let name = device.file_name().and_then(|name| name.to_str()).unwrap();
    let text = std::fs::read_to_string(format!("/sys/class/block/{name}/stat")).unwrap();
    text.split_whitespace().nth(15).unwrap().parse().unwrap()
}

/// Whether neither device of a volume exists as an attached loop device.
pub fn free_of(entry: &LabEntry) -> bool {
    let nodes = loops(Path::new("/")).into_iter().map(|device| Path::new("/dev").join(device.name));
    nodes.into_iter().all(|node| node != entry.device && node != entry.below)
}

/// Attaches a loop device to a device, as if somebody had built on it.
pub fn loop_on(device: &Path) -> Option<LoopDevice> {
    let (permit, _) = permit_block_device(device, &AllowDestroy::devices([device.to_owned()])).unwrap();
    let options = LoopOptions { direct: Direct::No, size_limit: None, block_size: None };
    LoopDevice::attach(&permit, options).ok()
}

/// Waits until the condition is true, for up to 5 s.
pub fn wait_until(is_so: impl Fn() -> bool) {
    let so = (0..500).any(|_| {
        is_so() || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }
    });
    assert!(so, "it did not come about");
}
