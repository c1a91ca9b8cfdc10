//! The answer in a terminal of 80 columns. The verdict comes last, where a reader looks when a run ends; only the
//! verdict word is coloured.

use std::fmt::Write as _;

use analysis::{Analysis, Answer, ProcedureAnswer, Verdict};
use record::{Run, TargetFacts, TargetKind};

use crate::answers;
use crate::words::claims::{ClaimWords, claim_words, p99_head, tolerated};
use crate::words::doubt::{doubt, remedy};
use crate::words::found::{Extent, findings};
use crate::words::imported::{origin, summary};
use crate::words::numbers;
use crate::words::running::running_words;
use crate::words::steps::steps;
use crate::words::verdict::verdict_words;
use crate::words::watch;
use crate::words::wrap::{clean, clean_lines, columns_now, wrap, wrap_between};

/// Whether the verdict word is coloured. The text is the same either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// No escape sequences: no terminal, or `NO_COLOR` is set.
    Plain,
    /// ANSI colours.
    Ansi,
}

/// Returns the first line: the target, its device, the backend.
pub fn head(target: &TargetFacts, backend: &str) -> String {
    let words = match target.kind {
        // A simulated volume has only one backend.
        TargetKind::Simulated => vec!["a volume simulated in virtual time".to_owned()],
        _ => vec![kind_words(target), clean(backend)],
    };
    wrap("", &format!("{}: {}", clean(target.words.trim_end_matches(':')), words.join(", ")))
}

pub(crate) fn kind_words(target: &TargetFacts) -> String {
    let place = match target.kind {
        TargetKind::Directory | TargetKind::File if target.filesystem.is_empty() => "a file".to_owned(),
        TargetKind::Directory | TargetKind::File => clean(&target.filesystem),
        TargetKind::BlockDevice => "a block device".to_owned(),
        TargetKind::Lab => "a volume throttled by this kernel".to_owned(),
        TargetKind::Simulated => "a simulated volume".to_owned(),
        TargetKind::Null => "nothing behind it, every I/O succeeds at once".to_owned(),
    };
    let Some(device) = target.devices.first() else { return place };
    let model = Some(clean(device.model.trim())).filter(|model| !model.is_empty());
    let size = (device.size.0 > 0).then(|| numbers::size(device.size.0));
    let facts: Vec<String> = model.into_iter().chain(size).collect();
    if target.kind == TargetKind::Simulated {
        return format!("a volume of {}", numbers::size(device.size.0));
    }
    let on = format!("{place} on {}", clean(&device.name));
    if facts.is_empty() { on } else { format!("{on} ({})", facts.join(", ")) }
}

/// Returns the whole answer except the line that names the files: steps, findings, claims, verdict. A screen of 24
/// rows thus ends with the verdict. All findings of a watch are always shown.
pub fn terminal(run: &Run, analysis: &Analysis, paint: Paint, extent: Extent) -> String {
    let [sentence, stops] = verdict_texts(run, analysis, paint);
    let cleaned = |text: String| clean_lines(&text).into_owned();
    let (before, verdict): (Vec<String>, String) = match (&analysis.watched, &analysis.answered) {
        (Some(watched), _) => {
            let sections = watch::sections(run, analysis, watched);
            (std::iter::once(summary(run)).chain(sections).collect(), sentence + &stops)
        }
        (None, Some(answered)) if !matches!(answered, ProcedureAnswer::Check(_)) => {
            (vec![answers::text(analysis, answered), findings(analysis, extent)], sentence + &stops)
        }
        (None, check) => {
            let head = if check.is_some() { String::new() } else { summary(run) };
            let parts = check.as_ref().map_or_else(String::new, |check| answers::text(analysis, check));
            let claims = [claim_table(run, &analysis.verdict), doubts_of_rows(&analysis.verdict)];
            let seen = [head, steps(run, analysis), findings(analysis, extent), parts];
            let seen = seen.into_iter().chain(claims);
            match analysis.verdict.rows.is_empty() {
                true => (seen.collect(), sentence + &stops),
                false => (seen.chain([stops]).collect(), sentence),
            }
        }
    };
    let sections: Vec<String> = before.into_iter().map(cleaned).chain([verdict]).collect();
    let running = running_words(run).map(|words| wrap("", &words)).unwrap_or_default();
    let all = std::iter::once(&running).chain(&sections).map(String::as_str);
    let filled: Vec<&str> = all.filter(|section| !section.is_empty()).collect();
    filled.join("\n")
}

/// Returns [`files_line`], with the word `recording` instead of `run` if another tool measured.
pub fn files_line_of(report: &str, (run, path): (&Run, &str)) -> String {
    match origin(run) {
        Some(_) => files_named(report, ("recording", path)),
        None => files_line(report, path),
    }
}

/// Returns the last line: the paths of the report and the run file; two lines if one is too short. A path is never
/// broken, so that it can be copied; a long one extends past the edge.
pub fn files_line(report: &str, run: &str) -> String {
    files_named(report, ("run", run))
}

