//! Throttles of this kernel: a control group's limits on a device (blkio in version 1, `io.max` in version 2).

use std::io;
use std::path::{Path, PathBuf};

use crate::linux::device::{DeviceNumber, read_number, sysfs_folder};
use crate::linux::facts::folder_names;
use crate::linux::mounts::{Mount, mounts};

/// Limits on one device; `None` leaves a direction unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Reads per second.
    pub read_iops: Option<u64>,
    /// Writes per second.
    pub write_iops: Option<u64>,
    /// Bytes read per second.
    pub read_bps: Option<u64>,
    /// Bytes written per second.
    pub write_bps: Option<u64>,
}

impl Limits {
    /// The four limits, each with its word in version 1 and in version 2.
    fn rows(&self) -> [(&'static str, &'static str, Option<u64>); 4] {
        [
            ("read_bps", "rbps", self.read_bps),
            ("write_bps", "wbps", self.write_bps),
            ("read_iops", "riops", self.read_iops),
            ("write_iops", "wiops", self.write_iops),
        ]
    }

    fn set(&mut self, word: &str, value: Option<u64>) {
        match word {
            "read_bps" | "rbps" => self.read_bps = value,
            "write_bps" | "wbps" => self.write_bps = value,
            "read_iops" | "riops" => self.read_iops = value,
            "write_iops" | "wiops" => self.write_iops = value,
            _ => {}
        }
    }
}

/// Why this kernel cannot throttle.
#[derive(Debug, thiserror::Error)]
pub enum ThrottleError {
    /// There is no control group for I/O.
    #[error(
        "this machine has no blkio control group (version 1) and no io controller (version 2); \
         mount one, or use a simulated volume (sim:)"
    )]
    NoController,
    /// Version 2 cannot limit the root group, which may be the group of this process.
    #[error("limits on the group this process is in need control groups of version 1; make a group instead")]
    NeedsGroup,
    /// A file of the group cannot be read or written.
    #[error("{path}: {source}; throttling needs root and a kernel with BLK_DEV_THROTTLING")]
    File {
        /// The file.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// A control group whose I/O is limited. Dropping it lifts the limits and removes a group that it made, unless
/// [`Throttle::keep`] is called.
#[derive(Debug)]
pub struct Throttle {
    folder: PathBuf,
    version: Version,
    ours: bool,
    limited: Vec<DeviceNumber>,
}

/// Prefix of the names of plimsoll's own groups, by which they are recognised after a crash.
const PREFIX: &str = "plimsoll-";

/// Returns the mount point of the controller, and its version.
fn controller(root: &Path) -> Option<(PathBuf, Version)> {
    let table = mounts(root).ok()?;
    let is_blkio = |m: &&Mount| m.filesystem == "cgroup" && m.super_options.split(',').any(|o| o == "blkio");
    if let Some(mount) = table.iter().find(is_blkio) {
        return Some((mount.point.clone(), Version::One));
    }
    let has_io = |m: &&Mount| {
        let known = std::fs::read_to_string(root.join(relative(&m.point)).join("cgroup.controllers"));
        m.filesystem == "cgroup2" && known.is_ok_and(|words| words.split_whitespace().any(|w| w == "io"))
    };
    table.iter().find(has_io).map(|mount| (mount.point.clone(), Version::Two))
}

/// The version (1 or 2) of the control groups under `root` that can limit I/O; `None` if there is no controller.
pub fn throttle_version(root: &Path) -> Option<u8> {
    controller(root).map(|(_, version)| match version {
        Version::One => 1,
        Version::Two => 2,
    })
}

fn relative(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}

/// The blkio group of this process, from a line `N:blkio:/path` of `/proc/self/cgroup`.
fn blkio_group(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let mut words = line.splitn(3, ':').skip(1);
        let controllers = words.next()?;
        let path = words.next()?;
        controllers.split(',').any(|c| c == "blkio").then_some(path)
    })
}

