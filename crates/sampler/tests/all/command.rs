//! A followed command: what its tasks do, by the files of `/proc`, and where its files lie.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::fs;
use std::os::unix::fs::symlink;

use record::CommandCounters;
use sampler::{Devices, Root, Sampler};
use tempfile::TempDir;
use workload::Nanos;

/// Numbers of system calls that a test puts a task into; those of x86-64 and aarch64 differ.
const FSYNC: u32 = if cfg!(target_arch = "x86_64") { 74 } else { 82 };
const FUTEX: u32 = if cfg!(target_arch = "x86_64") { 202 } else { 98 };
const NANOSLEEP: u32 = if cfg!(target_arch = "x86_64") { 230 } else { 115 };
const RECVFROM: u32 = if cfg!(target_arch = "x86_64") { 45 } else { 207 };
const WAIT4: u32 = if cfg!(target_arch = "x86_64") { 61 } else { 260 };
const READ: u32 = if cfg!(target_arch = "x86_64") { 0 } else { 63 };

/// A made-up machine with a file system on `loop1` and one on a network server.
struct Machine(TempDir);

impl Machine {
    fn new() -> Machine {
        let machine = Machine(tempfile::tempdir().unwrap());
        machine.put("proc/stat", "cpu 1 1 1 1 1 1 1 1\n");
        machine.put("proc/meminfo", "MemTotal: 1 kB\n");
        machine
            .put("proc/diskstats", "   7 1 loop1 5 0 0 0 0 0 0 0 0 0 0\n   8 0 sda 9 0 0 0 0 0 0 0 0 0 0\n");
        machine.put("sys/devices/loop1/dev", "7:1\n");
        machine.put("sys/dev/block/.keep", "");
        symlink("../../devices/loop1", machine.0.path().join("sys/dev/block/7:1")).unwrap();
        machine
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Puts a task of a process into a state and a system call with its first argument.
    fn task(&self, (pid, task): (u32, u32), parent: u32, state: char, call: &str) {
        let stat = format!("{task} (a) b) {state} {parent} 1 1 0");
        self.put(&format!("proc/{pid}/stat"), &stat);
        self.put(&format!("proc/{pid}/task/{task}/stat"), &stat);
        self.put(&format!("proc/{pid}/task/{task}/syscall"), call);
        self.put(&format!("proc/{pid}/task/{task}/schedstat"), "300 100 7");
        self.put(&format!("proc/{pid}/io"), "read_bytes: 4096\nwrite_bytes: 8192\n");
        let mounts =
            "24 1 7:1 / /data rw - ext4 /dev/loop1 rw\n25 1 0:40 / /home rw - nfs4 server:/home rw\n";
        self.put(&format!("proc/{pid}/mountinfo"), mounts);
        self.put(&format!("proc/{pid}/fdinfo/3"), "pos: 0\nmnt_id: 24\n");
        self.put(&format!("proc/{pid}/fdinfo/4"), "pos: 0\nmnt_id: 25\n");
        let links = self.0.path().join(format!("proc/{pid}/fd"));
        fs::create_dir_all(&links).unwrap();
        for (number, target) in [("3", "/data/db"), ("4", "/home/file"), ("5", "socket:[7]")] {
            let _ = symlink(target, links.join(number));
        }
    }

    /// Follows process 10 for a look after one second, and returns the counters and the sampled devices.
    fn looked(&self) -> (CommandCounters, Vec<String>) {
        let mut sampler =
            Sampler::new(&Root::at(self.0.path()), ["sda"].into_iter().collect::<Devices>()).unwrap();
        sampler.follow(10, Nanos::ZERO);
        assert_eq!(sampler.next_look(), Some(Nanos::ZERO));
        sampler.look(&|| Nanos::SECOND);
        let sample = sampler.read(Nanos::SECOND);
        (sample.command.unwrap(), sample.disks.iter().map(|(name, _)| name.to_string()).collect())
    }
}

#[test]
fn a_wait_for_a_file_is_that_for_its_device_which_is_sampled_from_then_on() {
    let machine = Machine::new();
    machine.task((10, 10), 1, 'D', &format!("{FSYNC} 0x3 0x0"));
    let (counted, devices) = machine.looked();
    assert_eq!((counted.storage_ns, counted.looks), (1_000_000_000, 1));
    assert!(counted.places.contains(&("loop1".to_owned(), 1_000_000_000)), "{counted:?}");
    assert_eq!(devices, ["sda", "loop1"]);
    assert_eq!((counted.read_bytes, counted.write_bytes), (4096, 8192));
}

#[test]
fn a_file_of_a_server_is_storage_although_its_wait_can_be_interrupted_and_a_socket_is_none() {
    let machine = Machine::new();
    machine.task((10, 10), 1, 'S', &format!("{READ} 0x4 0x0"));
    let (counted, _) = machine.looked();
    assert!(counted.places.contains(&("nfs4 server:/home".to_owned(), 1_000_000_000)), "{counted:?}");
    machine.task((10, 10), 1, 'S', &format!("{RECVFROM} 0x5 0x0"));
    let (counted, _) = machine.looked();
    assert_eq!((counted.network_ns, counted.storage_ns), (1_000_000_000, 0));
}

#[test]
fn tasks_that_run_or_wait_for_storage_share_the_time_and_the_others_have_it_only_without_them() {
    let machine = Machine::new();
    machine.task((10, 10), 1, 'R', "running");
    machine.task((10, 11), 1, 'S', &format!("{FUTEX} 0x0"));
    // A child of the command, and a stranger.
    machine.task((20, 20), 10, 'D', &format!("{FSYNC} 0x3"));
    machine.task((30, 30), 1, 'D', &format!("{FSYNC} 0x3"));
    let (counted, _) = machine.looked();
    assert_eq!((counted.running_ns, counted.storage_ns, counted.lock_ns), (500_000_000, 500_000_000, 0));
    assert_eq!((counted.run_ns, counted.run_delay_ns), (300, 100));
    machine.task((10, 10), 1, 'S', &format!("{NANOSLEEP} 0x0"));
    machine.task((20, 20), 10, 'S', &format!("{WAIT4} 0x0"));
    let (counted, _) = machine.looked();
    assert_eq!((counted.sleep_ns, counted.lock_ns, counted.storage_ns), (500_000_000, 500_000_000, 0));
}

#[test]
fn the_bytes_of_a_child_that_has_ended_are_not_counted_again_in_its_parent() {
    let machine = Machine::new();
    let io = |pid: u32, read: u64| {
        machine.put(&format!("proc/{pid}/io"), &format!("read_bytes: {read}\nwrite_bytes: 0\n"));
    };
    machine.task((10, 10), 1, 'S', &format!("{WAIT4} 0x0"));
    io(10, 100);
    machine.task((20, 20), 10, 'R', "running");
    io(20, 2_000);
    machine.task((21, 21), 20, 'R', "running");
    io(21, 30_000);
    let devices = ["sda"].into_iter().collect::<Devices>();
    let mut sampler = Sampler::new(&Root::at(machine.0.path()), devices).unwrap();
    sampler.follow(10, Nanos::ZERO);
    let mut read = |now| sampler.read(now).command.unwrap().read_bytes;
    assert_eq!(read(Nanos::SECOND), 32_100);
    // Child and grandchild read more, end, and are waited for; then the parent reads for itself.
    fs::remove_dir_all(machine.0.path().join("proc/20")).unwrap();
    fs::remove_dir_all(machine.0.path().join("proc/21")).unwrap();
    io(10, 100 + 2_500 + 30_700);
    assert_eq!(read(Nanos::from_secs(2)), 33_300);
    io(10, 34_000);
    assert_eq!(read(Nanos::from_secs(3)), 34_000);
}
