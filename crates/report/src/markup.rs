//! Pieces of a page: escaped text, tables, the embedded font.

use std::fmt::Write as _;

use crate::wrap::unbroken;

/// Heads and rows of text, unescaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// One word or two a column.
    pub head: Vec<String>,
    /// As long as `head`, each.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these heads and no row yet.
    pub fn headed(head: &[&str]) -> Table {
        Table { head: head.iter().map(|&word| word.to_owned()).collect(), rows: Vec::new() }
    }

    /// As an HTML `table`; the first column heads its row.
    pub fn html(&self) -> String {
        let mut html = String::from("<table><thead><tr>");
        for word in &self.head {
            let _ = write!(html, "<th scope=\"col\">{}</th>", escape(word));
        }
        html.push_str("</tr></thead><tbody>");
        for row in &self.rows {
            html.push_str(&row_html(row));
        }
        html.push_str("</tbody></table>");
        html
    }
}

fn row_html(row: &[String]) -> String {
    let mut html = String::from("<tr>");
    for (column, cell) in row.iter().enumerate() {
        let (open, close) = if column == 0 { ("<th scope=\"row\">", "</th>") } else { ("<td>", "</td>") };
        let _ = write!(html, "{open}{}{close}", escape(&unbroken(cell)));
    }
    html + "</tr>"
}

/// `text` as it may stand in an element or in a quoted attribute; control characters become blanks.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(letter),
            // XML knows neither controls nor these two.
            control if control.is_control() || matches!(control, '\u{fffe}' | '\u{ffff}') => {
                escaped.push(' ')
            }
            plain => escaped.push(plain),
        }
    }
    escaped
}

/// Markup without the characters that XML knows not: a drawing library escapes brackets, and passes these.
pub fn well_formed(markup: String) -> String {
    let foreign = |letter: char| {
        (letter.is_control() && letter != '\n' && letter != '\t') || matches!(letter, '\u{fffe}' | '\u{ffff}')
    };
    match markup.contains(foreign) {
        true => markup.replace(foreign, " "),
        false => markup,
    }
}

/// The font of the charts as style rules with `data:` addresses: Noto Sans (Copyright 2012 Google Inc., Apache License
/// 2.0), cut to the characters that charts use.
pub fn font_faces() -> String {
    const REGULAR: &str = include_str!(concat!(env!("OUT_DIR"), "/regular.base64"));
    const BOLD: &str = include_str!(concat!(env!("OUT_DIR"), "/bold.base64"));
    let face = |weight: &str, data: &str| {
        format!(
            "@font-face{{font-family:plimsoll;font-weight:{weight};src:url(data:font/ttf;base64,{data})}}"
        )
    };
    face("400", REGULAR) + &face("700", BOLD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_place() {
        assert_eq!(escape("<a href='x'>\u{1b}&\"</a>"), "&lt;a href=&#39;x&#39;&gt; &amp;&quot;&lt;/a&gt;");
        assert_eq!(well_formed("<text>a\u{1b}\u{9b}\u{ffff}\n</text>".to_owned()), "<text>a   \n</text>");
        let table = Table { head: vec!["<".into(), "b".into()], rows: vec![vec!["&".into(), "2".into()]] };
        assert!(table.html().contains("<th scope=\"row\">&amp;</th><td>2</td>"), "{}", table.html());
    }

    #[test]
    fn the_font_is_there_and_small() {
        let faces = font_faces();
        assert!(faces.contains("data:font/ttf;base64,AAEAAA"), "no TrueType header");
        assert!(faces.len() < 60_000, "{} bytes", faces.len());
    }
}
