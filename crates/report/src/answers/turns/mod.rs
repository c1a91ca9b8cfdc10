//! A comparison in turns in words: its conclusion, a line for each figure, and what the lines rest on.

pub(crate) mod charts;

use std::fmt::Write as _;

use analysis::compare::{ALPHA, Comparison, Pairs, Ratio, RatioAnswer, Row};
use workload::TurnsRequest;

use crate::words::comparison_words as words;
use crate::words::numbers;
use crate::words::wrap::{COLUMNS, wrap, wrap_between};

/// Columns for the name of a figure.
const NAME: usize = 17;
/// Columns for the value of one side.
const VALUE: usize = 12;
/// Most differences that the first sentence names; the table has all.
const NAMED: usize = 3;

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
        (0, same) if same == all => format!("THE SAME within {margin} in all {all} figures."),
        (0, same) => format!(
            "UNDECIDED in {} of {all} figures: no difference is certain, and none of {margin} can be excluded there.{}",
            all - same,
            others_same(same, &margin)
        ),
        (differ, same) => format!(
            "DIFFERENT in {differ} of {all} figures. {}.{}{}",
            greatest(comparison, &rows),
            others_same(same, &margin),
            others_open(all - differ - same)
        ),
    })
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
    let other = words::label(comparison, 1);
    let told = found.iter().take(NAMED).map(|(row, ratio, _)| {
        let (measure, work) = (words::measure_words(row.measure), words::work_words(&row.work));
        format!("{measure} {} at {work}", change_words(ratio))
    });
    let told = told.collect::<Vec<_>>().join("; ");
    let more = found.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!("; and {more} more below") };
    format!("{other}: {told}{more}")
}

/// Describes a change: `5.1 % lower (3.2 to 7.0)`, `2.4 times as much (2.2 to 2.6)`.
fn change_words(ratio: &Ratio) -> String {
    let (low, high) = ratio.interval.unwrap_or((ratio.value, ratio.value));
    if !(0.5..=2.0).contains(&ratio.value) {
        return format!(
            "{} times as much ({} to {})",
            words::three(ratio.value),
            words::three(low),
            words::three(high)
        );
    }
    let percent = |value: f64| numbers::fixed((value - 1.0).abs() * 100.0, 1);
    match ratio.value < 1.0 {
        true => format!("{} % lower ({} to {})", percent(ratio.value), percent(high), percent(low)),
        false => format!("{} % higher ({} to {})", percent(ratio.value), percent(low), percent(high)),
    }
}

/// Formats a change: `-5.1 % (-7.0 to -3.2)`; beyond a factor of two the ratio itself.
pub fn shift_words(ratio: &Ratio) -> String {
    let percent = |value: f64| {
        let percent = (value - 1.0) * 100.0;
        let digits = numbers::fixed(percent.abs(), 1);
        let sign = if percent < 0.0 && digits != "0.0" { "-" } else { "+" };
        format!("{sign}{digits}")
    };
    match ratio.interval {
        _ if !(0.5..=2.0).contains(&ratio.value) => words::ratio_words(ratio),
        Some((low, high)) => format!("{} % ({} to {})", percent(ratio.value), percent(low), percent(high)),
        None => format!("{} %", percent(ratio.value)),
    }
}

/// Returns the conclusion from a ratio; if it is undecided, also the difference that would have been detected.
pub fn answer_words(ratio: &Ratio, pairs: &Pairs) -> String {
    let shown =
        pairs.detectable.map_or_else(String::new, |share| format!("; {} would show", numbers::share(share)));
    match ratio.answer {
        RatioAnswer::Differs => "differs".to_owned(),
        RatioAnswer::Same => "the same".to_owned(),
        RatioAnswer::Undecided { .. } | RatioAnswer::Repeat => format!("undecided{shown}"),
    }
}

/// Returns the table: each work, followed by a line for each figure.
pub fn table(comparison: &Comparison) -> String {
    let name = |side: usize| words::label(comparison, side).chars().take(VALUE - 2).collect::<String>();
    let head =
        format!("{:<NAME$}{:>VALUE$}{:>VALUE$}   {} against {}", "", name(0), name(1), name(1), name(0));
    let mut text = format!("{}\n", head.trim_end());
    let mut last = None;
    for (row, ratio, pairs) in paired(comparison) {
        if last != Some(&row.work) {
            text += &wrap("", &words::work_words(&row.work));
            text +=
                &words::unrecorded_words(comparison, row).map_or_else(String::new, |open| wrap("  ", &open));
            last = Some(&row.work);
        }
        text += &line(row, ratio, &pairs);
    }
    text
}

fn line(row: &Row, ratio: &Ratio, pairs: &Pairs) -> String {
    let first = format!(
        "  {:<15}{:>VALUE$}{:>VALUE$}   ",
        words::measure_words(row.measure),
        words::cell(row, 0),
        words::cell(row, 1)
    );
    let told = format!("{}  {}", shift_words(ratio), answer_words(ratio, pairs));
    let told = wrap_between("", 0, COLUMNS - NAME - 2 * VALUE - 3, &told);
    let mut text = String::new();
    for (number, part) in told.lines().enumerate() {
        let lead = if number == 0 { first.clone() } else { " ".repeat(first.chars().count()) };
        let _ = writeln!(text, "{}", format!("{lead}{part}").trim_end());
    }
    text
}

/// Returns sentences on what the lines of the table rest on.
pub fn notes(comparison: &Comparison) -> Vec<String> {
    let Some(ask) = &comparison.in_turns else { return Vec::new() };
    let rows = paired(comparison);
    let Some((.., pairs)) = rows.first() else { return Vec::new() };
    // Only a single comparison is evaluated before its end; several are judged once, together.
    let looks = if pairs.comparisons == 1 { ask.look_at.as_slice() } else { &[] };
    let mut notes = vec![rests_on(looks, pairs), decided_by((ask, looks.len().max(1)), rows.len())];
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

/// Returns what "differs", "the same" and "would show" mean in a table of `rows` figures.
fn decided_by((ask, looks): (&TurnsRequest, usize), rows: usize) -> String {
    let margin = numbers::share(ask.margin);
    // Two one-sided tests, each at ALPHA, divided among the looks.
    let level = numbers::share(1.0 - 2.0 * ALPHA / looks as f64);
    format!(
        "\"Differs\" is said of {rows} figures together at 5 % of false alarms (Benjamini, Hochberg 1995); \"the same\" where the \
         {level} interval lies within {margin} (--margin); what \"would show\" is found in four comparisons of five."
    )
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

/// Returns the title of a row's figure, for a separate line.
pub fn row_title(row: &Row) -> String {
    format!("{}: {}", words::work_words(&row.work), words::measure_words(row.measure))
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
            " Shows a difference of {} times what one turn strays from the next, in four comparisons of five.",
            words::three(times)
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
