//! `plimsoll schema`: every document that is printed is as its schema says, key by key, and every key of it is told.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;

use crate::machine::*;
use serde_json::Value;

/// Where a document is not as its schema says. Stricter than a validator: a key that the schema does not tell is a fault.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn of(schema: &Value, document: &Value) -> Vec<String> {
        let mut faults = Faults::default();
        faults.look((schema, schema), document, "");
        faults.0
    }

    fn look(&mut self, (root, schema): (&Value, &Value), value: &Value, at: &str) {
        if let Some(part) = schema.get("$ref").and_then(Value::as_str) {
            return self.look((root, root.pointer(part.trim_start_matches('#')).unwrap()), value, at);
        }
        if let Some(any) = schema.get("anyOf").and_then(Value::as_array) {
            let each = any.iter().map(|one| {
                let mut faults = Faults::default();
                faults.look((root, one), value, at);
                faults.0
            });
            let least = each.min_by_key(Vec::len).unwrap();
            self.0.extend(least);
            return;
        }
        let words = schema.get("enum").and_then(Value::as_array).cloned();
        let words = words.or_else(|| schema.get("const").map(|word| vec![word.clone()]));
        if words.is_some_and(|words| !words.contains(value)) {
            self.0.push(format!("{at} is {value}"));
        }
        let types = match schema.get("type") {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !types.is_empty() && !types.iter().any(|name| is(name, value)) {
            self.0.push(format!("{at} is no {}: {value}", types.join(" or ")));
        }
        match value {
            Value::Object(fields) => self.keys((root, schema), fields, at),
            Value::Array(elements) => {
                let items = schema.get("items");
                let told =
                    items.into_iter().flat_map(|items| elements.iter().map(move |element| (items, element)));
                told.for_each(|(items, element)| self.look((root, items), element, &format!("{at}[]")));
            }
            _ => {}
        }
    }

    fn keys(&mut self, (root, schema): (&Value, &Value), fields: &serde_json::Map<String, Value>, at: &str) {
        let required = schema.get("required").and_then(Value::as_array);
        let missing =
            required.into_iter().flatten().filter_map(Value::as_str).filter(|key| !fields.contains_key(*key));
        self.0.extend(missing.map(|key| format!("{at}.{key} is missing")));
        let known = schema.get("properties").and_then(Value::as_object);
        for (key, value) in fields {
            let below = known.and_then(|known| known.get(key)).or_else(|| schema.get("additionalProperties"));
            match below {
                Some(below) => self.look((root, below), value, &format!("{at}.{key}")),
                // Documents within documents, and objects of any form, are told elsewhere.
                None if known.is_some() && !is_open(at) => self.0.push(format!("{at}.{key} is not told")),
                None => {}
            }
        }
    }
}

/// What has keys beside those that are told: numbers of a finding's kind, devices, sources.
fn is_open(at: &str) -> bool {
    [".findings[]", ".verdict.doubts[]", ".readings[]", ".limits", ".limits.limits[]", ".policies[].limits"]
        .iter()
        .any(|open| at.ends_with(open))
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        other => panic!("no type is called {other}"),
    }
}

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

/// fio's text, the least of it.
const RESULT: &str = "nightly: (g=0): rw=randread, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=64
fio 1.59
nightly: (groupid=0, jobs=1): err= 0: pid=22329
read : io=3070.5MB, bw=132862KB/s, iops=33215 , runt= 23665msec
";

