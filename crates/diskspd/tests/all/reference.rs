//! The help and the compatibility table of the reference are those made from the rows.

use std::path::PathBuf;

use diskspd::{ROWS, Support, usage};
use options::reference::renewed;

/// With `PLIMSOLL_REGENERATE=1` the test rewrites the table.
#[test]
fn the_reference_is_fresh() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/diskspd.md");
    let page = std::fs::read_to_string(&path).expect("docs/reference/diskspd.md is there");
    let fresh = renewed(&page, &diskspd::table()).expect("the page has its marks");
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        std::fs::write(&path, fresh).expect("the reference can be written");
        return;
    }
    assert!(
        page == fresh,
        "docs/reference/diskspd.md is stale; run PLIMSOLL_REGENERATE=1 cargo test --release -p diskspd reference"
    );
}

#[test]
fn every_row_says_what_it_does_and_what_becomes_of_it() {
    for row in ROWS {
        assert!(row.help.ends_with(['.', '…', 'r']) && row.help.len() > 10, "-{}: {}", row.name, row.help);
        let here = match row.support {
            Support::Honoured => row.here,
            Support::Approximated(text) | Support::Accepted(text) | Support::Refused(text) => text,
        };
        assert!(!here.is_empty(), "-{}", row.name);
    }
}

#[test]
fn no_row_hides_behind_another() {
    for (at, row) in ROWS.iter().enumerate() {
        let word = format!("-{}{}", row.name, if row.takes.starts_with('<') { "1" } else { "" });
        let first = ROWS.iter().position(|row| diskspd::value_in(row, &word).is_some());
        // Of two rows with the same letter, the one whose value begins with a digit is first.
        assert!(first == Some(at) || ROWS[first.unwrap()].name == row.name, "{word} is taken by another row");
    }
}

#[test]
fn the_help_lists_every_option_within_80_columns() {
    let help = usage("diskspd");
    assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    for row in ROWS.iter().filter(|row| !row.is_refused()) {
        assert!(help.contains(&format!("  -{}{}", row.name, row.takes)), "-{}", row.name);
    }
    assert!(help.starts_with("\nUsage: diskspd [options] target1"));
}
