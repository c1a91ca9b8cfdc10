//! Captured machines: every reader reports what a person looking at the machine would.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::path::Path;

use crate::captured::Machine;
use record::{Pressure, TargetDoubt, TargetFacts, TargetKind};
use sampler::{Devices, Root, Sampler, TargetFactsError, devices_below, host_facts, target_facts};
use testbed::LoopOver;
use workload::{Bytes, Nanos};

fn target(machine: &Machine, path: &str) -> TargetFacts {
    target_facts(&machine.root(), Path::new(path), path).unwrap()
}

fn names(facts: &TargetFacts) -> Vec<&str> {
    facts.devices.iter().map(|device| device.name.as_str()).collect()
}

fn devices(names: &[&str]) -> Devices {
    names.iter().copied().collect()
}

/// Returns a name of a file system or a device.
fn name(word: &str) -> String {
    word.to_owned()
}

#[test]
fn the_hosts_are_described() {
    let host = |name| host_facts(&Machine::unpack(name).root());
    let virtual_machine = host("virtio-and-loops");
    assert_eq!(virtual_machine.hostname, "vm");
    assert_eq!(virtual_machine.kernel, "6.18.44");
    assert_eq!(virtual_machine.distribution, "Debian GNU/Linux 12 (bookworm)");
    assert_eq!((virtual_machine.cpu_model.as_str(), virtual_machine.cpus), ("AMD EPYC", 2));
    assert_eq!(virtual_machine.memory, Bytes::kib(24_684_084));
    assert_eq!((virtual_machine.clocksource.as_str(), virtual_machine.product.as_str()), ("tsc", ""));

    let server = host("lvm-over-md");
    assert_eq!(server.distribution, "Rocky Linux 8.10 (Green Obsidian)");
    assert_eq!((server.cpus, server.product.as_str()), (3, "Dell Inc. PowerEdge R430"));

    let fabric = host("nvme-multipath");
    assert_eq!((fabric.cpu_model.as_str(), fabric.cpus), ("ARM Neoverse-N1", 1));
    assert_eq!((fabric.product.as_str(), fabric.clocksource.as_str()), ("Reference board", ""));

    let container = host("container-with-overlay");
    assert_eq!((container.cpus, container.product.as_str()), (2, "Amazon EC2 m5.16xlarge"));
}

#[test]
fn this_machine_is_described_too() {
    let host = host_facts(&Root::real());
    assert!(!host.kernel.is_empty() && host.cpus > 0 && host.memory > Bytes::MIB && host.clock_read_ns > 0.0);
}

#[test]
fn a_loop_on_a_loop_reaches_the_disk_and_names_the_cache_on_the_way() {
    let machine = Machine::unpack("virtio-and-loops");
    let facts = target(&machine, "/mnt/data");
    assert_eq!((facts.kind, facts.filesystem.as_str()), (TargetKind::Directory, "xfs"));
    assert_eq!(facts.mount_point, "/mnt/data");
    assert_eq!(names(&facts), ["loop1", "loop0", "vda"]);
    assert_eq!(facts.direct_alignment, Bytes(4096));
    assert_eq!(facts.doubts, [TargetDoubt::ThroughPageCache { device: name("loop0") }]);
    assert_eq!(facts.devices[1].model, "loop on /var/lib/disk image");
    let disk = &facts.devices[2];
    assert_eq!((disk.number, disk.size, disk.serial.as_str()), ((254, 0), Bytes::gib(256), "root-drive"));
    assert_eq!((disk.scheduler.as_str(), disk.queue_requests), ("mq-deadline", 256));
    assert_eq!((disk.request_max, disk.physical_block), (Bytes::mib(4), Bytes(4096)));
    assert!(disk.rotational && !facts.reads_only);

    let file = target(&machine, "/mnt/data/file");
    assert_eq!((file.kind, file.available), (TargetKind::File, Bytes(13)));
    assert_eq!(file.devices, facts.devices);
}

