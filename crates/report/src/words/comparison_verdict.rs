//! The verdict of a comparison of recorded runs in words: the greatest change, the odd one of several, and what burst
//! credits will undo.

use analysis::compare::{
    Comparison, Deviation, Fall, Measure, Outcome, Ratio, RatioAnswer, Row, Shown, farthest,
};
use workload::Direction;

use super::comparison_words::{cell, figure_words, label, three, title, work_words};
use super::numbers;

/// Share by which the ratios of reads and of writes may differ to be called alike.
const ALIKE: f64 = 0.02;
/// What one run each cannot exclude.
pub(crate) const ONCE: &str =
    " One run each, and the same volume may be faster or slower at another hour: repeat to be sure.";
/// Most sides or changes that are named.
const NAMED: usize = 3;

/// Returns how the second side differs from the first, or which of more sides is the odd one. `None` if there is
/// nothing that the figures show.
pub(crate) fn recorded(comparison: &Comparison) -> Option<String> {
    if comparison.sides.len() > 2 {
        return several(comparison);
    }
    match comparison.greatest(1) {
        Some(row) => Some(changed(comparison, row)),
        None => unchanged(comparison),
    }
}

fn ratio_of(row: &Row) -> Option<Ratio> {
    row.ratios.get(1).copied().flatten()
}

/// Returns the greatest change, then the other limits that changed, and what one run each cannot exclude.
fn changed(comparison: &Comparison, row: &Row) -> String {
    let Some(ratio) = ratio_of(row) else { return String::new() };
    let (first, other) = (title(comparison, 0), title(comparison, 1));
    let figure = row.figures[1].as_ref().map_or_else(String::new, |of| figure_words(of, row.measure));
    let at_limit = if row.work.depth.is_none() { " at its limit" } else { "" };
    let twin = comparison.deciding().iter().find(|twin| is_twin(row, twin));
    let alike = |twin: &&Row| ratio_of(twin).is_some_and(|of| (of.value / ratio.value - 1.0).abs() <= ALIKE);
    let which = match twin.filter(alike) {
        Some(_) => format!("{}reads and writes alike", block_words(row)),
        None => work_words(&row.work),
    };
    let mut text = format!(
        "{other} is {}{at_limit}: {figure}, {first} had {} ({which}).",
        by(row.measure, &ratio),
        cell(row, 0)
    );
    let shown =
        |of: &&Row| ratio_of(of).is_some_and(|ratio| matches!(ratio.shows(), Shown::Less | Shown::More));
    // A limit on operations shows in the bytes of every block, too: an equal change is no other one.
    let another = |of: &&Row| {
        let same = ratio_of(of).is_some_and(|of| (of.value / ratio.value - 1.0).abs() <= ALIKE);
        *of != row && (of.measure.is_latency() || !same)
    };
    let more: Vec<&Row> = comparison.deciding().iter().filter(another).filter(shown).collect();
    let named = more
        .iter()
        .take(NAMED)
        .filter_map(|row| Some(format!("{} {}", what(row), by(row.measure, &ratio_of(row)?))));
    let named = named.collect::<Vec<_>>().join("; ");
    if !named.is_empty() {
        let rest = more.len().saturating_sub(NAMED);
        text += &format!(
            " Also: {named}{}.",
            if rest > 0 { format!("; {rest} more above") } else { String::new() }
        );
    }
    text + &alike_limits(comparison) + once(comparison)
}

/// Returns the rates at the limits that are the same on both sides, so that a change of one is not taken for all.
fn alike_limits(comparison: &Comparison) -> String {
    let same = |row: &&Row| {
        !row.measure.is_latency() && ratio_of(row).is_some_and(|ratio| ratio.shows() == Shown::Same)
    };
    let words = |row: &Row| {
        let figure = row.figures[0].as_ref().map_or_else(String::new, |of| figure_words(of, row.measure));
        format!("{} ({figure})", what(row))
    };
    let named: Vec<String> = comparison.limits.iter().filter(same).map(words).collect();
    if named.is_empty() { String::new() } else { format!(" The same: {}.", named.join(", ")) }
}

/// Whether both rows are one figure, of reads and of writes.
fn is_twin(row: &Row, other: &Row) -> bool {
    row.measure == other.measure
        && row.work.direction != other.work.direction
        && (row.work.block, row.work.depth) == (other.work.block, other.work.depth)
        && other.work.is_pure()
}

fn what(row: &Row) -> String {
    if row.work.depth.is_some() && !row.measure.is_latency() {
        return work_words(&row.work);
    }
    let way = if row.work.direction == Some(Direction::Write) { "writes" } else { "reads" };
    let block = block_words(row);
    if row.measure.is_latency() { format!("the latency of {block}{way}") } else { format!("{block}{way}") }
}

fn block_words(row: &Row) -> String {
    row.work.block.map_or_else(String::new, |block| format!("{} ", numbers::block(block as f64)))
}

/// Describes a change: `20 % slower`, `2.4 times as fast`, `30 % longer`.
fn by(measure: Measure, ratio: &Ratio) -> String {
    let (more, less) = if measure.is_latency() { ("longer", "shorter") } else { ("faster", "slower") };
    let value = ratio.value;
    if !(0.5..=2.0).contains(&value) {
        let kind = if measure.is_latency() { "as long" } else { "as fast" };
        return format!("{} times {kind}", three(value));
    }
    let percent = (value - 1.0).abs() * 100.0;
    let digits = numbers::fixed(percent, usize::from(percent < 9.95));
    format!("{digits} % {}", if value < 1.0 { less } else { more })
}

