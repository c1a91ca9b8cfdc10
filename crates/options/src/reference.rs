//! Reference pages made from the rows: tables in Markdown, and lines of help.

use std::fmt::Write as _;

use crate::row::{Row, Support, Table};

/// The markers that enclose the generated part of a reference page.
pub const MARKS: [&str; 2] =
    ["<!-- begin: made from the option rows -->\n", "<!-- end: made from the option rows -->\n"];

/// Returns the page with `fresh` between its markers, or `None` if it has no markers.
pub fn renewed(page: &str, fresh: &str) -> Option<String> {
    let [begin, end] = MARKS;
    let (head, rest) = page.split_once(begin)?;
    let (_, tail) = rest.split_once(end)?;
    Some(format!("{head}{begin}{fresh}{end}{tail}"))
}

/// Appends the header of a table with these columns.
pub fn open(text: &mut String, columns: &[&str]) {
    let _ = writeln!(text, "| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()));
}

/// Appends a row to a table, with `|` escaped.
pub fn line(text: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// Formats a word as code, as it would be typed; an empty word stays empty.
pub fn typed(word: &str) -> String {
    if word.is_empty() { String::new() } else { format!("`{word}`") }
}

/// Describes the level of support for an option, with any remark.
pub fn support<T: Table>(row: &Row<T>) -> String {
    let (how, text) = match row.support {
        Support::Honoured => ("honoured", row.here),
        Support::Approximated(text) => ("approximated", text),
        Support::Accepted(text) => ("accepted", text),
        Support::Refused(text) => ("refused", text),
    };
    if text.is_empty() { how.to_owned() } else { format!("{how}: {text}") }
}

/// Counts the rows that are honoured, approximated, accepted and refused, in this order.
pub fn counts<T: Table>(rows: &[Row<T>]) -> [usize; 4] {
    let mut counts = [0; 4];
    for row in rows {
        let place = match row.support {
            Support::Honoured => 0,
            Support::Approximated(_) => 1,
            Support::Accepted(_) => 2,
            Support::Refused(_) => 3,
        };
        counts[place] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_keeps_what_stands_around_its_marks() {
        let [begin, end] = MARKS;
        let page = format!("head\n{begin}old\n{end}tail\n");
        assert_eq!(renewed(&page, "new\n"), Some(format!("head\n{begin}new\n{end}tail\n")));
        assert_eq!(renewed("no marks", "new"), None);
    }

    #[test]
    fn bars_in_a_cell_do_not_part_it() {
        let mut text = String::new();
        open(&mut text, &["option", "does"]);
        line(&mut text, &["a|b", ""]);
        assert_eq!(text, "| option | does |\n|---|---|\n| a\\|b |  |\n");
    }
}
