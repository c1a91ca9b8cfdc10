//! The file that ioping makes in a directory is filled with data before it is read or written.

use std::os::fd::{AsFd, BorrowedFd};

use ioping::{Asked, IopingError, Mix, Noise, Region};
use kernel::guard::WritePermit;
use kernel::{CallFlags, Direct, Single, SingleError, SingleMeans, SingleOptions};
use workload::{Bytes, SyncMode};

/// Long enough to be quick, short enough to be no burden.
const PIECE: u64 = 1 << 20;
const EIO: i32 = 5;

/// Writes the region through the page cache and waits until it is stored. One that is all there stays as it is, and so does
/// one of which nobody can say whether it is, where it is only read.
pub fn lay_out(permit: &WritePermit, asked: &Asked, region: Region) -> Result<(), IopingError> {
    let options = SingleOptions {
        direct: Direct::No,
        sync: SyncMode::None,
        means: SingleMeans::Calls,
        bytes: PIECE.min(region.bytes) as usize,
    };
    let mut single = Single::open_for_write(permit, options).map_err(|error| match error {
        SingleError::Queue(error) => IopingError::Queue(error.to_string()),
        SingleError::Open(error) => {
            IopingError::Create { path: asked.target.clone(), why: error.to_string() }
        }
    })?;
    match lacks_data(single.as_fd(), region) {
        Some(false) => return Ok(()),
        None if asked.mix() == Mix::Read => return Ok(()),
        _ => {}
    }
    fill(&mut single, region).map_err(|error| IopingError::Preparation {
        errno: error.raw_os_error().unwrap_or(EIO),
        hint: format!("a file of {} is written in {}", Bytes(region.end()), asked.target),
    })?;
    // Without a mark the file counts as somebody else's later on.
    let _ = kernel::open_for_write(permit, Direct::No).map(|file| kernel::mark_laid_out(&file));
    if !asked.cached {
        // Long writes leave long pieces in the page cache, which forgets nothing where a part of one is to be forgotten.
        single.forget(0, Bytes(region.end()));
    }
    Ok(())
}

/// Whether a part of the region holds no data; `None` where nobody can say.
pub fn lacks_data(file: BorrowedFd<'_>, region: Region) -> Option<bool> {
    if size(file) < region.end() {
        return Some(true);
    }
    let extents = kernel::extents(file, region.offset, Bytes(region.bytes)).ok().flatten()?;
    Some(extents.unwritten_or_hole_share() > 0.0)
}

fn size(file: BorrowedFd<'_>) -> u64 {
    let file = file.try_clone_to_owned().map(std::fs::File::from);
    file.and_then(|file| file.metadata()).map_or(0, |metadata| metadata.len())
}

fn fill(single: &mut Single, region: Region) -> std::io::Result<()> {
    let mut noise = Noise::new(region.end() ^ u64::from(std::process::id()) << 32);
    let mut at = region.offset;
    while at < region.end() {
        let bytes = PIECE.min(region.end() - at) as usize;
        noise.fill(&mut single.buffer_mut()[..bytes]);
        let written = single.write(at, bytes, CallFlags::default())?;
        if written == 0 {
            return Err(std::io::Error::from_raw_os_error(EIO));
        }
        at += written as u64;
    }
    single.flush()
}
