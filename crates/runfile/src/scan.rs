//! Reads the rows of a table, skips invalid rows and unreadable pages, and keeps account of the losses.

use std::cell::{Cell, RefCell};

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, Row};

/// Longest value of a table, in bytes. SQLite stops before it copies a longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Longest {
    /// Numbers only: no value is longer than a name.
    Number = 4 << 10,
    /// Names, words, sentences.
    Text = 1 << 20,
    /// A plan, a part of an imported result, or a histogram.
    Document = 64 << 20,
}

/// Most damaged places of a table; after them, the rest of the table is given up.
const PLACES_MOST: u32 = 1000;

/// Reasons why a row is invalid.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error(transparent)]
    Sqlite(rusqlite::Error),
    #[error("a value is longer than any that plimsoll stores there")]
    TooLong,
    #[error("reading it takes more steps than a file of this length can need; the rest is left out")]
    Endless,
    #[error("its texts are longer together than the file; the rest is left out")]
    Multiplied,
    #[error("it holds more than a file of this length can need memory for; the rest is left out")]
    TooHeavy,
    #[error("{left_out} of {of} samples were left out, for which a file of this length is worth no memory")]
    Thinned { left_out: u64, of: u64 },
    #[error("there are {found} {of}, more than the {most} that are read; the rest is left out")]
    TooMany { found: usize, of: &'static str, most: usize },
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Histogram(#[from] record::DistributionError),
    #[error("it holds '{found}' where {expected} was expected")]
    Word { found: String, expected: &'static str },
    #[error("it has no row where one was expected")]
    Empty,
    #[error("it belongs to {owner} {number}, which does not exist")]
    Orphan { owner: &'static str, number: i64 },
    #[error("its number does not follow on the one before")]
    Disorder,
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        match error.sqlite_error_code() {
            Some(ErrorCode::TooBig) => Fault::TooLong,
            Some(ErrorCode::OperationInterrupted) => Fault::Endless,
            _ => Fault::Sqlite(error),
        }
    }
}

pub(crate) type Outcome<T> = Result<T, Fault>;

/// Losses in one table.
#[derive(Debug)]
pub(crate) struct Loss {
    /// The table.
    pub table: &'static str,
    /// Place of the first loss: the lost row itself, or the last row before the unreadable ones.
    pub place: Place,
    /// The first fault.
    pub fault: Fault,
    /// Number of faults after the first.
    pub more: u64,
}

/// Place of a loss within a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The table as a whole.
    Table,
    /// This row.
    Row(i64),
    /// Everything after this row, up to the next readable one.
    Behind(i64),
}

/// Rows to read, in the order of their number.
#[derive(Clone)]
pub(crate) struct Query {
    table: &'static str,
    columns: Vec<String>,
    /// Join clause of the query; empty if there is none.
    joined: &'static str,
    /// Lower bound of row numbers, exclusive.
    after: i64,
    /// Upper bound of row numbers, inclusive.
    upto: i64,
    longest: Longest,
}

impl Query {
    pub(crate) fn of<C: ToString>(table: &'static str, columns: impl IntoIterator<Item = C>) -> Query {
        let columns = columns.into_iter().map(|column| column.to_string()).collect();
        Query { table, columns, joined: "", after: i64::MIN, upto: i64::MAX, longest: Longest::Text }
    }

    /// Limits values to the length of numbers.
    pub(crate) fn numbers(self) -> Query {
        Query { longest: Longest::Number, ..self }
    }

    /// Allows values as long as whole documents.
    pub(crate) fn documents(self) -> Query {
        Query { longest: Longest::Document, ..self }
    }

    /// Adds a column of a joined table after the table's own columns; NULL if that table has no row with the same
    /// number.
    pub(crate) fn joined(mut self, joined: &'static str, column: &str) -> Query {
        self.columns.push(column.to_owned());
        Query { joined, ..self }
    }

    /// Reads NULL for these columns, which the table does not have.
    pub(crate) fn lacking(mut self, names: &[&str]) -> Query {
        let missing = self.columns.iter_mut().filter(|column| names.contains(&column.as_str()));
        missing.for_each(|column| "NULL".clone_into(column));
        self
    }

    pub(crate) fn between(&self, after: i64, upto: i64) -> Query {
        Query { after, upto, ..self.clone() }
    }

    /// Returns the SQL. The row number is the last column, so that the others keep their positions.
    fn sql(&self) -> String {
        let Query { table, columns, joined, .. } = self;
        let columns: String = columns.iter().map(|column| format!("{column}, ")).collect();
        format!(
            "SELECT {columns}{table}.rowid FROM {table} {joined} WHERE {table}.rowid > ?1 AND {table}.rowid <= ?2
             ORDER BY {table}.rowid"
        )
    }
}

/// The open file, with its losses and its limits.
pub(crate) struct Scan<'c> {
    pub conn: &'c Connection,
    losses: RefCell<Vec<Loss>>,
    /// Bytes of text that the file may still yield.
    text: Cell<u64>,
    /// Bytes of memory that the file's contents may still take.
    memory: Cell<u64>,
}

