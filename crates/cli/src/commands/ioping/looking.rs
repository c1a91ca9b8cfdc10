//! Looks before the first request whether requests will reach a device at all.

use std::os::fd::AsFd;

use ioping::{Asked, Evidence, Kind, Mix};
use workload::Bytes;

use super::ground::Ground;

/// What there is to know. What is dirty of the target is written back where it would answer in the device's stead.
pub fn evidence(asked: &Asked, ground: &Ground) -> Evidence {
    let mut evidence = Evidence {
        in_memory: ground.in_memory.clone(),
        is_character_device: ground.kind == Kind::CharacterDevice,
        ..Evidence::default()
    };
    if evidence.is_character_device || evidence.in_memory.is_some() || asked.mix() == Mix::Write {
        return evidence;
    }
    if !asked.cached && !asked.direct {
        evidence.kept_share = kept(ground);
        if evidence.kept_share > 0.0 {
            // What cannot be written back stays, and is told.
            let _ = ground.single.file.flush();
            evidence.dirty_share = evidence.kept_share - kept(ground).min(evidence.kept_share);
        }
    }
    if ground.kind == Kind::File {
        let (offset, bytes) = (ground.region.offset, Bytes(ground.region.bytes));
        let extents = kernel::extents(ground.single.file.as_fd(), offset, bytes).ok().flatten();
        evidence.empty_share = extents.map_or(0.0, |extents| extents.unwritten_or_hole_share());
    }
    evidence
}

/// Share of the region that the page cache still holds after it was asked to forget all of it. All of it: of a long piece
/// it forgets nothing where it is asked for a part.
fn kept(ground: &Ground) -> f64 {
    let (offset, bytes) = (ground.region.offset, Bytes(ground.region.bytes));
    let _ = kernel::forget(&ground.single.file, offset, bytes);
    kernel::cached_share(ground.single.file.as_fd(), offset, bytes).unwrap_or(0.0)
}
