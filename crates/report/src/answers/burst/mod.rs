//! The result of a deliberate drain, in words: the levels, the bucket, its refill, and when full speed may be
//! expected again.

pub(crate) mod charts;
mod outlook;

use analysis::{
    Analysis, Answer, Asking, BothWays, BurstAnswer, BurstBudget, BurstPart, Ends, Estimate, Fullness,
    MeasuredDrain, ProcedureAnswer, Resource,
};

use super::sheet::{Block, Section, Sheet, VerdictWords};
use crate::words::Table;
use crate::words::doubt::counted;
use crate::words::numbers::{self, IOPS, Prefix, Unit};
use crate::words::sentence::capital;
use crate::words::table::Columns;
use crate::words::tiles::{PromiseWords, Tile, TileFigure};
use crate::words::wrap::wrap_between;

pub use outlook::outlook;

/// Columns of the left column of the table.
const NAME: usize = 24;
/// Indentation of a line of the table.
const INDENT: &str = "  ";

/// Returns the answer of a run, or of a part of it; `None` if nothing was drained on purpose.
pub(crate) fn answer(analysis: &Analysis) -> Option<&BurstAnswer> {
    analysis.answered.as_ref()?.each().iter().find_map(|part| match part {
        ProcedureAnswer::Burst(answer) => Some(answer),
        _ => None,
    })
}

/// Returns the whole answer as a sheet.
pub(super) fn sheet(answer: &BurstAnswer) -> Sheet {
    Sheet {
        command: "burst",
        verdict: Some(verdict(answer)),
        tiles: answer.parts.iter().flat_map(tiles).collect(),
        sections: answer.parts.iter().map(section).collect(),
    }
}

/// Returns the answer in a sentence or two.
fn verdict(answer: &BurstAnswer) -> VerdictWords {
    let word = match (answer.is_known(), answer.parts.is_empty() || answer.cut_short) {
        (true, false) => "MEASURED",
        (true, true) => "MEASURED IN PART",
        (false, _) => "CANNOT TELL",
    };
    let is_one = answer.is_one_of_bytes();
    // Of one bucket of bytes, the level of an empty one says nothing more.
    let told = answer.parts.iter().filter(|part| !is_one || part.fell());
    let mut sentences: Vec<String> = told.map(|part| sentence(answer, part)).collect();
    if is_one {
        sentences.push(
            "Both are one bucket of bytes, which operations of any size spend by their bytes.".to_owned(),
        );
    }
    if answer.cut_short {
        sentences.push("The run was stopped before it was done; this is what it knows so far.".to_owned());
    }
    let rest = if sentences.is_empty() {
        ": nothing was drained.".to_owned()
    } else {
        format!(": {}", sentences.join(" "))
    };
    VerdictWords { word, rest, stops: when(answer) }
}

/// Returns the levels with their intervals:
/// `3,000 ± 1 IOPS while the burst lasts, 300.0 ± 0.3 IOPS when it is over.`
fn sentence(answer: &BurstAnswer, part: &BurstPart) -> String {
    let seen = numbers::span(part.seen_s);
    match (part.burst, part.base) {
        (Some(burst), Some(base)) => {
            format!("{} while the burst lasts, {} when it is over.", rate(&burst, part), rate(&base, part))
        }
        (Some(level), None) => match part.shared_unit {
            Some(unit) => format!(
                "{} of {} {}: the operations' bucket pays for these too, {} an operation, and it was empty.",
                rate(&level, part),
                numbers::block(part.block as f64),
                ways(part),
                numbers::block(unit as f64)
            ),
            None if answer.no_burst && answer.is_known() => {
                format!("{} without a fall for {seen}: no burst, as the policy says.", rate(&level, part))
            }
            None => format!(
                "{} without a fall for {seen}, so that no burst of {} was seen to end.",
                rate(&level, part),
                what(part)
            ),
        },
        (None, Some(base)) => format!(
            "{} when the burst is over; while it lasted the rate swung too much to be told{}.",
            rate(&base, part),
            highest(part).map_or(String::new(), |most| format!(", up to {}", rate_of(most, part)))
        ),
        _ => format!("nothing was seen of {}.", what(part)),
    }
}

/// Returns both levels without their intervals, as the title of the chart of the rate:
/// `3,000 IOPS while the burst lasts, 300 IOPS when it is over`.
pub(crate) fn while_it_lasts(analysis: &Analysis) -> Option<String> {
    answer(analysis)?.parts.iter().find_map(levels)
}

