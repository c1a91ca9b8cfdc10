//! Targets of a DiskSpd run on this machine: checks which exist and fit, and creates files.

use std::collections::HashMap;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use diskspd::{Cache, Creation, PathFacts, Paths, Profile, Target, TargetObservations};
use kernel::{Direct, Medium};
use sampler::Root;
use workload::{Buffers, Bytes, Content, LayoutFile, Replaces};

use session::named::{self, Call, LayoutError, NamedFiles};
use session::unwritten::{self, NOTABLE, percent};

/// Refuses a profile that cannot run on this machine, before anything is touched.
pub fn possible(profile: &Profile) -> Result<(), String> {
    let exists = |path: &str| Path::new(path).exists();
    let is_remote = |path: &str| medium(path) == Medium::Network;
    diskspd::possible(profile, &Paths { exists: &exists, is_remote: &is_remote })
}

/// Returns the medium that holds the data of an existing path, or of the folder it would be in.
fn medium(path: &str) -> Medium {
    let path = Path::new(path);
    let place = path.canonicalize().or_else(|_| folder_of(path).canonicalize());
    let mounts = kernel::mounts(Path::new("/")).unwrap_or_default();
    let mount = place.ok().and_then(|place| kernel::mount_of(&mounts, &place).cloned());
    mount.map_or(Medium::BlockDevice, |mount| mount.medium())
}

/// Returns the folder of a path; for a bare name, the current one.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses files that do not fit, before an existing file is emptied.
pub fn room_for(creations: &[Creation]) -> Result<(), String> {
    let mut wanted: HashMap<u64, (u64, PathBuf)> = HashMap::new();
    for Creation { path, bytes, .. } in creations.iter().filter(|creation| !is_device(&creation.path)) {
        let Some(place) = path.ancestors().map(folder_of).find(|place| place.is_dir()) else { continue };
        let Ok(found) = std::fs::metadata(place) else { continue };
        // The space of an existing file that will be created anew becomes free.
        let held = std::fs::metadata(path).map_or(0, |held| held.blocks().saturating_mul(512));
        let sum = wanted.entry(found.dev()).or_insert((0, place.to_owned()));
        sum.0 = sum.0.saturating_add(bytes.saturating_sub(held));
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

fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.file_type().is_block_device())
}

/// Creates a file anew and fills it with data, because reads of unwritten blocks would measure nothing. A device is
/// left as it is.
pub fn create(creation: &Creation, files: &mut NamedFiles) -> Result<(), String> {
    let Creation { path, bytes, zero } = creation;
    let buffers = if *zero { Buffers::Zero } else { Buffers::Unique };
    let file = LayoutFile { path: path.clone(), bytes: *bytes, there: 0, replaces: Replaces::Anything };
    let folder = if path.is_absolute() { named::make_folder_of(path) } else { Ok(()) };
    let not_made =
        |what: &str, error: &io::Error| format!("'{}': {what}: {error}{}", path.display(), remedy(error));
    match folder.and_then(|()| files.lay_out(&file, &Content::Data(buffers))) {
        Err(LayoutError::Call(Call::Empty, _)) if is_device(path) => Ok(()),
        Err(LayoutError::Folder(_, error)) => Err(not_made("its folder cannot be made", &error)),
        Err(LayoutError::Call(call, error)) => Err(not_made(refused(call), &error)),
        Err(error) => Err(error.to_string()),
        Ok(()) => Ok(()),
    }
}

/// Describes the failure of a call on a file.
fn refused(call: Call) -> &'static str {
    match call {
        Call::Remove | Call::Empty => "it cannot be emptied",
        Call::SetLength | Call::Reserve => "it cannot be made that long",
        Call::Write => "it cannot be filled",
        Call::Flush => "its data cannot be flushed",
        Call::Forget => "the page cache keeps it",
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "; make room, or give a smaller -c",
        io::ErrorKind::PermissionDenied => "; run as root or as the owner",
        _ => "",
    }
}

/// Returns size and alignment of the file at `path`.
pub fn found(path: &Path) -> Option<PathFacts> {
    let found = named::look(path)?;
    Some(PathFacts {
        bytes: found.size.0,
        alignment: found.direct_alignment.map_or(0, |alignment| alignment.0),
    })
}

/// Returns reasons why the figures of `target` may measure something else.
pub fn doubts(target: &Target) -> Vec<String> {
    let path = Path::new(&target.path);
    let (reads, writes) = (target.write_percent < 100, target.write_percent > 0);
    let whole = found(path).filter(|_| reads).map(|found| Bytes(found.bytes));
    let unwritten = whole.and_then(|bytes| unwritten::share(path, Bytes(0), bytes));
    let seen = TargetObservations {
        cached: if reads && target.cache == Cache::Used { cached(path).unwrap_or(0.0) } else { 0.0 },
        unwritten: unwritten.filter(|share| *share >= NOTABLE).map(percent),
        flushes: writes && target.write_through && sampler::flushes_each_write(&Root::real(), path),
    };
    diskspd::doubts(target, &seen)
}

/// Returns the share of `path` that is in the page cache; `None` if the kernel cannot say.
fn cached(path: &Path) -> Option<f64> {
    let file = kernel::open_for_read(path, Direct::No).ok()?;
    kernel::cached_share(file.as_fd(), 0, file.size())
}
