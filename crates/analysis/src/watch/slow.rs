//! A backend that serves the same load worse than at other times (R11), and a guest that is short of CPU (R16).

use std::collections::BTreeMap;

use super::device::Device;
use super::held::WAITED;
use super::looks::{Look, counts, fano};
use super::rules::{findings_of, total};
use super::scene::Scene;
use super::shape::Waiting;
use super::ticks::Tick;
use super::used::{firings, paced_by_us};
use crate::{Confidence, Finding, Meaning};

/// Steal above this share of the CPUs' time counts (R16).
const STEAL: f64 = 0.05;
/// Up to this share the guest is not to blame (R11).
const STEAL_SLIGHT: f64 = 0.02;
/// A rate at this share of the cap is held by it.
const BELOW_CAP: f64 = 0.9;
/// Windows of one kind that must have been served well before another can be called slow.
const KNOWN: usize = 3;
/// The share of the windows of a kind that were served sooner is what is usual of it.
const USUAL: f64 = 0.25;
/// Counts as even as this are a meter's, also where nothing tells what an I/O takes by itself.
const METERED: f64 = 0.02;
/// Operations a second below which latencies say little.
const USED: f64 = 10.0;
/// A device is compared where it is busy for more than this share of the time.
const BUSY: f64 = 0.2;
/// A latency that rises by less than this many seconds is a matter of caches and clocks.
const RISE: f64 = 0.3e-3;

/// In the place of the depth: a load of ours with a pace of its own.
const OWN: i32 = i32::MIN;

/// Windows that are comparable: mix, size and depth while busy, each in coarse steps; of a load of ours that has its own
/// pace, windows that are asked for as much.
type Kind = (i32, i32, i32, u64);

fn kind(scene: &Scene<'_>, device: &Device<'_>, look: &Look) -> Option<Kind> {
    let sum = &look.sum;
    if sum.rate() < USED || !sum.latency().is_finite() {
        return None;
    }
    let reads = (sum.ops[0] / (sum.ops[0] + sum.ops[1]) * 4.0).round() as i32;
    let size = (sum.size().log2() * 1.5).round() as i32;
    if paced_by_us(scene, device, look) {
        let asked = scene.spans[look.span].load.as_ref()?.all.asked?;
        return Some((reads, size, OWN, asked.round() as u64));
    }
    let busy = sum.mean_busy().min(1.0);
    let depth = sum.mean_queue() / busy;
    // A device that is used little is called busy for longer than it is: the kernel counts in ticks of its clock.
    (busy > BUSY && depth >= 0.5).then(|| (reads, size, (depth.log2() * 2.0).round() as i32, 0))
}

/// Windows that are served at least twice as slowly as is usual of their kind; those of a guest short of CPU apart.
pub(crate) fn backend(scene: &Scene<'_>, device: &Device<'_>) -> Vec<Finding> {
    let mut kinds: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
    for (at, look) in device.looks.iter().enumerate() {
        if let Some(kind) = kind(scene, device, look) {
            kinds.entry(kind).or_default().push(at);
        }
    }
    let mut usual: BTreeMap<usize, f64> = BTreeMap::new();
    for (kind, windows) in &kinds {
        // Of phases of a load of ours one is enough to compare with: it is the same load.
        let fewest = if kind.2 == OWN { 1 } else { KNOWN };
        let known = usual_latency(device, windows, fewest);
        usual.extend(windows.iter().filter_map(|&at| Some((at, known?))));
    }
    let slow: Vec<usize> = usual
        .iter()
        .filter(|(at, usual)| !device.held.contains(at) && is_slow(device, &device.looks[**at], **usual))
        .map(|(at, _)| *at)
        .collect();
    let (starved, slow): (Vec<usize>, Vec<usize>) =
        slow.into_iter().partition(|&at| device.looks[at].steal > STEAL_SLIGHT);
    let starved: Vec<usize> = starved.into_iter().filter(|&at| device.looks[at].steal > STEAL).collect();
    [finding(scene, device, (&slow, &usual)), finding(scene, device, (&starved, &usual))]
        .into_iter()
        .flatten()
        .collect()
}

/// What is usual of windows of one kind: their lower quartile, where windows enough are near it.
fn usual_latency(device: &Device<'_>, windows: &[usize], fewest: usize) -> Option<f64> {
    let mut latencies: Vec<f64> = windows.iter().map(|&at| device.looks[at].sum.latency()).collect();
    latencies.sort_by(f64::total_cmp);
    let usual = latencies[((latencies.len() - 1) as f64 * USUAL) as usize];
    let near = latencies.iter().filter(|latency| **latency < WAITED / 1.4 * usual).count();
    (near >= fewest).then_some(usual)
}

fn is_slow(device: &Device<'_>, look: &Look, usual: f64) -> bool {
    let latency = look.sum.latency();
    let capped = device.cap.is_some_and(|cap| look.sum.rate() >= BELOW_CAP * cap);
    let even = || fano(&counts(device.within(look), 2)).is_some_and(|fano| fano < METERED);
    let metered = || even() && !is_paced(device.within(look));
    latency >= WAITED * usual && latency > usual + RISE && !capped && !metered()
}

/// Flat counts with a device that rests between them are those of a paced program, not of a meter.
fn is_paced(ticks: &[Tick]) -> bool {
    let busy = ticks.iter().map(|tick| tick.busy).sum::<f64>() / ticks.len().max(1) as f64;
    busy < 0.9
}

fn finding(
    scene: &Scene<'_>,
    device: &Device<'_>,
    (slow, usual): (&[usize], &BTreeMap<usize, f64>),
) -> Option<Finding> {
    let sum = total(device, slow);
    let weight = |at: usize| device.looks[at].sum.seconds;
    let whole: f64 = slow.iter().map(|&at| weight(at)).sum();
    let mean = |of: &dyn Fn(usize) -> f64| slow.iter().map(|&at| of(at) * weight(at)).sum::<f64>() / whole;
    let waiting = Waiting {
        queue: sum.mean_queue(),
        latency_ns: sum.latency() * 1e9,
        usual_queue: None,
        usual_latency_ns: Some(mean(&|at| usual.get(&at).copied().unwrap_or(f64::NAN)) * 1e9),
    };
    let place = device.place.clone();
    let steal = mean(&|at| device.looks[at].steal);
    let meaning = match steal > STEAL {
        true => Meaning::CpuStarved { device: place, steal_share: steal, waiting },
        false => Meaning::BackendSlow { device: place, waiting, ops_per_second: sum.rate() },
    };
    let found = firings(device, slow, |look| look.sum.latency());
    findings_of(scene, meaning, &found, Confidence::Possible)
}
