//! `plimsoll tutorial`: shows the guide for learners in the terminal, and runs its commands in order.

use std::io::{BufRead, IsTerminal};
use std::process::Command;

use session::failure::Failure;
use session::output;

use crate::arguments::TutorialArguments;

/// The guide from which the terminal's text is made.
const GUIDE: &str = include_str!("../../../../docs/guide/learn.md");
/// Exit codes of commands that gave an answer: done, below, cannot tell.
const ANSWERS: [i32; 3] = [0, 3, 4];

/// A part of a lesson.
enum Part {
    Words(String),
    Commands(Vec<String>),
}

/// Shows the lessons, starting with the requested one.
pub fn run(arguments: &TutorialArguments) -> Result<u8, Failure> {
    let lessons: Vec<&str> = GUIDE.split("\n## ").collect();
    let numbered = lessons.len() - 2;
    let first = match arguments.lesson {
        None => 0,
        Some(number) if (1..=numbered).contains(&number) => number,
        Some(number) => {
            return Err(Failure::refused(format!("there is no lesson {number}; there are 1 to {numbered}")));
        }
    };
    for (at, lesson) in lessons.iter().enumerate().skip(first) {
        if at > first {
            wait_for_reader()?;
        }
        show(lesson)?;
    }
    Ok(0)
}

fn show(lesson: &str) -> Result<(), Failure> {
    let (title, rest) = lesson.split_once('\n').unwrap_or((lesson, ""));
    let title = title.trim_start_matches("# ");
    output::result(&format!("{title}\n{}\n\n", "=".repeat(title.chars().count())))?;
    for part in parts(rest) {
        match part {
            Part::Words(words) => output::result(&format!("{}\n", report::wrap("", &words)))?,
            Part::Commands(commands) => commands.iter().try_for_each(|command| run_command(command))?,
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
                parts.push(Part::Commands(commands.lines().map(str::to_owned).collect()))
            }
            (false, None) => {}
        }
    }
    parts
}

/// Runs a command of the guide with this very program.
fn run_command(command: &str) -> Result<(), Failure> {
    output::result(&format!("$ {command}\n\n"))?;
    let failed = |why: String| Failure::failed(format!("{command}: {why}"));
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let status = Command::new(program).args(command.split_whitespace().skip(1)).status();
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
