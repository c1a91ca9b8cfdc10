//! The page of the catalogue agrees with `plimsoll policy list`.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::machine::*;

/// Returns the figures of each policy as the list shows them: operations, bytes, burst, date.
fn figures(folder: &Folder) -> BTreeMap<String, Vec<String>> {
    let listed = ended(&mut folder.plimsoll(&["policy", "list"]));
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    let table = listed.out.lines().skip(1).take_while(|line| !line.is_empty());
    let cells = |line: &str| {
        let cells: Vec<String> =
            line.split("  ").map(|cell| cell.trim().to_owned()).filter(|cell| !cell.is_empty()).collect();
        (cells[0].clone(), cells[1..].to_vec())
    };
    table
        .map(|line| {
            // After a long name only one blank precedes the first figure.
            let (id, rest) = line.split_once(' ').unwrap();
            cells(&format!("{id}  {rest}"))
        })
        .collect()
}

/// Returns the page: a table for each provider, in the order of the catalogue.
fn page(folder: &Folder) -> String {
    let listed = ended(&mut folder.plimsoll(&["policy", "list", "--format", "json"]));
    let document: Value = serde_json::from_str(&listed.out).unwrap();
    let (figures, mut providers) = (figures(folder), Vec::<(String, String)>::new());
    for policy in document["policies"].as_array().unwrap() {
        let said = |key: &str| policy[key].as_str().unwrap_or_default().to_owned();
        let sources = policy["limits"]["sources"].as_array().unwrap().iter();
        let sources: Vec<String> = sources
            .map(|source| match (source["url"].as_str(), source["title"].as_str().unwrap_or_default()) {
                (Some(url), title) => format!("[{title}]({url})"),
                (None, title) => title.to_owned(),
            })
            .collect();
        let row = format!(
            "| `{}` | {} | {} | {} |\n",
            said("id"),
            said("name"),
            figures[&said("id")].join(" | "),
            sources.join("; ")
        );
        match providers.iter_mut().find(|(name, _)| *name == said("provider")) {
            Some((_, rows)) => *rows += &row,
            None => providers.push((said("provider"), row)),
        }
    }
    let mut text = "# Policies\n\nThe published limits that `--policy`, `sim:` and `lab:` know, as `plimsoll policy list` shows them; \
                    `plimsoll policy show ID`\nhas the parameters and every rule, [Whose volume is this?](../guide/identify.md) how to \
                    write one of your own. A figure with *\ndepends on parameters and is that of the example that `show` prints.\n"
        .to_owned();
    for (provider, rows) in providers {
        let _ = write!(
            text,
            "\n## {provider}\n\n| id | name | IOPS | bytes a second | bursts to | as of | sources |\n|---|---|---|---|---|---|---|\n{rows}"
        );
    }
    text
}

/// Set `PLIMSOLL_REGENERATE=1` to write the page anew.
#[test]
fn the_page_of_the_catalogue_is_what_the_list_says() {
    let text = page(&Folder::new());
    assert!(text.contains("| `aws-gp3` | EBS gp3 | 3,000 | 125 MiB/s | - | 2025-09 |"), "{text}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/policies.md");
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        fs::write(&path, text).unwrap();
        return;
    }
    assert!(
        fs::read_to_string(&path).unwrap() == text,
        "docs/reference/policies.md is stale; run PLIMSOLL_REGENERATE=1 cargo test --release -p cli --test quick policies"
    );
}
