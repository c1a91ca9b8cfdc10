//! Help and the table of options, made from the rows.

use super::rows::{ROWS, Row, Takes};

/// What `--help` and a wrong word print.
pub(super) fn help() -> String {
    let mut text = String::from(
        "Usage: iostat [OPTION...] [DEVICE...|ALL] [INTERVAL [COUNT]]\n\nAs iostat of sysstat 12.6:\n",
    );
    for row in ROWS.iter().filter(|row| row.refused.is_empty()) {
        text.push_str(&format!("  {:<24} {}\n", written(row), row.help));
    }
    text.push_str("\nINTERVAL is in whole seconds; without it there is one report, since boot.\n");
    text
}

fn written(row: &Row) -> String {
    match row.takes {
        Takes::Nothing => row.word.to_owned(),
        Takes::Word(value) if value.starts_with('=') => format!("{}{value}", row.word),
        Takes::Word(value) => format!("{} {value}", row.word),
        Takes::Devices => format!("{} [DEVICE,...|ALL]", row.word),
    }
}

/// The table of the reference page, in Markdown.
pub fn table() -> String {
    let mut text = String::from("| option | does | support |\n|---|---|---|\n");
    for row in ROWS {
        let support =
            if row.refused.is_empty() { "yes".to_owned() } else { format!("refused: {}", row.refused) };
        text.push_str(&format!("| `{}` | {} | {support} |\n", written(row).replace('|', "\\|"), row.help));
    }
    text
}
