//! The page about the run file tells the truth: every column is described, and every query works in every installed tool.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::path::{Path, PathBuf};
use std::process::Command;

use record::Distribution;
use runfile::{APPLICATION_ID, SCHEMA_VERSION, write};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use testbed::{Lack, skipped};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/run-file.md");
    std::fs::read_to_string(path).unwrap()
}

/// Returns the code blocks of one language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Stores a file with a little of everything.
fn stored(dir: &Path) -> PathBuf {
    write(runfile::at(&dir.join("r.plimsoll")), &crate::runs::plain()).unwrap()
}

/// Returns the first cells of the table under the heading of `name`.
fn described(page: &str, name: &str) -> Vec<String> {
    let section = page.split(&format!("### `{name}`\n")).nth(1).unwrap_or_default();
    let section = section.split("\n#").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `"));
    cells.map(|rest| rest.split('`').next().unwrap().to_owned()).collect()
}

#[test]
fn every_column_of_every_table_and_view_is_described_in_its_order() {
    let dir = tempfile::tempdir().unwrap();
    let conn = Connection::open(stored(dir.path())).unwrap();
    let page = page();
    let mut tables = conn.prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(tables.len() >= 19);
    for table in &tables {
        let mut columns = conn.prepare("SELECT name FROM pragma_table_info(?)").unwrap();
        let columns: Vec<String> =
            columns.query_map([table], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(described(&page, table), columns, "docs/reference/run-file.md, section `{table}`");
    }
    assert_eq!(page.matches("### `").count(), tables.len(), "the page describes a table that does not exist");
}

#[test]
fn the_page_names_the_identity_of_the_file() {
    let page = page();
    assert!(page.contains(&format!("`PRAGMA application_id` is {APPLICATION_ID} ")));
    assert!(page.contains(&format!("describes version {SCHEMA_VERSION}.")));
}

/// Returns the rows of a query, one a line, with `|` between columns, as the sqlite3 tool prints them.
fn rows_here(path: &Path, query: &str) -> String {
    let conn = Connection::open(path).unwrap();
    let mut statement = conn.prepare(query).unwrap();
    let columns = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let mut lines = String::new();
    while let Some(row) = rows.next().unwrap() {
        let cells: Vec<String> = (0..columns).map(|column| cell(row.get_ref(column).unwrap())).collect();
        lines.push_str(&cells.join("|"));
        lines.push('\n');
    }
    lines
}

fn cell(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(whole) => whole.to_string(),
        ValueRef::Real(real) => format!("{real:?}"),
        ValueRef::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
        ValueRef::Blob(_) => "blob".to_owned(),
    }
}

/// Returns what a tool prints, or `None` if it is not installed.
fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {complaint}");
    Some(String::from_utf8(output.stdout).unwrap())
}

const THROUGH_PYTHON: &str = "
import sqlite3, sys
run = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True)
for row in run.execute(sys.argv[2]):
    print('|'.join('' if cell is None else str(cell) for cell in row))
";

const THROUGH_PANDAS: &str = "
import sqlite3, sys
try:
    import pandas
except ImportError:
    print('no pandas')
    sys.exit()
run = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True)
print(len(pandas.read_sql_query(sys.argv[2], run)))
";

/// Returns the distribution's own python, which has its pandas, if it exists.
fn python() -> &'static str {
    let own = "/usr/bin/python3";
    if Path::new(own).exists() { own } else { "python3" }
}

#[test]
fn the_five_queries_give_the_same_rows_in_every_tool() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path());
    let name = path.to_str().unwrap();
    let queries = blocks(&page(), "sql");
    assert_eq!(queries.len(), 5);
    for query in &queries {
        let rows = rows_here(&path, query);
        assert!(!rows.is_empty(), "no rows: {query}");
        match printed("sqlite3", &["-readonly", name, query]) {
            Some(out) => assert_eq!(out, rows, "sqlite3: {query}"),
            None => skipped(Lack::Tool, "the sqlite3 tool is not installed"),
        }
        match printed(python(), &["-c", THROUGH_PYTHON, name, query]) {
            Some(out) => assert_eq!(out, rows, "python3: {query}"),
            None => skipped(Lack::Tool, "python3 is not installed"),
        }
        match printed(python(), &["-c", THROUGH_PANDAS, name, query]).as_deref().map(str::trim) {
            Some("no pandas") | None => skipped(Lack::Tool, "pandas is not installed"),
            Some(count) => assert_eq!(count, rows.lines().count().to_string(), "pandas: {query}"),
        }
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "a tool left something behind");
}

#[test]
fn the_queries_say_what_the_run_says() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path());
    let queries = blocks(&page(), "sql");
    // 9,000 reads of 4 KiB in the four seconds after the ramp, 1 ms each; the third second stands still.
    assert_eq!(rows_here(&path, &queries[0]), "depth 4|read|2250.0|8.79|1.0|1.0\n");
    assert_eq!(rows_here(&path, &queries[1]), "depth 4|2.0|1.0|0\n");
    assert_eq!(rows_here(&path, &queries[2]), "4|2250.0|1.0\n");
    // The kernel's side is invented: 3,000 reads a second that take 1 ms, so a queue of three.
    assert_eq!(rows_here(&path, &queries[3]), "vdb|5|3000.0|11.72|3.0\n");
    assert!(rows_here(&path, &queries[4]).starts_with("1.0|25.0|0.0\n"));
}

#[test]
fn histograms_decode_in_python_as_they_do_here() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = crate::runs::plain();
    let spread: Vec<u64> = (0..40).map(|bit| (1u64 << bit) + bit * 3).collect();
    run.steps[0].intervals[1].directions[1] = crate::runs::recorded(512, &spread);
    run.steps[0].workers[0].directions[1].service =
        crate::runs::recorded(512, &[0, 511, 512, 1023, 1024]).latency;
    let path = write(runfile::at(&dir.path().join("r.plimsoll")), &run).unwrap();

    let conn = Connection::open(&path).unwrap();
    let mut statement = conn.prepare("SELECT counts FROM histogram").unwrap();
    let blobs = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    let expected: String = blobs
        .map(|blob| {
            let histogram = Distribution::decode(&blob.unwrap()).unwrap();
            let buckets: Vec<_> = histogram.buckets().collect();
            format!("({}, {}, {buckets:?})\n", histogram.ns_min().unwrap(), histogram.ns_max().unwrap())
        })
        .collect();
    assert!(expected.lines().count() >= 6);

    let decode = &blocks(&page(), "python")[0];
    let program = format!(
        "{decode}\nimport sqlite3, sys\nrun = sqlite3.connect(sys.argv[1])\n\
         for (blob,) in run.execute('SELECT counts FROM histogram'):\n    print(decode(blob))\n"
    );
    let Some(out) = printed(python(), &["-c", &program, path.to_str().unwrap()]) else {
        skipped(Lack::Tool, "python3 is not installed");
        return;
    };
    assert_eq!(out, expected);

    // The page's percentile, with its own connection and decoder.
    let percentile = blocks(&page(), "py").into_iter().find(|block| block.contains("rank")).unwrap();
    let program = format!("{decode}\nimport sqlite3, sys\nrun = sqlite3.connect(sys.argv[1])\n{percentile}");
    let out = printed(python(), &["-c", &program, path.to_str().unwrap()]).unwrap();
    assert!((out.trim().parse::<f64>().unwrap() / 1e6 - 1.0).abs() < 0.001, "{out}");
}
