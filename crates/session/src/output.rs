//! Stdout is the result, stderr is for people; a reader who leaves early is no failure. Nothing that a file, a device or a
//! name holds steers a terminal: whatever goes out is cleaned here.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use report::clean_lines;

use crate::failure::Failure;
use crate::progress;

/// Set once a write found that nobody reads stdout any more.
static READER_GONE: AtomicBool = AtomicBool::new(false);

/// Writes the result to stdout. A closed pipe ends quietly, as `head` makes it; elsewhere a lost result is a failure.
pub fn result(text: &str) -> Result<(), Failure> {
    let text = clean_lines(text);
    // A document is not for reading: it stays as it is.
    let is_document = text.starts_with(['{', '[', '.']);
    write_out(&if is_document { text } else { for_stdout(&text) })
}

/// As [`result`], for what [`report::terminal`] painted: it cleans every value before it paints.
pub fn painted(text: &str) -> Result<(), Failure> {
    write_out(&for_stdout(text))
}

/// Lines that fit the terminal, where stdout is one.
fn for_stdout(text: &str) -> Cow<'_, str> {
    match kernel::columns_of_stdout() {
        Some(columns) => report::fitted(text, columns),
        None => Cow::Borrowed(text),
    }
}

/// Makes words fit the terminal that they go to; to be called before anything is said.
pub fn fit_terminal() {
    if let Some(columns) = kernel::columns_of_stdout().or_else(kernel::columns_of_stderr) {
        report::set_columns(columns);
    }
}

fn write_out(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            READER_GONE.store(true, Ordering::Relaxed);
            Ok(())
        }
        Err(error) => Err(Failure::failed(format!(
            "the result could not be written to stdout: {error}; make room there, or send it elsewhere"
        ))),
        Ok(()) => Ok(()),
    }
}

/// Whether nobody reads stdout any more, as behind `| head -1`: what runs without end stops then.
pub fn reader_is_gone() -> bool {
    READER_GONE.load(Ordering::Relaxed)
}

/// A line for people, on stderr; where even that is gone nobody is left to tell.
pub fn people(text: &str) {
    let text = clean_lines(text);
    if progress::takes_words(&text) {
        return;
    }
    let fit = kernel::columns_of_stderr().map(|columns| report::fitted(&text, columns));
    let _ = writeln!(std::io::stderr(), "{}", fit.unwrap_or(Cow::Borrowed(&text)));
}

/// Text for people that is no line of its own yet, on stderr.
pub fn beside(text: &str) {
    if progress::takes_words(&clean_lines(text)) {
        return;
    }
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{}", clean_lines(text));
    let _ = stderr.flush();
}

/// Goes up so many rows on stderr, and writes `lines` over everything from there on; the last has no line end.
pub fn region(up: usize, lines: &[String]) {
    let lines: Vec<String> = lines.iter().map(|line| clean_lines(line).into_owned()).collect();
    let up = if up > 0 { format!("\x1b[{up}A") } else { String::new() };
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "\r{up}\x1b[J{}", lines.join("\n"));
    let _ = stderr.flush();
}

/// Writes `line` over the live line on stderr; nothing clears it.
pub fn live(line: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "\r\x1b[K{}", clean_lines(line));
    let _ = stderr.flush();
}

/// Writes `line` on stdout as a line that the next one would overwrite on a terminal, or as one that stays.
pub fn passing(line: &str, ends: char) {
    let mut stdout = std::io::stdout().lock();
    // A reader who has gone is heard of where the result is written.
    let _ = write!(stdout, "{}{ends}", clean_lines(line));
    let _ = stdout.flush();
}

/// Whether stdout takes colours: a terminal, and `NO_COLOR` is not set.
pub fn colours() -> bool {
    use std::io::IsTerminal;
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
