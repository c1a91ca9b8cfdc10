//! A comparison in turns in words: its conclusion, a line for each figure, and what the lines rest on.

use analysis::compare::{ALPHA, Basis, Comparison, Measure, Outcome, Pairs, Ratio, RatioAnswer, Row};
use workload::TurnsRequest;

use crate::words::comparison_words as words;
use crate::words::numbers;
use crate::words::wrap::wrap;

/// Most differences that the first sentence names; the table has all.
const NAMED: usize = 3;

/// Variation from turn to turn for which a forecast is made: that of calm cloud volumes, chosen by us.
const USUAL: f64 = 0.02;

/// A row with the ratio of its other side to the first, paired block by block.
type PairedRow<'c> = (&'c Row, &'c Ratio, Pairs);

fn paired(comparison: &Comparison) -> Vec<PairedRow<'_>> {
    let of = |row| -> Vec<PairedRow<'_>> {
        let row: &Row = row;
        row.ratios.iter().flatten().filter_map(|ratio| Some((row, ratio, ratio.pairs?))).collect()
    };
    comparison.rows.iter().flat_map(of).collect()
}

/// Returns how many figures differ, and how many are equal within the margin.
fn counts(rows: &[PairedRow<'_>]) -> (usize, usize) {
    let count = |wanted: RatioAnswer| rows.iter().filter(|(_, ratio, _)| ratio.answer == wanted).count();
    (count(RatioAnswer::Differs), count(RatioAnswer::Same))
}

/// Returns the conclusion of the comparison in a sentence or two; `None` if the sides were not loaded in turns.
pub fn verdict(comparison: &Comparison) -> Option<String> {
    let ask = comparison.in_turns.as_ref()?;
    let rows = paired(comparison);
    let most = rows.iter().map(|(.., pairs)| pairs.blocks).max().unwrap_or(0);
    if rows.iter().all(|(_, ratio, _)| ratio.interval.is_none()) {
        return Some(format!(
            "CANNOT TELL: {} of {} blocks are whole, and fewer than six give no interval at 95 %.",
            most,
            ask.blocks()
        ));
    }
    let (differ, same) = counts(&rows);
    let (all, margin) = (rows.len(), numbers::share(ask.margin));
    Some(match (differ, same) {
        (0, same) if same == all && comparison.outcome == Outcome::ForNow => {
            format!("THE SAME FOR NOW ({all} figures within {margin}).")
        }
        (0, same) if same == all => format!("THE SAME within {margin} in all {all} figures."),
        (0, same) => format!(
            "UNDECIDED in {} of {all} figures: no difference is certain, and none of {margin} can be excluded there.{}",
            all - same,
            others_same(same, &margin)
        ),
        (differ, same) => format!(
            "DIFFERENT in {differ} of {all} figures. {}.{}{}",
            limits(comparison, &rows).unwrap_or_else(|| greatest(comparison, &rows)),
            others_same(same, &margin),
            others_open(all - differ - same)
        ),
    })
}

/// Returns the conclusion as it follows that of the prices, where "the same" would seem to contradict it.
pub fn beside_price(comparison: &Comparison) -> Option<String> {
    let ask = comparison.in_turns.as_ref()?;
    let rows = paired(comparison);
    if rows.is_empty() || counts(&rows) != (0, rows.len()) {
        return verdict(comparison);
    }
    let now = if comparison.falls.is_empty() { "" } else { " for now" };
    let (all, margin) = (rows.len(), numbers::share(ask.margin));
    Some(format!("They are equally fast{now}: all {all} figures are the same within {margin}."))
}

/// Returns the difference of the limits, if both sides show theirs by exact counts and one is lower.
fn limits(comparison: &Comparison, rows: &[PairedRow<'_>]) -> Option<String> {
    let is_limit = |(_, ratio, _): &&PairedRow<'_>| {
        ratio.basis == Basis::ExactRates && ratio.answer == RatioAnswer::Differs
    };
    // A limit on operations shows in the bytes of every block, too: of equal changes that of operations leads.
    let size = |(row, ratio, _): &PairedRow<'_>| {
        (ratio.value.ln().abs() * 100.0).round() + f64::from(u8::from(row.measure == Measure::Iops)) / 2.0
    };
    let (row, ratio, _) = rows.iter().filter(is_limit).max_by(|a, b| size(a).total_cmp(&size(b)))?;
    let figure = row.figures[1].as_ref().map(|figure| words::figure_words(figure, row.measure))?;
    let (first, other) = (words::title(comparison, 0), words::title(comparison, 1));
    Some(format!(
        "The limit of {other} is {}: {figure} against {} of {first}",
        by(ratio),
        words::cell(row, 0)
    ))
}

