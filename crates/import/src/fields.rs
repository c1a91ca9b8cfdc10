//! Numbers and words from JSON objects, with the place of each value of the wrong kind.

use record::Figure;
use serde_json::{Map, Value};

use super::text::Text;
use super::trouble::Troubles;

/// Greatest number accepted, as in text.
const MOST: f64 = 9e18;

/// An object and the path to it.
#[derive(Clone)]
pub(crate) struct Fields<'v> {
    pub map: &'v Map<String, Value>,
    text: &'v Text,
    /// Offset of the last value found on the path, from which the search for a trouble's place begins.
    at: usize,
    path: String,
}

impl<'v> Fields<'v> {
    /// Returns the root of a document that begins at `at`.
    pub fn root(value: &'v Value, text: &'v Text, at: usize) -> Option<Fields<'v>> {
        value.as_object().map(|map| Fields { map, text, at, path: String::new() })
    }

    /// Returns the object under `key`.
    pub fn object(&self, key: &str) -> Option<Fields<'v>> {
        self.entered(self.map.get(key)?, key, self.sought(key))
    }

    /// Returns the objects of the array under `key`.
    pub fn objects(&self, key: &str) -> Vec<Fields<'v>> {
        let Some(items) = self.map.get(key).and_then(Value::as_array) else { return Vec::new() };
        // Objects of one array begin with the same key, so searching for it finds each in turn.
        let first = items.iter().find_map(|item| item.as_object()?.keys().next());
        let mut at = self.sought(key);
        let mut found = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let path = format!("{key}[{index}]");
            found.extend(self.entered(item, &path, at));
            let next = first.and_then(|name| Some(self.text.quoted(at, name)? + 1));
            if let Some(entered) = found.last_mut() {
                entered.at = next.map_or(at, |next| next - 1);
            }
            at = next.unwrap_or(at);
        }
        found
    }

    fn entered(&self, value: &'v Value, key: &str, at: usize) -> Option<Fields<'v>> {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        value.as_object().map(|map| Fields { map, text: self.text, at, path })
    }

    /// Returns the offset of the first `key` after the last value found.
    fn sought(&self, key: &str) -> usize {
        self.text.quoted(self.at, key).unwrap_or(self.at)
    }

    /// Returns the words under `key`.
    pub fn word(&self, key: &str) -> Option<&'v str> {
        self.map.get(key)?.as_str()
    }

    /// Returns the number under `key` times `factor`; adds a trouble if the value is of the wrong kind.
    pub fn number(&self, key: &str, factor: f64, troubles: &mut Troubles) -> Option<Figure> {
        let value = self.map.get(key).filter(|value| !value.is_null())?;
        let figure = figure(value, factor);
        if figure.is_none() {
            let dot = if self.path.is_empty() { "" } else { "." };
            let expected = format!("a number for {}{dot}{key}", self.path);
            troubles.push(self.text.raw_trouble(self.sought(key), expected, &value.to_string()));
        }
        figure
    }

    /// Returns the line on which the object begins.
    pub fn line(&self) -> u32 {
        self.text.raw_place(self.at).0
    }
}

/// Returns a number as a figure with its printed step: 1 for a whole number, 1e-6 for any other.
pub(crate) fn figure(value: &Value, factor: f64) -> Option<Figure> {
    let number = value.as_number()?;
    let plain = number.as_f64().filter(|plain| plain.is_finite() && (plain * factor).abs() <= MOST)?;
    let step = if number.is_f64() { 1e-6 } else { 1.0 };
    Some(Figure { value: plain * factor, step: step * factor, printed: number.to_string() })
}
