//! Loop devices, mounts and throttles of a test's own, gone when it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kernel::guard::permit_unnamed;
use kernel::lab::{LoopDevice, LoopOptions};
use kernel::{Direct, OpenFile, OwnedTestFile};
use workload::Bytes;

use super::{Folder, comes_true, is_root, run, text};

/// Whether the loop device goes past the page cache of what it shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    Past,
    Through,
}

/// A loop device over an unnamed file; the kernel takes both away when the test ends, however it ends.
pub struct Disk {
    device: LoopDevice,
    /// Open for reading alone: a file that somebody writes to is in use.
    image: OpenFile,
}

impl Disk {
    /// `None`, with the reason printed, where this machine makes none.
    pub fn of(folder: &Folder, mib: u64, cache: Cache) -> Option<Disk> {
        let image = kernel::unnamed_file(&folder.path("."), Bytes(0)).ok()?;
        image.set_len(Bytes::mib(mib)).ok()?;
        Disk::show(image, cache)
    }

    /// Over an image file of which nothing has been written.
    fn show(image: OwnedTestFile, cache: Cache) -> Option<Disk> {
        let direct = if cache == Cache::Past { Direct::Yes } else { Direct::No };
        let options = LoopOptions { direct, size_limit: None, block_size: None };
        match LoopDevice::attach(&permit_unnamed(&image), options) {
            Ok(device) => Some(Disk { device, image: image.open_for_read(Direct::No).unwrap() }),
            Err(error) => {
                eprintln!("skipped: {error}");
                None
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.device.path()
    }

    /// `/dev/loopN`
    pub fn node(&self) -> String {
        text(self.path())
    }

    /// `loopN`
    pub fn name(&self) -> String {
        self.node().trim_start_matches("/dev/").to_owned()
    }

    /// `major:minor`
    pub fn number(&self) -> String {
        let number = self.device.number();
        format!("{}:{}", number.major, number.minor)
    }

    /// Makes a file system on it with `words`, to which the device is added; false, with the reason printed, where that
    /// fails.
    pub fn made(&self, words: &[&str]) -> bool {
        run(&[words, &[self.node().as_str()]].concat())
    }

    /// Writes `bytes` to it, and waits until they are stored.
    pub fn write_at(&self, at: u64, bytes: &[u8]) {
        use std::os::unix::fs::FileExt;
        let file = fs::OpenOptions::new().write(true).open(self.path()).unwrap();
        file.write_all_at(bytes, at).unwrap();
        file.sync_all().unwrap();
    }

    /// A path that leads to what it shows while the test lives.
    pub fn image_path(&self) -> String {
        use std::os::fd::{AsFd, AsRawFd};
        format!("/proc/{}/fd/{}", std::process::id(), self.image.as_fd().as_raw_fd())
    }

    /// Takes away all but the first `mib` MiB of what it shows.
    pub fn lose_all_but(&self, mib: u64) {
        fs::OpenOptions::new().write(true).open(self.image_path()).unwrap().set_len(mib << 20).unwrap();
    }

    /// A number that differs between all its bytes and any change of them (FNV-1a over words).
    pub fn fingerprint(&self) -> u64 {
        let bytes = fs::read(self.path()).unwrap();
        let words = bytes
            .chunks(8)
            .map(|chunk| chunk.iter().rev().fold(0u64, |word, &byte| (word << 8) | u64::from(byte)));
        words.fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0100_0000_01b3))
    }

    /// A loop device stacked on this one.
    pub fn shown_again(&self) -> Option<Stacked> {
        let out = Command::new("losetup").args(["--find", "--show"]).arg(self.path()).output().ok()?;
        let node = String::from_utf8_lossy(&out.stdout).trim().to_owned();
        out.status.success().then_some(Stacked(node))
    }
}

/// A loop device stacked on another; detached with the value.
pub struct Stacked(pub String);

