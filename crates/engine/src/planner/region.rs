//! The region of each file, whether I/O on it can be direct, and which worker works on which part.

use std::path::PathBuf;

use workload::{BackendAsk, BackendKind, Bytes, FilePlan, Job, Order};

use super::blocks::{longest_block, used_blocks};
use super::error::PlanError;
use super::target::{Choices, Clones, FileFacts, PlanTarget, PlanTargetKind};

/// The region of each file of a job.
type Regions = Vec<FilePlan>;

/// The longest I/O allowed; the kernel truncates I/O near 2 GiB.
const LONGEST_BLOCK: Bytes = Bytes::GIB;

/// Size of the region of a null job beside jobs on files.
const ENDLESS: Bytes = Bytes(1 << 60);

/// Whether the job's I/O bypasses the page cache.
pub(super) fn directness(job: &Job, target: &PlanTarget, choices: &mut Choices) -> Result<bool, PlanError> {
    let on_nothing = job.backend == BackendAsk::Only(BackendKind::Null);
    if !job.direct || on_nothing || !matches!(target.kind, PlanTargetKind::Machine(_)) {
        return Ok(job.direct);
    }
    for path in &job.files {
        let file = target.file(&job.name, path)?;
        if file.direct_alignment == Bytes(0) {
            let reason = format!(
                "{} cannot do I/O past the page cache; what is measured is memory as well as the volume",
                path.display()
            );
            choices.add("direct", "off", reason);
            return Ok(false);
        }
    }
    Ok(true)
}

/// The whole region of each file of `job`.
pub(super) fn files(
    job: &Job,
    target: &PlanTarget,
    direct: bool,
    choices: &mut Choices,
) -> Result<Regions, PlanError> {
    if let Some(block) = longest_block(job).filter(|&block| block > LONGEST_BLOCK) {
        return Err(PlanError::BlockTooLong { job: job.name.clone(), block });
    }
    let (name, size) = match target.kind {
        PlanTargetKind::Machine(_) if job.backend == BackendAsk::Only(BackendKind::Null) => {
            ("null:", ENDLESS)
        }
        PlanTargetKind::Machine(_) => return on_machine(job, target, direct, choices),
        // A trace that was fitted into a region says so by its size; any other names files.
        PlanTargetKind::Simulated(size)
            if job.access.replay.is_some() && job.size.is_some_and(|own| own <= size) =>
        {
            ("simulated", size)
        }
        _ if job.access.replay.is_some() => return Err(PlanError::Replay { job: job.name.clone() }),
        PlanTargetKind::Null(size) => ("null:", size),
        PlanTargetKind::Simulated(size) => ("simulated", size),
    };
    if let Some(replay) = &job.access.replay {
        // There is one made-up file, whichever the trace names.
        let nowhere = FilePlan { path: PathBuf::from(name), offset: Bytes(0), size };
        return Ok(vec![nowhere; replay.changed.len().max(1)]);
    }
    let made_up = FileFacts { path: PathBuf::from(name), size, direct_alignment: Bytes(1), writable: true };
    Ok(vec![region(job, (&made_up, job.size), choices)?])
}

fn on_machine(
    job: &Job,
    target: &PlanTarget,
    direct: bool,
    choices: &mut Choices,
) -> Result<Regions, PlanError> {
    if job.files.is_empty() {
        return Err(PlanError::NoFile { job: job.name.clone() });
    }
    let mut regions = Vec::new();
    for (number, path) in job.files.iter().enumerate() {
        let file = target.file(&job.name, path)?;
        if job.access.changes(number) && !file.writable {
            return Err(PlanError::ReadOnly { job: job.name.clone(), path: path.clone() });
        }
        if job.access.replay.is_some() {
            // Only the trace says where its I/Os go, even beyond the present end of the file.
            regions.push(FilePlan { path: path.clone(), offset: Bytes(0), size: file.size });
            continue;
        }
        if direct {
            aligned(job, file)?;
        }
        let size = job.sizes.get(number).copied().or(job.size);
        regions.push(region(job, (file, size), choices)?);
    }
    Ok(regions)
}

/// The region of `file`: as many bytes as are asked for, or up to its end.
fn region(
    job: &Job,
    (file, asked): (&FileFacts, Option<Bytes>),
    choices: &mut Choices,
) -> Result<FilePlan, PlanError> {
    let available = Bytes(file.size.0.saturating_sub(job.offset.0));
    let size = match asked {
        Some(region) if region > available => {
            return Err(PlanError::RegionBeyondEnd {
                job: job.name.clone(),
                path: file.path.clone(),
                offset: job.offset,
                region,
                size: file.size,
            });
        }
        Some(region) => region,
        None => {
            let reason = match job.offset.0 {
                0 => "all of it, since no other was asked for",
                _ => "all from the offset on, since no other was asked for",
            };
            choices.add("region size", available.to_string(), reason);
            available
        }
    };
    Ok(FilePlan { path: file.path.clone(), offset: job.offset, size })
}

/// Checks the alignment that direct I/O requires of blocks and offset.
fn aligned(job: &Job, file: &FileFacts) -> Result<(), PlanError> {
    // Zero is not a block.
    const LEAST: Bytes = Bytes(1);
    let blocks = used_blocks(job).filter_map(|(direction, lengths)| match direction {
        workload::Direction::Read => Some(("a read block", lengths.unit(), LEAST)),
        workload::Direction::Write => Some(("a write block", lengths.unit(), LEAST)),
        // No data is transferred: only the volume decides.
        _ => None,
    });
    let aligns = used_blocks(job).filter_map(|(direction, _)| {
        Some(("an alignment", (*job.blocks.align.of(direction))?, LEAST))
            .filter(|_| direction != workload::Direction::Trim)
    });
    for (what, value, least) in blocks.chain(aligns).chain([("an offset", job.offset, Bytes(0))]) {
        let unit = file.direct_alignment;
        let below = value.round_down(unit);
        if below == value {
            continue;
        }
        let mut nearest = vec![below, below + unit];
        nearest.retain(|candidate| *candidate >= least);
        return Err(PlanError::Misaligned {
            job: job.name.clone(),
            path: file.path.clone(),
            what,
            value,
            alignment: unit,
            nearest,
        });
    }
    Ok(())
}

/// The part of `files` that worker `clone` of `job` works on.
pub(super) fn share(job: &Job, files: &[FilePlan], clone: u32, clones: Clones) -> Result<Regions, PlanError> {
    if job.access.replay.is_some() {
        return Ok(files.to_vec());
    }
    let longest = longest_block(job).unwrap_or(job.blocks.longest());
    let apart = clones == Clones::Apart && job.access.order == Order::Sequential && job.clones > 1;
    let part = |file: &FilePlan| {
        if !apart {
            return file.clone();
        }
        // Whole blocks each, so that parts stay aligned; the remainder at the end belongs to nobody.
        let size = Bytes(file.size.0 / u64::from(job.clones)).round_down(longest);
        FilePlan { size, offset: file.offset + size * u64::from(clone), path: file.path.clone() }
    };
    let parts: Regions = files.iter().map(part).collect();
    let lies_in = |(part, file): (&FilePlan, &FilePlan)| {
        part.offset >= file.offset && part.offset.0 + part.size.0 <= file.offset.0 + file.size.0
    };
    assert!(parts.iter().zip(files).all(lies_in), "a worker's part lies beyond the region that is shared");
    match parts.iter().find(|part| part.size < longest) {
        Some(part) => Err(PlanError::BlockAboveRegion {
            job: job.name.clone(),
            path: part.path.clone(),
            block: longest,
            region: part.size,
        }),
        None => Ok(parts),
    }
}
