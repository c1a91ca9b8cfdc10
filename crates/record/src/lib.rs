//! The record of a run in memory: histograms, tallies, intervals, counters, facts and the run that contains them.
//!
//! Nothing here computes findings or opens files. Every figure that plimsoll prints can be recomputed from a [`Run`].

mod columns;
mod counters;
mod distribution;
mod doubt;
mod facts;
mod histogram;
mod interval;
mod live;
mod machine;
mod merged;
mod metric;
mod note;
mod observed;
mod pressed;
mod processes;
mod rates;
mod recording;
mod reported;
mod run;
mod step;
mod tally;
mod thinned;

pub use columns::DiskColumns;
pub use counters::{
    CpuCounters, DiskCounters, ExceededLimits, ExceededWhile, MemoryCounters, OwnCpu, Pressure, Sample,
};
pub use distribution::{Distribution, DistributionError};
pub use doubt::TargetDoubt;
pub use facts::{CpuFacts, DeviceFacts, HostFacts, TargetFacts, TargetKind};
pub use histogram::{BUCKETS, Histogram, bucket_bounds, bucket_middle, bucket_of};
pub use interval::{Interval, IntervalDirection};
pub use live::{IoTrace, Observer, PATIENCE, Silence, SilenceStage};
pub use machine::{DeviceKind, DeviceNode, LocalLimit, Phase, PhaseKind};
pub use merged::{MachineRun, MergeError, merge};
pub use metric::{CpuMetric, Metric, Unit};
pub use note::{Damage, HeldIo, Mismatch, Note};
pub use observed::{ObservedDevice, ObservedMachine};
pub use pressed::{BoundCrossing, CrossedBound, RateUnit, SteeredDepth, TargetOutcome};
pub use processes::{CommandCounters, ProcessLoad, ProcessLoads};
pub use rates::SECTOR;
pub use recording::Recording;
pub use reported::{
    Along, Figure, LatencyKind, Measure, NamedFigure, PRINTED_AT, RateBasis, ReportedDirection,
    ReportedError, ReportedLatency, ReportedPart, ReportedSeries, ReportedUnit, Scope,
};
pub use run::{Event, EventKind, Origin, Run, StoredFinding};
pub use step::{DirectionTotals, IoFailure, ReadBackTotals, StepRecord, WorkerTotals};
pub use tally::Tally;
pub use thinned::{Bucket, thinned};