/// Describes a change without its interval: `5.0 % lower`, `2.4 times as much`.
fn by(ratio: &Ratio) -> String {
    if !(0.5..=2.0).contains(&ratio.value) {
        return format!("{} times as much", words::three(ratio.value));
    }
    let percent = numbers::fixed((ratio.value - 1.0).abs() * 100.0, 1);
    format!("{percent} % {}", if ratio.value < 1.0 { "lower" } else { "higher" })
}

fn others_same(same: usize, margin: &str) -> String {
    match same {
        0 => String::new(),
        1 => format!(" One is the same within {margin}."),
        same => format!(" {same} are the same within {margin}."),
    }
}

fn others_open(open: usize) -> String {
    match open {
        0 => String::new(),
        1 => " One is undecided.".to_owned(),
        open => format!(" {open} are undecided."),
    }
}

/// Returns the rows that differ most, rates before latencies.
fn greatest(comparison: &Comparison, rows: &[PairedRow<'_>]) -> String {
    let mut found: Vec<&PairedRow<'_>> =
        rows.iter().filter(|(_, ratio, _)| ratio.answer == RatioAnswer::Differs).collect();
    found.sort_by(|a, b| {
        let size = |row: &PairedRow<'_>| row.1.value.ln().abs();
        (a.0.measure.is_latency(), size(b))
            .partial_cmp(&(b.0.measure.is_latency(), size(a)))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let other = words::title(comparison, 1);
    let told = found.iter().take(NAMED).map(|(row, ratio, _)| {
        let (measure, work) = (words::measure_words(row.measure), words::work_words(&row.work));
        format!("{measure} {} at {work}", by(ratio))
    });
    let told = told.collect::<Vec<_>>().join("; ");
    let more = found.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    format!("{other}: {told}{more}")
}

/// Returns sentences on what the lines of the table rest on.
pub fn notes(comparison: &Comparison) -> Vec<String> {
    let Some(ask) = &comparison.in_turns else { return Vec::new() };
    let rows = paired(comparison);
    let Some((.., pairs)) = rows.first() else { return Vec::new() };
    // Only a single comparison is evaluated before its end; several are judged once, together.
    let looks = if pairs.comparisons == 1 { ask.look_at.as_slice() } else { &[] };
    let mut notes = vec![rests_on(looks, pairs), decided_by((ask, looks.len().max(1)), rows.len())];
    notes.extend(detected(&rows));
    notes.extend(by_limits(&rows));
    notes.extend(between(pairs));
    notes.extend(speaks_for(pairs));
    notes.extend(more_blocks(&rows));
    notes
}

/// Returns a sentence on the number of blocks, on the numbers of blocks `look_at` after which they were evaluated,
/// and on how a figure is derived from them.
fn rests_on(look_at: &[u32], pairs: &Pairs) -> String {
    let blocks = format!("{} blocks", pairs.blocks);
    let of =
        if pairs.comparisons > 1 { format!("{blocks} of {} comparisons", pairs.comparisons) } else { blocks };
    let looks = match look_at.len() {
        0 | 1 => String::new(),
        looks => format!(
            " It was planned to look {looks} times (after {} blocks), so each look has a part of the 5 % (Bonferroni).",
            look_at.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
        ),
    };
    let how = match pairs.comparisons {
        1 => {
            "the typical difference of a block's two turns and its 95 % interval, from the signed rank test (Hodges, Lehmann \
              1963; order of turns drawn from the seed)"
        }
        _ => "the mean over comparisons with its 95 % t interval: volumes and hours are drawn too",
    };
    format!("{of}: {how}.{looks}")
}

/// Returns what "differs" and "the same" mean in a table of `rows` figures.
fn decided_by((ask, looks): (&TurnsRequest, usize), rows: usize) -> String {
    let margin = numbers::share(ask.margin);
    // Two one-sided tests, each at ALPHA, divided among the looks.
    let level = numbers::share(1.0 - 2.0 * ALPHA / looks as f64);
    format!(
        "\"Differs\" is said of {rows} figures together at 5 % of false alarms (Benjamini, Hochberg 1995); \"the same\" where the \
         {level} interval lies within {margin} (--margin)."
    )
}

/// Returns what this comparison could detect in its rates, by the noise that it had.
fn detected(rows: &[PairedRow<'_>]) -> Option<String> {
    let shares =
        rows.iter().filter(|(row, ..)| !row.measure.is_latency()).filter_map(|(.., of)| of.detectable);
    let (least, most) =
        shares.fold((f64::INFINITY, 0.0_f64), |(low, high), one| (low.min(one), high.max(one)));
    let blocks = rows.first()?.2.blocks;
    let least_words = numbers::share(least);
    (most > 0.0).then(|| match numbers::share(most) {
        most if most == least_words => format!("At this noise {blocks} blocks can detect a difference of {most} or more in a rate, four times of five."),
        most => {
            format!("At this noise {blocks} blocks can detect a difference of {least_words} or more in the steadiest rate and of {most} in the least steady, four times of five.")
        }
    })
}

/// Returns a sentence on rates that are compared by the limits of both sides.
fn by_limits(rows: &[PairedRow<'_>]) -> Option<String> {
    let count = rows.iter().filter(|(_, ratio, _)| ratio.basis == Basis::ExactRates).count();
    (count > 0).then(|| {
        format!(
            "{count} of the rates {} at which many counts of both sides agree exactly, as only a limit makes them, whatever held \
             up the others.",
            if count == 1 { "is one" } else { "are those" }
        )
    })
}

/// Returns a sentence on how much the difference varies between several comparisons.
fn between(pairs: &Pairs) -> Option<String> {
    let between = pairs.between?;
    Some(format!(
        "From one comparison to the next the difference strays by {} (first figure).",
        numbers::share(between)
    ))
}

/// Returns a sentence on what one comparison cannot see: anything that varies more slowly than the comparison
/// lasts.
fn speaks_for(pairs: &Pairs) -> Option<String> {
    let scope = "It speaks for these two volumes and these minutes; what strays more slowly than that looks like a difference. \
                 Compare again at another hour, and give compare all the files.";
    (pairs.comparisons == 1).then(|| match pairs.strays_slowly {
        true => format!(
            "A SIDE STRAYS SLOWLY, as far as its blocks tell ({} likely), so that the intervals are wide. More time tells, more \
             blocks in the same time do not. {scope}",
            numbers::share(pairs.wanders)
        ),
        false => scope.to_owned(),
    })
}

/// Returns how many blocks would settle the undecided rows.
fn more_blocks(rows: &[PairedRow<'_>]) -> Option<String> {
    let needed = rows.iter().filter_map(|(_, ratio, pairs)| match ratio.answer {
        RatioAnswer::Undecided { runs } if pairs.comparisons == 1 && !pairs.strays_slowly => Some(runs),
        _ => None,
    });
    let needed = needed.max()?;
    Some(match needed {
        1000.. => "Even 1,000 blocks would not settle every figure at this noise: longer turns (--turn), or a wider --margin.".to_owned(),
        needed => format!("About {needed} blocks (--blocks {needed}) would likely settle what is undecided."),
    })
}

/// Forecast of a comparison in turns.
pub struct TurnsForecast {
    /// Most seconds that the comparison takes.
    pub seconds: f64,
    /// Whether `seconds` is virtual time, which costs no real time.
    pub in_virtual_time: bool,
    /// Numbers of blocks after which the result is evaluated; the last one is the end.
    pub look_at: Vec<u32>,
    /// Number of loads in a block.
    pub loads: usize,
    /// Number of these loads that write.
    pub writing: usize,
    /// Bytes to be laid out beforehand, on all sides.
    pub laid_out: u64,
    /// Loads left out because one side may only be read.
    pub left_out: Vec<String>,
}

/// Returns the steps and the duration of a comparison, to be printed before anything starts.
pub fn turns_forecast(forecast: &TurnsForecast) -> String {
    let blocks = forecast.look_at.last().copied().unwrap_or(0);
    let (span, loads) = (numbers::span(forecast.seconds), forecast.loads);
    let takes =
        if forecast.in_virtual_time { format!("{span} of virtual time") } else { format!("about {span}") };
    let most = if forecast.look_at.len() > 1 { "up to " } else { "" };
    let load = if loads == 1 { "one load".to_owned() } else { format!("{loads} loads") };
    let mut text = format!("In turns, {most}{blocks} blocks of {load} on each side, order drawn: {takes}.");
    if let [looks @ .., _] = forecast.look_at.as_slice()
        && !looks.is_empty()
    {
        let looks = looks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        text += &format!(" Ends after {looks} blocks where every answer is certain by then.");
    }
    if let Some(times) = analysis::compare::reach(blocks as usize, forecast.look_at.len(), loads) {
        text += &format!(
            " If turns vary by {}, {blocks} blocks can detect a difference of {} or more (four times of five); where both sides \
             run at an exact limit, far less.",
            numbers::share(USUAL),
            numbers::share(times * USUAL)
        );
    }
    if forecast.laid_out > 0 {
        text += &format!(" Lays out {} first.", numbers::size(forecast.laid_out));
    }
    match (forecast.writing, loads) {
        (0, _) => {}
        (1, 1) => text += " It writes.",
        (1, _) => text += " One of them writes.",
        (writing, _) => text += &format!(" {writing} of them write."),
    }
    if !forecast.left_out.is_empty() {
        text += &format!(" Left out, since a side is only read: {}.", forecast.left_out.join(", "));
    }
    wrap("", &text)
}

/// Returns the forecast of a comparison with fio; `seconds` is the total time, if known.
pub fn against_forecast(blocks: u32, seconds: Option<f64>) -> String {
    let takes = match seconds {
        Some(seconds) => format!("about {}", numbers::span(seconds)),
        None => "as long as the job's sizes take, which the first block tells".to_owned(),
    };
    let text = format!(
        "The job runs {blocks} times through fio and {blocks} times through plimsoll, in turns, order drawn: {takes}."
    );
    wrap("", &text)
}

/// Returns whether two tools that were compared on one target agree.
pub fn agreement(comparison: &Comparison) -> String {
    let rows = paired(comparison);
    let (differ, same) = counts(&rows);
    let margin = comparison.in_turns.as_ref().map_or(0.0, |ask| ask.margin);
    let text = match (differ, same) {
        (0, same) if same == rows.len() && same > 0 => {
            format!(
                "THE TOOLS AGREE within {}: every figure of one is the other's too.",
                numbers::share(margin)
            )
        }
        (0, _) => {
            "THE TOOLS MAY AGREE: no difference is certain, and not every one can be excluded.".to_owned()
        }
        _ => "THE TOOLS DO NOT AGREE in every figure: what one of them costs, or how it counts, shows."
            .to_owned(),
    };
    wrap("", &text)
}

/// Returns the line for a block that has ended.
pub fn turns_progress((done, all): (u32, u32), left_s: f64) -> String {
    let left = if done < all { format!(", at most {} left", numbers::span(left_s)) } else { String::new() };
    format!("  block {done} of {all}{left}")
}

/// Returns the loads that every block would run.
pub fn turns_outline(loads: &[(String, String)]) -> String {
    let lines = loads.iter().map(|(name, jobs)| wrap("  ", &format!("{name}: {jobs}")));
    format!("Each block would run, on each side:\n{}", lines.collect::<String>())
}
