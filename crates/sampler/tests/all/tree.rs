//! Captured machines: which device is stacked on which, and how the machine itself limits them.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use crate::captured::Machine;
use record::{DeviceKind, DeviceNode, TargetDoubt};
use sampler::{Root, device_tree, device_tree_and_doubts, local_limits, target_facts};

fn depth(tree: &[DeviceNode], node: &DeviceNode) -> usize {
    let Some(below) = node.below.first() else { return 0 };
    1 + depth(tree, tree.iter().find(|other| other.facts.name == *below).unwrap())
}

/// Returns one line for each device, indented by its depth, with name, kind, alias and mount point.
fn drawn(tree: &[DeviceNode]) -> String {
    let line = |node: &DeviceNode| {
        let kind = match &node.kind {
            DeviceKind::Md(level) => format!("md {level}"),
            other => format!("{other:?}").to_lowercase(),
        };
        let more = match node.below.len() {
            0 | 1 => String::new(),
            _ => format!(" on {}", node.below.join(" and ")),
        };
        let alias = if node.alias.is_empty() { String::new() } else { format!(" {}", node.alias) };
        let mounted = if node.mounted.is_empty() { String::new() } else { format!(" at {}", node.mounted) };
        let timed = if node.timed { "" } else { " (no times)" };
        format!("{}{} {kind}{alias}{more}{mounted}{timed}\n", "  ".repeat(depth(tree, node)), node.facts.name)
    };
    tree.iter().map(line).collect()
}

fn tree_of(name: &str) -> String {
    drawn(&device_tree(&Machine::unpack(name).root()))
}

fn limits_of(name: &str) -> Vec<String> {
    let limits = local_limits(&Machine::unpack(name).root());
    limits.iter().map(|l| format!("{} {} {} {}", l.group, l.device, l.what, l.value)).collect()
}

#[test]
fn lvm_and_crypt_stand_on_an_array_over_two_disks() {
    assert_eq!(
        tree_of("lvm-over-md"),
        "\
sda disk
  sda1 partition
sdb disk
  sdb1 partition
    md0 md raid1 on sda1 and sdb1
      dm-0 lvm vg0-my--data at /srv/data
      dm-1 lvm vg0-secret
        dm-2 crypt secret at /srv/secret store
"
    );
    assert_eq!(limits_of("lvm-over-md"), ["/lab md0 wbps 1048576"]);
}

#[test]
fn the_hidden_paths_carry_their_nvme_device() {
    assert_eq!(
        tree_of("nvme-multipath"),
        "\
nvme0c0n1 path
nvme0c1n1 path
  nvme0n1 disk on nvme0c0n1 and nvme0c1n1
    nvme0n1p1 partition at /data
nvme1c4n1 path
  nvme1n1 disk at /pool
"
    );
    assert!(limits_of("nvme-multipath").is_empty());
}

#[test]
fn four_paths_make_one_disk_which_kpartx_has_cut() {
    assert_eq!(
        tree_of("dm-multipath"),
        "\
sda disk
  sda1 partition at /
  dm-10 mapping scratch
sdb disk
sdc disk
sdd disk
sde disk
  dm-0 multipath mpatha on sdb and sdc and sdd and sde
    dm-1 partition mpatha1 at /boot/shared
    dm-2 partition mpatha2
      dm-4 lvm vgsan-db-real
        dm-3 lvm vgsan-db at /var/lib/db
      dm-5 lvm vgsan-snap-cow
        dm-6 lvm vgsan-snap on dm-4 and dm-5
"
    );
    assert_eq!(
        limits_of("dm-multipath"),
        [
            "/system.slice dm-3 riops 840",
            "/system.slice/db.service 253:99 riops 10",
            "/system.slice/db.service dm-3 riops 700",
            "/system.slice/db.service dm-3 wiops 300",
            "/system.slice/db.service sda wbps 10485760",
        ]
    );
}

