//! Words that a shell takes as they are meant, so that a line can be pasted.

use crate::words::wrap::steers;

/// `bytes` as one word of a POSIX shell. What a terminal could not show as it is stands in `$'..'` (POSIX 2024, bash, zsh, ksh), so
/// that a line stays one line, and steers nothing.
pub fn shell_word(bytes: &[u8]) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:=,%+@".contains(letter);
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Ok(text) if !text.chars().any(steers) => format!("'{}'", text.replace('\'', "'\\''")),
        _ => format!("$'{}'", bytes.iter().map(|&byte| escaped(byte)).collect::<String>()),
    }
}

/// Octal, of which a shell reads three digits and no more.
fn escaped(byte: u8) -> String {
    match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        byte => format!("\\{byte:03o}"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;
    use std::process::Command;

    use super::*;
    use proptest::prelude::*;

    /// What `shell` makes of the word, in the middle of a line.
    fn read_back(shell: &str, word: &str) -> Vec<u8> {
        let line = format!("printf %s {word}");
        let line = std::ffi::OsString::from_vec(line.into_bytes());
        Command::new(shell).arg("-c").arg(line).output().unwrap().stdout
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_shell_gives_back_the_text(text in "[ -~äλ]{0,24}") {
            let word = shell_word(text.as_bytes());
            prop_assert_eq!(read_back("sh", &word), text.as_bytes(), "{}", word);
        }

        #[test]
        fn and_any_bytes_where_it_knows_of_them(bytes in proptest::collection::vec(1_u8.., 0..24)) {
            let word = shell_word(&bytes);
            prop_assert!(!word.chars().any(steers), "{:?}", word);
            if Command::new("bash").arg("--version").output().is_ok() {
                prop_assert_eq!(read_back("bash", &word), bytes, "{}", word);
            }
        }
    }

    #[test]
    fn a_line_that_is_pasted_runs_nothing() {
        assert_eq!(shell_word(b"/mnt/vol-1.plimsoll"), "/mnt/vol-1.plimsoll");
        for word in ["a;id", "$(id)", "`id`", "a&b", "a'b", "!x", "a|b", "~root", "#x", "*", "", "a b"] {
            assert!(shell_word(word.as_bytes()).starts_with('\''), "{word}");
        }
        assert_eq!(shell_word(b"a\x1b\nb"), "$'a\\033\\012b'");
    }
}
