//! Bounds of the steps of a check: total bytes written, and bytes in flight.

use std::path::Path;

use experiments::{CheckAsk, Effort, Layout, Writes};
use session::Setup;
use session::failure::Failure;
use workload::{Bytes, Expectation};

use crate::arguments::{GroundArguments, size};

/// Assumed size of a region that is not laid out, as a bound of writes: the region of a directory with enough space.
pub(super) const REGION_USUAL: Bytes = Bytes::gib(4);
/// Divisor of the free memory that gives the maximum number of bytes in flight.
const IN_FLIGHT_PART: u64 = 8;

/// Bounds of the steps that the command line sets.
pub(super) struct Bounds {
    /// Most bytes that all steps together may write, if given.
    pub(super) write_most: Option<Bytes>,
    /// Bytes to measure on, if given.
    pub(super) size: Option<Bytes>,
    /// Seed of every random choice.
    pub(super) seed: u64,
    /// Returns the default limit of writes for a layout and a region.
    pub(super) modest: fn(Layout, Bytes) -> Bytes,
}

impl Bounds {
    /// Reads the bounds from the command line.
    pub(super) fn read(
        ground: &GroundArguments,
        write_most: Option<&str>,
        modest: fn(Layout, Bytes) -> Bytes,
    ) -> Result<Bounds, Failure> {
        let (write_most, size) = (size(write_most)?, size(ground.size.as_deref())?);
        Ok(Bounds { write_most, size, seed: ground.seed, modest })
    }

    /// Returns the request for a check of this effort within the bounds, with no expectation.
    pub(super) fn ask(&self, setup: &Setup, effort: Effort) -> Result<CheckAsk, Failure> {
        Ok(CheckAsk {
            writes: setup.writes,
            layout: setup.layout,
            write_most: self.write_most(setup)?,
            in_flight_most: in_flight_most(),
            expectation: Expectation::default(),
            limits: None,
            seed: self.seed,
            effort,
            block_min: setup.facts.direct_alignment,
        })
    }

    /// Returns the most bytes to write in total: the given limit, else the modest default.
    fn write_most(&self, setup: &Setup) -> Result<Bytes, Failure> {
        let region = self.region(setup);
        match (self.write_most, setup.layout) {
            _ if setup.writes == Writes::LeftOut => Ok(Bytes(0)),
            (Some(most), Layout::Write(size)) if most < size => Err(Failure::refused(format!(
                "--write-most {most}: laying the region out writes {size} alone; name a smaller region with --size, or more to \
                 write"
            ))),
            (most, _) => Ok(most.unwrap_or((self.modest)(setup.layout, region))),
        }
    }
}

impl Bounds {
    /// Returns the size of the measured region, as used for a bound of writes.
    pub(super) fn region(&self, setup: &Setup) -> Bytes {
        match setup.layout {
            Layout::Write(size) => size,
            Layout::None => {
                let sizes = setup.facts.devices.iter().map(|device| device.size);
                let device = sizes.take(1).find(|size| size.0 > 0).unwrap_or(REGION_USUAL);
                self.size.unwrap_or(REGION_USUAL).min(device)
            }
        }
    }
}

/// Returns the maximum number of bytes in flight: a small part of the free memory, so that the load does not push out
/// other programs.
pub(super) fn in_flight_most() -> Bytes {
    let free = kernel::free_memory(Path::new("/")).map_or(Bytes(u64::MAX), |free| free.bytes);
    CheckAsk::IN_FLIGHT_MOST.min(Bytes(free.0 / IN_FLIGHT_PART))
}
