//! Turns a target as typed into an open file or device that can be measured: guarded, with the facts about it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use experiments::{Layout, Writes};
use kernel::guard::Destruction;
use kernel::guard::{GuardError, WritePermit};
use kernel::{Direct, Directness, OpenError, OpenFile, OwnedTestFile, TestFileError};
use record::{TargetDoubt, TargetFacts, TargetKind};
use sampler::{Root, TargetFactsError};
use workload::Bytes;

use super::leave::{WriteTarget, leave_to_write};

/// Largest region that is laid out by default.
const REGION_MOST: Bytes = Bytes::gib(4);
/// Smallest region that is measured: a smaller one fits into the caches of a disk.
const REGION_LEAST: Bytes = Bytes::mib(64);
/// Divisor of the free space: a region takes at most this part of it by default.
const FREE_SHARE: u64 = 10;

/// Share of a file (0 to 1) that may be unwritten; with more, reads of it say nothing about the volume.
const UNWRITTEN_MOST: f64 = 0.01;

/// The user's options for the target.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Bytes to lay out and measure on.
    pub size: Option<Bytes>,
    /// The block device that may be destroyed.
    pub allow_destroy: Option<PathBuf>,
    /// Whether a file may be read of which much was never written.
    pub holes: Holes,
    /// Raised by a stop request, also while the target is being made.
    pub stop: Arc<AtomicBool>,
}

/// Whether a file that holds little data may be measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holes {
    /// No: reads of such a file say nothing about the volume.
    #[default]
    Refused,
    /// Yes: the measurement looks for the parts without data.
    Allowed,
}

/// A target that has been opened and guarded.
#[derive(Debug)]
pub struct OpenTarget {
    /// Facts about the target.
    pub facts: TargetFacts,
    /// The one file or device that all workers use.
    pub file: OneFile,
    /// Size of the region.
    pub size: Bytes,
    /// Whether writes are measured.
    pub writes: Writes,
    /// Data to be written before reads are measured.
    pub layout: Layout,
    /// Data that will be destroyed on a device that may be written.
    pub destruction: Option<Destruction>,
}

/// One open file or device, past the page cache if possible.
#[derive(Clone, Debug)]
pub struct OneFile {
    /// File for steps that only read.
    pub reader: OpenFile,
    /// File for steps that write; `None` if writing is not permitted.
    pub writer: Option<OpenFile>,
    /// Reader and writer through the page cache, for a test file that plimsoll created.
    pub through_cache: Option<(OpenFile, OpenFile)>,
    /// Keeps an unnamed file alive.
    _ours: Option<OwnedTestFile>,
    /// Exclusive access to a device that is written: other programs can open it again once this is dropped.
    _leave: Option<WritePermit>,
    /// Whether reads bypass the page cache. Determined before the run, because at its end the kernel may cache
    /// what was read.
    directness: Option<Directness>,
}

/// Why a target cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum OpenTargetError {
    /// The target does not exist, or its facts cannot be read.
    #[error(transparent)]
    Facts(#[from] TargetFactsError),
    /// The target cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// No test file can be created in the directory.
    #[error(transparent)]
    File(#[from] TestFileError),
    /// The guard refuses permission to write.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// The default share of the free space is too small.
    #[error(
        "{path}: a tenth of the {free} that are free is less than the {least} that a measurement needs; free some space, or name \
         a size with --size"
    )]
    Room {
        /// Directory.
        path: PathBuf,
        /// Bytes free for this process.
        free: Bytes,
        /// Least region.
        least: Bytes,
    },
    /// Too little space is free for any region.
    #[error(
        "{path}: only {free} are free, and a measurement needs at least {least}; free some space, or name another volume"
    )]
    Full {
        /// Directory.
        path: PathBuf,
        /// Bytes free for this process.
        free: Bytes,
        /// Least region.
        least: Bytes,
    },
    /// The file or device is smaller than any measurement needs.
    #[error("{path}: holds {size}, and a measurement needs at least {least}; name a larger file or device")]
    Tiny {
        /// File or device.
        path: PathBuf,
        /// Size of the file or device.
        size: Bytes,
        /// Least region.
        least: Bytes,
    },
    /// The requested size would fill the file system.
    #[error(
        "{path}: {asked} would leave less than a twentieth of the {free} that are free, and what runs here may need them; name a \
         smaller --size"
    )]
    Fills {
        /// Directory.
        path: PathBuf,
        /// Size requested.
        asked: Bytes,
        /// Bytes free for this process.
        free: Bytes,
    },
    /// The requested region is too small.
    #[error("--size {asked}: a measurement needs at least {least}; name a larger size")]
    Small {
        /// Size requested.
        asked: Bytes,
        /// Least region.
        least: Bytes,
    },
    /// The file or device is smaller than the requested size.
    #[error(
        "{path}: holds {size}, less than the {wanted} that are needed; name a smaller --size or a larger target"
    )]
    Short {
        /// File or device.
        path: PathBuf,
        /// Size of the file or device.
        size: Bytes,
        /// Size needed.
        wanted: Bytes,
    },
    /// A file holds too little data.
    #[error(
        "{path}: {percent:.0} % of the {size} that would be read was never written, and such reads end in the file system: they tell \
         nothing of the volume. Name the folder, and a file with data is laid out in it: plimsoll check {folder}"
    )]
    Unwritten {
        /// File.
        path: PathBuf,
        /// Percentage that was never written.
        percent: f64,
        /// Size of the region.
        size: Bytes,
        /// Folder that contains the file.
        folder: PathBuf,
    },
    /// `--allow-destroy` was given with a target that is no block device.
    #[error("{path} is no block device, so --allow-destroy has nothing to allow; leave it out")]
    NothingToDestroy {
        /// The target.
        path: PathBuf,
    },
}

