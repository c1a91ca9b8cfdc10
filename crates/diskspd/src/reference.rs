//! The help and the compatibility table, made from the rows.

use std::fmt::Write as _;

use options::{Entry, help, reference as page};

use super::row::Row;
use super::rows::ROWS;

/// Width of the help in columns.
const WIDTH: usize = 80;
/// Column at which explanations begin.
const INDENT: usize = 24;

/// Returns the output of `-?`; `program` is the name under which the program was called.
pub fn usage(program: &str) -> String {
    let mut text = format!(
        "\nUsage: {program} [options] target1 [ target2 [ target3 ...] ]\nversion {} ({}), spoken by plimsoll\n\n\
         Valid targets:\n       file_path\n       block device (/dev/sdb)\n\nAvailable options:\n",
        super::present::VERSION,
        super::present::VERSION_DATE,
    );
    let mut rows: Vec<&Row> = ROWS.iter().filter(|row| !row.is_refused()).collect();
    rows.sort_by_key(|row| (row.name.to_ascii_lowercase(), row.name.chars().next().map(char::is_uppercase)));
    for row in rows {
        let head = format!("  -{}{}", row.name, row.takes);
        let default =
            if row.default.is_empty() { String::new() } else { format!(" [default: {}]", row.default) };
        text += &help::entry((&head, INDENT), &format!("{}{default}", row.help), WIDTH);
    }
    text.push_str("\nOptions of plimsoll's own:\n");
    let compat = "Shows the text result as 2.0, 2.1 or 2.2 does. [default: 2.2]";
    text += &help::entry(("  --compat=<version>", INDENT), compat, WIDTH);
    text.push_str(
        "\nSizes are digits with K, M, G or T (powers of 1024) or b (blocks of -b).\n\
         Targets stand behind all options. A write test destroys what the target holds;\n\
         a device in use is never written.\n\nExamples:\n\n\
         Create a file of 8 GiB and read it at random with 2 threads for 10 seconds:\n\n  ",
    );
    let _ = write!(text, "{program} -c8G -b4K -t2 -r -o32 -d10 -Sh -L testfile.dat\n\n");
    text
}

/// Every option, for manual pages and completions.
pub fn entries() -> Vec<Entry> {
    ROWS.iter().map(|row| Entry::of(row, vec![format!("-{}", row.name)]).taking(row.takes)).collect()
}

/// The compatibility table of the reference, as Markdown.
pub fn table() -> String {
    let [honoured, approximated, accepted, refused] = page::counts(ROWS);
    let mut text = format!(
        "{} options: {honoured} honoured, {approximated} approximated with a note, {accepted} accepted without effect and \
         with a note, {refused} refused by name.\n\n",
        ROWS.len(),
    );
    page::open(&mut text, &["option", "what it does", "default", "here"]);
    for row in ROWS {
        let written = format!("`-{}{}`", row.name, row.takes);
        page::line(&mut text, &[&written, row.help, &page::typed(row.default), &page::support(row)]);
    }
    text
}
