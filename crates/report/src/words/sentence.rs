//! Findings as sentences with their numbers.

use analysis::{Confidence, Evidence, Finding, Meaning};

use super::findings::told;
use super::numbers;
use super::phrases::quoted;
pub use super::phrases::{capital, error_words, plural};
use super::wrap::clean;

/// Returns `finding` in one or two sentences.
pub fn sentence(finding: &Finding) -> String {
    told(finding).sentence
}

/// Returns the other possible explanation of `finding`; `None` if it was counted and leaves no doubt.
pub fn competing(finding: &Finding) -> Option<String> {
    told(finding).unless.map(str::to_owned)
}

/// Returns the recommended next step after `finding`, as one sentence.
pub fn next_step(finding: &Finding) -> String {
    told(finding).next
}

/// Returns the confidence in a finding, in a few words.
pub fn confidence(finding: &Finding) -> &'static str {
    match finding.confidence {
        _ if matches!(finding.meaning, Meaning::NotIdentifiable(_)) => "an open question",
        Confidence::Possible => "possible: one symptom",
        Confidence::Likely if finding.meaning.is_level() => {
            "likely: flat, and round, published or seen again"
        }
        Confidence::Likely => "likely",
        Confidence::Strong if finding.meaning.is_level() => "strong: flat, and the figure of a policy",
        Confidence::Strong => "strong",
        Confidence::Certain => "certain: counted, not inferred",
    }
}

/// Returns the evidence: series, step and span on the run's clock. Empty if there is none.
pub fn evidence(spans: &[Evidence]) -> String {
    let mut words: Vec<String> = spans.iter().take(EVIDENCE_NAMED).map(one_span).collect();
    if spans.len() > EVIDENCE_NAMED {
        words.push(format!("and {} more", spans.len() - EVIDENCE_NAMED));
    }
    words.join("; ")
}

/// Most spans named; more are only counted.
pub(crate) const EVIDENCE_NAMED: usize = 3;

/// Describes a single span: series, step and times.
pub(crate) fn one_span(span: &Evidence) -> String {
    let step = if span.step.is_empty() { String::new() } else { format!(", step {}", quoted(&span.step)) };
    let (from, to) = (span.from.as_secs_f64(), span.to.as_secs_f64());
    let clock = if to >= BY_HOURS { by_hours } else { by_seconds };
    format!("{}{step}, {} to {}", clean(&span.series), clock(from), clock(to))
}

/// End in seconds from which a span is written in hours, minutes and seconds.
const BY_HOURS: f64 = 7200.0;

/// Formats a time on the run's clock in hours, minutes and seconds: `14:57:00`.
fn by_hours(seconds: f64) -> String {
    if !(0.0..1e9).contains(&seconds) {
        return by_seconds(seconds);
    }
    let whole = seconds.round() as u64;
    format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
}

/// Formats a time on the run's clock in seconds: `45.0 s`.
fn by_seconds(seconds: f64) -> String {
    format!("{} s", numbers::fixed(seconds, 1))
}
