//! Fills the file that ioping creates in a directory with data, before it is read or written.

use std::os::fd::AsFd;

use ioping::{Engine, IopingError, IopingRequest, Mix, Noise, Region};
use kernel::guard::WritePermit;
use kernel::{CallFlags, Direct, OpenFile};
use workload::{Bytes, Direction};

use super::single::{EIO, Single};

/// Bytes of one write: large enough to be fast, small enough to be no burden.
const PIECE: u64 = 1 << 20;

/// Writes the region through the page cache and waits until it is stored. A region that already holds data stays as
/// it is; so does one for which this is unknown, if it is only read.
pub fn lay_out(permit: &WritePermit, asked: &IopingRequest, region: Region) -> Result<(), IopingError> {
    let file = kernel::open_for_write(permit, Direct::No)
        .map_err(|error| IopingError::Create { path: asked.target.clone(), why: error.to_string() })?;
    match lacks_data(&file, region) {
        Some(false) => return Ok(()),
        None if asked.mix() == Mix::Read => return Ok(()),
        _ => {}
    }
    let mut single = Single::of(file, Engine::Calls, CallFlags::default(), PIECE.min(region.bytes))
        .map_err(|error| IopingError::Queue(error.to_string()))?;
    fill(&mut single, region).map_err(|error| IopingError::Preparation {
        errno: error.raw_os_error().unwrap_or(EIO),
        hint: format!("a file of {} is written in {}", Bytes(region.end()), asked.target),
    })?;
    // Without a mark the file would later be taken for somebody else's.
    let _ = kernel::mark_laid_out(&single.file);
    if !asked.cached {
        // Long writes leave large folios in the page cache, of which advice to drop a part drops nothing: so all is
        // dropped now.
        let _ = kernel::forget(&single.file, 0, Bytes(region.end()));
    }
    Ok(())
}

/// Whether a part of the region holds no data; `None` if that is unknown.
pub fn lacks_data(file: &OpenFile, region: Region) -> Option<bool> {
    if file.size().0 < region.end() {
        return Some(true);
    }
    let extents = kernel::extents(file.as_fd(), region.offset, Bytes(region.bytes)).ok().flatten()?;
    Some(extents.unwritten_or_hole_share() > 0.0)
}

fn fill(single: &mut Single, region: Region) -> std::io::Result<()> {
    let mut noise = Noise::new(region.end() ^ u64::from(std::process::id()) << 32);
    let mut at = region.offset;
    while at < region.end() {
        let bytes = PIECE.min(region.end() - at);
        noise.fill(single.buffer(bytes));
        single.queue(Direction::Write, at, bytes)?;
        match single.finish()? {
            0 => return Err(std::io::Error::from_raw_os_error(EIO)),
            written => at += written,
        }
    }
    single.file.flush()
}
