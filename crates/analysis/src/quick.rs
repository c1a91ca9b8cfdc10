//! Whether a quick look measured the volume or the cache: bytes of a stream, compared with those of the device below.

use record::{DiskCounters, Run, SECTOR, Sample, StepRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Direction, StepKind};

use crate::cells::{Cell, cells};
use crate::target_doubt;

/// Least share of the stream's bytes on the device if it did the work; the rest is cut off at an interval's edges.
const DEVICE_FROM: f64 = 0.9;
/// Greatest share of the stream's bytes on the device if they came from memory.
const CACHE_TO: f64 = 0.5;

/// One stream of a quick look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuickRow {
    /// Results of the stream.
    pub cell: Cell,
    /// Direction.
    pub direction: Direction,
    /// Bytes of the device in this direction meanwhile, as a share of the stream's; `None` if no device is visible.
    pub device_share: Option<f64>,
    /// The source of the stream's rate.
    pub whose: Whose,
    /// Seconds that were counted.
    pub seconds: f64,
}

/// Whose figure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The volume: the device moved the bytes of the stream.
    Volume,
    /// The page cache: the device moved hardly any of them.
    Cache,
    /// Both: a part came from the cache.
    Both,
    /// Memory: the folder is in memory, and there is no volume.
    Memory,
    /// Unknown: no device is visible below, and the stream went through the cache.
    Unknown,
}

/// Returns the streams of a quick look in the order they ran.
pub fn quick_rows(run: &Run) -> Vec<QuickRow> {
    let device = run.target.as_ref().and_then(|target| target.devices.first()).map(|device| &device.name);
    let in_memory =
        run.target.as_ref().is_some_and(|target| target.doubts.iter().any(target_doubt::is_memory));
    let streams = run.steps.iter().filter(|step| step.plan.kind == StepKind::Job);
    let row = |step: &StepRecord| {
        let cell = cells(run).into_iter().find(|cell| cell.step == step.plan.name)?;
        let direction = cell.directions.first()?.direction;
        let moved = device.and_then(|name| device_bytes(run, name, step, direction));
        let asked = step.tally(direction).bytes as f64;
        let device_share = moved.map(|moved| moved / asked.max(1.0));
        let whose = if in_memory { Whose::Memory } else { whose(&cell, device_share) };
        Some(QuickRow { cell, direction, device_share, whose, seconds: step.seconds() })
    };
    streams.filter_map(row).collect()
}

fn whose(cell: &Cell, device_share: Option<f64>) -> Whose {
    match device_share {
        Some(share) if share >= DEVICE_FROM => Whose::Volume,
        Some(share) if share <= CACHE_TO => Whose::Cache,
        Some(_) => Whose::Both,
        None if cell.pattern.direct => Whose::Volume,
        None => Whose::Unknown,
    }
}

/// Returns the bytes of `device` between the last reading before the step and the first after it.
fn device_bytes(run: &Run, device: &str, step: &StepRecord, direction: Direction) -> Option<f64> {
    let before = run.samples.iter().rfind(|sample| sample.at <= step.started).or(run.samples.first())?;
    let after = run.samples.iter().find(|sample| sample.at >= step.ended).or(run.samples.last())?;
    let more = counters(after, device)?.more_than(counters(before, device)?)?;
    let sectors = if direction == Direction::Read { more.sectors_read } else { more.sectors_written };
    Some(sectors as f64 * SECTOR as f64)
}

fn counters<'a>(sample: &'a Sample, device: &str) -> Option<&'a DiskCounters> {
    sample.disks.iter().find(|(name, _)| **name == *device).map(|(_, counters)| counters)
}