#[test]
fn an_encrypted_partition_is_below_all_that_a_laptop_has() {
    assert_eq!(
        tree_of("crypt-on-partition"),
        "\
sda disk
  md127 md raid1 photos at /media/photos
nvme0n1 disk
  nvme0n1p3 partition
    dm-0 crypt dm_crypt-0
      dm-1 lvm vgubuntu-root at /
        loop0 loop /var/lib/snapd/snaps/core22_1.snap at /snap/core22/1
      dm-2 lvm vgubuntu-swap_1
zram0 zram (no times)
cciss/c0d0 disk
"
    );
    assert_eq!(
        limits_of("crypt-on-partition"),
        ["/user.slice nvme0n1 rbps 104857600", "/user.slice nvme0n1 wiops 2000"]
    );
}

#[test]
fn a_container_names_the_hosts_devices_and_its_own_limit() {
    assert_eq!(
        tree_of("container-with-overlay"),
        "\
vdb disk at /data
nvme0n1 disk
nvme1n1 disk at /readonly
"
    );
    assert_eq!(limits_of("container-with-overlay"), ["/ vdb riops 840", "/ vdb wiops 360"]);
}

#[test]
fn a_loop_on_a_loop_stands_on_the_disk() {
    assert_eq!(
        tree_of("virtio-and-loops"),
        "\
vda disk at /
  loop0 loop /var/lib/disk image
    loop1 loop /dev/loop0 at /mnt/data
zram0 zram at /mnt/memory
"
    );
}

#[test]
fn without_sys_the_counted_devices_come_by_name() {
    let machine = Machine::unpack("virtio-and-loops");
    let bare = Machine::unpack("virtio-and-loops");
    std::fs::remove_dir_all(bare.root().join("sys")).unwrap();
    let tree = device_tree(&bare.root());
    let names: Vec<&str> = tree.iter().map(|node| node.facts.name.as_str()).collect();
    assert_eq!(names, ["vda", "loop0", "loop1", "zram0"]);
    assert!(tree.iter().all(|node| node.below.is_empty() && node.timed));
    assert!(local_limits(&machine.root()).is_empty() && device_tree(&Root::at("/nowhere")).is_empty());
}

#[test]
fn each_device_of_this_machine_stands_behind_what_it_stands_on() {
    let tree = device_tree(&Root::real());
    for (at, node) in tree.iter().enumerate() {
        let name = &node.facts.name;
        assert!(tree[..at].iter().all(|other| other.facts.name != *name), "{name} is there twice");
        for below in &node.below {
            assert!(
                tree[..at].iter().any(|other| other.facts.name == *below),
                "{name} is not behind {below}"
            );
        }
    }
}

/// Replaces a setting by a pipe that nobody writes to: reading it waits for ever, as with a wedged device.
/// The path must not be a link.
fn wedge(machine: &Machine, path: &str) {
    let path = machine.root().path().join(path);
    std::fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
}

#[test]
fn a_neighbour_that_does_not_answer_is_named_and_stands_in_nobodys_way() {
    let whole = Machine::unpack("lvm-over-md");
    let machine = Machine::unpack("lvm-over-md");
    wedge(&machine, "sys/class/block/sda/queue/rotational");
    let (tree, doubts) = device_tree_and_doubts(&machine.root());
    assert_eq!(drawn(&tree), drawn(&device_tree(&whole.root())));
    // A partition is as silent as its disk.
    let silent = |name: &str| TargetDoubt::Silent { device: name.to_owned() };
    assert_eq!(doubts, [silent("sda"), silent("sda1")]);
    let known = |tree: &[DeviceNode], name: &str| {
        tree.iter().find(|node| node.facts.name == name).map(|node| node.facts.clone()).unwrap()
    };
    assert_eq!(known(&tree, "sdb"), known(&device_tree(&whole.root()), "sdb"));
    let facts = target_facts(&machine.root(), "/dev/dm-0".as_ref(), "dm-0").unwrap();
    assert!(facts.doubts.contains(&silent("sda")), "{:?}", facts.doubts);
}
