//! Price per unit: of the rate, of the rate within a latency bound, and of the storage.

use std::collections::BTreeSet;

use policy::Limit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Bytes, Direction};

use super::items::Item;
use super::reading::locality;
use super::row::{Measure, Row, rate};
use super::side::{Side, size};
use super::work::Work;

/// What one unit costs on each side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PriceRow {
    /// Work with the priced rate; `None` for the price of space.
    pub work: Option<Work>,
    /// Figure whose unit is priced; `None` for a gigabyte (1,000,000,000 bytes) of space.
    pub measure: Option<Measure>,
    /// Price per month of one unit on each side: an I/O per second, a MB/s, a GB; `None` if price or figure is missing.
    pub prices: Vec<Option<f64>>,
    /// Price on each side at the rate that the declared policy allows for ever, if the figure is above that rate
    /// because of a burst; otherwise `None`.
    pub at_baseline: Vec<Option<f64>>,
    /// The cheapest side, if all sides with a price have one currency.
    pub cheapest: Option<Cheapest>,
    /// The bound on latency, if the price is that of the greatest rate within one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Within>,
}

/// A latency that had to be kept, and what kept it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Within {
    /// Bound on the 99th percentile of latency, nanoseconds.
    pub latency_ns_p99: u64,
    /// Greatest rate on each side within the bound, and its depth; `None` if no rate is within it.
    pub reached: Vec<Option<RateWithinLatency>>,
}

/// The greatest rate within a latency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateWithinLatency {
    /// I/Os per second, or bytes per second.
    pub rate: f64,
    /// I/Os in flight.
    pub depth: Option<u32>,
}

/// The side that costs least per unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cheapest {
    /// Index of the side.
    pub side: usize,
    /// Ratio of the next price to this one.
    pub times: f64,
}

/// Bytes of the units by which throughput and space are priced.
const MEGABYTE: f64 = 1e6;
const GIGABYTE: f64 = 1e9;

/// Returns a row for each rate, and one for space; none if no side has a price.
pub(super) fn rows(sides: &[Side], rows: &[Row]) -> Vec<PriceRow> {
    if sides.iter().all(|side| side.price.is_none()) {
        return Vec::new();
    }
    let of_rate = |row: &Row| {
        let unit = match row.measure {
            Measure::Iops => 1.0,
            Measure::BytesPerSecond => MEGABYTE,
            Measure::MeanLatency | Measure::LatencyP50 | Measure::LatencyP99 => return None,
        };
        let reached = row.figures.iter().map(|figure| figure.as_ref().map(|figure| figure.value / unit));
        let found = priced(sides, reached, Some(row.work.clone()), Some(row.measure));
        let above = sides.iter().enumerate().map(|(side, of)| above_baseline(of, row, side));
        let at_baseline = above.zip(&found.prices).map(|(times, price)| Some((*price)? * times?)).collect();
        Some(PriceRow { at_baseline, ..found })
    };
    let mut priced_rows: Vec<PriceRow> = rows.iter().filter_map(of_rate).collect();
    let space = sides.iter().map(|side| size(side).map(|(bytes, _)| bytes as f64 / GIGABYTE));
    priced_rows.push(priced(sides, space, None, None));
    priced_rows.retain(|row| row.prices.iter().any(Option::is_some));
    priced_rows
}

fn priced(
    sides: &[Side],
    reached: impl Iterator<Item = Option<f64>>,
    work: Option<Work>,
    measure: Option<Measure>,
) -> PriceRow {
    let price = |(side, reached): (&Side, Option<f64>)| Some(side.price.as_ref()?.a_month() / reached?);
    let prices: Vec<Option<f64>> = sides.iter().zip(reached).map(price).collect();
    let at_baseline = vec![None; prices.len()];
    PriceRow { work, measure, cheapest: cheapest(sides, &prices), prices, at_baseline, within: None }
}

