//! The file behind a lab volume: its place, its name, and the real data in it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kernel::guard::WritePermit;
use kernel::{Direct, Medium, mount_of, mounts};
use statistics::Stream;
use workload::{Bytes, PolicyName};

use super::LabError;

/// Start of the names of backing files; the kernel's guard recognises plimsoll's own files by `.plimsoll-` and `.tmp`.
const PREFIX: &str = ".plimsoll-lab-";
/// End of the names of backing files.
const SUFFIX: &str = ".tmp";
/// Suffix that the kernel adds to the path of a file that has lost its name.
const GONE: &str = " (deleted)";
/// Bytes for the policy in a name of at most 255 bytes.
const WORDS_MAX: usize = 200;
/// Default directory in memory.
const MEMORY: &str = "/dev/shm";
/// Default directory on a disk.
const DISK: &str = "/var/tmp";

/// Returns the best directory for the file of a volume of `size`: memory if at least four times the size is available,
/// because only memory is faster than every policy and never disturbed; otherwise `/var/tmp`.
pub fn default_dir(size: Bytes) -> PathBuf {
    let memory = Path::new(MEMORY);
    let ample = available_memory() >= size * 4;
    let fits = kernel::free_space_in(memory).is_ok_and(|free| free >= size);
    if ample && fits && is_memory(memory) { memory.to_owned() } else { PathBuf::from(DISK) }
}

/// Returns the directories in which [`default_dir`] places files.
pub(crate) fn default_dirs() -> [&'static Path; 2] {
    [Path::new(MEMORY), Path::new(DISK)]
}

/// Whether files in `dir` are in memory.
pub(crate) fn is_memory(dir: &Path) -> bool {
    let table = mounts(Path::new("/")).unwrap_or_default();
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    mount_of(&table, &dir).is_some_and(|mount| mount.medium() == Medium::Memory)
}

/// Whether files in `dir` may be swapped out: it is in memory, on a file system that was not mounted with `noswap`.
pub(crate) fn may_be_swapped(dir: &Path) -> bool {
    let table = mounts(Path::new("/")).unwrap_or_default();
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let options = mount_of(&table, &dir).map(|mount| mount.super_options.clone()).unwrap_or_default();
    is_memory(&dir) && !options.split(',').any(|option| option == "noswap")
}

/// Returns the names of the swap areas in use, from `/proc/swaps`; `None` if no swap is in use.
pub fn swap_in_use() -> Option<String> {
    named_swaps(&std::fs::read_to_string("/proc/swaps").unwrap_or_default())
}

fn named_swaps(table: &str) -> Option<String> {
    let names: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Returns `MemAvailable` of `/proc/meminfo`.
fn available_memory() -> Bytes {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    Bytes::kib(kib.unwrap_or(0))
}

/// Returns the name of a file for a policy; the name contains everything needed to list the volume after a crash.
fn file_name(number: u32, policy: &PolicyName) -> String {
    let mut words = escape(&policy.to_string());
    words.truncate(WORDS_MAX);
    format!("{PREFIX}{number:08x}u{}-{words}{SUFFIX}", user())
}

/// Returns the id of the calling user; under `sudo`, of the user who called it.
pub(crate) fn user() -> u32 {
    let caller = std::env::var("SUDO_UID").ok().and_then(|word| word.parse().ok());
    caller.unwrap_or_else(|| std::fs::metadata("/proc/self").map_or(0, |process| process.uid()))
}

fn escape(words: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"=,._-".contains(&byte);
    let letter = |byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") };
    words.bytes().map(letter).collect()
}

fn unescape(name: &str) -> String {
    let mut parts = name.split('%');
    let mut words = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        // An escape that was cut off at the end of a long name is dropped.
        let Some((hex, rest)) = part.split_at_checked(2) else { break };
        let Ok(byte) = u8::from_str_radix(hex, 16) else { break };
        words.push(byte);
        words.extend(rest.as_bytes());
    }
    String::from_utf8_lossy(&words).into_owned()
}

/// A backing file as described by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedBacking {
    /// The path of the file, or its former path.
    pub(crate) path: PathBuf,
    /// The policy as typed.
    pub(crate) policy: String,
    /// Id of the user who made the file; earlier versions, which only root could use, wrote none.
    pub(crate) user: u32,
    /// Whether the file still has its name.
    pub(crate) is_there: bool,
}

