//! Kinds of columns: what SQL calls them, and how a value becomes one and is taken from one again.

use record::Distribution;
use rusqlite::Row;
use rusqlite::types::{FromSql, ToSqlOutput, Value, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use workload::{Bytes, Direction, Nanos};

use crate::scan::{Fault, Outcome};

/// What SQL says of a column.
pub(crate) trait Kind {
    /// Its type.
    const TYPE: &'static str;
    /// Whether it may be NULL.
    const NULLS: bool = false;
}

/// A column that holds a `T`.
pub(crate) trait Cell<T>: Kind {
    fn put(value: &T) -> ToSqlOutput<'_>;
    fn take(row: &Row<'_>, column: usize) -> Outcome<T>;
}

/// Gives each kind of column its name and its type.
macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident: $of:literal;)+) => {$(
        $(#[$about])*
        pub(crate) struct $name;

        impl Kind for $name {
            const TYPE: &'static str = $of;
        }
    )+};
}

kinds! {
    /// Words as they are.
    Text: "TEXT";
    /// A whole number that SQLite holds as it is.
    Number: "INTEGER";
    /// A number with a fraction.
    Real: "REAL";
    /// A number from 0 on. SQLite's integers are signed; no quantity of a run comes near 2^63, and one that did would come
    /// back unharmed.
    Whole: "INTEGER";
    /// Bytes.
    Size: "INTEGER";
    /// A time on the run's clock.
    Time: "INTEGER";
    /// A number of I/Os.
    Ops: "INTEGER";
    /// A number of bytes that I/Os moved.
    Moved: "INTEGER";
    /// The name of a direction.
    Way: "TEXT";
    /// The snake_case word of a unit variant.
    Word: "TEXT";
    /// Anything, as JSON.
    Json: "TEXT";
    /// A histogram.
    Counts: "BLOB";
}

/// A column that is NULL where there is nothing.
pub(crate) struct Maybe<K>(K);

impl<K: Kind> Kind for Maybe<K> {
    const TYPE: &'static str = K::TYPE;
    const NULLS: bool = true;
}

/// A column that files of earlier versions lack: NULL stands for the least there is.
pub(crate) struct Later<K>(K);

impl<K: Kind> Kind for Later<K> {
    const TYPE: &'static str = K::TYPE;
}

/// The least latency: NULL where there was none, which a tally calls the greatest there is.
pub(crate) struct Least;

impl Kind for Least {
    const TYPE: &'static str = "INTEGER";
    const NULLS: bool = true;
}

impl<T, K: Cell<T>> Cell<Option<T>> for Maybe<K> {
    fn put(value: &Option<T>) -> ToSqlOutput<'_> {
        value.as_ref().map_or(ToSqlOutput::Owned(Value::Null), K::put)
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<Option<T>> {
        match row.get_ref(column)? {
            ValueRef::Null => Ok(None),
            _ => K::take(row, column).map(Some),
        }
    }
}

impl<T: Default, K: Cell<T>> Cell<T> for Later<K> {
    fn put(value: &T) -> ToSqlOutput<'_> {
        K::put(value)
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<T> {
        Maybe::<K>::take(row, column).map(Option::unwrap_or_default)
    }
}

impl Cell<String> for Text {
    fn put(value: &String) -> ToSqlOutput<'_> {
        ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes()))
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<String> {
        Ok(row.get(column)?)
    }
}

impl<T: Copy + Into<Value> + FromSql> Cell<T> for Number {
    fn put(value: &T) -> ToSqlOutput<'_> {
        ToSqlOutput::Owned((*value).into())
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<T> {
        Ok(row.get(column)?)
    }
}

impl Cell<f64> for Real {
    fn put(value: &f64) -> ToSqlOutput<'_> {
        ToSqlOutput::Owned(Value::Real(*value))
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<f64> {
        Ok(row.get(column)?)
    }
}

impl Cell<u64> for Whole {
    fn put(value: &u64) -> ToSqlOutput<'_> {
        ToSqlOutput::Owned(Value::Integer(*value as i64))
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<u64> {
        Ok(row.get::<_, i64>(column)? as u64)
    }
}

impl Cell<Bytes> for Size {
    fn put(value: &Bytes) -> ToSqlOutput<'_> {
        Whole::put(&value.0)
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<Bytes> {
        Whole::take(row, column).map(Bytes)
    }
}

/// Far more than a run lasts or counts: a time that is none is negative, and two of these do not overflow.
const TIME_MOST: u64 = i64::MAX as u64;
const COUNT_MOST: u64 = 1 << 48;

/// A number from 0 to `most`, which is `expected`.
fn bounded(row: &Row<'_>, column: usize, most: u64, expected: &'static str) -> Outcome<u64> {
    let number = Whole::take(row, column)?;
    let refused = || Fault::Word { found: (number as i64).to_string(), expected };
    (number <= most).then_some(number).ok_or_else(refused)
}

impl Cell<Nanos> for Time {
    fn put(value: &Nanos) -> ToSqlOutput<'_> {
        Whole::put(&value.0)
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<Nanos> {
        bounded(row, column, TIME_MOST, "a time in nanoseconds").map(Nanos)
    }
}

impl Cell<u64> for Ops {
    fn put(value: &u64) -> ToSqlOutput<'_> {
        Whole::put(value)
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<u64> {
        bounded(row, column, COUNT_MOST, "a number of I/Os")
    }
}

impl Cell<u64> for Moved {
    fn put(value: &u64) -> ToSqlOutput<'_> {
        Whole::put(value)
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<u64> {
        bounded(row, column, TIME_MOST, "a number of bytes")
    }
}

impl Cell<u64> for Least {
    fn put(value: &u64) -> ToSqlOutput<'_> {
        if *value == u64::MAX { ToSqlOutput::Owned(Value::Null) } else { Whole::put(value) }
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<u64> {
        Maybe::<Whole>::take(row, column).map(|least| least.unwrap_or(u64::MAX))
    }
}

impl Cell<Direction> for Way {
    fn put(value: &Direction) -> ToSqlOutput<'_> {
        value.name().into()
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<Direction> {
        let name = text(row, column)?;
        let found = Direction::ALL.into_iter().find(|direction| direction.name() == name);
        found.ok_or_else(|| Fault::Word { found: name.to_owned(), expected: "read, write, trim or flush" })
    }
}

impl<T: Serialize + DeserializeOwned> Cell<T> for Word {
    fn put(value: &T) -> ToSqlOutput<'_> {
        word(value).into()
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<T> {
        Ok(serde_json::from_value(serde_json::Value::String(row.get(column)?))?)
    }
}

impl<T: Serialize + DeserializeOwned> Cell<T> for Json {
    fn put(value: &T) -> ToSqlOutput<'_> {
        json(value).into()
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<T> {
        Ok(serde_json::from_str(text(row, column)?)?)
    }
}

impl Cell<Distribution> for Counts {
    fn put(value: &Distribution) -> ToSqlOutput<'_> {
        value.encode().into()
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<Distribution> {
        let blob = row.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
        Ok(Distribution::decode(blob.unwrap_or_default())?)
    }
}

/// The text in a column, without a copy.
pub(crate) fn text<'r>(row: &'r Row<'_>, column: usize) -> Outcome<&'r str> {
    Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
}

/// The snake_case word of a unit variant.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("only enums without fields are stored as words: {other:?}"),
    }
}

/// Values whose every text is one, as JSON.
fn json<T: Serialize>(value: &T) -> String {
    match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => unreachable!("strings and numbers always encode: {error}"),
    }
}
