//! The zoom of a page: the time series as data, and the script that draws them in place of the drawings.
//!
//! The script comes from `web/` and is in the binary if it was built there. A page without it has only the
//! drawings and says so. docs/decisions/zoom.md has the reasons and the sizes.

mod packed;
mod watched;

use analysis::Analysis;
use record::{Phase, PhaseKind, Run, StepRecord};
use serde::Serialize;
use serde_json::{Map, Value, json};
use workload::Nanos;

use crate::charts::{Ink, Level, MeasuredChart, measured_series};
use crate::markup::{Markup, element, markup};
use crate::words::step_kind::{kind_words, step_words};
use crate::words::wrap::{clean, clean_json};
use packed::Extremes;

const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/zoom.js"));
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/zoom.css"));
/// SHA-256 of the script, in base64.
const HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/zoom.sha256"));

/// Message if the script is not in this binary.
const MISSING: &str = "The charts of this page cannot be zoomed: this plimsoll was built without its web part (./dev builds it where Node is).";

/// Returns why pages that this binary writes have no zoom; `None` if they do.
pub fn zoom_missing() -> Option<&'static str> {
    SCRIPT.is_empty().then_some(MISSING)
}

/// Markup that a page needs for its zoom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Zoom {
    /// Part of the head: the page's security policy and style.
    pub head: Markup,
    /// End of the body: data and script.
    pub foot: Markup,
    /// Part of the footer, as plain text: the authors of the script, or why it is missing.
    pub note: &'static str,
}

/// Returns the zoom of a run's page; if the run has no time series, only the security policy.
pub(crate) fn zoom(run: &Run, analysis: &Analysis) -> Zoom {
    let found = [of_steps(run, analysis), watched::series(run, analysis)];
    let Some(series) = found.into_iter().flatten().reduce(ZoomSeries::beside) else {
        return Zoom { head: rules("'none'"), ..Zoom::default() };
    };
    if let Some(missing) = zoom_missing() {
        return Zoom { head: rules("'none'"), foot: Markup::default(), note: missing };
    }
    let data = element("script").with("type", "application/json").with("id", "zoom-data");
    Zoom {
        head: markup![rules(&format!("'sha256-{HASH}'")), element("style").line(Markup::trusted(STYLE)),],
        foot: markup![
            data.line(Markup::trusted(inert(series.document(run).to_string()))),
            element("script").line(Markup::trusted(SCRIPT)),
        ],
        note: "They are zoomed by uPlot (MIT License, in the script).",
    }
}

/// Returns the page's content security policy: it may load nothing but what it contains, and run only the script
/// with this hash.
fn rules(script: &str) -> Markup {
    let rules = format!(
        "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; script-src {script}; base-uri 'none'; form-action 'none'"
    );
    let policy = element("meta").with("http-equiv", "Content-Security-Policy");
    markup![policy.with("content", rules).void(), "\n"]
}

/// Returns JSON that cannot close the element around it, nor control the terminal of anyone who prints the file.
fn inert(json: String) -> String {
    clean_json(json).replace('<', "\\u003c")
}

/// Every series of a page.
struct ZoomSeries {
    charts: Vec<Chart>,
    /// Spans of the values; a chart refers to its spans by index.
    times: Vec<Vec<(Nanos, Nanos)>>,
    gaps: Vec<(Nanos, Nanos)>,
}

/// One figure of the page.
#[derive(Serialize)]
struct Chart {
    device: String,
    chart: &'static str,
    times: usize,
    panels: Vec<Panel>,
    values: String,
}

#[derive(Serialize)]
struct Panel {
    title: String,
    unit: record::Unit,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<PanelUnit>,
    scale: &'static str,
    lines: Vec<Line>,
    levels: Vec<Value>,
}

/// Returns a horizontal line of a panel, with its value in the base unit.
fn level(level: &Level) -> Value {
    json!({ "value": level.value, "label": level.label, "ink": level.ink.name() })
}

/// The unit in which every value of a panel is written: its name, and its size in base units.
#[derive(Serialize)]
struct PanelUnit {
    name: &'static str,
    factor: f64,
}

#[derive(Serialize)]
struct Line {
    name: String,
    ink: String,
}

impl ZoomSeries {
    /// Size of the packed values, in bytes.
    fn packed(&self) -> usize {
        self.charts.iter().map(|chart| chart.values.len()).sum()
    }

    /// Combines the series of two sources.
    fn beside(mut self, other: ZoomSeries) -> ZoomSeries {
        let before = self.times.len();
        self.charts
            .extend(other.charts.into_iter().map(|chart| Chart { times: chart.times + before, ..chart }));
        self.times.extend(other.times);
        self.gaps.extend(other.gaps);
        self
    }

