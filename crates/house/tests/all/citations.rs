//! What comments and pages cite can be looked up: sections of `docs/method.md`, rules of `docs/rules.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use house::{Citation, cited_in_comments, cited_in_page, defined, files, foreign_in_comments, root};

/// The pages whose headings are cited.
const PAGES: [&str; 2] = ["docs/method.md", "docs/rules.md"];

/// Returns what the headings of both pages define, in their order.
fn headings() -> Vec<String> {
    let page = |name: &&str| fs::read_to_string(root().join(name)).unwrap_or_default();
    PAGES.iter().map(page).flat_map(|text| defined(&text)).collect()
}

/// Returns the files with this extension, with their text.
fn ending(end: &str) -> Vec<(PathBuf, String)> {
    let here = root();
    let listed = files(&here).unwrap_or_default().into_iter();
    let wanted = listed.filter(|path| path.extension().is_some_and(|found| found == end));
    wanted.filter_map(|path| fs::read_to_string(here.join(&path)).ok().map(|text| (path, text))).collect()
}

/// Returns `path:line` and the name of everything that `of` finds in files with this extension.
fn found(end: &str, of: impl Fn(&str) -> Vec<Citation>) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in ending(end) {
        let place = |one: Citation| format!("{}:{} {}", path.display(), one.line, one.to);
        found.extend(of(&text).into_iter().map(place));
    }
    found
}

#[test]
fn every_section_and_rule_that_is_cited_has_a_heading() {
    let headings: BTreeSet<String> = headings().into_iter().collect();
    let wrong = |citations: Vec<Citation>| -> Vec<Citation> {
        citations.into_iter().filter(|citation| !headings.contains(&citation.to)).collect()
    };
    let mut lost = found("rs", |text| wrong(cited_in_comments(text)));
    lost.extend(found("md", |text| wrong(cited_in_page(text))));
    assert!(
        lost.is_empty(),
        "no heading of {PAGES:?} begins with what these cite; write `(method 6.1)` or `(R6)` for the section that has \
         the fact, on one line, and add the section where there is none:\n  {}",
        lost.join("\n  ")
    );
    assert!(found("rs", cited_in_comments).len() > 50, "the citations of the sources are no longer found");
}

#[test]
fn no_comment_cites_a_document_that_is_not_here() {
    let found = found("rs", foreign_in_comments);
    assert!(
        found.is_empty(),
        "nobody can look this up: cite a section of {PAGES:?}, and write there what is missing:\n  {}",
        found.join("\n  ")
    );
}

#[test]
fn no_two_headings_have_one_number() {
    let mut seen = BTreeSet::new();
    let again: Vec<String> = headings().into_iter().filter(|name| !seen.insert(name.clone())).collect();
    assert!(again.is_empty(), "{again:?} of {PAGES:?} could mean either heading: number one of them anew");
}
