//! Tiles: the figures that answer at a glance, each with its interval and compared with what is promised.

use analysis::{
    Analysis, Answer, BurstPart, ClaimRow, ContractRow, Doubt, Estimate, Greatest, HeadroomAnswer,
    LatencyRole, LatencyRow, MapAnswer, ProcedureAnswer, Quantity, Resource, SoakAnswer,
};
use record::Run;

use super::claims::{ClaimWords, answer_words, in_words, unit_of};
use super::doubt::{counted, ending};
use super::drained;
use super::numbers::{self, IOPS, Unit};
use super::sentence::plural;
use super::sought::bound_words;
use super::tiles_of_loads;
use super::wrap::clean;

/// Most figures of a tile; the tables have the others.
pub(super) const FIGURES: usize = 2;

/// A tile: what it is about, and its figures.
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
    /// Unit; empty if the tile's name or the value has it.
    pub unit: String,
    /// What the figure measures: `4 KiB read IOPS`.
    pub what: String,
    /// What is promised for it.
    pub promised: Option<PromiseWords>,
}

/// What is promised, and how the figure compares with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PromiseWords {
    /// Promise and answer: `of 3,000: meets`.
    pub words: String,
    /// Figure as a share of what is promised, 1 if equal.
    pub share: f64,
    /// Answer.
    pub answer: Answer,
}

impl Tile {
    /// Returns a tile with the first [`FIGURES`] figures; `None` without any.
    pub(super) fn of(name: &str, mut figures: Vec<TileFigure>) -> Option<Tile> {
        figures.truncate(FIGURES);
        figures.iter_mut().filter(|figure| figure.unit == name).for_each(|figure| figure.unit.clear());
        (!figures.is_empty()).then(|| Tile { name: clean(name), figures })
    }
}

impl TileFigure {
    /// Returns a figure whose value needs no unit.
    pub(super) fn plain(value: String, what: String) -> TileFigure {
        TileFigure { value, unit: String::new(), what, promised: None }
    }

    /// Returns an estimate in its unit, without an interval if it has none.
    pub(super) fn estimate(estimate: &Estimate, unit: Unit, what: String) -> TileFigure {
        let value = match estimate.half_width() {
            half if half > 0.0 => numbers::estimate(estimate, unit),
            _ => numbers::figure(estimate.value / unit.factor),
        };
        TileFigure { value, unit: unit.name.to_owned(), what, promised: None }
    }

    /// Returns a time without an interval.
    pub(super) fn time(nanoseconds: f64, what: String) -> TileFigure {
        TileFigure::plain(numbers::time(nanoseconds), what)
    }
}

/// Returns the tiles of a run, what was asked for first; empty if it has no figures.
pub(crate) fn tiles(run: &Run, analysis: &Analysis) -> Vec<Tile> {
    if let Some(watched) = &analysis.watched {
        return tiles_of_loads::of_watch(watched);
    }
    let answers: Vec<Tile> =
        analysis.answered.iter().flat_map(ProcedureAnswer::each).flat_map(of_answer).collect();
    let mut tiles = of_claims(analysis);
    if tiles.is_empty() && analysis.answered.is_none() {
        return tiles_of_loads::of_jobs(&analysis::cells(run));
    }
    tiles.extend(latency(analysis));
    tiles.extend(burst_of_policy(analysis));
    tiles.extend(answers);
    tiles.extend(of_expectation(analysis));
    tiles
}

