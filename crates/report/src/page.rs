//! One HTML file that needs no network and no script: verdict, claims, charts, evidence, findings, method.

use std::fmt::Write as _;

use analysis::{Analysis, Answer, Finding, Meaning, Verdict};
use record::{PRINTED_AT, Run};

use crate::advice::{competing, next_step};
use crate::cells::cell_table;
use crate::charts::{self, Chart, PictureOptions};
use crate::claims::{claim_words, reading};
use crate::document::{Document, document};
use crate::doubt::{doubt, remedy};
use crate::imported_page;
use crate::markup::{Table, escape};
use crate::method::method;
use crate::numbers;
use crate::sentence::{capital, confidence, evidence, sentence};
use crate::terminal::claimed_by;
use crate::verdict::verdict_words;
use crate::watch_page;
use crate::wrap::unbroken;
use crate::zoom::zoom;

/// The report as one HTML document: light and dark, printable, readable without its charts.
pub fn html(run: &Run, analysis: &Analysis) -> String {
    html_of(run, analysis, &PictureOptions::default())
}

/// [`html`] of the devices and samples that `options` name.
pub fn html_of(run: &Run, analysis: &Analysis, options: &PictureOptions) -> String {
    let title = title(run, analysis, options);
    // Drawings and packed values of a long watch each take about a second, and neither needs the other.
    let (middle, zoom) = std::thread::scope(|scope| {
        let packing = scope.spawn(|| zoom(run, analysis));
        let middle = middle(run, analysis, options);
        (middle, packing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let sections = [top((run, analysis), &title), middle, method(run, analysis)];
    document(&Document {
        title: &title,
        version: &run.version,
        body: &sections.concat(),
        extra_head: &zoom.head,
        extra_foot: &zoom.foot,
        note: zoom.note,
    })
}

/// The sections between the verdict and the method.
fn middle(run: &Run, analysis: &Analysis, options: &PictureOptions) -> String {
    let watched = watch_page::is_watch(run);
    let printed = imported_page::sections(run, &figure);
    match (watched, printed) {
        (false, None) => measured(run, analysis),
        (false, Some(printed)) => printed,
        (true, printed) => [
            found(analysis),
            watch_page::sections((run, analysis), options, &figure),
            own_load(run, analysis),
            printed.unwrap_or_default(),
        ]
        .concat(),
    }
}

/// The sections of a run that measured a target.
fn measured(run: &Run, analysis: &Analysis) -> String {
    let drawn = Drawn::of(run, analysis);
    [
        claims(run, &analysis.verdict),
        drawn.decisive(),
        steps_without_ladder(run, analysis),
        drawn.section("Against time", &["rate", "bandwidth", "latency"]),
        drawn.section("Queue depth", &["depths", "by-depth"]),
        drawn.section("Block size", &["blocks"]),
        drawn.section("Latency", &["percentiles"]),
        drawn.section("The machine meanwhile", &["cpu", "devices"]),
        findings(analysis),
    ]
    .concat()
}

/// What the load of a watch did, by its own account.
fn own_load(run: &Run, analysis: &Analysis) -> String {
    let drawn = Drawn { decisive: None, ..Drawn::of(run, analysis) };
    drawn.section("Our own load", &["rate", "bandwidth", "latency"])
}

/// The findings of a watch, where there are any.
fn found(analysis: &Analysis) -> String {
    if analysis.findings.is_empty() { String::new() } else { findings(analysis) }
}

/// Every job of a run that climbed no ladder: those of a profile, a quick look, a job file.
fn steps_without_ladder(run: &Run, analysis: &Analysis) -> String {
    let table = cell_table(&analysis::cells(run));
    let climbed = !analysis.depths.is_empty() || !analysis.blocks.is_empty();
    match climbed || table.rows.is_empty() {
        true => String::new(),
        false => format!("<h2>Jobs</h2>\n<div class=\"scroll\">{}</div>\n", table.html()),
    }
}

/// Running text, escaped, no line of which ends within a number.
fn prose(text: &str) -> String {
    escape(&unbroken(text))
}

/// What it is about: the target, the file of what another tool printed, or the machine that was watched.
fn title(run: &Run, analysis: &Analysis, options: &PictureOptions) -> String {
    let imported = crate::imported::origin(run).map(|(tool, _)| match options.source.as_str() {
        "" => tool,
        file => file,
    });
    let target = run.target.as_ref().map(|target| target.words.as_str()).or(imported);
    let words =
        target.map(str::to_owned).or_else(|| watch_page::is_watch(run).then(|| machine(run, analysis)));
    format!("plimsoll: {}", words.as_deref().unwrap_or("no target"))
}

/// `20 devices of db1`.
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

/// When the run started, in UTC, so that the same record gives the same page anywhere.
pub(crate) fn started(run: &Run) -> String {
    if run.started_unix_ms == 0 && crate::imported::origin(run).is_some() {
        return match printed_at(run) {
            Some(when) => format!("printed at {when}"),
            None => "at a time that is not said".to_owned(),
        };
    }
    let milliseconds = i64::try_from(run.started_unix_ms).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(milliseconds) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        Err(_) => numbers::UNKNOWN.to_owned(),
    }
}

/// When the output was printed, as it says itself.
fn printed_at(run: &Run) -> Option<&str> {
    let said = run.reported.iter().flat_map(|part| &part.said);
    said.filter(|(name, _)| name == PRINTED_AT).map(|(_, when)| when.as_str()).next()
}

fn top((run, analysis): (&Run, &Analysis), title: &str) -> String {
    let words = verdict_words(run, analysis);
    let mut html = format!(
        "<header>\n<h1>{}</h1>\n<p class=\"where\">{}</p>\n</header>\n<p class=\"verdict\"><strong class=\"{}\">{}</strong>{}{}</p>\n",
        escape(title),
        escape(&where_and_when(run)),
        class_of(analysis.verdict.answer),
        words.word,
        if words.rest.starts_with(' ') { " " } else { "" },
        prose(&words.rest),
    );
    if !words.stops.is_empty() {
        let _ = writeln!(html, "<p>{}</p>", prose(&words.stops));
    }
    html + &cut_off(run)
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

fn cut_off(run: &Run) -> String {
    if run.complete {
        return String::new();
    }
    let last =
        run.steps.iter().map(|step| step.ended).chain(run.samples.iter().map(|sample| sample.at)).max();
    format!(
        "<p class=\"warning\">This run was cut off at {}: what follows is what was recorded until then.</p>\n",
        numbers::span(last.unwrap_or_default().as_secs_f64())
    )
}

fn class_of(answer: Answer) -> &'static str {
    match answer {
        Answer::Measured => "plain",
        Answer::Meets | Answer::Exceeds => "good",
        Answer::Below => "bad",
        Answer::ConsistentWithBurst | Answer::CannotTell => "unsure",
    }
}

fn claims(run: &Run, verdict: &Verdict) -> String {
    if verdict.rows.is_empty() {
        return String::new();
    }
    let claimed = verdict.rows.iter().any(|row| !row.claimed.words.is_empty());
    let mut table = Table::headed(&["claim", claimed_by(run), "measured", "p99", "answer", "source"]);
    for (row, words) in verdict.rows.iter().zip(claim_words(verdict)) {
        let answer = words.answer.to_owned();
        table.rows.push(vec![
            words.what,
            words.claimed,
            words.measured,
            words.p99,
            answer,
            row.claimed.source.clone(),
        ]);
    }
    if !claimed {
        table = without_claims(table);
    }
    let notes: String = notes(verdict).iter().map(|note| format!("<li>{}</li>", prose(note))).collect();
    let list = if notes.is_empty() { notes } else { format!("<ul>{notes}</ul>\n") };
    let head = if claimed { "Claims" } else { "Measured" };
    format!("<h2>{head}</h2>\n<div class=\"scroll\">{}</div>\n{list}", table.html())
}

/// The table of a run without claims: what was measured, and its latency.
fn without_claims(table: Table) -> Table {
    let kept = |row: &Vec<String>| vec![row[0].clone(), row[2].clone(), row[3].clone()];
    Table {
        head: vec!["cap".into(), "measured".into(), "p99".into()],
        rows: table.rows.iter().map(kept).collect(),
    }
}

/// How open units were read, and every doubt with what would remove it.
fn notes(verdict: &Verdict) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut add = |note: String| {
        if !notes.contains(&note) {
            notes.push(note);
        }
    };
    for why in &verdict.doubts {
        add(format!("{}. {}", capital(&doubt(why)), remedy(why)));
    }
    for row in &verdict.rows {
        for why in &row.doubts {
            add(format!("{}: {}. {}", row.what, doubt(why), remedy(why)));
        }
        if let Some(read) = reading(row) {
            add(read);
        }
    }
    notes
}

/// Every chart there is data for, and which of them decides.
struct Drawn {
    charts: Vec<Chart>,
    decisive: Option<&'static str>,
}

impl Drawn {
    fn of(run: &Run, analysis: &Analysis) -> Drawn {
        let all = [
            charts::rate(run, analysis),
            charts::bandwidth(run, analysis),
            charts::latency(run, analysis),
            charts::depths(run, analysis),
            charts::by_depth(run),
            charts::block_sizes(run, analysis),
            charts::percentiles(analysis),
            charts::cpu(run),
            charts::devices(run),
        ];
        let charts: Vec<Chart> = all.into_iter().flatten().collect();
        let wanted = wanted(analysis);
        let decisive =
            wanted.iter().find_map(|id| charts.iter().find(|chart| chart.id == *id)).map(|chart| chart.id);
        Drawn { charts, decisive }
    }

    fn decisive(&self) -> String {
        let chart = self.charts.iter().find(|chart| Some(chart.id) == self.decisive);
        chart.map_or_else(String::new, |chart| format!("<h2>The chart that decides</h2>\n{}", figure(chart)))
    }

    /// The named charts under a heading; one that stands above already is pointed to.
    fn section(&self, heading: &str, ids: &[&str]) -> String {
        let found: Vec<&Chart> = self.charts.iter().filter(|chart| ids.contains(&chart.id)).collect();
        let shown = |chart: &&Chart| match Some(chart.id) == self.decisive {
            true => format!(
                "<p class=\"note\">{}: <a href=\"#{}\">above</a>.</p>\n",
                escape(&chart.title),
                chart.id
            ),
            false => figure(chart),
        };
        let figures: String = found.iter().map(shown).collect();
        if figures.is_empty() { figures } else { format!("<h2>{heading}</h2>\n{figures}") }
    }
}

/// Which chart shows what the verdict rests on, the best first.
fn wanted(analysis: &Analysis) -> &'static [&'static str] {
    let any = |test: fn(&Meaning) -> bool| analysis.findings.iter().any(|finding| test(&finding.meaning));
    if any(|meaning| {
        matches!(meaning, Meaning::StepDown { .. } | Meaning::Unsteady { .. } | Meaning::Interrupted { .. })
    }) {
        return &["rate", "depths", "blocks"];
    }
    if any(|meaning| matches!(meaning, Meaning::ForeignLoad { .. })) {
        return &["devices", "rate"];
    }
    if any(|meaning| matches!(meaning, Meaning::Crossover { .. })) {
        return &["blocks", "depths", "rate"];
    }
    &["depths", "blocks", "rate"]
}

