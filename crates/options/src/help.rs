//! Lines of help: the option on the left, its effect on the right.

use std::fmt::Write as _;

/// Appends a line to `text`: `head`, padded to `column`, then `words`.
pub fn line(text: &mut String, (head, column): (&str, usize), words: &str) {
    let _ = writeln!(text, "{head:<column$}{words}");
}

/// Formats an entry: `words` start at `column` and wrap at `width`, or start on the next line if the head is too long.
pub fn entry((head, column): (&str, usize), words: &str, width: usize) -> String {
    let mut line =
        if head.len() < column { format!("{head:column$}") } else { format!("{head}\n{:column$}", "") };
    let mut end = column;
    for word in words.split_whitespace() {
        if end + word.len() + 1 > width && end > column {
            line = format!("{}\n{:column$}", line.trim_end(), "");
            end = column;
        }
        line.push_str(word);
        line.push(' ');
        end += word.len() + 1;
    }
    format!("{}\n", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_stays_within_its_width() {
        assert_eq!(entry(("  -a", 6), "one two three", 14), "  -a  one two\n      three\n");
        assert_eq!(entry(("  -long", 6), "four", 14), "  -long\n      four\n");
    }
}
