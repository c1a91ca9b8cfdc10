//! What a finding says, in a sentence with its numbers.

use analysis::{Confidence, Estimate, Evidence, Finding, Limiter, Meaning};
use workload::Direction;

use crate::words::findings::told;
use crate::words::numbers::{self, IOPS, Prefix, Unit};
use crate::words::wrap::clean;

/// What `finding` says, one or two sentences.
pub fn sentence(finding: &Finding) -> String {
    told(finding).sentence
}

/// What else could explain `finding`; `None` where it is counted and leaves no doubt.
pub fn competing(finding: &Finding) -> Option<String> {
    told(finding).unless.map(str::to_owned)
}

/// What to do about `finding`, as one sentence.
pub fn next_step(finding: &Finding) -> String {
    told(finding).next
}

pub(super) fn plateau(direction: Direction, rate: &str, limiter: Limiter, at_least: bool) -> String {
    let who = capital(plural(direction));
    if at_least {
        return format!(
            "{who} reach at least {rate}: the deepest queue that was tested does not fill the volume."
        );
    }
    match limiter {
        Limiter::Metered => {
            format!("{who} are held at {rate} by a meter: they are far steadier than a busy device would be.")
        }
        Limiter::Saturated => {
            format!(
                "{who} level off at {rate} as those of a busy device do: their rate varies with their latency."
            )
        }
        Limiter::Unclear => format!("{who} level off at {rate}, whether by a meter or by a busy device."),
    }
}

pub(super) fn rate_of_operations(cap: &Estimate) -> String {
    format!("{} IOPS", numbers::estimate(cap, IOPS))
}

pub(super) fn rate_of_bytes(cap: &Estimate) -> String {
    let unit = Unit::of_bandwidth(cap.value, Prefix::Binary);
    format!("{} {}", numbers::estimate(cap, unit), unit.name)
}

pub(super) fn failures(count: u64) -> String {
    match count {
        1 => "An I/O failed".to_owned(),
        several => format!("{} I/Os failed", numbers::count(several as f64)),
    }
}

/// An error number in the words of the C library, for those that a block device or a file gives.
pub fn error_words(errno: i32) -> String {
    let words = match errno {
        1 => "operation not permitted",
        5 => "input/output error",
        9 => "bad file descriptor",
        11 => "resource temporarily unavailable",
        12 => "out of memory",
        13 => "permission denied",
        16 => "device or resource busy",
        19 => "no such device",
        22 => "invalid argument",
        27 => "file too large",
        28 => "no space left on device",
        30 => "read-only file system",
        61 => "no data available",
        84 => "invalid or incomplete data",
        95 => "operation not supported",
        110 => "timed out",
        117 => "structure needs cleaning",
        121 => "remote I/O error",
        122 => "disk quota exceeded",
        _ => return format!("errno {errno}"),
    };
    format!("{words} (errno {errno})")
}

/// `reads`, `writes`, `trims`, `flushes`.
pub fn plural(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "reads",
        Direction::Write => "writes",
        Direction::Trim => "trims",
        Direction::Flush => "flushes",
    }
}

/// How sure a finding is, in a few words.
pub fn confidence(finding: &Finding) -> &'static str {
    let level = matches!(
        finding.meaning,
        Meaning::IopsCap { .. }
            | Meaning::BandwidthCap { .. }
            | Meaning::HeldOperations { .. }
            | Meaning::HeldBytes { .. }
            | Meaning::ThrottledAboveNominal { .. }
    );
    match finding.confidence {
        Confidence::Possible => "possible: one symptom",
        Confidence::Likely if level => "likely: flat, and round, published or seen again",
        Confidence::Likely => "likely",
        Confidence::Strong if level => "strong: flat, and the figure of a policy",
        Confidence::Strong => "strong",
        Confidence::Certain => "certain: counted, not inferred",
    }
}

/// Where to look: step, series and span on the run's clock. Empty where there is no evidence.
pub fn evidence(spans: &[Evidence]) -> String {
    let mut words: Vec<String> = spans.iter().take(EVIDENCE_NAMED).map(one_span).collect();
    if spans.len() > EVIDENCE_NAMED {
        words.push(format!("and {} more", spans.len() - EVIDENCE_NAMED));
    }
    words.join("; ")
}

/// More spans than this are counted, not named.
const EVIDENCE_NAMED: usize = 3;

fn one_span(span: &Evidence) -> String {
    let step = if span.step.is_empty() { String::new() } else { format!(", step {}", quoted(&span.step)) };
    let (from, to) = (span.from.as_secs_f64(), span.to.as_secs_f64());
    let clock = if to >= BY_HOURS { by_hours } else { by_seconds };
    format!("{}{step}, {} to {}", clean(&span.series), clock(from), clock(to))
}

/// A span that ends from here on, seconds, is written as hours, minutes and seconds.
const BY_HOURS: f64 = 7200.0;

/// A place on the run's clock so that it is found in the series: `14:57:00`.
fn by_hours(seconds: f64) -> String {
    if !(0.0..1e9).contains(&seconds) {
        return by_seconds(seconds);
    }
    let whole = seconds.round() as u64;
    format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
}

/// `45.0 s`.
fn by_seconds(seconds: f64) -> String {
    format!("{} s", numbers::fixed(seconds, 1))
}

/// A name in quotes, without control characters.
pub fn quoted(name: &str) -> String {
    format!("'{}'", clean(name))
}

/// The first letter in upper case.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