impl Throttle {
    /// Returns the group that this process is already in, so that neither it nor other tools started next to it have to
    /// move. Version 1 only, in which the root group throttles too.
    ///
    /// # Errors
    /// [`ThrottleError`] if there is no blkio of version 1.
    pub fn of_this_process() -> Result<Throttle, ThrottleError> {
        let (point, version) = controller(Path::new("/")).ok_or(ThrottleError::NoController)?;
        if version == Version::Two {
            return Err(ThrottleError::NeedsGroup);
        }
        let path = Path::new("/proc/self/cgroup");
        let text = std::fs::read_to_string(path)
            .map_err(|source| ThrottleError::File { path: path.to_owned(), source })?;
        let group = blkio_group(&text).ok_or(ThrottleError::NoController)?;
        // Inside a container the group's path may begin outside the mounted part; then the mount itself is the group.
        let inside = point.join(relative(Path::new(group)));
        let folder = if inside.is_dir() { inside } else { point };
        Ok(Throttle { folder, version, ours: false, limited: Vec::new() })
    }

    /// Whether the group is the root group. A loop device issues its own I/O, such as flushes, in the root group, where a limit
    /// counts each of them.
    pub fn is_on_top(&self) -> bool {
        controller(Path::new("/")).is_some_and(|(point, _)| point == self.folder)
    }

    /// Makes a new, empty group `plimsoll-NAME`, or takes over an existing one of that name.
    ///
    /// # Errors
    /// [`ThrottleError`] without root or a controller.
    pub fn create(name: &str) -> Result<Throttle, ThrottleError> {
        Throttle::create_under(Path::new("/"), name)
    }

    /// [`Throttle::create`] with the kernel's folders under `root`.
    fn create_under(root: &Path, name: &str) -> Result<Throttle, ThrottleError> {
        let (point, version) = controller(root).ok_or(ThrottleError::NoController)?;
        let point = root.join(relative(&point));
        if version == Version::Two {
            // May fail if the controller was switched on by other means; then the group's own file decides.
            let _ = std::fs::write(point.join("cgroup.subtree_control"), "+io");
        }
        let folder = point.join(format!("{PREFIX}{name}"));
        match std::fs::create_dir(&folder) {
            Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                Err(ThrottleError::File { path: folder, source })
            }
            _ => Ok(Throttle { folder, version, ours: true, limited: Vec::new() }),
        }
    }

    /// Limits the device with `number` for this group; a `None` in `limits` removes that limit.
    ///
    /// # Errors
    /// [`ThrottleError::File`] if the kernel refuses.
    pub fn limit(&mut self, number: DeviceNumber, limits: Limits) -> Result<(), ThrottleError> {
        if !self.limited.contains(&number) {
            self.limited.push(number);
        }
        self.write_limits(number, limits)
    }

    /// Lifts the limits on the device with `number`.
    ///
    /// # Errors
    /// [`ThrottleError::File`] if the kernel refuses.
    pub fn lift(&mut self, number: DeviceNumber) -> Result<(), ThrottleError> {
        self.write_limits(number, Limits::default())?;
        self.limited.retain(|known| *known != number);
        Ok(())
    }

    fn write_limits(&self, number: DeviceNumber, limits: Limits) -> Result<(), ThrottleError> {
        match self.version {
            Version::One => {
                limits.rows().into_iter().try_for_each(|(word, _, value)| self.write_one(number, word, value))
            }
            Version::Two => {
                let words = limits.rows().map(|(_, word, value)| match value {
                    Some(value) => format!("{word}={value}"),
                    None => format!("{word}=max"),
                });
                self.write("io.max", &format!("{number} {}", words.join(" ")))
            }
        }
    }

    /// Writes one of the four limits of version 1.
    fn write_one(&self, number: DeviceNumber, word: &str, value: Option<u64>) -> Result<(), ThrottleError> {
        // Zero lifts the limit.
        let text = format!("{number} {}", value.unwrap_or(0));
        self.write(&format!("blkio.throttle.{word}_device"), &text)
    }

    /// Moves this whole process into the group.
    ///
    /// # Errors
    /// [`ThrottleError::File`] if the kernel refuses.
    pub fn enter_this_process(&self) -> Result<(), ThrottleError> {
        self.write("cgroup.procs", &std::process::id().to_string())
    }

    /// Moves another process into the group.
    ///
    /// # Errors
    /// [`ThrottleError::File`] if there is no such process or the kernel refuses.
    pub fn enter_process(&self, process: u32) -> Result<(), ThrottleError> {
        self.write("cgroup.procs", &process.to_string())
    }

    /// Keeps limits and group in place when the value is dropped.
    pub fn keep(mut self) {
        self.limited.clear();
        self.ours = false;
    }

    /// The group's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn write(&self, file: &str, text: &str) -> Result<(), ThrottleError> {
        let path = self.folder.join(file);
        std::fs::write(&path, text).map_err(|source| ThrottleError::File { path, source })
    }

    /// Moves remaining members to the parent group, which the folder's removal requires, and removes the folder.
    fn remove(&self) {
        let members = std::fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
        if let Some(parent) = self.folder.parent() {
            for member in members.lines() {
                let _ = std::fs::write(parent.join("cgroup.procs"), member);
            }
        }
        let _ = std::fs::remove_dir(&self.folder);
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        for number in std::mem::take(&mut self.limited) {
            let _ = self.write_limits(number, Limits::default());
        }
        if self.ours {
            self.remove();
        }
    }
}