fn levels(part: &BurstPart) -> Option<String> {
    let (burst, base) = (part.burst?, part.base?);
    let told = |level: &Estimate| {
        let unit = unit(level.value, part);
        format!("{} {}", numbers::level(level, unit), unit.name)
    };
    Some(format!("{} while the burst lasts, {} when it is over", told(&burst), told(&base)))
}

/// Returns the highest rate that a drain fell from.
fn highest(part: &BurstPart) -> Option<f64> {
    let fell = part.drains.iter().filter(|drain| drain.fell_at_s.is_some());
    fell.map(|drain| drain.before).reduce(f64::max)
}

/// Answers when full speed may be expected again.
fn when(answer: &BurstAnswer) -> String {
    let sentences: Vec<String> = answer.parts.iter().filter_map(when_of).collect();
    match sentences.is_empty() {
        true => String::new(),
        false => format!("When may I expect full speed again? {}", sentences.join(" ")),
    }
}

fn when_of(part: &BurstPart) -> Option<String> {
    let of = if part.resource == Resource::Bytes { "Of bytes: after" } else { "After" };
    if part.ends == Ends::Time {
        let (least, most) = part.cool_off_s?;
        let lasts = part.lasted_s.map_or(String::new(), |lasted| format!(", for {}", numbers::span(lasted)));
        let after = match most - least < 0.1 * most {
            true => numbers::span(f64::midpoint(least, most)),
            false => format!("{} to {}", numbers::span(least), numbers::span(most)),
        };
        return Some(format!("{of} {after} from the end of a burst{lasts}."));
    }
    let minute_s = part.minute_after_s?;
    let minute = format!("{} of rest for a minute of it", numbers::span(minute_s));
    let whole = match part.held.map(|held| held.full) {
        Some(Fullness::AsPublished) => "for all of it again",
        _ => "for as much as there was, or more where the bucket holds more",
    };
    let rest = match part.full_after_s {
        // A bucket that holds less than a minute never pays for one.
        Some(full_s) if full_s < minute_s => format!("{} of rest {whole}", numbers::span(full_s)),
        Some(full_s) => format!("{minute}, {} {whole}", numbers::span(full_s)),
        None => minute,
    };
    Some(format!("{of} {rest}."))
}

fn section(part: &BurstPart) -> Section {
    let (title, rows) = (title(part), rows(part));
    let line = |(name, value): &(&'static str, String)| {
        wrap_between(&format!("{INDENT}{INDENT}{name:<NAME$}"), INDENT.len() * 2 + NAME, 80, value)
    };
    let text = rows.iter().map(line).collect();
    let mut table = Table::headed(&["what", "measured"]);
    table.rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    let blocks = vec![
        Block::Verbatim(text),
        Block::Captioned(title.clone(), table, Columns::Left).on_page(),
        Block::Titled("Drains".to_owned(), drains(part), Columns::Left).on_page(),
    ];
    Section { heading: title, indent: Some(INDENT), blocks }
}

/// Returns the title of a part: `Operations, by reads of 4 KiB`.
fn title(part: &BurstPart) -> String {
    format!("{}, by {} of {}", capital(what(part)), ways(part), numbers::block(part.block as f64))
}

/// Describes the mix: `reads`, `writes`, `70 % reads and 30 % writes`.
fn ways(part: &BurstPart) -> String {
    match part.mix.read_percent() {
        100 => "reads".to_owned(),
        0 => "writes".to_owned(),
        read => format!("{read} % reads and {} % writes", 100 - read),
    }
}

