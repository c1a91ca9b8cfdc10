//! Claims of a policy or an expectation, compared with measured figures, with the answer to each.

use policy::{Level, Limit, Limits, Load, Resource, UnitReading};
use record::{Run, StepRecord};
use statistics::distribution::binomial_cdf;
use workload::{BlockSizes, Bytes, Claim, ClaimedLoad, Direction, Expectation, Metric, Mix, Pace, StepKind};

use crate::credits::{self, CreditContext};
use crate::estimate::Estimate;
use crate::figures::{Figures, figures};
use crate::latency;
use crate::level::{FittedLevel, INTERVALS_MIN};
use crate::plateaus::{Cap, QUEUED, base_latency_ns, full_rungs};
use crate::points::point;
use crate::spent::{Consumption, spent};
use crate::step_figures::Point;
use crate::verdict::{Answer, ClaimRow, ClaimedFigure, Doubt, Quantity, Reading};

/// Share below a claim down to which a rate meets it, and above it beyond which a rate exceeds it (method 6.1).
pub(crate) const TOLERANCE: f64 = 0.03;
/// Block size that a claim on operations refers to if nothing was measured.
const SMALL: Bytes = Bytes::kib(4);

/// Seconds that a rate limited only by the load must last to meet a claim. A shorter step, ended because its bytes were
/// spent, may have filled a cache; a rung of a ladder that bytes do not cut lasts three seconds.
pub(crate) const LASTS_S: f64 = 2.0;

/// Source named by the claims of an expectation.
pub const EXPECTATION: &str = "expectation";

/// The measurement by which a claim is judged.
pub(crate) struct ClaimMeasurement<'f> {
    pub estimate: Estimate,
    /// The rate with the interval of its mean over the measured span, if the level did not wander.
    pub in_span: Option<Estimate>,
    pub point: Option<&'f Point>,
    /// Whether the rate was still rising at the deepest rung: more load might bring more.
    pub at_least: bool,
    /// Whether the rate varies over time by more than its noise explains.
    pub wanders: bool,
    /// Seconds of the longest step at this rate.
    pub lasted_s: f64,
    /// The rates of the intervals, in the unit of the estimate.
    pub rates: Vec<f64>,
    /// Share of the reads that a cache answered, and the rate with these; the estimate is without.
    pub cached: Option<(f64, f64)>,
}

impl<'f> ClaimMeasurement<'f> {
    /// Returns the measurement of one step.
    fn of(point: &'f Point, quantity: Quantity) -> ClaimMeasurement<'f> {
        let (estimate, times) = match quantity {
            Quantity::BytesPerSecond => {
                (point.bytes_per_second, point.bytes_per_second.value / point.iops.value)
            }
            _ => (point.iops, 1.0),
        };
        let rates = point.seen.moments.iter().flat_map(|(_, rates)| rates).map(|rate| rate * times).collect();
        let lasted_s = point.seconds;
        ClaimMeasurement {
            estimate,
            in_span: None,
            point: Some(point),
            at_least: false,
            wanders: false,
            lasted_s,
            rates,
            cached: None,
        }
    }
}

/// Returns whether a rate meets, exceeds or is below `claim`, if its interval decides that.
pub(crate) fn answer(measured: &Estimate, claim: f64) -> Answer {
    if measured.low > claim * (1.0 + TOLERANCE) {
        Answer::Exceeds
    } else if measured.low >= claim * (1.0 - TOLERANCE) {
        Answer::Meets
    } else if measured.high < claim * (1.0 - TOLERANCE) {
        Answer::Below
    } else {
        Answer::CannotTell
    }
}

/// Returns the answer if the source leaves open which of two figures applies. Each is judged by itself, so that the
/// choice of reading and the tolerance do not add up; if the answers differ, a rate that hits one of the figures
/// decides which applies.
fn answer_of_two(measured: &Estimate, value: f64, other: f64) -> Answer {
    let (first, second) = (answer(measured, value), answer(measured, other));
    let greater = if value >= other { first } else { second };
    let hits =
        |claim: f64| (measured.value / claim - 1.0).abs() <= HITS && measured.half_width() <= HITS * claim;
    match first == second {
        true => first,
        false if hits(value.max(other)) || hits(value.min(other)) => Answer::Meets,
        false if greater == Answer::Meets => Answer::Meets,
        false => Answer::CannotTell,
    }
}

/// Share within which a rate equals that of a reading: the two readings are 2.4 to 10 % apart.
const HITS: f64 = 0.01;

/// Returns the rows of a policy: operations at the smallest block and bytes at the largest, in each direction measured.
pub(crate) fn of_policy(figures: &Figures, limits: &Limits, spent: &Consumption) -> Vec<ClaimRow> {
    let directions = [Direction::Read, Direction::Write];
    let ops = directions.into_iter().filter_map(|direction| {
        let limit = least(limits, Resource::Iops, direction)?;
        Some(policy_row(limits, limit, small(figures, direction), ClaimContext { direction, figures, spent }))
    });
    let bytes = directions.into_iter().filter_map(|direction| {
        let limit = least(limits, Resource::Bytes, direction)?;
        Some(policy_row(limits, limit, large(figures, direction), ClaimContext { direction, figures, spent }))
    });
    ops.chain(bytes).collect()
}

struct ClaimContext<'f> {
    direction: Direction,
    figures: &'f Figures,
    spent: &'f Consumption,
}

