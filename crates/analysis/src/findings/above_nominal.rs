//! A load that asks for more than it gets (method 12.4): the rate stays level, and the wait moves into the queue.

use std::cmp::Ordering;

use policy::Resource;
use record::StepRecord;
use serde::{Deserialize, Serialize};
use statistics::metered::metered;
use statistics::quantile::median;
use workload::Direction;

use crate::device_place::Place;
use crate::finding::{Confidence, Evidence, FindingOf, Kind, Nature, highest};
use crate::watch::contracted::claimed_rate;
use crate::watch::counts::of_seconds;
use crate::watch::level::{MeteredQuantity, confidence, level, level_of_one, local};
use crate::watch::load::seconds_of;
use crate::watch::shape::{Level, LevelOrigin, LoadFigures, LoadFlow, Waiting};
use crate::watch::ticks::Way;
use crate::watch::watched_run::{Span, WatchedRun, place};

/// Share of its requested rate below which a direction is throttled.
const GETS: f64 = 0.97;
/// Least mean lateness, in nanoseconds, of the I/Os of a load that gets nearly its requested rate but falls behind.
const LATE_NS: f64 = 10e6;
/// Least multiple of the lateness at the nominal rate for such a load: the wait grows from second to second.
const LATE_TIMES: f64 = 4.0;
/// Share of their median within which the few seconds of a throttled phase agree.
const AGREE: f64 = 0.05;
/// Share of their median within which the few seconds of a direction agree that may get less only because of the other.
const AGREE_SHARED: f64 = 0.01;
/// Fewest seconds from which a variance is taken.
const FEW: usize = 8;
/// Fewest seconds that agree otherwise than by chance.
const FEWEST: usize = 3;
/// Share of its requested rate below which a paced load lacks more than is lost at the edges of its seconds.
const EDGE: f64 = 0.999;
/// Least bytes of a request for bytes to be the limit if only a round figure shows that.
const LARGE: f64 = 48.0 * 1024.0;
/// Least factor by which the wait must grow.
const GROWS: f64 = 2.0;
/// Share within which the rates of phases are one level.
const SAME: f64 = 0.03;
/// Share of the time for which a worker was ready but not running above which the worker was the limit. A worker that
/// lacked some CPU and yet had an even rate was not: its rate would be uneven.
const STARVED: f64 = 0.5;

/// A load whose rate stays level at `scale` times the nominal rate and above, while the wait moves into the queue.
/// `bytes`: the level is in bytes per second; `pulled`: this direction gets less only because it shares the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThrottledAboveNominal {
    pub device: Place,
    pub scale: f64,
    pub level: Level,
    pub waiting: Waiting,
    pub claimed: Option<f64>,
    pub bytes: bool,
    pub pulled: Option<Direction>,
}

impl Kind for ThrottledAboveNominal {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 3, device: highest(&self.device), badness: None, doubt: None, level: true }
    }
}

/// Returns the throttle that the load reaches above its nominal rate, and the indices of the phases that show it.
pub(super) fn rule(watch: &WatchedRun<'_>) -> (Option<FindingOf<ThrottledAboveNominal>>, Vec<usize>) {
    let held: Vec<usize> = (0..watch.spans.len()).filter(|&at| is_held(watch, &watch.spans[at])).collect();
    let found = throttled(watch, &held);
    let taken = if found.is_some() { held } else { Vec::new() };
    (found, taken)
}

/// Whether a phase asks for more than its nominal rate and gets less than it asks for, at an even rate.
fn is_held(watch: &WatchedRun<'_>, span: &Span<'_>) -> bool {
    let (Some(load), Some(step)) = (&span.load, span.step) else { return false };
    let over = load.scale.is_some_and(|scale| scale > 1.0 + 1e-9);
    over && (lacks(&load.all) || late(watch, load)) && steady(step) && !starved(step)
}

fn lacks(flow: &LoadFlow) -> bool {
    less(flow.asked, flow.got.map(|got| got.value))
}

/// Whether a load falls behind although it gets nearly its requested rate.
fn late(watch: &WatchedRun<'_>, load: &LoadFigures) -> bool {
    let mean = |load: &LoadFigures| load.all.due.mean_ns.unwrap_or(f64::NAN);
    let nominal = watch.spans.iter().filter_map(|span| span.load.as_ref());
    let usual = nominal.filter(|load| load.scale.is_some_and(|scale| scale <= 1.0 + 1e-9)).map(mean);
    let usual = usual.fold(f64::NAN, f64::max);
    behind(&load.all) && mean(load) >= LATE_NS && mean(load) >= LATE_TIMES * usual
}

fn behind(flow: &LoadFlow) -> bool {
    flow.asked.zip(flow.got).is_some_and(|(asked, got)| got.value < EDGE * asked)
}

