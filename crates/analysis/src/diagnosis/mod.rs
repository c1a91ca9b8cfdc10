//! Diagnosis of a watched machine: its devices one by one, the rules, the contract, and all figures.
//!
//! Each device is read once, and its rules are applied while its intervals are at hand (method 12).

mod contract;
mod looked;

use policy::Limits;
use record::Run;
use workload::Expectation;

use looked::looked;

use crate::findings::{self, Finding};
use crate::repeats::{once_a_limit, once_a_stack};
use crate::verdict::Verdict;
use crate::watch::busiest::busiest;
use crate::watch::command::command_time;
use crate::watch::device::Device;
use crate::watch::shape::{ContractRow, DetectionLimits, DeviceFigures, PhaseFigures, WatchFigures};
use crate::watch::ticks::{Moment, Sum, known, share_within};
use crate::watch::watched_run::{Span, WatchedRun, place};
use crate::watch::{contracted, series};

/// Additional results of the analysis of a watch.
pub(crate) struct Diagnosis {
    pub watched: WatchFigures,
    pub findings: Vec<Finding>,
    pub verdict: Verdict,
}

/// Diagnoses a watch. `known` are the findings about the run itself, which may excuse a missed claim.
pub(crate) fn diagnose(
    run: &Run,
    limits: Option<&Limits>,
    expectation: Option<&Expectation>,
    known: &[Finding],
) -> Diagnosis {
    let watch = WatchedRun::of(run, limits, contracted::claims(run, limits, expectation));
    let (mut found, taken) = findings::of_load(&watch);
    let mut devices: Vec<Device<'_>> = Vec::new();
    let mut sums: Vec<Vec<Sum>> = Vec::new();
    let mut all_looked: Vec<DetectionLimits> = Vec::new();
    for name in watch.recording.devices() {
        let mut device = Device::read(&watch, name);
        found.extend(findings::of_device(&watch, &mut device, &taken));
        sums.push(device.sums(&watch));
        all_looked.extend(looked(&watch, &device));
        device.keep_for_the_contract(&watch);
        devices.push(device);
    }
    assert!(sums.iter().all(|sums| sums.len() == watch.spans.len()), "totals of every phase");
    let findings = once_a_limit(once_a_stack(found));
    let holds_back = |finding: &Finding| finding.meaning.nature().device.is_some_and(|of| of.holds_back);
    let held_back = findings.iter().any(holds_back);
    let command = command_time(&watch);
    let all: Vec<Finding> = known.iter().chain(&findings).cloned().collect();
    let contract = contract::rows(&watch, &devices, &all);
    let verdict = contract::verdict(run, &watch, &contract);
    let most_used = all_looked.into_iter().max_by(|a, b| a.used_s.total_cmp(&b.used_s));
    let mut watched =
        WatchFigures { looked: most_used, command, ..watched(&watch, &devices, &sums, contract) };
    if let [whole @ PhaseFigures { kind: None, .. }] = watched.phases.as_slice() {
        watched.busiest = busiest(run, whole, held_back);
    }
    Diagnosis { watched, findings, verdict }
}

fn watched(
    watch: &WatchedRun<'_>,
    devices: &[Device<'_>],
    sums: &[Vec<Sum>],
    contract: Vec<ContractRow>,
) -> WatchFigures {
    let phase = |(at, span): (usize, &Span<'_>)| phase_figures(watch, span, &figures(devices, sums, at));
    let mut series = series::rows(watch, contracted::bound_ns(&watch.claims));
    let load = devices.iter().position(|device| watch.load_device.as_deref() == Some(&device.place.name));
    for row in &mut series {
        let of_row = |at: &usize| row.phases.iter().any(|name| name == watch.spans[*at].name);
        let mut sum = Sum::default();
        for (device, at) in
            load.iter().flat_map(|device| (0..watch.spans.len()).filter(of_row).map(move |at| (device, at)))
        {
            sum.merge(&sums[*device][at]);
        }
        (row.queue, row.await_ns) = (known(sum.mean_queue()), known(sum.latency() * 1e9));
    }
    WatchFigures {
        load_device: watch.load_device.as_deref().map(|name| place(watch.run, name)),
        devices: devices.iter().map(Device::learned).collect(),
        phases: watch.spans.iter().enumerate().map(phase).collect(),
        series,
        contract,
        looked: None,
        command: None,
        busiest: None,
    }
}

fn figures(devices: &[Device<'_>], sums: &[Vec<Sum>], at: usize) -> Vec<DeviceFigures> {
    let there = devices.iter().zip(sums).filter(|(_, sums)| sums[at].seconds > 0.0);
    there.map(|(device, sums)| sums[at].figures(&device.place.name)).collect()
}

fn phase_figures(watch: &WatchedRun<'_>, span: &Span<'_>, devices: &[DeviceFigures]) -> PhaseFigures {
    let intervals = watch.recording.intervals();
    let first = intervals.partition_point(|interval| interval.1 <= span.from);
    let within = intervals[first..].iter().zip(&watch.moments[first..]);
    let inside: Vec<(f64, &Moment)> = within
        .take_while(|(interval, _)| interval.0 < span.to)
        .map(|(interval, moment)| {
            let share = share_within(*interval, (span.from, span.to));
            (share * interval.1.since(interval.0).as_secs_f64(), moment)
        })
        .collect();
    let mean = |of: fn(&Moment) -> f64| {
        let known = || inside.iter().filter(|(_, moment)| of(moment).is_finite());
        let seconds: f64 = known().map(|(seconds, _)| seconds).sum();
        (seconds > 0.0).then(|| known().map(|(seconds, moment)| seconds * of(moment)).sum::<f64>() / seconds)
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
