//! Results within other JSON: in a list, under a key that a service chose, one job of several.

use serde_json::{Map, Value};

use super::documents::Document;
use super::text::Text;

/// Keys of which every result of fio has one near its beginning.
const FIRST: [&str; 3] = ["fio version", "jobname", "jobs"];

/// Returns every wanted result in `document`, which may be one itself.
pub(crate) fn results(
    document: Document,
    text: &Text,
    is_wanted: &impl Fn(&Document) -> bool,
) -> Vec<Document> {
    let mut found = Vec::new();
    visit(document, text, is_wanted, &mut found);
    found
}

fn visit(document: Document, text: &Text, is_wanted: &impl Fn(&Document) -> bool, found: &mut Vec<Document>) {
    if is_wanted(&document) {
        return found.push(document);
    }
    let Document { value, mut at } = document;
    let within: Vec<Value> = match value {
        Value::Array(items) if items.len() > 1 && items.iter().all(is_job) => {
            // Jobs cut out of the document around them still belong to one run.
            vec![Value::Object(Map::from_iter([("jobs".to_owned(), Value::Array(items))]))]
        }
        Value::Array(items) => items,
        Value::Object(fields) => fields.into_iter().map(|(_, value)| value).collect(),
        _ => return,
    };
    for value in within {
        if value.is_object() || value.is_array() {
            let place = place(&value, at, text);
            let before = found.len();
            visit(Document { value, at: place }, text, is_wanted, found);
            at = if found.len() > before { place + 1 } else { at };
        }
    }
}

/// Whether a value is a job of fio without the document around it.
pub(crate) fn is_job(value: &Value) -> bool {
    let has = |key| value.get(key).is_some();
    has("jobname") && (has("read") || has("write") || has("trim") || has("mixed"))
}

/// Returns the offset of the result's first key, from `at` on.
fn place(value: &Value, at: usize, text: &Text) -> usize {
    let key = FIRST.iter().find(|key| value.get(**key).is_some());
    key.and_then(|key| text.quoted(at, key)).unwrap_or(at)
}
