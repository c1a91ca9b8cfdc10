//! Two loads beside each other, as figures that every recording has: rates, bytes, flushes and latencies by direction.

use record::{
    Figure, LatencyKind, RateBasis, ReportedDirection, ReportedLatency, ReportedPart, Run, Scope, StepRecord,
};
use workload::{Direction, ProcedureRequest, TurnsRequest};

use super::counters::readings;
use super::{Drive, RecordedLoad};
use crate::compare::{Comparison, IN_BLOCK, Side, compare};
use crate::size::load::working;
use crate::watch::watched_run::WatchedRun;

/// Share within which two loads are the same (method 11).
const MARGIN: f64 = 0.05;
/// I/Os beyond which a 99th percentile is meaningful (method 7.1).
const P99: u64 = 1000;

/// Figures of a load in one part of its time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadFigures {
    /// By direction, reads first; those without I/O are left out.
    ways: Vec<ReportedDirection>,
}

fn figure(value: f64) -> Option<Figure> {
    (value.is_finite() && value > 0.0).then(|| Figure { value, step: 0.0, printed: String::new() })
}

fn way(direction: Direction, (ios, bytes): (f64, f64), seconds: f64) -> ReportedDirection {
    ReportedDirection {
        direction: Some(direction),
        iops: figure(ios / seconds),
        bytes_per_second: figure(bytes / seconds),
        basis: RateBasis::Elapsed,
        runtime: figure(seconds * 1e9),
        ..ReportedDirection::new(Some(direction))
    }
}

/// Returns the figures of a step's reads and writes, from due to done.
pub fn figures_of_step(step: &StepRecord) -> LoadFigures {
    let seconds = step.seconds();
    let of = |direction: Direction| {
        let (tally, latency) = (step.tally(direction), step.latency(direction));
        if tally.ops == 0 {
            return None;
        }
        let at = |percent: f64| figure(latency.percentile(percent)? as f64).map(|value| (percent, value));
        let percentiles = [at(50.0), at(99.0).filter(|_| latency.count() >= P99)];
        let latency = ReportedLatency {
            mean: figure(tally.latency_ns_sum as f64 / tally.ops as f64),
            percentiles: percentiles.into_iter().flatten().collect(),
            ..ReportedLatency::new(LatencyKind::Total)
        };
        let counted = (tally.ops as f64, tally.bytes as f64);
        Some(ReportedDirection { latencies: vec![latency], ..way(direction, counted, seconds) })
    };
    LoadFigures { ways: [Direction::Read, Direction::Write].into_iter().filter_map(of).collect() }
}

/// Returns the figures of a recorded device in this many parts of its time, which follow each other.
pub fn figures_of_recording(run: &Run, load: &RecordedLoad, parts: usize) -> Vec<LoadFigures> {
    let watch = WatchedRun::of(run, None, Vec::new());
    let Some(device) = working(&watch, Some(&load.device)).next() else { return Vec::new() };
    let (ticks, _) = readings(&device);
    let part = ticks.len().div_ceil(parts.max(1)).max(1);
    let of = |ticks: &[crate::watch::ticks::Tick]| {
        let seconds: f64 = ticks.iter().map(|tick| tick.seconds).sum();
        let ways =
            [Direction::Read, Direction::Write].into_iter().enumerate().filter_map(|(number, direction)| {
                let sum = |of: fn(&crate::watch::ticks::Tick) -> [f64; 2]| {
                    ticks.iter().map(|tick| of(tick)[number]).sum::<f64>()
                };
                let (ios, bytes, wait) =
                    (sum(|tick| tick.ops), sum(|tick| tick.bytes), sum(|tick| tick.wait));
                let latency = ReportedLatency {
                    mean: figure(wait / ios * 1e9),
                    ..ReportedLatency::new(LatencyKind::Total)
                };
                (ios > 0.0).then(|| ReportedDirection {
                    latencies: vec![latency],
                    ..way(direction, (ios, bytes), seconds)
                })
            });
        LoadFigures { ways: ways.collect() }
    };
    ticks.chunks(part).map(of).collect()
}

/// Compares a load with the profile made from it, part by part.
pub fn beside(original: &[LoadFigures], profile: &[LoadFigures], load: &RecordedLoad) -> Comparison {
    let parts = original.len().min(profile.len());
    let labels = ["recording", "profile"];
    let side = |number: usize, figures: &[LoadFigures]| {
        let mut run = Run::started(Vec::new(), 0);
        run.asked = Some(ProcedureRequest::Turns(TurnsRequest {
            comparison: load.device.clone(),
            seed: 1,
            side: number as u8,
            labels: labels.map(str::to_owned).to_vec(),
            loads: vec![load.device.clone()],
            first_block: 0,
            look_at: vec![parts as u32],
            margin: MARGIN,
        }));
        run.reported = figures
            .iter()
            .take(parts)
            .enumerate()
            .map(|(block, figures)| part(load, (block, figures)))
            .collect();
        Side::of_runs(labels[number].to_owned(), vec![run])
    };
    compare(&[side(0, original), side(1, profile)])
}

/// Returns a part as a tool would report it. Sizes and mix are those of the recording on both sides: the same work, whose
/// figures then show whether it is.
fn part(load: &RecordedLoad, (block, figures): (usize, &LoadFigures)) -> ReportedPart {
    let mean =
        |flow: &super::RecordedFlow| if flow.iops > 0.0 { (flow.bytes / flow.iops).round() } else { 512.0 };
    let depth = match load.drive {
        Drive::Closed { depth } | Drive::Bunches { depth, .. } => depth,
        // What is in flight is up to the volume.
        Drive::Even | Drive::Poisson | Drive::Phases { .. } => {
            load.in_flight.map_or(1, |depth| depth.ceil().max(1.0) as u32)
        }
    };
    let asked = [
        ("rw", if load.run.is_infinite() { "rw" } else { "randrw" }.to_owned()),
        ("iodepth", depth.to_string()),
        ("bs", format!("{},{}", mean(&load.reads), mean(&load.writes))),
        ("rwmixread", format!("{:.0}", load.read_share() * 100.0)),
    ];
    ReportedPart {
        asked: asked.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        said: vec![(IN_BLOCK.to_owned(), block.to_string())],
        group: Some(block as u32),
        directions: figures.ways.clone(),
        ..ReportedPart::named(Scope::Job, &load.device, 1)
    }
}
