//! Targets of a DiskSpd run: made where that is asked for, and opened behind the guard.

use std::collections::HashMap;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use diskspd::{Cache, Creation, Found, Profile, Target, TimeSpan};
use engine::{FileFacts, PlanTarget};
use kernel::{Clock, Direct, FileKind, Medium, OpenFile, Walk};
use workload::{Buffers, Bytes, Nanos, SyncMode, WorkerPlan};

use session::named::{Announcement, FillError, NamedFiles};
use session::signals::StopFlag;

/// Refuses what this machine has not, before anything is touched.
pub fn possible(profile: &Profile) -> Result<(), String> {
    for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
        of_windows(&target.path)?;
        if target.mapped {
            return Err("-Sm (memory mapped I/O) is not offered: plimsoll measures calls, and a mapping has none; use -Sb for \
                        I/O through the page cache"
                .to_owned());
        }
        if target.cache == Cache::RemoteOnly && medium(&target.path) != Medium::Network {
            return Err(format!(
                "-Sr leaves the cache of a file server on, and '{}' is on a local file system; use -Su",
                target.path
            ));
        }
    }
    Ok(())
}

/// Refuses what does not fit, before a file that is there is emptied.
pub fn room_for(creations: &[Creation]) -> Result<(), String> {
    let mut wanted: HashMap<u64, (u64, PathBuf)> = HashMap::new();
    for creation in creations {
        let Some(place) = creation.path.ancestors().skip(1).map(here).find(|place| place.is_dir()) else {
            continue;
        };
        // What a file holds that will be made anew comes free.
        let held = std::fs::metadata(&creation.path);
        let is_device = held.as_ref().is_ok_and(|held| held.file_type().is_block_device());
        let held = held.map_or(0, |held| held.blocks().saturating_mul(512));
        let Some(device) = std::fs::metadata(&place).ok().filter(|_| !is_device).map(|found| found.dev())
        else {
            continue;
        };
        let sum = wanted.entry(device).or_insert((0, place));
        sum.0 = sum.0.saturating_add(creation.bytes.saturating_sub(held));
    }
    for (bytes, place) in wanted.into_values() {
        let free = kernel::free_space_in(&place).unwrap_or(Bytes(u64::MAX));
        if bytes > free.0 {
            return Err(format!(
                "-c asks for {} more than there are in '{}', where {free} are free; give a smaller -c, or another place",
                Bytes(bytes - free.0),
                place.display()
            ));
        }
    }
    Ok(())
}

/// The folder of a bare name is the current one.
fn here(path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path.to_owned() }
}

fn of_windows(path: &str) -> Result<(), String> {
    let letter = |path: &str| path.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_drive =
        path.strip_prefix('#').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let is_partition = letter(path) && path.len() == 2 && path.ends_with(':');
    let is_windows_path = letter(path) && path.get(1..3) == Some(":\\");
    if Path::new(path).exists() || !(is_drive || is_partition || is_windows_path) {
        return Ok(());
    }
    let what = if is_drive {
        "a physical drive"
    } else if is_partition {
        "a partition"
    } else {
        "a path"
    };
    Err(format!("'{path}' is {what} of Windows; name a file, or a block device such as /dev/sdb"))
}

