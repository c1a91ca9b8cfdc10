//! The layer table of `ARCHITECTURE.md` is the law: every manifest is checked against it.

use std::collections::BTreeSet;
use std::fs;

use house::{Crate, crates, layer_table, library_table, root};

fn architecture() -> String {
    match fs::read_to_string(root().join("ARCHITECTURE.md")) {
        Ok(text) => text,
        Err(why) => panic!("ARCHITECTURE.md cannot be read: {why}"),
    }
}

fn manifests() -> Vec<Crate> {
    match crates(&root()) {
        Ok(found) => found,
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn every_crate_has_its_row_and_every_row_its_crate() {
    let rows: BTreeSet<String> = layer_table(&architecture()).unwrap().into_keys().collect();
    let packages: BTreeSet<String> = manifests().into_iter().map(|package| package.name).collect();
    assert_eq!(
        rows, packages,
        "left: rows of the layer table in ARCHITECTURE.md; right: packages under crates/. \
         Give a new crate its row first: what it turns into what, what it may import, what it never does"
    );
}

#[test]
fn a_crate_imports_only_what_its_row_lists() {
    let layers = layer_table(&architecture()).unwrap();
    for package in manifests() {
        let row = layers.get(&package.name).cloned().unwrap_or_default();
        let extra: Vec<_> = package.imports.difference(&row.may_import).collect();
        assert!(
            extra.is_empty(),
            "crates/{}/Cargo.toml imports {extra:?}, which its row in ARCHITECTURE.md does not list. \
             Move the code to the crate that may know both, or pass the value in as a type of `workload` or `record`; \
             if the layering itself is wrong, change the table first and say why in the commit",
            package.name
        );
    }
}

#[test]
fn tests_import_only_what_the_looser_column_lists() {
    let layers = layer_table(&architecture()).unwrap();
    for package in manifests() {
        let row = layers.get(&package.name).cloned().unwrap_or_default();
        let allowed: BTreeSet<String> = row.may_import.union(&row.tests_may).cloned().collect();
        let extra: Vec<_> = package.test_imports.difference(&allowed).collect();
        assert!(
            extra.is_empty(),
            "the tests of crates/{} import {extra:?}, which neither column of its row in ARCHITECTURE.md lists. \
             Put the test into the crate that sees both sides, or change the column `tests may` first and say why",
            package.name
        );
    }
}

#[test]
fn the_table_itself_has_no_cycle() {
    let mut layers = layer_table(&architecture()).unwrap();
    for (name, row) in &mut layers {
        row.may_import.remove(name);
    }
    while !layers.is_empty() {
        let rests = |row: &house::Layer| row.may_import.iter().all(|name| !layers.contains_key(name));
        let free: Vec<String> =
            layers.iter().filter(|(_, row)| rests(row)).map(|(name, _)| name.clone()).collect();
        assert!(!free.is_empty(), "these rows of the layer table import each other in a circle: {layers:#?}");
        layers.retain(|name, _| !free.contains(name));
    }
}

#[test]
fn a_confined_library_is_used_only_where_the_table_says() {
    let confined = library_table(&architecture()).unwrap();
    for package in manifests() {
        for library in &package.libraries {
            let users = confined.get(library);
            assert!(
                users.is_none_or(|users| users.contains(&package.name)),
                "crates/{} uses {library}, which ARCHITECTURE.md keeps to {users:?}. \
                 Ask that crate for what is needed, or change the table of libraries first and say why",
                package.name
            );
        }
    }
}

#[test]
fn versions_stand_in_the_workspace_manifest_alone() {
    for package in manifests() {
        let path = root().join("crates").join(&package.name).join("Cargo.toml");
        let manifest = fs::read_to_string(&path).unwrap();
        let tables = manifest.split("\n[").filter(|table| {
            let head = table.lines().next().unwrap_or_default();
            head.ends_with("dependencies]")
        });
        for line in tables.flat_map(|table| table.lines().skip(1)).filter(|line| line.contains('=')) {
            assert!(
                line.starts_with('#') || line.contains("workspace = true"),
                "{}: `{line}`: write NAME.workspace = true, and put the version with its reason into the \
                 workspace manifest",
                path.display()
            );
        }
    }
}

#[test]
fn every_outside_dependency_says_why_it_is_there() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let table = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let table = table.split("\n[").next().unwrap();
    let mut reason = String::new();
    for line in table.lines().map(str::trim) {
        match line {
            "" => reason.clear(),
            _ if line.starts_with('#') => reason.push_str(line.trim_start_matches('#')),
            _ if line.contains("path = \"crates/") => {}
            _ => assert!(
                reason.trim().len() > 20,
                "Cargo.toml: `{line}` has no reason. Write above it, in one sentence, why it is there and not our own \
                 code; one sentence may stand over a group of lines without a gap"
            ),
        }
    }
}
