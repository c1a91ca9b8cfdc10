//! `plimsoll schema`: every printed document agrees with its schema and no other, and the schema describes every key.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::sync::OnceLock;

use crate::machine::*;
use serde_json::{Map, Value, json};

fn printed(folder: &Folder, words: &[&str]) -> Vec<Value> {
    let done = ended(&mut folder.plimsoll(words));
    let text = if words.contains(&"--progress") { done.err } else { done.out };
    match words.contains(&"--progress") {
        true => text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        false => {
            vec![serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words:?}: {error}: {text}"))]
        }
    }
}

fn schema(folder: &Folder, name: &str) -> Value {
    printed(folder, &["schema", name]).remove(0)
}

/// Text output of fio, as short as it can be.
pub(crate) const RESULT: &str = "nightly: (g=0): rw=randread, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=64
fio 1.59
nightly: (groupid=0, jobs=1): err= 0: pid=22329
read : io=3070.5MB, bw=132862KB/s, iops=33215 , runt= 23665msec
";

/// Every document with the words that print it, in a folder with a result and a run.
const PRINTED: [(&str, &[&str]); 35] = [
    ("report", &["check", "sim:aws-gp3", "--policy", "aws-gp3", "--out", "@/runs"]),
    ("report", &["check", "sim:aws-gp2,size=100GiB", "--expect", "read 700 iops, p99 < 30ms"]),
    ("report", &["run", "five-figures", "sim:aws-gp3"]),
    ("report", &["map", "sim:aws-gp3"]),
    ("report", &["headroom", "sim:aws-gp3", "--p99", "10ms"]),
    ("report", &["where", "sim:aws-gp3,size=10GiB"]),
    (
        "report",
        &[
            "watch",
            "--load",
            "database",
            "--on",
            "sim:do-volumes-standard",
            "--cycle",
            "5s",
            "--out",
            "@/watched",
        ],
    ),
    ("report", &["report", "@/a.txt", "--html", "@/a.html"]),
    ("reports", &["report", "@/a.txt", "@/b.txt", "--html", "@/pages/"]),
    ("comparison", &["compare", "a=@/a.txt", "b=@/b.txt"]),
    (
        "comparison",
        &["compare", "sim:custom,iops=3000,noise=2%", "sim:custom,iops=2850,noise=2%", "--blocks", "8"],
    ),
    ("trend", &["trend", "@/runs", "--no-store"]),
    ("size", &["size", "the run that was watched"]),
    ("import", &["import", "@/a.txt", "@/empty.txt", "--out", "@/imported"]),
    ("series", &["report", "the run that was watched", "--series", "*:r/s"]),
    ("explain", &["explain", "--", "fio", "--name=a", "--rw=randread", "--size=1g"]),
    ("list", &["list", "@/runs"]),
    ("doctor", &["doctor", "@"]),
    ("policies", &["policy", "list"]),
    ("policies", &["policy", "show", "aws-gp2,size=100GiB"]),
    ("policies", &["policy", "check", "@/ours.toml"]),
    ("match", &["policy", "match", "the run that was checked"]),
    ("match", &["policy", "match", "the run that was watched"]),
    ("profiles", &["profile", "list"]),
    ("profiles", &["profile", "show", "database"]),
    ("lab", &["lab", "list"]),
    ("plan", &["check", "sim:aws-gp3", "--dry-run"]),
    ("plan", &["run", "database", "sim:aws-gp3", "--dry-run"]),
    ("plan", &["compare", "sim:aws-gp3", "sim:aws-gp2,size=100GiB", "--dry-run"]),
    ("plan", &["headroom", "sim:aws-gp3", "--p99", "5ms", "--dry-run"]),
    ("progress", &["run", "five-figures", "sim:aws-gp3", "--progress", "json"]),
    (
        "progress",
        &["watch", "--load", "database", "--on", "sim:aws-gp3", "--cycle", "5s", "--progress", "json"],
    ),
    ("progress", &["check", "sim:nosuch", "--progress", "json"]),
    ("quick", &["quick", "@/dir", "--size", "64MiB", "--time", "500ms", "--busy"]),
    ("report", &["watch", "--for", "300ms", "--every", "100ms"]),
];

/// A policy of the user's own.
const OURS: &str = r#"
id = "ours"
name = "Ours"
[[rules]]
id = "iops"
resource = "iops"
direction = "total"
unit = "ops/s"
baseline = 5000
"#;

/// A printed document: its name, the words that printed it, and its content.
struct PrintedDocument {
    name: &'static str,
    words: String,
    document: Value,
}

