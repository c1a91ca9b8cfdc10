//! Whether the figures are the volume's: the generator, foreign load, the page cache, unwritten blocks, the target itself.

use record::{Run, Sample, StepRecord};
use workload::{Direction, Ending, Nanos, Pace, StepKind};

use crate::{Confidence, Evidence, Finding, Meaning, Point};

/// Depth and rate × latency may differ by this share (methodology 2.3).
const LITTLE: f64 = 0.03;
/// At depth 1 and 2 nothing is in flight while the next I/O is made: on a device of 20 µs that alone is some percent.
const LITTLE_SHALLOW: f64 = 0.15;
/// A worker whose thread was on a CPU for this share of the step was itself the limit.
const WORKER_BUSY: f64 = 0.9;
/// A worker that was ready but not running for this share of the step lacked CPU.
const WORKER_WAITING: f64 = 0.1;
/// Steal above this share of the machine's time counts (methodology 3.2, R16).
const STEAL: f64 = 0.05;
/// Foreign bytes or operations below this share of all are noise.
const FOREIGN_SHARE: f64 = 0.05;
/// Foreign operations a second below this are a root disk's own housekeeping.
const FOREIGN_OPS: f64 = 50.0;
/// Foreign bytes a second below this are housekeeping too.
const FOREIGN_BYTES: f64 = 4.0 * 1048576.0;
/// Bytes of a sector in `/proc/diskstats`.
const SECTOR: u64 = 512;

fn finding(meaning: Meaning, step: &StepRecord, series: &str, confidence: Confidence) -> Finding {
    let evidence = Evidence {
        step: step.plan.name.clone(),
        series: series.to_owned(),
        from: step.counted_from,
        to: step.ended,
    };
    Finding { meaning, evidence: vec![evidence], confidence }
}

/// Closed-loop steps in which depth is not rate × latency: then the generator was measured (Little's law).
pub(crate) fn little(run: &Run, points: &[&Point]) -> Vec<Finding> {
    let ladders = points.iter().filter_map(|point| {
        let step = run.steps.iter().find(|step| step.plan.name == point.step)?;
        let closed = step.plan.workers.iter().all(|worker| worker.pace == Pace::Closed);
        let one_way =
            [Direction::Read, Direction::Write].iter().filter(|&&d| step.tally(d).ops > 0).count() == 1;
        let product = point.iops.value * point.latency_ns_mean / 1e9;
        let depth = f64::from(point.depth);
        let off = (depth - product).abs() / depth > if point.depth <= 2 { LITTLE_SHALLOW } else { LITTLE };
        let counted = step.tally(point.direction).ops > 20 * u64::from(point.depth);
        (closed && one_way && counted && off && step.plan.kind != StepKind::Layout).then(|| {
            finding(
                Meaning::LittleMismatch { step: point.step.clone(), depth, product },
                step,
                "latency",
                Confidence::Possible,
            )
        })
    });
    ladders.collect()
}

/// Steps in which the generator was the limit or lacked CPU.
pub(crate) fn generator(run: &Run) -> Vec<Finding> {
    run.steps
        .iter()
        .filter(|step| step.plan.kind != StepKind::Layout)
        .filter_map(|step| generator_of(run, step))
        .collect()
}

fn generator_of(run: &Run, step: &StepRecord) -> Option<Finding> {
    let wall_ns = step.ended.since(step.counted_from).0 as f64;
    let busiest = step
        .workers
        .iter()
        .map(|worker| (worker.user_cpu_ns + worker.system_cpu_ns) as f64 / wall_ns)
        .fold(0.0, f64::max);
    let waiting = step.workers.iter().map(|worker| worker.run_delay_ns as f64 / wall_ns).fold(0.0, f64::max);
    let steal_share = steal(&within(run, step.counted_from, step.ended));
    let late: u64 = step.workers.iter().map(|worker| worker.late).sum();
    let starved = busiest > WORKER_BUSY || waiting > WORKER_WAITING || steal_share > STEAL;
    (wall_ns > 0.0 && starved).then(|| {
        let meaning = Meaning::GeneratorBound {
            step: step.plan.name.clone(),
            own_cpu_share: busiest,
            waiting_share: waiting,
            steal_share,
            late,
        };
        finding(meaning, step, "cpu", Confidence::Certain)
    })
}

/// Samples from `from` to `to`.
fn within(run: &Run, from: Nanos, to: Nanos) -> Vec<&Sample> {
    run.samples.iter().filter(|sample| from <= sample.at && sample.at <= to).collect()
}

fn steal(samples: &[&Sample]) -> f64 {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return 0.0 };
    let total = last.cpu.total().saturating_sub(first.cpu.total());
    let stolen = last.cpu.steal.saturating_sub(first.cpu.steal);
    if total > 0 { stolen as f64 / total as f64 } else { 0.0 }
}

