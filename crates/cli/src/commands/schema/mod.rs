//! `plimsoll schema`: the JSON Schema of each document that is printed, made from its table.

mod tables;

use serde_json::{Map, Value, json};
use session::failure::Failure;
use session::output;

use crate::arguments::SchemaArguments;
use tables::{DOCUMENTS, Document, PARTS};

/// The dialect in which the schemas are written.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Prints the schema of a document, or the list of documents.
pub fn run(arguments: &SchemaArguments) -> Result<u8, Failure> {
    let text = match &arguments.document {
        None => DOCUMENTS
            .iter()
            .map(|document| report::wrap(&format!("{:<12}", document.name), document.printed_by))
            .collect(),
        // Printing a `Value` cannot fail: its keys are strings and its numbers are finite.
        Some(name) => serde_json::to_string_pretty(&schema(find(name)?)).unwrap_or_default() + "\n",
    };
    output::result(&text)?;
    Ok(0)
}

fn find(name: &str) -> Result<&'static Document, Failure> {
    let bare = name.strip_prefix("plimsoll-").unwrap_or(name);
    DOCUMENTS.iter().find(|document| document.name == bare).ok_or_else(|| {
        let near = policy::nearest(bare, DOCUMENTS.iter().map(|document| document.name));
        let near = near.map(|near| format!("did you mean '{near}'? ")).unwrap_or_default();
        Failure::refused(format!("there is no document '{name}'; {near}plimsoll schema lists them"))
    })
}

/// Returns the schema of a document.
fn schema(document: &Document) -> Value {
    let mut root = node_of(document.rows).written();
    let schema = format!("plimsoll-{}", document.name);
    let parts = PARTS.iter().map(|(name, rows)| ((*name).to_owned(), node_of(rows).written()));
    if let Value::Object(fields) = &mut root {
        fields.insert("$defs".to_owned(), parts.collect::<Map<_, _>>().into());
        named(fields, &schema, document.version);
        fields.shift_insert(0, "$schema".to_owned(), DIALECT.into());
        fields.shift_insert(1, "title".to_owned(), schema.into());
        fields.shift_insert(
            2,
            "description".to_owned(),
            format!("what plimsoll prints: {}", document.printed_by).into(),
        );
    }
    root
}

/// Adds the two keys that identify a document.
fn named(fields: &mut Map<String, Value>, schema: &str, version: u32) {
    if let Some(Value::Object(keys)) = fields.get_mut("properties") {
        keys.shift_insert(0, "schema".to_owned(), json!({ "const": schema }));
        keys.shift_insert(1, "schema_version".to_owned(), json!({ "const": version }));
    }
    if let Some(Value::Array(keys)) = fields.get_mut("required") {
        keys.insert(0, "schema".into());
        keys.insert(1, "schema_version".into());
    }
}

/// A place in a document.
#[derive(Default)]
struct Node {
    types: &'static str,
    about: &'static str,
    optional: bool,
    below: Vec<(String, Node)>,
}

/// Builds the tree of places from a table, starting with the document itself.
fn node_of(rows: &'static str) -> Node {
    let mut root = Node { types: "object", ..Node::default() };
    for row in rows.lines().filter(|row| !row.is_empty()) {
        let (path, rest) = row.split_once(' ').unwrap_or((row, ""));
        let (types, about) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        let bare = path.trim_end_matches('?').replace("[]", ".[]");
        let mut node = &mut root;
        for part in bare.split('.') {
            node = node.child(part);
        }
        (node.types, node.about, node.optional) = (types, about.trim(), path.ends_with('?'));
    }
    root
}

impl Node {
    fn child(&mut self, name: &str) -> &mut Node {
        let at = match self.below.iter().position(|(known, _)| known == name) {
            Some(at) => at,
            None => {
                self.below.push((name.to_owned(), Node::default()));
                self.below.len() - 1
            }
        };
        &mut self.below[at].1
    }

    /// Returns the place as a schema.
    fn written(&self) -> Value {
        let mut all: Vec<Value> = self.types.split('|').map(|word| self.one(word)).collect();
        let mut value = if all.len() == 1 { all.remove(0) } else { united(all) };
        if let (Value::Object(fields), false) = (&mut value, self.about.is_empty()) {
            fields.insert("description".to_owned(), self.about.into());
        }
        value
    }

    /// Returns the schema of one of the place's types.
    fn one(&self, word: &str) -> Value {
        if let Some(word) = word.strip_prefix('=') {
            return json!({ "const": word });
        }
        if PARTS.iter().any(|(part, _)| *part == word) {
            return json!({ "$ref": format!("#/$defs/{word}") });
        }
        match word {
            "any" => json!({}),
            "array" => match self.below.first() {
                Some((_, element)) => json!({ "type": "array", "items": element.written() }),
                None => json!({ "type": "array" }),
            },
            "object" => self.object(),
            other => json!({ "type": other }),
        }
    }

    fn object(&self) -> Value {
        if let [(name, values)] = self.below.as_slice()
            && name == "*"
        {
            return json!({ "type": "object", "additionalProperties": values.written() });
        }
        if self.below.is_empty() {
            return json!({ "type": "object" });
        }
        let required: Vec<&String> =
            self.below.iter().filter(|(_, node)| !node.optional).map(|(name, _)| name).collect();
        let properties: Map<String, Value> =
            self.below.iter().map(|(name, node)| (name.clone(), node.written())).collect();
        json!({ "type": "object", "properties": properties, "required": required })
    }
}

/// Returns a schema that accepts each of `all`: a single list if all are constants or all are plain types.
fn united(all: Vec<Value>) -> Value {
    let each = |key: &str| -> Option<Vec<Value>> {
        all.iter().map(|one| one.as_object().filter(|fields| fields.len() == 1)?.get(key).cloned()).collect()
    };
    match (each("const"), each("type")) {
        (Some(words), _) => json!({ "enum": words }),
        (_, Some(types)) => json!({ "type": types }),
        _ => json!({ "anyOf": all }),
    }
}
