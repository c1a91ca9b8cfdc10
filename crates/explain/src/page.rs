//! An explanation as text of 80 columns.

use super::explanation::{Correction, ExplainedWord, Explanation, Form, Taken};
use super::native::{Native, Runs};
use super::word::Repair;

/// Wraps a text after a prefix; further lines are indented to the start of the text.
pub type Wrap<'a> = &'a dyn Fn(&str, &str) -> String;

const COLUMNS: usize = 80;

/// How much of an explanation is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What it asks for, what is risky, and what to run instead.
    Brief,
    /// Also the command again, and each word.
    Whole,
}

/// How an explanation is printed.
#[derive(Clone, Copy)]
pub struct Style<'a> {
    /// How much of it.
    pub detail: Detail,
    /// Keeps lines within 80 columns.
    pub wrap: Wrap<'a>,
}

/// The parts left out of an explanation because an earlier one on the page has them.
#[derive(Debug, Default)]
pub(super) struct Above {
    /// An earlier command that is much like this one, and the differences.
    pub like: Option<String>,
    /// Number of words explained earlier.
    pub words: usize,
    /// Beginnings of the risks listed earlier.
    pub risks: Vec<String>,
}

/// Prints an explanation without the parts in `above`.
pub(super) fn text_below(explanation: &Explanation, above: &Above, style: Style<'_>) -> String {
    let (wrap, whole) = (style.wrap, style.detail == Detail::Whole);
    let mut page =
        explanation.taken.as_ref().map_or(String::new(), |taken| taken_from(explanation, taken, wrap));
    let is_shown =
        explanation.taken.as_ref().is_some_and(|taken| taken.words == explanation.command.trim_end());
    if !explanation.repairs.is_empty() {
        heading(&mut page, "Put right to read it");
        repaired(&explanation.repairs).iter().for_each(|line| page += &wrap("  - ", line));
    }
    if !explanation.gaps.is_empty() {
        heading(&mut page, "Not understood or not known");
        explanation.gaps.iter().for_each(|line| page += &wrap("  - ", line));
    }
    if !is_shown && (whole || !explanation.repairs.is_empty()) {
        let head = if explanation.kind == Form::Command { "The command" } else { "The job file" };
        heading(&mut page, head);
        page += &typed(explanation.kind, &explanation.command);
    }
    page += &above.like.as_ref().map_or(String::new(), |like| wrap("  ", like));
    if let Some(text) = &explanation.job_file {
        heading(&mut page, "The job file");
        text.lines().for_each(|line| page += &format!("  {line}\n"));
    }
    heading(&mut page, "What it asks for");
    explanation.asks.iter().for_each(|line| page += &wrap("  ", line));
    if !explanation.apart.is_empty() {
        heading(&mut page, "What plimsoll refuses or does in another way");
        explanation.apart.iter().for_each(|line| page += &wrap("  - ", line));
    }
    if whole {
        page += &words(explanation, above, wrap);
    }
    page += &risks(explanation, above, wrap);
    if let Some(Correction { why, command }) = &explanation.corrected {
        heading(&mut page, "Corrected");
        page += &wrap("  ", why);
        page += &broken(command);
    }
    if !explanation.native.is_empty() {
        heading(&mut page, "With plimsoll");
        explanation.native.iter().for_each(|native| page += &of_native(explanation, native, style));
    }
    page
}

/// The words that were taken from a text, where they stood, and that nothing runs them.
fn taken_from(explanation: &Explanation, taken: &Taken, wrap: Wrap<'_>) -> String {
    let lines = match taken.until > explanation.line {
        true => format!("lines {} to {}", explanation.line, taken.until),
        false => format!("line {}", explanation.line),
    };
    let said = taken.standing.said().map_or(String::new(), |said| wrap("  ", said));
    format!("Taken from {lines}:\n{}{said}", typed(explanation.kind, &taken.words))
}

