//! Tiles: the main figures at a glance, each with its interval and compared with the promised value.

use analysis::{
    Analysis, Answer, ClaimRow, ContractRow, Doubt, Estimate, LatencyRole, LatencyRow, ProcedureAnswer,
    Quantity,
};
use record::Run;

use super::claims::{ClaimWords, in_words, unit_of};
use super::doubt::{counted, ending};
use super::numbers::{self, Unit};
use super::tiles_of_loads;
use super::wrap::clean;
use crate::answers::sheets;

/// Most figures of a tile; the tables have the others.
pub(super) const FIGURES: usize = 2;

/// A tile: its subject and its figures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tile {
    /// Name: `IOPS`, `Latency`, or the name of a job.
    pub name: String,
    /// Figures, at least one.
    pub figures: Vec<TileFigure>,
}

/// One figure of a tile.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TileFigure {
    /// Value with its interval if it has one: `3,000.0 ± 0.4`.
    pub value: String,
    /// Unit; empty if the tile's name or the value includes it.
    pub unit: String,
    /// Measured quantity: `4 KiB read IOPS`.
    pub what: String,
    /// Promise for the figure, if there is one.
    pub promised: Option<PromiseWords>,
}

/// A promise, and how the figure compares with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PromiseWords {
    /// Promise and answer: `of 3,000: meets`.
    pub words: String,
    /// Figure as a share of the promised value, 1 if equal.
    pub share: f64,
    /// Answer.
    pub answer: Answer,
}

impl Tile {
    /// Returns a tile with the first [`FIGURES`] figures; `None` if there are no figures.
    pub(crate) fn of(name: &str, mut figures: Vec<TileFigure>) -> Option<Tile> {
        figures.truncate(FIGURES);
        figures.iter_mut().filter(|figure| figure.unit == name).for_each(|figure| figure.unit.clear());
        (!figures.is_empty()).then(|| Tile { name: clean(name), figures })
    }
}

impl TileFigure {
    /// Returns a figure without a unit.
    pub(crate) fn plain(value: String, what: String) -> TileFigure {
        TileFigure { value, unit: String::new(), what, promised: None }
    }

    /// Returns an estimate in its unit, without an interval if it has none.
    pub(crate) fn estimate(estimate: &Estimate, unit: Unit, what: String) -> TileFigure {
        let value = match estimate.half_width() {
            half if half > 0.0 => numbers::estimate(estimate, unit),
            _ => numbers::figure(estimate.value / unit.factor),
        };
        TileFigure { value, unit: unit.name.to_owned(), what, promised: None }
    }

    /// Returns a time without an interval.
    pub(crate) fn time(nanoseconds: f64, what: String) -> TileFigure {
        TileFigure::plain(numbers::time(nanoseconds), what)
    }
}

/// Returns the tiles of a run, those that answer the request first; empty if the run has no figures.
pub(crate) fn tiles(run: &Run, analysis: &Analysis) -> Vec<Tile> {
    if let Some(watched) = &analysis.watched {
        return tiles_of_loads::of_watch(watched);
    }
    let mut tiles = of_claims(analysis);
    if tiles.is_empty() && analysis.answered.is_none() {
        return tiles_of_loads::of_jobs(&analysis::cells(run));
    }
    tiles.extend(latency(analysis));
    tiles.extend(burst_of_policy(analysis));
    tiles.extend(analysis.answered.iter().flat_map(sheets).flat_map(|sheet| sheet.tiles));
    tiles.extend(of_expectation(analysis));
    tiles
}