/// What the data of a path that exists, or of the folder it would be in, is kept in.
fn medium(path: &str) -> Medium {
    let path = Path::new(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let place = path.canonicalize().or_else(|_| folder.canonicalize());
    let mounts = kernel::mounts(Path::new("/")).unwrap_or_default();
    let mount = place.ok().and_then(|place| kernel::mount_of(&mounts, &place).cloned());
    mount.map_or(Medium::BlockDevice, |mount| mount.medium())
}

/// Targets of a run.
pub struct Files {
    named: NamedFiles,
}

impl Files {
    /// No file yet.
    pub fn new(clock: Clock, stop: StopFlag) -> Files {
        Files { named: NamedFiles::new(clock, stop, Announcement::Now) }
    }

    /// The files of one worker; written ones with a permit.
    pub fn open(&mut self, worker: &WorkerPlan) -> Result<Vec<OpenFile>, String> {
        self.named.open(worker).map_err(|error| error.to_string())
    }

    /// Tells the page cache how the targets of `span` are walked, where it asks for that.
    pub fn advise(span: &TimeSpan, opened: &[Vec<OpenFile>]) {
        for file in opened.iter().flatten() {
            let of_it = |target: &&Target| Path::new(&target.path) == file.path();
            let Some(target) = span.targets.iter().find(of_it) else { continue };
            // Advice that the kernel does not take changes nothing.
            if target.random_hint {
                let _ = kernel::advise(file, Walk::Random);
            } else if target.sequential_hint {
                let _ = kernel::advise(file, Walk::Sequential);
            }
        }
    }

    /// What the planner must know of the targets.
    pub fn ground(&self, paths: &[PathBuf], interval: Nanos) -> PlanTarget {
        let mut files: Vec<FileFacts> = Vec::new();
        for path in paths {
            if let Some(found) = found(path).filter(|_| files.iter().all(|file| file.path != *path)) {
                let direct_alignment = Bytes(found.alignment);
                files.push(FileFacts {
                    path: path.clone(),
                    size: Bytes(found.bytes),
                    direct_alignment,
                    writable: true,
                });
            }
        }
        self.named.ground(files, interval)
    }

    /// Makes a file anew, with data in all of it: reads of what was never written would measure nothing. A device is left
    /// as it is.
    pub fn create(&mut self, creation: &Creation) -> Result<(), String> {
        let path = &creation.path;
        let failed = |what: &'static str| {
            move |error: io::Error| format!("'{}': {what}: {error}{}", path.display(), remedy(&error))
        };
        if path.is_absolute()
            && let Some(parent) = path.parent()
        {
            std::fs::create_dir_all(parent).map_err(failed("its folder cannot be made"))?;
        }
        let room = self.named.writer(path, Direct::No, SyncMode::None).map_err(|error| error.to_string())?;
        if room.kind() == FileKind::BlockDevice {
            return Ok(());
        }
        kernel::set_length(&room, Bytes(0)).map_err(failed("it cannot be emptied"))?;
        kernel::set_length(&room, Bytes(creation.bytes)).map_err(failed("it cannot be made that long"))?;
        let buffers = if creation.zero { Buffers::Zero } else { Buffers::Unique };
        self.named.fill(&room, Bytes(creation.bytes), &buffers).map_err(|error| match error {
            FillError::Guard(error) => error.to_string(),
            FillError::CannotRun(text) => text,
            FillError::Open(error) => error.to_string(),
            FillError::Call("write", error) => failed("it cannot be filled")(error),
            FillError::Call("fsync", error) => failed("its data cannot be flushed")(error),
            FillError::Call(_, error) => failed("the page cache keeps it")(error),
        })
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "; make room, or give a smaller -c",
        io::ErrorKind::PermissionDenied => "; run as root or as the owner",
        _ => "",
    }
}

/// What is at `path`.
pub fn found(path: &Path) -> Option<Found> {
    let direct = kernel::open_for_read(path, Direct::Yes).ok();
    let alignment = direct.as_ref().map_or(0, |file| file.alignment().offset.0.max(1));
    let file = direct.or_else(|| kernel::open_for_read(path, Direct::No).ok())?;
    Some(Found { bytes: file.size().0, alignment })
}

/// Share of `path` that lies in the page cache; `None` where the kernel does not say.
pub fn cached(path: &Path) -> Option<f64> {
    let file = kernel::open_for_read(path, Direct::No).ok()?;
    kernel::cached_share(file.as_fd(), 0, file.size())
}

/// Whether the kernel follows each stable write to `path` by a flush: its topmost device has a write cache that may lose
/// data, and does not take writes past it (FUA).
pub fn flushes_each_write(path: &Path) -> bool {
    let Ok(facts) = kernel::target_facts(path) else { return false };
    let Some(device) = facts.devices.first() else { return false };
    let below_class = Path::new("/sys/class/block");
    let read = |name: &str, file: &str| {
        std::fs::read_to_string(below_class.join(name).join("queue").join(file)).unwrap_or_default()
    };
    // A partition has the queue of its disk.
    let names = std::iter::once(&device.name).chain(&device.below);
    let queue =
        names.map(|name| (read(name, "write_cache"), read(name, "fua"))).find(|(cache, _)| !cache.is_empty());
    queue.is_some_and(|(cache, fua)| cache.trim() == "write back" && fua.trim() != "1")
}
