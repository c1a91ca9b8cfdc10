//! The findings as a section of a page, each with links to the charts that show it.

use analysis::{Analysis, Evidence, Finding};

use super::parts::{name_of, note, prose, section};
use super::shown::{Figures, joined, jump};
use crate::markup::{Markup, element, markup};
use crate::words::data::kind_name;
use crate::words::findings::{Shown, told};
use crate::words::sentence::{EVIDENCE_NAMED, capital, competing, confidence, next_step, one_span, sentence};

/// Every finding; a word where there is none.
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

/// The findings of a watch, where there are any.
pub(super) fn found(analysis: &Analysis, figures: &Figures) -> Markup {
    if analysis.findings.is_empty() { Markup::default() } else { findings(analysis, figures) }
}

/// The name, with a number where it was given before.
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

/// Where it was seen, each span a link to the chart that shows it; else the chart alone.
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

/// The series that are charts of a run, by the names that evidence gives them.
const AGAINST_TIME: [&str; 2] = ["rate", "latency"];

/// A span with its link: to the series that it names where that is drawn against time, else to the finding's own chart.
fn one(span: &Evidence, chart: Option<&str>, figures: &Figures) -> Markup {
    let words = prose(&capital(&(one_span(span) + &figures.of_day(span.from, span.to))));
    let of_series = AGAINST_TIME.into_iter().find(|id| span.series == *id && figures.title(id).is_some());
    match of_series.or(chart) {
        Some(id) => jump(id, Some((span.from, span.to)), words),
        None => words,
    }
}

/// The name of the figure that a finding points to.
fn chart_of(finding: &Finding) -> Option<String> {
    match told(finding).shown {
        Shown::OfRun(id) => Some(id.to_owned()),
        Shown::OfDevice(place, chart) => Some(format!("{}-{chart}", place.name)),
        Shown::Nowhere => None,
    }
}

/// A finding around its paragraphs.
pub(super) fn block(paragraphs: Markup) -> Markup {
    element("div").with("class", "finding").line(paragraphs)
}

/// A paragraph of a finding behind the word that says what it tells.
pub(super) fn said(word: &str, what: Markup) -> Markup {
    element("p").holding(markup![element("span").holding(word), what])
}
