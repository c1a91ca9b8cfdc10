//! The answer in sentences: the verdict word, the figures, what limits the volume, and how far the run could see.

use std::fmt::Write as _;

use analysis::{Analysis, Answer, ClaimRow, Doubt, Meaning, Quantity, Verdict};
use record::{Run, TargetKind};

use crate::answers;
pub use crate::answers::sheet::VerdictWords;
use crate::words::cells::best;
use crate::words::changes::course;
use crate::words::claims::{against, reading};
use crate::words::doubt::{doubt, remedy};
use crate::words::imported::{either, figures as figures_printed, origin};
use crate::words::numbers;
use crate::words::sentence::capital;
use crate::words::watch;
use crate::words::wrap::clean;

/// Most claims listed in the verdict sentence; more are only counted there, and the table has them all.
const LISTED: usize = 4;

/// Returns the verdict of `analysis` in words.
pub fn verdict_words(run: &Run, analysis: &Analysis) -> VerdictWords {
    if let Some((tool, lacks)) = origin(run) {
        return of_import(run, (&clean(tool), lacks), analysis);
    }
    if let Some(watched) = &analysis.watched {
        return watch::verdict_words(run, analysis, watched);
    }
    if let Some(words) = answers::verdict(analysis) {
        return words;
    }
    of_claims(run, analysis, Beside::Nothing)
}

/// Content shown beside a verdict, which the verdict need not repeat.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    /// Figures and bursts.
    Tiles,
}

/// Returns [`verdict_words`] for use beside tiles: for claims, only the answer and its reasons.
pub(crate) fn headline(run: &Run, analysis: &Analysis) -> VerdictWords {
    let told = origin(run).is_some() || analysis.watched.is_some() || answers::verdict(analysis).is_some();
    if told {
        return verdict_words(run, analysis);
    }
    let words = of_claims(run, analysis, Beside::Tiles);
    match analysis.verdict.answer {
        // Nothing was claimed, so the limit of the volume is the answer.
        Answer::Measured if words.rest == "." && !words.stops.is_empty() => VerdictWords {
            rest: format!(": {}", within_a_sentence(&words.stops)),
            stops: String::new(),
            ..words
        },
        _ => words,
    }
}

/// Adapts a sentence to follow a colon: lower-cases its first letter, unless the second is upper case too.
fn within_a_sentence(words: &str) -> String {
    let mut letters = words.chars();
    match (letters.next(), letters.as_str().starts_with(char::is_uppercase)) {
        (Some(first), false) => first.to_lowercase().chain(letters).collect(),
        _ => words.to_owned(),
    }
}

/// Returns the verdict on claims, or on the measured figures if there are no claims.
fn of_claims(run: &Run, analysis: &Analysis, beside: Beside) -> VerdictWords {
    let verdict = &analysis.verdict;
    let subject = subject(verdict);
    let figures = if beside == Beside::Tiles { String::new() } else { figures(verdict) };
    let (word, mut rest) = match verdict.answer {
        Answer::Measured => ("MEASURED", with_colon("", &figures)),
        Answer::Meets => ("MEETS", with_colon(&subject, &figures)),
        Answer::Exceeds => (
            "EXCEEDS",
            with_colon(&subject, &figures)
                + " More than is claimed is first a sign of a cache, a burst or merged I/O.",
        ),
        Answer::Below => ("BELOW", with_colon(&subject, &figures)),
        Answer::ConsistentWithBurst => {
            ("CANNOT TELL", with_colon(&format!("beyond the burst of {subject}"), &figures))
        }
        Answer::CannotTell if verdict.subject.is_none() => ("CANNOT TELL", with_colon("", &figures)),
        Answer::CannotTell => ("CANNOT TELL", with_colon(&format!("whether it meets {subject}"), &figures)),
    };
    if let Some(course) = course(analysis) {
        let _ = write!(rest, " {course}");
    }
    let reasons = reasons(verdict);
    for why in reasons.iter().filter(|why| beside == Beside::Nothing || !is_of_burst(why)) {
        let _ = write!(rest, " {}.", capital(&doubt(why)));
    }
    if reasons.iter().any(|why| matches!(why, Doubt::InsideBurst { .. } | Doubt::BurstUnknown)) {
        rest.push_str(" What is left after it is measured by check --plan burst.");
    }
    if let Some(before) = reasons.iter().find(|why| matches!(why, Doubt::BeforeChange { .. })) {
        let _ = write!(rest, " {}", remedy(before));
    }
    if let Some(read) = verdict.rows.iter().find_map(reading) {
        let _ = write!(rest, " {read}");
    }
    let unclaimed = verdict.answer == Answer::Measured && verdict.rows.is_empty();
    if let Some(best) = best(&analysis::cells(run)).filter(|_| unclaimed) {
        rest = best + rest.trim_start_matches('.');
    }
    rest.push_str(reads_only(run, analysis));
    VerdictWords { word, rest: rest.trim_end().to_owned(), stops: stops(run, analysis) }
}

