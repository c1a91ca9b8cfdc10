//! `plimsoll schema`: the JSON Schema of each document that is printed. A test derives them from the documents' types and
//! keeps them in `schemas.json`, so that the binary holds their packed text alone.

use std::io::Write as _;

use flate2::write::ZlibDecoder;
use serde_json::Value;
use session::failure::Failure;
use session::output;

use crate::arguments::SchemaArguments;

/// The schema of each document by its name, packed by the build script.
const SCHEMAS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schemas"));

/// A kind of document.
struct Document {
    /// The name by which its schema is asked for.
    name: &'static str,
    /// The commands that print it.
    printed_by: &'static str,
}

/// All documents, in the order in which they are listed.
const DOCUMENTS: [Document; 17] = [
    Document {
        name: "report",
        printed_by: "check, run, watch, burst, map, headroom, where and report --format json",
    },
    Document { name: "reports", printed_by: "report --format json of several recordings" },
    Document { name: "quick", printed_by: "quick --format json" },
    Document { name: "comparison", printed_by: "compare --format json" },
    Document { name: "size", printed_by: "size --format json" },
    Document { name: "trend", printed_by: "trend --format json" },
    Document { name: "import", printed_by: "import --format json" },
    Document { name: "series", printed_by: "report --series --format json" },
    Document { name: "explain", printed_by: "explain --format json" },
    Document { name: "list", printed_by: "list --format json" },
    Document { name: "doctor", printed_by: "doctor --format json" },
    Document { name: "policies", printed_by: "policy list, show and check --format json" },
    Document { name: "match", printed_by: "policy match --format json" },
    Document { name: "profiles", printed_by: "profile list and profile show --format json" },
    Document { name: "plan", printed_by: "--dry-run --format json" },
    Document { name: "lab", printed_by: "lab list --format json" },
    Document { name: "progress", printed_by: "--progress json, each line" },
];

/// Prints the schema of a document, or the list of documents.
pub fn run(arguments: &SchemaArguments) -> Result<u8, Failure> {
    let text = match &arguments.document {
        None => DOCUMENTS
            .iter()
            .map(|document| report::wrap(&format!("{:<12}", document.name), document.printed_by))
            .collect(),
        Some(name) => format!("{:#}\n", schemas().map_err(Failure::failed)?[find(name)?]),
    };
    output::result(&text)?;
    Ok(0)
}

fn schemas() -> std::io::Result<Value> {
    let mut decoder = ZlibDecoder::new(Vec::new());
    decoder.write_all(SCHEMAS)?;
    Ok(serde_json::from_slice(&decoder.finish()?)?)
}

fn find(name: &str) -> Result<&'static str, Failure> {
    let bare = name.strip_prefix("plimsoll-").unwrap_or(name);
    let names = || DOCUMENTS.iter().map(|document| document.name);
    names().find(|known| *known == bare).ok_or_else(|| {
        let near = policy::nearest(bare, names());
        let near = near.map(|near| format!("did you mean '{near}'? ")).unwrap_or_default();
        Failure::refused(format!("there is no document '{name}'; {near}plimsoll schema lists them"))
    })
}

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;
    use schemars::transform::RecursiveTransform;
    use schemars::{JsonSchema, Schema};
    use serde_json::{Map, json};

    use super::*;
    use crate::commands::{doctor, import, lab, list, outline, policy, profile};

    /// Several reports.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "the reports are joined as text")]
    struct ReportsDocument {
        /// Documents `report`.
        reports: Vec<Map<String, Value>>,
    }

    fn derived(name: &str) -> Map<String, Value> {
        match name {
            "report" => of::<report::Report>(),
            "reports" => of::<ReportsDocument>(),
            "quick" => of::<report::QuickDocument>(),
            "comparison" => of::<report::ComparisonDocument>(),
            "size" => of::<report::SizeDocument>(),
            "trend" => of::<report::TrendDocument>(),
            "import" => of::<import::ImportDocument>(),
            "series" => of::<report::SeriesDocument>(),
            "explain" => of::<explain::ExplainedText>(),
            "list" => of::<list::ListDocument>(),
            "doctor" => of::<doctor::DoctorDocument>(),
            "policies" => of::<policy::list::PoliciesDocument>(),
            "match" => of::<policy::matched::MatchDocument>(),
            "profiles" => of::<profile::ProfilesDocument>(),
            "plan" => of::<outline::PlanDocument>(),
            "lab" => of::<lab::LabDocument>(),
            "progress" => of::<report::ProgressLine>(),
            other => panic!("no type makes the document {other}"),
        }
    }

    fn of<T: JsonSchema>() -> Map<String, Value> {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let generator = settings.with_transform(RecursiveTransform(plain)).into_generator();
        generator.into_root_schema_for::<T>().as_object().cloned().unwrap()
    }

    /// Takes Rust out of a schema: the widths of its numbers, and the marks of its doc comments.
    fn plain(schema: &mut Schema) {
        ["format", "minimum", "maximum"].iter().for_each(|key| drop(schema.remove(*key)));
        if let Some(Value::String(words)) = schema.get_mut("description") {
            *words =
                words.replace('\n', " ").replace("`None`", "`null`").replace("[`", "`").replace("`]", "`");
        }
    }

    /// Returns the schema of a document, with the keys that every document has.
    fn named(document: &Document) -> Value {
        let mut derived = derived(document.name);
        let name = format!("plimsoll-{}", document.name);
        if let Some(Value::Object(keys)) = derived.get_mut("properties") {
            keys.shift_insert(0, "schema".to_owned(), json!({ "const": name }));
            keys.shift_insert(1, "schema_version".to_owned(), json!({ "const": report::SCHEMA_VERSION }));
        }
        if let Some(Value::Array(keys)) = derived.get_mut("required") {
            keys.splice(0..0, ["schema".into(), "schema_version".into()]);
        }
        let mut schema = Map::new();
        schema.insert("$schema".to_owned(), derived["$schema"].take());
        schema.insert("title".to_owned(), name.into());
        schema.insert(
            "description".to_owned(),
            format!("what plimsoll prints: {}", document.printed_by).into(),
        );
        for (key, value) in derived {
            schema.entry(key).or_insert(value);
        }
        schema.into()
    }

    #[test]
    fn every_schema_is_derived_from_the_type_of_its_document() {
        let all = DOCUMENTS.iter().map(|document| (document.name.to_owned(), named(document)));
        let all: Map<String, Value> = all.collect();
        if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas.json");
            return std::fs::write(file, serde_json::to_string_pretty(&all).unwrap() + "\n").unwrap();
        }
        assert!(
            schemas().unwrap() == Value::Object(all),
            "schemas.json is stale: PLIMSOLL_REGENERATE=1 ./dev test every_schema"
        );
    }
}
