//! A table as one list of its columns, from which its SQL statements, writing and reading are derived.

use std::borrow::Cow;

use rusqlite::{CachedStatement, Connection, Result, Row, Statement};

use crate::cell::Kind;
use crate::scan::{Outcome, Query, Scan};

/// A table of `Row`s, each with numbers that identify its owners.
pub(crate) trait Table {
    /// Contents of the columns.
    type Row: Default;
    /// Name of the table.
    const NAME: &'static str;
    /// Columns of numbers before the others.
    const KEYS: &'static [Key];
    /// Columns of the primary key, if the row has no number of its own.
    const UNIQUE: Option<&'static str> = None;

    /// Returns the other columns.
    fn columns() -> Vec<Column>;

    /// Binds the columns of `row`, the first of them as parameter `at`.
    fn bind(row: &Self::Row, statement: &mut Statement<'_>, at: usize) -> Result<()>;

    /// Fills `into` with the columns of `row`, the first of which is column `at`.
    fn fill(into: &mut Self::Row, row: &Row<'_>, at: usize) -> Outcome<()>;
}

/// A column of numbers that identifies the row or its owner.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    /// The number of the row, assigned by SQLite unless it is given. It is the last column of a query.
    Own(&'static str),
    /// The number of the row's owner. It precedes the other columns of a query.
    Of(&'static str),
    /// A number that may be missing and serves only SQL queries.
    Beside(&'static str),
}

/// A column under its SQL name.
pub(crate) struct Column {
    pub name: Cow<'static, str>,
    pub of: &'static str,
    pub nulls: bool,
}

/// Defines a [`Table`] by one list: `Kind: column, column = field;`, in which a column has the name of its field by
/// default.
macro_rules! table {
    (
        $(#[$about:meta])*
        $table:ident, $name:literal of $row:ty $(, $key:ident($number:ident))* $(; unique $unique:literal)?
        { $($kind:ty: $($column:ident $(= $($field:tt).+)?),+;)+ }
    ) => {
        $(#[$about])*
        pub(crate) struct $table;

        impl crate::table::Table for $table {
            type Row = $row;
            const NAME: &'static str = $name;
            const KEYS: &'static [crate::table::Key] = &[$(crate::table::Key::$key(stringify!($number))),*];
            $(const UNIQUE: Option<&'static str> = Some($unique);)?

            fn columns() -> Vec<crate::table::Column> {
                vec![$($(crate::table::Column::of::<$kind>(stringify!($column))),+),+]
            }

            fn bind(
                row: &Self::Row,
                statement: &mut rusqlite::Statement<'_>,
                mut at: usize,
            ) -> rusqlite::Result<()> {
                $($(
                    let value = &crate::table::field!(row.$column $(= $($field).+)?);
                    statement.raw_bind_parameter(at, <$kind as crate::cell::Cell<_>>::put(value))?;
                    at += 1;
                )+)+
                let _ = at;
                Ok(())
            }

            fn fill(
                into: &mut Self::Row,
                row: &rusqlite::Row<'_>,
                mut at: usize,
            ) -> crate::scan::Outcome<()> {
                $($(
                    let value = <$kind as crate::cell::Cell<_>>::take(row, at)?;
                    crate::table::field!(into.$column $(= $($field).+)?) = value;
                    at += 1;
                )+)+
                let _ = at;
                Ok(())
            }
        }
    };
}
pub(crate) use table;

/// Expands to the field of a row that a column holds.
macro_rules! field {
    ($row:ident.$column:ident) => {
        $row.$column
    };
    ($row:ident.$column:ident = $($field:tt).+) => {
        $row.$($field).+
    };
}
pub(crate) use field;

impl Column {
    pub(crate) fn of<K: Kind>(name: &'static str) -> Column {
        Column { name: name.into(), of: K::TYPE, nulls: K::NULLS }
    }
}

impl Key {
    fn name(self) -> &'static str {
        let (Key::Own(name) | Key::Of(name) | Key::Beside(name)) = self;
        name
    }

    /// Returns the name, the type and the constraint of the column.
    fn words(self) -> [&'static str; 3] {
        match self {
            Key::Own(name) => [name, "INTEGER PRIMARY KEY", ""],
            Key::Of(name) => [name, "INTEGER", "NOT NULL"],
            Key::Beside(name) => [name, "INTEGER", ""],
        }
    }
}

/// Returns the names of all columns, in their order.
fn names<T: Table>() -> Vec<Cow<'static, str>> {
    let keys = T::KEYS.iter().map(|key| key.name().into());
    keys.chain(T::columns().into_iter().map(|column| column.name)).collect()
}

/// Returns the statement that creates the table.
pub(crate) fn create<T: Table>() -> String {
    let columns = T::columns();
    let mut all: Vec<[&str; 3]> = T::KEYS.iter().map(|key| key.words()).collect();
    for column in &columns {
        all.push([&column.name, column.of, if column.nulls { "" } else { "NOT NULL" }]);
    }
    let width = |place: usize| {
        let of =
            all.iter().filter(|words| place == 0 || !words[2].is_empty()).map(|words| words[place].len());
        of.max().unwrap_or_default()
    };
    let (name, kind) = (width(0), width(1));
    let line = |words: &[&str; 3]| {
        format!("  {:name$} {:kind$} {}", words[0], words[1], words[2]).trim_end().to_owned()
    };
    let unique = T::UNIQUE.map(|columns| format!("  PRIMARY KEY ({columns})"));
    let lines: Vec<String> = all.iter().map(line).chain(unique).collect();
    format!("CREATE TABLE {} (\n{}\n);\n", T::NAME, lines.join(",\n"))
}

/// Returns the query of every row: [`Key::Of`] first, then the columns.
pub(crate) fn select<T: Table>() -> Query {
    let keys = T::KEYS.iter().filter(|key| !matches!(key, Key::Of(_))).map(|key| key.name());
    let left_out: Vec<&str> = keys.collect();
    Query::of(T::NAME, names::<T>().into_iter().filter(|name| !left_out.contains(&&**name)))
}

/// Returns [`select`], with NULL for those of the columns `later` that a file of an earlier version lacks.
pub(crate) fn select_of_any_version<T: Table>(scan: &Scan<'_>, later: &[&str]) -> Query {
    let lacks = |name: &&str| scan.conn.prepare(&format!("SELECT {name} FROM {} LIMIT 0", T::NAME)).is_err();
    let lacking: Vec<&str> = later.iter().copied().filter(lacks).collect();
    select::<T>().lacking(&lacking)
}

/// Returns the row's own number from a row of [`select`].
pub(crate) fn number<T: Table>(row: &Row<'_>) -> Outcome<i64> {
    Ok(row.get(first::<T>() + T::columns().len())?)
}

/// Returns the contents of the columns of a row of [`select`].
pub(crate) fn taken<T: Table>(row: &Row<'_>) -> Outcome<T::Row> {
    let mut found = T::Row::default();
    fill::<T>(&mut found, row)?;
    Ok(found)
}

/// Fills `into` with the contents of the columns of a row of [`select`].
pub(crate) fn fill<T: Table>(into: &mut T::Row, row: &Row<'_>) -> Outcome<()> {
    T::fill(into, row, first::<T>())
}

/// Returns the index of the first column after the keys.
fn first<T: Table>() -> usize {
    T::KEYS.iter().filter(|key| matches!(key, Key::Of(_))).count()
}

/// Returns every valid row.
pub(crate) fn all<T: Table>(scan: &Scan<'_>) -> Vec<T::Row> {
    scan.all(select::<T>(), taken::<T>)
}

/// Returns the rows of a table that files of earlier versions may lack; none if it does not exist.
pub(crate) fn all_if_there<T: Table>(scan: &Scan<'_>) -> Vec<T::Row> {
    if scan.has(T::NAME) { all::<T>(scan) } else { Vec::new() }
}

/// Inserts rows into a table.
pub(crate) struct Inserts<'c, T> {
    conn: &'c Connection,
    statement: CachedStatement<'c>,
    table: std::marker::PhantomData<T>,
}

impl<'c, T: Table> Inserts<'c, T> {
    pub(crate) fn table(conn: &'c Connection) -> Result<Inserts<'c, T>> {
        Inserts::by(conn, "INSERT")
    }

    /// Returns inserts that replace a row of the same number.
    pub(crate) fn replacing(conn: &'c Connection) -> Result<Inserts<'c, T>> {
        Inserts::by(conn, "INSERT OR REPLACE")
    }

    fn by(conn: &'c Connection, verb: &str) -> Result<Inserts<'c, T>> {
        let names = names::<T>();
        let marks = vec!["?"; names.len()].join(", ");
        let sql = format!("{verb} INTO {} ({}) VALUES ({marks})", T::NAME, names.join(", "));
        Ok(Inserts { conn, statement: conn.prepare_cached(&sql)?, table: std::marker::PhantomData })
    }

    /// Inserts `row` with its keys; returns the number of the new row.
    pub(crate) fn put(&mut self, keys: &[Option<i64>], row: &T::Row) -> Result<i64> {
        for (place, key) in keys.iter().enumerate() {
            self.statement.raw_bind_parameter(1 + place, key)?;
        }
        T::bind(row, &mut self.statement, 1 + T::KEYS.len())?;
        self.statement.raw_execute()?;
        Ok(self.conn.last_insert_rowid())
    }
}

/// Inserts one row into its table; returns its number.
pub(crate) fn put<T: Table>(conn: &Connection, keys: &[Option<i64>], row: &T::Row) -> Result<i64> {
    Inserts::<T>::table(conn)?.put(keys, row)
}

/// Replaces the whole contents of the table, numbered by SQLite.
pub(crate) fn replace<'r, T: Table<Row: 'r>>(
    conn: &Connection,
    rows: impl IntoIterator<Item = &'r T::Row>,
) -> Result<()> {
    clear::<T>(conn)?;
    let mut inserts = Inserts::<T>::table(conn)?;
    let keys = vec![None; T::KEYS.len()];
    rows.into_iter().try_for_each(|row| inserts.put(&keys, row).map(drop))
}

/// Empties the table.
pub(crate) fn clear<T: Table>(conn: &Connection) -> Result<()> {
    conn.execute(&format!("DELETE FROM {}", T::NAME), []).map(drop)
}
