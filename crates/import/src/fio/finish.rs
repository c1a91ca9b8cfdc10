//! Completion of a result of fio's text, after its last line.

use record::{Figure, PRINTED_AT, ReportedDirection, ReportedPart, Scope};

use super::super::found::ImportedResult;
use super::super::text::Text;
use super::super::trouble::{Trouble, Troubles};

/// Corrects a result, infers its tool from the form and the lines of jobs if no version line precedes it, and adds a
/// trouble for each job without figures.
pub(super) fn finish(found: &mut ImportedResult, is_new: bool, text: &Text, troubles: &mut Troubles) {
    if found.tool.is_empty() {
        let says = |said: &str| found.parts.iter().any(|part| part.said.iter().any(|(name, _)| name == said));
        let generation = match is_new {
            true => "fio 2.17 or later",
            false if says(PRINTED_AT) => "fio 2.x",
            false if says("pid") => "fio 1.x",
            false => "fio up to 2.16",
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
/// else in units of 1024. If neither the version nor another rate shows the unit, they are left out. The printed text
/// is kept.
fn settle(found: &mut ImportedResult) {
    let first = found.tool.strip_prefix("fio ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let known_old = first.starts_with("1.") || first == "2.0" || first.starts_with("2.0.");
    let is_known = known_old || !found.tool_is_guessed || first == "2.17";
    let (mut groups, others): (Vec<_>, Vec<_>) =
        found.parts.iter_mut().partition(|part| part.scope == Scope::Group);
    let mut lost = false;
    for part in &mut groups {
        let group = part.group;
        let own = |job: &&&mut ReportedPart| {
            job.scope == Scope::Job && job.group.zip(group).is_none_or(|(of, group)| of == group)
        };
        let jobs: Vec<_> = others.iter().filter(own).collect();
        for way in &mut part.directions {
            let rates = jobs.iter().filter_map(|job| rate(job.of(way.direction)?));
            let wholes = [rate(way), rates.reduce(f64::max)];
            let thousands = if is_known { Some(known_old) } else { in_thousands(way, wholes) };
            match thousands {
                Some(false) => {}
                Some(true) => to_thousands(way),
                None => {
                    let before = way.figures.len();
                    way.figures.retain(|named| !named.name.starts_with("bandwidth.job_"));
                    lost |= way.figures.len() < before;
                }
            }
        }
    }
    if lost {
        found.notes.push(
            "minb and maxb are left out: nothing shows whether their K is 1000, as in fio before 2.1, or 1024".to_owned(),
        );
    }
}

/// Drops zero rates of directions with latencies: fio 3.33 prints such rates for directions that it also adds up
/// (`unified_rw_reporting=both`).
fn empty_sums(found: &mut ImportedResult) {
    let zero = |figure: &Option<Figure>| figure.as_ref().is_none_or(|figure| figure.value == 0.0);
    let ways = found.parts.iter_mut().flat_map(|part| &mut part.directions);
    let empty = ways.filter(|way| {
        let is_zero = zero(&way.bytes) && zero(&way.iops) && (way.bytes.is_some() || way.iops.is_some());
        way.direction.is_none() && !way.latencies.is_empty() && is_zero
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

/// Drops directions that have only counts of short or dropped I/Os, with a note: fio 3.2x counts the flushes of a writing
/// job as short reads.
fn idle(found: &mut ImportedResult) {
    let mut notes = Vec::new();
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
        for way in part.directions.iter().filter(|way| any && is_idle(way)) {
            let figures = way.figures.iter().filter(|named| named.figure.value > 0.0);
            notes.extend(figures.map(|named| {
                let (count, name) = (&named.figure.printed, &named.name);
                let direction = way.direction.map_or("", |direction| direction.name());
                format!("'{}' has no line '{direction}', but fio counts {count} of its I/Os as {name}; they are left out", part.job)
            }));
        }
        part.directions.retain(|way| !any || !is_idle(way));
    }
    found.notes.extend(notes);
}

fn rate(way: &ReportedDirection) -> Option<f64> {
    way.bytes_per_second.as_ref().map(|figure| figure.value)
}

/// Whether the rates of single jobs were printed in thousands, if one of them then equals one of `wholes`, the rates of
/// the group and of its fastest job, or equals it if read in 1024s. `None` if none does.
fn in_thousands(way: &ReportedDirection, wholes: [Option<f64>; 2]) -> Option<bool> {
    let equals = |way: &ReportedDirection| {
        let rates = way.figures.iter().filter(|named| named.name.starts_with("bandwidth.job_"));
        let is = |Figure { value, step, .. }: &Figure| {
            wholes.iter().flatten().any(|whole| (value - whole).abs() <= step.max(whole * 0.0005))
        };
        rates.map(|named| &named.figure).any(is)
    };
    let mut other = way.clone();
    to_thousands(&mut other);
    if equals(way) { Some(false) } else { equals(&other).then_some(true) }
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
