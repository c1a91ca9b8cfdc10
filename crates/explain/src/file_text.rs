//! Job files as a text has them: what is one, where it ends, and which pieces are one file.

use super::pasted::{Kind, PastedCommand};
use super::variables::Computed;

/// Removes comments after the last option of a job file: they belong to the text after it.
pub(super) fn without_last_comments(found: &mut PastedCommand) {
    let Kind::JobFile(text) = &mut found.kind else { return };
    let is_comment = |line: &&str| line.trim_start().starts_with(['#', ';']);
    let kept = text.lines().count() - text.lines().rev().take_while(is_comment).count();
    if kept > 0 {
        *text = text.lines().take(kept).map(|line| format!("{line}\n")).collect();
        found.lines.truncate(kept);
    }
}

/// Adds `next` to a job file that has nothing but what holds for all jobs, if it has the jobs: a script writes it piece by piece.
pub(super) fn goes_on(first: &mut PastedCommand, next: &PastedCommand) -> bool {
    let (Kind::JobFile(text), Kind::JobFile(jobs)) = (&mut first.kind, &next.kind) else { return false };
    let heads = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with('['))
            .map(|line| line.trim() == "[global]")
            .collect::<Vec<_>>()
    };
    if heads(text) != [true] || heads(jobs).contains(&true) {
        return false;
    }
    text.push_str(jobs);
    let lines = vec![first.line, next.line];
    first.computed.push(Computed { name: "the job file".to_owned(), lines, is_the_command: true });
    first.lines.extend(&next.lines);
    first.repairs.extend(next.repairs.iter().cloned());
    true
}

/// Whether sections with options are a job file: of the options at least one is fio's.
pub(super) fn is_of_fio(text: &str) -> bool {
    let mut options = text.lines().filter(|line| !line.trim_start().starts_with(['[', '#', ';'])).peekable();
    let name = |line: &str| line.split(['=', ' ']).next().unwrap_or_default().trim().to_owned();
    options.peek().is_none() || options.any(|line| is_known(&name(line)))
}

/// Whether fio has an option of this name.
pub(super) fn is_known(name: &str) -> bool {
    name == "include" || fio::ROWS.iter().any(|row| row.names().any(|known| known == name))
}
