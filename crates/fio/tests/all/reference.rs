//! The compatibility table of the reference is the one that the rows make.

use std::path::PathBuf;

const BEGIN: &str = "<!-- begin: made from the option rows -->\n";
const END: &str = "<!-- end: made from the option rows -->\n";

/// Set `PLIMSOLL_REGENERATE=1` to write the table anew.
#[test]
fn the_reference_is_fresh() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/fio.md");
    let text = std::fs::read_to_string(&path).expect("docs/reference/fio.md is there");
    let (head, rest) = text.split_once(BEGIN).expect("the begin mark is there");
    let (table, tail) = rest.split_once(END).expect("the end mark is there");
    let fresh = fio::table();
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        std::fs::write(&path, format!("{head}{BEGIN}{fresh}{END}{tail}"))
            .expect("the reference can be written");
        return;
    }
    assert!(
        table == fresh,
        "docs/reference/fio.md is stale; run PLIMSOLL_REGENERATE=1 cargo test --release -p fio reference"
    );
}
