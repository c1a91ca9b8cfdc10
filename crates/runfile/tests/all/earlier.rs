//! Files of earlier versions, in which doubts about the target and notes of the engine were sentences.

use record::{Note, Run, TargetDoubt};
use runfile::{SCHEMA_VERSION, read};
use rusqlite::Connection;

/// The tables of each earlier version, as it made them.
const EARLIER: [(i32, &str); 2] =
    [(1, include_str!("../earlier/version-1.sql")), (2, include_str!("../earlier/version-2.sql"))];

/// Stores and reads a file of `version`; `doubts` is a JSON array of words about its target.
fn stored(version: (i32, &str), doubts: &str) -> Run {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.plimsoll");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(version.1).unwrap();
    let plan = r#"{"name":"depth 4","kind":"depth_ladder","workers":[],"stop":[],"ramp":0,"interval":1000000000,"choices":[]}"#;
    conn.execute_batch(&format!(
        "PRAGMA application_id = 1349282157; PRAGMA user_version = {};
         INSERT INTO run VALUES ('0.3.0', '[\"plimsoll\"]', 7, 'measured', NULL, '[]', NULL, NULL, 1);
         INSERT INTO step VALUES (1, 'depth 4', 'depth_ladder', '{plan}', '[]', 0, 0, 1000, 'certain', '[\"io_uring: registered buffers\"]');",
        version.0
    ))
    .unwrap();
    conn.execute(
        "INSERT INTO target VALUES ('/data', 'directory', 'ext4', '/data', 4096, 512, ?, 0, NULL, NULL)",
        [doubts],
    )
    .unwrap();
    drop(conn);
    read(&path).unwrap()
}

#[test]
fn every_earlier_version_has_its_tables_here() {
    assert_eq!(EARLIER.map(|(version, _)| version).to_vec(), (1..SCHEMA_VERSION).collect::<Vec<_>>());
}

#[test]
fn a_doubt_in_words_becomes_what_it_was_made_from() {
    let device = |name: &str| name.to_owned();
    let nfs = |source: &str| TargetDoubt::NetworkFilesystem {
        filesystem: "nfs4".to_owned(),
        source: source.to_owned(),
    };
    let behind = "the network and the server are measured with it, and no device of this machine shows it";
    for (words, doubt) in [
        (
            "nullb0 stores nothing: reads come back empty".to_owned(),
            TargetDoubt::StoresNothing { device: device("nullb0") },
        ),
        ("ram0 is memory, not a volume".to_owned(), TargetDoubt::MemoryDevice { device: device("ram0") }),
        (
            format!("nfs4 is a network file system (from nas:/export/memory): {behind}"),
            nfs("nas:/export/memory"),
        ),
        (format!("nfs4 is a network file system (from nas:/export/vol1): {behind}"), nfs("nas:/export/vol1")),
        (
            "the file system knows no direct I/O, so the page cache takes part".to_owned(),
            TargetDoubt::NoDirectIo,
        ),
    ] {
        for version in EARLIER {
            let run = stored(version, &serde_json::json!([words]).to_string());
            assert_eq!(
                run.target.unwrap().doubts,
                std::slice::from_ref(&doubt),
                "version {}: {words}",
                version.0
            );
        }
    }
}

#[test]
fn words_that_nobody_knows_any_more_stay_words() {
    for version in EARLIER {
        let run = stored(version, r#"["it holds no data but memory", "somewhat slow"]"#);
        let other = |words: &str| TargetDoubt::Other { words: words.to_owned() };
        assert_eq!(
            run.target.unwrap().doubts,
            [other("it holds no data but memory"), other("somewhat slow")]
        );
        let words = "io_uring: registered buffers".to_owned();
        assert_eq!(run.steps[0].notes, [Note::Other { words }]);
    }
}

#[test]
fn a_file_of_this_version_from_before_a_column_was_added_reads_as_if_nothing_had_been_there() {
    let dir = tempfile::tempdir().unwrap();
    let run = crate::runs::plain();
    let path = runfile::write(runfile::at(&dir.path().join("r.plimsoll")), &run).unwrap();
    let conn = Connection::open(&path).unwrap();
    let set = conn.execute("UPDATE interval SET waited_ns = 5", []).unwrap();
    assert!(set > 0, "the column is there");
    assert!(read(&path).unwrap().steps[0].intervals.iter().all(|interval| interval.waited.0 == 5));
    conn.execute("ALTER TABLE interval DROP COLUMN waited_ns", []).unwrap();
    drop(conn);
    assert_eq!(read(&path).unwrap(), run);
}
