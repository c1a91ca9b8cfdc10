//! Run files to start from, and ways to corrupt them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use record::{DeviceFacts, DeviceNode, DiskCounters, Event, EventKind, Run, Sample};
use workload::Nanos;

use super::browser::SCRIPT;
use super::judge::Random;

/// Makes run files of a watched machine, a check of a simulated volume, and an imported recording and result.
pub fn bases(dir: &Path) -> Vec<PathBuf> {
    let watched = runfile::write(runfile::at(&dir.join("watched.plimsoll")), &watched()).unwrap();
    let mut bases = vec![watched];
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/all/fixtures");
    for input in ["iostat/extended.json", "fio-3.33.json"] {
        let out = dir.join(input.replace('/', "-"));
        plimsoll(&["import", fixtures.join(input).to_str().unwrap(), "--out", out.to_str().unwrap()]);
        let made = std::fs::read_dir(&out).unwrap().flatten().map(|entry| entry.path());
        bases.extend(made.filter(|path| path.extension().is_some_and(|end| end == "plimsoll")));
    }
    let out = dir.join("checked");
    std::fs::create_dir(&out).unwrap();
    plimsoll(&["check", "sim:aws-gp3", "--out", out.to_str().unwrap()]);
    let made = std::fs::read_dir(&out).unwrap().flatten().map(|entry| entry.path());
    bases.extend(made.filter(|path| path.extension().is_some_and(|end| end == "plimsoll")));
    assert!(bases.len() >= 4, "{bases:?}");
    bases
}