fn files_named(report: &str, (what, path): (&str, &str)) -> String {
    let (report, path) = (clean(report), clean(path));
    let one = format!("report  {report}    {what}  {path}\n");
    match one.chars().count() <= columns_now() + 1 {
        true => one,
        false => format!("{:<8}{report}\n{what:<7} {path}\n", "report"),
    }
}

/// Returns the verdict's sentence and what stops the volume; the word is coloured after wrapping, so that colour affects no
/// line break.
fn verdict_texts(run: &Run, analysis: &Analysis, paint: Paint) -> [String; 2] {
    let words = verdict_words(run, analysis);
    // Cleaned before it is coloured, so that it contains no escape sequence but plimsoll's own.
    let mut text = clean_lines(&wrap("", &words.sentence())).into_owned();
    if paint == Paint::Ansi {
        text = text.replacen(
            words.word,
            &format!("{}{}\x1b[0m", colour(analysis.verdict.answer), words.word),
            1,
        );
    }
    let stops = if words.stops.is_empty() { String::new() } else { wrap("", &words.stops) };
    [text, clean_lines(&stops).into_owned()]
}

/// Returns green, red or yellow; a verdict without a claim is only bold.
fn colour(answer: Answer) -> &'static str {
    match answer {
        Answer::Measured => "\x1b[1m",
        Answer::Meets | Answer::Exceeds => "\x1b[1;32m",
        Answer::Below => "\x1b[1;31m",
        Answer::ConsistentWithBurst | Answer::CannotTell => "\x1b[1;33m",
    }
}

/// Returns the heading of the second column: the source of the claims.
pub(crate) fn claimed_by(run: &Run) -> &'static str {
    match (run.policy.is_some(), run.expectation.is_some()) {
        (true, false) => "policy",
        (false, true) => "expected",
        _ => "claimed",
    }
}

fn claim_table(run: &Run, verdict: &Verdict) -> String {
    let rows = claim_words(verdict);
    if rows.is_empty() {
        return String::new();
    }
    let claimed = rows.iter().any(|row| !row.claimed.is_empty());
    let heads =
        [if claimed { "claim" } else { "figure" }, claimed_by(run), "measured", p99_head(verdict), ""];
    let cells: Vec<[&str; 5]> = std::iter::once(heads).chain(rows.iter().map(cells_of)).collect();
    let used = |column: usize| column != 1 && column != 4 || claimed;
    let columns: Vec<usize> = (0..5).filter(|&column| used(column)).collect();
    let widths = widths(&cells, &columns);
    let table: String = match 2 + widths.iter().sum::<usize>() <= columns_now() + 3 {
        true => cells.iter().map(|row| table_line(row, &columns, &widths)).collect(),
        false => cells[1..].iter().map(|row| stacked(row, &heads)).collect(),
    };
    table + &tolerated(verdict).map_or_else(String::new, |words| wrap("  ", &words))
}

fn cells_of(row: &ClaimWords) -> [&str; 5] {
    [&row.what, &row.claimed, &row.measured, &row.p99, row.answer]
}

/// Returns the width of each shown column; the first is narrowed if a line would be too long.
fn widths(cells: &[[&str; 5]], columns: &[usize]) -> Vec<usize> {
    let longest = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let mut widths: Vec<usize> = columns.iter().map(|&column| longest(column) + 3).collect();
    let spare = (columns_now() - 2).saturating_sub(widths[1..].iter().sum());
    widths[0] = widths[0].min(spare.max(12));
    widths
}

fn table_line(row: &[&str; 5], columns: &[usize], widths: &[usize]) -> String {
    let rest: String = columns[1..]
        .iter()
        .zip(&widths[1..])
        .map(|(&column, &width)| format!("{:<width$}", row[column]))
        .collect();
    let first = wrap_between("", 2, widths[0] - 1, row[columns[0]]);
    let mut lines = first.lines();
    let mut text = format!("  {:<width$}{rest}", lines.next().unwrap_or_default(), width = widths[0]);
    text.truncate(text.trim_end().len());
    text.push('\n');
    for line in lines {
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// Formats a row of a table that is too wide for the terminal: its name, and below it the content of each column.
fn stacked(row: &[&str; 5], heads: &[&str; 5]) -> String {
    let told = (1..4).filter(|&column| !row[column].is_empty());
    let told: Vec<String> = told.map(|column| format!("{} {}", heads[column], row[column])).collect();
    let answer = if row[4].is_empty() { String::new() } else { format!(": {}", row[4]) };
    wrap("  ", row[0]) + &wrap("    ", &format!("{}{answer}", told.join(", ")))
}

/// Returns doubts about claims that were decided despite them, each with the claim's name: the verdict sentence has
/// the other doubts.
fn doubts_of_rows(verdict: &Verdict) -> String {
    let decided = verdict
        .rows
        .iter()
        .filter(|row| !matches!(row.answer, Answer::CannotTell | Answer::ConsistentWithBurst));
    let lines = decided.flat_map(|row| {
        row.doubts
            .iter()
            .map(|why| wrap("  but     ", &format!("{}: {}. {}", clean(&row.what), doubt(why), remedy(why))))
    });
    lines.collect()
}