/// Returns the sentences for an import, which has no verdict: the printed figures and the tool that printed them,
/// then what is missing.
fn of_import(run: &Run, (tool, lacks): (&str, &[String]), analysis: &Analysis) -> VerdictWords {
    let computed = match &analysis.watched {
        Some(_) => "Note: plimsoll measured nothing of it; what it says of it is read from those figures.",
        None => "Note: plimsoll measured nothing of it and computed nothing from it.",
    };
    let rest = match figures_printed(run) {
        Some(figures) => format!(": {figures}, as {tool} printed it."),
        None => format!(": what {tool} printed."),
    };
    let stops = match lacks {
        [] => computed.to_owned(),
        _ => format!("{computed} It does not hold {}.", clean(&either(lacks))),
    };
    VerdictWords { word: "IMPORTED", rest, stops }
}

/// Returns a sentence if nothing was written; for a device, also on how far its reads can be trusted.
fn reads_only(run: &Run, analysis: &Analysis) -> &'static str {
    let only = analysis.findings.iter().any(|finding| matches!(finding.meaning, Meaning::ReadsOnly(_)));
    let device = run.target.as_ref().is_some_and(|target| target.kind == TargetKind::BlockDevice);
    match (only, device) {
        (true, true) => " Only reads were measured, and a thin device may answer them from nothing.",
        (true, false) => " Only reads were measured.",
        (false, _) => "",
    }
}

/// Returns the policy as typed, or the expectation in quotes.
fn subject(verdict: &Verdict) -> String {
    match verdict.subject.as_deref().map(clean) {
        None => "what is claimed".to_owned(),
        Some(words) if words.contains(' ') => format!("\"{words}\""),
        Some(word) => word,
    }
}

fn with_colon(subject: &str, figures: &str) -> String {
    match (subject.is_empty(), figures.is_empty()) {
        (true, true) => ".".to_owned(),
        (true, false) => format!(": {figures}."),
        (false, true) => format!(" {subject}."),
        (false, false) => format!(" {subject}: {figures}."),
    }
}

/// Returns the decisive rows with their figures: those below their claim if there are any, or else the worst of
/// each quantity.
fn figures(verdict: &Verdict) -> String {
    let below: Vec<&ClaimRow> = verdict.rows.iter().filter(|row| row.answer == Answer::Below).collect();
    let known = |row: &&ClaimRow, answer| row.answer == answer && row.measured.is_some();
    let open = |answer| verdict.rows.iter().filter(|row| known(row, answer)).collect::<Vec<_>>();
    let rows = match verdict.answer {
        _ if !below.is_empty() => below,
        // Show the rows that leave the answer open, not those that appear to meet their claim.
        answer @ (Answer::CannotTell | Answer::ConsistentWithBurst) if !open(answer).is_empty() => {
            open(answer)
        }
        Answer::Measured => verdict.rows.iter().collect(),
        _ => worst_of_each(&verdict.rows),
    };
    let words_of = |row: &&ClaimRow| labelled(row, &verdict.rows) + &brief(row);
    let mut words: Vec<String> = rows.iter().take(LISTED).map(words_of).collect();
    if rows.len() > LISTED {
        words.push(format!("and {} more", rows.len() - LISTED));
    }
    words.join(", ")
}

/// Formats for how long a rate was measured if that is only a moment.
fn brief(row: &ClaimRow) -> String {
    let seconds = row.doubts.iter().find_map(|doubt| match doubt {
        Doubt::Brief { seconds } => Some(*seconds),
        _ => None,
    });
    seconds.map_or(String::new(), |seconds| format!(" (over {})", numbers::span(seconds)))
}