fn plimsoll(words: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(words).output().unwrap();
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{words:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Returns five minutes of three devices.
fn watched() -> Run {
    let disk = |n: u64, name: &str| {
        let counters = DiskCounters {
            reads: 900 * n,
            sectors_read: 7200 * n,
            read_ms: 90 * n,
            busy_ms: 400 * n,
            ..Default::default()
        };
        (name.into(), counters)
    };
    let sample = |n: u64| Sample {
        at: Nanos::from_secs(n),
        wall_unix_ms: 1_795_000_000_000 + 1000 * n,
        disks: ["sda", "sda1", "dm-0"].map(|name| disk(n, name)).to_vec(),
        ..Sample::default()
    };
    let node = |name: &str, below: &[&str]| {
        let facts = DeviceFacts { name: name.to_owned(), ..DeviceFacts::default() };
        let below = below.iter().map(|name| (*name).to_owned()).collect();
        DeviceNode { facts, below, timed: true, ..DeviceNode::default() }
    };
    Run {
        devices: vec![node("sda", &[]), node("sda1", &["sda"]), node("dm-0", &["sda1"])],
        samples: (0..300).map(sample).collect(),
        events: vec![Event { at: Nanos::from_secs(3), kind: EventKind::Note, text: "a note".to_owned() }],
        complete: true,
        ..Run::started(vec!["plimsoll".to_owned(), "watch".to_owned()], 1_795_000_000_000)
    }
}

/// Flips bits, overwrites bytes, copies pages and cuts off the end; most of the header stays, so that the file is
/// read at all.
pub fn mutated(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..1 + random.below(12) {
        let at = 100 + random.below(bytes.len() - 100);
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => {
                let to = (at + random.below(200)).min(bytes.len());
                bytes[at..to].fill(random.next() as u8);
            }
            3 => {
                let (from, to) = (random.below(bytes.len() / 4096), random.below(bytes.len() / 4096));
                // The first page identifies the file, so it is never overwritten as a whole.
                bytes.copy_within(from * 4096..from * 4096 + 4096, to.max(1) * 4096);
            }
            // The header of a page, with its numbers of cells and pages.
            4 => bytes[at / 4096 * 4096..][..12].iter_mut().for_each(|byte| *byte = random.next() as u8),
            _ if random.below(4) == 0 => bytes.truncate(at.max(4096)),
            _ => bytes[at] = 0xff,
        }
        if bytes.len() < 8192 {
            break;
        }
    }
    bytes
}

/// Changes a run file by SQL.
pub fn change(file: &Path, sql: &str) {
    let mut sqlite = Command::new("sqlite3");
    sqlite.arg("-bail").arg(file).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = sqlite.spawn().unwrap();
    child.stdin.take().unwrap().write_all(sql.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Returns table, column and type of every column; an integer key has the type `KEY`.
fn columns(file: &Path) -> Vec<[String; 3]> {
    let sql = "SELECT m.name, p.name, iif(p.pk > 0 AND p.type = 'INTEGER', 'KEY', p.type)
        FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table'";
    let output = Command::new("sqlite3").args(["-separator", " "]).arg(file).arg(sql).output().unwrap();
    let rows = String::from_utf8(output.stdout).unwrap();
    let row = |line: &str| {
        let mut words = line.split(' ').map(str::to_owned);
        [words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or_default()]
    };
    rows.lines().map(row).collect()
}

/// Values for columns of text and of numbers, as SQL.
const TEXTS: [&str; 9] = [
    "char(27) || '[2J' || char(155) || '31m' || char(8238) || 'x' || char(7)",
    "'\"><img src=x onerror=alert(1)></script><script>document.title=1</script><svg onload=alert(1)>'",
    "replace(hex(zeroblob(40000)), '00', 'ab ')",
    "replace(hex(zeroblob(300000)), '00', 'x')",
    "x'fffe80'",
    "''",
    "'[' || replace(hex(zeroblob(2000)), '00', '[')",
    "char(0, 1, 2, 127, 128, 159, 65534, 65535, 1114111)",
    "'a' || char(10) || char(13) || char(9) || 'b'",
];
const NUMBERS: [&str; 11] = [
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "1e308",
    "-1e308",
    "0",
    "'many'",
    "281474976710656",
    "1152921504606846976",
    "4294967296",
    "random()",
];

/// Fills a few columns with values that plimsoll never writes.
pub fn poison(file: &Path, random: &mut Random) {
    let columns = columns(file);
    let mut sql = String::from("PRAGMA foreign_keys = OFF; BEGIN;\n");
    for _ in 0..1 + random.below(4) {
        let [table, column, kind] = &columns[random.below(columns.len())];
        let value = if kind == "TEXT" { random.one(&TEXTS) } else { random.one(&NUMBERS) };
        // SQLite accepts only integers in a column that is the row's number.
        let value = if kind == "KEY" { format!("CAST({value} AS INTEGER)") } else { (*value).to_owned() };
        let rows = ["", " WHERE rowid % 7 = 3", " WHERE rowid < 4"][random.below(3)];
        sql += &format!("UPDATE OR IGNORE {table} SET {column} = {value}{rows};\n");
    }
    change(file, &(sql + "COMMIT;\n"));
}

/// Puts a script into every text column that holds no document, and into every name of the documents.
pub fn fill_with_scripts(file: &Path) {
    let script = format!(
        "\"><img src=x onerror=\"{SCRIPT}\"></script><script>{SCRIPT}</script><svg onload=\"{SCRIPT}\">"
    );
    let quoted = script.replace('\'', "''");
    let in_json = serde_json::to_string(&script).unwrap().trim_matches('"').replace('\'', "''");
    let mut sql = String::from("BEGIN;\n");
    let skipped = [
        "kind",
        "direction",
        "ending",
        "origin",
        "scope",
        "source",
        "words",
        "lacks",
        "plan",
        "notes",
        "jobs",
        "below",
    ];
    for [table, column, kind] in columns(file) {
        if kind != "TEXT" || skipped.contains(&column.as_str()) || column.ends_with("_counts") {
            continue;
        }
        match column.as_str() {
            "record" | "metrics" | "files" | "json" | "doubts" => {}
            "policy" | "expectation" => {}
            "disk" | "name" if table != "step" => {
                sql += &format!("UPDATE {table} SET {column} = '{quoted}' || rowid;\n");
            }
            _ => sql += &format!("UPDATE {table} SET {column} = '{quoted}';\n"),
        }
    }
    sql += &format!(
        "UPDATE run SET words = '[\"{in_json}\"]';
         UPDATE step SET jobs = '[\"{in_json}\"]', notes = '[\"{in_json}\"]';
         UPDATE reported SET record = json_set(record, '$.job', '{quoted}', '$.asked', json('[[\"rw\",\"{in_json}\"]]'));
         INSERT INTO event VALUES (NULL, 1, 'note', '{quoted}');\nCOMMIT;\n"
    );
    change(file, &sql);
}

/// Schemas that plimsoll never makes, and the message about each.
pub const SCHEMAS: [(&str, &str); 7] = [
    (
        "a view 'step'",
        "DROP TABLE step; CREATE VIEW step AS WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT n AS step, '' AS plan FROM more;",
    ),
    (
        "a view 'event'",
        "DROP TABLE event; CREATE VIEW event AS WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT n AS event, n AS at_ns, 'note' AS kind, 'x' AS text, n AS rowid FROM more;",
    ),
    (
        "a view 'Interval'",
        "DROP TABLE interval; CREATE VIEW Interval AS SELECT 1 AS step;",
    ),
    ("a trigger 'noted'", "CREATE TRIGGER noted AFTER INSERT ON event BEGIN DELETE FROM run; END;"),
    ("a virtual table 'event'", "DROP TABLE event; CREATE VIRTUAL TABLE event USING fts5(at_ns, kind, text);"),
    (
        "a computed column 'event.text'",
        "DROP TABLE event; CREATE TABLE event (event INTEGER PRIMARY KEY, at_ns INTEGER, kind TEXT, text TEXT AS (printf('%.*c', 1000000, 'x')));
         INSERT INTO event (at_ns, kind) VALUES (1, 'note');",
    ),
    (
        "a column 'interval.interval' that does not number its rows",
        "PRAGMA legacy_alter_table = ON; CREATE TABLE other AS SELECT * FROM interval; DROP TABLE interval; ALTER TABLE other RENAME TO interval;",
    ),
];

/// Files that hold more than can be drawn, or seem to.
pub const MUCH: [(&str, &str); 4] = [
    (
        "more than the 4096 that are read",
        "WITH RECURSIVE more(n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM more WHERE n < 65000) INSERT INTO sampled_disk SELECT n, 'd' || n FROM more;
         INSERT INTO disk_counters SELECT NULL, s.sample, d.sampled_disk, NULL, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
           FROM sample_cpu s, sampled_disk d WHERE s.sample IN (299, 300) AND d.sampled_disk > 9;",
    ),
    (
        "a value is longer than any that plimsoll stores there",
        "INSERT INTO event VALUES (NULL, 1, 'note', replace(hex(zeroblob(10000000)), '00', 'xyz '));",
    ),
    (
        "its texts are longer together than the file",
        "PRAGMA legacy_alter_table = ON; CREATE TABLE other (event INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL, kind TEXT NOT NULL);
         WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 20000) INSERT INTO other SELECT n, n, 'note' FROM more;
         DROP TABLE event; ALTER TABLE other RENAME TO event;
         ALTER TABLE event ADD COLUMN text TEXT NOT NULL DEFAULT '%';",
    ),
    (
        "",
        "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 20000) INSERT INTO event SELECT NULL, n, 'note', 'note ' || n FROM more;
         WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 20000) INSERT INTO phase SELECT NULL, 'p' || n, 'idle', NULL, NULL, NULL, n, n + 1 FROM more;",
    ),
];

/// Many tiny rows of each kind that takes much more memory than file: the base to which they are added, their number,
/// and the SQL, in which `%` stands for that number.
pub const SWOLLEN: [(&str, u64, &str); 6] = [
    ("watched", 300_000, "INSERT INTO sample_cpu SELECT NULL, 400000000000 + n, 0,0,0,0,0,0,0,0,0,0,0,0, NULL, NULL FROM more;"),
    (
        "watched",
        100_000,
        "INSERT INTO sample_cpu SELECT NULL, 400000000000 + n, 0,0,0,0,0,0,0,0,0,0,0,0, NULL, NULL FROM more;
         INSERT INTO disk_counters SELECT NULL, sample, 1, 1, 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 FROM sample_cpu WHERE sample > 300;",
    ),
    ("watched", 300_000, "INSERT INTO event SELECT NULL, 0, 'note', '' FROM more;"),
    ("check", 130_000, "INSERT INTO interval SELECT NULL, (SELECT max(step) FROM step), 0, n, n + 1, 1, 'read', 0,0,0,0,0, NULL, 0,0,0,0 FROM more;"),
    ("check", 160_000, "INSERT INTO failure SELECT (SELECT max(step) FROM step), 0, 'read', '', 0, 0, 0 FROM more;"),
    (
        "extended",
        10_000,
        "INSERT INTO observed_interval SELECT NULL, 1000000000000 * n, 1000000000000 * (n + 1) FROM more;
         INSERT INTO observed_series SELECT NULL, 'd' || n, (SELECT metrics FROM observed_series WHERE series = 2) FROM more WHERE n < 1000;",
    ),
];