/// Names of plimsoll's groups that still exist, of any run; [`Throttle::create`] takes one over by name for removal.
pub fn leftover_groups() -> Vec<String> {
    let Some((point, _)) = controller(Path::new("/")) else { return Vec::new() };
    let names = folder_names(&point).into_iter();
    names.filter_map(|name| name.strip_prefix(PREFIX).map(str::to_owned)).collect()
}

/// The limits on the device with `number` in the group with this folder.
pub fn limits_on(folder: &Path, number: DeviceNumber) -> Limits {
    let mut limits = Limits::default();
    for (word, _, _) in Limits::default().rows() {
        let text = std::fs::read_to_string(folder.join(format!("blkio.throttle.{word}_device")));
        let line = text.unwrap_or_default();
        let value = line.lines().find_map(|line| line.strip_prefix(&format!("{number} ")).map(str::to_owned));
        limits.set(word, value.and_then(|value| value.trim().parse().ok()));
    }
    let text = std::fs::read_to_string(folder.join("io.max")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{number} ")));
    for (word, value) in line.unwrap_or("").split_whitespace().filter_map(|pair| pair.split_once('=')) {
        limits.set(word, value.parse().ok());
    }
    limits
}

/// Changes the limits on the device with `number` in the group with this folder from those in force to new ones. Only
/// differences are written, because the kernel begins a new slice at each write.
///
/// # Errors
/// [`ThrottleError::File`] if the kernel refuses.
pub fn change_limits(
    folder: &Path,
    number: DeviceNumber,
    (from, to): (Limits, Limits),
) -> Result<(), ThrottleError> {
    if from == to {
        return Ok(());
    }
    let version = if folder.join("io.max").exists() { Version::Two } else { Version::One };
    let throttle = Throttle { folder: folder.to_owned(), version, ours: false, limited: Vec::new() };
    if version == Version::Two {
        return throttle.write_limits(number, to);
    }
    let rows = from.rows().into_iter().zip(to.rows()).filter(|(from, to)| from != to);
    rows.map(|(_, row)| row).try_for_each(|(word, _, value)| throttle.write_one(number, word, value))
}

/// Sets the largest request that the kernel sends to the device, in KiB, which is the unit in which limits count requests.
/// Returns the previous value.
///
/// # Errors
/// [`ThrottleError::File`] if the device has no queue or the kernel refuses the value.
pub fn set_max_sectors_kb(number: DeviceNumber, kib: u64) -> Result<u64, ThrottleError> {
    let folder = sysfs_folder(Path::new("/"), number).unwrap_or_default();
    let path = folder.join("queue/max_sectors_kb");
    let before = read_number(&path).ok_or_else(|| ThrottleError::File {
        path: path.clone(),
        source: io::Error::from_raw_os_error(libc::ENOENT),
    })?;
    std::fs::write(&path, kib.to_string()).map_err(|source| ThrottleError::File { path, source })?;
    Ok(before)
}

/// Whether the kernel's setting says that the device keeps everything it has confirmed, so that no flush is sent. The
/// setting stays with the number of a loop device, for its next user.
pub fn flushes_are_off(number: DeviceNumber) -> bool {
    std::fs::read_to_string(write_cache(number)).is_ok_and(|text| text.trim() == "write through")
}

/// Lets the kernel send flushes to the device, as is initially set for a loop device.
///
/// # Errors
/// [`ThrottleError::File`] if the device has no queue or the kernel refuses the value.
pub fn let_flushes_through(number: DeviceNumber) -> Result<(), ThrottleError> {
    let path = write_cache(number);
    std::fs::write(&path, "write back").map_err(|source| ThrottleError::File { path, source })
}

fn write_cache(number: DeviceNumber) -> PathBuf {
    sysfs_folder(Path::new("/"), number).unwrap_or_default().join("queue/write_cache")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: DeviceNumber = DeviceNumber { major: 7, minor: 0 };

    #[test]
    fn the_group_of_a_process_is_found_by_its_controller() {
        let text = "5:cpu,cpuacct:/a\n4:blkio:/system.slice/x\n0::/unified\n";
        assert_eq!(blkio_group(text), Some("/system.slice/x"));
        assert_eq!(blkio_group("0::/only/two\n"), None);
    }

    #[test]
    fn version_one_is_taken_where_both_are_mounted() {
        let root = tempfile::tempdir().unwrap();
        let info = root.path().join("proc/self");
        std::fs::create_dir_all(&info).unwrap();
        let two = "2 1 0:2 / /cg2 rw - cgroup2 cgroup2 rw\n";
        let one = "3 1 0:3 / /cg/blkio rw - cgroup cgroup rw,blkio\n";
        std::fs::write(info.join("mountinfo"), two).unwrap();
        assert!(controller(root.path()).is_none(), "version 2 without the io controller is of no use");
        std::fs::create_dir(root.path().join("cg2")).unwrap();
        std::fs::write(root.path().join("cg2/cgroup.controllers"), "cpu io memory\n").unwrap();
        assert_eq!(controller(root.path()), Some((PathBuf::from("/cg2"), Version::Two)));
        std::fs::write(info.join("mountinfo"), format!("{two}{one}")).unwrap();
        assert_eq!(controller(root.path()), Some((PathBuf::from("/cg/blkio"), Version::One)));
    }

    /// The folders of a distribution that mounts only version 2, as systemd creates them.
    #[test]
    fn a_group_of_version_two_is_made_limited_entered_and_freed() {
        let root = tempfile::tempdir().unwrap();
        let (info, mount) = (root.path().join("proc/self"), root.path().join("sys/fs/cgroup"));
        std::fs::create_dir_all(&info).unwrap();
        std::fs::create_dir_all(&mount).unwrap();
        let line = "31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n";
        std::fs::write(info.join("mountinfo"), line).unwrap();
        std::fs::write(mount.join("cgroup.controllers"), "cpuset cpu io memory hugetlb pids rdma misc\n")
            .unwrap();
        let mut throttle = Throttle::create_under(root.path(), "held").unwrap();
        let folder = mount.join("plimsoll-held");
        assert_eq!((throttle.folder(), throttle.version), (folder.as_path(), Version::Two));
        let told = |file: &Path| std::fs::read_to_string(file).unwrap();
        assert_eq!(told(&mount.join("cgroup.subtree_control")), "+io");
        let limits = Limits { read_bps: Some(70), write_iops: Some(5), ..Limits::default() };
        throttle.limit(DEVICE, limits).unwrap();
        assert_eq!(told(&folder.join("io.max")), "7:0 rbps=70 wbps=max riops=max wiops=5");
        assert_eq!(limits_on(&folder, DEVICE), limits);
        throttle.enter_process(4242).unwrap();
        assert_eq!(told(&folder.join("cgroup.procs")), "4242");
        throttle.lift(DEVICE).unwrap();
        assert_eq!(limits_on(&folder, DEVICE), Limits::default());
        drop(throttle);
        assert_eq!(told(&mount.join("cgroup.procs")), "4242", "whoever is left goes one up");
    }

    #[test]
    fn limits_are_read_back_from_both_versions() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("blkio.throttle.read_iops_device"), "7:0 1000\n7:1 5\n").unwrap();
        let expected = Limits { read_iops: Some(1000), ..Limits::default() };
        assert_eq!(limits_on(folder.path(), DEVICE), expected);
        let two = tempfile::tempdir().unwrap();
        std::fs::write(two.path().join("io.max"), "7:0 rbps=max wbps=1024 riops=2 wiops=max\n").unwrap();
        let expected = Limits { read_iops: Some(2), write_bps: Some(1024), ..Limits::default() };
        assert_eq!(limits_on(two.path(), DEVICE), expected);
    }
}
