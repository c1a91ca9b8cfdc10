//! A device's intervals cut into windows, and what a rule wants to know of one.

use workload::Nanos;

use super::scene::Scene;
use super::ticks::{Moment, Sum, Tick};

/// Length of a window (methodology 3.2).
const WINDOW: Nanos = Nanos::from_secs(30);
/// Fewest intervals of a window where nothing tells when a load began and ended.
const FEWEST: usize = 20;
/// Counts whose variance is below this share of their mean are those of a meter (methodology 3.2, R3, and stricter: those
/// of a queue of constant length on a device of even latency come near a tenth).
const FLAT: f64 = 0.05;
/// From so many counts on the median deviation tells as well, which a slice that now and then falls into the next second
/// does not disturb.
const MEDIAN_FROM: usize = 20;
/// Standard deviations in a median absolute deviation of normal values.
const DEVIATION: f64 = 1.4826;
/// Fewest counts that can be called flat: of eight random ones one in a thousand windows would be.
const FLAT_FEWEST: usize = 8;
/// One count in so many may be off: a slice of a meter falls now into one second and now into its neighbour.
const ODD_ONE_IN: usize = 15;

/// One window of one device.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    /// Place of its phase in the scene.
    pub span: usize,
    pub from: Nanos,
    pub to: Nanos,
    /// First and one past the last of its ticks.
    pub ticks: (usize, usize),
    pub sum: Sum,
    /// Share of its intervals at whose end nothing was in flight, and at most one request; where nobody counts these, the
    /// share of the time in which the device was not busy, and NaN.
    pub idle: f64,
    pub alone: f64,
    pub steal: f64,
    pub some: f64,
    pub full: f64,
    /// Mean of the tasks that waited for I/O.
    pub blocked: f64,
    pub iowait: f64,
}

impl Look {
    /// Number of intervals.
    pub fn count(&self) -> usize {
        self.ticks.1 - self.ticks.0
    }
}

/// An interval at an end of a window belongs to what was asked there only where it was busy for this share of it.
const FILLED: f64 = 0.9;

/// `look` without the intervals at its ends in which the asking began or was over; as it is where it was busy throughout.
pub(crate) fn without_idle_ends(scene: &Scene<'_>, ticks: &[Tick], look: &Look) -> Look {
    let (mut first, mut end) = look.ticks;
    while first < end && ticks[first].busy < FILLED {
        first += 1;
    }
    while end > first && (ticks[end - 1].busy < FILLED || ticks[end - 1].in_flight == 0.0) {
        end -= 1;
    }
    let whole = (first, end) == look.ticks || first == end;
    if whole { look.clone() } else { self::look(scene, ticks, (first, end), look.span) }
}

/// The windows of a device: whole phases where they are short, else thirty seconds; of a watch without phases at least
/// twenty intervals.
pub(crate) fn looks(scene: &Scene<'_>, ticks: &[Tick]) -> Vec<Look> {
    let gaps = scene.recording.gaps();
    let mut looks = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for (at, tick) in ticks.iter().enumerate() {
        let gap = gaps.binary_search(&(tick.from, tick.to)).is_ok();
        let span = scene.span_at(tick.from, tick.to).filter(|_| !gap);
        let torn = at > 0 && ticks[at - 1].to != tick.from;
        if let Some((first, of)) = open
            && (span != Some(of) || torn || full(scene, ticks, (first, at), of))
        {
            looks.push(look(scene, ticks, (first, at), of));
            open = None;
        }
        open = open.or(span.map(|of| (at, of)));
    }
    if let Some((first, of)) = open {
        looks.push(look(scene, ticks, (first, ticks.len()), of));
    }
    looks
}

/// Whether the window is long enough, and what is left of its phase is enough for another.
fn full(scene: &Scene<'_>, ticks: &[Tick], (first, end): (usize, usize), of: usize) -> bool {
    let long = ticks[end - 1].to.since(ticks[first].from) >= WINDOW;
    let span = &scene.spans[of];
    let left = span.to.since(ticks[end - 1].to);
    long && left >= WINDOW / 2 && (end - first >= FEWEST || span.step.is_some())
}

