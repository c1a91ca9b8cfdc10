//! Stdout is the result, stderr is for people; a reader who leaves early is no failure. Nothing that a file, a
//! device or a name holds can control a terminal: all output is cleaned here.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use report::clean_lines;

use crate::failure::Failure;
use crate::progress;

/// Set when a write finds that nobody reads stdout any more.
static READER_GONE: AtomicBool = AtomicBool::new(false);

/// Writes the result to stdout. A closed pipe ends quietly, as `head` causes it; any other loss of the result is a
/// failure.
pub fn result(text: &str) -> Result<(), Failure> {
    let text = clean_lines(text);
    // A document is read by programs, so it is not fitted.
    let is_document = text.starts_with(['{', '[', '.']);
    write_out(&if is_document { text } else { for_stdout(&text) })
}

/// Writes, like [`result`], text coloured by [`report::terminal`], which cleans every value before it adds colour.
pub fn painted(text: &str) -> Result<(), Failure> {
    write_out(&for_stdout(text))
}

/// Fits lines to the terminal, if stdout is one.
fn for_stdout(text: &str) -> Cow<'_, str> {
    match kernel::columns_of_stdout() {
        Some(columns) => report::fitted(text, columns),
        None => Cow::Borrowed(text),
    }
}

/// Makes text fit the terminal that it goes to. Must be called before anything is printed.
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

/// Whether nobody reads stdout any more, as after `| head -1`: a run without end stops then.
pub fn reader_is_gone() -> bool {
    READER_GONE.load(Ordering::Relaxed)
}

/// Writes a line for people to stderr. An error is ignored, because there is no other place to report it.
pub fn people(text: &str) {
    let text = clean_lines(text);
    if progress::takes_words(&text) {
        return;
    }
    let fit = kernel::columns_of_stderr().map(|columns| report::fitted(&text, columns));
    let _ = writeln!(std::io::stderr(), "{}", fit.unwrap_or(Cow::Borrowed(&text)));
}

/// Writes text for people to stderr, without a line break.
pub fn beside(text: &str) {
    if progress::takes_words(&clean_lines(text)) {
        return;
    }
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{}", clean_lines(text));
    let _ = stderr.flush();
}

/// Moves up `up` rows on stderr, and overwrites everything from there on with `lines`; the last has no line break.
pub fn region(up: usize, lines: &[String]) {
    let lines: Vec<String> = lines.iter().map(|line| clean_lines(line).into_owned()).collect();
    let up = if up > 0 { format!("\x1b[{up}A") } else { String::new() };
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "\r{up}\x1b[J{}", lines.join("\n"));
    let _ = stderr.flush();
}

/// Overwrites the live line on stderr with `line`; nothing clears it.
pub fn live(line: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "\r\x1b[K{}", clean_lines(line));
    let _ = stderr.flush();
}

/// Writes `line` and `ends` to stdout: with a carriage return the next line overwrites it on a terminal, with a line
/// feed it stays.
pub fn passing(line: &str, ends: char) {
    let mut stdout = std::io::stdout().lock();
    // An error is ignored here: that of the result, which is written later, shows that the reader has gone.
    let _ = write!(stdout, "{}{ends}", clean_lines(line));
    let _ = stdout.flush();
}

/// Whether stdout takes colours: it is a terminal, and `NO_COLOR` is not set.
pub fn colours() -> bool {
    use std::io::IsTerminal;
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
