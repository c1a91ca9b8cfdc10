//! The target of ioping: examined, checked by the guard, and opened.

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use ioping::{Engine, IopingError, IopingRequest, Keeping, Kind, Mix, Region, Sync, Target, errno_text};
use kernel::guard::{GuardError, WritePermit};
use kernel::{
    AlignmentSource, CallFlags, Direct, FileKind, Medium, OpenError, OpenFile, TargetFacts, TestFileError,
    Walk,
};
use workload::{Bytes, SyncMode};

use super::laying;
use super::single::Single;
use session::{WriteTarget, leave_to_write, tell_what_goes};

const EINVAL: i32 = 22;
const ENOSPC: i32 = 28;
/// The name of the file that `-k` keeps.
const KEPT: &str = "ioping.tmp";

/// An open target, its description, and the region of its requests.
pub(crate) struct Ground {
    /// The kind of target.
    pub kind: Kind,
    /// Description of the target for output lines.
    pub target: Target,
    /// The region that requests address.
    pub region: Region,
    /// The open file or device.
    pub single: Single,
    /// The name of the file system, if it keeps its data in memory.
    pub in_memory: Option<String>,
}

impl Ground {
    /// Examines the target, asks the guard if it is to be written, opens it, and lays out the file if the target is a
    /// directory.
    pub fn prepare(asked: &IopingRequest) -> Result<Ground, IopingError> {
        let path = PathBuf::from(&asked.target);
        let (kind, size) = look(asked, &path)?;
        let region = Region::of(asked, kind, size)?;
        let facts = kernel::target_facts(&path).ok();
        let target = target(asked, kind, size, facts.as_ref());
        let mount = facts.and_then(|facts| facts.mount);
        let in_memory = mount.filter(|mount| mount.medium() == Medium::Memory).map(|mount| mount.filesystem);
        let single = match kind {
            Kind::Directory => in_directory(asked, &path, region)?,
            _ => on(existing(asked, &path, kind)?, asked, region)?,
        };
        // ioping gives this advice for random and sequential requests alike; a target that ignores it does no harm.
        let _ = kernel::advise(&single.file, Walk::Random);
        Ok(Ground { kind, target, region, single, in_memory })
    }
}

fn look(asked: &IopingRequest, path: &Path) -> Result<(Kind, Bytes), IopingError> {
    let found = std::fs::metadata(path).map_err(|error| IopingError::Stat {
        path: asked.target.clone(),
        errno: error.raw_os_error().unwrap_or_default(),
    })?;
    let kind = found.file_type();
    if kind.is_dir() {
        Ok((Kind::Directory, Bytes(0)))
    } else if kind.is_file() {
        Ok((Kind::File, Bytes(found.len())))
    } else if kind.is_block_device() {
        let facts = kernel::target_facts(path).ok();
        Ok((Kind::BlockDevice, facts.map_or(Bytes(0), |facts| facts.size)))
    } else if kind.is_char_device() {
        Ok((Kind::CharacterDevice, Bytes(0)))
    } else {
        Err(IopingError::Unsupported { path: asked.target.clone() })
    }
}

fn target(asked: &IopingRequest, kind: Kind, size: Bytes, facts: Option<&TargetFacts>) -> Target {
    let said = |filesystem: &str, device: String, size: Bytes| Target {
        path: asked.target.clone(),
        filesystem: filesystem.to_owned(),
        device,
        size: size.0,
    };
    match kind {
        Kind::BlockDevice => said("block", "device".to_owned(), size),
        Kind::CharacterDevice => said("character", "device".to_owned(), Bytes(0)),
        Kind::Directory | Kind::File => {
            let mount = facts.and_then(|facts| facts.mount.as_ref());
            let size = kernel::total_space_in(Path::new(&asked.target)).unwrap_or(Bytes(0));
            match mount {
                Some(mount) => said(&mount.filesystem, device_of(&mount.source), size),
                None => said("unknown", "unknown".to_owned(), size),
            }
        }
    }
}

/// Returns the device from which a file system was mounted, with links resolved.
fn device_of(source: &str) -> String {
    let resolved = source.starts_with("/dev/").then(|| std::fs::canonicalize(source).ok()).flatten();
    resolved.map_or_else(|| source.to_owned(), |path| path.display().to_string())
}

/// Returns I/O on `file` by the engine that `asked` names.
fn on(file: OpenFile, asked: &IopingRequest, region: Region) -> Result<Single, IopingError> {
    if file.kind() == FileKind::CharacterDevice && asked.engine != Engine::Calls {
        let why = "it is a character device, which takes plain calls alone; leave -A and -U out".to_owned();
        return Err(IopingError::Open { path: asked.target.clone(), why });
    }
    let flags = CallFlags { nowait: asked.nowait, hipri: asked.hipri };
    Single::of(file, asked.engine, flags, region.request)
        .map_err(|error| IopingError::Queue(error.to_string()))
}

/// Opens by `by`, bypassing the page cache if asked to. If a file system accepts direct I/O but goes through the
/// cache all the same (ext4 with `data=journal`), so do plain calls, as they do in ioping.
fn opened(
    asked: &IopingRequest,
    by: impl Fn(Direct) -> Result<OpenFile, OpenError>,
) -> Result<OpenFile, IopingError> {
    let file = match by(if asked.direct { Direct::Yes } else { Direct::No }) {
        Err(OpenError::NoDirect { path }) if asked.engine == Engine::Calls => {
            by(Direct::No).and_then(|file| {
                let is_pretence = file.alignment().source == AlignmentSource::NoDirectIo;
                if is_pretence { Ok(file) } else { Err(OpenError::NoDirect { path }) }
            })
        }
        file => file,
    };
    file.map_err(|error| open(asked, &error))
}

