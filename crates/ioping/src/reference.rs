//! The help and the table of the reference, generated from the rows.

use std::fmt::Write as _;

use options::{Entry, help, reference as page};

use super::row::{Part, Row, Since, Takes};
use super::rows::ROWS;

/// The version that the output states: programs that read it branch on it.
pub const VERSION: &str = "ioping 1.3";

const HEADINGS: [(Part, &str); 3] =
    [(Part::Options, "options"), (Part::Parameters, "parameters"), (Part::Output, "output")];

/// Returns the output of `-h`.
pub fn usage() -> String {
    let mut text = " Usage: ioping [options...] directory|file|device\n        ioping -h | -v\n".to_owned();
    for (part, heading) in HEADINGS {
        let _ = write!(text, "\n {heading}:\n");
        ROWS.iter().filter(|row| row.own.part == part).for_each(|row| usage_row(&mut text, row));
    }
    text.push_str("\n Times: ns us ms s m h. Sizes: k m g t. Counts: k m g. Fractions: 0.5, 1/3.\n\n");
    text
}

fn usage_row(text: &mut String, row: &Row) {
    let names = format!("      -{}, -{}{} ", row.own.short, row.name, value(row));
    let default = if row.default.is_empty() { String::new() } else { format!(" ({})", row.default) };
    help::line(text, (&names, 33), &format!("{}{default}", row.help));
}

fn value(row: &Row) -> &'static str {
    match row.takes {
        Takes::Nothing => "",
        Takes::Count => " <count>",
        Takes::Seed => " <seed>",
        Takes::Size => " <size>",
        Takes::Time => " <time>",
        Takes::MaybeText => " [format]",
    }
}

/// Every option, for manual pages and completions.
pub fn entries() -> Vec<Entry> {
    let typed = |row: &Row| vec![format!("-{}", row.own.short), format!("-{}", row.name)];
    ROWS.iter().map(|row| Entry::of(row, typed(row)).taking(value(row))).collect()
}

/// The table of the reference, as Markdown.
pub fn table() -> String {
    let mut text = format!("{} options.\n", ROWS.len());
    for (part, heading) in HEADINGS {
        let _ = writeln!(text, "\n### {}{}\n", heading[..1].to_uppercase(), &heading[1..]);
        page::open(&mut text, &["option", "takes", "default", "what it does", "support"]);
        ROWS.iter().filter(|row| row.own.part == part).for_each(|row| table_row(&mut text, row));
    }
    text
}

fn table_row(text: &mut String, row: &Row) {
    let names = format!("`-{}`, `-{}`", row.own.short, row.name);
    let takes = value(row).trim().trim_matches(['<', '>', '[', ']']);
    let later = if row.own.since == Since::Later { "; after 1.3" } else { "" };
    let support = format!("{}{later}", page::support(row));
    page::line(text, &[&names, takes, &page::typed(row.default), row.help, &support]);
}
