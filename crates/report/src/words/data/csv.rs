//! Comma-separated values by RFC 4180: lines end in CRLF, and a field with a comma, a quote or a line break is
//! quoted.

use crate::words::wrap::steers;

/// A table while it is written.
pub struct Csv {
    text: String,
    /// Number of rows below the head.
    pub rows: usize,
    first: bool,
}

impl Csv {
    /// Starts a table with these column names.
    pub fn headed<'h>(head: impl IntoIterator<Item = &'h str>) -> Csv {
        let mut csv = Csv { text: String::new(), rows: 0, first: true };
        head.into_iter().for_each(|name| csv.words(name));
        csv.end();
        csv.rows = 0;
        csv
    }

    /// Adds a text field.
    pub fn words(&mut self, words: &str) {
        self.comma();
        let words = &harmless(words);
        if words.contains([',', '"', '\n', '\r']) {
            self.text.push('"');
            self.text += &words.replace('"', "\"\"");
            self.text.push('"');
        } else {
            self.text += words;
        }
    }

    /// Adds a number with as many digits as it takes to read it back exactly; an empty field if it is not finite.
    pub fn number(&mut self, number: f64) {
        use std::fmt::Write as _;
        self.comma();
        if number.is_finite() {
            // Writing into a string never fails.
            let _ = write!(self.text, "{number}");
        }
    }

    /// Adds a number; an empty field if it is missing.
    pub fn maybe(&mut self, number: Option<f64>) {
        self.number(number.unwrap_or(f64::NAN));
    }

    /// Ends the row.
    pub fn end(&mut self) {
        self.text += "\r\n";
        self.rows += 1;
        self.first = true;
    }

    /// Returns the whole text.
    pub fn text(self) -> String {
        self.text
    }

    fn comma(&mut self) {
        if !self.first {
            self.text.push(',');
        }
        self.first = false;
    }
}

/// Replaces characters that control a terminal, because people also view tables there. Line breaks remain; the
/// field is quoted.
fn harmless(words: &str) -> String {
    let stays = |letter: char| !steers(letter) || matches!(letter, '\n' | '\r' | '\t');
    words.chars().map(|letter| if stays(letter) { letter } else { char::REPLACEMENT_CHARACTER }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be_and_numbers_come_back_the_same() {
        let mut csv = Csv::headed(["a", "b"]);
        csv.words("x, \"y\"\nz");
        csv.number(0.1 + 0.2);
        csv.end();
        csv.words("\u{1b}[31mplain\u{9b}");
        csv.number(f64::NAN);
        csv.end();
        assert_eq!(csv.rows, 2);
        assert_eq!(
            csv.text(),
            "a,b\r\n\"x, \"\"y\"\"\nz\",0.30000000000000004\r\n\u{fffd}[31mplain\u{fffd},\r\n"
        );
    }
}
