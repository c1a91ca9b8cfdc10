//! A device's intervals, cut into windows where its activity changes, with the figures that rules need.

use std::ops::{Range, RangeInclusive};

use workload::Nanos;

use super::ticks::{Moment, Sum, Tick};
use super::timeline;
use super::watched_run::WatchedRun;

/// Mean queue of a program that always has one I/O in flight (R2).
pub(crate) const ALONE: RangeInclusive<f64> = 0.8..=1.2;
/// Share of the time above which a device with one I/O at a time is busy (R2).
const SERIAL_BUSY: f64 = 0.8;
/// Least share of intervals that end with at most one request in flight (R2).
const AT_MOST_ONE: f64 = 0.95;
/// Fewest intervals from which one I/O at a time is concluded.
const SERIAL_FEWEST: usize = 5;
/// Operations per second below which a device is not in use.
pub(crate) const USED: f64 = 5.0;

/// One window of one device.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    /// Index of the window's phase in the watch.
    pub span: usize,
    pub from: Nanos,
    pub to: Nanos,
    /// Indices of the window's ticks; never empty.
    pub ticks: Range<usize>,
    pub sum: Sum,
    /// Share of the intervals that end with at most one request in flight; NaN if requests in flight are not counted.
    pub alone: f64,
    pub steal: f64,
    /// Share of the time in which some task of the machine waited for I/O; NaN if not recorded.
    pub waited: f64,
    /// Share of the CPUs' time in which they did nothing; NaN if not recorded.
    pub rests: f64,
    /// Mean bytes of memory waiting to be written, including those being written; `writeback`: the latter alone.
    pub dirty: f64,
    pub writeback: f64,
}

impl Window {
    /// Returns the number of intervals.
    pub fn count(&self) -> usize {
        self.ticks.len()
    }

    /// Whether nearly always exactly one I/O was in flight.
    pub fn is_serial(&self) -> bool {
        ALONE.contains(&self.sum.mean_queue())
            && self.sum.mean_busy() > SERIAL_BUSY
            && (self.alone.is_nan() || self.alone >= AT_MOST_ONE)
            && self.sum.rate() >= USED
            && self.count() >= SERIAL_FEWEST
    }
}

/// Least busy share of an interval at an end of a window for it to belong to the window.
pub(crate) const FILLED: f64 = 0.9;

/// Returns `window` without the intervals at its ends in which the load began or ended; unchanged if it was busy
/// throughout.
pub(crate) fn without_idle_ends(watch: &WatchedRun<'_>, ticks: &[Tick], window: &Window) -> Window {
    let Range { start: mut first, mut end } = window.ticks;
    while first < end && ticks[first].busy < FILLED {
        first += 1;
    }
    while end > first && (ticks[end - 1].busy < FILLED || ticks[end - 1].in_flight == 0.0) {
        end -= 1;
    }
    let whole = (first..end) == window.ticks || first == end;
    if whole { window.clone() } else { self::window(watch, ticks, first..end, window.span) }
}

/// Returns the windows of a device: its readings cut where a phase ends, where samples are missing, and where its
/// activity changes.
pub(crate) fn windows(watch: &WatchedRun<'_>, ticks: &[Tick]) -> Vec<Window> {
    let mut windows = Vec::new();
    for (run, span) in runs(watch, ticks) {
        let mut starts = timeline::starts(&ticks[run.clone()]);
        starts.push(run.len());
        let each = starts.windows(2).map(|pair| run.start + pair[0]..run.start + pair[1]);
        windows.extend(each.map(|places| window(watch, ticks, places, span)));
    }
    let apart = |pair: &[Window]| pair[0].ticks.end <= pair[1].ticks.start;
    assert!(windows.windows(2).all(apart), "no interval lies in two windows");
    windows
}

/// Returns the runs of adjoining readings within one phase, each with the index of the phase.
fn runs(watch: &WatchedRun<'_>, ticks: &[Tick]) -> Vec<(Range<usize>, usize)> {
    let gaps = watch.recording.gaps();
    let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
    for (at, tick) in ticks.iter().enumerate() {
        let gap = gaps.binary_search(&(tick.from, tick.to)).is_ok();
        let Some(span) = watch.span_at(tick.from, tick.to).filter(|_| !gap) else { continue };
        match runs.last_mut() {
            Some((run, of)) if run.end == at && *of == span && ticks[at - 1].to == tick.from => {
                run.end = at + 1
            }
            _ => runs.push((at..at + 1, span)),
        }
    }
    runs
}

fn window(watch: &WatchedRun<'_>, ticks: &[Tick], places: Range<usize>, span: usize) -> Window {
    let within = &ticks[places.clone()];
    assert!(!within.is_empty() && span < watch.spans.len(), "a window has intervals of a phase");
    let (first, last) = (&within[0], &within[within.len() - 1]);
    let mut sum = Sum::default();
    within.iter().for_each(|tick| sum.add(tick, 1.0));
    let count = within.len() as f64;
    let share = |test: &dyn Fn(&Tick) -> bool| within.iter().filter(|tick| test(tick)).count() as f64 / count;
    let seen = within.iter().all(|tick| tick.in_flight.is_finite());
    let mean =
        |of: fn(&Moment) -> f64| within.iter().map(|tick| of(&watch.moments[tick.at])).sum::<f64>() / count;
    Window {
        span,
        from: first.from,
        to: last.to,
        ticks: places,
        sum,
        alone: if seen { share(&|tick| tick.in_flight <= 1.0) } else { f64::NAN },
        steal: mean(|moment| moment.steal),
        waited: mean(|moment| moment.some),
        rests: mean(|moment| moment.idle + moment.iowait),
        dirty: mean(|moment| moment.dirty + moment.writeback),
        writeback: mean(|moment| moment.writeback),
    }
}
