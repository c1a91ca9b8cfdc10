//! A load that asks for more than it gets (E4): the rate stays at a level, and the wait moves into the queue.

use record::StepRecord;
use workload::Direction;

use super::level::{What, at_a_limit, confidence, level};
use super::load::{load_figures, seconds_of};
use super::looks::flat;
use super::scene::{Scene, Span, place};
use super::shape::{Level, LoadFigures, LoadFlow, Named, Place, SeriesRow, Waiting};
use crate::{Confidence, Evidence, Finding, Meaning};

/// A direction that gets less than this share of what it asks for is held.
const GETS: f64 = 0.97;
/// A load that lacks less than that is held where its I/Os come so late in the mean, in nanoseconds,
const LATE_NS: f64 = 10e6;
/// and so many times as late as at its nominal rate: the wait grows from second to second.
const LATE_TIMES: f64 = 4.0;
/// The few seconds of a phase that gets less than it asks for agree within this share of their median,
const AGREE: f64 = 0.05;
/// and within this those of a direction that may get less only because it shares the queue with the other.
const AGREE_SHARED: f64 = 0.01;
/// What a load with a pace lacks by the edges of its seconds.
const EDGE: f64 = 0.999;
/// Requests from here on may be held by their bytes where nothing but a round figure tells.
const LARGE: f64 = 48.0 * 1024.0;
/// The wait grows by at least this much.
const GROWS: f64 = 2.0;
/// Phases whose rates are within this share of each other are held at one level.
const SAME: f64 = 0.03;
/// A worker that was ready but not running for this share of the time was itself the limit. One that lacked some CPU and
/// yet gets an even rate is not: it would get an uneven one.
const STARVED: f64 = 0.5;

/// Load phases by rising share of the nominal rate, repeats taken together.
pub(crate) fn series(scene: &Scene<'_>, bound_ns: Option<u64>) -> Vec<SeriesRow> {
    let scale = |span: &Span<'_>| span.load.as_ref().and_then(|load| load.scale);
    let mut scales: Vec<f64> = scene.spans.iter().filter_map(scale).collect();
    scales.sort_by(f64::total_cmp);
    scales.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let of = |wanted: f64| {
        let spans = || {
            scene.spans.iter().filter(move |span| scale(span).is_some_and(|is| (is - wanted).abs() < 1e-9))
        };
        let steps: Vec<&StepRecord> = spans().filter_map(|span| span.step).collect();
        let load = load_figures(&steps, Some(wanted), bound_ns)?;
        let phases = spans().map(|span| span.name.to_owned()).collect();
        Some(SeriesRow {
            scale: wanted,
            phases,
            load,
            queue: None,
            await_ns: None,
            queue_growth: None,
            latency_growth: None,
        })
    };
    let mut rows: Vec<SeriesRow> = scales.into_iter().filter_map(of).collect();
    if let Some(nominal) = rows.iter().find(|row| (row.scale - 1.0).abs() < 1e-9).map(|row| row.load.clone())
    {
        for row in &mut rows {
            row.queue_growth = ratio(row.load.in_flight, nominal.in_flight);
            let mean = |load: &LoadFigures| load.all.issued.mean_ns.unwrap_or(f64::NAN);
            row.latency_growth = ratio(mean(&row.load), mean(&nominal));
        }
    }
    rows
}

fn ratio(now: f64, then: f64) -> Option<f64> {
    super::ticks::known(now / then).filter(|_| then > 0.0)
}

/// The throttle that the load runs into above its nominal rate, and the places of the phases that show it.
pub(crate) fn throttled(scene: &Scene<'_>) -> (Option<Finding>, Vec<usize>) {
    let held: Vec<usize> = (0..scene.spans.len()).filter(|&at| is_held(scene, &scene.spans[at])).collect();
    let finding = finding(scene, &held);
    let taken = if finding.is_some() { held } else { Vec::new() };
    (finding, taken)
}

/// Whether a phase asks for more than its nominal rate, gets less than it asks for, and that at an even rate.
fn is_held(scene: &Scene<'_>, span: &Span<'_>) -> bool {
    let (Some(load), Some(step)) = (&span.load, span.step) else { return false };
    let over = load.scale.is_some_and(|scale| scale > 1.0 + 1e-9);
    over && (lacks(&load.all) || late(scene, load)) && steady(step) && !starved(step)
}