    fn document(&self, run: &Run) -> Value {
        let ends = self.times.iter().flatten();
        let from = ends.clone().map(|span| span.0).min().unwrap_or_default();
        let to = ends.map(|span| span.1).max().unwrap_or_default();
        let times =
            self.times.iter().map(|spans| json!({ "count": spans.len(), "packed": packed::spans(spans) }));
        json!({
            "from": from.as_secs_f64(),
            "to": to.as_secs_f64(),
            "started": run.started_unix_ms,
            "inks": inks(),
            "bands": bands(run),
            "steps": steps(run),
            "gaps": self.gaps.iter().map(|&gap| span(gap, "")).collect::<Vec<_>>(),
            "times": times.collect::<Vec<_>>(),
            "charts": self.charts,
        })
    }
}

/// Returns the phases of a watch as bands, or else the purposes of a run's steps.
fn bands(run: &Run) -> Vec<Value> {
    if !run.phases.is_empty() {
        let phase = |phase: &Phase| band((phase.from, phase.to), &phase.name, phase.kind != PhaseKind::Idle);
        return run.phases.iter().map(phase).collect();
    }
    let kinds = run.steps.chunk_by(|a, b| a.plan.kind == b.plan.kind);
    let kind = |(place, steps): (usize, &[StepRecord])| {
        let (first, last) = (steps.first()?, steps.last()?);
        Some(band((first.started, last.ended), kind_words(first.plan.kind), place % 2 == 0))
    };
    kinds.enumerate().filter_map(kind).collect()
}

/// Returns the spans that the crosshair names: the phases of a watch, or else every step.
fn steps(run: &Run) -> Vec<Value> {
    if !run.phases.is_empty() {
        let named = |(place, phase): (usize, &Phase)| {
            let words = format!("phase {} of {}: {}", place + 1, run.phases.len(), clean(&phase.name));
            span((phase.from, phase.to), &words)
        };
        return run.phases.iter().enumerate().map(named).collect();
    }
    let named = |(place, step): (usize, &StepRecord)| {
        let words = format!("step {} of {}: {}", place + 1, run.steps.len(), step_words(&step.plan));
        span((step.started, step.ended), &words)
    };
    run.steps.iter().enumerate().map(named).collect()
}

/// Returns a band, filled as in the drawings: under a load, or for every second kind of step.
fn band(ends: (Nanos, Nanos), label: &str, filled: bool) -> Value {
    let mut band = span(ends, label);
    band["filled"] = json!(filled);
    band
}

fn span((from, to): (Nanos, Nanos), label: &str) -> Value {
    json!({ "from": from.as_secs_f64(), "to": to.as_secs_f64(), "label": label })
}

/// Returns every ink by its name.
fn inks() -> Map<String, Value> {
    let row = |ink: Ink| json!({ "light": ink.hex(), "dark": ink.dark_hex(), "dash": ink.dash() });
    Ink::all().map(|ink| (ink.name(), row(ink))).collect()
}

/// Most buckets of a line: with more, the page of a load that lasts a day would be larger than that of a watch that
/// does.
const BUCKETS_MAX: usize = 8_000;

/// Returns the charts of `run`'s steps against time as data; `None` if there are no such charts.
fn of_steps(run: &Run, analysis: &Analysis) -> Option<ZoomSeries> {
    let series = measured_series(run, analysis)?;
    let cut = record::thinned(&series.spans, &[], BUCKETS_MAX, &[]);
    let lengths = packed::lengths(&cut, &series.spans);
    Some(ZoomSeries {
        charts: series.charts.iter().map(|(id, drawn)| chart(id, drawn, &lengths)).collect(),
        times: vec![cut.iter().map(|bucket| (bucket.from, bucket.to)).collect()],
        gaps: Vec::new(),
    })
}

fn chart(id: &'static str, drawn: &MeasuredChart, lengths: &[usize]) -> Chart {
    let values: Vec<Extremes> = drawn.lines.iter().map(|line| Extremes::of(&line.values, lengths)).collect();
    let lines = drawn.lines.iter();
    let logarithmic = drawn.unit == record::Unit::Seconds;
    let panel = Panel {
        title: drawn.title.to_owned(),
        unit: drawn.unit,
        written: drawn.written.map(|unit| PanelUnit { name: unit.name, factor: unit.factor }),
        scale: if logarithmic { "logarithmic" } else { "linear" },
        lines: lines.map(|line| Line { name: line.name.clone(), ink: line.ink.name() }).collect(),
        levels: drawn.levels.iter().map(level).collect(),
    };
    Chart { device: String::new(), chart: id, times: 0, panels: vec![panel], values: packed::values(&values) }
}
