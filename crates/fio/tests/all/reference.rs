//! The compatibility table of the reference is the one made from the rows.

use std::path::PathBuf;

use options::reference::renewed;

/// With `PLIMSOLL_REGENERATE=1` the test rewrites the table.
#[test]
fn the_reference_is_fresh() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/fio.md");
    let page = std::fs::read_to_string(&path).expect("docs/reference/fio.md is there");
    let fresh = renewed(&page, &fio::table()).expect("the page has its marks");
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        std::fs::write(&path, fresh).expect("the reference can be written");
        return;
    }
    assert!(
        page == fresh,
        "docs/reference/fio.md is stale; run PLIMSOLL_REGENERATE=1 cargo test --release -p fio reference"
    );
}

#[test]
fn each_reason_of_a_difference_stands_in_the_reference() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let pages =
        ["fio.md", "fio-faults.md"].map(|name| std::fs::read_to_string(folder.join(name)).expect(name));
    for reason in fio::documented() {
        assert!(pages.iter().any(|page| page.contains(&format!("| {reason}"))), "{reason}");
    }
}
