//! Text within 80 columns: wrapped at words, with a hanging indent.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Columns of a line by default: in files, in pipes, in tests.
pub const COLUMNS: usize = 80;
/// Most columns of a line in which prose is still easy to read.
const WIDEST: usize = 100;
/// Fewest columns that text is wrapped to; on a narrower terminal, [`fitted`] breaks lines again.
const NARROWEST: usize = 40;

/// Current width of a line, in columns. One value for the process, because all output goes to one terminal.
static WIDTH: AtomicUsize = AtomicUsize::new(COLUMNS);

/// Sets the width of the terminal, before anything is printed. Without it, [`COLUMNS`] applies.
pub fn set_columns(terminal: usize) {
    WIDTH.store(terminal.clamp(NARROWEST, WIDEST), Ordering::Relaxed);
}

/// Returns the current width of a line, in columns.
pub fn columns_now() -> usize {
    WIDTH.load(Ordering::Relaxed)
}

/// Fits `text` to a terminal of `terminal` columns: breaks longer lines, such as those of tables, between words and
/// continues them with a deeper indent. A single word that is too long stays whole, so that a path can be copied.
pub fn fitted(text: &str, terminal: usize) -> Cow<'_, str> {
    if text.lines().all(|line| seen(line) <= terminal) {
        return Cow::Borrowed(text);
    }
    let mut fit = String::new();
    for line in text.split_inclusive('\n') {
        let (bare, end) = line.strip_suffix('\n').map_or((line, ""), |bare| (bare, "\n"));
        match seen(bare) <= terminal {
            true => fit.push_str(bare),
            false => broken(&mut fit, bare, terminal),
        }
        fit.push_str(end);
    }
    Cow::Owned(fit)
}

/// Appends `line`, broken between words if necessary; blanks within a piece are kept.
fn broken(fit: &mut String, line: &str, terminal: usize) {
    let blanks = line.chars().take_while(|letter| *letter == ' ').count();
    let indent = " ".repeat((blanks + 2).min(terminal / 2));
    let mut rest = line.trim_end();
    let mut room = terminal;
    while let Some(at) = (seen(rest) > room).then(|| last_blank_within(rest, room, blanks)).flatten() {
        fit.push_str(rest[..at].trim_end());
        fit.push('\n');
        fit.push_str(&indent);
        rest = rest[at..].trim_start();
        room = terminal - indent.len();
    }
    fit.push_str(rest);
}

/// Returns the position of the last blank within `room` columns, or else of the first blank after them; never of a
/// leading blank.
fn last_blank_within(line: &str, room: usize, in_front: usize) -> Option<usize> {
    let mut found = None;
    for (at, _) in line.match_indices(' ').skip_while(|(at, _)| *at < in_front.max(1)) {
        if seen(&line[..at]) > room {
            return found.or(Some(at));
        }
        found = Some(at);
    }
    found
}

/// Returns the width of a line in columns; escape sequences for colour have no width.
fn seen(line: &str) -> usize {
    let mut columns = 0;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => drop(letters.find(char::is_ascii_alphabetic)),
            _ => columns += 1,
        }
    }
    columns
}

/// Wraps `text` in a separate column beside `head`, or below `head` if the terminal is too narrow for both.
pub fn beside(head: &str, column: usize, text: &str) -> String {
    /// Fewest columns in which a text is readable.
    const LEAST: usize = 24;
    match columns_now() >= column + LEAST {
        true => wrap_between(head, column, columns_now(), text),
        false => format!("{}\n{}", head.trim_end(), wrap("    ", text)),
    }
}

/// Wraps `text` at words into lines of at most [`columns_now`] characters. The first line starts with `first`, the
/// others with as many blanks as `first` is long, up to half a line. Splits a word longer than a line, unless it is
/// a path, which must stay whole to be copied.
pub fn wrap(first: &str, text: &str) -> String {
    let indent = first.chars().count().min(columns_now() / 2);
    wrap_between(first, indent, columns_now(), text)
}

/// Wraps like [`wrap`] to `width` characters; the first line starts with `first`, the others with `indent` blanks.
pub fn wrap_between(first: &str, indent: usize, width: usize, text: &str) -> String {
    let mut lines = vec![first.to_owned()];
    let mut used = first.chars().count();
    let mut fresh = true;
    for word in glued(text) {
        for piece in pieces(&word, width.saturating_sub(indent).max(1)) {
            let length = piece.chars().count();
            let blank = usize::from(!fresh);
            if used + blank + length > width {
                lines.push(" ".repeat(indent));
                used = indent;
            } else if !fresh {
                push(&mut lines, " ");
                used += 1;
            }
            push(&mut lines, &piece);
            used += length;
            fresh = false;
        }
    }
    let ended: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    ended.join("\n") + "\n"
}

