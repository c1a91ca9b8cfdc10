//! Text that begins below the line of its job, as pastes do: a job or a group without a name.

use record::{ReportedPart, Scope};

use super::super::pieces::near;
use super::super::scan::{begins_line, entries};
use super::super::trouble::Trouble;
use super::walk::{Label, Walk};

/// Name of a job whose line is missing.
const UNNAMED: &str = "unnamed";
/// Longest label, in bytes.
const LABEL: usize = 64;

/// Begins a result if `label`, together with the text from `behind` on, can only be the line of a result; returns
/// whether it is. Adds a trouble for a job's line without a job.
pub(super) fn opens(walk: &mut Walk<'_>, label: Label, behind: usize) -> bool {
    let text = walk.text;
    let (list, _) = entries(&text.plain, behind);
    let holds = |keys: &[&str]| keys.iter().all(|key| list.iter().any(|entry| entry.key == *key));
    if label == Label::Group {
        return group(walk, behind);
    }
    let scope = match label {
        Label::Way(_) if holds(&["IOPS", "BW"]) || holds(&["io", "bw", "iops"]) => Scope::Job,
        Label::GroupWay(_) if holds(&["bw"]) || holds(&["io", "aggrb"]) => Scope::Group,
        _ => {
            orphan(walk, label, behind);
            return false;
        }
    };
    walk.open_at(behind);
    let line = text.line(behind);
    let (part, note) = part(walk, scope, label, line);
    if let Some(found) = walk.found.last_mut() {
        walk.at_job = found.parts.len();
        let name = match part.asked.is_empty() {
            true => "the name and what stood before it are not there",
            false => "its name and options are those of the start line or the command line above",
        };
        text.bounds.add(&mut found.parts, part);
        found.notes.extend(note);
        found.notes.push(format!("the text begins at line {line}, below the line of its job: {name}"));
    }
    true
}

/// Returns the part whose line is missing, with name and options from start line or command line if these precede it,
/// and a note on them.
fn part(walk: &Walk<'_>, scope: Scope, label: Label, line: u32) -> (ReportedPart, Option<String>) {
    let name = if scope == Scope::Job { UNNAMED } else { "group 0" };
    let unknown = ReportedPart::named(scope, name, line);
    if !walk.is_below {
        return (unknown, None);
    }
    let mut part = unknown.clone();
    if let Some((job, group)) = walk.before.only().filter(|_| scope == Scope::Job) {
        (part.job, part.group) = (job.to_owned(), group);
    }
    let note = walk.before.ask(&mut part, walk.text);
    let is_other = match (label, part.asked_for("rw")) {
        (Label::Way(Some(way)), Some(rw)) => !rw.contains("rw") && !rw.contains(way.name()),
        _ => false,
    };
    if is_other { (unknown, None) } else { (part, note) }
}

/// Begins a result if figures follow the line of a group; returns whether they do.
fn group(walk: &mut Walk<'_>, behind: usize) -> bool {
    let rest = near(&walk.text.plain, behind, BELOW);
    let has_figures =
        rest.starts_with(|c: char| c.is_ascii_digit()) && (rest.contains("bw=") || rest.contains("aggrb="));
    if has_figures {
        walk.open_at(behind);
    }
    has_figures
}

/// Bytes within which the first line of a group's figures must follow.
const BELOW: usize = 256;

/// Adds a trouble for the first of several lines that need a job if there is no job.
fn orphan(walk: &mut Walk<'_>, label: Label, behind: usize) {
    let text = walk.text;
    let line = text.line(behind);
    let rest = near(&text.plain, behind, LABEL).split('\n').next().unwrap_or_default();
    let tells = match label {
        // Other tools print rates of operations on such a line, and ordinary words stand before a colon too.
        Label::Way(_) | Label::GroupWay(_) => rest.contains("BW=") || rest.contains("bw="),
        Label::Percentiles(_) | Label::Latency(_) | Label::Bandwidth | Label::IopsSamples => true,
        Label::Cpu => rest.contains("usr="),
        Label::Issued | Label::Errors => rest.contains("total="),
        Label::Target => rest.contains("target="),
        Label::Shares(_) => rest.contains("4="),
        Label::Disks => true,
        _ => false,
    };
    let start = text.plain[..behind].rfind('\n').map_or(0, |end| end + 1);
    let figures = rest.contains('=') || rest.contains("):") || label == Label::Disks;
    let first = walk.named == 0 || line > walk.named + 1;
    if tells && figures && first && begins_line(&text.plain, start) {
        let found = near(&text.plain, start, LABEL).lines().next().unwrap_or_default().trim().to_owned();
        let expected =
            "the job that this belongs to: a line 'NAME: (groupid=0, …' or 'read: IOPS=…' above it";
        let (line, column) = text.place(start);
        walk.troubles.push(Trouble { line, column, expected: expected.to_owned(), found });
    }
    if tells && figures {
        walk.named = line;
    }
}
