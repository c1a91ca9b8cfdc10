//! One device with everything that rules want to know of it, read once.

use record::DeviceNode;
use workload::Nanos;

use super::looks::{Base, Look, base, looks};
use super::scene::{Scene, place};
use super::shape::{Place, WatchedDevice};
use super::ticks::{Sum, Tick, share_within, ticks};

/// What an I/O takes on a device with nothing to wait for. Where it was never without a queue, what the device below it takes:
/// the difference is the wait between the two.
fn base_of(scene: &Scene<'_>, place: &Place, own: &[Tick]) -> Base {
    let mut edges: Vec<Nanos> = scene
        .spans
        .iter()
        .filter(|span| span.step.is_some() && scene.carries_load(&place.name))
        .flat_map(|span| [span.from, span.to])
        .collect();
    edges.sort();
    let found = base(own, &edges);
    match place.on.first().map(Vec::as_slice) {
        Some([below]) if found.ways[2].is_none() => base(&ticks(&scene.recording, below), &edges),
        _ => found,
    }
}

/// One device of the record.
pub(crate) struct Device<'s> {
    pub place: Place,
    pub node: Option<&'s DeviceNode>,
    pub ticks: Vec<Tick>,
    pub looks: Vec<Look>,
    pub base: Base,
    /// The highest level at which it was held, operations a second.
    pub cap: Option<f64>,
    /// Windows in which it was held.
    pub held: Vec<usize>,
}

impl<'s> Device<'s> {
    /// Reads the device `name`.
    pub fn read(scene: &Scene<'s>, name: &str) -> Device<'s> {
        let ticks = ticks(&scene.recording, name);
        let place = place(scene.run, name);
        let base = base_of(scene, &place, &ticks);
        Device {
            place,
            node: scene.node(name),
            looks: looks(scene, &ticks),
            base,
            ticks,
            cap: None,
            held: Vec::new(),
        }
    }

    /// The intervals of a window.
    pub fn within(&self, look: &Look) -> &[Tick] {
        &self.ticks[look.ticks.0..look.ticks.1]
    }

    /// Totals of each phase, by the overlap of intervals.
    pub fn sums(&self, scene: &Scene<'_>) -> Vec<Sum> {
        let sum = |span: &super::scene::Span<'_>| {
            let first = self.ticks.partition_point(|tick| tick.to <= span.from);
            let mut sum = Sum::default();
            for tick in self.ticks[first..].iter().take_while(|tick| tick.from < span.to) {
                sum.add(tick, share_within((tick.from, tick.to), (span.from, span.to)));
            }
            sum
        };
        scene.spans.iter().map(sum).collect()
    }

    /// Lets the intervals go but where a contract is judged by them: a day of them for every device is much.
    pub fn keep_for_the_contract(&mut self, scene: &Scene<'_>) {
        if scene.claims.is_empty() || !scene.passive() {
            self.ticks = Vec::new();
        }
    }

    /// What was learned of it.
    pub fn learned(&self) -> WatchedDevice {
        WatchedDevice {
            place: self.place.clone(),
            base_latency_ns: self.base.ways[2].map(|seconds| seconds * 1e9),
            cap: self.cap,
            timed: self.node.is_none_or(|node| node.timed),
        }
    }
}