/// Splits text into words, keeping a number together with its unit.
fn glued(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let bare = word.trim_end_matches(['.', ',', ';', ':', ')']);
        match words.last_mut() {
            Some(last) if is_number_with(last, bare) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn is_number_with(number: &str, word: &str) -> bool {
    word == "±"
        || number.ends_with(" ±")
        || number.ends_with(|last: char| last.is_ascii_digit()) && UNITS.contains(&word)
}

const UNITS: [&str; 16] = [
    "%", "IOPS", "ns", "µs", "ms", "s", "min", "h", "days", "B", "KiB", "MiB", "GiB", "KiB/s", "MiB/s",
    "GiB/s",
];

/// Returns `text` with no-break spaces between numbers and their units.
pub fn unbroken(text: &str) -> String {
    let words: Vec<String> = glued(text).iter().map(|word| word.replace(' ', "\u{a0}")).collect();
    words.join(" ")
}

fn push(lines: &mut [String], text: &str) {
    if let Some(last) = lines.last_mut() {
        last.push_str(text);
    }
}

fn pieces(word: &str, width: usize) -> Vec<String> {
    if ["/", "./", "../", "~/"].iter().any(|begin| word.starts_with(begin)) {
        return vec![word.to_owned()];
    }
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(width).map(|piece| piece.iter().collect()).collect()
}

/// Replaces control characters in `text`, so that a file's name cannot control a terminal.
pub fn clean(text: &str) -> String {
    text.chars().map(|letter| if steers(letter) { '?' } else { letter }).collect()
}

/// Replaces everything in `text` that controls a terminal, except tabs and line breaks, including those of CSV.
pub fn clean_lines(text: &str) -> Cow<'_, str> {
    let stays = |letter: char| !steers(letter) || matches!(letter, '\n' | '\t');
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let cleaned = |line: &str| -> String {
        // A line of CSV ends with CR LF; a carriage return anywhere else would let the rest overwrite the line.
        let (words, end) = line.strip_suffix("\r\n").map_or((line, ""), |words| (words, "\r\n"));
        words.chars().map(|letter| if stays(letter) { letter } else { '?' }).chain(end.chars()).collect()
    };
    text.split_inclusive('\n').map(cleaned).collect()
}

/// Escapes in a JSON document everything that controls a terminal; its strings keep their value.
pub fn clean_json(document: String) -> String {
    let stays = |letter: char| !steers(letter) || letter == '\n';
    if document.chars().all(stays) {
        return document;
    }
    let mut escaped = String::with_capacity(document.len());
    for letter in document.chars() {
        match stays(letter) {
            true => escaped.push(letter),
            // All of these characters lie in the Basic Multilingual Plane.
            false => escaped.push_str(&format!("\\u{:04x}", u32::from(letter))),
        }
    }
    escaped
}

/// Whether a character moves the cursor, starts an escape sequence, or changes the direction of the text after it:
/// controls of ASCII and Latin-1 (C0, DEL, C1), line separators, and Unicode's directional controls (UAX 9).
pub(crate) fn steers(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_broken_between_words_and_a_path_stays_whole() {
        let row = "  4 KiB read IOPS    68,000 ± 8,000      4.0 ms (32)";
        assert_eq!(fitted(row, 80), row);
        assert_eq!(fitted(row, 40), "  4 KiB read IOPS    68,000 ± 8,000\n    4.0 ms (32)");
        let path = "run     /var/lib/a-folder/with/a/long/name.plimsoll";
        assert_eq!(fitted(path, 30), "run\n  /var/lib/a-folder/with/a/long/name.plimsoll");
        let painted = "\x1b[1mMEETS\x1b[0m it all\n";
        assert_eq!(fitted(painted, 12), painted, "colours take no columns");
        for columns in 20..60 {
            assert!(fitted(row, columns).lines().all(|line| line.chars().count() <= columns));
        }
    }
    use proptest::prelude::*;

    #[test]
    fn lines_hang_under_their_first_word() {
        let text = wrap("  next    ", &"word ".repeat(30));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("  next    word"));
        assert!(lines[1].starts_with("          word"));
    }

    #[test]
    fn a_number_keeps_its_unit() {
        let text = wrap("", &("x".repeat(70) + " and 3,001 ± 6 IOPS, 90 % of it"));
        assert!(text.contains("and\n3,001 ± 6 IOPS, 90 % of it"), "{text}");
        assert_eq!(unbroken("4 KiB reads"), "4\u{a0}KiB reads");
    }

    #[test]
    fn a_word_longer_than_a_line_is_cut_but_not_a_path() {
        let text = wrap("report  ", &"x".repeat(200));
        assert!(text.lines().count() >= 3 && text.lines().all(|line| line.len() <= COLUMNS), "{text}");
        let path = "/a/long/path".repeat(20);
        let text = wrap("", &format!("passed over: {path}: it is a socket"));
        assert_eq!(text, format!("passed over:\n{path}:\nit is a socket\n"));
    }

    #[test]
    fn nothing_of_a_name_steers_a_terminal() {
        let name = "a\u{1b}[2J\u{9b}31m\u{7f}\u{202e}\u{2066}b\r\u{7}";
        assert_eq!(clean(name), "a?[2J?31m???b??");
        assert_eq!(clean_lines(&format!("{name}\n\tb")), "a?[2J?31m???b??\n\tb");
        assert!(matches!(clean_lines("plain\n"), Cow::Borrowed(_)));
        assert_eq!(clean_lines("a,b\r\n1\r2,3\r\n"), "a,b\r\n1?2,3\r\n");
        let document = serde_json::json!({ "name": name }).to_string();
        let cleaned = clean_json(document.clone());
        assert_eq!(clean(&cleaned), cleaned);
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&cleaned), value(&document), "the same text");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_line_is_too_long(words in proptest::collection::vec("[a-z]{1,30}", 0..40)) {
            let text = wrap("  ", &words.join(" "));
            prop_assert!(text.lines().all(|line| line.chars().count() <= COLUMNS));
            prop_assert_eq!(text.split_whitespace().collect::<Vec<_>>(), words);
        }
    }
}