fn least(limits: &Limits, resource: Resource, direction: Direction) -> Option<&Limit> {
    let covering = limits.limits.iter().filter(|l| l.resource == resource && l.direction.covers(direction));
    covering.min_by(|a, b| a.baseline.total_cmp(&b.baseline))
}

/// Returns the operations cap at the smallest block, since the last change.
fn small(figures: &Figures, direction: Direction) -> Option<ClaimMeasurement<'_>> {
    let delivered = figures.delivered_iops(direction)?;
    // A volume that got all that its meter lets through is known as well as the meter, whatever the spread of its counts.
    let agrees = |cap: &Cap| cap.exact && (cap.level.low..=cap.level.high).contains(&delivered.level.value);
    let cap = figures.iops_cap(direction).filter(agrees).unwrap_or(delivered);
    // What a cache answers is not the volume's.
    let cached = figures.cached.filter(|_| direction == Direction::Read);
    let missed = cached.map_or(1.0, |cached| 1.0 - cached.share);
    let cap = cached.map_or(cap, |cached| cached.beyond);
    let Cap { level, in_span, at_least, wanders, .. } = cap;
    let on = full_rungs(&figures.depths, direction);
    let first = on.first().copied().or_else(|| figures.depths.iter().rfind(|p| p.direction == direction))?;
    let rates = on.iter().flat_map(|point| ClaimMeasurement::of(point, Quantity::Iops).rates);
    let lasted_s = on.iter().map(|point| point.seconds).fold(first.seconds, f64::max);
    Some(ClaimMeasurement {
        estimate: level,
        in_span: (!wanders).then_some(in_span),
        at_least,
        wanders,
        lasted_s,
        rates: rates.map(|rate| missed * rate).collect(),
        cached: cached.map(|cached| (cached.share, delivered.level.value)),
        ..ClaimMeasurement::of(first, Quantity::Iops)
    })
}

/// Returns bytes at the largest block. If its latency is still near that of a single I/O, only the depth limited the
/// bytes.
fn large(figures: &Figures, direction: Direction) -> Option<ClaimMeasurement<'_>> {
    let blocks = figures.blocks.iter().filter(|point| point.direction == direction);
    let blocks = blocks.filter(|_| figures.has_largest(direction));
    let small = figures.depths.iter().map(|point| point.block).max();
    let point = blocks.max_by_key(|point| point.block).filter(|point| Some(point.block) > small)?;
    let base = base_latency_ns(&figures.latencies, &figures.depths, direction);
    let at_least = base.is_some_and(|base| point.latency_ns_mean < QUEUED * base);
    let one = ClaimMeasurement::of(point, Quantity::BytesPerSecond);
    let Some(FittedLevel { estimate, in_span, wanders, .. }) = figures.largest(direction) else {
        return Some(ClaimMeasurement { at_least, ..one });
    };
    let in_span = (!wanders).then_some(*in_span);
    Some(ClaimMeasurement { estimate: *estimate, in_span, wanders: *wanders, at_least, ..one })
}

