//! What the steps of a check may do: how much they write in total, and how much may be in flight.

use std::path::Path;

use experiments::{CheckAsk, Effort, Layout, Writes};
use session::Setup;
use session::failure::Failure;
use workload::{Bytes, Expectation};

use crate::arguments::{GroundArguments, size};

/// Assumed size of a region that is not laid out, when it bounds writes: what a directory with enough room gets.
pub(super) const REGION_USUAL: Bytes = Bytes::gib(4);
/// Divisor of the free memory that gives the most bytes in flight.
const IN_FLIGHT_PART: u64 = 8;

/// Bounds of the steps, as far as the command line sets them.
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

    /// Returns what steps of this effort may do, with no expectation to check.
    pub(super) fn ask(&self, setup: &Setup, effort: Effort) -> Result<CheckAsk, Failure> {
        Ok(CheckAsk {
            writes: setup.writes,
            layout: setup.layout,
            write_most: self.write_most(setup)?,
            in_flight_most: in_flight_most(),
            expectation: Expectation::default(),
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
    /// Returns the size of the measured region, as far as it bounds writes.
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

/// Returns the most bytes in flight: a small part of the free memory, so that the load does not push out what runs on
/// this machine.
pub(super) fn in_flight_most() -> Bytes {
    let free = kernel::free_memory(Path::new("/")).map_or(Bytes(u64::MAX), |free| free.bytes);
    CheckAsk::IN_FLIGHT_MOST.min(Bytes(free.0 / IN_FLIGHT_PART))
}
