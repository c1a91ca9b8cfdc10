//! Grouping of results: one result printed twice, logs and the run that wrote them.

use std::collections::{HashMap, HashSet};

use record::{Origin, ReportedDirection, Run, Scope};

use super::found::ImportedResult;
use super::lacks::of_results;

/// Keeps one of several copies of a result in an input: of interim prints of a run, the last; of one run in several
/// forms, the most detailed form. `replaced` is the number of prints dropped before.
pub(crate) fn distinct(
    results: Vec<ImportedResult>,
    replaced: usize,
    notes: &mut Vec<String>,
) -> Vec<ImportedResult> {
    forms(snapshots(results, replaced, notes), notes)
}

/// Keeps the last print of each run; `dropped` is the number of prints dropped before.
fn snapshots(
    results: Vec<ImportedResult>,
    mut dropped: usize,
    notes: &mut Vec<String>,
) -> Vec<ImportedResult> {
    let mut kept: Vec<ImportedResult> = Vec::new();
    for found in results {
        match kept.last_mut() {
            Some(last) if is_later(last, &found) => {
                replace(last, found);
                dropped += 1;
            }
            _ => kept.push(found),
        }
    }
    if dropped > 0 {
        let prints = if dropped == 1 { "earlier print" } else { "earlier prints" };
        notes.push(format!(
            "{dropped} {prints} of a run that went on (--status-interval) left out; the last one counts"
        ));
    }
    kept
}

/// Replaces a print of a run by a later one.
pub(crate) fn replace(last: &mut ImportedResult, later: ImportedResult) {
    let before = std::mem::replace(last, later);
    keep_beginning(last, before);
}

/// Copies the version and the options, which precede only the first print.
fn keep_beginning(last: &mut ImportedResult, before: ImportedResult) {
    if last.tool_is_guessed {
        (last.tool, last.tool_is_guessed) = (before.tool, before.tool_is_guessed);
    }
    for part in last.parts.iter_mut().filter(|part| part.asked.is_empty()) {
        let same = before.parts.iter().find(|known| known.scope == part.scope && known.job == part.job);
        if let Some(known) = same {
            part.asked.clone_from(&known.asked);
        }
    }
}

/// Whether `next` is a later print of the run of `last`: it has the same processes or, if there are no process ids,
/// its runtime grew by the time that passed between the prints.
pub(crate) fn is_later(last: &ImportedResult, next: &ImportedResult) -> bool {
    let (before, after) = (last.jobs(), next.jobs());
    let same_tool = last.tool == next.tool
        || (next.tool_is_guessed && last.tool.starts_with("fio ") && last.tool.ends_with(" text"));
    if !same_tool || before.is_empty() || !all_in(&before, &after) {
        return false;
    }
    if before.iter().all(|(_, pid)| !pid.is_empty()) {
        return true;
    }
    let (Some(printed), Some(again)) = (last.printed_unix_ms, next.printed_unix_ms) else { return false };
    let passed = again.saturating_sub(printed) as f64;
    let ran = ran_ms(next) - ran_ms(last);
    ran >= 0.0 && passed > 0.0 && (passed - ran).abs() <= 300.0 + 0.25 * passed
}

fn all_in(jobs: &[(&str, &str)], others: &[(&str, &str)]) -> bool {
    let others: HashSet<&(&str, &str)> = others.iter().collect();
    jobs.iter().all(|job| others.contains(job))
}

/// Returns the total milliseconds for which the groups ran, one after another.
fn ran_ms(found: &ImportedResult) -> f64 {
    let mut groups: HashMap<Option<u32>, f64> = HashMap::new();
    for part in found.parts.iter().filter(|part| part.scope == Scope::Job) {
        let ms = part.runtime.map_or(0.0, |runtime| runtime.as_secs_f64() * 1e3);
        let longest = groups.entry(part.group).or_insert(ms);
        *longest = longest.max(ms);
    }
    groups.values().sum()
}

/// Forms of fio's result, the most detailed first.
const FORMS: [&str; 4] = ["JSON+", "JSON", "text", "terse"];

/// Most results of the same jobs with which one is compared: no text contains one run in more forms.
const COMPARED_MOST: usize = 64;

/// Returns the version and the name of the first job.
fn known_by(found: &ImportedResult) -> (String, String) {
    let version = found.tool.split(' ').take(2).collect::<Vec<_>>().join(" ");
    (version, found.jobs().first().map_or(String::new(), |(name, _)| (*name).to_owned()))
}

fn rank(found: &ImportedResult) -> usize {
    FORMS.iter().position(|form| found.tool.contains(form)).unwrap_or(FORMS.len())
}

