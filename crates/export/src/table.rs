//! A table in memory, before it is written.

use report::Csv;

/// A table: columns of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name of the file, without the extension.
    pub name: &'static str,
    /// Description of a row, for people.
    pub about: &'static str,
    /// The columns, in their order.
    pub columns: Vec<Column>,
}

impl Table {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Returns the table as comma-separated values; what is not known is an empty field.
    pub fn csv(&self) -> String {
        let mut csv = Csv::headed(self.columns.iter().map(|column| column.name.as_str()));
        for row in 0..self.rows() {
            self.columns.iter().for_each(|column| column.values.put(row, &mut csv));
            csv.end();
        }
        csv.text()
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The column's name.
    pub name: String,
    /// Unit of the numbers; empty if they have none.
    pub unit: &'static str,
    /// The values, one for each row, in order.
    pub values: Values,
}

/// Values of one type, each of which may be unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Text.
    Text(Vec<Option<String>>),
    /// Integers.
    Whole(Vec<Option<i64>>),
    /// Floating-point numbers.
    Figure(Vec<Option<f64>>),
    /// Yes or no.
    Flag(Vec<Option<bool>>),
}

impl Values {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match self {
            Values::Text(all) => all.len(),
            Values::Whole(all) => all.len(),
            Values::Figure(all) => all.len(),
            Values::Flag(all) => all.len(),
        }
    }

    /// Adds a value to a row of comma-separated values.
    fn put(&self, row: usize, csv: &mut Csv) {
        match self {
            Values::Text(all) => csv.words(all[row].as_deref().unwrap_or_default()),
            Values::Whole(all) => csv.words(&all[row].map_or_else(String::new, |value| value.to_string())),
            Values::Figure(all) => csv.maybe(all[row]),
            Values::Flag(all) => csv.words(&all[row].map_or_else(String::new, |value| value.to_string())),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Makes a column of text, in which `of` gives the value of each row.
pub(crate) fn text<R>(name: &str, rows: &[R], of: impl Fn(&R) -> Option<String>) -> Column {
    Column { name: name.to_owned(), unit: "", values: Values::Text(rows.iter().map(of).collect()) }
}

/// Makes a column of integers; values beyond 63 bits, which no counter reaches, become the greatest.
pub(crate) fn whole<R>(
    (name, unit): (&str, &'static str),
    rows: &[R],
    of: impl Fn(&R) -> Option<u64>,
) -> Column {
    let signed = |row| of(row).map(|value| i64::try_from(value).unwrap_or(i64::MAX));
    Column { name: name.to_owned(), unit, values: Values::Whole(rows.iter().map(signed).collect()) }
}

/// Makes a column of floating-point numbers; one that is not finite is stored as unknown.
pub(crate) fn figure<R>(
    (name, unit): (&str, &'static str),
    rows: &[R],
    of: impl Fn(&R) -> Option<f64>,
) -> Column {
    let known = |row| of(row).filter(|value| value.is_finite());
    Column { name: name.to_owned(), unit, values: Values::Figure(rows.iter().map(known).collect()) }
}

/// Makes a column of yes and no.
pub(crate) fn flag<R>(name: &str, rows: &[R], of: impl Fn(&R) -> bool) -> Column {
    Column {
        name: name.to_owned(),
        unit: "",
        values: Values::Flag(rows.iter().map(|row| Some(of(row))).collect()),
    }
}
