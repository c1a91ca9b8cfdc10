//! The page of the catalogue agrees with `plimsoll policy list`.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use policy::PriceList;
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
    text + &prices()
}

/// Returns the section on prices: where they are from, how old they are, and how to state one's own.
fn prices() -> String {
    let mut rows: Vec<(String, Vec<&str>)> = Vec::new();
    for row in PriceList::builtin().rows() {
        let policies: Vec<String> = row.policies.iter().map(|id| format!("`{id}`")).collect();
        let source = row.url.as_ref().map_or(row.source.clone(), |url| format!("[{}]({url})", row.source));
        let (note, currency) = (row.note.as_deref().unwrap_or_default(), &row.currency);
        let rest = format!("{currency} | {} | {source} | {note} |", row.as_of);
        let key = format!("{}\u{0}{rest}", policies.join(", "));
        match rows.iter_mut().find(|(known, _)| *known == key) {
            Some((_, regions)) => regions.push(&row.region),
            None => rows.push((key, vec![&row.region])),
        }
    }
    let table: String = rows
        .iter()
        .map(|(key, regions)| {
            let (policies, rest) = key.split_once('\u{0}').unwrap();
            format!("| {policies} | {} | {rest}\n", regions.join(", "))
        })
        .collect();
    format!("{PRICES}{table}{OWN_PRICES}")
}

const PRICES: &str = "
## Prices

What a volume costs for a month is known for the policies and regions below. Each price is as old as its source, which is the
date in the table: plimsoll fetches nothing, so a provider's change since then is not in it. `all` stands for every region of
the provider. A policy or region that is missing has no price, because no source was found for it. A month has 730 hours.

| policies | regions | currency | as of | source | remarks |
|---|---|---|---|---|---|
";

const OWN_PRICES: &str = r#"
Prices of your own (a newer list, a contract, another region) go into a TOML file. Its rows come before those above and replace
them for the same policy and region:

```toml
[[price]]
policies = ["aws-gp3"]
region = "us-east-1"
currency = "USD"
as_of = "2026-11-01"
source = "our contract"

[[price.parts]]                # a GiB of the size
count = { param = "size" }
price = 0.07

[[price.parts]]                # an operation a second above 3,000
count = { linear = { of = "iops", per = 1, base = -3000, min = 0 } }
price = 0.004

[[price.parts]]                # a MiB a second above 125
count = { linear = { of = "throughput", per = 1, base = -125, min = 0 } }
price = 0.035
```

A part costs `price` for each of `count`, `per = "month"` (the default) or `per = "hour"`. `count` is a formula of the policy's
parameters, in the units in which `plimsoll policy show ID` prints them, in the form of
[a policy of your own](../guide/identify.md); a price for each choice is a table, with a `price` of 1:
`{ table = { of = "tier", values = { P10 = 19.7, P15 = 38.0 } } }`. The size also counts for a policy whose limits do not depend
on it, in GiB or in the row's `size_unit`, such as `"GB"`.
"#;

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
