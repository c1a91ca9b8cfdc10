//! The help and the compatibility table, made from the rows.

use std::fmt::Write as _;

use super::row::{Row, Support};
use super::rows::ROWS;

/// Columns of the help.
const WIDTH: usize = 80;
/// Column where explanations begin.
const INDENT: usize = 24;

/// What `-?` prints; `program` is the name it was called by.
pub fn usage(program: &str) -> String {
    let mut text = format!(
        "\nUsage: {program} [options] target1 [ target2 [ target3 ...] ]\nversion {} ({}), spoken by plimsoll\n\n\
         Valid targets:\n       file_path\n       block device (/dev/sdb)\n\nAvailable options:\n",
        super::present::VERSION,
        super::present::VERSION_DATE,
    );
    let mut rows: Vec<&Row> = ROWS.iter().filter(|row| !matches!(row.support, Support::Refused(_))).collect();
    rows.sort_by_key(|row| (row.name.to_ascii_lowercase(), row.name.chars().next().map(char::is_uppercase)));
    for row in rows {
        let head = format!("  -{}{}", row.name, row.value);
        let default =
            if row.default.is_empty() { String::new() } else { format!(" [default: {}]", row.default) };
        entry(&mut text, &head, &format!("{}{default}", row.help));
    }
    text.push_str("\nOptions of plimsoll's own:\n");
    entry(&mut text, "  --compat=<version>", "Shows the text result as 2.0, 2.1 or 2.2 does. [default: 2.2]");
    text.push_str(
        "\nSizes are digits with K, M, G or T (powers of 1024) or b (blocks of -b).\n\
         Targets stand behind all options. A write test destroys what the target holds;\n\
         a device in use is never written.\n\nExamples:\n\n\
         Create a file of 8 GiB and read it at random with 2 threads for 10 seconds:\n\n  ",
    );
    let _ = write!(text, "{program} -c8G -b4K -t2 -r -o32 -d10 -Sh -L testfile.dat\n\n");
    text
}

/// A head with its explanation beside or below it, within 80 columns.
fn entry(text: &mut String, head: &str, words: &str) {
    let mut line =
        if head.len() < INDENT { format!("{head:INDENT$}") } else { format!("{head}\n{:INDENT$}", "") };
    let mut column = INDENT;
    for word in words.split_whitespace() {
        if column + word.len() + 1 > WIDTH && column > INDENT {
            line = format!("{}\n{:INDENT$}", line.trim_end(), "");
            column = INDENT;
        }
        line.push_str(word);
        line.push(' ');
        column += word.len() + 1;
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

/// The compatibility table of the reference, as Markdown.
pub fn table() -> String {
    let counted = |wanted: fn(Support) -> bool| ROWS.iter().filter(|row| wanted(row.support)).count();
    let mut text = format!(
        "{} options: {} honoured, {} approximated with a note, {} accepted without effect and with a note, {} refused by \
         name.\n\n| option | what it does | default | here |\n|---|---|---|---|\n",
        ROWS.len(),
        counted(|support| support == Support::Honoured),
        counted(|support| matches!(support, Support::Approximated(_))),
        counted(|support| matches!(support, Support::Accepted(_))),
        counted(|support| matches!(support, Support::Refused(_))),
    );
    for row in ROWS {
        let here = match row.support {
            Support::Honoured => format!("honoured: {}", row.here),
            Support::Approximated(text) => format!("approximated: {text}"),
            Support::Accepted(text) => format!("accepted: {text}"),
            Support::Refused(text) => format!("refused: {text}"),
        };
        let default = if row.default.is_empty() { String::new() } else { format!("`{}`", row.default) };
        let _ = writeln!(
            text,
            "| `-{}{}` | {} | {default} | {} |",
            row.name,
            row.value.replace('|', "\\|"),
            row.help.replace('|', "\\|"),
            here.replace('|', "\\|")
        );
    }
    text
}
