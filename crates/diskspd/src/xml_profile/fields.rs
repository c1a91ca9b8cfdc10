//! Child elements of a profile as rows: how each is read, and how it is written if it applies.

use super::element::{Element, ProfileError};
use crate::markup::Markup;

pub type ProfileResult<T> = Result<T, ProfileError>;

/// A child of the element that describes a `T`.
pub(crate) struct Field<T: 'static> {
    /// Name of the child element.
    pub name: &'static str,
    /// Reads the child into the value.
    pub read: fn(&mut T, Element<'_>) -> ProfileResult<()>,
    /// Writes the child, if it applies.
    pub write: fn(&T, &mut Markup),
}

/// Reads the children of `element` into `of`, in any order and each once; returns the names of those present.
pub fn read<T>(of: &mut T, element: Element<'_>, fields: &[Field<T>]) -> ProfileResult<Vec<&'static str>> {
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    let mut there = Vec::new();
    for child in element.children(&names, &[])? {
        if let Some(field) = fields.iter().find(|field| field.name == child.name()) {
            (field.read)(of, child)?;
            there.push(field.name);
        }
    }
    Ok(there)
}

/// Writes the children for `of`, in the order of the rows.
pub fn write<T>(of: &T, markup: &mut Markup, fields: &[Field<T>]) {
    fields.iter().for_each(|field| (field.write)(of, markup));
}

/// The word for a value.
pub fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> &'static str {
    words.iter().find(|(_, known)| known == value).map_or("", |(word, _)| word)
}

/// A child whose text is a value: how to read it, and optionally the value for which it is omitted.
macro_rules! value {
    ($name:literal, $field:ident, $child:ident => $read:expr) => {
        $crate::xml_profile::fields::Field {
            name: $name,
            read: |of, $child| {
                of.$field = $read;
                Ok(())
            },
            write: |of, markup| markup.leaf($name, &of.$field),
        }
    };
    ($name:literal, $field:ident unless $absent:expr, $child:ident => $read:expr) => {
        $crate::xml_profile::fields::Field {
            write: |of, markup| {
                if of.$field != $absent {
                    markup.leaf($name, &of.$field);
                }
            },
            ..value!($name, $field, $child => $read)
        }
    };
}

/// A child that is true or false; with `unless false` it is written only if true.
macro_rules! flag {
    ($name:literal, $field:ident) => { value!($name, $field, child => child.flag()?) };
    ($name:literal, $field:ident unless false) => { value!($name, $field unless false, child => child.flag()?) };
}

pub(super) use {flag, value};
