//! What the pages promise exists: files they link to, and subcommands of `./dev` they name.

use std::fs;
use std::path::{Path, PathBuf};

use house::{anchors, files, links, places, root};

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
fn every_link_to_a_heading_leads_to_one() {
    for (page, text) in pages() {
        let folder = page.parent().unwrap_or(Path::new(""));
        for anchor in anchors(&text) {
            let to = root().join(folder).join(&anchor.to);
            let other = if anchor.to.is_empty() { text.clone() } else { fs::read_to_string(to).unwrap() };
            assert!(
                places(&other).contains(&anchor.place),
                "{}:{} links to #{} of {}, which has no such heading; it has {:?}",
                page.display(),
                anchor.line,
                anchor.place,
                if anchor.to.is_empty() { "this page" } else { &anchor.to },
                places(&other)
            );
        }
    }
}

/// Users type these commands first, and continuous integration runs them as users do.
#[test]
fn the_readme_names_both_commands_and_continuous_integration_runs_the_tests_as_it_says() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let (readme, ci) = (read("README.md"), read(".ci/run"));
    for command in ["./dev demo", "./dev test"] {
        let block = format!("\n```\n{command}\n```\n");
        assert!(readme.contains(&block), "README.md has no block of its own for {command}");
    }
    assert!(
        ci.trim_end().ends_with("exec ./dev test"),
        ".ci/run does not end with ./dev test as README.md has it"
    );
}

/// Every command in a page is run by a test, because one that is not run will be wrong some day.
#[test]
fn every_page_with_commands_is_named_by_a_test_that_runs_them() {
    let here = root();
    let listed = files(&here).unwrap_or_default();
    let is_test = |path: &&PathBuf| {
        let test = path.components().any(|part| part.as_os_str() == "tests");
        test && path.extension().is_some_and(|end| end == "rs") && !path.starts_with("crates/house")
    };
    let tests: String =
        listed.iter().filter(is_test).filter_map(|path| fs::read_to_string(here.join(path)).ok()).collect();
    for (page, text) in pages() {
        let is_told = page.starts_with("docs") || page == Path::new("README.md");
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        assert!(
            !is_told || !text.contains("```sh\n") || tests.contains(&*name),
            "{} has commands (```sh) and no test names it: run them in crates/cli/tests/quick/guide_pages.rs",
            page.display()
        );
    }
}

/// Returns the column sums of one table of the page on truth.
fn sums(table: &str) -> [u64; 8] {
    let mut sums = [0; 8];
    for row in table.lines() {
        let cells: Vec<u64> = row.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
        if let Ok(cells) = <[u64; 8]>::try_from(cells) {
            sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
        }
    }
    sums
}

/// Set `PLIMSOLL_REGENERATE=1` to write the table anew.
#[test]
fn the_page_on_limits_has_the_sums_of_what_was_measured() {
    let truth = fs::read_to_string(root().join("docs/reference/truth.md")).unwrap();
    let mut table = String::from(
        "| runs | answers | right | rightly open | held back or missed | wrong, and unsure | sure and wrong, answers |\n|---|---|---|---|---|---|---|\n",
    );
    let share = |part: u64, all: u64| format!("{:.1} %", 100.0 * part as f64 / all as f64);
    for section in truth.split("\n## ").skip(1) {
        let Some((name, rest)) = section.split_once('\n') else { continue };
        let [right, open, held, missed, figure, cause, sure_cause, sure] = sums(rest);
        let (unsure, sure) = (figure + cause, sure_cause + sure);
        let all = right + open + held + missed + unsure + sure;
        if all > 0 {
            // The last count is so small that a percentage would round it away.
            let shares = [right, open, held + missed, unsure].map(|part| share(part, all));
            table += &format!("| {name} | {all} | {} | {sure} |\n", shares.join(" | "));
        }
    }
    assert!(table.lines().count() > 10, "{table}");
    let path = root().join("docs/explanation/limits.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("<!-- truth:begin -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- truth:end -->").unwrap();
    let fresh = format!("{before}<!-- truth:begin -->\n{table}<!-- truth:end -->{after}");
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        fs::write(&path, fresh).unwrap();
        return;
    }
    assert!(
        page == fresh,
        "docs/explanation/limits.md is stale; run PLIMSOLL_REGENERATE=1 cargo test -p house documents"
    );
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