/// Returns a row for each kind of work, at whatever depth: the price of the greatest rate whose 99th percentile of
/// latency is within the bound.
pub(super) fn within(sides: &[Side], measured: &[Vec<Item>], latency_ns_p99: u64) -> Vec<PriceRow> {
    if sides.iter().all(|side| side.price.is_none()) {
        return Vec::new();
    }
    let mut kinds: Vec<Work> = Vec::new();
    for item in measured.iter().flatten().filter(|item| item.latency_ns_p99.is_some()) {
        let kind = Work { depth: None, ..item.work.clone() };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let of_kind = |kind: Work| {
        let measure = rate(&kind);
        let unit = if measure == Measure::Iops { 1.0 } else { MEGABYTE };
        let reached: Vec<Option<RateWithinLatency>> =
            measured.iter().map(|side| reached(side, (&kind, measure), latency_ns_p99)).collect();
        let rates = reached.iter().map(|reached| reached.map(|reached| reached.rate / unit));
        let found = priced(sides, rates, Some(kind), Some(measure));
        PriceRow { within: Some(Within { latency_ns_p99, reached }), ..found }
    };
    kinds.into_iter().map(of_kind).collect()
}

/// Returns the greatest rate of this kind of work at a depth whose 99th percentile, averaged over all runs and blocks,
/// is within the bound.
fn reached(items: &[Item], (kind, measure): (&Work, Measure), most_ns: u64) -> Option<RateWithinLatency> {
    let own = |item: &&Item| Work { depth: None, ..item.work.clone() } == *kind;
    let own: Vec<&Item> = items.iter().filter(own).collect();
    let depths: BTreeSet<Option<u32>> = own.iter().map(|item| item.work.depth).collect();
    let mean =
        |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let at = |depth: Option<u32>| {
        let there = || own.iter().filter(move |item| item.work.depth == depth);
        let p99 = mean(there().filter_map(|item| item.latency_ns_p99).collect())?;
        let rate =
            mean(there().filter_map(|item| item.sample(measure)).map(|sample| sample.value).collect())?;
        (p99 <= most_ns as f64).then_some(RateWithinLatency { rate, depth })
    };
    depths.into_iter().filter_map(at).max_by(|a, b| a.rate.total_cmp(&b.rate))
}

/// Ratio to the baseline above which a rate is due to a burst and not to the slices of a meter.
const ABOVE: f64 = 1.06;

/// Returns the ratio of a row's load to its policy's baseline, if the policy bursts and the load is above the baseline.
fn above_baseline(side: &Side, row: &Row, place: usize) -> Option<f64> {
    let work = &row.work;
    let block = work.block? as f64;
    let figure = row.figures.get(place)?.as_ref()?.value;
    let iops = if row.measure == Measure::BytesPerSecond { figure / block } else { figure };
    let times = |limit: &Limit| {
        let counts = |direction| limit.direction.covers(direction);
        let burst = limit.burst.filter(|_| work.direction.is_none_or(counts))?;
        let unit = limit.charge(Bytes(block as u64), locality(work));
        // The other direction of a mix is charged to the same rule.
        let whole = counts(Direction::Read) && counts(Direction::Write);
        let part = work.share().filter(|part| whole && *part > 0.0).unwrap_or(1.0);
        let used = iops / part * unit;
        // A rate above the burst cannot be a burst of this policy.
        let bursts = used > limit.baseline * ABOVE && used < burst.rate * ABOVE;
        bursts.then_some(used / limit.baseline)
    };
    let limits = side.limits.as_ref()?;
    limits.limits.iter().filter_map(times).reduce(f64::max)
}

/// Returns the cheapest side; `None` if fewer than two sides have a price, or their currencies differ.
fn cheapest(sides: &[Side], prices: &[Option<f64>]) -> Option<Cheapest> {
    let mut known: Vec<(usize, f64)> =
        prices.iter().enumerate().filter_map(|(side, price)| Some((side, (*price)?))).collect();
    let currency = |side: usize| sides[side].price.as_ref().map(|price| price.currency.clone());
    known.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (first, second) = (known.first()?, known.get(1)?);
    let one_currency = known.iter().all(|(side, _)| currency(*side) == currency(first.0));
    one_currency.then(|| Cheapest { side: first.0, times: second.1 / first.1 })
}
