//! The findings as a section of a page, each with links to the charts that show it.

use analysis::{Analysis, Evidence, Finding};

use super::parts::{name_of, note, prose, section};
use super::shown::{Figures, joined, jump};
use crate::markup::{Markup, element, markup};
use crate::words::data::kind_name;
use crate::words::findings::{FindingChart, told};
use crate::words::sentence::{EVIDENCE_NAMED, capital, competing, confidence, next_step, one_span, sentence};

/// Returns all findings, or a sentence that there are none.
pub(super) fn findings(analysis: &Analysis, figures: &Figures) -> Markup {
    let mut names: Vec<String> = Vec::new();
    let blocks: Markup = analysis
        .findings
        .iter()
        .map(|found| {
            let name = unique(&mut names, format!("finding-{}", name_of(&kind_name(found))));
            finding(found, &name, figures)
        })
        .collect();
    let none = blocks.is_empty();
    let list = || element("div").with("class", "findings").line(markup!["\n", blocks]);
    section("Findings", if none { note("Nothing beyond the figures above.") } else { list() })
}

/// Returns the findings of a watch; nothing if there are none.
pub(super) fn found(analysis: &Analysis, figures: &Figures) -> Markup {
    if analysis.findings.is_empty() { Markup::default() } else { findings(analysis, figures) }
}

/// Returns `name`, with a number appended if it has been used before.
fn unique(names: &mut Vec<String>, name: String) -> String {
    let before = names.iter().filter(|known| **known == name).count();
    names.push(name.clone());
    if before == 0 { name } else { format!("{name}-{}", before + 1) }
}

fn finding(finding: &Finding, name: &str, figures: &Figures) -> Markup {
    let unless = competing(finding).map(|other| said("Unless:", markup![" ", prose(&other)]));
    let link = element("a").with("class", "here").with("href", format_args!("#{name}"));
    let link = link.with("aria-label", "Link to this finding").holding("#");
    let inside = markup![
        element("p").holding(markup![prose(&sentence(finding)), " ", link]),
        seen(finding, figures),
        said("How sure:", format!(" {}.", confidence(finding)).into()),
        unless,
        said("Next:", markup![" ", prose(&next_step(finding))]),
    ];
    element("div").with("class", "finding").with("id", name).line(inside)
}

/// Returns where the finding was seen, each span linked to the chart that shows it; without evidence, the chart
/// alone.
fn seen(finding: &Finding, figures: &Figures) -> Option<Markup> {
    let chart = chart_of(finding).filter(|id| figures.title(id).is_some());
    if finding.evidence.is_empty() {
        let id = chart?;
        let title = figures.title(&id).unwrap_or_default();
        return Some(said("Shown by:", markup![" ", jump(&id, None, title), "."]));
    }
    let named = finding.evidence.iter().take(EVIDENCE_NAMED);
    let mut parts: Vec<Markup> = named.map(|span| one(span, chart.as_deref(), figures)).collect();
    if let Some(more @ 1..) = finding.evidence.len().checked_sub(EVIDENCE_NAMED) {
        parts.push(format!("and {more} more").into());
    }
    Some(said("Seen:", markup![" ", joined(parts), "."]))
}

/// Series with their own chart in a run's page, by the names that evidence gives them.
const AGAINST_TIME: [&str; 2] = ["rate", "latency"];

/// Returns a span, linked to the chart of its series if that is drawn, or else to the finding's own chart.
fn one(span: &Evidence, chart: Option<&str>, figures: &Figures) -> Markup {
    let words = prose(&capital(&(one_span(span) + &figures.of_day(span.from, span.to))));
    let of_series = AGAINST_TIME.into_iter().find(|id| span.series == *id && figures.title(id).is_some());
    match of_series.or(chart) {
        Some(id) => jump(id, Some((span.from, span.to)), words),
        None => words,
    }
}

/// Returns the name of the figure that a finding points to.
fn chart_of(finding: &Finding) -> Option<String> {
    match told(finding).shown {
        FindingChart::OfRun(id) => Some(id.to_owned()),
        FindingChart::OfDevice(place, chart) => Some(format!("{}-{chart}", place.name)),
        FindingChart::Nowhere => None,
    }
}

/// Wraps the paragraphs of a finding.
pub(super) fn block(paragraphs: Markup) -> Markup {
    element("div").with("class", "finding").line(paragraphs)
}

/// Returns a paragraph of a finding, introduced by a word that names its subject.
pub(super) fn said(word: &str, what: Markup) -> Markup {
    element("p").holding(markup![element("span").holding(word), what])
}
