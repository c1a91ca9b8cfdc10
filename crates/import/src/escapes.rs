//! Escape sequences of a terminal (colours and cursor movements) that logs and pastes keep.

use super::cuts::Cuts;

/// Longest sequence, in bytes.
const LONGEST: usize = 256;

/// Returns `text` without escape sequences, and what was taken out; `None` if there are none.
pub(crate) fn without(text: &str) -> Option<(String, Cuts)> {
    // A paste may have lost the escape character or spell it out; a reset then shows what the brackets are.
    let bare = text.contains("[0m");
    if !bare && !text.contains('\u{1b}') {
        return None;
    }
    let (mut left, mut cuts) = (String::with_capacity(text.len()), Cuts::default());
    let (mut line, mut column, mut at) = (1, 1, 0);
    while let Some(letter) = text[at..].chars().next() {
        let length = sequence(&text[at..], bare);
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

/// Returns the length in bytes of the sequence at the start of `text`; 0 if there is none.
fn sequence(text: &str, bare: bool) -> usize {
    let introduced = text.strip_prefix('\u{1b}').map(|rest| (1, rest));
    let spelled =
        || text.strip_prefix("^[").filter(|rest| bare && rest.starts_with('[')).map(|rest| (2, rest));
    match introduced.or_else(spelled) {
        Some((before, rest)) => before + after_escape(rest),
        None if bare => colour(text),
        None => 0,
    }
}

/// Returns the length of what follows the escape character (ECMA-48, 5.4; the operating system commands of xterm).
fn after_escape(rest: &str) -> usize {
    let end = |from: usize, ends: &dyn Fn(u8) -> bool| {
        rest.bytes().take(LONGEST).skip(from).position(ends).map_or(0, |length| from + length + 1)
    };
    match rest.bytes().next() {
        Some(b'[') => end(1, &|byte| (0x40..=0x7e).contains(&byte)),
        Some(b']') => {
            let end = end(1, &|byte| byte == 7 || byte == 0x1b || byte == b'\n');
            match rest.as_bytes().get(end.saturating_sub(1)) {
                Some(b'\n') => end - 1,
                Some(0x1b) => end + usize::from(rest[end..].starts_with('\\')),
                _ => end,
            }
        }
        Some(b'(' | b')') => rest.chars().take(2).map(char::len_utf8).sum(),
        Some(byte) if (0x30..=0x7e).contains(&byte) => 1,
        _ => 0,
    }
}

/// Returns the length of a colour without its escape character, such as `[34;1m`.
fn colour(text: &str) -> usize {
    let Some(inside) = text.strip_prefix('[') else { return 0 };
    let length =
        inside.bytes().take(LONGEST).take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    if inside[length..].starts_with('m') { length + 2 } else { 0 }
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
    fn titles_and_pastes_that_lost_the_escape_go_too() {
        let of = |text: &str| without(text).map(|(left, _)| left);
        assert_eq!(of("\u{1b}]0;a title\u{7}x\u{1b}(By\u{1b}[K").unwrap(), "xy");
        assert_eq!(of("[34;1m 1.00[0m [ 302] [1]").unwrap(), " 1.00 [ 302] [1]");
        assert_eq!(of("^[[34;1m1^[[0m").unwrap(), "1");
        assert_eq!(of("1.00th=[  302], [eta 00m:01s]"), None);
        assert_eq!(of("\u{1b}").unwrap(), "");
        assert_eq!(of("\u{1b}[é").unwrap(), "[é");
    }
}
