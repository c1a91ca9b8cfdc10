//! How a command stands in a text that has others: run, kept under a name, printed, or in a comment.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::call::{BETWEEN, is_of_a_prompt, is_starter};
use super::pasted::{Kind, PastedCommand};
use super::settings::bare;
use super::tool::Tool;
use super::variables::is_name;
use super::word::{BACKGROUND, CUT, LIST, LOOP, PROMPT, Piece, QUOTED, VARIABLE, is_list_mark};

/// What a text does with a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Nothing but that it is there to be run.
    Run,
    /// Keeps it under a name that it does not use.
    Kept,
    /// Prints it.
    Printed,
    /// Has it in a comment.
    Comment,
    /// Has it behind a mark `#`, which may be root's prompt or begin a comment.
    Prompted,
}

/// Words that print those behind them.
const PRINTERS: [&str; 8] =
    ["echo", "printf", "print", "puts", "logger", "write-host", "write-output", "console.log"];
/// Shells, which read what follows them again.
const SHELLS: [&str; 4] = ["sh", "bash", "/bin/sh", "/bin/bash"];
/// Names under which a program's settings keep what it runs.
const SETTINGS: [&str; 4] = ["command", "args", "run", "ExecStart"];

impl Standing {
    /// What a line does with the command in it; `raw` is the line as typed. A root's prompt is taken for the start of a
    /// comment, which [`settled`] puts right.
    pub(super) fn of(raw: &str, pieces: &[Piece]) -> Standing {
        let first = pieces.first().map_or("", |piece| piece.text.as_str());
        let is_comment = first.starts_with("//") || first == "::" || first.eq_ignore_ascii_case("rem");
        if is_comment || first.starts_with('#') && !first.ends_with(['#', '$']) || first == "#" {
            return Standing::Comment;
        }
        // What a shell puts in the place of a command's words has run it.
        let prints = !raw.contains(['`']) && !raw.contains("$(") && is_printed(pieces);
        match (prints, keeper(raw)) {
            (true, _) => Standing::Printed,
            (false, Some(_)) => Standing::Kept,
            (false, None) => Standing::Run,
        }
    }

    /// What is said of a command that nothing runs.
    pub(super) fn said(self) -> Option<&'static str> {
        match self {
            Standing::Run => None,
            Standing::Kept => Some("Nothing in the text runs it: it is kept under a name that is not used."),
            Standing::Printed => Some("Nothing in the text runs it: it is printed."),
            Standing::Comment => Some("Nothing in the text runs it: it stands in a comment."),
            Standing::Prompted => Some(
                "The # before it is taken for root's prompt; in a script it is a comment, and nothing runs.",
            ),
        }
    }
}

/// Whether the command among `pieces` is what another one prints, and no shell reads that.
fn is_printed(pieces: &[Piece]) -> bool {
    // A command in quotation marks within others is shown to somebody, unless a shell reads it.
    let is_shown = |piece: &Piece| {
        let first = piece.text.split_whitespace().next().unwrap_or_default();
        let is_read = is_starter(first) || SHELLS.contains(&first);
        !is_read
            && piece
                .text
                .split_whitespace()
                .skip(1)
                .any(|word| word.strip_prefix(['\'', '"']).is_some_and(calls))
    };
    if pieces.iter().any(is_shown) {
        return true;
    }
    let is_tool = |text: &str| text.split(|c: char| c.is_whitespace() || c == '(').any(calls);
    let Some(at) = pieces.iter().position(|piece| is_tool(&piece.text)) else { return false };
    let from = pieces[..at].iter().rposition(|piece| BETWEEN.contains(&piece.text.as_str()));
    let mut words = pieces[from.map_or(0, |mark| mark + 1)..=at].iter();
    let first = words.find(|piece| !is_of_a_prompt(&piece.text)).map_or("", |piece| piece.text.as_str());
    let first = first.split('(').next().unwrap_or_default().to_ascii_lowercase();
    let piped = pieces[at..].windows(2).any(|pair| pair[0].text == "|" && pair[1].text != "tee");
    PRINTERS.contains(&first.as_str()) && !piped
}

fn calls(word: &str) -> bool {
    Tool::called(word).is_some()
}

/// The name under which the line keeps a command; `None` if it keeps none, or is a setting of what runs it.
pub(super) fn keeper(raw: &str) -> Option<&str> {
    let line = bare(raw.trim_start_matches(['>', '+', ' ', '\t']));
    let line = ["let ", "const ", "var ", "set ", "$"]
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim().trim_end_matches([':', '+']).trim_end();
    let value = value.trim_start_matches(|c: char| c.is_whitespace() || "[('\"@".contains(c));
    let value = value.strip_prefix("f\"").or_else(|| value.strip_prefix("f'")).unwrap_or(value);
    let mut words =
        value.split(|c: char| c.is_whitespace() || "\"',".contains(c)).filter(|word| !word.is_empty());
    let first = words.find(|word| !is_starter(word))?;
    (is_name(name) && !SETTINGS.contains(&name) && calls(first)).then_some(name)
}