/// Returns the rows of a part: name and value.
fn rows(part: &BurstPart) -> Vec<(&'static str, String)> {
    let published = part.published.as_ref();
    let by = |value: String, figure: Option<String>| match figure {
        Some(figure) => format!("{value} (policy: {figure})"),
        None => value,
    };
    let mut rows: Vec<(&'static str, String)> = Vec::new();
    let level_name = if part.fell() { "burst" } else { "level" };
    if let Some(burst) = part.burst {
        let figure = published.filter(|_| part.fell()).map(|published| rate_of(published.burst, part));
        rows.push((level_name, by(rate(&burst, part), figure)));
    }
    if let Some(base) = part.base {
        let figure = published.map(|published| rate_of(published.base, part));
        rows.push(("when it is over", by(rate(&base, part), figure)));
    }
    if let Some(lasted) = part.lasted_s {
        let figure = published.and_then(|published| published.lasts_s).map(numbers::span);
        rows.push(("the first one lasted", by(numbers::span(lasted), figure)));
    }
    rows.extend(held(part).map(|text| ("bucket", text)));
    if let Some(refill) = part.refill {
        rows.push(("a rest earns", format!("{} a second", amount(&refill, part))));
    }
    if part.fell() {
        rows.push(("ended by", ended_by(part)));
    }
    rows.extend(part.both_ways.map(|both| ("reads and writes", both_ways(&both, part))));
    if !part.fell() && part.shared_unit.is_none() {
        rows.push(("no fall within", numbers::span(part.seen_s)));
    }
    rows
}

fn held(part: &BurstPart) -> Option<String> {
    let held = part.held?;
    let figure = amount(&held.amount, part);
    let size = part.published.as_ref().and_then(|published| published.size);
    Some(match (held.full, size) {
        (Fullness::AsPublished, Some(size)) => {
            format!("{figure}, which is all of it (policy: {})", amount_of(size, part))
        }
        (_, Some(size)) => {
            format!("at least {figure}; nobody knows whether it was full (policy: {})", amount_of(size, part))
        }
        _ => format!("at least {figure}; nobody knows whether it was full"),
    })
}

fn both_ways(both: &BothWays, part: &BurstPart) -> String {
    let together = rate(&both.together, part);
    match both.budget {
        BurstBudget::Shared => format!("share it: together {together} when it is empty"),
        BurstBudget::Separate => format!("have one each: together {together} when one is empty"),
        BurstBudget::Unknown => format!("together {together} when it is empty, which tells neither"),
    }
}

fn ended_by(part: &BurstPart) -> String {
    match part.ends {
        Ends::Usage => "usage, a token bucket: at half the excess it lasts twice as long".to_owned(),
        Ends::Time => match part.drains.iter().any(|drain| drain.rose_at_s.is_some()) {
            true => "time: it came back under load".to_owned(),
            false => "time: at half the excess it lasts no longer".to_owned(),
        },
        Ends::Unknown => "not known: no second burst was seen to end at another rate".to_owned(),
    }
}

fn what(part: &BurstPart) -> &'static str {
    if part.resource == Resource::Iops { "operations" } else { "bytes" }
}

fn unit(value: f64, part: &BurstPart) -> Unit {
    if part.resource == Resource::Iops { IOPS } else { Unit::of_bandwidth(value, Prefix::Binary) }
}

fn rate(estimate: &Estimate, part: &BurstPart) -> String {
    numbers::with_unit(estimate, unit(estimate.value, part))
}

fn rate_of(value: f64, part: &BurstPart) -> String {
    numbers::in_unit(value, unit(value, part))
}

/// Formats an amount of operations or bytes with its interval.
fn amount(estimate: &Estimate, part: &BurstPart) -> String {
    match part.resource {
        Resource::Iops => format!("{} operations", numbers::estimate(estimate, IOPS)),
        Resource::Bytes => {
            let rate = Unit::of_bandwidth(estimate.value, Prefix::Binary);
            format!("{} {}", numbers::estimate(estimate, rate), rate.name.trim_end_matches("/s"))
        }
    }
}

fn amount_of(value: f64, part: &BurstPart) -> String {
    match part.resource {
        Resource::Iops => numbers::count(value),
        Resource::Bytes => numbers::size(value as u64),
    }
}

/// Returns the two levels of a volume that was drained, and how long the first lasted.
fn tiles(part: &BurstPart) -> Vec<Tile> {
    let name = if part.resource == Resource::Iops { "IOPS" } else { "Throughput" };
    let published = part.published.as_ref();
    let level = |estimate: Option<Estimate>, what: &str, promised: Option<f64>| {
        let estimate = estimate?;
        let unit = unit(estimate.value, part);
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

/// Returns the drains as a table: when, how much was asked for, the rates, the amount taken and how long it
/// lasted.
fn drains(part: &BurstPart) -> Table {
    let mut table =
        Table::headed(&["drain", "after a rest of", "asked for", "before", "after", "took", "lasted"]);
    table.rows = part.drains.iter().map(|drain| cells(drain, part)).collect();
    table
}

fn cells(drain: &MeasuredDrain, part: &BurstPart) -> Vec<String> {
    let none = String::new;
    vec![
        format!("{} to {}", numbers::span(drain.from_s), numbers::span(drain.to_s)),
        drain.rested_s.map_or_else(none, numbers::span),
        match drain.asking {
            Asking::All => "all there is".to_owned(),
            Asking::Half => "half the excess".to_owned(),
        },
        rate_of(drain.before, part),
        drain.after.map_or_else(none, |after| rate_of(after, part)),
        drain.took.map_or_else(none, |took| amount(&took, part)),
        drain.lasted_s.map_or_else(none, numbers::span),
    ]
}
