//! Markup that escapes by default: strings are text, and only values of type [`Markup`] are taken as markup.

use std::fmt::{self, Display, Write};

use crate::words::wrap::steers;

/// Complete markup. Strings put into it are escaped as text; only another [`Markup`] is inserted unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup {
    text: String,
    /// Headings in document order. The table of contents is made from them, so that no markup need be parsed.
    headings: Vec<Heading>,
}

/// A heading that the table of contents can link to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Id of the element below the heading.
    pub id: String,
    /// Text of the heading, not escaped.
    pub words: String,
}

impl Markup {
    /// Wraps text that is already markup: style sheets, scripts, constants of this crate. Never pass anything that
    /// came from outside this crate.
    pub(crate) fn trusted(markup: impl Into<String>) -> Markup {
        Markup { text: markup.into(), headings: Vec::new() }
    }

    /// Appends `part`.
    pub(crate) fn push(&mut self, part: impl Into<Markup>) {
        let part = part.into();
        self.text.push_str(&part.text);
        self.headings.extend(part.headings);
    }

    /// Returns this markup with `heading` listed before the headings in it.
    pub(crate) fn headed(mut self, heading: Heading) -> Markup {
        self.headings.insert(0, heading);
        self
    }

    /// Headings in document order.
    pub(crate) fn headings(&self) -> &[Heading] {
        &self.headings
    }

    /// Whether the markup is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The markup as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl From<&str> for Markup {
    fn from(text: &str) -> Markup {
        let mut escaped = String::with_capacity(text.len());
        text.chars().for_each(|letter| escape_letter(&mut escaped, letter));
        Markup::trusted(escaped)
    }
}

impl From<String> for Markup {
    fn from(text: String) -> Markup {
        Markup::from(text.as_str())
    }
}

impl From<&String> for Markup {
    fn from(text: &String) -> Markup {
        Markup::from(text.as_str())
    }
}

impl<M: Into<Markup>> From<Option<M>> for Markup {
    fn from(part: Option<M>) -> Markup {
        part.map_or_else(Markup::default, Into::into)
    }
}

impl<M: Into<Markup>> FromIterator<M> for Markup {
    fn from_iter<I: IntoIterator<Item = M>>(parts: I) -> Markup {
        let mut all = Markup::default();
        parts.into_iter().for_each(|part| all.push(part));
        all
    }
}

impl From<Markup> for String {
    fn from(markup: Markup) -> String {
        markup.text
    }
}

/// Concatenates parts into one [`Markup`].
macro_rules! markup {
    ($($part:expr),* $(,)?) => {{
        let mut all = $crate::markup::Markup::default();
        $(all.push($part);)*
        all
    }};
}
pub(crate) use markup;

/// An element that is still open: its name and its attributes.
pub(crate) struct Element {
    name: &'static str,
    written: String,
}

/// Starts an element.
pub(crate) fn element(name: &'static str) -> Element {
    Element { name, written: format!("<{name}") }
}

impl Element {
    /// Adds an attribute.
    pub(crate) fn with(mut self, name: &str, value: impl Display) -> Element {
        self.written.push(' ');
        self.written.push_str(name);
        self.written.push_str("=\"");
        // Escaping into a string cannot fail, and neither can the value unless its own formatting does.
        let _ = write!(AttributeWriter(&mut self.written), "{value}");
        self.written.push('"');
        self
    }

    /// Adds an attribute without a value, such as `open`.
    pub(crate) fn flag(mut self, name: &str) -> Element {
        self.written.push(' ');
        self.written.push_str(name);
        self
    }

    /// Ends an HTML element that never has content, such as `meta`.
    pub(crate) fn void(mut self) -> Markup {
        self.written.push('>');
        Markup::trusted(self.written)
    }

    /// Ends an XML element without content.
    pub(crate) fn empty(mut self) -> Markup {
        self.written.push_str("/>");
        Markup::trusted(self.written)
    }

    /// Ends the element around `content`.
    pub(crate) fn holding(mut self, content: impl Into<Markup>) -> Markup {
        let Markup { text, headings } = content.into();
        self.written.push('>');
        self.written.push_str(&text);
        let _ = write!(self.written, "</{}>", self.name);
        Markup { text: self.written, headings }
    }

    /// Ends the element around `content`, and the line.
    pub(crate) fn line(self, content: impl Into<Markup>) -> Markup {
        let mut markup = self.holding(content);
        markup.text.push('\n');
        markup
    }
}

/// Escapes whatever is formatted into it for use between the double quotes of an attribute.
struct AttributeWriter<'t>(&'t mut String);

impl Write for AttributeWriter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().for_each(|letter| match letter {
            '\'' => self.0.push(letter),
            letter => escape_letter(self.0, letter),
        });
        Ok(())
    }
}

/// Escapes a letter for use anywhere; control characters and those that change the direction of text become
/// blanks.
fn escape_letter(escaped: &mut String, letter: char) {
    match letter {
        '&' => escaped.push_str("&amp;"),
        '<' => escaped.push_str("&lt;"),
        '>' => escaped.push_str("&gt;"),
        '"' => escaped.push_str("&quot;"),
        '\'' => escaped.push_str("&#39;"),
        '\n' | '\t' => escaped.push(letter),
        // XML allows neither control characters nor these two.
        control if steers(control) || matches!(control, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
        plain => escaped.push(plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_place() {
        let hostile = "<a href='x'>\u{1b}\u{9b}\u{ffff}\u{202e}\u{2066}\u{200f}&\"</a>";
        let harmless = "&lt;a href=&#39;x&#39;&gt;      &amp;&quot;&lt;/a&gt;";
        assert_eq!(Markup::from(hostile).as_str(), harmless);
        let element = element("p").with("title", hostile).holding(hostile);
        let quoted = harmless.replace("&#39;", "'");
        assert_eq!(element.as_str(), format!("<p title=\"{quoted}\">{harmless}</p>"));
    }

    #[test]
    fn headings_stay_in_their_order_whatever_is_put_around_them() {
        let part = |id: &str| {
            element("p").holding("text").headed(Heading { id: id.to_owned(), words: id.to_uppercase() })
        };
        let all = element("main").holding(markup![part("a"), "between", Some(part("b"))]);
        let ids: Vec<&str> = all.headings().iter().map(|heading| heading.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
    }

    #[test]
    fn what_is_markup_is_not_escaped_again() {
        let list: Markup = ["a", "<b>"].iter().map(|item| element("li").holding(*item)).collect();
        let whole = element("ul").flag("hidden").line(markup![list, None::<Markup>, "&"]);
        assert_eq!(whole.as_str(), "<ul hidden><li>a</li><li>&lt;b&gt;</li>&amp;</ul>\n");
        assert_eq!(element("rect").with("x", 3).empty().as_str(), "<rect x=\"3\"/>");
    }
}
