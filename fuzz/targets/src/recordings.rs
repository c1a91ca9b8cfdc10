//! What other tools printed and run files, and everything that is made of them.

use std::path::Path;
use std::sync::OnceLock;

use analysis::{Analysis, analyse};
use import::{Input, read, together};
use record::Run;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

/// The words of the import.
const WORDS: &[String] = &[];

fn imported(bytes: &[u8], use_of: impl Fn(&Run)) {
    // Logs of fio are known by their name.
    for name in ["input.txt", "a_bw.1.log"] {
        match read(Input { name, bytes }, WORDS) {
            Ok(import) => {
                import.troubles.iter().for_each(|trouble| drop(trouble.to_string()));
                import.runs.iter().for_each(&use_of);
                let _ = together(vec![
                    ("a.json".to_owned(), import.runs.clone()),
                    (name.to_owned(), import.runs),
                ]);
            }
            Err(error) => drop(error.to_string()),
        }
    }
}

/// Every form of every tool, and the table of what was read.
pub fn import(bytes: &[u8]) {
    imported(bytes, |run| drop(report::imported(run)));
}

/// The same, and its page.
pub fn import_page(bytes: &[u8]) {
    imported(bytes, |run| drop(report::html(run, &analyse(run, None, None))));
}

/// The same, and its CSV, series, JSON and terminal report.
pub fn series(bytes: &[u8]) {
    imported(bytes, |run| {
        let analysis = analyse(run, None, None);
        let _ = report::json(run, &analysis);
        figures(run, &analysis);
    });
}

fn figures(run: &Run, analysis: &Analysis) {
    let _ = report::terminal(run, analysis, report::Paint::Plain, report::Extent::All);
    let _ = report::csv_tables(run, analysis);
    let names = report::series_names(run);
    let _ = (report::series_csv(run, &names), report::series_json(run, &names));
}

/// The bytes as a run file.
pub fn run_file(bytes: &[u8]) {
    in_folder(|folder| {
        let path = folder.join("r.plimsoll");
        let written = std::fs::write(&path, bytes);
        assert!(written.is_ok(), "{}: {written:?}", path.display());
        reported(&path);
    });
}

/// In memory where there is such a place, since millions of files are made.
fn in_folder(work: impl Fn(&Path)) {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    match tempfile::Builder::new().prefix("plimsoll-fuzz-").tempdir_in(place) {
        Ok(folder) => work(folder.path()),
        Err(error) => panic!("no folder for a run file: {error}"),
    }
}

fn reported(path: &Path) {
    match runfile::read_what_can_be(path) {
        Ok((run, troubles)) => {
            troubles.iter().for_each(|trouble| drop(trouble.to_string()));
            let analysis = analyse(&run, None, None);
            let _ = report::html(&run, &analysis);
            let _ = report::json(&run, &analysis);
            figures(&run, &analysis);
        }
        Err(error) => drop(error.to_string()),
    }
}

/// A whole run file in which values of single columns are others. The first byte chooses the file; then four bytes choose
/// the column, the rows and the kind of value, and the value stands behind.
pub fn run_values(bytes: &[u8]) {
    let Some((&which, changes)) = bytes.split_first() else { return };
    let whole = &whole()[usize::from(which) % WHOLE.len()];
    in_folder(|folder| {
        let path = folder.join("r.plimsoll");
        let written = std::fs::write(&path, &whole.bytes);
        assert!(written.is_ok(), "{}: {written:?}", path.display());
        if let Ok(conn) = Connection::open(&path) {
            let _ = conn.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN");
            let mut rest = changes;
            while change(&conn, &whole.columns, &mut rest).is_some() {}
            let _ = conn.execute_batch("COMMIT");
        }
        reported(&path);
    });
}

/// Whole run files in the corpus: of a check, a watch, what iostat printed, what fio printed.
const WHOLE: [&str; 4] = ["whole", "watch", "iostat", "fio"];

/// A run file as it is made, and its columns by table.
struct Whole {
    bytes: Vec<u8>,
    columns: Vec<(String, String)>,
}

fn whole() -> &'static [Whole] {
    static READ: OnceLock<Vec<Whole>> = OnceLock::new();
    READ.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/run_file");
        let one = |name: &str| {
            let path = folder.join(name);
            let bytes = std::fs::read(&path).unwrap_or_default();
            let columns = columns(&path).unwrap_or_default();
            assert!(columns.len() > 5, "{} is no whole run file", path.display());
            Whole { bytes, columns }
        };
        WHOLE.map(one).into()
    })
}

/// The columns of all tables that have rows.
fn columns(path: &Path) -> rusqlite::Result<Vec<(String, String)>> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let all =
        "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'";
    let mut statement = conn.prepare(all)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let columns: rusqlite::Result<Vec<(String, String)>> = rows.collect();
    let has_rows = |table: &str| {
        conn.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |row| row.get::<_, i64>(0))
            .is_ok_and(|count| count > 0)
    };
    Ok(columns?.into_iter().filter(|(table, _)| has_rows(table)).collect())
}

/// Takes one change off the front of `rest` and makes it; a constraint of the table may refuse it. `None` at the end.
fn change(conn: &Connection, columns: &[(String, String)], rest: &mut &[u8]) -> Option<()> {
    let (&[which, part, row, kind], behind) = rest.split_first_chunk::<4>()?;
    let (table, column) = &columns[usize::from(u16::from_be_bytes([which, part])) % columns.len()];
    let take = behind.len().min(match kind % 4 {
        0 | 1 => 8,
        _ => usize::from(kind / 4),
    });
    let (value, behind) = behind.split_at(take);
    *rest = behind;
    let mut eight = [0; 8];
    eight[..take.min(8)].copy_from_slice(&value[..take.min(8)]);
    let value = match kind % 4 {
        0 => Value::Integer(i64::from_le_bytes(eight)),
        1 => Value::Real(f64::from_le_bytes(eight)),
        2 => Value::Text(String::from_utf8_lossy(value).into_owned()),
        _ if take == 0 => Value::Null,
        _ => Value::Blob(value.to_vec()),
    };
    let words = format!("UPDATE \"{table}\" SET \"{column}\" = ?1 WHERE rowid % ?2 = 0");
    let _ = conn.execute(&words, (value, i64::from(row % 8) + 1));
    Some(())
}