#[test]
fn memory_is_no_volume() {
    let machine = Machine::unpack("virtio-and-loops");
    let shared = target(&machine, "/dev/shm");
    assert_eq!(names(&shared), [""; 0]);
    assert_eq!(shared.doubts, [TargetDoubt::MemoryFilesystem { filesystem: name("tmpfs") }]);
    let compressed = target(&machine, "/mnt/memory");
    assert_eq!(compressed.doubts, [TargetDoubt::CompressedMemory { device: name("zram0") }]);
    let device = target(&machine, "/dev/zram0");
    assert_eq!(
        (device.kind, device.available, device.filesystem.as_str()),
        (TargetKind::BlockDevice, Bytes::gib(4), "")
    );
}

#[test]
fn a_healthy_volume_raises_no_doubt() {
    let facts = target(&Machine::unpack("virtio-and-loops"), "/var/lib");
    assert_eq!((names(&facts), facts.mount_point.as_str()), (vec!["vda"], "/"));
    assert!(facts.doubts.is_empty() && !facts.reads_only, "{:?}", facts.doubts);
    let bound = target(&Machine::unpack("container-with-overlay"), "/data");
    assert!(bound.doubts.is_empty(), "{:?}", bound.doubts);
}

#[test]
fn the_layers_of_raid_and_lvm_are_named_and_each_disk_once() {
    let machine = Machine::unpack("lvm-over-md");
    let facts = target(&machine, "/srv/data");
    assert_eq!(names(&facts), ["dm-0", "md0", "sda1", "sdb1", "sda", "sdb"]);
    let models: Vec<&str> = facts.devices.iter().map(|device| device.model.as_str()).collect();
    assert_eq!(models[..2], ["LVM volume vg0-my--data", "md raid1"]);
    assert_eq!(models[4], "ST4000NM0035-1V4");
    assert_eq!((facts.devices[4].serial.as_str(), facts.devices[4].scheduler.as_str()), ("ZC1ABCDE", "cfq"));
    let busy =
        |doubt: &TargetDoubt| matches!(doubt, TargetDoubt::ArrayBusy { device, .. } if device == "md0");
    assert!(busy(&facts.doubts[0]), "{:?}", facts.doubts);
    assert_eq!(facts.doubts[1..], [TargetDoubt::ArrayDegraded { device: name("md0") }]);
}

#[test]
fn an_encrypted_volume_and_a_read_only_mount_are_said() {
    let machine = Machine::unpack("lvm-over-md");
    let secret = target(&machine, "/srv/secret store");
    assert_eq!(secret.mount_point, "/srv/secret store");
    assert_eq!(names(&secret)[..3], ["dm-2", "dm-1", "md0"]);
    assert_eq!(secret.devices[0].model, "dm-crypt secret");
    assert!(secret.doubts.contains(&TargetDoubt::Encrypted { device: name("dm-2") }));
    let old = target(&machine, "/srv/old");
    assert!(old.reads_only);
    assert_eq!(old.doubts[0], TargetDoubt::MountedReadOnly { mount_point: name("/srv/old") });
}

#[test]
fn the_hidden_paths_of_a_multipath_device_are_below_it() {
    let machine = Machine::unpack("nvme-multipath");
    let facts = target(&machine, "/data");
    assert_eq!(names(&facts), ["nvme0n1p1", "nvme0n1", "nvme0c0n1", "nvme0c1n1"]);
    let (above, path) = (&facts.devices[1], &facts.devices[2]);
    assert_eq!(
        (above.model.as_str(), above.serial.as_str()),
        ("SAMSUNG MZWLL1T6HAJQ-00005", "S4C9NE0M200000")
    );
    assert_eq!((above.queue_requests, above.request_max), (0, Bytes::mib(1)));
    assert_eq!((path.number, path.model.as_str()), ((0, 0), "path of nvme0n1"));
    assert_eq!((path.queue_requests, path.request_max), (1023, Bytes::kib(256)));
    assert_eq!(path.size, above.size);
    assert_eq!(facts.direct_alignment, Bytes(4096));
}