/// Returns the rates that are claimed, or without claims the caps.
fn of_claims(analysis: &Analysis) -> Vec<Tile> {
    let of = |name, quantity: &[Quantity]| Tile::of(name, rows(analysis, quantity));
    [of("IOPS", &[Quantity::Iops]), of("Throughput", &[Quantity::BytesPerSecond])]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the rows of these quantities, starting with those that miss what is promised.
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

/// Returns claimed latencies, or else those of one I/O at a time.
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

/// Returns what the given policy says about a burst that may have been measured.
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

fn of_answer(answered: &ProcedureAnswer) -> Vec<Tile> {
    match answered {
        ProcedureAnswer::Burst(answer) => answer.parts.iter().flat_map(of_drain).collect(),
        ProcedureAnswer::Headroom(answer) => of_headroom(answer),
        ProcedureAnswer::Map(answer) => of_map(answer),
        ProcedureAnswer::Soak(answer) => of_soak(answer),
        ProcedureAnswer::Check(_) | ProcedureAnswer::Places(_) | ProcedureAnswer::Together(_) => Vec::new(),
    }
}

/// Returns the two levels of a volume that was drained, and how long the first lasted.
fn of_drain(part: &BurstPart) -> Vec<Tile> {
    let name = if part.resource == Resource::Iops { "IOPS" } else { "Throughput" };
    let published = part.published.as_ref();
    let level = |estimate: Option<Estimate>, what: &str, promised: Option<f64>| {
        let estimate = estimate?;
        let unit = drained::unit(estimate.value, part);
        let of = promised.filter(|value| *value > 0.0).map(|value| PromiseWords {
            words: format!("policy: {}", numbers::in_unit(value, unit)),
            share: estimate.value / value,
            answer: Answer::Measured,
        });
        Some(TileFigure { promised: of, ..TileFigure::estimate(&estimate, unit, what.to_owned()) })
    };
    let first = if part.fell() { "while the burst lasts" } else { "without a fall" };
    let fell = part.fell();
    let burst = level(part.burst, first, published.filter(|_| fell).map(|published| published.burst));
    let base = level(part.base, "when it is over", published.map(|published| published.base));
    let levels = Tile::of(name, burst.into_iter().chain(base).collect());
    levels.into_iter().chain(lasted(part)).collect()
}

fn lasted(part: &BurstPart) -> Option<Tile> {
    let lasted = part.lasted_s?;
    let promised =
        part.published.as_ref().and_then(|published| published.lasts_s).map(|lasts| PromiseWords {
            words: format!("policy: {}", numbers::span(lasts)),
            share: lasted / lasts,
            answer: Answer::Measured,
        });
    let of = counted(part.resource);
    let first = TileFigure {
        promised,
        ..TileFigure::plain(numbers::span(lasted), format!("the first one, of {of}"))
    };
    let rest = part
        .minute_after_s
        .map(|seconds| TileFigure::plain(numbers::span(seconds), "of rest for a minute of it".to_owned()));
    Tile::of("Burst", std::iter::once(first).chain(rest).collect())
}

fn of_headroom(answer: &HeadroomAnswer) -> Vec<Tile> {
    let bound = answer.binds.and_then(|at| answer.bounds.get(at)).or(answer.bounds.first());
    let bound = bound.map_or_else(String::new, |bound| bound_words(*bound));
    let found = answer.greatest.map(|greatest| match greatest {
        Greatest::Found(rate) => TileFigure::estimate(&rate, IOPS, format!("up to here {bound}")),
        Greatest::Between(rate) => TileFigure {
            unit: IOPS.name.to_owned(),
            ..TileFigure::plain(
                format!("{} to {}", numbers::count(rate.low), numbers::count(rate.high)),
                format!("between these {bound} ends"),
            )
        },
        Greatest::AtLeast(rate) => {
            TileFigure::plain(numbers::iops(rate), format!("at least: {bound} at the most that was tried"))
        }
        Greatest::AtMost(rate) => TileFigure::plain(numbers::iops(rate), format!("not even here {bound}")),
    });
    let full = answer
        .full_queue
        .map(|rate| TileFigure::plain(numbers::iops(rate), "a queue that is kept full".to_owned()));
    let held = answer.loads.iter().filter(|load| load.holds()).max_by(|a, b| a.rate.total_cmp(&b.rate));
    let at_it = held.map(|load| {
        let times = load.percentiles_ns.iter().filter(|(percent, _)| *percent == 50.0 || *percent == 99.0);
        let at = numbers::iops(load.rate);
        times.map(|(percent, time)| TileFigure::time(*time as f64, format!("p{percent} at {at}"))).collect()
    });
    let tiles = [
        Tile::of("Headroom", found.into_iter().collect()),
        Tile::of("Full queue", full.into_iter().collect()),
        Tile::of("Latency", at_it.unwrap_or_default()),
    ];
    tiles.into_iter().flatten().collect()
}

/// Returns where the caps of a map meet, and the depth that fills them; the caps themselves are rows of the
/// verdict.
fn of_map(answer: &MapAnswer) -> Vec<Tile> {
    let crossing = answer.directions.iter().filter_map(|map| {
        let at = map.crossover?.at.value;
        let what = format!("{}: operations bind below, bytes above", plural(map.direction));
        Some(TileFigure::plain(numbers::block(at), what))
    });
    let depth = answer.directions.iter().filter_map(|map| {
        let knee = map.knees.first()?;
        let star = knee.star?.value.ceil();
        let what = format!("fills {} of {}", plural(map.direction), numbers::block(knee.block as f64));
        Some(TileFigure::plain(numbers::count(star), what)).filter(|_| star >= 1.0)
    });
    let tiles = [Tile::of("Crossover", crossing.collect()), Tile::of("Queue depth", depth.collect())];
    tiles.into_iter().flatten().collect()
}

fn of_soak(answer: &SoakAnswer) -> Vec<Tile> {
    let level = |estimate: Option<Estimate>, what: &str| {
        estimate.map(|estimate| TileFigure::estimate(&estimate, IOPS, what.to_owned()))
    };
    let levels = level(answer.steady, "steady state").or_else(|| level(answer.middle, "half of the time"));
    let kept = answer.promise.as_ref().map(|promise| {
        let share = promise.share.value;
        let promised = promise.time.map(|time| PromiseWords {
            words: format!("of {}: {}", numbers::share(time), answer_words(promise.answer)),
            share: share / time,
            answer: promise.answer,
        });
        let what = format!("of the time {} or more", numbers::iops(promise.iops * promise.fraction));
        TileFigure { promised, ..TileFigure::plain(numbers::share(share), what) }
    });
    let tiles =
        [Tile::of("IOPS", levels.into_iter().collect()), Tile::of("Kept", kept.into_iter().collect())];
    tiles.into_iter().flatten().collect()
}

/// Returns the greatest rates at which the expected latencies hold.
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
        latency_ns_p99: None,
        depth: None,
        answer: row.answer,
        doubts: Vec::new(),
    };
    of_row(&claim, &in_words(&claim)).map(|figure| TileFigure { what, ..figure })
}
