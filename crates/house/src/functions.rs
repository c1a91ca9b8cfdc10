//! The start, the length and the parameters of each function.

use crate::shapes::{Shape, shape};
use crate::source::{closing, in_name, test_spans};

/// One function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The function's name.
    pub name: String,
    /// The line of its `fn`, from one.
    pub line: usize,
    /// Number of lines from `fn` to the closing brace, both included.
    pub lines: usize,
    /// Whether the function is part of a module under `#[cfg(test)]`.
    pub test: bool,
    /// Whether the function is `pub` without restriction and takes a bare `bool`.
    pub public_bool: bool,
    /// The parameters of the function and the depth of its blocks.
    pub shape: Shape,
}

/// Finds every function with a body, in text that [`crate::code_only`] has cleaned.
pub fn functions(code: &str) -> Vec<Function> {
    let tests = test_spans(code);
    let starts = code.match_indices("fn ").filter(|&(at, _)| !code[..at].ends_with(in_name));
    starts
        .filter_map(|(at, _)| {
            let test = tests.iter().any(|span| span.contains(&at));
            read(code, at).map(|function| Function { test, ..function })
        })
        .collect()
}

/// Reads the function whose `fn` is at `at`; `None` for a declaration without a body.
fn read(code: &str, at: usize) -> Option<Function> {
    let name_at = at + "fn ".len();
    let name: String = code[name_at..].chars().take_while(|&letter| in_name(letter)).collect();
    let open = behind_generics(code, name_at + name.len());
    if name.is_empty() || !code[open..].starts_with('(') {
        return None;
    }
    let end_of_parameters = closing(code, open);
    let body = body(code, end_of_parameters)?;
    let public_bool = is_public(code, at) && takes_bool(&code[open..end_of_parameters]);
    let line = 1 + code[..at].matches('\n').count();
    let end = closing(code, body);
    let lines = 1 + code[at..end].matches('\n').count();
    let shape = shape(&code[open + 1..end_of_parameters - 1], &code[body..end]);
    Some(Function { name, line, lines, test: false, public_bool, shape })
}

/// Returns the offset after `<…>`, if a generic list begins at `at`, and after blanks.
fn behind_generics(code: &str, at: usize) -> usize {
    let mut depth = 0usize;
    let mut before = ' ';
    for (offset, letter) in code[at..].char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ if depth == 0 && !letter.is_whitespace() => return at + offset,
            _ => {}
        }
        before = letter;
    }
    code.len()
}

/// Returns the offset of the brace that opens the body; `None` if a semicolon ends the declaration first.
fn body(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (offset, letter) in code[from..].char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '{' if depth == 0 => return Some(from + offset),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Whether the words before `fn` on its line begin with an unrestricted `pub`.
fn is_public(code: &str, at: usize) -> bool {
    let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
    code[line..at].trim_start().starts_with("pub ")
}

fn takes_bool(parameters: &str) -> bool {
    parameters.split(':').skip(1).any(|rest| {
        let kind = rest.trim_start();
        kind.strip_prefix("bool").is_some_and(|after| !after.starts_with(in_name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_only;

    fn found(text: &str) -> Vec<(String, usize, usize)> {
        functions(&code_only(text)).into_iter().map(|f| (f.name, f.line, f.lines)).collect()
    }

    #[test]
    fn a_function_is_counted_from_fn_to_its_brace() {
        let text =
            "//! x\npub fn one(a: [u8; 4]) -> [u8; 2]\nwhere\n    T: X,\n{\n    if a { b }\n}\nfn two() {}\n";
        assert_eq!(found(text), [("one".to_owned(), 2, 6), ("two".to_owned(), 8, 1)]);
    }

    #[test]
    fn declarations_pointers_and_words_in_text_are_not_functions() {
        assert_eq!(
            found("trait T { fn a(&self) -> u8; }\ntype F = fn (u8) -> u8;\nlet s = \"fn b() {}\";"),
            []
        );
    }

    #[test]
    fn generics_with_brackets_and_arrows_are_passed_over() {
        assert_eq!(found("fn map<F: Fn(u8) -> u8>(f: F) -> u8 {\n f(1)\n}"), [("map".to_owned(), 1, 3)]);
    }

    #[test]
    fn only_a_bare_bool_of_a_public_function_counts() {
        let flagged = |text: &str| functions(&code_only(text))[0].public_bool;
        assert!(flagged("pub fn f(a: u8, on: bool) {}"));
        assert!(flagged("pub const fn f(on: bool, a: u8) {}"));
        assert!(!flagged("pub fn f(a: boolean, g: &[bool]) -> bool {}"));
        assert!(!flagged("pub(crate) fn f(on: bool) {}"));
        assert!(!flagged("fn f(on: bool) {}"));
    }

    #[test]
    fn functions_in_test_modules_are_marked() {
        let all = functions("fn a() {}\n#[cfg(test)]\nmod tests { fn b() {} }\n");
        assert_eq!(all.iter().map(|f| f.test).collect::<Vec<_>>(), [false, true]);
    }
}
