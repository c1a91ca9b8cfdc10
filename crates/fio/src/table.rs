//! The compatibility table of the reference, made from the rows.

use std::fmt::Write as _;

use options::reference as page;

use super::commands::{Argument, COMMANDS};
use super::reference::kind_text;
use super::row::{Part, Row};
use super::rows::ROWS;

/// The compatibility table of the reference, as Markdown.
pub fn table() -> String {
    let [honoured, approximated, _, refused] = page::counts(ROWS);
    let mut text = format!(
        "{} job options: {honoured} honoured, {approximated} approximated, {refused} refused by name (their defaults are \
         accepted).\n\n",
        ROWS.len(),
    );
    let mut parts: Vec<Part> = Vec::new();
    for row in ROWS {
        if !parts.contains(&row.own) {
            parts.push(row.own);
        }
    }
    for part in parts {
        let heading = match part {
            Part::Job(heading) => heading.to_owned(),
            Part::Engine(engines) => format!("Engine options: {}", engines.join(", ")),
        };
        let _ = writeln!(text, "### {heading}\n");
        page::open(&mut text, &["option", "takes", "default", "what it does", "support"]);
        ROWS.iter().filter(|row| row.own == part).for_each(|row| table_row(&mut text, row));
        text.push('\n');
    }
    commands_table(&mut text);
    text
}

fn table_row(text: &mut String, row: &Row) {
    let names: Vec<String> = row.names().map(page::typed).collect();
    let default = page::typed(row.default);
    let cells = [&names.join(", "), kind_text(row.takes), &default, row.help, &page::support(row)];
    page::line(text, &cells);
}

fn commands_table(text: &mut String) {
    text.push_str("### Command line\n\n");
    page::open(text, &["option", "value", "what it does", "support"]);
    for row in COMMANDS {
        let value = match row.takes {
            Argument::None => "none",
            Argument::Required => "one",
            Argument::Optional | Argument::Word => "one or none",
        };
        page::line(text, &[&format!("`--{}`", row.name), value, row.help, &page::support(row)]);
    }
}
