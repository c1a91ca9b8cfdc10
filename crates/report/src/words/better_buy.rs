//! Which side of a comparison is the better buy, or without prices the faster one: the leading sentence, and the
//! prices as a table.

use analysis::compare::{Comparison, Measure, PriceRow, RatioAnswer};

use super::comparison_verdict::{ONCE, falls, recorded};
use super::comparison_words::{label, three, title, work_words};
use super::numbers::{self, Prefix};
use super::table::Table;
use crate::answers::turns;

/// Factor below which rates count as alike.
const ALIKE: f64 = 1.05;
/// I/Os a second that a price is quoted for: the price of one has too many zeros.
const OPERATIONS: f64 = 1_000.0;
/// Megabytes a second that a price is quoted for.
const MEGABYTES: f64 = 100.0;

/// Returns the conclusion of the comparison: which side is cheaper per unit if prices are known, or else which is
/// faster. For sides that were loaded in turns it has both. It ends with what burst credits will undo.
pub(crate) fn lead(comparison: &Comparison) -> Option<String> {
    let by_figures = || turns::verdict(comparison).or_else(|| recorded(comparison));
    let told = match by_price(comparison) {
        PriceAnswer::Told(words) => [Some(words), turns::beside_price(comparison)],
        PriceAnswer::CannotTell(why) => [Some(why.to_owned()), by_figures()],
        PriceAnswer::NotAsked => [by_figures(), None],
    };
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join(" ") + &falls(comparison))
}

/// The answer by price.
enum PriceAnswer {
    Told(String),
    CannotTell(&'static str),
    /// No price is known, or nothing was measured that could be priced.
    NotAsked,
}

/// Prices of a row, one for each side.
type Prices = Vec<Option<f64>>;

/// Number of rows in which a side is the cheapest, and the range of factors by which it is.
struct Tally {
    side: usize,
    rows: usize,
    least: f64,
    most: f64,
}

fn by_price(comparison: &Comparison) -> PriceAnswer {
    match comparison.sides.iter().filter(|side| side.price.is_some()).count() {
        0 => return PriceAnswer::NotAsked,
        1 => return PriceAnswer::CannotTell("CANNOT TELL which is the better buy: only one has a price."),
        _ => {}
    }
    if !one_currency(comparison) {
        return PriceAnswer::CannotTell(
            "CANNOT TELL which is the better buy: their prices are in different currencies.",
        );
    }
    let rows = rate_rows(comparison);
    match alone_within(comparison, &rows).or_else(|| told(comparison, &rows)) {
        Some(words) => PriceAnswer::Told(words + once(comparison)),
        None => PriceAnswer::NotAsked,
    }
}

/// Returns the price rows of rates; if a latency bound is set, only the rows within the bound.
fn rate_rows(comparison: &Comparison) -> Vec<&PriceRow> {
    let rates: Vec<&PriceRow> = comparison.prices.iter().filter(|row| row.measure.is_some()).collect();
    let within: Vec<&PriceRow> = rates.iter().copied().filter(|row| row.within.is_some()).collect();
    if within.is_empty() { rates } else { within }
}

fn one_currency(comparison: &Comparison) -> bool {
    let mut currencies: Vec<&str> = comparison
        .sides
        .iter()
        .filter_map(|side| side.price.as_ref())
        .map(|price| price.currency.as_str())
        .collect();
    currencies.dedup();
    currencies.len() == 1
}

/// Returns a sentence if in every row the same side is the only one that keeps the latency bound.
fn alone_within(comparison: &Comparison, rows: &[&PriceRow]) -> Option<String> {
    let only = |row: &&PriceRow| -> Option<usize> {
        let within = row.within.as_ref()?;
        let mut kept = (0..within.reached.len()).filter(|side| within.reached[*side].is_some());
        let first = kept.next()?;
        kept.next().is_none().then_some(first)
    };
    let sides: Option<Vec<usize>> = rows.iter().map(only).collect();
    let sides = sides.filter(|sides| sides.windows(2).all(|pair| pair[0] == pair[1]))?;
    let side = title(comparison, *sides.first()?);
    Some(format!("BETTER BUY: {side}, which alone keeps what is required{}.", bounded(rows)))
}

/// Returns the latency bound as a clause: `, p99 within 10 ms`.
fn bounded(rows: &[&PriceRow]) -> String {
    let within = rows.first().and_then(|row| row.within.as_ref());
    within.map_or_else(String::new, |within| {
        format!(", p99 within {}", numbers::time(within.latency_ns_p99 as f64))
    })
}

/// Counts for each side the rows in which it is cheapest, and sorts the sides by that count, greatest first. Rows
/// with fewer than two prices, and rows with equal prices, count for no side.
fn tallies(rows: &[Prices]) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = Vec::new();
    for row in rows {
        let mut known: Vec<(usize, f64)> =
            row.iter().enumerate().filter_map(|(side, price)| Some((side, (*price)?))).collect();
        known.sort_by(|a, b| a.1.total_cmp(&b.1));
        let [first, second, ..] = known.as_slice() else { continue };
        let times = second.1 / first.1;
        if times < ALIKE {
            continue;
        }
        match tallies.iter_mut().find(|tally| tally.side == first.0) {
            Some(tally) => {
                tally.rows += 1;
                tally.least = tally.least.min(times);
                tally.most = tally.most.max(times);
            }
            None => tallies.push(Tally { side: first.0, rows: 1, least: times, most: times }),
        }
    }
    tallies.sort_by_key(|tally| std::cmp::Reverse(tally.rows));
    tallies
}

