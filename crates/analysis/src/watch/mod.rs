//! A watched machine: figures by phase and device, the contract, and rules that name what holds the storage back.
//!
//! Each device is read once and its rules are asked while its intervals are at hand (methodology, section 3). A rule is a row
//! in `rules`, a function of the scene and a device; another one is another row.

mod above;
mod contract;
mod device;
mod foreign;
mod held;
mod level;
mod load;
mod looks;
mod overload;
mod rules;
mod scene;
mod shape;
mod slow;
mod ticks;
mod used;

use policy::Limits;
use record::Run;
use workload::Expectation;

pub use shape::{
    ContractRow, DeviceFigures, Flow, Latency, Level, LoadFigures, LoadFlow, Named, PhaseFigures, Place,
    Remark, SeriesRow, WHOLE, Waiting, Watched, WatchedDevice,
};

use crate::finding::Layer;
use crate::{Finding, Meaning, Verdict};
use device::Device;
use scene::{Scene, Span};
use ticks::{Moment, Sum, known, share_within};

/// What the analysis of a watch gives beside what every run has.
pub(crate) struct Diagnosis {
    pub watched: Watched,
    pub findings: Vec<Finding>,
    pub verdict: Verdict,
}

/// Whether a machine was watched, and not only a target measured.
pub(crate) fn is_watch(run: &Run) -> bool {
    let sampled = run.steps.is_empty() && run.reported.is_empty() && run.samples.len() > 1;
    !run.phases.is_empty() || run.observed.is_some() || sampled
}

/// Reads a watch. `known` are the findings about the run itself, which may excuse a claim that is missed.
pub(crate) fn diagnose(
    run: &Run,
    limits: Option<&Limits>,
    expectation: Option<&Expectation>,
    known: &[Finding],
) -> Diagnosis {
    let scene = Scene::of(run, limits, contract::claims(run, limits, expectation));
    let (throttled, taken) = overload::throttled(&scene);
    let mut findings: Vec<Finding> = throttled.into_iter().collect();
    let mut devices: Vec<Device<'_>> = Vec::new();
    let mut rests = Vec::new();
    let mut sums: Vec<Vec<Sum>> = Vec::new();
    for name in scene.recording.devices() {
        let mut device = Device::read(&scene, name);
        findings.extend(held::held(&scene, &mut device, &taken));
        findings.extend(rules::DEVICE_RULES.iter().flat_map(|rule| rule(&scene, &device)));
        rests.extend(used::rest(&scene, &device));
        sums.push(device.sums(&scene));
        device.keep_for_the_contract(&scene);
        devices.push(device);
    }
    let mut findings = once_a_limit(once_a_stack(findings));
    if !findings.iter().any(|finding| finding.meaning.holds_back()) {
        findings.extend(used::idle(&scene, &rests));
    }
    let all: Vec<Finding> = known.iter().chain(&findings).cloned().collect();
    let contract = contract::rows(&scene, &devices, &all);
    let verdict = contract::verdict(run, &scene, &contract);
    let watched = watched(&scene, &devices, &sums, contract);
    Diagnosis { watched, findings, verdict }
}

/// What several layers of one stack show alike is told of the lowest: that is where a policy counts. What an application does
/// is told of the highest.
fn once_a_stack(found: Vec<Finding>) -> Vec<Finding> {
    let told_elsewhere = |finding: &Finding| {
        let Some((mine, told_of)) = finding.meaning.place() else { return false };
        found.iter().any(|other| {
            let Some((theirs, _)) = other.meaning.place() else { return false };
            let same = std::mem::discriminant(&other.meaning) == std::mem::discriminant(&finding.meaning);
            let (upper, lower) = if told_of == Layer::Lowest { (mine, theirs) } else { (theirs, mine) };
            same && upper.on.iter().flatten().any(|name| *name == lower.name) && meet(finding, other)
        })
    };
    found.iter().filter(|finding| !told_elsewhere(finding)).cloned().collect()
}