fn worst_of_each(rows: &[ClaimRow]) -> Vec<&ClaimRow> {
    use Quantity::{BytesPerSecond, Iops, MeanLatency, PercentileLatency};
    let worst = |quantity: Quantity| {
        let of_it = rows.iter().filter(|row| row.quantity == quantity && row.measured.is_some());
        of_it.min_by(|a, b| fulfilled(a).total_cmp(&fulfilled(b)))
    };
    [Iops, BytesPerSecond, MeanLatency, PercentileLatency].into_iter().filter_map(worst).collect()
}

/// Returns how much of the claim is fulfilled, to choose the row to name first; the ratio is inverted for a
/// latency.
fn fulfilled(row: &ClaimRow) -> f64 {
    let measured = row.measured.map_or(0.0, |found| found.value);
    match row.quantity {
        Quantity::Iops | Quantity::BytesPerSecond if row.claimed.value > 0.0 => measured / row.claimed.value,
        Quantity::Iops | Quantity::BytesPerSecond => -measured,
        Quantity::MeanLatency | Quantity::PercentileLatency => row.claimed.value / measured.max(1.0),
    }
}

/// Formats a row's figures, labelled by direction if there are rows of several directions; a latency has its own
/// label.
fn labelled(row: &ClaimRow, all: &[ClaimRow]) -> String {
    match row.quantity {
        Quantity::MeanLatency | Quantity::PercentileLatency => {
            format!("{} {}", clean(&row.what), against(row))
        }
        _ if all.iter().all(|other| other.direction == row.direction) => against(row),
        _ => format!("{} {}", row.direction.name(), against(row)),
    }
}

/// Returns doubts about the whole run, then about undecided rows, and spent credits of any row; each once.
pub(crate) fn reasons(verdict: &Verdict) -> Vec<&Doubt> {
    let undecided = |row: &ClaimRow| matches!(row.answer, Answer::CannotTell | Answer::ConsistentWithBurst);
    let told = |row: &ClaimRow, doubt: &Doubt| {
        use Doubt::{AtOnce, Cached, CreditsSpent};
        undecided(row) || matches!(doubt, CreditsSpent { .. } | Cached { .. } | AtOnce { .. })
    };
    let of_rows = verdict.rows.iter().flat_map(|row| row.doubts.iter().map(move |doubt| (row, doubt)));
    let of_rows = of_rows.filter(|(row, doubt)| told(row, doubt)).map(|(_, doubt)| doubt);
    let mut told: Vec<(&Doubt, String)> = Vec::new();
    for why in verdict.doubts.iter().chain(of_rows) {
        let words = doubt(why);
        if told.iter().all(|(_, other)| *other != words) {
            told.push((why, words));
        }
    }
    told.into_iter().map(|(why, _)| why).collect()
}

/// Whether the doubt has a tile and a finding of its own.
pub(crate) fn is_of_burst(doubt: &Doubt) -> bool {
    matches!(doubt, Doubt::InsideBurst { .. } | Doubt::CreditsSpent { .. })
}

fn stops(run: &Run, analysis: &Analysis) -> String {
    let mut sentences = super::stops::stops(analysis);
    let horizon = numbers::span(analysis.horizon.as_secs_f64());
    if analysis.horizon.0 > 0 {
        let end = if has_no_burst(run, analysis) { "; the policy has no burst." } else { "." };
        let least = analysis.sensitivity.map_or(String::new(), |share| {
            format!(" of {} or more", numbers::share((share * 100.0).ceil() / 100.0))
        });
        sentences.push(format!("No change{least} within {horizon}{end}"));
    }
    sentences.join(" ")
}

/// Whether a policy was named and neither its bucket nor any doubt is about a burst.
fn has_no_burst(run: &Run, analysis: &Analysis) -> bool {
    let of_burst = |doubt: &Doubt| {
        matches!(doubt, Doubt::InsideBurst { .. } | Doubt::BurstUnknown | Doubt::BurstOfAnother { .. })
    };
    let doubts = analysis.verdict.rows.iter().flat_map(|row| &row.doubts).chain(&analysis.verdict.doubts);
    run.policy.is_some() && analysis.spent.credit_share.is_none() && !doubts.into_iter().any(of_burst)
}
