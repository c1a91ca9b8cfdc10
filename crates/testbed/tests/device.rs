//! What the test device does, through the real kernel: each fault as a program experiences it.
#![allow(clippy::unwrap_used)]

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use testbed::{
    Character, Device, Errno, Lack, LoopOver, Ops, Outcome, QemuThrottle, Stalls, Takes, Through, skipped,
};

const SIZE: u64 = 8 << 20;
/// Guard against hanging; nothing here takes as long.
const PATIENCE: Duration = Duration::from_secs(60);

fn open(path: &Path) -> File {
    OpenOptions::new().read(true).write(true).open(path).unwrap()
}

fn read_at(file: &File, offset: u64) -> io::Result<usize> {
    file.read_at(&mut [0; 4096], offset)
}

/// Reads in a thread of its own; the result is sent when it comes.
fn read_aside(file: &File, offset: u64) -> Receiver<io::Result<usize>> {
    let (file, (send, receive)) = (file.try_clone().unwrap(), channel());
    std::thread::spawn(move || send.send(read_at(&file, offset)));
    receive
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < PATIENCE, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn errno(result: io::Result<usize>) -> Option<i32> {
    result.unwrap_err().raw_os_error()
}

#[test]
fn it_holds_what_was_written_and_counts_what_was_asked() {
    let Some(device) = Device::or_skip(SIZE) else { return };
    let file = open(&device.path());
    file.write_all_at(&[7; 4096], 8192).unwrap();
    assert_eq!(file.metadata().unwrap().len(), SIZE);
    assert_eq!(read_at(&file, 8192).unwrap(), 4096);
    file.sync_all().unwrap();
    assert_eq!(device.peek(8192, 4096).unwrap(), [7; 4096]);
    let (reads, writes) = (device.tally(Ops::READ), device.tally(Ops::WRITE));
    assert_eq!((reads.received, reads.done, reads.bytes), (1, 1, 4096));
    assert_eq!((writes.received, writes.done, writes.bytes), (1, 1, 4096));
    assert_eq!(device.tally(Ops::FSYNC).done, 1);
    let seen = device.log().into_iter().find(|seen| seen.op == Ops::WRITE).unwrap();
    assert_eq!((seen.offset, seen.length, seen.outcome), (8192, 4096, Outcome::Done(4096)));
}

#[test]
fn it_fails_where_it_is_told_to_and_only_there() {
    let Some(device) = Device::or_skip(SIZE) else { return };
    let file = open(&device.path());
    device.fail(4096..8192, Ops::READ, Errno::EIO);
    device.fail(.., Ops::FSYNC, Errno::ENODATA);
    assert_eq!(errno(read_at(&file, 4096)), Some(5));
    assert_eq!(read_at(&file, 0).unwrap(), 4096);
    assert_eq!(file.write_at(&[1; 4096], 4096).unwrap(), 4096);
    assert_eq!(file.sync_data().unwrap_err().raw_os_error(), Some(61));
    assert_eq!(device.tally(Ops::DATA).failed, 2);
    device.heal();
    assert_eq!(read_at(&file, 4096).unwrap(), 4096);
}

#[test]
fn it_shortens_shrinks_fills_up_and_may_be_read_only() {
    let Some(device) = Device::or_skip(SIZE) else { return };
    let file = open(&device.path());
    device.shorten(Ops::READ.and(Ops::WRITE), 1024);
    assert_eq!(read_at(&file, 0).unwrap(), 1024);
    assert_eq!(file.write_at(&[1; 4096], 0).unwrap(), 1024);
    assert_eq!(device.tally(Ops::ALL).shortened, 2);
    device.heal();

    device.truncate(1 << 20).unwrap();
    assert_eq!(read_at(&file, 1 << 20).unwrap(), 0);
    assert_eq!(file.metadata().unwrap().len(), 1 << 20);

    device.fill_up();
    assert_eq!(file.write_at(&[1; 4096], 0).unwrap_err().kind(), ErrorKind::StorageFull);
    device.heal();

    device.make_read_only();
    assert_eq!(errno(file.write_at(&[1; 4096], 0)), Some(Errno::EROFS.0));
    let error = OpenOptions::new().write(true).open(device.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ReadOnlyFilesystem);
}

#[test]
fn what_is_delayed_or_silent_holds_up_nothing_else() {
    let Some(device) = Device::or_skip(SIZE) else { return };
    let file = open(&device.path());
    device.silence_at(0..4096, Ops::READ);
    let silent = [read_aside(&file, 0), read_aside(&file, 0)];
    wait_until("holding", || device.tally(Ops::READ).held == 2);
    assert_eq!(read_at(&file, 4096).unwrap(), 4096);
    device.delay(Ops::WRITE, Duration::from_millis(50));
    let since = Instant::now();
    file.write_all_at(&[1; 512], 0).unwrap();
    assert!(since.elapsed() >= Duration::from_millis(50));
    assert!(silent[0].try_recv().is_err());
    device.heal();
    for read in silent {
        assert_eq!(read.recv_timeout(PATIENCE).unwrap().unwrap(), 4096);
    }
    assert_eq!(device.tally(Ops::READ).held, 0);
}

#[test]
fn it_vanishes_with_what_it_holds() {
    let Some(device) = Device::or_skip(SIZE) else { return };
    let file = open(&device.path());
    device.silence(Ops::ALL);
    let read = read_aside(&file, 0);
    wait_until("holding", || device.tally(Ops::READ).held == 1);
    device.vanish().unwrap();
    assert_eq!(errno(read.recv_timeout(PATIENCE).unwrap()), Some(Errno::ECONNABORTED.0));
    assert!(read_at(&file, 0).is_err());
    assert_eq!(device.tally(Ops::READ).failed, 1);
}

#[test]
fn dropped_while_silent_it_leaves_neither_readers_nor_mount() {
    let Some(device) = Device::or_skip(SIZE) else { return };
    let file = open(&device.path());
    device.silence(Ops::ALL);
    let read = read_aside(&file, 0);
    wait_until("holding", || device.tally(Ops::READ).held == 1);
    let directory = device.directory().to_owned();
    // A program that inherits the file closes it before its first step.
    assert!(Command::new("true").status().unwrap().success());
    drop(device);
    assert_eq!(errno(read.recv_timeout(PATIENCE).unwrap()), Some(Errno::EIO.0));
    assert!(!directory.exists());
}

#[test]
fn a_block_device_over_it_fails_with_it() {
    let Some(device) = Device::or_skip(SIZE) else { return };
    let Some(block) = LoopOver::or_skip(&device.path(), Through::Direct) else { return };
    let mut file = open(block.path());
    assert!(file.metadata().unwrap().file_type().is_block_device());
    file.write_all(&[9; 4096]).unwrap();
    file.sync_all().unwrap();
    assert_eq!(device.peek(0, 4096).unwrap(), [9; 4096]);
    assert!(device.tally(Ops::FSYNC).done >= 1, "a flush of the device is an fsync of the file");
    device.fail((1 << 20).., Ops::READ, Errno::EIO);
    assert_eq!(errno(file.read_at(&mut [0; 4096], 4 << 20)), Some(5));
}

#[test]
fn programs_keep_files_of_their_own_in_its_directory() {
    let Some(device) = Device::cached_or_skip(0) else { return };
    let (first, second) = (device.directory().join("state/a"), device.directory().join("state/b"));
    std::fs::create_dir(device.directory().join("state")).unwrap();
    std::fs::write(&first, "text").unwrap();
    std::fs::rename(&first, &second).unwrap();
    std::fs::hard_link(&second, &first).unwrap();
    let mut text = String::new();
    open(&second).read_to_string(&mut text).unwrap();
    assert_eq!(text, "text");
    let names: Vec<_> = std::fs::read_dir(device.directory().join("state")).unwrap().collect();
    assert_eq!(names.len(), 2);
    std::fs::remove_file(&first).unwrap();
    std::fs::remove_file(&second).unwrap();
    std::fs::remove_dir(device.directory().join("state")).unwrap();
}

/// The environment variable by which this test binary plays the process that is killed.
const VICTIM: &str = "PLIMSOLL_TESTBED_VICTIM";

/// Makes a silent device with a loop device on it, waits for it itself, and is killed while it waits: only
/// the kernel and the watchdogs can clear up.
#[test]
fn victim() {
    if std::env::var_os(VICTIM).is_none() {
        return;
    }
    let Some(device) = Device::or_skip(SIZE) else { return };
    let Some(block) = LoopOver::or_skip(&device.path(), Through::Direct) else { return };
    let file = open(&device.path());
    device.silence(Ops::DATA);
    let _read = read_aside(&file, 0);
    wait_until("holding", || device.tally(Ops::READ).held == 1);
    eprintln!("ready {} {}", device.directory().display(), block.path().display());
    std::thread::sleep(PATIENCE);
}

#[test]
fn killed_while_silent_it_leaves_nothing() {
    let mut victim = Command::new(std::env::current_exe().unwrap());
    victim.args(["--exact", "victim", "--nocapture"]).env(VICTIM, "1").stdin(Stdio::null());
    let mut victim = victim.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = io::BufRead::lines(io::BufReader::new(victim.stderr.take().unwrap()));
    let ready = lines.find_map(|line| Some(line.unwrap().strip_prefix("ready ")?.to_owned()));
    let Some(ready) = ready else {
        victim.wait().unwrap();
        return skipped(Lack::Kernel, "the victim made no device");
    };
    let (directory, block) = ready.split_once(' ').unwrap();
    victim.kill().unwrap();
    let is_mounted = || std::fs::read_to_string("/proc/self/mounts").unwrap().contains(directory);
    wait_until("unmounting", || !is_mounted() && !Path::new(directory).exists());
    let number = block.trim_start_matches("/dev/");
    let shown = Path::new("/sys/block").join(number).join("loop/backing_file");
    let shows = || std::fs::read_to_string(&shown).is_ok_and(|text| text.contains(directory));
    wait_until("detaching", || !shows());
    victim.wait().unwrap();
}

#[test]
fn a_file_behind_a_throttle_group_can_be_used_and_leaves_nothing() {
    let limits = [("iops-total", 2_000), ("iops-size", 16_384)];
    let Some(throttled) = QemuThrottle::or_skip(4, &limits) else { return };
    let path = throttled.path().to_owned();
    let file = open(&path);
    assert_eq!(file.metadata().unwrap().len(), 4 << 20);
    assert_eq!(read_at(&file, 1 << 20).unwrap(), 4096);
    file.write_all_at(&[7; 4096], 8192).unwrap();
    let stored = std::fs::read(path.with_file_name("stored.raw")).unwrap();
    assert_eq!(stored[8192..12_288], [7; 4096], "what is written is stored");
    drop((file, throttled));
    assert!(!path.parent().unwrap().exists(), "the folder is gone");
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(&path.display().to_string()), "{mounts}");
}

