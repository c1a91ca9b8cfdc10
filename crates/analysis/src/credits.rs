//! How a rate relates to the policy's burst: paid for by credits, without credits, or neither.

use policy::{BurstLength, Level, Limit, Limits, Load, UnitReading};
use workload::{Bytes, Direction};

use crate::estimate::Estimate;
use crate::figures::Figures;
use crate::plateaus::base_latency_ns;
use crate::spent::{Consumption, is_queued};
use crate::step_figures::Point;
use crate::verdict::{Answer, ClaimRow, Doubt, Quantity};

/// Share within which a rate equals that of a state; the smallest burst in a published table is 17 % above its baseline
/// (method 6.1).
const FITS: f64 = 0.03;
/// Least seconds for which a load must be limited to the baseline to be without credits. It takes several steps: a
/// change within one does not show in its mean.
const HELD_S: f64 = 5.0;
/// Most rules with a burst of which every combination is tried; policies have two, and the machine adds two more.
const BURSTS_MOST: usize = 6;

/// The inputs by which a row is judged.
pub(crate) struct CreditContext<'j> {
    pub limits: &'j Limits,
    pub figures: &'j Figures,
    pub spent: &'j Consumption,
    /// Block size at which the row was measured.
    pub block: Bytes,
}

/// Marks a row that credits may have paid for as consistent with a burst, and a row at its baseline as out of credits.
pub(crate) fn judge(row: &mut ClaimRow, of: &CreditContext<'_>) {
    let met = matches!(row.answer, Answer::Meets | Answer::Exceeds);
    let Some(measured) = row.measured.filter(|_| met) else { return };
    let load = Load::random(row.direction, of.block);
    let states = States::of(of.limits, &load, row.quantity);
    let Some(top) = states.top().filter(|top| top.rate > states.baseline() * (1.0 + FITS)) else { return };
    let fitting: Vec<&State> = states.all.iter().filter(|state| state.fits(&measured)).collect();
    let above = |state: &&&State| state.rate > states.baseline() * (1.0 + FITS);
    // Of several states, the one with the fewest bursts is chosen.
    let burst = fitting.iter().filter(above).min_by_key(|state| state.bursting.len());
    match burst {
        Some(state) => {
            row.answer = Answer::ConsistentWithBurst;
            row.doubts.push(doubt(of, &load, state));
        }
        None if !fitting.is_empty() && is_held(row, of, &top.bursting) => {
            let spent = |rule: &&Limit| {
                let (baseline, burst) = (rule.rate(Level::Baseline), rule.rate(Level::Burst));
                Doubt::CreditsSpent { of: rule.resource, baseline, burst }
            };
            row.doubts.extend(top.bursting.first().map(spent));
        }
        None => {
            row.answer = Answer::CannotTell;
            row.doubts.push(doubt(of, &load, top));
        }
    }
}

/// Whether loads that the rules of `bursting` count together with the row's were limited to its rate for long enough while they
/// asked for more.
fn is_held(row: &ClaimRow, of: &CreditContext<'_>, bursting: &[&Limit]) -> bool {
    let Figures { latencies, depths, .. } = of.figures;
    let rate = |point: &Point| match row.quantity {
        Quantity::BytesPerSecond => point.bytes_per_second.value,
        Quantity::Iops | Quantity::MeanLatency | Quantity::PercentileLatency => point.iops.value,
    };
    let counts =
        |way: Direction| way == row.direction || bursting.iter().all(|rule| rule.direction.covers(way));
    let of_row = |point: &&Point| counts(point.direction) && point.block == of.block.0;
    let fits = |point: &&Point| row.measured.is_some_and(|level| near(rate(point), level.value));
    let queued = |point: &&Point| {
        let base = base_latency_ns(latencies, depths, point.direction);
        base.is_some_and(|base| is_queued(point.latency_ns_mean, base, point.block as f64))
    };
    let points = of.figures.ladders().chain(&of.figures.jobs).chain(&of.figures.beside);
    let mut held: Vec<&Point> = points.filter(of_row).filter(fits).filter(queued).collect();
    // The depth ladder lends a point to the ladder of blocks.
    held.sort_by(|a, b| (&a.step, a.direction).cmp(&(&b.step, b.direction)));
    held.dedup_by(|a, b| (&a.step, a.direction) == (&b.step, b.direction));
    held.iter().map(|point| point.seconds).sum::<f64>() >= HELD_S
}

fn near(rate: f64, figure: f64) -> bool {
    figure > 0.0 && (rate / figure - 1.0).abs() <= FITS
}

/// Returns why the lasting rate is open: the burst that may have paid for the rate; of several, the first to end.
fn doubt(of: &CreditContext<'_>, load: &Load, state: &State<'_>) -> Doubt {
    let pays = |rule: &&&Limit| state.iops * rule.charge(load.block, load.locality) > rule.baseline;
    first_to_end(of, (load, state.iops), state.bursting.iter().filter(pays).copied())
}