fn what(point: Option<&Point>, direction: Direction, quantity: Quantity) -> String {
    let block = point.map_or(String::new(), |point| format!("{} ", Bytes(point.block)));
    let unit = if quantity == Quantity::Iops { " IOPS" } else { "" };
    format!("{block}{}{unit}", direction.name())
}

fn policy_row(
    limits: &Limits,
    limit: &Limit,
    measured: Option<ClaimMeasurement<'_>>,
    asked: ClaimContext<'_>,
) -> ClaimRow {
    let quantity = if limit.resource == Resource::Iops { Quantity::Iops } else { Quantity::BytesPerSecond };
    let point = measured.as_ref().and_then(|measured| measured.point);
    let value = nominal(limits, limit, point, asked.direction);
    let share = if limit.baseline > 0.0 { value / limit.baseline } else { 1.0 };
    let other = limit.alternative().map(|rate| rate.0 * share);
    let estimate = measured.as_ref().map(|measured| measured.estimate);
    let mut row = ClaimRow {
        what: what(point, asked.direction, quantity),
        quantity,
        direction: asked.direction,
        claimed: ClaimedFigure {
            value,
            words: written(limit, value),
            source: source(limits),
            reading: estimate.and_then(|estimate| reading(limit, &estimate, value, other)),
        },
        measured: estimate,
        over_time: None,
        latency_ns_p99: point.map(|point| point.latency_ns_p99),
        depth: point.map(|point| point.depth),
        answer: Answer::CannotTell,
        doubts: Vec::new(),
    };
    judge(&mut row, measured.as_ref(), other);
    promise(&mut row, limits, measured.as_ref());
    let block = point.map_or(SMALL, |point| Bytes(point.block));
    credits::judge(&mut row, &CreditContext { limits, figures: asked.figures, spent: asked.spent, block });
    row
}

/// Returns the policy's name with the date of its figures.
fn source(limits: &Limits) -> String {
    match &limits.as_of {
        Some(as_of) => format!("{}, as of {as_of}", limits.policy),
        None => format!("{}, undated", limits.policy),
    }
}

/// Returns what the policy allows at the block size measured: the rule's own figure, or less if another rule binds there.
fn nominal(limits: &Limits, limit: &Limit, point: Option<&Point>, direction: Direction) -> f64 {
    let Some(point) = point.filter(|point| point.block > 0) else { return limit.baseline };
    let Some(cap) = limits.cap(&Load::random(direction, Bytes(point.block)), Level::Baseline) else {
        return limit.baseline;
    };
    if limit.resource == Resource::Iops { cap.iops.0 } else { cap.bandwidth.0 }
}

/// Formats the figure in its provider's unit; the provider's own number if that is the claim.
fn written(limit: &Limit, value: f64) -> String {
    let own = (value - limit.baseline).abs() < 1e-6 * limit.baseline;
    let figure = if own { limit.written.baseline } else { value / limit.written.unit.factor(limit.reading) };
    let digits = thousands(figure);
    if limit.resource == Resource::Iops { digits } else { format!("{digits} {}", limit.written.unit.name()) }
}

/// Formats a number with commas, and with one decimal unless it is whole.
pub(crate) fn thousands(value: f64) -> String {
    let whole = workload::grouped(format!("{:.0}", value.trunc()));
    let rest = (value.fract() * 10.0).round();
    if rest > 0.0 && rest < 10.0 { format!("{whole}.{rest:.0}") } else { whole }
}

/// Returns the reading of an ambiguous MB that the measurement fits within 3 %, the nearer one if both do.
fn reading(limit: &Limit, measured: &Estimate, value: f64, other: Option<f64>) -> Option<Reading> {
    let other = other?;
    let (binary, decimal) =
        if limit.reading == UnitReading::Binary { (value, other) } else { (other, value) };
    let off = |claim: f64| (measured.value / claim - 1.0).abs();
    let (reading, distance) = if off(binary) <= off(decimal) {
        (Reading::Binary, off(binary))
    } else {
        (Reading::Decimal, off(decimal))
    };
    (distance <= TOLERANCE).then_some(reading)
}

