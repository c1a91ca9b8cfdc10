//! The weight of the sources: lines, numeric thresholds, public types, and imports that close a circle inside a crate.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{code_only, has_word, in_name, test_spans};

/// Crates whose named numbers are thresholds of a judgement.
const JUDGING: [&str; 3] = ["analysis", "experiments", "statistics"];

/// A source file of a crate, with its path from the folder of the crates, such as `fio/src/rows.rs`.
#[derive(Clone, Copy, Debug)]
pub struct CrateFile<'a> {
    /// The path, with `/` between its parts.
    pub path: &'a str,
    /// The whole text.
    pub text: &'a str,
}

/// The weight of all sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Lines outside tests, with comments and blank lines.
    pub product_lines: usize,
    /// Lines of tests, with comments and blank lines.
    pub test_lines: usize,
    /// Named numeric constants of the crates that judge.
    pub thresholds: usize,
    /// Public structs, enums and traits.
    pub public_types: usize,
    /// Pairs of modules of one crate that import each other, directly or through others.
    pub circles: usize,
}

impl CrateFile<'_> {
    fn crate_name(&self) -> &str {
        self.path.split('/').next().unwrap_or_default()
    }

    /// Returns the first module of the path inside the crate; `None` for the crate's root and for tests.
    fn module(&self) -> Option<&str> {
        let inside = self.path.split_once("/src/")?.1;
        let module = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
        (!matches!(module, "lib" | "main") && !self.is_test()).then_some(module)
    }

    fn is_test(&self) -> bool {
        !self.path.contains("/src/") || self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }

    /// Returns the code without comments, literals and test modules.
    fn product_code(&self) -> String {
        let code = code_only(self.text);
        let mut kept = String::new();
        let mut from = 0;
        for span in test_spans(&code) {
            kept.push_str(&code[from..span.start]);
            from = span.end;
        }
        kept + &code[from..]
    }
}

impl Weight {
    /// Weighs `files`.
    #[must_use]
    pub fn of(files: &[CrateFile<'_>]) -> Weight {
        let mut weight = Weight { circles: circles(files), ..Weight::default() };
        for file in files {
            let lines = file.text.lines().count();
            if file.is_test() {
                weight.test_lines += lines;
                continue;
            }
            let code = file.product_code();
            let product = code.lines().count().min(lines);
            weight.product_lines += product;
            weight.test_lines += lines - product;
            weight.public_types += code.lines().filter(|line| is_public_type(line)).count();
            if JUDGING.contains(&file.crate_name()) {
                weight.thresholds += code.lines().filter(|line| is_number(line)).count();
            }
        }
        weight
    }
}

fn is_public_type(line: &str) -> bool {
    let line = line.trim_start();
    ["pub struct ", "pub enum ", "pub trait "].iter().any(|start| line.starts_with(start))
}

/// Whether a line defines a constant whose value is a number or a list of numbers; literals stay in the code.
fn is_number(line: &str) -> bool {
    let Some((name, value)) = line.split_once('=') else { return false };
    has_word(name, "const") && value.contains(|letter: char| letter.is_ascii_digit())
}

/// Counts the pairs of modules of one crate that reach each other by imports.
fn circles(files: &[CrateFile<'_>]) -> usize {
    let mut imports: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let Some(module) = file.module() else { continue };
        let found = imports.entry((file.crate_name(), module)).or_default();
        found.extend(imported(&file.product_code()));
    }
    let reach = |from: (&str, &str)| -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from.1.to_owned()];
        while let Some(module) = open.pop() {
            let next = imports.get(&(from.0, module.as_str())).into_iter().flatten();
            open.extend(next.filter(|name| reached.insert((*name).clone())).cloned());
        }
        reached
    };
    let reached: BTreeMap<_, _> = imports.keys().map(|key| (*key, reach(*key))).collect();
    let mutual = |a: &(&str, &str), b: &(&str, &str)| {
        a.0 == b.0 && a.1 < b.1 && reached[a].contains(b.1) && reached[b].contains(a.1)
    };
    reached.keys().map(|a| reached.keys().filter(|b| mutual(a, b)).count()).sum()
}

/// Returns the first module of each path that begins at the root of the crate.
fn imported(code: &str) -> BTreeSet<String> {
    let paths = code.split("crate::").skip(1);
    let first = |path: &str| -> Vec<String> {
        match path.strip_prefix('{') {
            None => vec![path.chars().take_while(|letter| in_name(*letter)).collect()],
            Some(list) => heads(list),
        }
    };
    paths.flat_map(first).filter(|name| !name.is_empty()).collect()
}

/// Returns the first name of each item of a list of imports, from just after its opening brace.
fn heads(list: &str) -> Vec<String> {
    let mut depth = 0usize;
    let mut names = vec![String::new()];
    let mut in_head = true;
    for letter in list.chars() {
        match letter {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(String::new());
                in_head = true;
            }
            _ if in_head && in_name(letter) => names.last_mut().unwrap_or(&mut String::new()).push(letter),
            ':' => in_head = false,
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_types_and_thresholds_are_counted_outside_tests() {
        let text = "//! Doc.\n\npub struct A;\nconst LEAST: f64 = 0.5;\nconst NAME: &str = \"9\";\n#[cfg(test)]\nmod tests {\n    const MOST: u8 = 1;\n}\n";
        let judging = CrateFile { path: "analysis/src/a.rs", text };
        let other = CrateFile { path: "engine/src/a.rs", text };
        let test = CrateFile { path: "engine/tests/all/a.rs", text: "fn a() {}\n" };
        let weight = Weight::of(&[judging, other, test]);
        assert_eq!((weight.product_lines, weight.test_lines), (12, 7));
        assert_eq!((weight.thresholds, weight.public_types), (1, 2));
    }

    #[test]
    fn modules_that_reach_each_other_are_a_circle() {
        let file = |path, text| CrateFile { path, text };
        let three = [
            file("x/src/a.rs", "use crate::b::B;"),
            file("x/src/b/mod.rs", "use crate::{c::{self, D}, d};"),
            file("x/src/c.rs", "fn f() { crate::a::f() }"),
            file("x/src/d.rs", "// crate::a\nuse super::a;"),
        ];
        assert_eq!(circles(&three), 3, "a, b and c reach each other");
        assert_eq!(circles(&three[..2]), 0);
    }
}