fn look(scene: &Scene<'_>, ticks: &[Tick], (first, end): (usize, usize), span: usize) -> Look {
    let within = &ticks[first..end];
    let mut sum = Sum::default();
    within.iter().for_each(|tick| sum.add(tick, 1.0));
    let count = within.len() as f64;
    let share = |test: &dyn Fn(&Tick) -> bool| within.iter().filter(|tick| test(tick)).count() as f64 / count;
    let seen = within.iter().all(|tick| tick.in_flight.is_finite());
    let mean =
        |of: fn(&Moment) -> f64| within.iter().map(|tick| of(&scene.moments[tick.at])).sum::<f64>() / count;
    Look {
        span,
        from: ticks[first].from,
        to: ticks[end - 1].to,
        ticks: (first, end),
        sum,
        idle: if seen { share(&|tick| tick.in_flight == 0.0) } else { 1.0 - sum.mean_busy() },
        alone: if seen { share(&|tick| tick.in_flight <= 1.0) } else { f64::NAN },
        steal: mean(|moment| moment.steal),
        some: mean(|moment| moment.some),
        full: mean(|moment| moment.full),
        blocked: mean(|moment| moment.blocked),
        iowait: mean(|moment| moment.iowait),
    }
}

/// Which figure of an interval: `0` reads, `1` writes, `2` both.
pub(crate) fn counts(ticks: &[Tick], way: usize) -> Vec<f64> {
    let usual = ticks.iter().map(|tick| tick.seconds).sum::<f64>() / ticks.len().max(1) as f64;
    let count = |tick: &Tick| if way < 2 { tick.ops[way] } else { tick.all() };
    // A reading that came late counts more: as a rate it does not.
    ticks.iter().map(|tick| count(tick) / tick.seconds * usual).collect()
}

/// Variance over mean of counts, the odd ones left out; `None` where they are too few.
pub(crate) fn fano(counts: &[f64]) -> Option<f64> {
    if counts.len() < FLAT_FEWEST {
        return None;
    }
    let middle = statistics::quantile::median(counts)?;
    let mut kept = counts.to_vec();
    kept.sort_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs()));
    kept.truncate(kept.len() - kept.len().div_ceil(ODD_ONE_IN));
    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
    let variance = kept.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / (kept.len() - 1) as f64;
    let robust = match counts.len() >= MEDIAN_FROM {
        true => (DEVIATION * statistics::quantile::median_absolute_deviation(counts)?).powi(2),
        false => variance,
    };
    (mean > 0.0).then(|| variance.min(robust) / mean)
}

/// Whether counts are those of a meter.
pub(crate) fn flat(counts: &[f64]) -> bool {
    fano(counts).is_some_and(|fano| fano < FLAT)
}

/// What a device takes for an I/O when hardly anything waits, seconds: reads, writes, both.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Base {
    pub ways: [Option<f64>; 3],
}

/// Below this queue while there is work nothing waits for long (methodology 3.1).
const UNQUEUED: f64 = 1.5;
/// The share of intervals that were faster.
const FASTEST: f64 = 0.05;
/// An interval with fewer I/Os says little: times are kept in milliseconds.
const ENOUGH: f64 = 10.0;

/// The least latency that each interval shows, at its 5th percentile, among those with hardly a queue (methodology 3.1).
///
/// The queue is that of the time with work: in the interval in which a deep queue runs empty its mean is small, and what is
/// done in it has waited. For the same reason the intervals at the ends of a load of our own (`edges`, ascending) say nothing.
pub(crate) fn base(ticks: &[Tick], edges: &[Nanos]) -> Base {
    let at_an_edge = |tick: &Tick| {
        let next = edges.partition_point(|edge| *edge < tick.from);
        edges.get(next).is_some_and(|edge| *edge <= tick.to)
    };
    let calm = |tick: &&Tick| tick.queue < UNQUEUED * tick.busy.min(1.0) && !at_an_edge(tick);
    let quiet = || ticks.iter().filter(calm);
    let of = |ops: &dyn Fn(&Tick) -> f64, wait: &dyn Fn(&Tick) -> f64| {
        let enough = quiet().filter(|tick| ops(tick) >= ENOUGH).map(|tick| wait(tick) / ops(tick));
        let mut each: Vec<f64> = enough.filter(|value| value.is_finite() && *value > 0.0).collect();
        if each.is_empty() {
            let sums = quiet().fold((0.0, 0.0), |sum, tick| (sum.0 + ops(tick), sum.1 + wait(tick)));
            return (sums.0 >= ENOUGH && sums.1 > 0.0).then(|| sums.1 / sums.0);
        }
        let place = ((each.len() - 1) as f64 * FASTEST) as usize;
        Some(*each.select_nth_unstable_by(place, f64::total_cmp).1)
    };
    Base {
        ways: [
            of(&|tick| tick.ops[0], &|tick| tick.wait[0]),
            of(&|tick| tick.ops[1], &|tick| tick.wait[1]),
            of(&Tick::all, &Tick::all_wait),
        ],
    }
}
