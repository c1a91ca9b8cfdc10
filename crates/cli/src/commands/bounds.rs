//! What the steps of a check may do on their ground: what they write in all, what is in flight.

use std::path::Path;

use experiments::{CheckAsk, Effort, Layout, Writes};
use session::Setup;
use session::failure::Failure;
use workload::{Bytes, Expectation};

use crate::arguments::{GroundArguments, size};

/// Region of a target that is not laid out, as far as writes are bounded by it: that of a directory with room.
pub(super) const REGION_USUAL: Bytes = Bytes::gib(4);
/// The part of the free memory that may be in flight, as a divisor.
const IN_FLIGHT_PART: u64 = 8;

/// What bounds the steps, as far as the command line says.
pub(super) struct Bounds {
    /// Most bytes that all steps write, where that is said.
    pub(super) write_most: Option<Bytes>,
    /// Bytes to measure on, where that is said.
    pub(super) size: Option<Bytes>,
    /// Seed of every random choice.
    pub(super) seed: u64,
    /// What is written at most where nothing is said, by layout and region.
    pub(super) modest: fn(Layout, Bytes) -> Bytes,
}

impl Bounds {
    /// The words as they are understood.
    pub(super) fn read(
        ground: &GroundArguments,
        write_most: Option<&str>,
        modest: fn(Layout, Bytes) -> Bytes,
    ) -> Result<Bounds, Failure> {
        let (write_most, size) = (size(write_most)?, size(ground.size.as_deref())?);
        Ok(Bounds { write_most, size, seed: ground.seed, modest })
    }

    /// What steps of this effort may do; nothing is claimed.
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

    /// What may be written in all: what is said, else what is modest.
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
    /// The region that is measured on, as far as writes are bounded by it.
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

/// Bytes in flight: no more than a small part of the memory that is left, as the load shall not push out what runs here.
pub(super) fn in_flight_most() -> Bytes {
    let free = kernel::free_memory(Path::new("/")).map_or(Bytes(u64::MAX), |free| free.bytes);
    CheckAsk::IN_FLIGHT_MOST.min(Bytes(free.0 / IN_FLIGHT_PART))
}
