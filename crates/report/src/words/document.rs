//! The form of every JSON document that is printed.

use serde::Serialize;

use crate::words::wrap::clean_json;

/// Version of each document's schema, raised if a key changes its meaning or goes away; a new key does not raise it.
pub const SCHEMA_VERSION: u32 = 1;

/// An object whose keys a reference page describes, in place of its schema.
pub(crate) type Object = serde_json::Map<String, serde_json::Value>;

/// A document after the two keys that say what it is.
#[derive(Serialize)]
struct Named<'d, D> {
    schema: String,
    schema_version: u32,
    #[serde(flatten)]
    document: &'d D,
}

fn named<'d, D>(name: &str, document: &'d D) -> Named<'d, D> {
    Named { schema: format!("plimsoll-{name}"), schema_version: SCHEMA_VERSION, document }
}

/// Returns the document `plimsoll-NAME` as JSON text with a line break at the end. A figure that is not a number is
/// `null`.
pub fn document_json(name: &str, document: &impl Serialize) -> String {
    // Documents have keys of text, so they always print.
    clean_json(serde_json::to_string_pretty(&named(name, document)).unwrap_or_default() + "\n")
}

/// Returns the document `plimsoll-NAME` as JSON text on one line, without its line break.
pub(crate) fn document_line(name: &str, document: &impl Serialize) -> String {
    clean_json(serde_json::to_string(&named(name, document)).unwrap_or_default())
}