/// What the device did beside our own I/O. Layouts and flushes are left out: a file system's own writes belong to them.
pub(crate) fn foreign(run: &Run) -> Vec<Finding> {
    let steps = run.steps.iter().filter(|step| {
        let flushes =
            step.workers.iter().any(|worker| worker.directions[Direction::Flush.index()].tally.ops > 0);
        step.plan.kind != StepKind::Layout && !flushes
    });
    let mut found: Vec<(f64, Finding)> = steps.filter_map(|step| foreign_in(run, step)).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    // One finding tells it; the step where it was worst is the evidence.
    found.into_iter().next().map(|(_, finding)| finding).into_iter().collect()
}

/// The foreign part between the first and the last sample inside the step; our own part is that of the intervals between.
fn foreign_in(run: &Run, step: &StepRecord) -> Option<(f64, Finding)> {
    let samples = within(run, step.started, step.ended);
    let (first, last) = (samples.first()?, samples.last()?);
    let seconds = last.at.since(first.at).as_secs_f64();
    if seconds < 0.9 {
        return None;
    }
    let (device, then) = first.disks.first()?;
    let (_, now) = last.disks.iter().find(|(name, _)| name == device)?;
    let device_ops = (now.reads + now.writes).saturating_sub(then.reads + then.writes) as f64;
    let sectors =
        (now.sectors_read + now.sectors_written).saturating_sub(then.sectors_read + then.sectors_written);
    let device_bytes = (sectors * SECTOR) as f64;
    let (ops, bytes) = own_between(step, first.at, last.at);
    // Requests that the kernel split count several times at the device, so operations are compared for small blocks only.
    let small = step.plan.workers.iter().all(|worker| worker.blocks.longest().0 <= 65_536);
    let foreign_ops = if small { (device_ops - ops).max(0.0) } else { 0.0 };
    let foreign_bytes = (device_bytes - bytes).max(0.0);
    let share = (foreign_bytes / device_bytes.max(1.0)).max(foreign_ops / device_ops.max(1.0));
    let loud = foreign_ops / seconds > FOREIGN_OPS || foreign_bytes / seconds > FOREIGN_BYTES;
    (loud && share > FOREIGN_SHARE).then(|| {
        let meaning = Meaning::ForeignLoad {
            device: device.to_string(),
            ops_per_second: foreign_ops / seconds,
            bytes_per_second: foreign_bytes / seconds,
            share,
        };
        (share, finding(meaning, step, &format!("diskstats {device}"), Confidence::Certain))
    })
}

/// Operations and bytes of ours that ended between two times: whole intervals by their overlap.
fn own_between(step: &StepRecord, from: Nanos, to: Nanos) -> (f64, f64) {
    let mut sum = (0.0, 0.0);
    for interval in &step.intervals {
        let overlap = interval.end.min(to).since(interval.start.max(from)).as_secs_f64();
        let share = if interval.seconds() > 0.0 { overlap / interval.seconds() } else { 0.0 };
        for part in &interval.directions {
            sum.0 += part.tally.ops as f64 * share;
            sum.1 += part.tally.bytes as f64 * share;
        }
    }
    sum
}

/// Doubts about the target, unwritten blocks, the cache, and whether only reads were measured.
pub(crate) fn target(run: &Run) -> Vec<Finding> {
    let Some(facts) = &run.target else { return Vec::new() };
    let certain = |meaning| Finding { meaning, evidence: Vec::new(), confidence: Confidence::Certain };
    let mut found: Vec<Finding> =
        facts.doubts.iter().map(|doubt| certain(Meaning::TargetDoubt { doubt: doubt.clone() })).collect();
    if let Some(share) = facts.cached_share.filter(|share| *share > 0.01) {
        found.push(certain(Meaning::CachedReads { share }));
    }
    if let Some(share) = facts.unwritten_share.filter(|share| *share > 0.0) {
        found.push(certain(Meaning::Unwritten { share, laid_out: false }));
    }
    if facts.reads_only && run.steps.iter().any(|step| step.tally(Direction::Read).ops > 0) {
        found.push(certain(Meaning::ReadsOnly { unwritten_share: facts.unwritten_share }));
    }
    found
}

/// An interrupted or failed step.
pub(crate) fn endings(run: &Run) -> Vec<Finding> {
    let ended = run.steps.iter().filter_map(|step| {
        let meaning = match step.ending {
            Ending::Interrupted => Meaning::Interrupted { after_s: step.ended.as_secs_f64() },
            Ending::Failed => Meaning::Failed {
                step: step.plan.name.clone(),
                errno: step.failures.first().map_or(0, |failure| failure.errno),
                count: Direction::ALL
                    .iter()
                    .map(|&d| step.tally(d).errors)
                    .sum::<u64>()
                    .max(step.failures.len() as u64),
            },
            _ => return None,
        };
        Some(finding(meaning, step, "events", Confidence::Certain))
    });
    let mut ended: Vec<Finding> = ended.collect();
    if let Some(last) = run.steps.last().filter(|_| !run.complete && ended.is_empty()) {
        // Cut off between two steps, as by a kill: each step is whole, the run is not.
        let meaning = Meaning::Interrupted { after_s: last.ended.as_secs_f64() };
        ended.push(finding(meaning, last, "events", Confidence::Certain));
    }
    ended
}
