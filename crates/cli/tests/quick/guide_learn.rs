//! The tutorial, and the guide from which it is made: its commands are run, and their results are as the page shows them.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;

/// Returns a text with its line breaks and indents replaced by single blanks.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn guide() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/learn.md");
    fs::read_to_string(path).unwrap()
}

#[test]
fn each_lesson_shows_what_the_page_says() {
    let folder = Folder::new();
    let ended = ended(&mut folder.plimsoll(&["tutorial"]));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let shown = plain(&ended.out);
    let guide = guide();
    let results: Vec<&str> =
        guide.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix('\n')).collect();
    assert!(results.len() >= 6, "{results:?}");
    for line in results.iter().flat_map(|block| block.lines()) {
        assert!(shown.contains(&plain(line)), "'{line}' is not shown:\n{}", ended.out);
    }
    assert_eq!(ended.out.matches("\n$ plimsoll ").count(), guide.matches("```sh\n").count());
}

#[test]
fn a_lesson_is_chosen_by_its_number() {
    let folder = Folder::new();
    let last = ended(&mut folder.plimsoll(&["tutorial", "4"]));
    assert_eq!(last.code, Some(0), "{}", last.err);
    assert!(last.out.starts_with("4. A cache that fills"), "{}", last.out);
    let none = ended(&mut folder.plimsoll(&["tutorial", "9"]));
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("there are 1 to 4"), "{}", none.err);
}
