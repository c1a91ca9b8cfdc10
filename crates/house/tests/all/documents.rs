//! What the pages promise is there: files they link to, and subcommands of `./dev` they name.

use std::fs;
use std::path::{Path, PathBuf};

use house::{files, links, root};

fn pages() -> Vec<(PathBuf, String)> {
    let here = root();
    let listed = files(&here).unwrap_or_default();
    let pages = listed.into_iter().filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.filter_map(|path| fs::read_to_string(here.join(&path)).ok().map(|text| (path, text))).collect()
}

#[test]
fn every_link_to_a_file_leads_to_one() {
    for (page, text) in pages() {
        let folder = page.parent().unwrap_or(Path::new(""));
        for link in links(&text) {
            assert!(
                root().join(folder).join(&link.to).exists(),
                "{}:{} links to {}, which is not there: correct the link, or take it out until the file exists",
                page.display(),
                link.line,
                link.to
            );
        }
    }
}

#[test]
fn every_file_of_the_walks_is_there() {
    let law = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let walks = law.split("\n## ").find(|section| section.starts_with("Four walks")).unwrap();
    let named: Vec<(&str, &str)> = walks
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.ends_with(".rs"))
        .filter_map(|word| word.split_once('/'))
        .collect();
    assert!(named.len() > 50, "the walks name {} files", named.len());
    for (part, file) in named {
        let path = root().join("crates").join(part).join("src").join(file);
        assert!(path.is_file(), "the walks name {part}/{file}, which is not there");
    }
}

#[test]
fn every_subcommand_of_dev_that_a_page_names_exists() {
    let script = fs::read_to_string(root().join("dev")).unwrap();
    let branches: Vec<&str> =
        script.lines().filter_map(|line| line.split_once([')', '|']).map(|cut| cut.0.trim_end())).collect();
    for (page, text) in pages() {
        for rest in text.split("./dev ").skip(1) {
            let word: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
            assert!(
                word.is_empty() || branches.contains(&word.as_str()),
                "{} names `./dev {word}`, which the script `dev` has no branch for",
                page.display()
            );
        }
    }
}

#[test]
fn the_changelog_names_the_version_that_packages_are_of() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let (manifest, changes) = (read("Cargo.toml"), read("CHANGELOG.md"));
    let version =
        manifest.lines().find_map(|line| line.strip_prefix("version = ")).unwrap().trim_matches('"');
    let mut headings = changes.lines().filter_map(|line| line.strip_prefix("## ["));
    assert_eq!(headings.next(), Some("Unreleased]"), "what comes next stands first");
    let newest = headings.next().unwrap_or_default();
    let dated = newest.strip_prefix(version).and_then(|rest| rest.strip_prefix("] - "));
    assert!(
        dated.is_some_and(|date| date.len() == 10 && date.split('-').count() == 3),
        "the manifest has version {version}, and the newest heading of CHANGELOG.md is '## [{newest}'"
    );
}

#[test]
fn the_house_is_furnished() {
    let needed =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
    for name in needed {
        assert!(root().join(name).is_file(), "{name} is missing from the top folder");
    }
}
