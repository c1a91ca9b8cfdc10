//! Shapes that are hard to read: long lists of parameters, tuples in place of structs, choices without a subject, and
//! deeply nested blocks.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use house::{Function, Shape, code_only, files, functions, root, test_spans};

/// Most values that a function may take; a tuple counts as the values in it.
const VALUES_MAX: usize = 4;
/// Most values of a parameter that is a tuple.
const TUPLE_MAX: usize = 2;
/// Deepest nesting of `if`, `else`, `match`, `for`, `while` and `loop` blocks; the block of a match arm or a closure
/// adds nothing.
const DEPTH_MAX: usize = 3;

/// A file of the product without its tests.
struct Source {
    path: String,
    code: String,
}

/// Returns the product's own files, without files of tests; modules of tests within them are blanked.
fn sources() -> Vec<Source> {
    let here = root();
    let listed = files(&here).unwrap_or_default();
    let own = listed.into_iter().filter(|path| is_product(path));
    own.filter_map(|path| {
        let code = code_only(&fs::read_to_string(here.join(&path)).ok()?);
        Some(Source { code: without_tests(&code), path: path.to_str()?.to_owned() })
    })
    .collect()
}

fn is_product(path: &Path) -> bool {
    let is_test = path.iter().any(|part| part == "tests" || part == "tests.rs");
    let source = path.starts_with("crates") && path.iter().any(|part| part == "src");
    source && !is_test && path.extension().is_some_and(|end| end == "rs")
}

fn without_tests(code: &str) -> String {
    let spans = test_spans(code);
    let kept = |at: usize, letter: char| letter == '\n' || !spans.iter().any(|span| span.contains(&at));
    code.char_indices().map(|(at, letter)| if kept(at, letter) { letter } else { ' ' }).collect()
}

/// The files, read once for all tests.
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(sources);

/// Every function of the product with its place.
static FUNCTIONS: LazyLock<Vec<(String, Function)>> = LazyLock::new(|| {
    let of_file = |source: &Source| {
        let place = |function: &Function| format!("{}:{} {}", source.path, function.line, function.name);
        functions(&source.code).into_iter().map(|function| (place(&function), function)).collect::<Vec<_>>()
    };
    SOURCES.iter().flat_map(of_file).collect()
});

/// Fails with every function whose shape `breaks` a rule, and with what to do instead.
fn none(breaks: impl Fn(&Shape) -> bool, instead: &str) {
    let all = &*FUNCTIONS;
    assert!(all.len() > 1_000, "the functions of the product are no longer found under {}", root().display());
    let broken: Vec<&str> =
        all.iter().filter(|(_, function)| breaks(&function.shape)).map(|(place, _)| place.as_str()).collect();
    assert!(broken.is_empty(), "{instead}:\n  {}", broken.join("\n  "));
}

#[test]
fn a_function_takes_at_most_four_values() {
    none(
        |shape| shape.values > VALUES_MAX,
        "these take more than four values, tuples opened; give what belongs together a struct with a name",
    );
}

#[test]
fn no_parameter_is_a_tuple_of_three() {
    none(
        |shape| shape.tuple > TUPLE_MAX,
        "these take a tuple of three or more, tuples within it opened; a struct names what each of them is",
    );
}

#[test]
fn blocks_lie_at_most_three_deep() {
    none(
        |shape| shape.depth > DEPTH_MAX,
        "these nest more than three blocks of if, else, match, for, while and loop; give the inner ones a name",
    );
}

/// Forms that hide what they choose by, as rustfmt writes them, and what to write instead.
const FORMS: [(&str, &str); 2] = [
    ("Option<()>", "an Option of nothing is a choice of two; take an enum of two named values"),
    (
        "match () {",
        "a match without a subject is a chain of conditions; write if and else, or functions that return early",
    ),
];

#[test]
fn every_choice_has_a_subject() {
    for (form, instead) in FORMS {
        let broken: Vec<&str> = SOURCES
            .iter()
            .filter(|source| source.code.contains(form))
            .map(|source| source.path.as_str())
            .collect();
        assert!(broken.is_empty(), "{instead}:\n  {}", broken.join("\n  "));
    }
}
