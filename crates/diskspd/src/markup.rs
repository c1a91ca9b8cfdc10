//! XML as DiskSpd writes it: one element a line, indented by two blanks a level. Unlike DiskSpd, it escapes text.

use std::fmt::Write as _;

/// An XML document being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Markup {
    text: String,
    level: usize,
}

impl Markup {
    fn indent(&mut self) {
        (0..self.level).for_each(|_| self.text.push_str("  "));
    }

    /// Writes `<name …>`, the output of `inside` one level deeper, and `</name>`.
    pub fn within(&mut self, name: &str, attributes: &[(&str, String)], inside: impl FnOnce(&mut Markup)) {
        self.indent();
        self.tag(name, attributes);
        self.text.push_str(">\n");
        self.level += 1;
        inside(self);
        self.level -= 1;
        self.indent();
        let _ = writeln!(self.text, "</{name}>");
    }

    /// Writes `<name>value</name>`.
    pub fn leaf(&mut self, name: &str, value: impl std::fmt::Display) {
        self.leaf_with(name, &[], value);
    }

    /// Writes `<name …>value</name>`.
    pub fn leaf_with(&mut self, name: &str, attributes: &[(&str, String)], value: impl std::fmt::Display) {
        self.indent();
        self.tag(name, attributes);
        let _ = writeln!(self.text, ">{}</{name}>", escaped(&value.to_string()));
    }

    /// Writes `<name …/>`.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.indent();
        self.tag(name, attributes);
        self.text.push_str("/>\n");
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, String)]) {
        let _ = write!(self.text, "<{name}");
        for (name, value) in attributes {
            let _ = write!(self.text, " {name}=\"{}\"", escaped(value));
        }
    }

    /// Returns the text written so far.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// Escapes `text` for use between tags and in attributes.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML cannot contain these characters; a path with one is shown with a replacement character.
            c if c.is_control() && !matches!(c, '\t' | '\n' | '\r') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