/// Charts against time, which the zoom knows by these names.
const ZOOMABLE: [&str; 3] = ["rate", "bandwidth", "latency"];

fn figure(chart: &Chart) -> String {
    let zoomable = match ZOOMABLE.contains(&chart.id) {
        true => format!(" class=\"series\" data-device=\"\" data-chart=\"{}\"", chart.id),
        false => String::new(),
    };
    format!(
        "<figure id=\"{}\"{zoomable}>\n<figcaption>{}</figcaption>\n{}\n<details><summary>The figures as a table</summary><div class=\"scroll\">{}</div></details>\n</figure>\n",
        chart.id,
        escape(&chart.title),
        chart.svg,
        chart.table.html()
    )
}

fn findings(analysis: &Analysis) -> String {
    let blocks: String = analysis.findings.iter().map(finding).collect();
    let none = "<p class=\"note\">Nothing beyond the figures above.</p>\n".to_owned();
    format!("<h2>Findings</h2>\n{}", if blocks.is_empty() { none } else { blocks })
}

fn finding(finding: &Finding) -> String {
    let mut html = format!("<div class=\"finding\"><p>{}</p>", prose(&sentence(finding)));
    let seen = evidence(&finding.evidence);
    if !seen.is_empty() {
        let _ = write!(html, "<p><span>Seen:</span> {}.</p>", escape(&seen));
    }
    let _ = write!(html, "<p><span>How sure:</span> {}.</p>", confidence(finding));
    if let Some(other) = competing(finding) {
        let _ = write!(html, "<p><span>Unless:</span> {}</p>", prose(&other));
    }
    let _ = writeln!(html, "<p><span>Next:</span> {}</p></div>", prose(&next_step(finding)));
    html
}
