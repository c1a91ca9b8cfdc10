//! The input of every rule: the phases with plimsoll's own load, the state of the machine, and the stack of devices.

use policy::Limits;
use record::{DeviceNode, Phase, PhaseKind, Recording, Run, StepRecord};
use workload::Nanos;

use super::contracted::{ContractClaim, bound_ns};
use super::load::load_figures;
use super::shape::{LoadFigures, WHOLE};
use super::ticks::{Moment, moments};
use crate::device_place::Place;

/// Most layers below a device that are followed: a deeper tree contains a loop.
const DEEPEST: usize = 16;
/// The device of a simulated volume.
const SIMULATED: &str = "sim0";

/// Whether the run watched a machine, instead of only measuring a target.
pub(crate) fn is_watch(run: &Run) -> bool {
    let sampled = run.steps.is_empty() && run.reported.is_empty() && run.samples.len() > 1;
    !run.phases.is_empty() || run.observed.is_some() || sampled
}

/// A phase, or the whole of a watch that has no phases.
pub(crate) struct Span<'r> {
    pub name: &'r str,
    pub kind: Option<&'r PhaseKind>,
    pub from: Nanos,
    pub to: Nanos,
    /// The step of plimsoll's own load.
    pub step: Option<&'r StepRecord>,
    pub load: Option<LoadFigures>,
}

/// A watched run, with the policy and the claims that it is judged by.
pub(crate) struct WatchedRun<'r> {
    pub run: &'r Run,
    pub limits: Option<&'r Limits>,
    /// The claims of the contract.
    pub claims: Vec<ContractClaim>,
    pub recording: Recording<'r>,
    pub moments: Vec<Moment>,
    pub spans: Vec<Span<'r>>,
    /// Kernel name of the device under plimsoll's own load.
    pub load_device: Option<String>,
}

impl<'r> WatchedRun<'r> {
    /// Reads the watch of `run`, with the limits of a policy and the claims to judge.
    pub fn of(run: &'r Run, limits: Option<&'r Limits>, claims: Vec<ContractClaim>) -> WatchedRun<'r> {
        let recording = Recording::of(run);
        let moments = moments(run, &recording);
        assert_eq!(moments.len(), recording.intervals().len(), "the machine in every interval");
        let spans = spans(run, &recording, bound_ns(&claims));
        let load_device = load_device(run, &recording, &spans);
        WatchedRun { run, limits, claims, recording, moments, spans, load_device }
    }

    /// Returns the index of the phase that covers all but a twentieth of an interval.
    pub fn span_at(&self, from: Nanos, to: Nanos) -> Option<usize> {
        let length = to.since(from).0;
        let inside = |span: &Span<'_>| {
            let overlap = to.min(span.to).since(from.max(span.from)).0;
            overlap as f64 >= 0.95 * length as f64
        };
        let after = self.spans.partition_point(|span| span.to <= from);
        (after..self.spans.len().min(after + 2)).find(|&at| inside(&self.spans[at]))
    }

    /// Whether `name` is under plimsoll's own load: it is the load's device or below it.
    pub fn carries_load(&self, name: &str) -> bool {
        let Some(top) = &self.load_device else { return false };
        top == name || place(self.run, top).stands_on(name)
    }

    /// Returns the facts of a device.
    pub fn node(&self, name: &str) -> Option<&'r DeviceNode> {
        self.run.devices.iter().find(|node| node.facts.name == name)
    }

    /// Whether only other programs' I/O is watched: plimsoll put no load on any device in the whole run.
    pub fn passive(&self) -> bool {
        self.spans.iter().all(|span| span.step.is_none())
    }
}

/// Returns the position of a device in its stack.
pub(crate) fn place(run: &Run, name: &str) -> Place {
    let below = |name: &str| {
        let node = run.devices.iter().find(|node| node.facts.name == name);
        node.map_or(Vec::new(), |node| node.below.clone())
    };
    let mut on = Vec::new();
    let mut layer = below(name);
    while !layer.is_empty() && on.len() < DEEPEST {
        let mut next: Vec<String> = Vec::new();
        for one in layer.iter().flat_map(|name| below(name)) {
            if !next.contains(&one) {
                next.push(one);
            }
        }
        on.push(layer);
        layer = next;
    }
    let node = run.devices.iter().find(|node| node.facts.name == name);
    let alias = node.map_or(String::new(), |node| {
        if node.description.is_empty() { node.alias.clone() } else { node.description.clone() }
    });
    Place { name: name.to_owned(), alias, on }
}

fn spans<'r>(run: &'r Run, recording: &Recording<'_>, bound_ns: Option<u64>) -> Vec<Span<'r>> {
    if run.phases.is_empty() {
        let (first, last) = (recording.intervals().first(), recording.intervals().last());
        let (from, to) = first.zip(last).map_or((Nanos::ZERO, Nanos::ZERO), |(a, b)| (a.0, b.1));
        return vec![Span { name: WHOLE, kind: None, from, to, step: None, load: None }];
    }
    run.phases.iter().map(|phase| span(run, phase, bound_ns)).collect()
}

/// Makes a span of a phase. A load phase is as long as its step: preparations before the step are not load.
fn span<'r>(run: &'r Run, phase: &'r Phase, bound_ns: Option<u64>) -> Span<'r> {
    let (step, scale) = match &phase.kind {
        PhaseKind::Load { step, scale } => (run.steps.iter().find(|one| one.plan.name == *step), *scale),
        _ => (None, None),
    };
    let (from, to) = step.map_or((phase.from, phase.to), |step| {
        let end = if phase.to > phase.from { phase.to.min(step.ended) } else { step.ended };
        (phase.from.max(step.started), end)
    });
    let load = step.and_then(|step| load_figures(&[step], scale, bound_ns));
    Span { name: &phase.name, kind: Some(&phase.kind), from, to, step, load }
}

/// Returns the topmost device of the load's target that was sampled.
fn load_device(run: &Run, recording: &Recording<'_>, spans: &[Span<'_>]) -> Option<String> {
    spans.iter().find(|span| span.step.is_some())?;
    let sampled = |name: &str| recording.devices().contains(&name);
    let devices = run.target.iter().flat_map(|target| &target.devices).map(|device| device.name.as_str());
    let found = devices.chain([SIMULATED]).find(|name| sampled(name));
    found.map(str::to_owned)
}
