//! The target of ioping: looked at, guarded, opened.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use ioping::{Asked, IopingError, Keeping, Kind, Mix, Region, Sync, Target, errno_text};
use kernel::guard::{GuardError, permit_named_file, permit_unnamed};
use kernel::{
    AlignmentSource, Direct, Medium, OpenError, Single, SingleError, SingleOptions, TargetFacts,
    TestFileError,
};
use workload::{Bytes, SyncMode};

use super::laying;
use session::tell_what_goes;

const EINVAL: i32 = 22;
const ENOSPC: i32 = 28;
/// The file that `-k` keeps.
const KEPT: &str = "ioping.tmp";

/// A target that is open, with what is said of it and where requests go.
pub struct Ground {
    /// What it is.
    pub kind: Kind,
    /// What every line says of it.
    pub target: Target,
    /// Where requests go.
    pub region: Region,
    /// The open file or device.
    pub single: Single,
    /// The file system that keeps its data in memory.
    pub in_memory: Option<String>,
}

impl Ground {
    /// Looks at the target, asks the guard where it is to be written, opens it, and lays out the file in a directory.
    pub fn prepare(asked: &Asked) -> Result<Ground, IopingError> {
        let path = PathBuf::from(&asked.target);
        let (kind, size) = look(asked, &path)?;
        let region = Region::of(asked, kind, size)?;
        let facts = kernel::target_facts(&path).ok();
        let target = target(asked, kind, size, facts.as_ref());
        let mount = facts.and_then(|facts| facts.mount);
        let in_memory = mount.filter(|mount| mount.medium() == Medium::Memory).map(|mount| mount.filesystem);
        let single = match kind {
            Kind::Directory => in_directory(asked, &path, region)?,
            _ => existing(asked, &path, region)?,
        };
        // As ioping does for every order.
        single.expect_random(region.offset, Bytes(region.bytes));
        Ok(Ground { kind, target, region, single, in_memory })
    }
}

fn look(asked: &Asked, path: &Path) -> Result<(Kind, Bytes), IopingError> {
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

fn target(asked: &Asked, kind: Kind, size: Bytes, facts: Option<&TargetFacts>) -> Target {
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

/// The device a file system was mounted from, without links.
fn device_of(source: &str) -> String {
    let resolved = source.starts_with("/dev/").then(|| std::fs::canonicalize(source).ok()).flatten();
    resolved.map_or_else(|| source.to_owned(), |path| path.display().to_string())
}

/// How the requests want it opened.
fn options(asked: &Asked, region: Region) -> SingleOptions {
    SingleOptions {
        direct: if asked.direct { Direct::Yes } else { Direct::No },
        sync: match asked.sync {
            Sync::None => SyncMode::None,
            Sync::Data => SyncMode::Dsync,
            Sync::All => SyncMode::Sync,
        },
        means: super::means(asked.engine),
        bytes: region.request as usize,
    }
}

fn existing(asked: &Asked, path: &Path, region: Region) -> Result<Single, IopingError> {
    let options = options(asked, region);
    let opened = match asked.mix() {
        Mix::Read => Single::open_for_read(path, options),
        Mix::Write | Mix::Alternate => {
            let permit = permit_named_file(path).map_err(|error| guarded(asked, &error))?;
            tell_what_goes(&permit);
            Single::open_for_write(&permit, options)
        }
    };
    opened.map_err(|error| open(asked, &error))
}

/// A file of its own in a directory, laid out: unnamed, or the one that is kept.
fn in_directory(asked: &Asked, path: &Path, region: Region) -> Result<Single, IopingError> {
    let permit = match asked.keeping {
        Keeping::Vanishes => {
            let file = kernel::unnamed_file(path, Bytes(region.end())).map_err(|error| made(asked, error))?;
            permit_unnamed(&file)
        }
        Keeping::Kept => {
            let kept = path.join(KEPT);
            refuse_stranger(&kept)?;
            refuse_to_replace(asked, &kept, region)?;
            permit_named_file(&kept).map_err(|error| match &error {
                GuardError::Open(OpenError::Other { source, .. }) => created(asked, source),
                other => guarded(asked, other),
            })?
        }
    };
    let single =
        Single::open_for_write(&permit, options(asked, region)).map_err(|error| open(asked, &error))?;
    if asked.direct {
        aligned(&single, region)?;
    }
    laying::lay_out(&permit, asked, region)?;
    Ok(single)
}

/// Only a regular file is taken for the one that was kept: a link would lead a write elsewhere.
fn refuse_stranger(kept: &Path) -> Result<(), IopingError> {
    match std::fs::symlink_metadata(kept) {
        Ok(found) if !found.is_file() => Err(IopingError::Guarded(format!(
            "{} is no regular file; remove it, or leave -k out",
            kept.display()
        ))),
        _ => Ok(()),
    }
}

/// What somebody else left under that name is not written over for requests that only read.
fn refuse_to_replace(asked: &Asked, kept: &Path, region: Region) -> Result<(), IopingError> {
    let Ok(file) = kernel::open_for_read(kept, Direct::No) else { return Ok(()) };
    let is_short = laying::lacks_data(file.as_fd(), region) == Some(true);
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

/// Direct I/O at places it cannot have fails while the file is prepared, as it does in ioping. No request is made to learn
/// it: one just before the first that is timed would be where a throttled volume begins to count.
fn aligned(single: &Single, region: Region) -> Result<(), IopingError> {
    let Some(alignment) = single.alignment().filter(|known| known.source != AlignmentSource::Assumed) else {
        return Ok(());
    };
    let unit = alignment.offset.0.max(1);
    if region.request.is_multiple_of(unit) && region.offset.is_multiple_of(unit) {
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

fn made(asked: &Asked, error: TestFileError) -> IopingError {
    match error {
        TestFileError::Create { source, .. } | TestFileError::Size { source, .. } => created(asked, &source),
        TestFileError::NoSpace { wanted, free, .. } => IopingError::Preparation {
            errno: ENOSPC,
            hint: format!("{wanted} are needed and {free} are free; give a smaller -S, or make room"),
        },
    }
}

fn created(asked: &Asked, source: &io::Error) -> IopingError {
    let why = source.raw_os_error().map_or_else(|| source.to_string(), errno_text);
    IopingError::Create { path: asked.target.clone(), why }
}

fn open(asked: &Asked, error: &SingleError) -> IopingError {
    let why = match error {
        SingleError::Queue(error) => return IopingError::Queue(error.to_string()),
        SingleError::Open(OpenError::NotFound { .. }) => errno_text(2),
        SingleError::Open(OpenError::Permission { .. }) => errno_text(13),
        SingleError::Open(OpenError::ReadOnly { .. }) => errno_text(30),
        SingleError::Open(OpenError::Kind { what, .. }) => {
            format!("it is {what}, which takes plain calls alone; leave -A and -U out")
        }
        SingleError::Open(OpenError::NoDirect { .. }) => {
            "the file system has no direct I/O; leave -D out".to_owned()
        }
        SingleError::Open(OpenError::Other { source, .. }) => {
            source.raw_os_error().map_or_else(|| source.to_string(), errno_text)
        }
    };
    IopingError::Open { path: asked.target.clone(), why }
}

fn guarded(asked: &Asked, error: &GuardError) -> IopingError {
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
