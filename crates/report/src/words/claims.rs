//! The claims with their answers as cells of a table, the same in the terminal and on the page.

use analysis::{Answer, ClaimRow, Quantity, Reading, Verdict};

use crate::words::numbers::{self, IOPS, Prefix, Unit};
use crate::words::wrap::clean;

/// One claim in words. The claimed and the measured figure have the same unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimWords {
    /// Subject of the claim.
    pub what: String,
    /// Claimed figure with its unit; empty if nothing is claimed.
    pub claimed: String,
    /// Measured figure, with its unit unless [`ClaimWords::what`] names it.
    pub measured: String,
    /// 99th percentile of the latency, with the depth in brackets; empty if unknown.
    pub p99: String,
    /// Answer in a word or two.
    pub answer: &'static str,
}

/// Returns the cells of every claim of `verdict`. Bandwidths whose claims name no unit share one.
pub fn claim_words(verdict: &Verdict) -> Vec<ClaimWords> {
    let shared = shared_unit(verdict);
    let unit = |row: &ClaimRow| shared.filter(|_| is_open(row)).unwrap_or_else(|| unit_of(row));
    verdict.rows.iter().map(|row| written(row, unit(row))).collect()
}

/// Returns the cells of one claim.
pub(crate) fn in_words(row: &ClaimRow) -> ClaimWords {
    written(row, unit_of(row))
}

/// Whether a row is a bandwidth that may take any unit, because its claim names none or nothing is claimed.
fn is_open(row: &ClaimRow) -> bool {
    row.quantity == Quantity::BytesPerSecond && typed_unit(row).is_none()
}

/// Returns the unit for bandwidths whose claims name none: the unit of another claim, or else one that suits them
/// all.
fn shared_unit(verdict: &Verdict) -> Option<Unit> {
    let bandwidths = || verdict.rows.iter().filter(|row| row.quantity == Quantity::BytesPerSecond);
    let typed = bandwidths().find(|row| !is_open(row)).map(unit_of);
    let sizes = || bandwidths().map(size_of);
    typed.or_else(|| sizes().next().map(|_| Unit::of_bandwidths(sizes())))
}

/// Returns the figure that determines the unit of a row.
fn size_of(row: &ClaimRow) -> f64 {
    match row.claimed.value > 0.0 {
        true => row.claimed.value,
        false => row.measured.map_or(0.0, |found| found.value),
    }
}

fn written(row: &ClaimRow, unit: Unit) -> ClaimWords {
    // In a claim on operations, `what` ends with the unit.
    let named = row.quantity == Quantity::Iops;
    let measured = match &row.measured {
        None => "not measured".to_owned(),
        Some(estimate) if named => numbers::estimate(estimate, unit),
        Some(estimate) => numbers::with_unit(estimate, unit),
    };
    ClaimWords {
        what: clean(&row.what),
        claimed: claimed(row, unit),
        measured,
        p99: p99(row),
        answer: answer_words(row.answer),
    }
}

/// Formats the 99th percentile with the depth at which it was timed: without the depth, a deep queue looks like a
/// slow volume.
fn p99(row: &ClaimRow) -> String {
    let time = row.latency_ns_p99.map(|time| numbers::time(time as f64));
    match (time, row.depth) {
        (None, _) => String::new(),
        (Some(time), None) => time,
        (Some(time), Some(depth)) => format!("{time} ({depth})"),
    }
}

/// Returns the tolerance of the answers, if any of them is about a rate, and which of them only hold for this run.
pub(crate) fn tolerated(verdict: &Verdict) -> Option<String> {
    let claimed = |row: &ClaimRow| row.claimed.value > 0.0 && row.answer != Answer::Measured;
    let rate = |row: &&ClaimRow| matches!(row.quantity, Quantity::Iops | Quantity::BytesPerSecond);
    let later = |row: &ClaimRow| {
        let (rate, unit) =
            (row.over_time.as_ref().filter(|_| row.answer != Answer::CannotTell)?, unit_of(row));
        let named = row.quantity == Quantity::Iops;
        let rate = if named { numbers::estimate(rate, unit) } else { numbers::with_unit(rate, unit) };
        Some(format!("{} {rate}", clean(&row.what)))
    };
    let later: Vec<String> = verdict.rows.iter().filter_map(later).collect();
    let later = match later.is_empty() {
        true => String::new(),
        false => format!(
            " The answer is that of this run; over a longer time the volume may average {}.",
            later.join(", ")
        ),
    };
    verdict.rows.iter().filter(rate).any(claimed).then(|| TOLERATED.to_owned() + &later)
}

