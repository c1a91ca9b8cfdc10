//! The findings of a check in a terminal: first those that change the answer, and unless all are requested, no more
//! than fit a screen.

use analysis::findings::{BandwidthCap, IopsCap, NotIdentifiable, Question};
use analysis::{Analysis, Answer, ClaimRow, Confidence, Finding, Meaning, Quantity, Verdict};

use crate::words::sentence::{capital, competing, confidence, evidence, next_step, sentence};
use crate::words::wrap::wrap;

/// Number of findings to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// No more than fit a screen with the verdict; the rest are counted.
    #[default]
    Screen,
    /// All, each with where it was seen and other possible explanations.
    All,
}

/// Lines for findings: a screen of 24 less the verdict's own.
const LINES: usize = 16;
/// Most findings listed on a line each; more are only counted.
const BRIEF: usize = 3;

/// Returns the findings alone, a sentence each, for commands whose result is not a verdict; the page has the
/// details.
pub fn findings_brief(analysis: &Analysis) -> String {
    let shown: Vec<&Finding> = analysis.findings.iter().filter(|finding| !is_limit(finding)).collect();
    let told = shown.iter().take(BRIEF).map(|finding| wrap("  found   ", &sentence(finding)));
    let mut text: String = told.collect();
    if shown.len() > BRIEF {
        text += &wrap("          ", &format!("{} more in the report.", shown.len() - BRIEF));
    }
    text
}

/// Returns findings that weaken or explain the result. The verdict already names the likely limits of the volume, so such a cap
/// is included only if a claim is missed because of it.
pub(super) fn findings(analysis: &Analysis, extent: Extent) -> String {
    let is_named = |finding: &Finding| is_limit(finding) && finding.confidence >= Confidence::Likely;
    let shown = |finding: &&Finding| !is_named(finding) || explains(finding, &analysis.verdict);
    let mut shown: Vec<&Finding> = analysis.findings.iter().filter(shown).collect();
    if extent == Extent::All {
        return joined(shown.into_iter().map(whole));
    }
    // The findings are sorted by their effect on the answer; those that the verdict already gives move to the end.
    shown.sort_by_key(|finding| is_in_the_verdict(finding));
    let all = joined(shown.iter().map(|finding| whole(finding)));
    if all.lines().count() <= LINES { all } else { screen(&shown) }
}

/// Returns as many findings as fit, without their evidence, and the number of the rest.
fn screen(shown: &[&Finding]) -> String {
    let fits = |count: usize| {
        let more = usize::from(count < shown.len()) * 2;
        joined(short(&shown[..count]).into_iter()).lines().count() + more <= LINES
    };
    // The first finding is shown even if it is too long.
    let told = (1..=shown.len()).rev().find(|&count| fits(count)).unwrap_or(1);
    joined(short(&shown[..told]).into_iter().chain([more(shown.len() - told)]))
}

/// Returns the option that shows the rest.
fn more(left: usize) -> String {
    let rest = match left {
        0 => "where these were seen and what else they could be".to_owned(),
        1 => "1 more finding, where each was seen, what else it could be".to_owned(),
        left => format!("{left} more findings, where each was seen, what else it could be"),
    };
    wrap("  more    ", &format!("{}: --all", capital(&rest)))
}

fn joined(blocks: impl Iterator<Item = String>) -> String {
    blocks.collect::<Vec<_>>().join("\n")
}

/// Formats findings with their next steps; a step that several findings share follows the last of them.
fn short(findings: &[&Finding]) -> Vec<String> {
    let steps: Vec<String> = findings.iter().map(|finding| next_step(finding)).collect();
    let one = |(at, finding): (usize, &&Finding)| {
        let said = wrap("  found   ", &format!("{}{}", sentence(finding), word(finding)));
        let is_told_again = steps[at + 1..].contains(&steps[at]);
        if is_told_again { said } else { said + &wrap("  next    ", &steps[at]) }
    };
    findings.iter().enumerate().map(one).collect()
}

/// Returns the confidence in a finding, in one word after a space; nothing for a question that is left open.
fn word(finding: &Finding) -> &'static str {
    match finding.confidence {
        _ if matches!(finding.meaning, Meaning::NotIdentifiable(_)) => "",
        Confidence::Possible => " Possible.",
        Confidence::Likely => " Likely.",
        Confidence::Strong => " Strong.",
        Confidence::Certain => " Certain.",
    }
}

/// Formats a finding with its evidence, other possible explanations, and its next step.
fn whole(finding: &Finding) -> String {
    let mut text = wrap("  found   ", &sentence(finding));
    let seen = evidence(&finding.evidence);
    let sure = capital(confidence(finding));
    match seen.is_empty() {
        true => text += &wrap("  sure    ", &format!("{sure}.")),
        false => text += &wrap("  seen    ", &format!("{}. {sure}.", capital(&seen))),
    }
    if let Some(other) = competing(finding) {
        text += &wrap("  unless  ", &other);
    }
    text + &wrap("  next    ", &next_step(finding))
}

/// Whether the sentences below the verdict already say what the finding says.
fn is_in_the_verdict(finding: &Finding) -> bool {
    matches!(finding.meaning, Meaning::NotIdentifiable(NotIdentifiable { question: Question::Holds, .. }))
}

/// Whether the finding is the cap that causes a claim to be missed.
fn explains(finding: &Finding, verdict: &Verdict) -> bool {
    let (quantity, wanted) = match finding.meaning {
        Meaning::IopsCap(IopsCap { direction, .. }) => (Quantity::Iops, direction),
        Meaning::BandwidthCap(BandwidthCap { direction, .. }) => (Quantity::BytesPerSecond, direction),
        _ => return false,
    };
    let missed =
        |row: &ClaimRow| row.answer == Answer::Below && row.quantity == quantity && row.direction == wanted;
    verdict.rows.iter().any(missed)
}

fn is_limit(finding: &Finding) -> bool {
    matches!(
        finding.meaning,
        Meaning::IopsCap(_)
            | Meaning::BandwidthCap(_)
            | Meaning::AccountingUnit(_)
            | Meaning::Saturation(_)
            | Meaning::DepthBound(_)
            | Meaning::InFlightBound(_)
            | Meaning::Crossover(_)
            | Meaning::FillingDepth(_)
    )
}