impl NamedBacking {
    /// Reads the backing file of a loop device as the kernel reports it; `None` if it does not belong to a lab volume.
    pub(crate) fn read(backing: &Path) -> Option<NamedBacking> {
        let text = backing.to_str()?;
        let path = text.strip_suffix(GONE).unwrap_or(text);
        let name = Path::new(path).file_name()?.to_str()?;
        let (number, words) = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
        let user = number.split_once('u').and_then(|(_, user)| user.parse().ok()).unwrap_or(0);
        let is_there = path.len() == text.len();
        Some(NamedBacking { path: PathBuf::from(path), policy: unescape(words), user, is_there })
    }
}

/// A file behind a volume, removed on drop unless [`Backing::keep`] is called.
#[derive(Debug)]
pub(crate) struct Backing {
    file: File,
    path: PathBuf,
    permit: WritePermit,
    /// Whether drop removes the name.
    remove: bool,
}

impl Backing {
    /// Creates a file of `size` bytes, all holes, in `dir`.
    ///
    /// # Errors
    /// [`LabError`] if there is no space or no permission.
    pub(crate) fn create(dir: &Path, size: Bytes, policy: &PolicyName) -> Result<Backing, LabError> {
        let failed = |source| LabError::Backing { path: dir.to_owned(), what: "cannot be made", source };
        let dir = dir.canonicalize().map_err(failed)?;
        let free = kernel::free_space_in(&dir).map_err(failed)?;
        if free < size {
            return Err(LabError::NoSpace { dir, wanted: size, free });
        }
        let (file, path) = make(&dir, policy).map_err(failed)?;
        let permit =
            kernel::guard::permit_file_of_ours(&path).inspect_err(|_| drop(std::fs::remove_file(&path)))?;
        let backing = Backing { file, path, permit, remove: true };
        backing.file.set_len(size.0).map_err(failed)?;
        Ok(backing)
    }

    /// Removes the file's name: the data is gone as soon as nobody uses it, even after a crash.
    ///
    /// # Errors
    /// [`LabError::Backing`].
    pub(crate) fn unname(&mut self) -> Result<(), LabError> {
        std::fs::remove_file(&self.path).map_err(|source| self.failed("cannot be removed", source))?;
        self.remove = false;
        Ok(())
    }

    /// Leaves the file where it is.
    pub(crate) fn keep(mut self) {
        self.remove = false;
    }

    /// Returns the permit to write to the file.
    pub(crate) fn permit(&self) -> &WritePermit {
        &self.permit
    }

    /// Returns the path of the file, or its former path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Fills the file with incompressible data, so that reads read real data.
    ///
    /// # Errors
    /// [`LabError::Backing`] if the space runs out after all. [`LabError::Interrupted`] if `stop` is raised meanwhile.
    pub(crate) fn fill(&self, size: Bytes, stop: &AtomicBool) -> Result<(), LabError> {
        let failed = |source| self.failed("cannot be filled", source);
        if fill(&self.file, size, stop).map_err(failed)? == FillOutcome::InPart {
            return Err(LabError::Interrupted);
        }
        self.file.sync_all().map_err(failed)?;
        // A file in memory consists of its cache alone, which may stay.
        if let Ok(open) = kernel::open_for_write(&self.permit, Direct::No) {
            let _ = kernel::drop_cache(&open, 0, size);
        }
        Ok(())
    }

