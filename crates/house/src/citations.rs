//! Citations of method and rules in comments and pages, `(method 6.1)` and `(R6)`, and the headings they refer to.

use crate::links::prose;
use crate::source::{comments_only, has_word, in_name};

/// A section or rule that a line cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The number of the line, from one.
    pub line: usize,
    /// `method 6.1` or `R6`; `method` alone if the line ends before the number.
    pub to: String,
}

/// Words for documents that are not in the repository, so that nobody can look up their content.
const FOREIGN: [&str; 3] = ["methodology", "Methodology", "DESIGN"];

/// Returns the sections and rules that the headings of `page` define: `method 6.1` if a heading begins with this
/// number, `R6` if it begins with this name.
pub fn defined(page: &str) -> Vec<String> {
    let of = |(_, text): (usize, &str)| -> Option<String> {
        let word =
            text.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' ')?.split_whitespace().next()?;
        let section = is_number(word).then(|| format!("method {word}"));
        section.or_else(|| is_rule(word).then(|| word.to_owned()))
    };
    prose(page).filter_map(of).collect()
}

/// Returns every section and rule that a comment of the Rust `text` names, in parentheses or not.
pub fn cited_in_comments(text: &str) -> Vec<Citation> {
    comments_only(text).lines().enumerate().flat_map(|(at, line)| citations(at + 1, names(line))).collect()
}

/// Returns every section and rule that `page` cites outside fenced code: parentheses that hold nothing else.
pub fn cited_in_page(page: &str) -> Vec<Citation> {
    let cited = |text: &str| -> Vec<String> {
        let insides = text.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
        let all_names = |inside: &&str| inside.split(", ").all(|piece| names(piece) == [piece]);
        insides.map(|(inside, _)| inside).filter(all_names).flat_map(names).chain(torn(text)).collect()
    };
    prose(page).flat_map(|(line, text)| citations(line, cited(text))).collect()
}

/// Returns every word for a document outside the repository in a comment of the Rust `text`.
pub fn foreign_in_comments(text: &str) -> Vec<Citation> {
    let foreign = |line: &str| -> Vec<String> {
        FOREIGN.iter().filter(|word| has_word(line, word)).map(|word| (*word).to_owned()).collect()
    };
    comments_only(text).lines().enumerate().flat_map(|(at, line)| citations(at + 1, foreign(line))).collect()
}

fn citations(line: usize, names: Vec<String>) -> Vec<Citation> {
    names.into_iter().map(|to| Citation { line, to }).collect()
}

/// Returns the sections and rules that `text` names.
fn names(text: &str) -> Vec<String> {
    let apart = text.split(|letter: char| !in_name(letter) && letter != '.');
    let words: Vec<&str> = apart.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()).collect();
    let rules = words.iter().filter(|word| is_rule(word)).map(|word| (*word).to_owned());
    let numbered = words.windows(2).filter(|pair| pair[0] == "method" && is_number(pair[1]));
    let sections = numbered.map(|pair| format!("method {}", pair[1]));
    rules.chain(sections).chain(torn(text)).collect()
}

/// Finds a citation whose number is on the next line, where no search finds it.
fn torn(text: &str) -> Option<String> {
    text.trim_end().ends_with("(method").then(|| "method".to_owned())
}

/// Whether `word` is a number of a section: `6` or `6.1`.
fn is_number(word: &str) -> bool {
    word.split('.').all(|part| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_digit()))
}

/// Whether `word` is the name of a rule: `R6` or `R2b`.
fn is_rule(word: &str) -> bool {
    let Some(rest) = word.strip_prefix('R') else { return false };
    let number = rest.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    rest.len() - number.len() <= 1 && number.len() <= 2 && !number.contains('.') && is_number(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns line and name of each citation.
    fn told(citations: Vec<Citation>) -> Vec<(usize, String)> {
        citations.into_iter().map(|citation| (citation.line, citation.to)).collect()
    }

    fn at(found: &[(usize, &str)]) -> Vec<(usize, String)> {
        found.iter().map(|(line, to)| (*line, (*to).to_owned())).collect()
    }

    #[test]
    fn headings_define_their_numbers_and_names() {
        let page = "# How\n## 6 Claims\n### 6.1 Three\n### R2b A limit\n### Rules\n6.2 no\n```\n## 7 no\n```\n#8 no\n";
        assert_eq!(defined(page), ["method 6", "method 6.1", "R2b"]);
    }

    #[test]
    fn a_citation_in_a_comment_is_found_and_code_and_strings_are_not() {
        let text = "//! Held (R2b, R3).\n/// Within 3 % (method 6.1, R6).\nlet s = \"(method 9.9)\"; // R10, where\n/* see\n(method 7) */ let R4 = 1;\n";
        let found = at(&[(1, "R2b"), (1, "R3"), (2, "R6"), (2, "method 6.1"), (3, "R10"), (5, "method 7")]);
        assert_eq!(told(cited_in_comments(text)), found);
    }

    #[test]
    fn a_citation_without_a_heading_is_one_that_nobody_defines() {
        let page = "## 6 Claims\n### R6 The level fell\n";
        let text = "// (method 6)\n// (method 6.1)\n// (R6)\n// (R60)\n// a Dell R430, (method\n// 6)\n";
        let wrong = cited_in_comments(text).into_iter().filter(|found| !defined(page).contains(&found.to));
        assert_eq!(told(wrong.collect()), at(&[(2, "method 6.1"), (4, "R60"), (5, "method")]));
    }

    #[test]
    fn a_page_cites_by_parentheses_that_hold_nothing_else() {
        let page = "By (R6) and `(method 6.1, R3)`.\n[method 5](method.md#5) (R6 alone) R7\n```\n(R8)\n```\nso (method\n";
        let found = at(&[(1, "R6"), (1, "R3"), (1, "method 6.1"), (6, "method")]);
        assert_eq!(told(cited_in_page(page)), found);
    }

    #[test]
    fn documents_that_are_not_here_are_found_in_comments_alone() {
        let text = "// by the methodology\n/// DESIGN's answers\nlet DESIGN = \"methodology\"; // REDESIGN\n";
        assert_eq!(told(foreign_in_comments(text)), at(&[(1, "methodology"), (2, "DESIGN")]));
    }
}