/// Sets the answer of a rate; `other` is the claim in the other reading of an ambiguous unit.
fn judge(row: &mut ClaimRow, measured: Option<&ClaimMeasurement<'_>>, other: Option<f64>) {
    let Some(measured) = measured else {
        row.doubts.push(Doubt::NotMeasured);
        return;
    };
    if let Some((share, reached)) = measured.cached {
        row.doubts.push(Doubt::Cached { share, reached });
    }
    let (estimate, value) = (&measured.estimate, row.claimed.value);
    let of = |rate: &Estimate| {
        other.map_or_else(|| answer(rate, value), |other| answer_of_two(rate, value, other))
    };
    row.answer = of(estimate);
    // What a longer time would leave open may be known of this run.
    if let Some(in_span) =
        measured.in_span.filter(|rate| row.answer != of(rate) && row.answer == Answer::CannotTell)
    {
        row.answer = of(&in_span);
        (row.measured, row.over_time) = (Some(in_span), Some(*estimate));
    }
    if row.answer == Answer::CannotTell {
        row.doubts.push(undecided(measured, value, other));
    }
    let kept_up = matches!(row.answer, Answer::Meets | Answer::Exceeds);
    if kept_up && measured.at_least && measured.lasted_s < LASTS_S {
        row.answer = Answer::CannotTell;
        row.doubts.push(Doubt::TooShort);
    }
    if row.answer == Answer::Below && measured.at_least {
        let tested = measured.point.map_or(0.0, |point| f64::from(point.depth));
        // Little's law at the latency seen; a deeper queue makes it no shorter.
        let depth = tested * value / estimate.value;
        row.answer = Answer::CannotTell;
        row.doubts.push(Doubt::DepthTooLow { depth });
    }
}

/// Returns why a rate does not decide a claim.
fn undecided(measured: &ClaimMeasurement<'_>, value: f64, other: Option<f64>) -> Doubt {
    let open =
        other.is_some_and(|other| answer(&measured.estimate, other) != answer(&measured.estimate, value));
    let narrow = measured.in_span.unwrap_or(measured.estimate).half_width() <= HITS * value;
    match (open, narrow) {
        (true, true) => Doubt::UnitUnknown,
        (_, true) => Doubt::OnTolerance { least: 1.0 - TOLERANCE },
        _ if measured.wanders => Doubt::Wandering,
        _ => Doubt::TooShort,
    }
}

/// Judges a rate below nominal by the provider's promise, if that is a share of the figure in a share of the time. If
/// no more intervals fell short of that share than chance allows, the promise is kept, and nothing is owed.
fn promise(row: &mut ClaimRow, limits: &Limits, measured: Option<&ClaimMeasurement<'_>>) {
    let (Some(promise), Some(measured)) = (&limits.promise, measured) else { return };
    let Some(fraction) = promise.fraction else { return };
    let least = fraction * row.claimed.value;
    let undecided = row.doubts.iter().any(|doubt| *doubt != Doubt::OnTolerance { least: 1.0 - TOLERANCE });
    let open = row.answer == Answer::Below || row.answer == Answer::CannotTell && !undecided;
    if !open || measured.estimate.low < least || measured.rates.len() < INTERVALS_MIN {
        return;
    }
    let held = measured.rates.iter().filter(|rate| **rate >= least).count();
    if binomial_cdf(held as u64, measured.rates.len() as u64, promise.time) >= CHANCE {
        row.answer = Answer::Meets;
        row.doubts = vec![Doubt::WithinPromise { fraction }];
    }
}

/// A rate whose claim more of the same load may decide.
#[derive(Clone, Copy, Debug)]
pub struct OpenRate {
    /// Direction.
    pub direction: Direction,
    /// Whether the claim is on bytes per second, measured at the largest block; or else on operations, at the smallest.
    pub of_bytes: bool,
    /// How many times as long the load must be measured until the interval no longer reaches the tolerance, if its width
    /// falls with the square root of time.
    pub times: f64,
}

