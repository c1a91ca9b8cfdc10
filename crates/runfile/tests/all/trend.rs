//! The verdict of a trend is added to a finished file, and nothing else changes.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::{Path, PathBuf};

use runfile::{StoredTrend, read, store_trend, write};
use rusqlite::Connection;

fn verdict(words: &str) -> StoredTrend {
    StoredTrend {
        judged_unix_ms: 1_700_000_000_000,
        question: "Is it worse?".into(),
        verdict: words.into(),
        json: "{}".into(),
    }
}

fn stored(folder: &Path) -> PathBuf {
    write(runfile::at(&folder.join("r.plimsoll")), &crate::runs::plain()).unwrap()
}

fn verdicts(path: &Path) -> Vec<String> {
    let conn = Connection::open(path).unwrap();
    let mut rows = conn.prepare("SELECT question || ' ' || verdict FROM trend").unwrap();
    rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn the_last_verdict_stands_in_the_file_and_the_run_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = stored(folder.path());
    store_trend(&path, &verdict("NOT WORSE")).unwrap();
    store_trend(&path, &verdict("WORSE")).unwrap();
    assert_eq!(verdicts(&path), ["Is it worse? WORSE"]);
    assert_eq!(read(&path).unwrap(), crate::runs::plain());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the file");
}

#[test]
fn a_file_of_an_earlier_version_is_given_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = stored(folder.path());
    Connection::open(&path).unwrap().execute_batch("DROP TABLE trend").unwrap();
    store_trend(&path, &verdict("WORSE")).unwrap();
    assert_eq!(verdicts(&path), ["Is it worse? WORSE"]);
    assert_eq!(read(&path).unwrap(), crate::runs::plain());
}

#[test]
fn nothing_is_written_into_what_plimsoll_did_not_make() {
    let folder = tempfile::tempdir().unwrap();
    let trapped = stored(folder.path());
    let trigger = "CREATE TRIGGER t AFTER INSERT ON trend BEGIN DELETE FROM step; END";
    Connection::open(&trapped).unwrap().execute_batch(trigger).unwrap();
    let foreign = folder.path().join("other.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    let link = folder.path().join("link.plimsoll");
    std::os::unix::fs::symlink(&trapped, &link).unwrap();
    for path in [&trapped, &foreign, &link, &folder.path().join("missing.plimsoll")] {
        let before = std::fs::read(path).ok();
        let refused = store_trend(path, &verdict("WORSE")).unwrap_err().to_string();
        assert!(refused.contains("--no-store"), "{refused}");
        assert_eq!(std::fs::read(path).ok(), before, "{}", path.display());
    }
}

#[test]
fn a_newer_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = stored(folder.path());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(store_trend(&path, &verdict("WORSE")).unwrap_err().to_string().contains("version 99"));
}
