//! The help and the table of options, generated from the rows.

use options::{Entry, help, reference as page};

use super::rows::{ROWS, Row, Takes};

/// Returns the output of `--help` and of an invalid word.
pub(super) fn help() -> String {
    let mut text = String::from(
        "Usage: iostat [OPTION...] [DEVICE...|ALL] [INTERVAL [COUNT]]\n\nAs iostat of sysstat 12.6:\n",
    );
    for row in ROWS.iter().filter(|row| !row.is_refused()) {
        help::line(&mut text, (&format!("  {} ", written(row)), 27), row.help);
    }
    text.push_str("\nINTERVAL is in whole seconds; without it there is one report, since boot.\n");
    text
}

fn written(row: &Row) -> String {
    match row.takes {
        Takes::Nothing => row.name.to_owned(),
        Takes::Word(value) if value.starts_with('=') => format!("{}{value}", row.name),
        Takes::Word(value) => format!("{} {value}", row.name),
        Takes::Devices => format!("{} [DEVICE,...|ALL]", row.name),
    }
}

/// Every option, for manual pages and completions.
pub fn entries() -> Vec<Entry> {
    let entry = |row: &Row| {
        let value = written(row).strip_prefix(row.name).unwrap_or_default().to_owned();
        Entry::of(row, vec![row.name.to_owned()]).taking(value)
    };
    ROWS.iter().map(entry).collect()
}

/// The table of the reference page, in Markdown.
pub fn table() -> String {
    let mut text = String::new();
    page::open(&mut text, &["option", "does", "support"]);
    for row in ROWS {
        let support = if row.is_refused() { page::support(row) } else { "yes".to_owned() };
        page::line(&mut text, &[&format!("`{}`", written(row)), row.help, &support]);
    }
    text
}
