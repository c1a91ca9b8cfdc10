//! Kinds of columns: their types in SQL, and how a value is stored in one and read back.

use record::{Distribution, Note, TargetDoubt};
use rusqlite::Row;
use rusqlite::types::{FromSql, ToSqlOutput, Value, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use workload::{Bytes, Direction, Nanos};

use crate::earlier;
use crate::scan::{Fault, Outcome};

/// SQL declaration of a column.
pub(crate) trait Kind {
    /// SQL type of the column.
    const TYPE: &'static str;
    /// Whether the column may be NULL.
    const NULLS: bool = false;
}

/// A column that holds a `T`.
pub(crate) trait Cell<T>: Kind {
    fn put(value: &T) -> ToSqlOutput<'_>;
    fn take(row: &Row<'_>, column: usize) -> Outcome<T>;
}

/// Gives each kind of column its name, its SQL type, the type of its values, and how to store and read one.
macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident($of:literal) of $value:ty: $put:expr, $take:expr;)+) => {$(
        $(#[$about])*
        pub(crate) struct $name;

        impl Kind for $name {
            const TYPE: &'static str = $of;
        }

        impl Cell<$value> for $name {
            fn put(value: &$value) -> ToSqlOutput<'_> {
                let put: fn(&$value) -> ToSqlOutput<'_> = $put;
                put(value)
            }

            fn take(row: &Row<'_>, column: usize) -> Outcome<$value> {
                let take: fn(&Row<'_>, usize) -> Outcome<$value> = $take;
                take(row, column)
            }
        }
    )+};
}

kinds! {
    /// Text, unchanged.
    Text("TEXT") of String: |words| words.as_str().into(), |row, at| Ok(row.get(at)?);
    /// A number with a fraction.
    Real("REAL") of f64: |real| (*real).into(), |row, at| Ok(row.get(at)?);
    /// A non-negative number. SQLite's integers are signed; no quantity of a run comes near 2^63, and one that did
    /// would be read back unchanged.
    Whole("INTEGER") of u64: |whole| (*whole as i64).into(), |row, at| Ok(row.get::<_, i64>(at)? as u64);
    /// A size in bytes.
    Size("INTEGER") of Bytes: |size| Whole::put(&size.0), |row, at| Whole::take(row, at).map(Bytes);
    /// A time on the run's clock.
    Time("INTEGER") of Nanos: |time| Whole::put(&time.0), |row, at| {
        NumberBound { most: TIME_MOST, expected: "a time in nanoseconds" }.take(row, at).map(Nanos)
    };
    /// A number of I/Os.
    Ops("INTEGER") of u64: Whole::put, |row, at| {
        NumberBound { most: COUNT_MOST, expected: "a number of I/Os" }.take(row, at)
    };
    /// A number of bytes that I/Os moved.
    IoBytes("INTEGER") of u64: Whole::put, |row, at| {
        NumberBound { most: TIME_MOST, expected: "a number of bytes" }.take(row, at)
    };
    /// The name of a direction.
    Way("TEXT") of Direction: |direction| direction.name().into(), |row, at| {
        let name = text(row, at)?;
        let found = Direction::ALL.into_iter().find(|direction| direction.name() == name);
        found.ok_or_else(|| Fault::Word { found: name.to_owned(), expected: "read, write, trim or flush" })
    };
    /// A histogram.
    Counts("BLOB") of Distribution: |counts| counts.encode().into(), |row, at| {
        let blob = row.get_ref(at)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
        Ok(Distribution::decode(blob.unwrap_or_default())?)
    };
    /// Doubts about a target, which earlier versions stored as sentences.
    Doubts("TEXT") of Vec<TargetDoubt>: Json::put, |row, at| Ok(earlier::doubts(Json::take(row, at)?)?);
    /// Notes of the engine, which earlier versions stored as sentences.
    Notes("TEXT") of Vec<Note>: Json::put, |row, at| Ok(earlier::notes(Json::take(row, at)?)?);
}

/// Defines kinds that hold values of many types, with their SQL types.
macro_rules! wide {
    ($($(#[$about:meta])* $name:ident$(<$of:ident>)?: $type:expr, $nulls:expr;)+) => {$(
        $(#[$about])*
        pub(crate) struct $name$(<$of>($of))?;

        impl$(<$of: Kind>)? Kind for $name$(<$of>)? {
            const TYPE: &'static str = $type;
            const NULLS: bool = $nulls;
        }
    )+};
}

wide! {
    /// A whole number that SQLite holds without conversion.
    Number: "INTEGER", false;
    /// The snake_case word of a unit variant.
    Word: "TEXT", false;
    /// Any value, as JSON.
    Json: "TEXT", false;
    /// The least latency, or NULL if there was none, in which case a tally has the greatest possible value.
    Least: "INTEGER", true;
    /// A value or NULL.
    Maybe<K>: K::TYPE, true;
    /// A value that files of earlier versions lack: NULL means the default.
    Later<K>: K::TYPE, false;
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

impl<T: Copy + Into<Value> + FromSql> Cell<T> for Number {
    fn put(value: &T) -> ToSqlOutput<'_> {
        ToSqlOutput::Owned((*value).into())
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<T> {
        Ok(row.get(column)?)
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
        match serde_json::to_string(value) {
            Ok(text) => text.into(),
            Err(error) => unreachable!("strings and numbers always encode: {error}"),
        }
    }

    fn take(row: &Row<'_>, column: usize) -> Outcome<T> {
        Ok(serde_json::from_str(text(row, column)?)?)
    }
}

/// Greatest time in nanoseconds: far longer than any run. A negative time in a damaged file exceeds it, and the sum
/// of two times does not overflow.
const TIME_MOST: u64 = i64::MAX as u64;
/// Greatest number of I/Os: far more than any run has.
const COUNT_MOST: u64 = 1 << 48;

/// Description of a number, and its greatest value.
struct NumberBound {
    most: u64,
    expected: &'static str,
}

impl NumberBound {
    fn take(&self, row: &Row<'_>, column: usize) -> Outcome<u64> {
        let number = Whole::take(row, column)?;
        let refused = || Fault::Word { found: (number as i64).to_string(), expected: self.expected };
        (number <= self.most).then_some(number).ok_or_else(refused)
    }
}

/// Returns the text in a column without a copy.
pub(crate) fn text<'r>(row: &'r Row<'_>, column: usize) -> Outcome<&'r str> {
    Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
}

/// Returns the snake_case word of a unit variant.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("only enums without fields are stored as words: {other:?}"),
    }
}
