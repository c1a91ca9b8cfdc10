//! `plimsoll explain`: puts command lines and job files into words.

use std::path::Path;

use explain::{
    Around, Detail, ExplainedText, Explanation, PastedCommand, Style, explain_all, find, of_words,
};

use crate::arguments::{ExplainArguments, Format};
use session::failure::Failure;
use session::named_input::{InputError, InputKind, NamedInput, about};
use session::output;
use workload::Bytes;

/// The name of standard input in messages.
const STDIN: &str = "what was read from stdin";
/// Most text that is explained: more than anybody pastes, and little enough that even malicious text takes only seconds.
const MOST: Bytes = Bytes::kib(256);

/// Reads words, a file or stdin, and prints what they ask for.
pub fn run(arguments: &ExplainArguments) -> Result<u8, Failure> {
    let found = found(&arguments.words)?;
    let around = Around { read: &|path| Ok(NamedInput::typed(path, MOST).text()?) };
    let explained = explain_all(&found, &around).map_err(Failure::refused)?;
    let result = match arguments.format {
        Format::Json => report::document_json("explain", &explained),
        Format::Text => pages(&explained, arguments.all),
    };
    output::result(&result)?;
    Ok(0)
}

fn pages(explained: &ExplainedText, all: bool) -> String {
    let several = explained.told.len() + explained.not_understood.len() > 1;
    let detail = if all { Detail::Whole } else { Detail::Brief };
    let told =
        explain::pages(&explained.told, Style { detail, wrap: &|first, words| report::wrap(first, words) });
    let head = |one: &Explanation| match several {
        true => format!("=== {}, line {} ===\n\n", one.tool.name(), one.line),
        false => String::new(),
    };
    let mut pages: Vec<String> =
        explained.told.iter().zip(told).map(|(one, page)| head(one) + &page).collect();
    if !explained.not_understood.is_empty() {
        let line = |error: &explain::ExplainError| report::wrap("  - ", &ended(error.to_string()));
        let lines: String = explained.not_understood.iter().map(line).collect();
        pages.push(format!("=== Not understood ===\n\n{lines}"));
    }
    if !all {
        pages.push("Word by word: --all\n".to_owned());
    }
    pages.join("\n")
}

/// Ends the words with a full stop unless they end a sentence already.
fn ended(words: String) -> String {
    if words.ends_with(['.', '?']) { words } else { words + "." }
}

/// Finds out what the words are: a file, a command line in one word or in several; without words, stdin is read.
fn found(words: &[String]) -> Result<Vec<PastedCommand>, Failure> {
    match words {
        [] => in_text(&text("-")?, STDIN),
        [one] if one == "-" => in_text(&text(one)?, STDIN),
        [one] if may_be_read(one) => in_text(&text(one)?, one),
        [one] => in_text(one, "it").map_err(|failure| no_file(one).unwrap_or(failure)),
        several => match of_words(several) {
            Some(found) => Ok(vec![found]),
            None => in_text(&several.join(" "), "it"),
        },
    }
}

/// Explains why a single word that is no command line is no file either; `None` if it cannot be a file's name.
fn no_file(word: &str) -> Option<Failure> {
    if word.is_empty() || word.contains(char::is_whitespace) {
        return None;
    }
    let what = match std::fs::metadata(word) {
        Ok(facts) if facts.is_dir() => "it is a folder; name a file with a command line or a job file",
        Ok(_) => "it is no file with text",
        Err(_) => {
            "there is no such file, and a command line of fio, diskspd, ioping, iostat or dd it is not either"
        }
    };
    Some(Failure::refused(format!("{word}: {what}")))
}

fn in_text(text: &str, what: &str) -> Result<Vec<PastedCommand>, Failure> {
    let found = find(text);
    if !found.is_empty() {
        return Ok(found);
    }
    let line = text.lines().position(|line| !line.trim().is_empty());
    let place = match line {
        Some(index) => {
            let first =
                text.lines().nth(index).and_then(|line| line.split_whitespace().next()).unwrap_or_default();
            let first: String = first.chars().take(40).collect();
            format!("line {}, column 1: {first}: ", index + 1)
        }
        None => String::new(),
    };
    let remedy = match import::read(import::Input { name: "-", bytes: text.as_bytes() }, &[]) {
        Ok(_) => "it is a result: read it with 'plimsoll import'",
        Err(_) => "a command begins with the tool's name, a job file with a [section]",
    };
    Err(Failure::refused(format!(
        "{place}in {what} there is no command line of fio, diskspd, ioping, iostat or dd, and no job file of fio; {remedy}"
    )))
}

/// Whether a word names something that exists and is no folder.
fn may_be_read(word: &str) -> bool {
    about(Path::new(word)).is_ok_and(|about| about.kind != InputKind::Folder)
}

/// Reads the text of a file or stdin; refuses one that is too long to be explained at once.
fn text(name: &str) -> Result<String, Failure> {
    let bytes = NamedInput::typed(name, MOST).bytes().map_err(|error| {
        let what = if name == "-" { STDIN } else { name };
        error.failure(match &error {
            InputError::TooLong(..) | InputError::Endless(_) => format!(
                "{what}: more than {MOST} are not explained at once; give the part with the command line or the job file"
            ),
            error => format!("{what}: cannot be read: {error}"),
        })
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
