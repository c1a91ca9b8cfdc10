//! Loop devices and mounts for one test, removed when the test ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kernel::guard::permit_unnamed;
use kernel::lab::{LoopDevice, LoopOptions};
use kernel::{DeviceNumber, Direct, OpenFile, OwnedTestFile};
use workload::Bytes;

use crate::loops::{LoopOver, Through};
use crate::machine::{fingerprint, root_or_skip, run, text, unnamed};
use crate::program::comes_true;
use crate::skip::{Lack, skipped};

/// Attaches a loop device to an unnamed file beside the build.
pub fn loop_of(size: Bytes) -> Option<LoopDevice> {
    loop_over(&unnamed(size))
}

/// Attaches a loop device to `file` through the page cache; `None`, and a skip, if this machine makes none.
pub fn loop_over(file: &OwnedTestFile) -> Option<LoopDevice> {
    attached(file, Through::Cache)
}

fn attached(file: &OwnedTestFile, through: Through) -> Option<LoopDevice> {
    let direct = if through == Through::Direct { Direct::Yes } else { Direct::No };
    let options = LoopOptions { direct, size_limit: None, block_size: None };
    let made = LoopDevice::attach(&permit_unnamed(file), options);
    made.inspect_err(|error| skipped(Lack::Kernel, error)).ok()
}

/// A loop device on an unnamed file; the kernel removes both when the test ends, however it ends.
#[derive(Debug)]
pub struct Disk {
    device: LoopDevice,
    /// Open only for reading: a file that is open for writing counts as in use.
    image: OpenFile,
}

impl Disk {
    /// Attaches a loop device to an unwritten file in `folder`; `None`, and a skip, if this machine makes none.
    pub fn of(folder: impl AsRef<Path>, mib: u64, through: Through) -> Option<Disk> {
        let image = kernel::unnamed_file(folder.as_ref(), Bytes(0)).ok()?;
        image.set_len(Bytes::mib(mib)).ok()?;
        let device = attached(&image, through)?;
        Some(Disk { device, image: image.open_for_read(Direct::No).ok()? })
    }

    /// Returns `/dev/loopN` as a path.
    pub fn path(&self) -> &Path {
        self.device.path()
    }

    /// Returns `/dev/loopN` as text.
    pub fn node(&self) -> String {
        text(self.path())
    }

    /// Returns `loopN`.
    pub fn name(&self) -> String {
        self.node().trim_start_matches("/dev/").to_owned()
    }

    /// Returns `major:minor`.
    pub fn number(&self) -> String {
        self.device_number().to_string()
    }

    /// Returns the device number as the interfaces of `kernel` take it.
    pub fn device_number(&self) -> DeviceNumber {
        self.device.number()
    }

    /// Makes a file system on the device with `words`, to which the device is appended; returns false, and
    /// skips, if that fails.
    pub fn made(&self, words: &[&str]) -> bool {
        run(&[words, &[self.node().as_str()]].concat())
    }

    /// Writes `bytes` to the device, and waits until they are stored.
    ///
    /// # Panics
    /// If that fails.
    pub fn write_at(&self, at: u64, bytes: &[u8]) {
        use std::os::unix::fs::FileExt;
        let file = fs::OpenOptions::new().write(true).open(self.path()).unwrap();
        file.write_all_at(bytes, at).unwrap();
        file.sync_all().unwrap();
    }

    /// Returns a path to the file under the device, valid as long as the test runs.
    pub fn image_path(&self) -> String {
        use std::os::fd::{AsFd, AsRawFd};
        format!("/proc/{}/fd/{}", std::process::id(), self.image.as_fd().as_raw_fd())
    }

    /// Truncates the file under the device to its first `mib` MiB.
    ///
    /// # Panics
    /// If that fails.
    pub fn lose_all_but(&self, mib: u64) {
        fs::OpenOptions::new().write(true).open(self.image_path()).unwrap().set_len(mib << 20).unwrap();
    }

    /// Returns a number that changes with any change of the device's bytes.
    ///
    /// # Panics
    /// If the device cannot be read.
    pub fn fingerprint(&self) -> u64 {
        fingerprint(self.path())
    }

