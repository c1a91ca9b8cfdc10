//! Finds code that decides by the wording of a text: by searching for words in it, or comparing it with a sentence.

use std::ops::Range;

use crate::source::{code_and_strings, test_spans};

/// A place where code searches a text for words, or compares it with a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The number of the line, from one.
    pub line: usize,
    /// The words, as in the source.
    pub words: String,
}

/// Methods that search a text for their argument.
const SEARCHES: [&str; 3] = ["contains", "starts_with", "ends_with"];

/// Number of characters before and after a string that are examined for its use.
const AROUND: usize = 40;

/// Finds every place in the Rust `text` that searches a text for words (a string with two letters in a row that is no
/// path) or compares or matches it with a sentence (a string with a blank between other characters). Modules under
/// `#[cfg(test)]` are left out.
pub fn text_decisions(text: &str) -> Vec<Decision> {
    let (cleaned, strings) = code_and_strings(text);
    let (source, code): (Vec<char>, Vec<char>) = (text.chars().collect(), cleaned.chars().collect());
    let tests = test_lines(&cleaned);
    let mut found = Vec::new();
    for string in strings {
        let words: String = source[string.clone()].iter().collect();
        let decides = is_sought(&code, &string) && has_word(&words)
            || is_compared(&code, &string) && is_sentence(&words);
        if !decides {
            continue;
        }
        let line = source[..string.start].iter().filter(|&&letter| letter == '\n').count() + 1;
        if !tests.iter().any(|span| span.contains(&line)) {
            found.push(Decision { line, words });
        }
    }
    found
}

/// Returns the lines of the modules under `#[cfg(test)]`.
fn test_lines(code: &str) -> Vec<Range<usize>> {
    let line = |at: usize| code[..at].matches('\n').count() + 1;
    test_spans(code).into_iter().map(|span| line(span.start)..line(span.end) + 1).collect()
}

/// Returns the code just before the quote that opens `string`.
fn before(code: &[char], string: &Range<usize>) -> String {
    code[string.start.saturating_sub(AROUND)..string.start].iter().collect()
}

/// Returns the code just after the quote that closes `string`.
fn behind(code: &[char], string: &Range<usize>) -> String {
    let from = (string.end + 1).min(code.len());
    code[from..(from + AROUND).min(code.len())].iter().collect()
}

/// Whether `string` is the argument of a search.
fn is_sought(code: &[char], string: &Range<usize>) -> bool {
    let before = before(code, string);
    let Some(call) = before.trim_end().strip_suffix('(') else { return false };
    SEARCHES.iter().any(|name| call.strip_suffix(name).is_some_and(|text| text.ends_with('.')))
}

/// Whether `string` is next to `==` or `!=`, or is a pattern of a `match`.
fn is_compared(code: &[char], string: &Range<usize>) -> bool {
    let (before, behind) = (before(code, string), behind(code, string));
    let (before, behind) = (before.trim_end(), behind.trim_start());
    let beside = |sign: &str| before.ends_with(sign) || behind.starts_with(sign);
    ["==", "!="].iter().any(|sign| beside(sign)) || behind.starts_with("=>")
}

/// Whether `words` have two letters in a row and are no path such as `/dev/`.
fn has_word(words: &str) -> bool {
    let letters: Vec<char> = words.chars().collect();
    !words.starts_with('/') && letters.windows(2).any(|pair| pair.iter().all(|letter| letter.is_alphabetic()))
}

fn is_sentence(words: &str) -> bool {
    words.trim().contains(' ') && has_word(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, String)> {
        text_decisions(text).into_iter().map(|decision| (decision.line, decision.words)).collect()
    }

    #[test]
    fn a_search_for_words_is_found_wherever_it_is_broken() {
        for text in [
            r#"if why.contains("memory") {}"#,
            r#"note.starts_with("memory")"#,
            r#"name().ends_with("memory")"#,
            "why.contains(\n    \"memory\",\n)",
            r##"why.contains(r#"memory"#)"##,
            r#"doubts.iter().any(|why| why.contains("memory"))"#,
        ] {
            let words: Vec<String> = found(text).into_iter().map(|(_, words)| words).collect();
            assert_eq!(words, ["memory"], "{text}");
        }
        assert_eq!(found("a\nb(\"x\")\nwhy.contains(\"no data\")"), [(3, "no data".to_owned())]);
    }

    #[test]
    fn a_comparison_with_a_sentence_is_found_and_one_with_a_word_is_not() {
        assert_eq!(found(r#"if what == "an offset" {}"#).len(), 1);
        assert_eq!(found(r#""an offset" != what"#).len(), 1);
        assert_eq!(found(r#"match what { "an offset" => 1, "size" => 2, _ => 3 }"#).len(), 1);
        assert_eq!(found(r#"if unit == "ns" {}"#), []);
    }

    #[test]
    fn signs_lists_words_that_are_written_and_tests_are_left_alone() {
        for text in [
            r#"path.contains("/")"#,
            r#"path.starts_with("/dev/")"#,
            r#"word.starts_with("--")"#,
            r#"names.contains(&"memory")"#,
            r#"format!("contains(memory)")"#,
            r#"println!("it holds no data")"#,
            r#"// why.contains("memory")"#,
            r#"let text = "why.contains(\"memory\")";"#,
            "#[cfg(test)]\nmod tests {\n    fn f() { why.contains(\"memory\"); }\n}\n",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
