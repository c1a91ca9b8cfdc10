//! Checks before the first request whether requests will reach a device at all.

use std::os::fd::AsFd;

use ioping::{Evidence, IopingRequest, Kind, Mix};
use workload::Bytes;

use super::ground::Ground;

/// Collects the evidence. Dirty data that the page cache would serve in place of the device is written back.
pub fn evidence(asked: &IopingRequest, ground: &Ground) -> Evidence {
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
            // Data that cannot be written back stays in the cache, and is reported.
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

/// Returns the share of the region that the page cache still holds after it was asked to drop it. The whole region is
/// dropped at once, because advice to drop a part of a large folio has no effect.
fn kept(ground: &Ground) -> f64 {
    let (offset, bytes) = (ground.region.offset, Bytes(ground.region.bytes));
    let _ = kernel::forget(&ground.single.file, offset, bytes);
    kernel::cached_share(ground.single.file.as_fd(), offset, bytes).unwrap_or(0.0)
}