fn less(asked: Option<f64>, got: Option<f64>) -> bool {
    asked.zip(got).is_some_and(|(asked, got)| got < GETS * asked)
}

/// Whether the counts come from a meter: of both directions together, or of one.
fn steady(step: &StepRecord) -> bool {
    [None, Some(Direction::Read), Some(Direction::Write)]
        .into_iter()
        .any(|way| even(&seconds_of(step, way), AGREE))
}

/// Whether there are at least three seconds of which all but one are within `share` of their median.
fn agree(rates: &[f64], share: f64) -> bool {
    let Some(middle) = median(rates).filter(|middle| *middle > 0.0) else {
        return false;
    };
    let off = rates.iter().filter(|rate| (*rate / middle - 1.0).abs() > share).count();
    rates.len() >= FEWEST && off <= 1
}

fn starved(step: &StepRecord) -> bool {
    let wall = step.ended.since(step.counted_from).0 as f64;
    step.workers.iter().any(|worker| worker.run_delay_ns as f64 > STARVED * wall)
}

/// Phases in which the load is throttled.
struct Phases<'w> {
    spans: Vec<&'w Span<'w>>,
    /// The device that the load goes to.
    device: Place,
    /// Whether its reads and its writes ask for more than they get.
    asks: [bool; 2],
}

fn throttled(watch: &WatchedRun<'_>, held: &[usize]) -> Option<FindingOf<ThrottledAboveNominal>> {
    let spans: Vec<&Span<'_>> = held.iter().map(|&at| &watch.spans[at]).collect();
    let loads: Vec<&LoadFigures> = spans.iter().filter_map(|span| span.load.as_ref()).collect();
    let device = watch.load_device.as_deref().map_or_else(|| target(watch), |name| place(watch.run, name));
    let asks = [Direction::Read, Direction::Write].map(|way| asks_more(watch, &loads, way));
    let phases = Phases { spans, device, asks };
    let of = |what: Resource| level_of(watch, &phases, what);
    let (bytes, level) = held_by(of(Resource::Iops)?, of(Resource::Bytes)?, size(&phases.spans));
    let pulled = match (level.read.is_some(), level.write.is_some()) {
        (true, false) if asks[1] => Some(Direction::Write),
        (false, true) if asks[0] => Some(Direction::Read),
        _ => None,
    };
    let waiting = waiting(watch, &loads)?;
    let grown = waiting.usual_latency_ns.is_none_or(|usual| waiting.latency_ns >= GROWS * usual);
    let sure = match confidence(level.named.as_ref()) {
        Confidence::Possible if stays(&loads) => Confidence::Likely,
        named => named,
    };
    // A claim on both directions does not apply to the level of one, nor a claim on operations to bytes.
    let claimed = claimed_rate(&watch.claims).filter(|_| !bytes && pulled.is_none());
    let scale = loads.iter().filter_map(|load| load.scale).fold(f64::INFINITY, f64::min);
    let Phases { spans, device, .. } = phases;
    let meaning = ThrottledAboveNominal { device, scale, level, waiting, claimed, bytes, pulled };
    let evidence = spans.iter().map(|span| evidence(span)).collect();
    grown.then_some(FindingOf { meaning, evidence, confidence: sure })
}

/// Whether all of these loads ask for more of a direction than they get.
fn asks_more(watch: &WatchedRun<'_>, loads: &[&LoadFigures], way: Direction) -> bool {
    let short = |load: &LoadFigures, flow: &LoadFlow| lacks(flow) || behind(flow) && late(watch, load);
    let mut flows = loads.iter().filter_map(|load| Some((load, of_way(load, way)?))).peekable();
    flows.peek().is_some() && flows.all(|(load, flow)| short(load, flow))
}

/// Returns the level of these phases in operations or bytes, with the directions that are throttled themselves: those
/// that ask for more and are even, or are at a limit of this machine. A direction that is not throttled itself but
/// shares the queue with one that is gets less too, and unevenly.
fn level_of(watch: &WatchedRun<'_>, phases: &Phases<'_>, what: Resource) -> Option<Level> {
    let Phases { spans, device, asks } = phases;
    let steps = || spans.iter().filter_map(|span| span.step);
    let even_one = |way: Way| steps().all(|step| even(&seconds_of(step, way.direction()), AGREE_SHARED));
    let rates = Way::ALL.map(|way| rates_of(spans, way, what));
    let held = |way: Way| match way {
        Way::Both => true,
        Way::Read | Way::Write => {
            let at = way as usize;
            let limited = |level: Level| local(watch, device, &level, what).is_some();
            asks[at] && (even_one(way) || level_of_one(way, &rates[at]).is_some_and(limited))
        }
    };
    let each = Way::ALL.map(|way| held(way).then_some(&rates[way as usize][..]));
    level(watch, device, each, MeteredQuantity { what, size: size(spans) })
}