/// A limit that a device's own counters show waiting for is told of that device, and not of the one on which it is set.
fn once_a_limit(found: Vec<Finding>) -> Vec<Finding> {
    let shown = |finding: &Finding| {
        let Meaning::ThrottledAboveDevice { limit: Some(mine), .. } = &finding.meaning else { return false };
        found.iter().any(|other| match &other.meaning {
            Meaning::HeldOperations { level, .. } | Meaning::HeldBytes { level, .. } => {
                matches!(&level.named, Some(Named::Local(limit)) if limit == mine) && meet(finding, other)
            }
            _ => false,
        })
    };
    found.iter().filter(|finding| !shown(finding)).cloned().collect()
}

/// Whether two findings share a span.
fn meet(a: &Finding, b: &Finding) -> bool {
    a.evidence.iter().any(|one| b.evidence.iter().any(|other| one.from < other.to && other.from < one.to))
}

fn watched(
    scene: &Scene<'_>,
    devices: &[Device<'_>],
    sums: &[Vec<Sum>],
    contract: Vec<ContractRow>,
) -> Watched {
    let phase = |(at, span): (usize, &Span<'_>)| phase_figures(scene, span, &figures(devices, sums, at));
    let mut series = overload::series(scene, contract::bound_ns(&scene.claims));
    let load = devices.iter().position(|device| scene.load_device.as_deref() == Some(&device.place.name));
    for row in &mut series {
        let phases =
            (0..scene.spans.len()).filter(|&at| row.phases.iter().any(|name| name == scene.spans[at].name));
        let sum = phases.fold(Sum::default(), |mut sum, at| {
            load.into_iter().for_each(|device| sum.merge(&sums[device][at]));
            sum
        });
        (row.queue, row.await_ns) = (known(sum.mean_queue()), known(sum.latency() * 1e9));
    }
    Watched {
        load_device: scene.load_device.as_deref().map(|name| scene::place(scene.run, name)),
        devices: devices.iter().map(Device::learned).collect(),
        phases: scene.spans.iter().enumerate().map(phase).collect(),
        series,
        contract,
    }
}

fn figures(devices: &[Device<'_>], sums: &[Vec<Sum>], at: usize) -> Vec<DeviceFigures> {
    let there = devices.iter().zip(sums).filter(|(_, sums)| sums[at].seconds > 0.0);
    there.map(|(device, sums)| sums[at].figures(&device.place.name)).collect()
}

fn phase_figures(scene: &Scene<'_>, span: &Span<'_>, devices: &[DeviceFigures]) -> PhaseFigures {
    let intervals = scene.recording.intervals();
    let first = intervals.partition_point(|interval| interval.1 <= span.from);
    let inside: Vec<(f64, &Moment)> = intervals[first..]
        .iter()
        .zip(&scene.moments[first..])
        .take_while(|(interval, _)| interval.0 < span.to)
        .map(|(interval, moment)| {
            (
                share_within(*interval, (span.from, span.to)) * interval.1.since(interval.0).as_secs_f64(),
                moment,
            )
        })
        .collect();
    let mean = |of: fn(&Moment) -> f64| {
        let known: Vec<(f64, f64)> = inside
            .iter()
            .map(|(seconds, moment)| (*seconds, of(moment)))
            .filter(|(_, value)| value.is_finite())
            .collect();
        let seconds: f64 = known.iter().map(|(seconds, _)| seconds).sum();
        (seconds > 0.0).then(|| known.iter().map(|(seconds, value)| seconds * value).sum::<f64>() / seconds)
    };
    PhaseFigures {
        name: span.name.to_owned(),
        kind: span.kind.cloned(),
        from: span.from,
        to: span.to,
        devices: devices.to_vec(),
        load: span.load.clone(),
        cpu_busy: mean(|moment| 1.0 - moment.idle - moment.iowait - moment.steal),
        iowait: mean(|moment| moment.iowait),
        steal: mean(|moment| moment.steal),
        some_waiting: mean(|moment| moment.some),
        all_waiting: mean(|moment| moment.full),
    }
}
