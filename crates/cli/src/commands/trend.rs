//! `plimsoll trend`: the newest run against all earlier ones of the same volume, policy, plan and version.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use analysis::trend::{Trend, TrendAsk, TrendRun, trend};
use runfile::StoredTrend;

use crate::arguments::{TrendArguments, TrendFormat, typed};
use session::failure::Failure;
use session::files::{Output, Over, PAGE};
use session::inputs::{Reader, files_in};
use session::named_input::is_folder;
use session::output;
use session::place::{own_folder, short};

/// Reads the runs, judges the newest, prints the verdict and stores it in the newest run's file.
pub fn run(arguments: &TrendArguments) -> Result<u8, Failure> {
    let over = Over { kind: Some(PAGE), inputs: &[] };
    let page = arguments.html.as_deref().map(|html| Output::ask(html, over)).transpose()?;
    let paths = paths(&arguments.inputs)?;
    let runs = runs(&paths)?;
    let ask = TrendAsk { by: arguments.by, last: arguments.last.unwrap_or(usize::MAX).max(1) };
    let Some(trend) = trend(runs, ask) else {
        return Err(Failure::refused(
            "no run among these came to its end, so there is nothing to judge; name others",
        ));
    };
    if let Some(mut page) = page {
        page.write(report::trend_html(&trend).as_bytes())?;
    }
    output::result(&match arguments.format {
        TrendFormat::Text => report::trend_text(&trend),
        TrendFormat::Json => report::trend_json(&trend),
        TrendFormat::Markdown => report::trend_markdown(&trend),
    })?;
    match &arguments.html {
        Some(page) => output::people(&format!("report  {}", short(page))),
        None => output::people("With --html FILE the figures are drawn over the dates of the runs."),
    }
    if !arguments.no_store {
        store(&trend);
    }
    Ok(trend.outcome.exit_code())
}

/// Returns the named run files, and those in the named folders.
pub(super) fn paths(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let inputs = if inputs.is_empty() { vec![own_folder()?] } else { inputs.to_vec() };
    let is_run = |path: &PathBuf| path.extension().is_some_and(|end| end == "plimsoll");
    let mut paths = Vec::new();
    for input in inputs {
        match is_folder(&input) {
            true => paths.extend(files_in(&input)?.into_iter().filter(is_run)),
            false => paths.push(input),
        }
    }
    if paths.is_empty() {
        return Err(Failure::refused(
            "there is no run file (*.plimsoll) in that folder; make one with plimsoll check --out FOLDER",
        ));
    }
    Ok(paths)
}

/// Reads one file after the other and keeps the figures alone: a year of runs need not be in memory at once.
fn runs(paths: &[PathBuf]) -> Result<Vec<TrendRun>, Failure> {
    let reader = Reader::of(typed());
    let mut runs = Vec::new();
    let mut failures = Vec::new();
    for path in paths {
        match reader.recordings(std::slice::from_ref(path)) {
            Ok(read) => runs
                .extend(read.runs.into_iter().map(|of| TrendRun::of(of.path.display().to_string(), of.run))),
            Err(failure) => failures.push(failure),
        }
    }
    let first = (runs.is_empty() && !failures.is_empty()).then(|| failures.remove(0));
    failures
        .iter()
        .for_each(|failure| output::people(report::wrap("passed over: ", &failure.message).trim_end()));
    first.map_or(Ok(runs), Err)
}

/// Stores the verdict in the newest run's file; if that cannot be done it is said, and the verdict holds all the same.
fn store(trend: &Trend) {
    let Some(newest) = trend.runs.last() else { return };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
    let stored = StoredTrend {
        judged_unix_ms: now,
        question: report::trend_question(trend),
        verdict: report::trend_verdict(trend),
        json: report::trend_json(trend),
    };
    if let Err(why) = runfile::store_trend(Path::new(&newest.name), &stored) {
        output::people(report::wrap("plimsoll: ", &why.to_string()).trim_end());
    }
}