/// Returns the claimed rates, or without claims the caps.
fn of_claims(analysis: &Analysis) -> Vec<Tile> {
    let of = |name, quantity: &[Quantity]| Tile::of(name, rows(analysis, quantity));
    [of("IOPS", &[Quantity::Iops]), of("Throughput", &[Quantity::BytesPerSecond])]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the rows of these quantities, starting with those that miss their claim.
fn rows(analysis: &Analysis, quantities: &[Quantity]) -> Vec<TileFigure> {
    let of_it = analysis.verdict.rows.iter().filter(|row| quantities.contains(&row.quantity));
    let mut rows: Vec<&ClaimRow> = of_it.collect();
    rows.sort_by_key(|row| row.answer != Answer::Below);
    rows.into_iter().filter_map(|row| of_row(row, &in_words(row))).collect()
}

fn of_row(row: &ClaimRow, words: &ClaimWords) -> Option<TileFigure> {
    let unit = unit_of(row);
    let measured = row.measured.as_ref()?;
    let promised = (row.claimed.value > 0.0).then(|| PromiseWords {
        words: promise(row.quantity, &words.claimed, words.answer),
        share: measured.value / row.claimed.value,
        answer: row.answer,
    });
    Some(TileFigure { promised, ..TileFigure::estimate(measured, unit, words.what.clone()) })
}

/// Formats a promise with its answer: `of 3,000: meets`, `at most 30 ms: below`.
fn promise(quantity: Quantity, claimed: &str, answer: &str) -> String {
    match quantity {
        Quantity::Iops | Quantity::BytesPerSecond => format!("of {claimed}: {answer}"),
        Quantity::MeanLatency | Quantity::PercentileLatency => format!("at most {claimed}: {answer}"),
    }
}

/// Returns the claimed latencies, or else those of one I/O at a time.
fn latency(analysis: &Analysis) -> Option<Tile> {
    let claimed = rows(analysis, &[Quantity::MeanLatency, Quantity::PercentileLatency]);
    let base = || {
        let rows = analysis.latencies.iter().filter(|row| row.role == LatencyRole::Base);
        rows.map(one_at_a_time).collect()
    };
    Tile::of("Latency", if claimed.is_empty() { base() } else { claimed })
}

fn one_at_a_time(row: &LatencyRow) -> TileFigure {
    let tail = row.percentiles.iter().find(|(percent, _)| *percent == 99.0);
    let tail = tail.map_or_else(String::new, |(_, time)| format!("; p99 {}", numbers::time(*time as f64)));
    TileFigure::time(row.mean_ns, format!("mean, one {} at a time{tail}", row.direction.name()))
}

/// Returns the figures of a policy's burst, if the run may have been measured during or after one.
fn burst_of_policy(analysis: &Analysis) -> Option<Tile> {
    let drained = |one: &ProcedureAnswer| matches!(one, ProcedureAnswer::Burst(_));
    if analysis.answered.iter().flat_map(ProcedureAnswer::each).any(drained) {
        return None;
    }
    let rows = analysis.verdict.rows.iter().flat_map(|row| &row.doubts);
    let mut figures: Vec<TileFigure> = Vec::new();
    for figure in analysis.verdict.doubts.iter().chain(rows).filter_map(of_burst) {
        if !figures.contains(&figure) {
            figures.push(figure);
        }
    }
    Tile::of("Burst", figures)
}

fn of_burst(doubt: &Doubt) -> Option<TileFigure> {
    match doubt {
        Doubt::InsideBurst { of, burst_s, left_s_least, left_s_most, .. } => Some(TileFigure::plain(
            numbers::span(*burst_s),
            format!("of {} from full credits; may end {}", counted(*of), ending(*left_s_least, *left_s_most)),
        )),
        Doubt::CreditsSpent { of, .. } => Some(TileFigure::plain(
            "spent".to_owned(),
            format!("the credits of {}: what is left is the baseline", counted(*of)),
        )),
        _ => None,
    }
}

/// Returns the greatest rates at which the latencies stay within the expectation.
fn of_expectation(analysis: &Analysis) -> Option<Tile> {
    use analysis::HeadroomBound::{AtLeast, AtMost, Between};
    let figure = |row: &analysis::Headroom| {
        let claim = clean(&row.claim);
        match row.bound {
            Between(rate) => TileFigure::plain(
                numbers::iops(rate.value),
                format!("{claim} up to here ({} to {})", numbers::count(rate.low), numbers::count(rate.high)),
            ),
            AtLeast(rate) => TileFigure::plain(numbers::iops(rate), format!("at least: {claim} holds here")),
            AtMost(rate) => TileFigure::plain(numbers::iops(rate), format!("not even here {claim} holds")),
        }
    };
    Tile::of("Headroom", analysis.headroom.iter().map(figure).collect())
}

/// Returns a row of a contract; `None` if it was not measured.
pub(super) fn of_contract(row: &ContractRow, what: String) -> Option<TileFigure> {
    let measured = row.measured.as_ref()?;
    let claim = ClaimRow {
        what: what.clone(),
        quantity: row.quantity,
        direction: row.direction.unwrap_or(workload::Direction::Read),
        claimed: row.claimed.clone(),
        measured: Some(*measured),
        over_time: None,
        latency_ns_p99: None,
        depth: None,
        answer: row.answer,
        doubts: Vec::new(),
    };
    of_row(&claim, &in_words(&claim)).map(|figure| TileFigure { what, ..figure })
}