fn lacks(flow: &LoadFlow) -> bool {
    less(flow.asked, flow.got.map(|got| got.value))
}

/// Whether a load falls behind although it gets nearly what it asks for.
fn late(scene: &Scene<'_>, load: &LoadFigures) -> bool {
    let mean = |load: &LoadFigures| load.all.due.mean_ns.unwrap_or(f64::NAN);
    let nominal = scene.spans.iter().filter_map(|span| span.load.as_ref());
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

/// The counts of a meter: of both directions together, or of one.
fn steady(step: &StepRecord) -> bool {
    [None, Some(Direction::Read), Some(Direction::Write)]
        .into_iter()
        .any(|way| even(&seconds_of(step, way), AGREE))
}

/// At least three seconds, all but one within `share` of their median.
fn agree(rates: &[f64], share: f64) -> bool {
    let Some(middle) = statistics::quantile::median(rates).filter(|middle| *middle > 0.0) else {
        return false;
    };
    let off = rates.iter().filter(|rate| (*rate / middle - 1.0).abs() > share).count();
    rates.len() >= 3 && off <= 1
}

fn starved(step: &StepRecord) -> bool {
    let wall = step.ended.since(step.counted_from).0 as f64;
    step.workers.iter().any(|worker| worker.run_delay_ns as f64 > STARVED * wall)
}

fn finding(scene: &Scene<'_>, held: &[usize]) -> Option<Finding> {
    let spans: Vec<&Span<'_>> = held.iter().map(|&at| &scene.spans[at]).collect();
    let loads: Vec<&LoadFigures> = spans.iter().filter_map(|span| span.load.as_ref()).collect();
    let scale = loads.iter().filter_map(|load| load.scale).fold(f64::INFINITY, f64::min);
    let device = scene.load_device.as_deref().map_or_else(|| target(scene), |name| place(scene.run, name));
    let asks = |way: Direction| {
        let short = |load: &&LoadFigures| {
            of_way(load, way).map(|flow| lacks(flow) || behind(flow) && late(scene, load))
        };
        let each: Vec<bool> = loads.iter().filter_map(short).collect();
        !each.is_empty() && each.iter().all(|short| *short)
    };
    let asked = [Direction::Read, Direction::Write].map(asks);
    let rates = |what: What| -> [Vec<f64>; 3] {
        [Some(Direction::Read), Some(Direction::Write), None].map(|way| rates_of(&spans, way, what))
    };
    // A direction that is not held itself but shares the queue with one that is gets less too, and unevenly.
    let flat_one = |way: Direction| {
        spans.iter().filter_map(|span| span.step).all(|step| even(&seconds_of(step, Some(way)), AGREE_SHARED))
    };
    let flat = [Direction::Read, Direction::Write].map(flat_one);
    let of = |what: What| {
        let [read, write, all] = rates(what);
        let held = |at: usize, rates: &[f64]| {
            asked[at] && (flat[at] || at_a_limit(scene, &device, (at, what), rates))
        };
        let (reads, writes) = (held(0, &read), held(1, &write));
        let held = [reads.then_some(&read[..]), writes.then_some(&write[..]), Some(&all[..])];
        level(scene, &device, held, (what, size(&spans)))
    };
    let (bytes, level) = held_by(of(What::Operations)?, of(What::Bytes)?, size(&spans));
    let pulled = match (level.read.is_some(), level.write.is_some()) {
        (true, false) if asked[1] => Some(Direction::Write),
        (false, true) if asked[0] => Some(Direction::Read),
        _ => None,
    };
    let waiting = waiting(scene, &loads)?;
    let grown = waiting.usual_latency_ns.is_none_or(|usual| waiting.latency_ns >= GROWS * usual);
    let sure = match confidence(level.named.as_ref()) {
        Confidence::Possible if stays(&loads) => Confidence::Likely,
        named => named,
    };
    let claimed = claimed(scene);
    // A claim of both directions says nothing beside the level of one, nor one on operations beside bytes.
    let claimed = claimed.filter(|_| !bytes && pulled.is_none());
    let meaning = Meaning::ThrottledAboveNominal { device, scale, level, waiting, claimed, bytes, pulled };
    grown.then(|| Finding {
        meaning,
        evidence: spans.iter().map(|span| evidence(span)).collect(),
        confidence: sure,
    })
}

fn of_way(load: &LoadFigures, way: Direction) -> Option<&LoadFlow> {
    if way == Direction::Read { load.read.as_ref() } else { load.write.as_ref() }
}

/// Whether a phase's seconds are those of a meter; where they are too few for a variance, all but one within `share` of their
/// median.
fn even(rates: &[f64], share: f64) -> bool {
    rates.len() < 8 && agree(rates, share) || flat(rates)
}

/// What is got in each second of these phases: operations, or the bytes of them.
fn rates_of(spans: &[&Span<'_>], way: Option<Direction>, what: What) -> Vec<f64> {
    let of_step = |step: &StepRecord| {
        let ways = way.map_or(vec![Direction::Read, Direction::Write], |way| vec![way]);
        let (ops, bytes) = ways
            .iter()
            .map(|&way| step.tally(way))
            .fold((0, 0), |sum, tally| (sum.0 + tally.ops, sum.1 + tally.bytes));
        let each = if what == What::Operations { 1.0 } else { bytes as f64 / ops.max(1) as f64 };
        seconds_of(step, way).into_iter().map(move |rate| rate * each).collect::<Vec<f64>>()
    };
    spans.iter().filter_map(|span| span.step).flat_map(of_step).collect()
}

/// Bytes (`true`) or operations: whichever sits at the better known figure; where neither does, as the size has it.
fn held_by(operations: Level, bytes: Level, size: f64) -> (bool, Level) {
    let known = |level: &Level| match level.named {
        Some(Named::Local(_)) => 4,
        Some(Named::Policy { declared: true, .. }) => 3,
        Some(Named::Policy { .. }) => 2,
        Some(Named::Round { .. }) => 1,
        None => 0,
    };
    let (of_operations, of_bytes) = (known(&operations), known(&bytes));
    let by_bytes = match of_bytes.cmp(&of_operations) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => size >= 2.0 * LARGE,
        std::cmp::Ordering::Greater => of_bytes > 2 || size >= LARGE,
    };
    if by_bytes { (true, bytes) } else { (false, operations) }
}

/// The rate stays although more and more is asked for.
fn stays(loads: &[&LoadFigures]) -> bool {
    let rates: Vec<f64> = loads.iter().filter_map(|load| load.all.got).map(|got| got.value).collect();
    let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let most = rates.iter().copied().fold(0.0, f64::max);
    rates.len() > 1 && most <= (1.0 + SAME) * least
}

/// The target where no device of it was sampled.
fn target(scene: &Scene<'_>) -> Place {
    let words = scene.run.target.as_ref().map_or(String::new(), |target| target.words.clone());
    Place { name: if words.is_empty() { "the volume".to_owned() } else { words }, ..Place::default() }
}

fn size(spans: &[&Span<'_>]) -> f64 {
    let tallies = spans
        .iter()
        .filter_map(|span| span.step)
        .flat_map(|step| [Direction::Read, Direction::Write].map(|way| step.tally(way)));
    let (ops, bytes) = tallies.fold((0, 0), |sum, tally| (sum.0 + tally.ops, sum.1 + tally.bytes));
    bytes as f64 / ops.max(1) as f64
}

/// Our own queue and latency once issued, in the mean of the held phases, beside those of the highest rate that is not held.
fn waiting(scene: &Scene<'_>, held: &[&LoadFigures]) -> Option<Waiting> {
    let issued = |load: &LoadFigures| load.all.issued.mean_ns;
    let count = held.len() as f64;
    let usual = scene
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

/// The rate that is claimed of both directions together: by the words of the contract, else by the policy.
fn claimed(scene: &Scene<'_>) -> Option<f64> {
    super::contract::claimed_rate(scene)
}

fn evidence(span: &Span<'_>) -> Evidence {
    Evidence { step: span.name.to_owned(), series: "rate".to_owned(), from: span.from, to: span.to }
}
