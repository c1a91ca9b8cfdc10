//! `plimsoll tutorial`: shows a guide for learners in the terminal, and runs its commands in order.

use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::process::Command;

use session::failure::Failure;
use session::files::Shelf;
use session::output;

use crate::arguments::TutorialArguments;

/// The guides from which the terminal's text is made.
const LEARN: &str = include_str!("../../../../docs/guide/learn.md");
const RIGHT_VOLUME: &str = include_str!("../../../../docs/guide/right-volume.md");
/// The word for the second guide.
const RIGHT_VOLUME_WORD: &str = "right-volume";
/// Exit codes of commands that gave an answer: done, below, cannot tell.
const ANSWERS: [i32; 3] = [0, 3, 4];

/// A part of a lesson.
enum Part {
    Words(String),
    Commands(String),
}

/// Shows the lessons, starting with the requested one.
pub fn run(arguments: &TutorialArguments) -> Result<u8, Failure> {
    let here = Path::new(".");
    match arguments.lesson.as_deref() {
        None => course(LEARN, 0, here),
        Some(RIGHT_VOLUME_WORD) => {
            let folder = Path::new(RIGHT_VOLUME_WORD);
            let refused = |why: String| {
                Failure::refused(format!(
                    "the course works in a new folder {RIGHT_VOLUME_WORD} of this directory: {why}; call it in another \
                     directory"
                ))
            };
            if folder.symlink_metadata().is_ok() {
                return Err(refused("it is there already".to_owned()));
            }
            Shelf::named(folder).map_err(|error| refused(error.to_string()))?;
            course(RIGHT_VOLUME, 0, folder)
        }
        Some(word) => course(LEARN, number(word)?, here),
    }
}

/// Returns the number of a lesson of the first course.
fn number(word: &str) -> Result<usize, Failure> {
    let numbered = lessons(LEARN).len() - 2;
    let number = word.parse().ok().filter(|number| (1..=numbered).contains(number));
    number.ok_or_else(|| {
        Failure::refused(format!(
            "there is no lesson {word}; there are 1 to {numbered}, and {RIGHT_VOLUME_WORD}, a course of its own"
        ))
    })
}

fn lessons(guide: &str) -> Vec<&str> {
    guide.split("\n## ").collect()
}

fn course(guide: &str, first: usize, folder: &Path) -> Result<u8, Failure> {
    for (at, lesson) in lessons(guide).iter().enumerate().skip(first) {
        if at > first {
            wait_for_reader()?;
        }
        show(lesson, folder)?;
    }
    Ok(0)
}

fn show(lesson: &str, folder: &Path) -> Result<(), Failure> {
    let (title, rest) = lesson.split_once('\n').unwrap_or((lesson, ""));
    let title = title.trim_start_matches("# ");
    output::result(&format!("{title}\n{}\n\n", "=".repeat(title.chars().count())))?;
    for part in parts(rest) {
        match part {
            Part::Words(words) => output::result(&format!("{}\n", report::wrap("", &words)))?,
            Part::Commands(commands) => run_commands(&commands, folder)?,
        }
    }
    Ok(())
}

/// Splits text into paragraphs and blocks of commands; blocks of output are left out, because the commands print it.
fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for (at, piece) in text.split("```").enumerate() {
        match (at % 2 == 0, piece.strip_prefix("sh\n")) {
            (true, _) => {
                let paragraphs =
                    piece.split("\n\n").map(|lines| lines.split_whitespace().collect::<Vec<_>>().join(" "));
                parts.extend(paragraphs.filter(|words| !words.is_empty()).map(Part::Words));
            }
            (false, Some(commands)) => {
                parts.push(Part::Commands(commands.trim_end().to_owned()));
            }
            (false, None) => {}
        }
    }
    parts
}

/// Runs a block of commands in a shell, where plimsoll is this very program.
fn run_commands(block: &str, folder: &Path) -> Result<(), Failure> {
    output::result(&format!("$ {}\n\n", block.replace('\n', "\n  ")))?;
    let failed = |why: String| Failure::failed(format!("{block}: {why}"));
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let script = format!("plimsoll() {{ \"$0\" \"$@\"; }}\n{block}");
    let status = Command::new("sh").arg("-c").arg(script).arg(program).current_dir(folder).status();
    let status = status.map_err(|error| failed(error.to_string()))?;
    if !status.code().is_some_and(|code| ANSWERS.contains(&code)) {
        return Err(failed(format!("it ended with {status}")));
    }
    output::result("\n")
}

/// Waits for Enter before the next lesson if there is a terminal.
fn wait_for_reader() -> Result<(), Failure> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        output::people("-- Enter for what follows, Ctrl-C to end --");
        let read = std::io::stdin().lock().read_line(&mut String::new());
        read.map_err(Failure::failed)?;
    }
    Ok(())
}
