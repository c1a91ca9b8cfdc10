//! `plimsoll report --parquet`: its tables hold what the run file holds, as SQLite and another reader of Parquet see it.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;

use crate::machine::*;
use crate::schema::RESULT;

const TABLES: [&str; 11] = [
    "cpu_rates",
    "device_counters",
    "device_rates",
    "findings",
    "histograms",
    "intervals",
    "per_second",
    "reported",
    "reported_points",
    "step_directions",
    "steps",
];

/// Makes a run with `words` and exports it; returns its file.
fn exported(folder: &Folder, words: &[&str]) -> String {
    let done = ended(&mut folder.plimsoll(&[words, &["--out", "@/runs"]].concat()));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let run = run_file(&folder.path("runs"));
    let given = ended(&mut folder.plimsoll(&["report", &run, "--parquet", "@/tables"]));
    assert_eq!(given.code, Some(0), "{}", given.err);
    assert_eq!(given.out.lines().count(), TABLES.len(), "{}", given.out);
    run
}

#[test]
fn of_a_run_that_is_not_there_no_folder_is_made() {
    let folder = Folder::new();
    let given = ended(&mut folder.plimsoll(&["export", "@/none.plimsoll", "--parquet", "@/tables"]));
    assert_eq!(given.code, Some(2), "{}", given.err);
    assert!(!folder.path("tables").exists());
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("tables")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().replace(".parquet", "")).collect();
    names.sort();
    names
}

#[test]
fn tables_of_another_run_take_the_place_of_ours_and_of_nothing_else() {
    let folder = Folder::new();
    let run = exported(&folder, &["run", "five-figures", "sim:aws-gp3"]);
    assert_eq!(names(&folder), TABLES);
    let before = fs::read(folder.path("tables/steps.parquet")).unwrap();
    let again = ended(&mut folder.plimsoll(&["report", &run, "--parquet", "@/tables"]));
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(
        fs::read(folder.path("tables/steps.parquet")).unwrap(),
        before,
        "the same run, the same bytes"
    );
    fs::write(folder.path("tables/findings.parquet"), "PAR1 of somebody else PAR1").unwrap();
    fs::remove_file(folder.path("tables/cpu_rates.parquet")).unwrap();
    let refused = ended(&mut folder.plimsoll(&["report", &run, "--parquet", "@/tables"]));
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    // A path longer than a line is broken, so only the words after it are compared.
    assert!(refused.complained().contains("is there already and no table of plimsoll's"), "{}", refused.err);
    assert!(!folder.path("tables/cpu_rates.parquet").exists(), "nothing is written where one is refused");
}

/// Prints counts and sums of the run file by SQLite, and of the tables by another reader of Parquet.
const SUMS: &str = r"
import sqlite3, sys
run, folder = sys.argv[1], sys.argv[2]
try:
    import duckdb
    def of(table, what):
        return duckdb.sql(f'SELECT {what} FROM read_parquet(\'{folder}/{table}.parquet\')').fetchall()[0]
except ImportError:
    import pyarrow.parquet as parquet
    def of(table, what):
        file = parquet.read_table(f'{folder}/{table}.parquet')
        def one(word):
            if word == 'count(*)': return file.num_rows
            return sum(value or 0 for value in file[word[4:-1]].to_pylist())
        return tuple(one(word) for word in what.split(', '))
sql = sqlite3.connect(f'file:{run}?mode=ro', uri=True)
for table, what, ours in [
    ('steps', 'count(*), sum(started_ns), sum(ended_ns)', 'FROM step'),
    ('step_directions', 'count(*), sum(ops), sum(bytes), sum(errors)', 'FROM step_direction WHERE ops + errors > 0'),
    ('intervals', 'count(*), sum(ops), sum(bytes), sum(errors)', 'FROM interval WHERE ops + errors > 0'),
    ('reported', 'count(*), sum(ops), sum(bytes), sum(iops)', 'FROM reported_direction'),
    ('device_counters', 'count(*), sum(reads), sum(writes), sum(sectors_read), sum(busy_ms)', 'FROM sample_disk'),
]:
    kept = sql.execute(f'SELECT {what} {ours}').fetchall()[0]
    print(table, 'agrees' if tuple(x or 0 for x in kept) == tuple(x or 0 for x in of(table, what)) else f'{kept} {of(table, what)}', kept[0])
counted = sql.execute('SELECT sum(ops) FROM step_direction').fetchone()[0]
print('histograms', 'agrees' if (counted or 0) == (of('histograms', 'sum(count)')[0] or 0) else (counted, of('histograms', 'sum(count)')), counted)
";

/// A profile whose steps have several jobs side by side.
const JOBS: &str = r#"
title = "Several jobs"
size = "1GiB"
time = "3s"

[[step]]
name = "mixed"

[[step.job]]
name = "log"
order = "sequential"
read = 0
block = "16KiB"
flush_every = 8

[[step.job]]
name = "pages"
order = "random"
read = 70
block = "8KiB"
depth = 4
workers = 2

[[step]]
name = "after"

[[step.job]]
order = "random"
read = 100
block = "4KiB"
depth = 16
"#;

#[test]
fn counts_and_sums_are_those_of_the_run_file() {
    let Some(python) =
        python_with("import sqlite3\ntry: import duckdb\nexcept ImportError: import pyarrow.parquet")
    else {
        return skipped(Lack::Tool, "no python3 with duckdb or pyarrow here (pip install duckdb)");
    };
    for words in [
        &["check", "sim:aws-gp3"][..],
        &["run", "@/jobs.toml", "sim:aws-gp3"],
        &["import", "@/fio.txt"],
        &["watch", "--load", "database", "--on", "sim:aws-gp3", "--cycle", "5s"],
    ] {
        let folder = Folder::new();
        fs::write(folder.path("jobs.toml"), JOBS).unwrap();
        fs::write(folder.path("fio.txt"), RESULT).unwrap();
        let run = exported(&folder, words);
        let done = ended(&mut folder.through(python, &["-c", SUMS, &run, "@/tables"]));
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_eq!(done.out.matches("agrees").count(), 6, "{words:?}: {}", done.out);
    }
}