/// Returns all documents, made once for the tests of this file.
fn all() -> &'static [PrintedDocument] {
    static ALL: OnceLock<Vec<PrintedDocument>> = OnceLock::new();
    ALL.get_or_init(|| {
        let folder = Folder::new();
        folder.make_dir("dir");
        for (name, text) in [
            ("a.txt", RESULT.to_owned()),
            ("b.txt", RESULT.replace("33215", "30000")),
            ("empty.txt", "none\n".to_owned()),
            ("ours.toml", OURS.to_owned()),
        ] {
            fs::write(folder.path(name), text).unwrap();
        }
        PRINTED.into_iter().flat_map(|(name, words)| of_one(&folder, name, words)).collect()
    })
}

/// Returns the documents that one command line prints.
fn of_one(folder: &Folder, name: &'static str, words: &[&str]) -> Vec<PrintedDocument> {
    let below = usize::from(["policy", "profile", "lab"].contains(&words[0]));
    let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    for word in &mut words {
        match word.as_str() {
            "the run that was checked" => *word = run_file(&folder.path("runs")),
            "the run that was watched" => *word = run_file(&folder.path("watched")),
            _ => {}
        }
    }
    if !words.iter().any(|word| word == "--progress") {
        words.splice(1 + below..1 + below, ["--format".to_owned(), "json".to_owned()]);
    }
    let typed: Vec<&str> = words.iter().map(String::as_str).collect();
    let documents = printed(folder, &typed).into_iter();
    documents.map(|document| PrintedDocument { name, words: typed.join(" "), document }).collect()
}

#[test]
fn the_list_names_every_document_and_a_mistyped_one_is_told_its_nearest() {
    let folder = Folder::new();
    let list = ended(&mut folder.plimsoll(&["schema"]));
    for line in list.out.lines().filter(|line| !line.starts_with(' ')) {
        let name = line.split(' ').next().unwrap();
        assert!(PRINTED.iter().any(|(printed, _)| *printed == name), "nothing here prints {name}");
    }
    for (name, _) in PRINTED {
        assert!(list.out.lines().any(|line| line.starts_with(name)), "{name}: {}", list.out);
    }
    let wrong = ended(&mut folder.plimsoll(&["schema", "repotr"]));
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.complained().contains("did you mean 'report'?"), "{}", wrong.err);
}

/// Checks every document against every schema: its own must accept it, all others refuse it. A key that its own lacks is a
/// fault, but for the numbers of a finding.
const OTHER_VALIDATOR: &str = r"
import json, sys, jsonschema
schemas, documents = (json.load(open(path)) for path in sys.argv[1:])
def close(node, name=''):
    if isinstance(node, list):
        return [close(part) for part in node]
    if not isinstance(node, dict):
        return
    if 'properties' in node and name != 'FindingRow':
        node['unevaluatedProperties'] = False
    for key, below in list(node.items()):
        # A branch beside keys sees only its own; the keys are closed around it.
        if key not in ('anyOf', 'oneOf') or 'properties' not in node:
            close(below, key)
for name, schema in schemas.items():
    jsonschema.Draft202012Validator.check_schema(schema)
    close(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for document in documents:
        if document['name'] == name:
            for fault in validator.iter_errors(document['document']):
                print(name, 'of', document['words'], 'at', list(fault.absolute_path), fault.message[:200])
        elif validator.is_valid(document['document']):
            print(name, 'takes', document['words'])
print(len(schemas), 'schemas', len(documents), 'documents')
";

#[test]
fn another_validator_takes_every_document_by_its_schema_and_by_no_other() {
    let Some(python) = python_with("import jsonschema") else {
        return skipped(Lack::Tool, "no python3 with jsonschema here (apt-get install python3-jsonschema)");
    };
    let folder = Folder::new();
    let schemas: Map<String, Value> =
        PRINTED.iter().map(|(name, _)| ((*name).to_owned(), schema(&folder, name))).collect();
    let documents: Vec<Value> = all()
        .iter()
        .map(|one| json!({ "name": one.name, "words": one.words, "document": one.document }))
        .collect();
    let said = format!("{} schemas {} documents\n", schemas.len(), documents.len());
    fs::write(folder.path("schemas.json"), Value::from(schemas).to_string()).unwrap();
    fs::write(folder.path("documents.json"), Value::from(documents).to_string()).unwrap();
    let words = ["-c", OTHER_VALIDATOR, "@/schemas.json", "@/documents.json"];
    let done = ended(&mut folder.through(python, &words));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(done.out, said);
}