fn forms(results: Vec<ImportedResult>, notes: &mut Vec<String>) -> Vec<ImportedResult> {
    let ranks: Vec<usize> = results.iter().map(rank).collect();
    // Grouped by properties that all forms of a result share, so that each is compared with few others.
    let mut alike: HashMap<(String, String), Vec<usize>> = HashMap::new();
    for (at, found) in results.iter().enumerate().filter(|(_, found)| found.tool.starts_with("fio")) {
        alike.entry(known_by(found)).or_default().push(at);
    }
    let poorer = |(at, found): (usize, &ImportedResult)| {
        let others = alike.get(&known_by(found)).map_or(&[][..], Vec::as_slice);
        let richer = others.iter().filter(|&&other| ranks[other] < ranks[at]).take(COMPARED_MOST);
        let mut same = richer.filter(|&&other| is_same(found, &results[other]));
        same.next().map(|&other| results[other].tool.clone())
    };
    let better: Vec<Option<String>> = results.iter().enumerate().map(poorer).collect();
    let mut kept = Vec::new();
    for (found, better) in results.into_iter().zip(better) {
        match better {
            Some(tool) => {
                notes.push(format!("the same result stands there as {} too; {tool} tells more", found.tool))
            }
            None => kept.push(found),
        }
    }
    kept
}

/// Whether two results of fio of one version have the same jobs, and rates that differ only by rounding.
fn is_same(one: &ImportedResult, other: &ImportedResult) -> bool {
    let names = |found: &ImportedResult| -> Vec<String> {
        found.jobs().into_iter().map(|(name, _)| name.to_owned()).collect()
    };
    let rates = |found: &ImportedResult| -> Vec<f64> {
        let jobs = found.parts.iter().filter(|part| part.scope == Scope::Job);
        let ways = jobs.flat_map(|part| &part.directions);
        ways.filter_map(|way: &ReportedDirection| Some(way.iops.as_ref()?.value)).collect()
    };
    let (mine, theirs) = (rates(one), rates(other));
    let near = mine.iter().zip(&theirs).all(|(a, b)| (a - b).abs() <= 0.006 * a.max(*b) + 1.0);
    names(one) == names(other) && mine.len() == theirs.len() && near
}

/// Joins fio's logs to the run whose job names them (`write_bw_log` and similar options, or the job's name), or
/// else to other logs with the same prefix. Each item is an input's name with its runs; an input whose runs were
/// moved has none left.
pub fn together(mut inputs: Vec<(String, Vec<Run>)>) -> Vec<(String, Vec<Run>)> {
    for index in 0..inputs.len() {
        let Some(log) = inputs[index].1.first().filter(|run| is_log(run)).cloned() else { continue };
        let prefix = log.reported.first().map(|part| part.job.clone()).unwrap_or_default();
        let Some((input, run)) = home(&inputs, index, &prefix) else { continue };
        inputs[index].1.clear();
        join(&mut inputs[input].1[run], log, &prefix);
    }
    inputs
}

fn is_log(run: &Run) -> bool {
    matches!(&run.origin, Origin::Imported { tool, .. } if tool == "fio logs")
}

fn folder(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the destination of the log that is the first run of the input at `own`: the only result that wrote the
/// log, or else an earlier log with the same prefix and folder.
fn home(inputs: &[(String, Vec<Run>)], own: usize, prefix: &str) -> Option<(usize, usize)> {
    let all = || {
        let numbered = inputs.iter().enumerate().filter(|(input, _)| *input != own);
        numbered.flat_map(|(input, (name, runs))| {
            runs.iter().enumerate().map(move |(run, of)| (input, run, name, of))
        })
    };
    let wrote: Vec<_> =
        all().filter(|(_, _, _, run)| !is_log(run) && writer_of(run, prefix).is_some()).collect();
    if let [(input, run, _, _)] = wrote.as_slice() {
        return Some((*input, *run));
    }
    let dir = folder(&inputs[own].0);
    let beside = |run: &Run| is_log(run) && run.reported.first().is_some_and(|part| part.job == prefix);
    all()
        .find(|(input, _, name, run)| *input < own && beside(run) && folder(name) == dir)
        .map(|(input, run, _, _)| (input, run))
}

/// Returns the index of the job that wrote logs of `prefix`.
fn writer_of(run: &Run, prefix: &str) -> Option<usize> {
    let file = |value: &str| value.rsplit('/').next().unwrap_or(value).to_owned();
    run.reported.iter().position(|part| {
        let named = part.asked.iter().any(|(option, value)| {
            option.starts_with("write_") && option.ends_with("_log") && file(value) == prefix
        });
        part.scope == Scope::Job && (named || part.job == prefix)
    })
}

fn join(run: &mut Run, log: Run, prefix: &str) {
    let place = writer_of(run, prefix).unwrap_or(0);
    let series = log.reported.into_iter().flat_map(|part| part.series);
    if let Some(part) = run.reported.get_mut(place) {
        part.series.extend(series);
    }
    run.events.extend(log.events);
    if let Origin::Imported { lacks: missing, .. } = &mut run.origin {
        *missing = of_results(&run.reported);
    }
}