/// Returns the burst behind `iops` of a load, of several the first to end; `None` if no rule needs one for it.
pub(crate) fn burst_behind(of: &CreditContext<'_>, load: &Load, iops: f64) -> Option<Doubt> {
    let way = if load.read_share > 0.0 { Direction::Read } else { Direction::Write };
    let pays = |rule: &&Limit| {
        let needed = iops * rule.charge(load.block, load.locality) > rule.baseline * (1.0 + FITS);
        needed && rule.direction.covers(way) && rule.burst_length() != BurstLength::None
    };
    let mut paying = of.limits.limits.iter().filter(pays).peekable();
    paying.peek().is_some().then(|| first_to_end(of, (load, iops), paying))
}

/// Returns the burst of `paying` that ends first under `iops` of a load.
fn first_to_end<'l>(
    of: &CreditContext<'_>,
    (load, iops): (&Load, f64),
    paying: impl Iterator<Item = &'l Limit>,
) -> Doubt {
    let rate = |rule: &Limit| iops * rule.charge(load.block, load.locality);
    let first = paying.min_by_key(|rule| rule.burst_lasts(1.0, rate(rule)));
    let of_first = first.and_then(|rule| {
        let row = of.spent.credits.iter().find(|row| row.rule == rule.id)?;
        let lasts = |share| rule.burst_lasts(share, rate(rule)).map(|length| length.as_secs_f64());
        Some(Doubt::InsideBurst {
            of: rule.resource,
            rate: rate(rule),
            burst_s: lasts(1.0)?,
            loaded_s: of.spent.loaded_s,
            left_s_least: lasts(row.left_least)?,
            left_s_most: lasts(row.left_most)?,
        })
    });
    of_first.unwrap_or(Doubt::BurstUnknown)
}

/// The rules that run at their burst rate, with the rate of the load then.
struct State<'l> {
    bursting: Vec<&'l Limit>,
    /// Operations per second of the load.
    iops: f64,
    /// The rate in the row's quantity.
    rate: f64,
    /// The rate in the row's quantity, if an ambiguous MB is a decimal one.
    other: f64,
}

impl State<'_> {
    fn fits(&self, measured: &Estimate) -> bool {
        near(measured.value, self.rate) || near(measured.value, self.other)
    }
}

struct States<'l> {
    all: Vec<State<'l>>,
}

impl<'l> States<'l> {
    fn of(limits: &'l Limits, load: &Load, quantity: Quantity) -> States<'l> {
        let rules: Vec<(usize, &Limit)> = limits.limits.iter().enumerate().collect();
        let ends = |rule: &&(usize, &Limit)| rule.1.burst_length() != BurstLength::None;
        let bursts: Vec<usize> = rules.iter().filter(ends).map(|(at, _)| *at).take(BURSTS_MOST).collect();
        let state = |choice: usize| {
            let chosen: Vec<usize> = bursts
                .iter()
                .enumerate()
                .filter(|(bit, _)| choice >> bit & 1 == 1)
                .map(|(_, at)| *at)
                .collect();
            let iops = passes(limits, load, &chosen)?;
            let other = limits.in_reading(UnitReading::Decimal);
            let other = passes(&other, load, &chosen)?;
            let unit = if quantity == Quantity::Iops { 1.0 } else { load.block.0 as f64 };
            let bursting = chosen.iter().map(|at| &limits.limits[*at]).collect();
            Some(State { bursting, iops, rate: iops * unit, other: other * unit })
        };
        States { all: (0..1usize << bursts.len()).filter_map(state).collect() }
    }

    /// Returns the rate without credits.
    fn baseline(&self) -> f64 {
        self.all.first().map_or(f64::INFINITY, |state| state.rate)
    }

    /// Returns the state with the highest rate; of several, the one with the fewest bursts.
    fn top(&self) -> Option<&State<'l>> {
        let best = self.all.iter().map(|state| state.rate).fold(0.0, f64::max);
        self.all.iter().filter(|state| near(state.rate, best)).min_by_key(|state| state.bursting.len())
    }
}

/// Returns the operations per second of `load` while the rules at `bursting` run at their burst rate.
fn passes(limits: &Limits, load: &Load, bursting: &[usize]) -> Option<f64> {
    let rate = |(at, rule): (usize, &Limit)| {
        let covers = if load.read_share > 0.0 { Direction::Read } else { Direction::Write };
        let level = if bursting.contains(&at) { Level::Burst } else { Level::Baseline };
        let cost = rule.charge(load.block, load.locality);
        rule.direction.covers(covers).then(|| rule.rate(level) / cost)
    };
    limits.limits.iter().enumerate().filter_map(rate).reduce(f64::min)
}