/// A command so that it can be typed again, or the lines of a job file.
fn typed(kind: Form, text: &str) -> String {
    match kind {
        Form::Command => broken(text),
        Form::JobFile => text.lines().map(|line| format!("  {line}\n")).collect(),
    }
}

fn words(explanation: &Explanation, above: &Above, wrap: Wrap<'_>) -> String {
    let mut said = String::from("\nWord by word\n");
    for ExplainedWord { word, meaning, .. } in &explanation.words {
        let head = format!("  {word:<24}  ");
        said += &if head.chars().count() > 28 {
            format!("  {word}\n{}", wrap(&" ".repeat(28), meaning))
        } else {
            wrap(&head, meaning)
        };
    }
    said += match (above.words, explanation.words.is_empty()) {
        (0, _) => "",
        (_, true) => "  All are told above.\n",
        (_, false) => "  The others are told above.\n",
    };
    said
}

fn risks(explanation: &Explanation, above: &Above, wrap: Wrap<'_>) -> String {
    if explanation.risks.is_empty() && above.risks.is_empty() {
        return String::new();
    }
    let mut said = String::from("\nWhat is risky or misleading\n");
    for told in &explanation.risks {
        let source = if told.source.is_empty() { String::new() } else { format!(" [{}]", told.source) };
        said += &wrap(&format!("  {:<10}  ", told.level.word()), &format!("{}{source}", told.text));
    }
    let mut head = "as above";
    for told in &above.risks {
        said += &wrap(&format!("  {head:<10}  "), told);
        head = "";
    }
    said
}

fn heading(page: &mut String, text: &str) {
    if !page.is_empty() {
        page.push('\n');
    }
    page.push_str(text);
    page.push('\n');
}

fn of_native(explanation: &Explanation, native: &Native, style: Style<'_>) -> String {
    let wrap = style.wrap;
    let command = match (native.command.is_empty(), native.runs, style.detail) {
        (true, ..) => String::new(),
        (false, Runs::TheSameWords, Detail::Brief) => format!("  plimsoll {} ...\n", explanation.tool.name()),
        (false, ..) => broken(&native.command),
    };
    let indent = if native.command.is_empty() { "  " } else { "      " };
    let says = if native.says.is_empty() { String::new() } else { wrap(indent, &native.says) };
    command + &says
}

/// Returns a line for each kind of repair: the kind, the number of repairs, and the place of the first.
fn repaired(repairs: &[Repair]) -> Vec<String> {
    let mut kinds: Vec<(&'static str, &Repair, usize)> = Vec::new();
    for repair in repairs {
        match kinds.iter_mut().find(|(what, ..)| *what == repair.what) {
            Some((.., times)) => *times += 1,
            None => kinds.push((repair.what, repair, 1)),
        }
    }
    let told = |(what, first, times): (&str, &Repair, usize)| match times {
        1 => format!("{what} (line {}, column {}).", first.line, first.column),
        times => format!("{what} ({times} times, first in line {}, column {}).", first.line, first.column),
    };
    kinds.into_iter().map(told).collect()
}

/// Breaks a command into several lines that a shell joins again.
fn broken(command: &str) -> String {
    let mut lines = vec!["  ".to_owned()];
    let mut is_quoted = false;
    for word in command.split(' ') {
        let begins = !is_quoted;
        is_quoted ^= word.matches('\'').count() % 2 == 1;
        if !begins {
            push(&mut lines, " ");
            push(&mut lines, word);
            continue;
        }
        let line = lines.last().map_or(0, |line| line.chars().count());
        let fresh = line <= if lines.len() == 1 { 2 } else { 6 };
        if !fresh && line + 1 + word.chars().count() + 2 > COLUMNS {
            lines.push("      ".to_owned());
        } else if !fresh {
            push(&mut lines, " ");
        }
        push(&mut lines, word);
    }
    lines.join(" \\\n") + "\n"
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}
