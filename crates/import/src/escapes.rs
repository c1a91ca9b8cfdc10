//! Escape sequences of a terminal: the colours that iostat prints and a saved output keeps.

use super::cuts::Cuts;

/// The character that begins a sequence.
const ESCAPE: char = '\u{1b}';
/// Longest sequence, in bytes.
const LONGEST: usize = 256;

/// Returns `text` without escape sequences, and the removed pieces; `None` if there are none.
pub(crate) fn without(text: &str) -> Option<(String, Cuts)> {
    if !text.contains(ESCAPE) {
        return None;
    }
    let (mut left, mut cuts) = (String::with_capacity(text.len()), Cuts::default());
    let (mut line, mut column, mut at) = (1, 1, 0);
    while let Some(letter) = text[at..].chars().next() {
        let length = sequence(&text[at..]);
        if length > 0 {
            cuts.push(line, column, text[at..at + length].chars().count() as u32);
            at += length;
            continue;
        }
        (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
        left.push(letter);
        at += letter.len_utf8();
    }
    Some((left, cuts))
}

/// Returns the length in bytes of the control sequence at the start of `text` (ECMA-48, 5.4), or of an escape
/// character that begins no sequence; 0 if the text begins with anything else.
fn sequence(text: &str) -> usize {
    let Some(rest) = text.strip_prefix(ESCAPE) else { return 0 };
    let inside = rest.strip_prefix('[').unwrap_or_default();
    let end = inside.bytes().take(LONGEST).position(|byte| (0x40..=0x7e).contains(&byte));
    1 + end.map_or(0, |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_and_columns_stay() {
        let (left, cuts) = without("a\n\u{1b}[32;22mvda \u{1b}[0m\u{1b}[34;1m 1.00\u{1b}[0m\n").unwrap();
        assert_eq!(left, "a\nvda  1.00\n");
        assert_eq!(cuts.column(2, 1), 9);
        assert_eq!(cuts.column(2, 6), 25);
    }

    #[test]
    fn an_escape_character_without_a_sequence_goes_alone() {
        let of = |text: &str| without(text).map(|(left, _)| left);
        assert_eq!(of("1.00th=[  302], [eta 00m:01s]"), None);
        assert_eq!(of("\u{1b}[Kx\u{1b}").unwrap(), "x");
        assert_eq!(of("\u{1b}[é").unwrap(), "[é");
    }
}