/// Returns the answer by price in a sentence or two; `None` if no row has two prices. If another answer follows from the
/// rates that last after bursts, the first holds for now.
fn told(comparison: &Comparison, rows: &[&PriceRow]) -> Option<String> {
    let all = rows.iter().filter(|row| row.prices.iter().flatten().count() > 1).count();
    let now = tallies(&rows.iter().map(|row| row.prices.clone()).collect::<Vec<_>>());
    let later = lasting(rows).map(|prices| tallies(&prices));
    let alone = |tallies: &[Tally]| match tallies {
        [one] if one.rows == all => Some(one.side),
        _ => None,
    };
    let stays = later.as_ref().is_none_or(|later| alone(later) == alone(&now));
    let bound = bounded(rows);
    let first = match now.as_slice() {
        _ if all == 0 => return None,
        [] => format!("THE SAME by price in {}{bound}.", every(all)),
        [one] if one.rows == all => format!(
            "BETTER BUY{}: {}. The same rate costs {} as much on {}, in {}{bound}.",
            if stays { "" } else { " FOR NOW" },
            title(comparison, one.side),
            times(one.least, one.most),
            others(comparison, one.side),
            every(all)
        ),
        several => {
            let alike = all - several.iter().map(|tally| tally.rows).sum::<usize>();
            let rest = match alike {
                0 => String::new(),
                1 => "; in 1 they cost the same within 5 %".to_owned(),
                many => format!("; in {many} they cost the same within 5 %"),
            };
            format!(
                "DEPENDS ON THE LOAD: of {all} the cheaper by the unit is {}{bound}{rest}.",
                each(comparison, several)
            )
        }
    };
    let then = match later.as_deref() {
        None => String::new(),
        Some([]) => " At the rates that last, without bursts, they cost the same.".to_owned(),
        Some([one]) if stays => {
            format!(" At the rates that last, without bursts: {}.", times(one.least, one.most))
        }
        Some([one]) if one.rows == all => format!(
            " At the rates that last, without bursts, {} is the better buy, by {}.",
            label(comparison, one.side),
            times(one.least, one.most)
        ),
        Some(several) => {
            format!(" At the rates that last, without bursts, the cheaper is {}.", each(comparison, several))
        }
    };
    Some(first + &then)
}

/// Returns the dearer sides of a comparison in which one is cheaper: the other of two, or the next of several.
fn others(comparison: &Comparison, cheaper: usize) -> String {
    match comparison.sides.len() {
        2 => title(comparison, 1 - cheaper),
        _ => "the next cheapest".to_owned(),
    }
}

/// Returns in how many loads each side is the cheapest, and by what factors.
fn each(comparison: &Comparison, tallies: &[Tally]) -> String {
    let loads = |count: usize| if count == 1 { "1 load".to_owned() } else { format!("{count} loads") };
    let each = tallies.iter().map(|tally| {
        let by = times(tally.least, tally.most);
        format!("{} in {} ({by})", title(comparison, tally.side), loads(tally.rows))
    });
    each.collect::<Vec<_>>().join(", ")
}

fn every(all: usize) -> String {
    if all == 1 { "the load that was priced".to_owned() } else { format!("all {all} loads that were priced") }
}

/// Formats factors: `14.8 to 57.4 times`, `2.00 times`.
fn times(least: f64, most: f64) -> String {
    match three(least) == three(most) {
        true => format!("{} times", three(most)),
        false => format!("{} to {} times", three(least), three(most)),
    }
}

/// Returns the prices at the rates that last; `None` if no figure was reached in a burst.
fn lasting(rows: &[&PriceRow]) -> Option<Vec<Prices>> {
    let of_row = |row: &&PriceRow| -> Prices {
        let price = |(price, baseline): (&Option<f64>, &Option<f64>)| baseline.or(*price);
        row.prices.iter().zip(&row.at_baseline).map(price).collect()
    };
    let in_burst = |row: &&PriceRow| row.at_baseline.iter().any(Option::is_some);
    rows.iter().any(in_burst).then(|| rows.iter().map(of_row).collect())
}