/// The rule of `analysis`, claims: the whole interval must be on one side.
const TOLERATED: &str =
    "A rate meets a claim where its whole interval lies above 97 % of it, and exceeds it above 103 %.";

/// Returns the heading of the column of the 99th percentile for these claims.
pub(crate) fn p99_head(verdict: &Verdict) -> &'static str {
    if verdict.rows.iter().any(|row| row.depth.is_some()) { "p99 (depth)" } else { "p99" }
}

/// Returns the answer to one claim, in a word or two.
pub fn answer_words(answer: Answer) -> &'static str {
    match answer {
        Answer::Measured => "measured",
        Answer::Meets => "meets",
        Answer::Exceeds => "exceeds",
        Answer::Below => "below",
        Answer::ConsistentWithBurst => "in a burst",
        Answer::CannotTell => "cannot tell",
    }
}

/// Returns the unit for both figures of `row`: the unit that the claim names, if it names one.
pub fn unit_of(row: &ClaimRow) -> Unit {
    let size = size_of(row);
    match row.quantity {
        Quantity::Iops => IOPS,
        Quantity::BytesPerSecond => {
            let unit = typed_unit(row).unwrap_or_else(|| Unit::of_bandwidth(size, Prefix::Binary));
            if is_binary(row, unit) { unit.binary() } else { unit }
        }
        Quantity::MeanLatency | Quantity::PercentileLatency => Unit::of_time(size),
    }
}

/// Whether a unit written as decimal is to be read as binary, according to the measurement or to the claimed
/// figure itself.
fn is_binary(row: &ClaimRow, typed: Unit) -> bool {
    let number: String =
        row.claimed.words.chars().filter(|letter| letter.is_ascii_digit() || *letter == '.').collect();
    let binary = number.parse::<f64>().map_or(f64::NAN, |number| number * typed.binary().factor);
    match row.claimed.reading {
        Some(reading) => reading == Reading::Binary,
        None => ((row.claimed.value - binary) / binary).abs() < SAME,
    }
}

/// Relative difference below which figures are equal. The two readings are 2.4 to 7.4 % apart.
const SAME: f64 = 0.001;

/// Returns the unit of bandwidth at the end of the claim as written, if there is one.
fn typed_unit(row: &ClaimRow) -> Option<Unit> {
    let last = row.claimed.words.split_whitespace().last()?;
    Unit::bandwidth_named(last.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic()))
}

/// Formats the claimed figure: as its source writes it if that is a number with a unit, or else in plimsoll's own
/// form, because an expectation's words are a whole claim. A unit that the measurement proves to be binary is
/// written as binary.
fn claimed(row: &ClaimRow, unit: Unit) -> String {
    let words = clean(&row.claimed.words);
    if words.is_empty() {
        return words;
    }
    let typed = typed_unit(row);
    let number = match words.rsplit_once(' ') {
        _ if !words.starts_with(|letter: char| letter.is_ascii_digit()) => {
            numbers::figure(row.claimed.value / typed.unwrap_or(unit).factor)
        }
        Some((number, _)) if typed.is_some() => number.to_owned(),
        _ => return words,
    };
    if unit == IOPS { number } else { format!("{number} {}", unit.name) }
}

/// Formats the measured figure against the claimed one, in one unit: `3,001 ± 6 IOPS of 3,000`.
pub fn against(row: &ClaimRow) -> String {
    let unit = unit_of(row);
    let measured = match &row.measured {
        None => "not measured".to_owned(),
        Some(estimate) => numbers::with_unit(estimate, unit),
    };
    let words = claimed(row, unit);
    let number = words.strip_suffix(unit.name).map_or(words.as_str(), str::trim_end);
    match row.quantity {
        _ if number.is_empty() => measured,
        Quantity::Iops | Quantity::BytesPerSecond => format!("{measured} of {number}"),
        Quantity::MeanLatency | Quantity::PercentileLatency => {
            format!("{measured}, at most {number} claimed")
        }
    }
}

/// Returns a sentence on how an ambiguous unit in the source was read; `None` if none was ambiguous.
pub fn reading(row: &ClaimRow) -> Option<String> {
    let unit = typed_unit(row)?;
    if !unit.is_decimal_bandwidth() {
        return None;
    }
    let words = clean(&row.claimed.words);
    match row.claimed.reading {
        Some(Reading::Binary) => {
            Some(format!("The source writes {words}; the measurement fits {}.", unit.binary().name))
        }
        Some(Reading::Decimal) => {
            Some(format!("The source writes {words}; the measurement fits {}.", unit.name))
        }
        None if is_binary(row, unit) => {
            Some(format!("The source writes {words}, which is read as {}.", claimed(row, unit_of(row))))
        }
        None => None,
    }
}
