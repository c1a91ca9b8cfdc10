//! A ratchet: what the sources weigh may fall, and rises only with a reason in `.ci/weight`.

use std::fs;

use house::{CrateFile, Weight, files, root};

/// Percentage below a ceiling from which the ceiling is named as one to lower.
const SLACK_PERCENT: usize = 1;

fn weight() -> Weight {
    let here = root();
    let rust = files(&here)
        .unwrap_or_default()
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let texts: Vec<(String, String)> = rust
        .filter_map(|path| {
            let inside = path.strip_prefix("crates").ok()?.to_str()?.to_owned();
            Some((inside, fs::read_to_string(here.join(&path)).ok()?))
        })
        .collect();
    Weight::of(&texts.iter().map(|(path, text)| CrateFile { path, text }).collect::<Vec<_>>())
}

/// Returns the rows of `.ci/weight`: a name, the most, and what the last rise bought.
fn ceilings() -> Vec<(String, usize)> {
    let text = fs::read_to_string(root().join(".ci/weight")).unwrap_or_default();
    let rows = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    rows.map(|row| {
        let mut words = row.split_whitespace();
        let (name, most) =
            (words.next().unwrap_or_default(), words.next().and_then(|word| word.parse().ok()));
        assert!(words.next().is_some(), ".ci/weight: {name}: say what the last rise bought");
        (name.to_owned(), most.unwrap_or_else(|| panic!(".ci/weight: {name}: its ceiling is no number")))
    })
    .collect()
}

#[test]
fn the_sources_weigh_no_more_than_their_ceilings() {
    let weight = weight();
    let weighed = [
        ("product-lines", weight.product_lines),
        ("test-lines", weight.test_lines),
        ("thresholds", weight.thresholds),
        ("public-types", weight.public_types),
        ("circles", weight.circles),
    ];
    let ceilings = ceilings();
    assert_eq!(ceilings.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(), weighed.map(|row| row.0));
    for ((name, most), (_, found)) in ceilings.iter().zip(weighed) {
        assert!(
            found <= *most,
            "{name}: {found}, and .ci/weight allows {most}. Make something lighter; or raise it there, and write beside it \
             what the rise buys"
        );
        if found + most * SLACK_PERCENT / 100 < *most {
            eprintln!("{name}: {found}; .ci/weight still allows {most}: lower it");
        }
    }
}