/// Every document with what prints it, behind a folder with a result and a run in it.
const PRINTED: [(&str, &[&str]); 27] = [
    ("report", &["check", "sim:aws-gp3", "--policy", "aws-gp3", "--out", "@/runs"]),
    ("report", &["check", "sim:aws-gp2,size=100GiB", "--expect", "read 700 iops, p99 < 30ms"]),
    ("report", &["check", "sim:aws-gp3", "sim:aws-gp3", "--together"]),
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
    ("import", &["import", "@/a.txt", "@/empty.txt", "--out", "@/imported"]),
    ("series", &["report", "the run that was watched", "--series", "*:r/s"]),
    ("explain", &["explain", "--", "fio", "--name=a", "--rw=randread", "--size=1g"]),
    ("list", &["list", "@/runs"]),
    ("doctor", &["doctor", "@"]),
    ("policies", &["policy", "list"]),
    ("policies", &["policy", "show", "aws-gp2,size=100GiB"]),
    ("profiles", &["profile", "list"]),
    ("profiles", &["profile", "show", "database"]),
    ("lab", &["lab", "list"]),
    ("progress", &["check", "sim:aws-gp3", "--progress", "json"]),
    (
        "progress",
        &["watch", "--load", "database", "--on", "sim:aws-gp3", "--cycle", "5s", "--progress", "json"],
    ),
    ("progress", &["check", "sim:nosuch", "--progress", "json"]),
    ("quick", &["quick", "@/dir", "--size", "64MiB", "--time", "500ms", "--busy"]),
    ("report", &["watch", "--for", "300ms", "--every", "100ms"]),
];

#[test]
fn every_document_is_as_its_schema_says_and_its_schema_tells_every_key() {
    let folder = Folder::new();
    folder.make_dir("dir");
    for (name, text) in [
        ("a.txt", RESULT.to_owned()),
        ("b.txt", RESULT.replace("33215", "30000")),
        ("empty.txt", "none\n".to_owned()),
    ] {
        fs::write(folder.path(name), text).unwrap();
    }
    let mut faults = Vec::new();
    for (name, words) in PRINTED {
        let schema = schema(&folder, name);
        let mut words = words.to_vec();
        let watched;
        if name == "series" {
            watched = run_file(&folder.path("watched"));
            words[1] = &watched;
        }
        if !words.contains(&"--progress") {
            words.insert(1 + usize::from(["policy", "profile", "lab"].contains(&words[0])), "--format");
            words.insert(2 + usize::from(["policy", "profile", "lab"].contains(&words[0])), "json");
        }
        for document in printed(&folder, &words) {
            let found = Faults::of(&schema, &document);
            faults.extend(found.into_iter().map(|fault| format!("{name} of {words:?}: {fault}")));
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{}\n{faults:#?}", faults.len());
}

#[test]
fn the_list_names_every_document_and_a_mistyped_one_is_told_its_nearest() {
    let folder = Folder::new();
    let list = ended(&mut folder.plimsoll(&["schema"]));
    for (name, _) in PRINTED {
        assert!(list.out.lines().any(|line| line.starts_with(name)), "{name}: {}", list.out);
    }
    let wrong = ended(&mut folder.plimsoll(&["schema", "repotr"]));
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.complained().contains("did you mean 'report'?"), "{}", wrong.err);
}

#[test]
fn the_schemas_are_such_of_2020_12_to_another_validator_and_it_takes_a_document_by_them() {
    let has = std::process::Command::new("python3").args(["-c", "import jsonschema"]).output();
    if !has.is_ok_and(|ended| ended.status.success()) {
        return skipped(Lack::Tool, "no python3 with jsonschema here (apt-get install python3-jsonschema)");
    }
    const SCRIPT: &str = r"
import json, sys, jsonschema
folder, document = sys.argv[1], json.load(open(sys.argv[2]))
for name in sys.argv[3:]:
    schema = json.load(open(f'{folder}/{name}.schema.json'))
    jsonschema.Draft202012Validator.check_schema(schema)
    found = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    print(name, 'takes it' if not found else 'refuses it')
";
    let folder = Folder::new();
    let mut names: Vec<&str> = PRINTED.iter().map(|(name, _)| *name).collect();
    names.dedup();
    for name in &names {
        fs::write(folder.path(&format!("{name}.schema.json")), schema(&folder, name).to_string()).unwrap();
    }
    let check = ended(&mut folder.plimsoll(&["check", "sim:aws-gp3", "--format", "json"]));
    fs::write(folder.path("document.json"), check.out).unwrap();
    let words = [&["-c", SCRIPT, "@", "@/document.json"][..], &names].concat();
    let done = ended(&mut folder.through("python3", &words));
    assert_eq!(done.code, Some(0), "{}", done.err);
    for line in done.out.lines() {
        assert_eq!(line.ends_with("takes it"), line == "report takes it", "{}", done.out);
    }
}
