//! The page of the gate's last full run: one table for each family, between markers.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

use crate::ceilings::families;

static TURN: Mutex<()> = Mutex::new(());

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/truth.md")
}

fn marks(family: &str) -> (String, String) {
    (format!("<!-- {family}:begin -->\n"), format!("<!-- {family}:end -->\n"))
}

/// Writes the table of a family to the page, if asked to.
pub fn keep(family: &str, table: &str) {
    let on_page = families().any(|known| known == family);
    if !on_page || std::env::var_os("PLIMSOLL_REGENERATE").is_none() {
        return;
    }
    let _turn = TURN.lock().unwrap();
    let page = fs::read_to_string(path()).unwrap();
    let (begin, end) = marks(family);
    let (before, rest) = page.split_once(&begin).unwrap();
    let (_, after) = rest.split_once(&end).unwrap();
    fs::write(path(), format!("{before}{begin}{table}{end}{after}")).unwrap();
}

/// The page has the table of every family of the gate, filled by a full run, and no other.
#[test]
fn the_page_has_the_table_of_every_family() {
    let page = fs::read_to_string(path()).unwrap();
    for family in families() {
        let (begin, end) = marks(family);
        let table = page.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end)).unwrap().0;
        assert!(table.lines().count() > 2, "the table of {family} is empty: run the whole gate");
        assert!(table.starts_with("| quantity | right |"), "{family}: {table}");
    }
    assert_eq!(page.matches(":begin -->").count(), families().count());
}