fn existing(asked: &IopingRequest, path: &Path, kind: Kind) -> Result<OpenFile, IopingError> {
    match (asked.mix(), kind) {
        (Mix::Read, Kind::CharacterDevice) => {
            opened(asked, |direct| kernel::open_character_device(path, direct))
        }
        (Mix::Read, _) => opened(asked, |direct| kernel::open_for_read(path, direct)),
        (Mix::Write | Mix::Alternate, _) => {
            let permit = leave_to_write(WriteTarget::Named(path)).map_err(|error| guarded(asked, &error))?;
            tell_what_goes(&permit);
            writable(asked, &permit)
        }
    }
}

fn writable(asked: &IopingRequest, permit: &WritePermit) -> Result<OpenFile, IopingError> {
    let sync = match asked.sync {
        Sync::None => SyncMode::None,
        Sync::Data => SyncMode::Dsync,
        Sync::All => SyncMode::Sync,
    };
    opened(asked, |direct| kernel::open_for_stable_write(permit, direct, sync))
}

/// Creates and lays out a file in a directory: an unnamed one, or the one that `-k` keeps.
fn in_directory(asked: &IopingRequest, path: &Path, region: Region) -> Result<Single, IopingError> {
    let permit = match asked.keeping {
        Keeping::Vanishes => {
            let file = kernel::unnamed_file(path, Bytes(region.end())).map_err(|error| made(asked, error))?;
            leave_to_write(WriteTarget::Ours(&file)).map_err(|error| guarded(asked, &error))?
        }
        Keeping::Kept => {
            let kept = path.join(KEPT);
            refuse_stranger(&kept)?;
            refuse_to_replace(asked, &kept, region)?;
            leave_to_write(WriteTarget::Named(&kept)).map_err(|error| match &error {
                GuardError::Open(OpenError::Other { source, .. }) => created(asked, source),
                other => guarded(asked, other),
            })?
        }
    };
    let single = on(writable(asked, &permit)?, asked, region)?;
    if asked.direct {
        aligned(&single.file, region)?;
    }
    laying::lay_out(&permit, asked, region)?;
    Ok(single)
}

/// Refuses a kept name that is no regular file: a link would lead a write elsewhere.
fn refuse_stranger(kept: &Path) -> Result<(), IopingError> {
    match std::fs::symlink_metadata(kept) {
        Ok(found) if !found.is_file() => Err(IopingError::Guarded(format!(
            "{} is no regular file; remove it, or leave -k out",
            kept.display()
        ))),
        _ => Ok(()),
    }
}

/// Refuses to overwrite a file left by somebody else under that name for requests that only read.
fn refuse_to_replace(asked: &IopingRequest, kept: &Path, region: Region) -> Result<(), IopingError> {
    let Ok(file) = kernel::open_for_read(kept, Direct::No) else { return Ok(()) };
    let is_short = laying::lacks_data(&file, region) == Some(true);
    if asked.mix() != Mix::Read || !is_short || kernel::is_laid_out(&file) {
        return Ok(());
    }
    Err(IopingError::Guarded(format!(
        "{} was not laid out by plimsoll, or was changed since, and holds less than the {} that are to be read; give a \
         smaller -S, remove it, or leave -k out",
        kept.display(),
        Bytes(region.end())
    )))
}

/// Refuses direct I/O at unaligned offsets, as ioping does while it prepares the file. No trial request is made for
/// this, because a throttled volume would start counting with it, just before the first timed request.
fn aligned(file: &OpenFile, region: Region) -> Result<(), IopingError> {
    let (alignment, places) = (file.alignment(), [region.request, region.offset]);
    let unit = alignment.offset.0.max(1);
    let is_known = alignment.source != AlignmentSource::Assumed;
    if !is_known || places.iter().all(|place| place.is_multiple_of(unit)) {
        return Ok(());
    }
    Err(IopingError::Preparation {
        errno: EINVAL,
        hint: format!(
            "direct I/O takes places and lengths in blocks of {unit} bytes here; -s {} or -o {} is not",
            region.request, region.offset
        ),
    })
}

fn made(asked: &IopingRequest, error: TestFileError) -> IopingError {
    match error {
        TestFileError::Create { source, .. } | TestFileError::Size { source, .. } => created(asked, &source),
        TestFileError::NoSpace { wanted, free, .. } => IopingError::Preparation {
            errno: ENOSPC,
            hint: format!("{wanted} are needed and {free} are free; give a smaller -S, or make room"),
        },
    }
}

fn created(asked: &IopingRequest, source: &io::Error) -> IopingError {
    IopingError::Create { path: asked.target.clone(), why: why(source) }
}

fn open(asked: &IopingRequest, error: &OpenError) -> IopingError {
    let why = match error {
        OpenError::NotFound { .. } => errno_text(2),
        OpenError::Permission { .. } => errno_text(13),
        OpenError::ReadOnly { .. } => errno_text(30),
        OpenError::Kind { what, .. } => format!("it is {what}"),
        OpenError::NoDirect { .. } => "the file system has no direct I/O; leave -D out".to_owned(),
        OpenError::Other { source, .. } => why(source),
    };
    IopingError::Open { path: asked.target.clone(), why }
}

fn why(source: &io::Error) -> String {
    source.raw_os_error().map_or_else(|| source.to_string(), errno_text)
}

fn guarded(asked: &IopingRequest, error: &GuardError) -> IopingError {
    match error {
        GuardError::Open(OpenError::Kind { what, path }) => {
            IopingError::Guarded(format!("{} is {what}, which is only read", path.display()))
        }
        GuardError::Open(OpenError::Permission { .. }) => {
            IopingError::Open { path: asked.target.clone(), why: errno_text(13) }
        }
        other => IopingError::Guarded(other.to_string()),
    }
}