#[test]
fn it_takes_as_long_as_its_character_says_and_its_log_tells_so() {
    let Some(device) = Device::or_skip(SIZE) else { return };
    let file = open(&device.path());
    let ms = Duration::from_millis;
    let stalls = Stalls { length: ms(200), period: ms(1_000) };
    device.behave(Character::new(1, Takes::Even(ms(5))).first_touch(ms(20)).stalling(stalls));
    let comers: Vec<_> = (0..20).map(|number| read_aside(&file, number * 4096)).collect();
    comers.into_iter().for_each(|comer| assert_eq!(comer.recv().unwrap().unwrap(), 4096));
    let log: Vec<_> = device.log().into_iter().filter(|seen| seen.op == Ops::READ).collect();
    let took = |seen: &testbed::ArrivedRequest| seen.answered.unwrap() - seen.at;
    assert_eq!(log.len(), 20);
    assert!(took(&log[0]) >= ms(25), "the first touch: {:?}", log[0]);
    let last = log.iter().map(|seen| seen.answered.unwrap()).max().unwrap();
    assert!(last - log[0].at >= ms(20 * 5 + 20), "one after the other");
    device.fail(.., Ops::READ, Errno::EIO);
    assert_eq!(errno(read_at(&file, 0)), Some(5), "it fails beside");
}