/// Bytes derived from a row in addition to the row itself: a line of a page, its place in a chart.
const MADE_OF_A_ROW: u64 = 400;

/// Bytes derived from a byte of text. Parts of an imported result take this many in their report, and no other text
/// takes more; an import of two thousand jobs still fits. A histogram takes no more memory than its stored form.
const MADE_OF_A_BYTE: u64 = 7;

impl<'c> Scan<'c> {
    /// Returns a scan of a file that may yield `text` bytes of text and take `memory` bytes of memory.
    pub(crate) fn of(conn: &'c Connection, (text, memory): (u64, u64)) -> Scan<'c> {
        Scan { conn, losses: RefCell::default(), text: Cell::new(text), memory: Cell::new(memory) }
    }

    /// Returns the losses, in the order in which they were noticed.
    pub(crate) fn losses(self) -> Vec<Loss> {
        self.losses.into_inner()
    }

    pub(crate) fn take_over(&self, losses: Vec<Loss>) {
        self.losses.borrow_mut().extend(losses);
    }

    /// Records a fault; of each table, the first fault is kept and the others are counted.
    pub(crate) fn note(&self, table: &'static str, place: Place, fault: Fault) {
        let mut losses = self.losses.borrow_mut();
        match losses.iter_mut().find(|loss| loss.table == table) {
            Some(loss) => loss.more += 1,
            None => losses.push(Loss { table, place, fault, more: 0 }),
        }
    }

    /// Whether the file has a table, not a view, of this name; files of earlier versions lack some.
    pub(crate) fn has(&self, table: &'static str) -> bool {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?";
        match self.conn.query_row(sql, [table], |row| row.get::<_, i64>(0)) {
            Ok(count) => count > 0,
            Err(error) => {
                self.note(table, Place::Table, error.into());
                false
            }
        }
    }

    /// Returns every valid row of `query`, as read by `read`.
    pub(crate) fn all<T>(&self, query: Query, mut read: impl FnMut(&Row<'_>) -> Outcome<T>) -> Vec<T> {
        let mut found = Vec::new();
        self.each(query, |row| {
            self.weighs(row_of::<T>())?;
            found.push(read(row)?);
            Ok(())
        });
        found
    }

    /// Takes `bytes` from the memory left for the file's contents: rows of one byte each become values of hundreds.
    pub(crate) fn weighs(&self, bytes: u64) -> Outcome<()> {
        self.memory.set(self.memory.get().checked_sub(bytes).ok_or(Fault::TooHeavy)?);
        Ok(())
    }

    /// Returns the remaining bytes of memory.
    pub(crate) fn memory_left(&self) -> u64 {
        self.memory.get()
    }

    /// Passes every row of `query` to `read`. Rows that `read` rejects are recorded as faults and skipped, and so
    /// are rows on a page that SQLite cannot read.
    pub(crate) fn each(&self, query: Query, mut read: impl FnMut(&Row<'_>) -> Outcome<()>) {
        let mut after = query.after;
        for _ in 0..PLACES_MOST {
            let Err(fault) = self.go_over(&query, &mut after, &mut read) else { return };
            let damage = is_damage(&fault);
            let place = if after == query.after { Place::Table } else { Place::Behind(after) };
            self.note(query.table, place, fault);
            match self.readable_behind(&query, after) {
                Some(next) if damage => after = next,
                _ => return,
            }
        }
    }

    /// Continues from `after` to the end, or until SQLite fails; `after` is then the last row read.
    fn go_over(
        &self,
        query: &Query,
        after: &mut i64,
        read: &mut impl FnMut(&Row<'_>) -> Outcome<()>,
    ) -> Outcome<()> {
        self.conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, Longest::Document as i32)?;
        let mut statement = self.conn.prepare(&query.sql())?;
        // Set only now, because the statement of a table may be longer than its values.
        self.conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, query.longest as i32)?;
        let number = statement.column_count() - 1;
        let mut rows = statement.query([*after, query.upto])?;
        while let Some(row) = rows.next()? {
            let this: i64 = row.get(number)?;
            if query.longest != Longest::Number {
                self.take_words(row, number)?;
            }
            // A damaged page may lead back to rows that have already been read.
            let outcome = if this > *after { read(row) } else { Err(Fault::Disorder) };
            *after = this.max(*after);
            match outcome {
                Ok(()) => {}
                Err(fault @ Fault::TooHeavy) => return Err(fault),
                Err(fault) => self.note(query.table, Place::Row(this), fault),
            }
        }
        Ok(())
    }

    /// Takes the contents of `row` from the text that the file may still yield: many rows that share one page, or
    /// one value that replaces all missing ones, could make gigabytes of a small file.
    fn take_words(&self, row: &Row<'_>, columns: usize) -> Outcome<()> {
        let (mut text, mut blobs) = (0, 0);
        for column in 0..columns {
            match row.get_ref(column) {
                Ok(ValueRef::Text(bytes)) => text += bytes.len() as u64,
                Ok(ValueRef::Blob(bytes)) => blobs += bytes.len() as u64,
                _ => {}
            }
        }
        self.text.set(self.text.get().checked_sub(text + blobs).ok_or(Fault::Multiplied)?);
        self.weighs(MADE_OF_A_BYTE * text + blobs)
    }

    /// Returns the bytes of text that the file may still yield.
    pub(crate) fn text_left(&self) -> u64 {
        self.text.get()
    }

    /// Returns the least number above `after` from which rows can be read again, found by doubling and then
    /// halving. `None` if everything after `after` is lost, or if the table cannot be read at all.
    fn readable_behind(&self, query: &Query, after: i64) -> Option<i64> {
        let sql = format!("SELECT rowid FROM {} WHERE rowid > ? ORDER BY rowid LIMIT 1", query.table);
        let readable = |from: i64| {
            let found = self.conn.query_row(&sql, [from], |row| row.get::<_, i64>(0));
            matches!(found, Ok(row) if row > from)
                || matches!(found, Err(rusqlite::Error::QueryReturnedNoRows))
        };
        let from = after.max(0);
        let reach = (0..40).map(|power| 1i64 << power).find(|step| readable(from.saturating_add(*step)))?;
        let (mut lost, mut good) = (reach / 2, reach);
        while good - lost > 1 {
            let middle = lost + (good - lost) / 2;
            if readable(from + middle) { good = middle } else { lost = middle }
        }
        Some(from + good).filter(|next| *next < query.upto)
    }
}

/// Returns the memory taken by a row that becomes a `T`, in bytes: twice its size, because a growing list is in
/// memory twice.
pub(crate) const fn row_of<T>() -> u64 {
    2 * size_of::<T>() as u64 + MADE_OF_A_ROW
}

/// Whether rows after the fault may be sound.
fn is_damage(fault: &Fault) -> bool {
    let codes = [ErrorCode::DatabaseCorrupt, ErrorCode::SystemIoFailure, ErrorCode::NotADatabase];
    match fault {
        Fault::TooLong => true,
        Fault::Sqlite(error) => error.sqlite_error_code().is_some_and(|code| codes.contains(&code)),
        _ => false,
    }
}
