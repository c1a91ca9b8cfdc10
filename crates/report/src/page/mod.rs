//! One HTML file that needs no network and no script: verdict, claims, charts, evidence, findings, method.

pub(crate) mod comparison;
mod document;
mod findings;
mod imported;
pub(crate) mod live;
pub(crate) mod measured;
mod method;
mod parts;
pub(crate) mod shelf;
mod shown;
pub(crate) mod sizing;
mod tiles;
pub(crate) mod trend;
mod watch;
pub(crate) mod zoom;

use analysis::{Analysis, Answer, ProcedureAnswer};
use record::Run;

use crate::charts::PictureOptions;
use crate::markup::{Markup, element, markup};
use crate::words::provenance::started;
use crate::words::tiles::tiles;
use crate::words::verdict::headline;
use crate::words::{imported as other_tool, matrix, numbers};
use document::{Document, document};
use parts::{note, prose, scrolled, section};

/// Returns the report as one HTML document: light and dark, printable, readable without its charts.
pub fn html(run: &Run, analysis: &Analysis) -> String {
    html_of(run, analysis, &PictureOptions::default())
}

/// Returns [`html`] restricted to the devices and samples that `options` name.
pub fn html_of(run: &Run, analysis: &Analysis, options: &PictureOptions) -> String {
    let title = title(run, analysis, options);
    // For a long watch, drawing charts and packing values take about a second each and do not depend on each other.
    let (middle, zoom) = std::thread::scope(|scope| {
        let packing = scope.spawn(|| zoom::zoom(run, analysis));
        let middle = middle(run, analysis, options);
        (middle, packing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    document(Document {
        title: &title,
        version: &run.version,
        body: markup![top((run, analysis), &title), middle, method::method(run, analysis)],
        extra_head: zoom.head,
        extra_foot: zoom.foot,
        note: zoom.note,
    })
}

/// Returns the sections between the verdict and the method.
fn middle(run: &Run, analysis: &Analysis, options: &PictureOptions) -> Markup {
    let printed = imported::sections(run, analysis);
    match (watch::is_watch(run), printed) {
        (false, None) => markup![matrix(run), measured::sections(run, analysis)],
        (false, Some(printed)) => printed,
        (true, printed) => {
            markup![watch::sections((run, analysis), options), measured::own_load(run, analysis), printed,]
        }
    }
}

/// Returns tables in the layout of CrystalDiskMark if each load of the run was both read and written; nothing if
/// the loads do not form such a matrix.
fn matrix(run: &Run) -> Markup {
    let cells = analysis::cells(run);
    let (Some(bandwidths), Some(rates), Some(latencies)) =
        (matrix::bandwidths(&cells), matrix::rates(&cells), matrix::latencies(&cells))
    else {
        return Markup::default();
    };
    let mix = matrix::mix_words(&cells).unwrap_or_default();
    markup![
        section(
            "MB/s",
            markup![
                scrolled(&bandwidths),
                note(format!("1 MB is 1,000,000 bytes. {mix}").trim_end().to_owned())
            ]
        ),
        section("Operations a second", scrolled(&rates)),
        section("Mean latency", scrolled(&latencies)),
    ]
}

/// Returns the subject of the page: the target, the merged machines, the file that another tool printed, or the watched
/// machine.
fn title(run: &Run, analysis: &Analysis, options: &PictureOptions) -> String {
    let imported = other_tool::origin(run).map(|(tool, _)| match options.source.as_str() {
        "" => tool,
        file => file,
    });
    let target = run.target.as_ref().map(|target| target.words.as_str()).or(imported);
    let merged = match &analysis.answered {
        Some(ProcedureAnswer::Merged(answer)) => Some(format!("{} machines", answer.machines.len())),
        _ => None,
    };
    let target = target.map(str::to_owned).or(merged);
    let words = target.or_else(|| watch::is_watch(run).then(|| machine(run, analysis)));
    format!("plimsoll: {}", words.as_deref().unwrap_or("no target"))
}

/// Describes the watched machine: `20 devices of db1`.
fn machine(run: &Run, analysis: &Analysis) -> String {
    let devices = match analysis.watched.as_ref().map_or(run.devices.len(), |watched| watched.devices.len()) {
        0 => "a machine".to_owned(),
        1 => "1 device".to_owned(),
        several => format!("{several} devices"),
    };
    match &run.host {
        Some(host) if !host.hostname.is_empty() => format!("{devices} of {}", host.hostname),
        _ => devices,
    }
}

/// Most letters of a headline; a longer verdict is set as plain text.
const HEADLINE: usize = 180;

fn top((run, analysis): (&Run, &Analysis), title: &str) -> Markup {
    let words = headline(run, analysis);
    let tiles = tiles::tiles(&tiles(run, analysis));
    let header = element("header").line(markup![
        "\n",
        element("h1").line(title),
        element("p").with("class", "where").line(where_and_when(run)),
    ]);
    let length = words.rest.chars().count() + words.word.len();
    let verdict = if length > HEADLINE { "verdict long" } else { "verdict" };
    let answer = element("strong").with("class", class_of(analysis.verdict.answer)).holding(words.word);
    let blank = if words.rest.starts_with(' ') { " " } else { "" };
    markup![
        header,
        element("p").with("class", verdict).line(markup![answer, blank, prose(&words.rest)]),
        (!words.stops.is_empty()).then(|| element("p").with("class", "stops").line(prose(&words.stops))),
        cut_off(run),
        tiles,
    ]
}

fn where_and_when(run: &Run) -> String {
    let mut words = vec![started(run)];
    if let Some(host) = &run.host {
        let product = if host.product.is_empty() { String::new() } else { format!(" ({})", host.product) };
        words.push(format!("on {}{product}", host.hostname));
    }
    if let Some(policy) = &run.policy {
        words.push(format!("against the policy {policy}"));
    }
    if let Some(expectation) = &run.expectation {
        words.push(format!("expecting \"{expectation}\""));
    }
    words.join(", ")
}

fn cut_off(run: &Run) -> Option<Markup> {
    let last =
        || run.steps.iter().map(|step| step.ended).chain(run.samples.iter().map(|sample| sample.at)).max();
    let warning = || {
        let at = numbers::span(last().unwrap_or_default().as_secs_f64());
        let cut = || format!("This run was cut off at {at}: what follows is what was recorded until then.");
        let words = crate::words::running::running_words(run).unwrap_or_else(cut);
        element("p").with("class", "warning").line(words)
    };
    (!run.complete).then(warning)
}

fn class_of(answer: Answer) -> &'static str {
    match answer {
        Answer::Measured => "plain",
        Answer::Meets | Answer::Exceeds => "good",
        Answer::Below => "bad",
        Answer::ConsistentWithBurst | Answer::CannotTell => "unsure",
    }
}
