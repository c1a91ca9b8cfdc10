//! The tutorial, and the guide from which it is made: its commands are run, and their results are as the page shows them.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;

/// Returns a text with its line breaks and indents replaced by single blanks.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs a course of the tutorial, and holds what it prints against the results that its page shows.
fn course_shows_what_its_page_says(words: &[&str], page: &str) {
    let folder = Folder::new();
    let here = folder.make_dir("here");
    let ended = ended(folder.plimsoll(words).current_dir(here));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let shown = plain(&ended.out);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let guide = fs::read_to_string(path).unwrap();
    let results: Vec<&str> =
        guide.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix('\n')).collect();
    assert!(results.len() >= 5, "{results:?}");
    for line in results.iter().flat_map(|block| block.lines()) {
        assert!(shown.contains(&plain(line)), "'{line}' is not shown:\n{}", ended.out);
    }
    assert_eq!(ended.out.matches("\n$ ").count(), guide.matches("```sh\n").count());
}

#[test]
fn each_lesson_shows_what_the_page_says() {
    course_shows_what_its_page_says(&["tutorial"], "docs/guide/learn.md");
}

#[test]
fn from_a_slow_application_to_the_right_volume() {
    course_shows_what_its_page_says(&["tutorial", "right-volume"], "docs/guide/right-volume.md");
}

#[test]
fn the_second_course_leaves_a_folder_of_its_name_alone() {
    let folder = Folder::new();
    let here = folder.make_dir("here");
    fs::create_dir(here.join("right-volume")).unwrap();
    let refused = ended(folder.plimsoll(&["tutorial", "right-volume"]).current_dir(here));
    assert!(
        refused.code == Some(2) && plain(&refused.err).contains("it is there already"),
        "{}",
        refused.err
    );
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