    fn failed(&self, what: &'static str, source: io::Error) -> LabError {
        LabError::Backing { path: self.path.clone(), what, source }
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        if self.remove {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos() as u64 ^ u64::from(std::process::id()) << 32
}

fn make(dir: &Path, policy: &PolicyName) -> io::Result<(File, PathBuf)> {
    const ATTEMPTS: u32 = 16;
    let mut random = Stream::new(seed(), 0);
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..ATTEMPTS {
        let path = dir.join(file_name(random.next_u64() as u32, policy));
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// The outcome of filling a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FillOutcome {
    Whole,
    InPart,
}

fn fill(file: &File, size: Bytes, stop: &AtomicBool) -> io::Result<FillOutcome> {
    const PIECE: usize = 1 << 20;
    let mut random = Stream::new(seed(), 1);
    let mut piece = vec![0u8; PIECE];
    let mut at = 0;
    while at < size.0 {
        if stop.load(Ordering::Relaxed) {
            return Ok(FillOutcome::InPart);
        }
        piece.chunks_exact_mut(8).for_each(|word| word.copy_from_slice(&random.next_u64().to_le_bytes()));
        let length = (size.0 - at).min(PIECE as u64);
        file.write_all_at(&piece[..length as usize], at)?;
        at += length;
    }
    assert!(at == size.0, "a file of {size} was filled to byte {at}");
    Ok(FillOutcome::Whole)
}

/// Returns files of lab volumes in the default directories that have no loop device (`shown` lists the others): left by
/// a crash, or after the loop devices were detached by hand. A file younger than a moment may yet get its loop device.
pub(crate) fn orphans(shown: &[PathBuf]) -> Vec<PathBuf> {
    const MOMENT: Duration = Duration::from_secs(10);
    let old = |path: &PathBuf| {
        let changed = std::fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
        changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > MOMENT))
    };
    let folders = default_dirs().into_iter().filter_map(|dir| std::fs::read_dir(dir).ok());
    let paths = folders.flatten().filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| NamedBacking::read(path).is_some() && !shown.contains(path) && old(path)).collect()
}

/// Removes the backing file of a lab volume.
///
/// # Errors
/// [`LabError`] if the file was not made by plimsoll for this user, or cannot be removed.
pub(crate) fn remove(path: &Path) -> Result<(), LabError> {
    drop(kernel::guard::permit_file_of_ours(path)?);
    std::fs::remove_file(path).map_err(|source| LabError::Backing {
        path: path.to_owned(),
        what: "cannot be removed",
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(words: &str) -> PolicyName {
        PolicyName::parse(words).unwrap()
    }

    #[test]
    fn the_policy_can_be_read_from_the_name() {
        for words in ["do-volumes-pre-burst", "custom,iops=700,bandwidth=10 MiB/s", "aws-gp2,size=50%é"] {
            let path = Path::new("/dev/shm").join(file_name(7, &policy(words)));
            let named = NamedBacking::read(&path).unwrap();
            assert!(named.is_there && named.path == path);
            assert_eq!((named.policy.as_str(), named.user), (words, user()));
            let gone = NamedBacking::read(Path::new(&format!("{}{GONE}", path.display()))).unwrap();
            assert!(!gone.is_there && gone.path == path);
        }
    }

    #[test]
    fn swaps_are_named_where_there_are_any() {
        let head = "Filename Type Size Used Priority\n";
        assert_eq!(named_swaps(head), None);
        let two = format!("{head}/dev/vdb2 partition 1 0 -2\n/swap file 1 0 -3\n");
        assert_eq!(named_swaps(&two), Some("/dev/vdb2, /swap".to_owned()));
    }

    #[test]
    fn a_name_is_never_too_long_for_a_file_system() {
        let long = policy(&format!("custom,iops={}", "/".repeat(300)));
        let name = file_name(u32::MAX, &long);
        assert!(name.len() <= 255, "{}", name.len());
        assert!(NamedBacking::read(Path::new(&name)).unwrap().policy.starts_with("custom,iops=/"));
    }

    #[test]
    fn other_files_are_not_taken_for_ours() {
        for path in ["/srv/disk.img", "/tmp/.plimsoll-12345678.tmp", "/dev/loop3", "/tmp/.plimsoll-lab-1.tmp"]
        {
            assert_eq!(NamedBacking::read(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn a_filled_file_has_no_holes_and_no_repeats() {
        let dir = tempfile::tempdir().unwrap();
        let backing = Backing::create(dir.path(), Bytes::kib(1500), &policy("x")).unwrap();
        backing.fill(Bytes::kib(1500), &AtomicBool::new(false)).unwrap();
        assert!(backing.file.metadata().unwrap().blocks() * 512 >= Bytes::kib(1500).0);
        let bytes = std::fs::read(backing.path()).unwrap();
        let mut blocks: Vec<&[u8]> = bytes.chunks(512).collect();
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), 3000);
        let path = backing.path().to_owned();
        drop(backing);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_that_does_not_fit_is_refused_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let error = Backing::create(dir.path(), Bytes(u64::MAX / 4), &policy("x")).unwrap_err();
        assert!(error.to_string().contains("--size"), "{error}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