/// Returns the rates that leave a claim open for want of seconds.
pub fn open_rates(steps: &[StepRecord], limits: Option<&Limits>, expectation: &Expectation) -> Vec<OpenRate> {
    if limits.is_none() && (expectation.claims.is_empty() || !expectation.load.is_empty()) {
        return Vec::new();
    }
    let mut run = Run::started(Vec::new(), 0);
    run.steps = steps.to_vec();
    let figures = figures(&run);
    let of_limits = limits.map(|limits| of_policy(&figures, limits, &spent(&run, &figures, Some(limits))));
    let expected =
        if expectation.load.is_empty() { of_expectation(&run, &figures, expectation) } else { Vec::new() };
    let rows = of_limits.into_iter().flatten().chain(expected);
    rows.filter_map(|row| open_rate(&row, &figures)).collect()
}

fn open_rate(row: &ClaimRow, figures: &Figures) -> Option<OpenRate> {
    let of_bytes = match row.quantity {
        Quantity::Iops => false,
        Quantity::BytesPerSecond => true,
        Quantity::MeanLatency | Quantity::PercentileLatency => return None,
    };
    let short = [Doubt::TooShort, Doubt::Wandering].iter().any(|doubt| row.doubts.contains(doubt));
    if !short || row.answer != Answer::CannotTell {
        return None;
    }
    let measured = if of_bytes { large(figures, row.direction) } else { small(figures, row.direction) }?;
    let measured = measured.in_span.unwrap_or(measured.estimate);
    let off = (measured.value - (1.0 - TOLERANCE) * row.claimed.value).abs();
    let times = (measured.half_width() / off.max(f64::MIN_POSITIVE)).powi(2);
    Some(OpenRate { direction: row.direction, of_bytes, times })
}

/// Probability that a kept promise shows no more full intervals than were measured below which the promise counts as
/// broken: the lower end of a 95 % interval.
const CHANCE: f64 = 0.025;

/// Returns the rows of an expectation.
pub(crate) fn of_expectation(run: &Run, figures: &Figures, expectation: &Expectation) -> Vec<ClaimRow> {
    let directions = |claim: &Claim| match claim.direction {
        Some(direction) => vec![direction],
        None => measured_directions(figures),
    };
    let each = |claim: &Claim| {
        let has_part = |way: &Direction| part(claim, expectation.load.mix, *way) > 0.0;
        let rows = directions(claim).into_iter().filter(has_part);
        rows.map(|direction| expected_row(&Asks { run, figures, expectation }, claim, direction))
            .collect::<Vec<_>>()
    };
    expectation.claims.iter().flat_map(each).collect()
}

fn measured_directions(figures: &Figures) -> Vec<Direction> {
    let wrote = figures.depths.iter().chain(&figures.jobs).any(|point| point.direction == Direction::Write);
    if wrote { vec![Direction::Read, Direction::Write] } else { vec![Direction::Read] }
}

/// The inputs by which the claims of an expectation are judged.
struct Asks<'r> {
    run: &'r Run,
    figures: &'r Figures,
    expectation: &'r Expectation,
}

/// Returns the share of a claimed rate that falls to one direction: its part if a mix is claimed as a whole, or all.
fn part(claim: &Claim, mix: Option<Mix>, direction: Direction) -> f64 {
    let (None, Some(mix)) = (claim.direction, mix) else { return 1.0 };
    let reads = f64::from(mix.read_percent()) / 100.0;
    if direction == Direction::Read { reads } else { 1.0 - reads }
}