    /// Attaches a loop device to this one.
    pub fn shown_again(&self) -> Option<LoopOver> {
        LoopOver::or_skip(self.path(), Through::Cache)
    }
}

/// A mount, unmounted on drop.
#[derive(Debug)]
pub struct MountGuard {
    point: PathBuf,
}

impl MountGuard {
    /// Runs `mount` with `words` and then `point`, which is created; `None`, and a skip, if that fails.
    ///
    /// # Panics
    /// If the mount point cannot be created.
    pub fn at(point: PathBuf, words: &[&str]) -> Option<MountGuard> {
        if !root_or_skip("mounting") {
            return None;
        }
        fs::create_dir_all(&point).unwrap();
        let place = text(&point);
        let all = [&["mount"], words, &[place.as_str()]].concat();
        run(&all).then_some(MountGuard { point })
    }

    /// Returns the mount point.
    pub fn point(&self) -> &Path {
        &self.point
    }

    /// Returns the path of `name` in the mount.
    pub fn path(&self, name: &str) -> PathBuf {
        self.point.join(name)
    }

    /// Returns the mount point as a word of a command line.
    pub fn text(&self) -> String {
        text(&self.point)
    }

    /// Returns the free bytes.
    ///
    /// # Panics
    /// If the kernel does not report them.
    pub fn free(&self) -> u64 {
        kernel::free_space_in(&self.point).unwrap().0
    }

    /// Returns the sorted names of files in the mount, without `lost+found`.
    ///
    /// # Panics
    /// If the mount cannot be listed.
    pub fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.point).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.retain(|name| name != "lost+found");
        names.sort();
        names
    }
}

impl Drop for MountGuard {
    fn drop(&mut self) {
        let point = text(&self.point);
        // A process that was just killed may keep the mount busy for a moment longer.
        let umount = |words: &[&str]| {
            let quiet = Command::new("umount").args(words).arg(&point).stderr(Stdio::null()).status();
            quiet.is_ok_and(|status| status.success())
        };
        if !comes_true(|| umount(&[])) {
            umount(&["--lazy"]);
        }
    }
}

/// Command that makes ext4 completely, leaving no initialisation for the background.
const MKFS: [&str; 5] = ["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"];

/// Makes ext4 on `device` and mounts it on `point` with `options`; `None`, and a skip, if that fails.
pub fn ext4_at(point: PathBuf, device: &Path, options: &[&str]) -> Option<MountGuard> {
    let device = text(device);
    if !run(&[&MKFS[..], &[device.as_str()]].concat()) {
        return None;
    }
    let mount = MountGuard::at(point, &[&["--options", "noatime"], options, &[device.as_str()]].concat())?;
    // Changes that the mounting itself made are flushed before a test compares the device's bytes.
    run(&["sync", "--file-system", &mount.text()]).then_some(mount)
}

/// An ext4 file system on a loop device.
#[derive(Debug)]
pub struct Volume {
    /// The mount.
    pub mount: MountGuard,
    /// The device below it.
    pub disk: Disk,
}

impl Volume {
    /// Makes the file system with its image in `folder`; `None`, and a skip, if this machine makes none.
    pub fn ext4(folder: impl AsRef<Path>, mib: u64, through: Through) -> Option<Volume> {
        let disk = Disk::of(&folder, mib, through)?;
        Volume::with(folder, disk, &[])
    }

    /// Makes the file system and mounts it so that it writes nothing itself.
    pub fn read_only(folder: impl AsRef<Path>, mib: u64) -> Option<Volume> {
        let disk = Disk::of(&folder, mib, Through::Cache)?;
        Volume::with(folder, disk, &["--options", "ro,noload"])
    }

    /// Makes ext4 on `disk` and mounts it in `folder` with `options`.
    pub fn with(folder: impl AsRef<Path>, disk: Disk, options: &[&str]) -> Option<Volume> {
        let point = folder.as_ref().join(format!("on-{}", disk.name()));
        Some(Volume { mount: ext4_at(point, disk.path(), options)?, disk })
    }
}
