//! Somebody else's I/O on the device that carries our load, in idle phases and beside the load.

use record::{Interval, Run};
use workload::{Direction, Nanos};

use super::device::Device;
use super::rules::{Firing, findings_of};
use super::scene::Scene;
use super::ticks::{Sum, Tick};
use crate::{Confidence, Evidence, Finding, Meaning};

/// Operations a second below which it is a disk's own housekeeping.
const LOUD_OPS: f64 = 50.0;
/// Bytes a second below which it is that too.
const LOUD_BYTES: f64 = 4.0 * 1048576.0;
/// Beside our own load: more than this share of it, since an interval of ours and one of the counters do not end together.
const SHARE: f64 = 0.1;
/// It goes on for so many seconds, or for half of a shorter phase,
const LASTS_S: f64 = 3.0;
/// and for this share of a phase.
const LASTS_SHARE: f64 = 0.1;
/// Longest block of which one request at the device is one I/O of ours.
const UNSPLIT: u64 = 65_536;

/// A stretch of intervals with what was not ours in it.
struct Stretch {
    firing: Firing,
    seconds: f64,
    ops: f64,
    bytes: f64,
    all_ops: f64,
    all_bytes: f64,
}

/// Foreign work on the device that our load sees. Of a file on a loop device, or of an array, what is below counts more
/// than was asked, so the device itself is what is looked at.
pub(crate) fn on_load_device(scene: &Scene<'_>, device: &Device<'_>) -> Vec<Finding> {
    if scene.load_device.as_deref() != Some(&device.place.name) {
        return Vec::new();
    }
    let mut stretches: Vec<Stretch> =
        (0..scene.spans.len()).filter_map(|span| stretch(scene, device, span)).collect();
    stretches.sort_by_key(|stretch| stretch.firing.evidence.from);
    let total = |of: fn(&Stretch) -> f64| stretches.iter().map(of).sum::<f64>();
    let seconds = total(|one| one.seconds);
    let (ops, bytes) = (total(|one| one.ops), total(|one| one.bytes));
    let share = (ops / total(|one| one.all_ops).max(1.0)).max(bytes / total(|one| one.all_bytes).max(1.0));
    let meaning = Meaning::ForeignLoad {
        device: device.place.name.clone(),
        ops_per_second: ops / seconds,
        bytes_per_second: bytes / seconds,
        share: share.min(1.0),
    };
    let firings: Vec<Firing> = stretches.iter().map(|one| one.firing.clone()).collect();
    findings_of(scene, meaning, &firings, Confidence::Certain).into_iter().collect()
}

/// What was not ours in one phase, where it is loud for long enough.
fn stretch(scene: &Scene<'_>, device: &Device<'_>, at: usize) -> Option<Stretch> {
    let span = &scene.spans[at];
    let first = device.ticks.partition_point(|tick| tick.from < span.from);
    let inside: Vec<&Tick> = device.ticks[first..].iter().take_while(|tick| tick.to <= span.to).collect();
    // What was issued before a phase may end in its first interval.
    let settled = if inside.len() > 3 { &inside[1..] } else { &inside[..] };
    let loud: Vec<(&Tick, Done)> = settled
        .iter()
        .map(|&tick| (tick, foreign_in(scene, tick)))
        .filter(|(tick, foreign)| is_loud(tick, *foreign))
        .collect();
    let seconds: f64 = loud.iter().map(|(tick, _)| tick.seconds).sum();
    let whole = span.to.since(span.from).as_secs_f64();
    let (from, to) = (loud.first()?.0.from, loud.last()?.0.to);
    let mut all = Sum::default();
    loud.iter().for_each(|(tick, _)| all.add(tick, 1.0));
    let ops: f64 = loud.iter().map(|(_, foreign)| both(*foreign).0).sum();
    let evidence =
        Evidence { step: String::new(), series: format!("diskstats {}", device.place.name), from, to };
    (seconds >= LASTS_S.min(whole / 2.0) && seconds >= LASTS_SHARE * whole).then(|| Stretch {
        firing: Firing { span: at, evidence, weight: ops / seconds },
        seconds,
        ops,
        bytes: loud.iter().map(|(_, foreign)| both(*foreign).1).sum(),
        all_ops: all.ops[0] + all.ops[1],
        all_bytes: all.bytes[0] + all.bytes[1],
    })
}

/// Operations and bytes by direction.
type Done = [(f64, f64); 2];

/// Whether one direction, or both together, has more than is ours: a few writes among many reads are a small share of all.
fn is_loud(tick: &Tick, foreign: Done) -> bool {
    let loud = |foreign: f64, all: f64, least: f64| foreign > least * tick.seconds && foreign > SHARE * all;
    let of = |(ops, bytes): (f64, f64), all: (f64, f64)| {
        loud(ops, all.0, LOUD_OPS) || loud(bytes, all.1, LOUD_BYTES)
    };
    let each = [0, 1].map(|way| of(foreign[way], (tick.ops[way], tick.bytes[way])));
    each.contains(&true) || of(both(foreign), (tick.all(), tick.bytes[0] + tick.bytes[1]))
}

fn both([read, write]: Done) -> (f64, f64) {
    (read.0 + write.0, read.1 + write.1)
}

/// Operations and bytes that the device did in an interval beside our own.
fn foreign_in(scene: &Scene<'_>, tick: &Tick) -> Done {
    let (own, split) = own_between(scene.run, tick.from, tick.to);
    [0, 1].map(|way| {
        let ops = if split { 0.0 } else { (tick.ops[way] - own[way].0).max(0.0) };
        (ops, (tick.bytes[way] - own[way].1).max(0.0))
    })
}

/// Operations and bytes of all steps that ended between two times, by the overlap of their intervals, and whether the kernel
/// may have split them.
fn own_between(run: &Run, from: Nanos, to: Nanos) -> (Done, bool) {
    let (mut own, mut split): (Done, bool) = Default::default();
    for step in run.steps.iter().filter(|step| step.started < to && from < step.ended) {
        split |= step.plan.workers.iter().any(|worker| worker.blocks.longest().0 > UNSPLIT);
        let first = step.intervals.partition_point(|interval| interval.end <= from);
        for interval in step.intervals[first..].iter().take_while(|interval| interval.start < to) {
            let overlap = interval.end.min(to).since(interval.start.max(from)).as_secs_f64();
            let share = if interval.seconds() > 0.0 { overlap / interval.seconds() } else { 0.0 };
            for (own, (ops, bytes)) in own.iter_mut().zip(of_interval(interval)) {
                own.0 += ops * share;
                own.1 += bytes * share;
            }
        }
    }
    (own, split)
}

fn of_interval(interval: &Interval) -> Done {
    [Direction::Read, Direction::Write].map(|way| {
        let tally = interval.of(way).tally;
        (tally.ops as f64, tally.bytes as f64)
    })
}