fn of_way(load: &LoadFigures, way: Direction) -> Option<&LoadFlow> {
    if way == Direction::Read { load.read.as_ref() } else { load.write.as_ref() }
}

/// Whether the seconds of a phase come from a meter; if they are too few for a variance, all but one must be within
/// `share` of their median.
fn even(rates: &[f64], share: f64) -> bool {
    rates.len() < FEW && agree(rates, share) || metered(&[of_seconds(rates)]).if_waiting
}

/// Returns the rate in each second of these phases: operations, or their bytes.
fn rates_of(spans: &[&Span<'_>], way: Way, what: Resource) -> Vec<f64> {
    let of_step = |step: &StepRecord| {
        let each = if what == Resource::Iops { 1.0 } else { mean_size([step].into_iter(), way) };
        let usual = of_seconds(&seconds_of(step, way.direction())).usual_rates();
        usual.into_iter().map(move |rate| rate * each).collect::<Vec<f64>>()
    };
    spans.iter().filter_map(|span| span.step).flat_map(of_step).collect()
}

/// Returns the mean bytes of an I/O.
fn mean_size<'r>(steps: impl Iterator<Item = &'r StepRecord>, way: Way) -> f64 {
    let ways = way.direction().map_or(vec![Direction::Read, Direction::Write], |way| vec![way]);
    let tallies = steps.flat_map(|step| ways.iter().map(|&way| step.tally(way)));
    let (ops, bytes) = tallies.fold((0, 0), |sum, tally| (sum.0 + tally.ops, sum.1 + tally.bytes));
    bytes as f64 / ops.max(1) as f64
}

/// Chooses bytes (`true`) or operations: whichever is at the better known figure; if neither is, by the request size.
fn held_by(operations: Level, bytes: Level, size: f64) -> (bool, Level) {
    let known = |level: &Level| match level.named {
        Some(LevelOrigin::Local(_)) => 4,
        Some(LevelOrigin::Policy { declared: true, .. }) => 3,
        Some(LevelOrigin::Policy { .. }) => 2,
        Some(LevelOrigin::Round { .. }) => 1,
        None => 0,
    };
    let (of_operations, of_bytes) = (known(&operations), known(&bytes));
    let by_bytes = match of_bytes.cmp(&of_operations) {
        Ordering::Less => false,
        Ordering::Equal => size >= 2.0 * LARGE,
        Ordering::Greater => of_bytes > 2 || size >= LARGE,
    };
    if by_bytes { (true, bytes) } else { (false, operations) }
}

/// Whether the rate stays level although more and more is asked for.
fn stays(loads: &[&LoadFigures]) -> bool {
    let rates: Vec<f64> = loads.iter().filter_map(|load| load.all.got).map(|got| got.value).collect();
    let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let most = rates.iter().copied().fold(0.0, f64::max);
    rates.len() > 1 && most <= (1.0 + SAME) * least
}

/// Returns the target as a place, for lack of a sampled device.
fn target(watch: &WatchedRun<'_>) -> Place {
    let words = watch.run.target.as_ref().map_or(String::new(), |target| target.words.clone());
    Place { name: if words.is_empty() { "the volume".to_owned() } else { words }, ..Place::default() }
}

fn size(spans: &[&Span<'_>]) -> f64 {
    mean_size(spans.iter().filter_map(|span| span.step), Way::Both)
}

/// Returns the load's own queue and latency after issue, in the mean of the throttled phases, beside those of the
/// highest rate that is not throttled.
fn waiting(watch: &WatchedRun<'_>, held: &[&LoadFigures]) -> Option<Waiting> {
    let issued = |load: &LoadFigures| load.all.issued.mean_ns;
    let count = held.len() as f64;
    let usual = watch
        .spans
        .iter()
        .filter_map(|span| span.load.as_ref())
        .filter(|load| load.scale.is_some_and(|scale| scale <= 1.0 + 1e-9))
        .filter(|load| !lacks(&load.all))
        .max_by(|a, b| a.scale.unwrap_or(0.0).total_cmp(&b.scale.unwrap_or(0.0)));
    (count > 0.0).then(|| Waiting {
        queue: held.iter().map(|load| load.in_flight).sum::<f64>() / count,
        latency_ns: held.iter().filter_map(|load| issued(load)).sum::<f64>() / count,
        usual_queue: usual.map(|load| load.in_flight),
        usual_latency_ns: usual.and_then(issued),
    })
}

fn evidence(span: &Span<'_>) -> Evidence {
    Evidence { step: span.name.to_owned(), series: "rate".to_owned(), from: span.from, to: span.to }
}
