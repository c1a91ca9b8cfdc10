//! The load of a recording described so that it can be run again: rates, sizes, mix, depth or arrivals, places, flushes,
//! and what the recording does not show of them (method 15).

mod arrivals;
mod beside;
mod counters;
mod sizes;
mod trace;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Direction;

pub use arrivals::Dispersion;
pub use beside::{LoadFigures, beside, figures_of_recording, figures_of_step};
pub use counters::of_recording;
pub use trace::TraceReading;

/// A load as a recording shows it. Rates are per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedLoad {
    /// Kernel name of the device, or the files of a trace.
    pub device: String,
    /// Size of the region in bytes; 0 if it is not known.
    pub size: u64,
    /// Seconds of the recording that are described.
    pub seconds: f64,
    /// Length of a reading in seconds; 0 for a trace, which has each I/O.
    pub reading_s: f64,
    /// Reads.
    pub reads: RecordedFlow,
    /// Writes.
    pub writes: RecordedFlow,
    /// When I/Os are issued.
    pub drive: Drive,
    /// I/Os in flight, the mean; `None` if it is not recorded.
    pub in_flight: Option<f64>,
    /// Share of the time in which something was in flight; `None` if it is not recorded.
    pub busy: Option<f64>,
    /// How bursty the arrivals are, by the length over which they are counted.
    pub burstiness: Vec<Dispersion>,
    /// Zones of the region, in its order; empty if all places are equally likely, or not known.
    pub zones: Vec<LoadZone>,
    /// I/Os that follow each other before a jump, the mean; infinite if nothing ever jumps.
    pub run: f64,
    /// Writes between two flushes, the mean; `None` without flushes.
    pub flush_every: Option<f64>,
    /// What is not known, and what stands in for it.
    pub unknowns: Vec<Unknown>,
}

/// One direction of a load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedFlow {
    /// I/Os.
    pub iops: f64,
    /// Bytes.
    pub bytes: f64,
    /// Mean latency in seconds; `None` if it is not recorded.
    pub latency_s: Option<f64>,
    /// Sizes in bytes with their shares of the I/Os, 0 to 1.
    pub sizes: Vec<(u64, f64)>,
}

/// When the I/Os of a load are issued.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Drive {
    /// As soon as earlier ones complete, with this many in flight.
    Closed {
        /// I/Os in flight.
        depth: u32,
    },
    /// As soon as earlier ones complete, until a rest.
    Bunches {
        /// I/Os in flight between rests.
        depth: u32,
        /// I/Os between rests.
        ios: u32,
        /// Length of a rest, seconds.
        rest_s: f64,
    },
    /// At even intervals.
    Even,
    /// By chance, at one rate.
    Poisson,
    /// In bursts, by chance within each.
    Phases {
        /// Rate within a burst.
        burst_iops: f64,
        /// I/Os of a burst, the mean.
        burst_ios: f64,
        /// I/Os between two bursts, the mean.
        calm_ios: f64,
    },
}

/// A part of the region.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadZone {
    /// Share of the I/Os, 0 to 1.
    pub ios: f64,
    /// Share of the region, 0 to 1.
    pub region: f64,
}

/// Something that a recording does not show, with what is taken in its place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Unknown {
    /// Counters have no sizes of single I/Os: the mean is taken.
    SizesMean {
        /// Direction.
        direction: Direction,
    },
    /// Counters have no sizes of single I/Os: two sizes are taken, with the mean and the spread that the readings show.
    SizesSpread {
        /// Direction.
        direction: Direction,
    },
    /// The mean size changes with time: the sizes of the readings are taken, in no order.
    SizesOverTime {
        /// Direction.
        direction: Direction,
    },
    /// Counters have no places: uniformly random ones over the whole region are taken.
    Places,
    /// Times of single I/Os are not known: the spacing within a reading is taken to be that between readings.
    Spacing,
    /// Whether the load waits for its own I/O is not known: its rate is kept, whatever the volume does.
    Waiting,
    /// The load may have been held by the volume: its depth is kept, whatever the rate.
    Demand,
    /// Rests within a reading are not seen: their length is estimated from the counts.
    RestLength,
    /// In-flight counts are not recorded: the rate is kept.
    InFlight,
    /// Flushes are not recorded: none are issued.
    Flushes,
    /// The kernel counts flushes without data among the writes: all flushes are taken to be such.
    FlushesAmongWrites,
    /// The trace has no completions: the times of arrival are kept.
    Completions,
    /// Time without load at the beginning and the end is left out.
    Idle {
        /// Seconds left out.
        seconds: f64,
    },
    /// Trims are left out.
    Trims {
        /// Number of trims.
        ios: u64,
    },
    /// Several files become one region.
    Files {
        /// Number of files.
        files: usize,
    },
    /// A trace has more sizes than a profile lists: the least frequent are joined.
    ManySizes {
        /// Direction.
        direction: Direction,
    },
    /// Places within a zone are taken to be uniformly random.
    WithinZones,
    /// The mix of one job is a whole percentage: that of the rarer direction is this far off, as a share of it.
    Mix {
        /// Relative error of the rarer direction's rate.
        off: f64,
    },
}

/// Error of the rarer direction's rate, as a share, from which a rounded mix is worth mentioning (method 11: what two loads
/// may differ by without consequence).
const MIX_OFF: f64 = 0.02;

impl RecordedLoad {
    /// Returns reads and writes, per second.
    pub fn iops(&self) -> f64 {
        self.reads.iops + self.writes.iops
    }

    /// Returns the share of reads among reads and writes, 0 to 1.
    pub fn read_share(&self) -> f64 {
        if self.iops() > 0.0 { self.reads.iops / self.iops() } else { 0.0 }
    }

    /// Returns the share of reads in whole percent: of both directions at least one in a hundred remains.
    pub fn read_percent(&self) -> u8 {
        let percent = (self.read_share() * 100.0).round();
        match (self.reads.iops > 0.0, self.writes.iops > 0.0) {
            (true, true) => percent.clamp(1.0, 99.0) as u8,
            _ => percent as u8,
        }
    }

    /// Whether reads and writes have jobs of their own, because neither waits for the other.
    pub fn is_apart(&self) -> bool {
        let both = self.reads.iops > 0.0 && self.writes.iops > 0.0;
        both && matches!(self.drive, Drive::Even | Drive::Poisson)
    }

    /// Returns the load without the I/O of the other direction; flushes belong to writes.
    pub fn only(&self, direction: Direction) -> RecordedLoad {
        match direction {
            Direction::Read => {
                RecordedLoad { writes: RecordedFlow::default(), flush_every: None, ..self.clone() }
            }
            _ => RecordedLoad { reads: RecordedFlow::default(), ..self.clone() },
        }
    }

    /// Adds what is lost in a profile whatever the recording shows.
    fn settled(mut self) -> RecordedLoad {
        let rarer = self.read_share().min(1.0 - self.read_share());
        let rounded = f64::from(self.read_percent()) / 100.0;
        let off = (rounded.min(1.0 - rounded) / rarer - 1.0).abs();
        if !self.is_apart() && rarer > 0.0 && off > MIX_OFF {
            self.unknowns.push(Unknown::Mix { off });
        }
        self
    }

    /// Returns both directions with their names.
    pub fn flows(&self) -> [(Direction, &RecordedFlow); 2] {
        [(Direction::Read, &self.reads), (Direction::Write, &self.writes)]
    }
}