#[test]
fn a_file_system_over_several_devices_is_found_by_its_source() {
    let facts = target(&Machine::unpack("nvme-multipath"), "/pool");
    assert_eq!(names(&facts), ["nvme1n1", "nvme1c4n1"]);
    let (filesystem, option) = (name("btrfs"), name("compress=zstd:1"));
    assert_eq!(facts.doubts, [TargetDoubt::Compresses { filesystem, option }]);
}

#[test]
fn inside_a_container_each_file_system_is_called_by_its_name() {
    let machine = Machine::unpack("container-with-overlay");
    let network = |filesystem: &str, source: &str| TargetDoubt::NetworkFilesystem {
        filesystem: name(filesystem),
        source: name(source),
    };
    for (path, devices, doubt) in [
        ("/srv", &[][..], TargetDoubt::StackedFilesystem { filesystem: name("overlay") }),
        ("/build", &["vdb"], TargetDoubt::StackedFilesystem { filesystem: name("overlay") }),
        ("/data/cache", &[], TargetDoubt::MemoryFilesystem { filesystem: name("tmpfs") }),
        ("/home", &[], network("nfs4", "server:/export/home")),
        ("/remote", &[], TargetDoubt::ServedByProgram { filesystem: name("fuse.sshfs") }),
        ("/host", &[], network("9p", "share")),
    ] {
        let facts = target(&machine, path);
        assert_eq!(names(&facts), devices, "{path}");
        assert_eq!(facts.doubts, [doubt], "{path}");
    }
    let cloud = target(&machine, "/readonly");
    assert_eq!(cloud.devices[0].model, "Amazon Elastic Block Store");
    assert_eq!(cloud.devices[0].serial, "vol0123456789abcdef0");
    let mounted = TargetDoubt::MountedReadOnly { mount_point: name("/readonly") };
    assert_eq!(cloud.doubts, [mounted, TargetDoubt::ReadOnlyDevice { device: name("nvme1n1") }]);
}

#[test]
fn counters_come_in_the_order_of_asking_and_go_on_from_there() {
    let machine = Machine::unpack("virtio-and-loops");
    let mut sampler = Sampler::new(&machine.root(), devices(&["zram0", "vda", "loop1"])).unwrap();
    let sample = sampler.read(Nanos(5));
    let order: Vec<&str> = sample.disks.iter().map(|(name, _)| &**name).collect();
    assert_eq!((sample.at, order), (Nanos(5), vec!["zram0", "vda", "loop1"]));
    let disk = &sample.disks[1].1;
    assert_eq!((disk.reads, disk.in_flight, disk.discards, disk.flush_ms), (103_243, 2, 12_865, 199));
    assert_eq!((sample.cpu.user, sample.cpu.steal), (31_188, 99));
    assert_eq!(sample.memory.available, 23_544_132 << 10);
    assert_eq!(sample.blocked, 3);
    assert_eq!(sample.pressure, Some(Pressure { some_us: 7_654_321, full_us: 6_543_210 }));
    assert_eq!((sample.memory.dirty, sample.memory.writeback), (4 << 20, 128 << 10));

    // A second later only one device is left, and has counted on.
    machine.replace("proc/diskstats", "   7       1 loop1 99 0 80 3 20 2 160 8 1 11 12 0 0 0 0 4 1\n");
    let later = sampler.read(Nanos(6));
    let left: Vec<(&str, u64)> = later.disks.iter().map(|(name, disk)| (&**name, disk.reads)).collect();
    assert_eq!(left, [("loop1", 99)]);
    assert!(later.wall_unix_ms >= sample.wall_unix_ms && sample.wall_unix_ms > 1_700_000_000_000);
}

