//! Pieces of a text that are short enough to search for an end, or to repeat.

/// Returns at most `most` bytes of `text` from `at` on, to search for an end that is near or missing.
pub(crate) fn near(text: &str, at: usize, most: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    &rest[..rest.floor_char_boundary(most)]
}

/// Most characters of the found text that are repeated in a message.
const SHOWN: usize = 40;

/// Returns `text` short enough for a message, without control characters.
pub(crate) fn shortened(text: &str) -> String {
    let line = near(text, 0, 8 * SHOWN).lines().next().unwrap_or_default().trim();
    let clean: String = line.chars().take(SHOWN).map(|c| if c.is_control() { '?' } else { c }).collect();
    if line.chars().count() > SHOWN { format!("{clean}…") } else { clean }
}

/// Returns the part of a line that begins with a command up to the mark with which a page or a sentence ends it: one that
/// opened above it.
pub(crate) fn unquoted(command: &str) -> &str {
    let mut open = false;
    let mut before = ' ';
    for (at, letter) in command.char_indices() {
        let is_quote = matches!(letter, '"' | '\'' | '\u{201d}');
        if letter == '`' || is_quote && !open && !matches!(before, ' ' | '=') {
            return &command[..at];
        }
        (open, before) = (open != is_quote, letter);
    }
    command
}