/// Returns that nothing changed, or that a change is not certain and what these runs had. `None` without rows.
fn unchanged(comparison: &Comparison) -> Option<String> {
    let shown = comparison.shown();
    let (known, same) = (shown.len(), shown.iter().filter(|shown| **shown == Shown::Same).count());
    let mut ratios = comparison.deciding().iter().filter_map(ratio_of).peekable();
    if same == known && same > 0 || ratios.peek().is_none() {
        return (same > 0).then(|| the_same(comparison, same) + once(comparison));
    }
    let rates = comparison.deciding().iter().filter(|row| !row.measure.is_latency()).filter_map(ratio_of);
    let ends =
        rates.fold((f64::INFINITY, 0.0_f64), |(low, high), of| (low.min(of.value), high.max(of.value)));
    let has_intervals = ratios.any(|ratio| ratio.interval.is_some());
    let why = match known > 0 {
        true => "the intervals allow for either",
        false if has_intervals => "the rate at the limit is not certain in one of the runs",
        false => "too few runs",
    };
    Some(format!(
        "CANNOT TELL which is faster: {why}. In these runs {} did {} to {} times what {} did, by the load.",
        title(comparison, 1),
        three(ends.0),
        three(ends.1),
        title(comparison, 0)
    ))
}

/// Returns that all figures are the same, or that they are so for now.
pub(crate) fn the_same(comparison: &Comparison, figures: usize) -> String {
    match comparison.outcome {
        Outcome::ForNow => format!("THE SAME FOR NOW ({figures} figures within 5 %)."),
        _ => format!("THE SAME within 5 % in all {figures} figures."),
    }
}

/// Returns a caveat if every figure rests on a single run of each side.
fn once(comparison: &Comparison) -> &'static str {
    let mut ratios = comparison.deciding().iter().filter_map(ratio_of).peekable();
    let once = ratios.peek().is_some() && ratios.all(|ratio| ratio.answer == RatioAnswer::Repeat);
    if once { ONCE } else { "" }
}

/// Returns a sentence on each side that burst credits carry, for as long as they last.
pub(crate) fn falls(comparison: &Comparison) -> String {
    let of = |fall: &Fall| {
        let when = match fall.left_s {
            Some(left) if left > 0.0 => format!("in {}", numbers::span(left)),
            Some(_) => "at any time".to_owned(),
            None => "when that ends".to_owned(),
        };
        format!(
            " {} is on burst credits: {when} it falls from {} to {}.",
            label(comparison, fall.side),
            numbers::count(fall.burst),
            numbers::iops(fall.baseline)
        )
    };
    let named: String = comparison.falls.iter().take(NAMED).map(of).collect();
    let rest = comparison.falls.len().saturating_sub(NAMED);
    if rest > 0 { format!("{named} So are {rest} more.") } else { named }
}

/// Returns which of several sides are odd, the farthest from the median first.
fn several(comparison: &Comparison) -> Option<String> {
    let count = comparison.sides.len();
    let (farthest, others) = farthest(&comparison.deviations)?;
    let odd = odd_sides(comparison);
    let told = |of: &Deviation| {
        let row = &comparison.deciding()[of.row];
        let figure =
            row.figures[of.side].as_ref().map_or_else(String::new, |of| figure_words(of, row.measure));
        format!(
            "{figure}, the median of the {} is {} ({})",
            number(count),
            median(row, of.median),
            numbers::signed_share(of.share)
        )
    };
    let name = |of: &Deviation| title(comparison, of.side);
    Some(match odd.as_slice() {
        [] if farthest.share.abs() <= 0.05 => format!(
            "ALL ALIKE: no figure of the {} lies more than {} from the median.",
            number(count),
            numbers::share(farthest.share.abs())
        ),
        [] if farthest.is_alone(others) => format!(
            "CANNOT TELL whether one is odd. The farthest is {}: {}. The others lie within {} of the median, but are too few to \
             show how far such volumes stray; compare more.",
            name(&farthest),
            told(&farthest),
            numbers::share(others)
        ),
        [] => format!(
            "NONE STANDS OUT. The farthest is {}: {}. Another lies {} from the median.",
            name(&farthest),
            told(&farthest),
            numbers::share(others)
        ),
        [one] => format!("{} is the odd one: {}.", name(one), told(one)),
        more => {
            let names: Vec<String> =
                more.iter().take(NAMED).map(|one| format!("{}: {}", name(one), told(one))).collect();
            let rest = more.len().saturating_sub(NAMED);
            let rest = if rest > 0 { format!("; and {rest} more above") } else { String::new() };
            format!("{} of the {} are odd. {}{rest}.", more.len(), number(count), names.join("; "))
        }
    })
}

/// Returns the greatest odd deviation of each odd side, the farthest first.
pub(crate) fn odd_sides(comparison: &Comparison) -> Vec<Deviation> {
    let mut odd: Vec<Deviation> = comparison.deviations.iter().filter(|of| of.odd).copied().collect();
    // Of equal distances, in whole per cent, the first figure stays first.
    odd.sort_by_key(|of| std::cmp::Reverse((of.share.abs() * 50.0).round() as u64));
    let mut sides: Vec<Deviation> = Vec::new();
    for one in odd {
        if sides.iter().all(|known| known.side != one.side) {
            sides.push(one);
        }
    }
    sides
}

/// Formats the median of a row as its figures are.
pub(crate) fn median(row: &Row, value: f64) -> String {
    let some = row.figures.iter().flatten().next();
    some.map_or_else(String::new, |some| {
        figure_words(&analysis::compare::SideFigure { value, ..some.clone() }, row.measure)
    })
}

fn number(count: usize) -> String {
    let words = ["three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    count
        .checked_sub(3)
        .and_then(|at| words.get(at))
        .map_or_else(|| count.to_string(), |word| (*word).to_owned())
}
