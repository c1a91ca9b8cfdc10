//! Stdout is the result, stderr is for people; a reader who leaves early is no failure.

use std::io::{ErrorKind, Write};

/// Writes the result to stdout. A closed pipe ends quietly, as `head` makes it.
pub fn result(text: &str) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        people(&format!("plimsoll: the result could not be written to stdout: {error}"));
    }
}

/// A line for people, on stderr; where even that is gone nobody is left to tell.
pub fn people(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Writes `line` over the live line on stderr; nothing clears it.
pub fn live(line: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "\r\x1b[K{line}");
    let _ = stderr.flush();
}

/// Whether stdout takes colours: a terminal, and `NO_COLOR` is not set.
pub fn colours() -> bool {
    use std::io::IsTerminal;
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