#[test]
fn counters_of_older_kernels_and_hidden_paths_are_read() {
    let machine = Machine::unpack("lvm-over-md");
    let facts = target(&machine, "/srv/data");
    let mut sampler = Sampler::new(&machine.root(), devices(&names(&facts))).unwrap();
    let sample = sampler.read(Nanos::ZERO);
    assert_eq!((sample.pressure, sample.blocked), (None, 0), "4.18 knows no pressure");
    let (mapped, disk) = (&sample.disks[0].1, &sample.disks[4].1);
    assert_eq!((mapped.queue_ms, mapped.discard_ms, mapped.flushes), (40_000, 3, 0));
    assert_eq!((disk.reads, disk.in_flight), (1000, 3));

    let machine = Machine::unpack("nvme-multipath");
    let below = devices_below(&machine.root(), 259, 1);
    let names: Vec<&str> = below.iter().map(|device| device.name.as_str()).collect();
    let mut sampler = Sampler::new(&machine.root(), devices(&names)).unwrap();
    let reads: Vec<u64> = sampler.read(Nanos::ZERO).disks.iter().map(|(_, disk)| disk.reads).collect();
    assert_eq!(reads, [0, 34_706_049, 12]);
}

#[test]
fn a_table_longer_than_the_buffer_is_read_to_its_end() {
    let machine = Machine::unpack("virtio-and-loops");
    let line = |n: usize| format!("   8 {n:7} sd{n} {n} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    machine.replace("proc/diskstats", &(0..2000).map(line).collect::<String>());
    let mut sampler = Sampler::new(&machine.root(), devices(&["sd1999", "sd7"])).unwrap();
    let reads: Vec<u64> = sampler.read(Nanos::ZERO).disks.iter().map(|(_, disk)| disk.reads).collect();
    assert_eq!(reads, [1999, 7]);
}

#[test]
fn what_cannot_be_measured_is_refused_with_a_way_out() {
    let root = Root::real();
    let facts = |path: &str| target_facts(&root, Path::new(path), path);
    let error = facts("/nowhere/at/all").unwrap_err();
    assert!(matches!(error, TargetFactsError::NotFound { .. }));
    assert!(error.to_string().contains("name a directory on the volume"), "{error}");
    assert!(facts("/dev/null").unwrap_err().to_string().contains("is a character device"));
    assert!(matches!(facts("/proc/version/x"), Err(TargetFactsError::NotFound { .. })));

    let error = Sampler::new(&Root::at("/nowhere"), devices(&["vda"])).unwrap_err();
    assert!(error.to_string().contains("check that /proc is mounted"), "{error}");
}

#[test]
fn the_facts_of_a_directory_here_agree_with_its_file_system() {
    let dir = tempfile::tempdir().unwrap();
    let facts = target_facts(&Root::real(), dir.path(), "here").unwrap();
    assert_eq!((facts.words.as_str(), facts.kind), ("here", TargetKind::Directory));
    assert!(!facts.filesystem.is_empty() && dir.path().starts_with(&facts.mount_point));
    assert!(facts.available > Bytes(0));
}

/// The device is detached even if the test fails.
#[test]
fn a_real_loop_device_stands_above_the_device_of_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("image");
    std::fs::File::create(&file).unwrap().set_len(1 << 20).unwrap();
    let Some(device) = LoopOver::with(&file, &["--read-only"]) else { return };
    let node = testbed::text(device.path());
    let below = target_facts(&Root::real(), dir.path(), "directory").unwrap();
    let facts = target_facts(&Root::real(), device.path(), &node).unwrap();
    assert_eq!((facts.kind, facts.available), (TargetKind::BlockDevice, Bytes::MIB));
    assert_eq!(facts.devices[0].model, format!("loop on {}", file.display()));
    assert_eq!(facts.devices[1..], below.devices);
    let read_only = |doubt: &TargetDoubt| matches!(doubt, TargetDoubt::ReadOnlyDevice { .. });
    assert!(facts.reads_only && facts.doubts.iter().any(read_only));
}
