//! One device with everything that rules need, read once.

use policy::Resource;
use record::{DeviceNode, StepRecord};
use workload::Nanos;

use super::base::{Base, base};
use super::load::closed;
use super::shape::{LoadFigures, Waiting, WatchedDevice};
use super::ticks::{Sum, Tick, share_within, ticks};
use super::watched_run::{Span, WatchedRun, place};
use super::windows::{Window, windows};
use crate::device_place::Place;
use crate::finding::Evidence;

/// Multiple of the base latency above which an I/O has waited (method 12.1, R2, R3).
pub(crate) const WAITED: f64 = 2.0;

/// Returns the latency of an I/O that need not wait on a device. If the device was never without a queue, that of the
/// device below it is taken: the difference is the wait between the two.
fn base_of(watch: &WatchedRun<'_>, place: &Place, own: &[Tick]) -> Base {
    let loads = watch.spans.iter().filter(|span| span.step.is_some() && watch.carries_load(&place.name));
    let mut edges: Vec<Nanos> = loads.flat_map(|span| [span.from, span.to]).collect();
    edges.sort();
    let found = base(own, &edges);
    match place.on.first().map(Vec::as_slice) {
        Some([below]) if found.both.is_none() => base(&ticks(&watch.recording, below), &edges),
        _ => found,
    }
}

/// A window in which a device is limited, with the limited resource and its rate per second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldAt {
    pub at: usize,
    pub what: Resource,
    pub rate: f64,
}

/// One device of the record.
pub(crate) struct Device<'s> {
    pub place: Place,
    pub node: Option<&'s DeviceNode>,
    pub ticks: Vec<Tick>,
    pub windows: Vec<Window>,
    pub base: Base,
    /// The highest level at which the device was limited, operations per second.
    pub cap: Option<f64>,
    /// Windows in which the device was limited.
    pub held: Vec<HeldAt>,
    /// Windows for which the throttle of plimsoll's own load is already reported.
    pub told: Vec<usize>,
    /// Windows that were served worse than others.
    pub slow: Vec<usize>,
}

impl<'s> Device<'s> {
    /// Reads the device `name`.
    pub fn read(watch: &WatchedRun<'s>, name: &str) -> Device<'s> {
        Device::unwindowed(watch, name).windowed(watch)
    }

    /// Cuts the intervals into windows.
    pub fn windowed(self, watch: &WatchedRun<'s>) -> Device<'s> {
        Device { windows: windows(watch, &self.ticks), ..self }
    }

    /// Reads the device `name` without its windows, which take long and serve rules alone.
    pub fn unwindowed(watch: &WatchedRun<'s>, name: &str) -> Device<'s> {
        let ticks = ticks(&watch.recording, name);
        let place = place(watch.run, name);
        let base = base_of(watch, &place, &ticks);
        Device {
            place,
            node: watch.node(name),
            windows: Vec::new(),
            base,
            ticks,
            cap: None,
            held: Vec::new(),
            told: Vec::new(),
            slow: Vec::new(),
        }
    }

    /// Returns the intervals of a window.
    pub fn within(&self, window: &Window) -> &[Tick] {
        &self.ticks[window.ticks.clone()]
    }

    /// Returns the indices of the windows for which `test` is true.
    pub fn windows_where(&self, test: impl Fn(&Window) -> bool) -> Vec<usize> {
        (0..self.windows.len()).filter(|&at| test(&self.windows[at])).collect()
    }

    /// Whether the device was limited in the window with this index.
    pub fn is_held(&self, window: usize) -> bool {
        self.held.iter().any(|held| held.at == window)
    }

    /// Returns the totals of the windows with these indices.
    pub fn total(&self, windows: &[usize]) -> Sum {
        let mut sum = Sum::default();
        for tick in windows.iter().flat_map(|&at| self.within(&self.windows[at])) {
            sum.add(tick, 1.0);
        }
        sum
    }

    /// Whether I/Os of a window took much longer than the base latency; `None` if that is not known.
    pub fn waited(&self, window: &Window) -> Option<bool> {
        self.base.both.map(|base| window.sum.latency() > WAITED * base)
    }

    /// Returns the queue and latency of `sum`, beside the base latency.
    pub fn waiting(&self, sum: &Sum) -> Waiting {
        Waiting {
            queue: sum.mean_queue(),
            latency_ns: sum.latency() * 1e9,
            usual_queue: None,
            usual_latency_ns: self.base.both.map(|seconds| seconds * 1e9),
        }
    }

    /// Returns a span of the device's own counters as evidence.
    pub fn evidence(&self, from: Nanos, to: Nanos) -> Evidence {
        Evidence { step: String::new(), series: format!("diskstats {}", self.place.name), from, to }
    }

    /// Whether plimsoll's own load paces the window, not an application.
    pub fn is_paced_by_us(&self, watch: &WatchedRun<'_>, window: &Window) -> bool {
        self.own_step(watch, window).is_some_and(|step| !closed(step))
    }

    /// Returns the step of plimsoll's own load in a window of this device.
    pub fn own_step<'r>(&self, watch: &WatchedRun<'r>, window: &Window) -> Option<&'r StepRecord> {
        watch.spans[window.span].step.filter(|_| watch.carries_load(&self.place.name))
    }

    /// Returns the figures of plimsoll's own load in a window of this device.
    pub fn own_load<'w>(&self, watch: &'w WatchedRun<'_>, window: &Window) -> Option<&'w LoadFigures> {
        watch.spans[window.span].load.as_ref().filter(|_| watch.carries_load(&self.place.name))
    }

    /// Returns the totals of each phase, weighting intervals by their overlap.
    pub fn sums(&self, watch: &WatchedRun<'_>) -> Vec<Sum> {
        let sum = |span: &Span<'_>| {
            let first = self.ticks.partition_point(|tick| tick.to <= span.from);
            let mut sum = Sum::default();
            for tick in self.ticks[first..].iter().take_while(|tick| tick.from < span.to) {
                sum.add(tick, share_within((tick.from, tick.to), (span.from, span.to)));
            }
            sum
        };
        watch.spans.iter().map(sum).collect()
    }

    /// Drops the intervals unless a contract is judged by them: a day of them for every device takes much memory.
    pub fn keep_for_the_contract(&mut self, watch: &WatchedRun<'_>) {
        if watch.claims.is_empty() || !watch.passive() {
            self.ticks = Vec::new();
        }
    }

    /// Returns what was learned about the device.
    pub fn learned(&self) -> WatchedDevice {
        WatchedDevice {
            place: self.place.clone(),
            base_latency_ns: self.base.both.map(|seconds| seconds * 1e9),
            cap: self.cap,
            timed: self.node.is_none_or(|node| node.timed),
        }
    }
}