/// Opens the directory, file or block device at `path`, which was typed as `words`.
///
/// In a directory, an unnamed test file is created; a file or device is only read, unless `wish` names the device.
///
/// # Errors
/// [`OpenTargetError`]; no file is left behind.
pub fn open_path(path: &Path, words: &str, wish: &Wish) -> Result<OpenTarget, OpenTargetError> {
    if let Some(asked) = wish.size.filter(|&asked| asked < REGION_LEAST) {
        return Err(OpenTargetError::Small { asked, least: REGION_LEAST });
    }
    let facts = sampler::target_facts(&Root::real(), path, words)?;
    if wish.allow_destroy.is_some() && facts.kind != TargetKind::BlockDevice {
        return Err(OpenTargetError::NothingToDestroy { path: path.to_owned() });
    }
    match (facts.kind, &wish.allow_destroy) {
        (TargetKind::Directory, _) => open_directory(path, facts, wish),
        (TargetKind::BlockDevice, Some(device)) => {
            open_device(facts, wish, &leave_to_write(WriteTarget::Device { path, allowed: Some(device) })?)
        }
        _ => open_reader(path, facts, wish),
    }
}

/// Opens a device that this process has made for the run, and may therefore overwrite.
///
/// # Errors
/// [`OpenTargetError`].
pub fn open_own_device(path: &Path, words: &str, size: Option<Bytes>) -> Result<OpenTarget, OpenTargetError> {
    let mut facts = sampler::target_facts(&Root::real(), path, words)?;
    facts.kind = TargetKind::Lab;
    let permit = leave_to_write(WriteTarget::Device { path, allowed: Some(path) })?;
    let opened = open_device(facts, &Wish { size, ..Wish::default() }, &permit)?;
    Ok(OpenTarget { destruction: None, ..opened })
}

/// Returns the default size of the region in a directory; `None` if `path` is no directory.
pub fn usual_region(path: &Path) -> Option<Bytes> {
    let free = kernel::free_space_in(path).ok().filter(|_| path.is_dir())?;
    Some(unasked(free))
}

fn unasked(free: Bytes) -> Bytes {
    REGION_MOST.min(Bytes(free.0 / FREE_SHARE))
}

/// Returns the size of the region in a directory with `free` bytes: the size asked for, or else a tenth of the free
/// space, at most 4 GiB.
fn region(path: &Path, free: Bytes, asked: Option<Bytes>) -> Result<Bytes, OpenTargetError> {
    if free < REGION_LEAST {
        return Err(OpenTargetError::Full { path: path.to_owned(), free, least: REGION_LEAST });
    }
    let size = asked.unwrap_or(unasked(free)).round_down(Bytes::MIB);
    if size < REGION_LEAST {
        return Err(OpenTargetError::Room { path: path.to_owned(), free, least: REGION_LEAST });
    }
    Ok(size)
}

fn open_directory(path: &Path, mut facts: TargetFacts, wish: &Wish) -> Result<OpenTarget, OpenTargetError> {
    let size = region(path, facts.available, wish.size)?;
    // If the space is insufficient, creating the file fails with its own error; in this case it is sufficient, but too
    // little would remain.
    if size <= facts.available && size.0 > facts.available.0 - facts.available.0 / 20 {
        return Err(OpenTargetError::Fills { path: path.to_owned(), asked: size, free: facts.available });
    }
    let ours = kernel::unnamed_file(path, size)?;
    ours.set_len(size)?;
    let permit = leave_to_write(WriteTarget::Ours(&ours))?;
    let (reader, writer) = direct_if_possible(&mut facts, |direct| {
        Ok((ours.open_for_read(direct)?, kernel::open_for_write(&permit, direct)?))
    })?;
    facts.direct_alignment = reader.alignment().offset;
    let cached = (ours.open_for_read(Direct::No)?, kernel::open_for_write(&permit, Direct::No)?);
    let through_cache = Some(cached);
    let file = OneFile { _ours: Some(ours), through_cache, ..OneFile::written(reader, writer, permit) };
    Ok(OpenTarget {
        facts,
        file,
        size,
        writes: Writes::Measured,
        layout: Layout::Write(size),
        destruction: None,
    })
}