impl Drop for Stacked {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

/// A mount, taken away with the value.
pub struct Mounted {
    point: PathBuf,
}

impl Mounted {
    /// Runs `mount` with `words` and then `point`, which is made; `None`, with the reason printed, where that fails.
    pub fn at(point: PathBuf, words: &[&str]) -> Option<Mounted> {
        if !is_root() {
            eprintln!("skipped: mounting needs root");
            return None;
        }
        fs::create_dir_all(&point).unwrap();
        let place = text(&point);
        let all = [&["mount"], words, &[place.as_str()]].concat();
        run(&all).then_some(Mounted { point })
    }

    pub fn point(&self) -> &Path {
        &self.point
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.point.join(name)
    }

    pub fn text(&self) -> String {
        text(&self.point)
    }

    /// Bytes that are free.
    pub fn free(&self) -> u64 {
        kernel::free_space_in(&self.point).unwrap().0
    }

    /// What lies there, `lost+found` left out.
    pub fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.point).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.retain(|name| name != "lost+found");
        names.sort();
        names
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let point = text(&self.point);
        // Whoever was killed may hold it for a moment longer.
        let umount = |words: &[&str]| {
            let quiet = Command::new("umount").args(words).arg(&point).stderr(Stdio::null()).status();
            quiet.is_ok_and(|status| status.success())
        };
        if !comes_true(|| umount(&[])) {
            umount(&["--lazy"]);
        }
    }
}

/// An ext4 file system on a loop device in memory.
pub struct Volume {
    pub mount: Mounted,
    pub disk: Disk,
}

impl Volume {
    /// `None`, with the reason printed, where this machine makes none.
    pub fn ext4(folder: &Folder, mib: u64, cache: Cache) -> Option<Volume> {
        Volume::with(folder, Disk::of(folder, mib, cache)?, &[])
    }

    /// Mounted so that the file system writes nothing itself.
    pub fn read_only(folder: &Folder, mib: u64) -> Option<Volume> {
        Volume::with(folder, Disk::of(folder, mib, Cache::Through)?, &["--options", "ro,noload"])
    }

    /// Makes ext4 on `disk` and mounts it with `options`.
    pub fn with(folder: &Folder, disk: Disk, options: &[&str]) -> Option<Volume> {
        if !disk.made(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"]) {
            return None;
        }
        let point = folder.path(&format!("on-{}", disk.name()));
        let mount = Mounted::at(point, &[options, &[disk.node().as_str()]].concat())?;
        Some(Volume { mount, disk })
    }
}

/// A control group that holds a process to a few bytes a second on a device (cgroup v1); removed with the value.
pub struct Throttle {
    group: PathBuf,
}

impl Throttle {
    /// `None`, with the reason printed, where there is no such controller.
    pub fn new(name: &str) -> Option<Throttle> {
        let group = Path::new("/sys/fs/cgroup/blkio").join(format!("plimsoll-{name}-{}", std::process::id()));
        match fs::create_dir(&group) {
            Ok(()) => Some(Throttle { group }),
            Err(error) => {
                eprintln!("skipped: no blkio control group of version 1: {error}");
                None
            }
        }
    }

    /// Moves a process into it.
    pub fn holds(&self, process: u32) {
        fs::write(self.group.join("cgroup.procs"), process.to_string()).unwrap();
    }

    /// Bytes a second that are read and written; 0 takes the limit away.
    pub fn limit(&self, disk: &Disk, bytes: u64) {
        for way in ["read", "write"] {
            let line = format!("{} {bytes}", disk.number());
            fs::write(self.group.join(format!("blkio.throttle.{way}_bps_device")), line).unwrap();
        }
    }
}

impl Throttle {
    /// Reads a second.
    pub fn limit_reads(&self, disk: &Disk, reads: u64) {
        let line = format!("{} {reads}", disk.number());
        fs::write(self.group.join("blkio.throttle.read_iops_device"), line).unwrap();
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        // A dying process stays in the group until the kernel has let go of its I/O.
        comes_true(|| fs::remove_dir(&self.group).is_ok());
    }
}
