//! An element of a profile: its children by name, each once, and its text as a value; errors have a place.

use options::near::within;
use roxmltree::{Document, Node};

/// Most edits by which an unknown name may differ from a known one to be suggested.
const NEAR_EDITS: usize = 3;

/// Why a text is not a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError {
    /// Line and column, from 1, if there is a place.
    pub place: Option<(u32, u32)>,
    /// The problem, and what would be valid.
    pub why: String,
}

type ProfileResult<T> = Result<T, ProfileError>;

/// An element of a profile.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a> {
    document: &'a Document<'a>,
    node: Node<'a, 'a>,
}

impl<'a> Element<'a> {
    /// Returns the root, which must have this name.
    pub fn root(document: &'a Document<'a>, name: &str) -> ProfileResult<Element<'a>> {
        let root = Element { document, node: document.root_element() };
        if root.name() == name {
            return Ok(root);
        }
        Err(root.wrong(format!("a profile's root is <{name}>, not <{}>", root.name())))
    }

    /// Name of the element, without a namespace.
    pub fn name(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Returns an error at this element.
    pub fn wrong(&self, why: impl Into<String>) -> ProfileError {
        self.wrong_at(self.node.range().start, why)
    }

    fn wrong_at(&self, byte: usize, why: impl Into<String>) -> ProfileError {
        let place = self.document.text_pos_at(byte);
        ProfileError { place: Some((place.row, place.col)), why: why.into() }
    }

    /// Returns the children, all of which must be `known`; only those in `many` may occur more than once.
    pub fn children(&self, known: &[&str], many: &[&str]) -> ProfileResult<Vec<Element<'a>>> {
        self.attributes(&[])?;
        let mut children: Vec<Element<'a>> = Vec::new();
        for node in self.node.children() {
            if node.is_text() && !node.text().unwrap_or_default().trim().is_empty() {
                let byte = node.range().start;
                return Err(
                    self.wrong_at(byte, format!("<{}> holds elements, no text of its own", self.name()))
                );
            }
            if !node.is_element() {
                continue;
            }
            let child = Element { document: self.document, node };
            let name = child.name();
            if !known.contains(&name) && !many.contains(&name) {
                return Err(child.unknown_in(self.name(), known.iter().chain(many)));
            }
            if !many.contains(&name) && children.iter().any(|other| other.name() == name) {
                return Err(child.wrong(format!("<{name}> is here a second time; it may come once")));
            }
            children.push(child);
        }
        Ok(children)
    }

    fn unknown_in<'n>(&self, parent: &str, known: impl Iterator<Item = &'n &'n str>) -> ProfileError {
        let name = self.name();
        let near = within(NEAR_EDITS, name, known.copied());
        let hint = near.map(|near| format!("; <{near}> may be meant (names are case sensitive)"));
        let hint = hint.unwrap_or_default();
        self.wrong(format!("<{parent}> has no element <{name}>{hint}"))
    }

    /// Refuses attributes other than `known`.
    pub fn attributes(&self, known: &[&str]) -> ProfileResult<()> {
        match self.node.attributes().find(|attribute| !known.contains(&attribute.name())) {
            Some(other) => {
                let why = format!("<{}> has no attribute {}", self.name(), other.name());
                Err(self.wrong_at(other.range().start, why))
            }
            None => Ok(()),
        }
    }

    /// Reads an attribute as a number up to `most`.
    pub fn attribute(&self, name: &str, most: u32) -> ProfileResult<u32> {
        let Some(attribute) = self.node.attribute_node(name) else {
            return Err(self.wrong(format!("<{}> needs the attribute {name}", self.name())));
        };
        let value = attribute.value().trim().parse::<u32>().ok().filter(|&value| value <= most);
        value.ok_or_else(|| {
            let why = format!("{name}=\"{}\" must be a whole number of 0 to {most}", attribute.value());
            self.wrong_at(attribute.range().start, why)
        })
    }

    /// Returns an attribute as it is; `None` if it is missing.
    pub fn word_attribute(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// Returns the text of the element, which must have no other content.
    pub fn raw_text(&self) -> ProfileResult<String> {
        if let Some(child) = self.node.children().find(|child| child.is_element()) {
            let why = format!("<{}> holds a value, no elements", self.name());
            return Err(self.wrong_at(child.range().start, why));
        }
        Ok(self.node.children().filter_map(|child| child.text().filter(|_| child.is_text())).collect())
    }

    /// Returns the text of the element, which must have no attributes.
    pub fn text(&self) -> ProfileResult<String> {
        self.attributes(&[])?;
        self.raw_text()
    }

    /// Reads the text as a whole number from `least` to `most`; the element must have no attributes.
    pub fn number(&self, least: u64, most: u64) -> ProfileResult<u64> {
        self.attributes(&[])?;
        self.number_beside(least, most)
    }

    /// Reads the text as a whole number from `least` to `most`; the caller has already checked the attributes.
    pub fn number_beside(&self, least: u64, most: u64) -> ProfileResult<u64> {
        let text = self.raw_text()?;
        let value = text.trim().trim_start_matches('+').parse::<u64>().ok();
        value.filter(|value| (least..=most).contains(value)).ok_or_else(|| {
            self.wrong(format!(
                "<{}> must be a whole number of {least} to {most}, not '{}'",
                self.name(),
                text.trim()
            ))
        })
    }

    /// Reads the text as a 32-bit number, at least `least`.
    pub fn number32(&self, least: u32) -> ProfileResult<u32> {
        self.number(u64::from(least), u64::from(u32::MAX)).map(|value| value as u32)
    }

    /// Reads the text as a Boolean.
    pub fn flag(&self) -> ProfileResult<bool> {
        let text = self.text()?;
        match text.trim() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            other => Err(self.wrong(format!("<{}> must be true or false, not '{other}'", self.name()))),
        }
    }

    /// Reads the text as one of `words`.
    pub fn one_of<T: Copy>(&self, words: &[(&str, T)]) -> ProfileResult<T> {
        let text = self.text()?;
        let found = words.iter().find(|(word, _)| *word == text.trim());
        found.map(|&(_, value)| value).ok_or_else(|| {
            let all = words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
            self.wrong(format!("<{}> must be one of {all}, not '{}'", self.name(), text.trim()))
        })
    }
}