/// Opens past the page cache, or through it if the file system does not support direct I/O, and records a doubt in
/// that case.
fn direct_if_possible<T>(
    facts: &mut TargetFacts,
    open: impl Fn(Direct) -> Result<T, OpenError>,
) -> Result<T, OpenError> {
    match open(Direct::Yes) {
        Err(OpenError::NoDirect { .. }) => {
            facts.doubts.push(TargetDoubt::NoDirectIo);
            open(Direct::No)
        }
        other => other,
    }
}

fn open_device(facts: TargetFacts, wish: &Wish, permit: &WritePermit) -> Result<OpenTarget, OpenTargetError> {
    let writer = kernel::open_for_write(permit, Direct::Yes)?;
    let size = within(permit.path(), writer.size(), wish.size)?;
    let size = Bytes(size.0.min(wish.size.unwrap_or(REGION_MOST).0)).round_down(Bytes::MIB);
    let mut facts = facts;
    facts.direct_alignment = writer.alignment().offset;
    let file = OneFile::written(writer.clone(), writer, permit.clone());
    let (writes, layout) = (Writes::Measured, Layout::Write(size));
    Ok(OpenTarget { facts, file, size, writes, layout, destruction: permit.destruction().cloned() })
}

fn open_reader(path: &Path, mut facts: TargetFacts, wish: &Wish) -> Result<OpenTarget, OpenTargetError> {
    let reader = direct_if_possible(&mut facts, |direct| kernel::open_for_read(path, direct))?;
    let size = within(path, reader.size(), wish.size)?.round_down(Bytes::MIB);
    facts.direct_alignment = reader.alignment().offset;
    facts.reads_only = true;
    let file = OneFile::only_read(reader);
    if wish.holes == Holes::Refused {
        refuse_unwritten(path, &file, size)?;
    }
    Ok(OpenTarget { facts, file, size, writes: Writes::LeftOut, layout: Layout::None, destruction: None })
}

/// Refuses a file with so many holes or unwritten extents that the figures would be those of the file system.
fn refuse_unwritten(path: &Path, file: &OneFile, size: Bytes) -> Result<(), OpenTargetError> {
    let Some(share) = file.unwritten_share(size).filter(|share| *share > UNWRITTEN_MOST) else {
        return Ok(());
    };
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = whole.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    Err(OpenTargetError::Unwritten { path: path.to_owned(), percent: share * 100.0, size, folder })
}

/// Returns the size of the region in a file or device of `size`: the size asked for, or all of it.
fn within(path: &Path, size: Bytes, asked: Option<Bytes>) -> Result<Bytes, OpenTargetError> {
    if size < REGION_LEAST {
        return Err(OpenTargetError::Tiny { path: path.to_owned(), size, least: REGION_LEAST });
    }
    let wanted = asked.unwrap_or(REGION_LEAST);
    if size < wanted {
        return Err(OpenTargetError::Short { path: path.to_owned(), size, wanted });
    }
    Ok(asked.unwrap_or(size))
}

impl OneFile {
    fn only_read(reader: OpenFile) -> OneFile {
        let directness = kernel::direct_proof(&reader, 0).ok().map(|proof| proof.directness());
        OneFile { reader, writer: None, through_cache: None, _ours: None, _leave: None, directness }
    }

    fn written(reader: OpenFile, writer: OpenFile, leave: WritePermit) -> OneFile {
        OneFile { writer: Some(writer), _leave: Some(leave), ..OneFile::only_read(reader) }
    }

    /// Share (0 to 1) of the first `size` bytes that holds no data; `None` if that cannot be determined, as for
    /// block devices.
    pub fn unwritten_share(&self, size: Bytes) -> Option<f64> {
        use std::os::fd::AsFd;
        let extents = kernel::extents(self.reader.as_fd(), 0, size).ok()??;
        Some(extents.unwritten_or_hole_share())
    }

    /// Share (0 to 1) of the first `size` bytes that the page cache holds; `None` if the kernel does not say.
    ///
    /// Zero if reads are proven to bypass the cache, whose content then does not affect them.
    pub fn cached_share(&self, size: Bytes) -> Option<f64> {
        use std::os::fd::AsFd;
        if self.directness == Some(Directness::Proven) {
            return Some(0.0);
        }
        kernel::cached_share(self.reader.as_fd(), 0, size)
    }
}