/// Returns a caveat if every figure rests on a single run of each side.
fn once(comparison: &Comparison) -> &'static str {
    let mut ratios = comparison.rows.iter().flat_map(|row| row.ratios.iter().flatten()).peekable();
    let once = ratios.peek().is_some() && ratios.all(|ratio| ratio.answer == RatioAnswer::Repeat);
    if once { ONCE } else { "" }
}

/// Detail with which a table gives each price.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// The price alone.
    Little,
    /// Also the rate reached for it, and the price at the baseline after a burst.
    Enough,
}

/// Returns the monthly prices, with a row for each unit, a column for each side and the cheaper one; no rows
/// without prices.
pub(crate) fn price_table(comparison: &Comparison, room: Room) -> Table {
    let mut table = Table { head: vec!["price a month of".to_owned()], rows: Vec::new() };
    table.head.extend((0..comparison.sides.len()).map(|side| label(comparison, side)));
    table.head.push("cheaper".to_owned());
    for row in &comparison.prices {
        let mut cells = vec![what(row)];
        cells.extend((0..comparison.sides.len()).map(|side| cell(comparison, row, (side, room))));
        cells.push(cheaper(comparison, row));
        table.rows.push(cells);
    }
    table
}

/// Returns the priced unit of a row: `1,000 IOPS of 4 KiB random reads, depth 64`.
fn what(row: &PriceRow) -> String {
    let work = row.work.as_ref().map(work_words).unwrap_or_default();
    let within = row.within.as_ref().map_or_else(String::new, |within| {
        format!(", p99 within {}", numbers::time(within.latency_ns_p99 as f64))
    });
    match row.measure {
        None => "1 GB of space".to_owned(),
        Some(Measure::Iops) => format!("{} IOPS of {work}{within}", numbers::count(OPERATIONS)),
        Some(_) => format!("{} MB/s of {work}{within}", numbers::count(MEGABYTES)),
    }
}

fn cell(comparison: &Comparison, row: &PriceRow, (side, room): (usize, Room)) -> String {
    let units = match row.measure {
        Some(Measure::Iops) => OPERATIONS,
        Some(_) => MEGABYTES,
        None => 1.0,
    };
    let currency = comparison.sides.get(side).and_then(|facts| facts.price.as_ref());
    let currency = currency.map_or("", |price| price.currency.as_str());
    let space = if currency.is_empty() { "" } else { " " };
    let amount = |price: f64| format!("{currency}{space}{}", three(price * units));
    let reached = row.within.as_ref().map(|within| within.reached.get(side).copied().flatten());
    if reached == Some(None) {
        return "never within it".to_owned();
    }
    let Some(price) = row.prices.get(side).copied().flatten() else { return String::new() };
    let baseline = row.at_baseline.get(side).copied().flatten();
    let mut words = amount(price);
    if room == Room::Little {
        return if baseline.is_some() { format!("{words}*") } else { words };
    }
    if let Some(Some(reached)) = reached {
        let rate = match row.measure {
            Some(Measure::Iops) => numbers::iops(reached.rate),
            _ => numbers::bandwidth(reached.rate, Prefix::Binary),
        };
        let depth = reached.depth.map_or_else(String::new, |depth| format!(" at depth {depth}"));
        words += &format!(" ({rate}{depth})");
    }
    if let Some(price) = baseline {
        words += &format!(" (in a burst; {} at its baseline)", amount(price));
    }
    words
}

/// Returns the cheapest side, and how many times as much the next one costs: `do, 57.4 times`.
fn cheaper(comparison: &Comparison, row: &PriceRow) -> String {
    match row.cheapest {
        Some(found) if found.times >= 1.005 => {
            format!("{}, {} times", label(comparison, found.side), three(found.times))
        }
        Some(_) => "the same".to_owned(),
        None => String::new(),
    }
}

/// Explains the star at a price, in a line for each side that has one.
pub(crate) fn baseline_notes(comparison: &Comparison) -> Vec<String> {
    let of_side = |side: usize| {
        let factors = comparison.prices.iter().filter_map(|row| {
            let (price, baseline) =
                (row.prices.get(side).copied().flatten()?, row.at_baseline.get(side).copied().flatten()?);
            Some(baseline / price)
        });
        let factors: Vec<f64> = factors.collect();
        let (least, most) = (
            factors.iter().copied().fold(f64::INFINITY, f64::min),
            factors.iter().copied().fold(0.0, f64::max),
        );
        (!factors.is_empty()).then(|| {
            format!(
                "* {} in a burst: at its baseline {} as much.",
                label(comparison, side),
                times(least, most)
            )
        })
    };
    (0..comparison.sides.len()).filter_map(of_side).collect()
}
