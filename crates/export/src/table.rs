//! A table before it is written.

/// A table: columns of one length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// What a row is, for people.
    pub about: &'static str,
    /// The columns, in their order.
    pub columns: Vec<Column>,
}

impl Table {
    /// Rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The unit of its numbers; empty where it has none.
    pub unit: &'static str,
    /// What stands in it, from the first row on.
    pub values: Values,
}

/// Values of one type, each of which may be unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Words.
    Text(Vec<Option<String>>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Other numbers.
    Figure(Vec<Option<f64>>),
    /// Yes and no.
    Flag(Vec<Option<bool>>),
}

impl Values {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Values::Text(all) => all.len(),
            Values::Whole(all) => all.len(),
            Values::Figure(all) => all.len(),
            Values::Flag(all) => all.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A column of words, one a row.
pub(crate) fn text<R>(name: &str, rows: &[R], of: impl Fn(&R) -> Option<String>) -> Column {
    Column { name: name.to_owned(), unit: "", values: Values::Text(rows.iter().map(of).collect()) }
}

/// A column of whole numbers; what is beyond those of 63 bits, which no counter reaches, stands as the greatest.
pub(crate) fn whole<R>(
    (name, unit): (&str, &'static str),
    rows: &[R],
    of: impl Fn(&R) -> Option<u64>,
) -> Column {
    let signed = |row| of(row).map(|value| i64::try_from(value).unwrap_or(i64::MAX));
    Column { name: name.to_owned(), unit, values: Values::Whole(rows.iter().map(signed).collect()) }
}

/// A column of other numbers; one that is not a number is not known.
pub(crate) fn figure<R>(
    (name, unit): (&str, &'static str),
    rows: &[R],
    of: impl Fn(&R) -> Option<f64>,
) -> Column {
    let known = |row| of(row).filter(|value| value.is_finite());
    Column { name: name.to_owned(), unit, values: Values::Figure(rows.iter().map(known).collect()) }
}

/// A column of yes and no.
pub(crate) fn flag<R>(name: &str, rows: &[R], of: impl Fn(&R) -> bool) -> Column {
    Column {
        name: name.to_owned(),
        unit: "",
        values: Values::Flag(rows.iter().map(|row| Some(of(row))).collect()),
    }
}
