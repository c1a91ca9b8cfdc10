//! The findings as a section of a page.

use analysis::{Analysis, Finding};

use super::parts::{note, prose};
use crate::markup::{Markup, element, markup};
use crate::words::sentence::{competing, confidence, evidence, next_step, sentence};

/// Every finding; a word where there is none.
pub(super) fn findings(analysis: &Analysis) -> Markup {
    let blocks: Markup = analysis.findings.iter().map(finding).collect();
    let none = || note("Nothing beyond the figures above.");
    markup![element("h2").line("Findings"), if blocks.is_empty() { none() } else { blocks }]
}

/// The findings of a watch, where there are any.
pub(super) fn found(analysis: &Analysis) -> Markup {
    if analysis.findings.is_empty() { Markup::default() } else { findings(analysis) }
}

fn finding(finding: &Finding) -> Markup {
    let seen = evidence(&finding.evidence);
    let seen = (!seen.is_empty()).then(|| said("Seen:", format!(" {seen}.").into()));
    let unless = competing(finding).map(|other| said("Unless:", markup![" ", prose(&other)]));
    block(markup![
        element("p").holding(prose(&sentence(finding))),
        seen,
        said("How sure:", format!(" {}.", confidence(finding)).into()),
        unless,
        said("Next:", markup![" ", prose(&next_step(finding))]),
    ])
}

/// A finding around its paragraphs.
pub(super) fn block(paragraphs: Markup) -> Markup {
    element("div").with("class", "finding").line(paragraphs)
}

/// A paragraph of a finding behind the word that says what it tells.
pub(super) fn said(word: &str, what: Markup) -> Markup {
    element("p").holding(markup![element("span").holding(word), what])
}
