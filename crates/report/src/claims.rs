//! The claims with their answers as cells of a table, the same in the terminal and on the page.

use analysis::{Answer, ClaimRow, Quantity, Reading, Verdict};

use crate::numbers::{self, IOPS, Prefix, Unit};
use crate::wrap::clean;

/// One claim in words. Claimed and measured are in one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimWords {
    /// What the claim is about.
    pub what: String,
    /// What is claimed, with its unit; empty where nothing is.
    pub claimed: String,
    /// What was measured, with its unit unless [`ClaimWords::what`] names it.
    pub measured: String,
    /// 99th percentile of the latency, empty where unknown.
    pub p99: String,
    /// The answer in a word or two.
    pub answer: &'static str,
}

/// The cells of every claim of `verdict`.
pub fn claim_words(verdict: &Verdict) -> Vec<ClaimWords> {
    verdict.rows.iter().map(in_words).collect()
}

fn in_words(row: &ClaimRow) -> ClaimWords {
    let unit = unit_of(row);
    let named = unit == IOPS && row.what.contains("IOPS");
    let measured = match &row.measured {
        None => "not measured".to_owned(),
        Some(estimate) if named => numbers::estimate(estimate, unit),
        Some(estimate) => format!("{} {}", numbers::estimate(estimate, unit), unit.name),
    };
    ClaimWords {
        what: clean(&row.what),
        claimed: claimed(row),
        measured,
        p99: row.latency_ns_p99.map_or_else(String::new, |time| numbers::time(time as f64)),
        answer: answer_words(row.answer),
    }
}

/// The answer to one claim, in a word or two.
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

/// The unit in which both figures of `row` are written: that of the claim's own words, where they name one.
pub fn unit_of(row: &ClaimRow) -> Unit {
    let size = if row.claimed.value > 0.0 {
        row.claimed.value
    } else {
        row.measured.map_or(0.0, |found| found.value)
    };
    match row.quantity {
        Quantity::Iops => IOPS,
        Quantity::BytesPerSecond => {
            let typed = row.claimed.words.split_whitespace().last().and_then(Unit::bandwidth_named);
            let unit = typed.unwrap_or_else(|| Unit::of_bandwidth(size, Prefix::Binary));
            if row.claimed.reading == Some(Reading::Binary) { unit.binary() } else { unit }
        }
        Quantity::MeanLatency | Quantity::PercentileLatency => Unit::of_time(size),
    }
}

/// What is claimed, as its source writes it; a unit that the measurement proves to be binary is written so.
fn claimed(row: &ClaimRow) -> String {
    let words = clean(&row.claimed.words);
    let Some((number, unit)) = words.rsplit_once(' ') else { return words };
    match Unit::bandwidth_named(unit) {
        Some(typed) if row.claimed.reading == Some(Reading::Binary) => {
            format!("{number} {}", typed.binary().name)
        }
        _ => words,
    }
}

/// `3,001 ± 6 IOPS of 3,000`: the measured figure against the claimed one, in one unit.
pub fn against(row: &ClaimRow) -> String {
    let unit = unit_of(row);
    let measured = match &row.measured {
        None => "not measured".to_owned(),
        Some(estimate) => format!("{} {}", numbers::estimate(estimate, unit), unit.name),
    };
    let words = claimed(row);
    let number = words.strip_suffix(unit.name).map_or(words.as_str(), str::trim_end);
    match row.quantity {
        _ if number.is_empty() => measured,
        Quantity::Iops | Quantity::BytesPerSecond => format!("{measured} of {number}"),
        Quantity::MeanLatency | Quantity::PercentileLatency => {
            format!("{measured}, at most {number} claimed")
        }
    }
}

/// How a unit that the source leaves open was read, as a sentence; `None` where nothing was open.
pub fn reading(row: &ClaimRow) -> Option<String> {
    let unit = row.claimed.words.split_whitespace().last().and_then(Unit::bandwidth_named)?;
    if !unit.is_decimal_bandwidth() {
        return None;
    }
    let read = match row.claimed.reading? {
        Reading::Binary => unit.binary().name,
        Reading::Decimal => unit.name,
    };
    Some(format!("The source writes {}; the measurement fits {read}.", clean(&row.claimed.words)))
}
