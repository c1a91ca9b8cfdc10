//! The metric of function and file lengths: half of the functions under ten lines, 98 % under 70, files under 600.

use std::fs;
use std::path::{Path, PathBuf};

use house::{Function, code_only, files, functions, root};

/// A file with this many lines or more is named in a warning, and is to be split with its next change.
const FILE_LINES_MAX: usize = 600;
/// A file may have this many lines or more only with a reason in [`LONG_FILES`]. A tenth above the warning, so that a
/// good change is not rejected for a line.
const FILE_LINES_FAIL: usize = FILE_LINES_MAX + FILE_LINES_MAX / 10;
/// A function with more lines should be two.
const FUNCTION_LINES_MAX: usize = 70;
/// The percentage of functions that may be longer.
const LONG_FUNCTIONS_PERCENT: f64 = 2.0;

/// Files that may be longer, each with its reason: tables of data, which read best with a row a line.
const LONG_FILES: [(&str, &str); 0] = [];

/// Functions that may be longer, each with its reason: a match over every kind, whose completeness the compiler
/// checks and could no longer check if it were split.
const LONG_FUNCTIONS: [(&str, &str, &str); 1] =
    [("crates/report/src/words/findings.rs", "told", "the words of every kind of finding, a row a kind")];

struct Source {
    path: PathBuf,
    lines: usize,
    functions: Vec<Function>,
}

fn sources() -> Vec<Source> {
    let here = root();
    let listed = files(&here).unwrap_or_default();
    let rust = listed.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    rust.filter_map(|path| {
        let text = fs::read_to_string(here.join(&path)).ok()?;
        Some(Source { lines: text.lines().count(), functions: functions(&code_only(&text)), path })
    })
    .collect()
}

fn is_test_file(path: &Path) -> bool {
    path.iter().any(|part| part == "tests" || part == "tests.rs" || part == "benches")
}

/// Returns the product's functions, without tests, longest first: their lines, and where they are.
fn product(sources: &[Source]) -> Vec<(usize, String)> {
    let own = sources.iter().filter(|source| !is_test_file(&source.path));
    let mut all: Vec<_> = own
        .flat_map(|source| source.functions.iter().map(move |function| (source, function)))
        .filter(|(_, function)| !function.test)
        .map(|(source, function)| {
            (function.lines, format!("{}:{} {}", source.path.display(), function.line, function.name))
        })
        .collect();
    all.sort_by(|a, b| b.cmp(a));
    all
}

#[test]
fn functions_are_short() {
    let all = product(&sources());
    assert!(!all.is_empty(), "no Rust function was found under {}", root().display());
    let excused = |place: &str| {
        let ends = |path: &str, name: &str| place.starts_with(path) && place.ends_with(&format!(" {name}"));
        LONG_FUNCTIONS.iter().any(|(path, name, _)| ends(path, name))
    };
    let is_long = |(lines, place): &&(usize, String)| *lines > FUNCTION_LINES_MAX && !excused(place);
    let long: Vec<_> = all.iter().filter(is_long).collect();
    let share = 100.0 * long.len() as f64 / all.len() as f64;
    let (median, p90) = (all[all.len() / 2].0, all[all.len() / 10].0);
    println!(
        "functions: {} without tests, median {median} lines, p90 {p90}, longest {}, {share:.1} % over {FUNCTION_LINES_MAX}",
        all.len(),
        all[0].0
    );
    for (lines, place) in &long {
        println!("  {lines:4} lines  {place}");
    }
    assert!(
        share <= LONG_FUNCTIONS_PERCENT,
        "{share:.1} % of the functions are longer than {FUNCTION_LINES_MAX} lines: {long:#?}. \
         Give the parts of the longest a name each"
    );
}

#[test]
fn files_are_short() {
    let mut all: Vec<_> = sources().into_iter().map(|source| (source.lines, source.path)).collect();
    all.sort_by(|a, b| b.cmp(a));
    println!(
        "files: {} Rust files, {} lines in all, the longest:",
        all.len(),
        all.iter().map(|f| f.0).sum::<usize>()
    );
    for (lines, path) in all.iter().take(5) {
        println!("  {lines:4} lines  {}", path.display());
    }
    let excused = |path: &Path| LONG_FILES.iter().any(|(name, _)| path == Path::new(name));
    let from = |least: usize| -> Vec<&(usize, PathBuf)> {
        all.iter().filter(|(lines, path)| *lines >= least && !excused(path)).collect()
    };
    for (lines, path) in from(FILE_LINES_MAX) {
        println!("warning: {} has {lines} lines, {FILE_LINES_FAIL} are a failure: split it", path.display());
    }
    let long = from(FILE_LINES_FAIL);
    assert!(
        long.is_empty(),
        "these files have {FILE_LINES_FAIL} lines or more: {long:?}. Split each by what its parts do; \
         a table of data may stay whole with a reason in LONG_FILES of this test"
    );
}

#[test]
fn no_excuse_outlives_what_it_is_for() {
    let all = sources();
    for (name, reason) in LONG_FILES {
        let found = all.iter().find(|source| source.path == Path::new(name));
        assert!(
            found.is_some_and(|source| source.lines >= FILE_LINES_MAX) && !reason.is_empty(),
            "{name} is gone or short again: take it off LONG_FILES"
        );
    }
    for (path, name, reason) in LONG_FUNCTIONS {
        let mut inside = all.iter().filter(|source| source.path == Path::new(path));
        let long = |function: &Function| function.name == name && function.lines > FUNCTION_LINES_MAX;
        assert!(
            inside.any(|source| source.functions.iter().any(long)) && !reason.is_empty(),
            "{name} of {path} is gone or short again: take it off LONG_FUNCTIONS"
        );
    }
}
