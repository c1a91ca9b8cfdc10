//! Words quoted for a shell, so that a line can be pasted.

use crate::words::wrap::steers;

/// Quotes `bytes` as one word of any POSIX shell, in single quotes, in which nothing has a special meaning. No
/// notation for characters that control a terminal works in every shell (dash does not know `$'..'`). A star
/// replaces them: the shell expands it to the name that matches, and never runs it.
pub fn shell_word(bytes: &[u8]) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:=,%+@".contains(letter);
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Ok("") => quoted(""),
        _ => starred(bytes),
    }
}

/// Whether [`shell_word`] preserves every byte.
pub fn is_told_whole(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(is_told))
}

/// Whether a letter can be written between quotes; line breaks and tabs can.
fn is_told(letter: char) -> bool {
    !steers(letter) || matches!(letter, '\n' | '\t')
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Quotes the characters that can be quoted, and writes a star for all others.
fn starred(bytes: &[u8]) -> String {
    let mut word = String::new();
    for chunk in bytes.utf8_chunks() {
        for (at, part) in chunk.valid().split(|letter| !is_told(letter)).enumerate() {
            let star = if at > 0 { "*" } else { "" };
            word += star;
            word += &(if part.is_empty() { String::new() } else { quoted(part) });
        }
        word += if chunk.invalid().is_empty() { "" } else { "*" };
    }
    word
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use proptest::prelude::*;

    /// Shells that lines are pasted into: plain POSIX shells, and bash if installed.
    fn shells() -> Vec<&'static str> {
        let is_there = |shell: &&str| Command::new(shell).args(["-c", ":"]).output().is_ok();
        ["sh", "dash", "bash"].into_iter().filter(is_there).collect()
    }

    /// Returns the word as `shell` reads it in the middle of a line.
    fn read_back(shell: &str, word: &str) -> Vec<u8> {
        Command::new(shell).arg("-c").arg(format!("printf %s {word}")).output().unwrap().stdout
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_shell_gives_back_the_text(text in "[ -~äλ\n\t]{0,24}") {
            let word = shell_word(text.as_bytes());
            for shell in shells() {
                prop_assert_eq!(read_back(shell, &word), text.as_bytes(), "{}: {}", shell, word);
            }
        }

        #[test]
        fn nothing_of_a_word_steers_a_terminal(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
            let word = shell_word(&bytes);
            prop_assert!(word.chars().all(is_told), "{:?}", word);
        }
    }

    #[test]
    fn a_line_that_is_pasted_runs_nothing() {
        assert_eq!(shell_word(b"/mnt/vol-1.plimsoll"), "/mnt/vol-1.plimsoll");
        for word in ["a;id", "$(id)", "`id`", "a&b", "a'b", "!x", "a|b", "~root", "#x", "*", "", "a b"] {
            assert!(shell_word(word.as_bytes()).starts_with('\''), "{word}");
            assert!(is_told_whole(word.as_bytes()));
        }
        assert_eq!(shell_word("a'\n;\u{1b}[2J\u{202e}b".as_bytes()), "'a'\\''\n;'*'[2J'*'b'");
        assert_eq!(shell_word(b"a\xffb"), "'a'*'b'");
        assert!(!is_told_whole(b"a\xffb") && !is_told_whole(b"\x1b"));
    }
}