fn expected_row(asks: &Asks<'_>, claim: &Claim, direction: Direction) -> ClaimRow {
    let load = asks.expectation.load;
    let part = part(claim, load.mix, direction);
    match claim.metric {
        Metric::Iops(rate) if !load.is_empty() => {
            under_load(asks, part_row(claim, direction, (Quantity::Iops, part * rate.0)))
        }
        Metric::Bandwidth(rate) if !load.is_empty() => {
            under_load(asks, part_row(claim, direction, (Quantity::BytesPerSecond, part * rate.0)))
        }
        Metric::Iops(rate) => expected_iops(asks, empty_row(claim, direction, Quantity::Iops, rate.0)),
        Metric::Bandwidth(rate) => {
            let mut row = empty_row(claim, direction, Quantity::BytesPerSecond, rate.0);
            fill(&mut row, large(asks.figures, direction));
            row
        }
        Metric::MeanLatency(bound) => {
            expected_latency(asks, empty_row(claim, direction, Quantity::MeanLatency, bound.0 as f64), None)
        }
        Metric::Percentile(percent, bound) => {
            let row = empty_row(claim, direction, Quantity::PercentileLatency, bound.0 as f64);
            expected_latency(asks, row, Some(percent))
        }
    }
}

/// Makes the row for one direction of a claim; the words say so if that is only a part of the claim.
fn part_row(claim: &Claim, direction: Direction, (quantity, value): (Quantity, f64)) -> ClaimRow {
    let mut row = empty_row(claim, direction, quantity, value);
    if claim.direction.is_none() {
        row.claimed.words = format!("{}s of {}", direction.name(), claim.words);
    }
    row
}

fn empty_row(claim: &Claim, direction: Direction, quantity: Quantity, value: f64) -> ClaimRow {
    ClaimRow {
        what: what(None, direction, quantity),
        quantity,
        direction,
        claimed: ClaimedFigure {
            value,
            words: claim.words.clone(),
            source: EXPECTATION.into(),
            reading: None,
        },
        measured: None,
        over_time: None,
        latency_ns_p99: None,
        depth: None,
        answer: Answer::CannotTell,
        doubts: Vec::new(),
    }
}

fn fill(row: &mut ClaimRow, measured: Option<ClaimMeasurement<'_>>) {
    if let Some(measured) = &measured {
        row.what = what(measured.point, row.direction, row.quantity);
        row.measured = Some(measured.estimate);
        row.latency_ns_p99 = measured.point.map(|point| point.latency_ns_p99);
        row.depth = measured.point.map(|point| point.depth);
    }
    judge(row, measured.as_ref(), None);
}

/// Returns the steps that ran the load of a claim: jobs and open loads with its mix, block size and access.
fn of_load<'r>(run: &'r Run, load: &ClaimedLoad) -> Vec<&'r StepRecord> {
    let asked = |step: &StepRecord| {
        let [worker, ..] = step.plan.workers.as_slice() else { return false };
        let access = load.access(worker.access.mix);
        let block = load.block.is_none_or(|block| worker.blocks == BlockSizes::all(block));
        block && worker.access.mix == access.mix && (load.random_percent.is_none() || worker.access == access)
    };
    let ran =
        |step: &&StepRecord| matches!(step.plan.kind, StepKind::Job | StepKind::OpenLoad) && asked(step);
    run.steps.iter().filter(ran).collect()
}

/// Fills in a rate under the load of its claim: the highest that a step of that load reached.
fn under_load(asks: &Asks<'_>, mut row: ClaimRow) -> ClaimRow {
    let (load, quantity) = (&asks.expectation.load, row.quantity);
    let points: Vec<Point> =
        of_load(asks.run, load).into_iter().filter_map(|step| point(step, row.direction)).collect();
    let reached = points.iter().map(|point| ClaimMeasurement::of(point, quantity));
    fill(&mut row, reached.max_by(|a, b| a.estimate.value.total_cmp(&b.estimate.value)));
    row.what = format!("{}, {load}", row.what);
    row
}

/// Fills in a rate of operations by the cap; if the claimed load itself was run and fell short of the claim, by that load.
fn expected_iops(asks: &Asks<'_>, mut row: ClaimRow) -> ClaimRow {
    let (figures, direction, rate) = (asks.figures, row.direction, row.claimed.value);
    let load = claimed_load(asks.run, asks.expectation).and_then(|step| point(step, direction));
    let paced = load.as_ref().or_else(|| figures.jobs.iter().find(|point| point.direction == direction));
    match paced.filter(|point| point.iops.high < rate * (1.0 - TOLERANCE)) {
        Some(point) => {
            fill(&mut row, Some(ClaimMeasurement::of(point, Quantity::Iops)));
            let alone = small(figures, direction).map(|alone| alone.estimate.value);
            let alone = alone.filter(|alone| *alone >= rate * (1.0 - TOLERANCE));
            row.doubts.extend(alone.map(|alone| Doubt::AtOnce { direction, alone }));
        }
        None => fill(&mut row, small(figures, direction)),
    }
    row
}

