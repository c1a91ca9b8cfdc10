//! Completion of a result of fio's text, after its last line.

use record::{Figure, PRINTED_AT, ReportedDirection, ReportedPart, Scope};

use super::super::found::ImportedResult;
use super::super::text::Text;
use super::super::trouble::{Trouble, Troubles};

/// Corrects a result, infers its tool if no version line precedes it, and adds a trouble for each job without
/// figures.
pub(super) fn finish(found: &mut ImportedResult, is_new: bool, text: &Text, troubles: &mut Troubles) {
    let dated = found.parts.iter().any(|part| part.said.iter().any(|(name, _)| name == PRINTED_AT));
    if found.tool.is_empty() {
        let generation = match (is_new, dated) {
            (true, _) => "fio 2.21 or later",
            (false, false) => "fio 1.x",
            (false, true) => "fio 2.x",
        };
        (found.tool, found.tool_is_guessed) = (format!("{generation} text"), true);
    }
    settle(found);
    empty_sums(found);
    idle(found);
    if found.parts.iter().all(|part| part.scope != Scope::Group) {
        found.notes.push("no line 'Run status group' follows: the result may have been cut short".to_owned());
    }
    let bare =
        |part: &&ReportedPart| part.scope == Scope::Job && part.directions.is_empty() && part.error.is_none();
    for part in found.parts.iter().filter(bare) {
        let expected = format!("a line 'read', 'write' or 'trim' of job '{}'", part.job);
        let (line, column) =
            if text.line(found.at) == part.line { text.place(found.at) } else { (part.line, 1) };
        troubles.push(Trouble { line, column, expected, found: String::new() });
    }
}

/// Corrects the least and greatest rates of a group, which fio before 2.1 prints in units of 1000 and everything
/// else in units of 1024. If the version is unknown, a least or greatest rate above the total, which is impossible,
/// reveals it. The printed text is kept.
fn settle(found: &mut ImportedResult) {
    let first = found.tool.strip_prefix("fio ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let known_old = first.starts_with("1.") || first == "2.0" || first.starts_with("2.0.");
    for part in found.parts.iter_mut().filter(|part| part.scope == Scope::Group) {
        part.directions.iter_mut().filter(|way| known_old || in_thousands(way)).for_each(to_thousands);
    }
}

/// Drops zero rates of directions with latencies: fio 3.33 prints such rates for directions that it also adds up
/// (`unified_rw_reporting=both`).
fn empty_sums(found: &mut ImportedResult) {
    let zero = |figure: &Option<Figure>| figure.as_ref().is_none_or(|figure| figure.value == 0.0);
    let ways = found.parts.iter_mut().flat_map(|part| &mut part.directions);
    let empty = ways.filter(|way| {
        way.direction.is_none() && !way.latencies.is_empty() && zero(&way.bytes) && zero(&way.iops)
    });
    let mut any = false;
    for way in empty {
        (way.bytes, way.iops, way.bytes_per_second, any) = (None, None, None, true);
    }
    if any {
        found
            .notes
            .push("fio printed zero for the rates of all directions together; they are left out".to_owned());
    }
}

/// Drops directions that have only counts of short or dropped I/Os: fio 3.2x counts the flushes of a writing job as
/// short reads.
fn idle(found: &mut ImportedResult) {
    for part in &mut found.parts {
        let said = |way: &ReportedDirection| {
            [&way.bytes, &way.ops, &way.iops, &way.bytes_per_second, &way.runtime]
                .iter()
                .any(|figure| figure.is_some())
        };
        let is_idle = |way: &ReportedDirection| {
            let counts = way.figures.iter().all(|named| matches!(named.name.as_str(), "short" | "dropped"));
            counts && !said(way) && way.latencies.is_empty()
        };
        let any = part.directions.iter().any(|way| !is_idle(way));
        part.directions.retain(|way| !any || !is_idle(way));
    }
}

fn in_thousands(way: &ReportedDirection) -> bool {
    let whole = way.bytes_per_second.as_ref().map_or(f64::INFINITY, |figure| figure.value);
    let most = way.figure("bandwidth.job_min").map_or(0.0, |figure| figure.value);
    let ratio = most / whole;
    (1.0235..1.0245).contains(&ratio)
}

fn to_thousands(way: &mut ReportedDirection) {
    let rates = way.figures.iter_mut().filter(|named| named.name.starts_with("bandwidth.job_"));
    for named in rates {
        let printed = &named.figure.printed;
        let power = match printed.chars().find(char::is_ascii_alphabetic) {
            Some('K' | 'k') => 1,
            Some('M') => 2,
            Some('G') => 3,
            _ => 0,
        };
        let factor = (1000f64 / 1024.0).powi(power);
        named.figure.value *= factor;
        named.figure.step *= factor;
    }
}