/// Removes what nothing runs from a text in which something is run, and the standing from a text that is nothing but
/// commands and job files.
pub(super) fn settled(text: &str, mut found: Vec<PastedCommand>) -> Vec<PastedCommand> {
    let lines: Vec<&str> = text.lines().collect();
    name_prompts(&lines, &mut found);
    follow_names(&lines, &mut found);
    let is_run = |one: &PastedCommand| matches!(one.standing, Some(Standing::Run | Standing::Prompted));
    let runs = found.iter().any(|one| is_run(one) && matches!(one.kind, Kind::Command(..)));
    let is_other = found.iter().any(is_run);
    found.retain(|one| match one.standing {
        Some(Standing::Comment) => !is_other,
        Some(Standing::Kept | Standing::Printed) => !runs,
        Some(Standing::Run | Standing::Prompted) | None => true,
    });
    if is_bare(&lines, &found) {
        found.iter_mut().for_each(|one| one.standing = None);
    }
    found
}

/// Lines between a command in a comment and the one that is run instead. Chosen by us.
const NEAR: usize = 2;

/// Takes a mark `#` before a command for root's prompt, unless the text is a script or runs a command just beside it.
fn name_prompts(lines: &[&str], found: &mut [PastedCommand]) {
    let raw = |one: &PastedCommand| lines.get(one.line - 1).map_or("", |line| unnumbered(line.trim_start()));
    let is_prompted = |one: &PastedCommand| {
        let behind = raw(one).strip_prefix('#').map(str::trim_start).unwrap_or_default();
        // The lines below a prompt have none.
        let goes_on = one.last_line() > one.line && lines[one.line].trim_start().starts_with('#');
        raw(one).starts_with("# ")
            && !goes_on
            && behind.split_whitespace().next().is_some_and(|word| calls(word) || is_starter(word))
    };
    let is_script = |one: &PastedCommand| {
        one.standing == Some(Standing::Run)
            && !raw(one).starts_with(['$', '#', '>', '[', '%'])
            && !raw(one).contains('@')
    };
    let is_whole_script = lines.iter().any(|line| line.starts_with("#!"));
    let scripted: Vec<usize> = found.iter().filter(|one| is_script(one)).map(|one| one.line).collect();
    for one in found.iter_mut().filter(|one| one.standing == Some(Standing::Comment)) {
        // Lines ascend.
        let at = scripted.partition_point(|line| line + NEAR < one.line);
        let is_beside = scripted.get(at).is_some_and(|line| *line <= one.last_line() + NEAR);
        if !is_whole_script && !is_beside && is_prompted(one) {
            one.standing = Some(Standing::Prompted);
        }
    }
}

/// The line without the number of a list before it.
fn unnumbered(line: &str) -> &str {
    match line.split_once(char::is_whitespace) {
        Some((mark, rest)) if is_list_mark(mark) => rest.trim_start(),
        _ => line,
    }
}

/// Takes a command under a name for run where the text uses the name, and leaves it out where it is found again there.
fn follow_names(lines: &[&str], found: &mut Vec<PastedCommand>) {
    let kept = |one: &PastedCommand| {
        let raw = lines.get(one.line - 1).copied().filter(|_| one.standing == Some(Standing::Kept))?;
        keeper(raw)
    };
    let mut uses: HashMap<&str, Vec<usize>> =
        found.iter().filter_map(kept).map(|name| (name, Vec::new())).collect();
    if uses.is_empty() {
        return;
    }
    for (index, line) in lines.iter().enumerate() {
        for word in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
            if let Some(at) = uses.get_mut(word).filter(|at| at.last() != Some(&(index + 1))) {
                at.push(index + 1);
            }
        }
    }
    let runs: HashSet<usize> = found.iter().filter(|one| kept(one).is_none()).map(|one| one.line).collect();
    found.retain_mut(|one| {
        let Some(name) = kept(one) else { return true };
        let others = || uses[name].iter().filter(|line| **line != one.line);
        if others().any(|line| runs.contains(line)) {
            return false;
        }
        if others().next().is_some() {
            one.standing = Some(Standing::Run);
        }
        true
    });
}

/// Whether a text is nothing but commands and job files.
fn is_bare(lines: &[&str], found: &[PastedCommand]) -> bool {
    let of_others = [PROMPT, CUT, BACKGROUND, LOOP, VARIABLE, LIST, QUOTED];
    let is_run = |one: &PastedCommand| {
        one.standing == Some(Standing::Run)
            && one.repairs.iter().all(|repair| !of_others.contains(&repair.what))
    };
    let has_files = found.iter().any(|one| matches!(one.kind, Kind::JobFile(_)));
    let mut next = 0;
    found.iter().all(is_run)
        && lines.iter().enumerate().all(|(index, line)| {
            while found.get(next).is_some_and(|one| one.last_line() <= index) {
                next += 1;
            }
            let is_of_a_file = has_files && line.trim_start().starts_with(['#', ';']);
            line.trim().is_empty() || is_of_a_file || found.get(next).is_some_and(|one| one.line <= index + 1)
        })
}