/// Returns the step in which all claimed rates together were issued as random arrivals.
fn claimed_load<'r>(run: &'r Run, expectation: &Expectation) -> Option<&'r StepRecord> {
    let rate = |claim: &Claim| if let Metric::Iops(rate) = claim.metric { rate.0 } else { 0.0 };
    let all: f64 = expectation.claims.iter().map(rate).sum();
    let arrives = |step: &&StepRecord| {
        let paces = step.plan.workers.iter().map(|worker| worker.pace);
        let of = |pace| if let Pace::Poisson(rate) = pace { rate.0 } else { 0.0 };
        (paces.map(of).sum::<f64>() - all).abs() <= 1e-6 * all
    };
    run.steps.iter().filter(|step| step.plan.kind == StepKind::OpenLoad).find(arrives)
}

/// Judges a latency, the mean or percentile `percent`, at the claimed load if that was run, or else of a single I/O.
fn expected_latency(asks: &Asks<'_>, mut row: ClaimRow, percent: Option<f64>) -> ClaimRow {
    let direction = row.direction;
    let Some(step) = timed_under_load(asks, direction) else {
        row.doubts.push(Doubt::NotMeasured);
        return row;
    };
    let timed = step.latency(direction);
    let name = percent.map_or("mean latency".to_owned(), |percent| format!("p{percent}"));
    row.what = format!("{} {name}, {}", direction.name(), step.plan.name);
    row.latency_ns_p99 = timed.percentile(99.0);
    row.depth = Some(step.plan.workers.iter().map(|worker| worker.depth).sum());
    let measured = percent.map_or_else(
        || latency::mean(step, direction),
        |percent| latency::percentile(step, direction, percent),
    );
    let bound = row.claimed.value;
    let kept = timed.ns_max().is_some_and(|longest| longest as f64 <= bound)
        || percent.is_some_and(|percent| latency::surely_within(step, direction, percent, bound as u64));
    let told = measured.and_then(|seen| match seen {
        latency::Latency { estimate, open: false } => Some(estimate),
        // Long latencies that occur together give no upper bound; but if hardly any I/O was beyond the claim, it is kept.
        latency::Latency { estimate, .. } if kept => Some(Estimate { high: bound, ..estimate }),
        latency::Latency { estimate, .. } => Some(estimate).filter(|estimate| estimate.low > bound),
    });
    let Some(estimate) = told else {
        row.doubts.push(Doubt::FewSamples { count: timed.count() });
        return row;
    };
    row.measured = Some(estimate);
    row.answer = if estimate.high <= bound {
        Answer::Meets
    } else if estimate.low > bound {
        Answer::Below
    } else {
        Answer::CannotTell
    };
    if row.answer == Answer::CannotTell {
        row.doubts.push(Doubt::TooShort);
    }
    row
}

/// Returns the step whose latencies a claim refers to: the claimed rates as random arrivals; or else a job or an open
/// load of the claimed kind; or else, if no kind was claimed, a job or one I/O at a time.
fn timed_under_load<'r>(asks: &Asks<'r>, direction: Direction) -> Option<&'r StepRecord> {
    let (run, load) = (asks.run, &asks.expectation.load);
    let timed = |step: &&StepRecord| step.tally(direction).ops > 0;
    let of_kind = |kind: StepKind| run.steps.iter().filter(move |step| step.plan.kind == kind).find(timed);
    let claimed = claimed_load(run, asks.expectation).filter(timed);
    if load.is_empty() {
        return claimed.or_else(|| of_kind(StepKind::Job)).or_else(|| of_kind(StepKind::Latency));
    }
    claimed.or_else(|| of_load(run, load).into_iter().find(timed))
}
