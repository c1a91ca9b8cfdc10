//! Pieces of a text that are short enough to look for an end in, or to repeat.

/// At most so many bytes of `text` from `at` on: to look for an end that is near, or is none.
pub(crate) fn near(text: &str, at: usize, most: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let mut end = most.min(rest.len());
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    &rest[..end]
}

/// At most so many characters of what was found are repeated.
const SHOWN: usize = 40;

/// `text` short enough for a message, without control characters.
pub(crate) fn shortened(text: &str) -> String {
    let line = near(text, 0, 8 * SHOWN).lines().next().unwrap_or_default().trim();
    let clean: String = line.chars().take(SHOWN).map(|c| if c.is_control() { '?' } else { c }).collect();
    if line.chars().count() > SHOWN { format!("{clean}…") } else { clean }
}
