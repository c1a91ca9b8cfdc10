//! The documentation page of the simulator's parameters says what the code takes.

use std::fs;
use std::path::Path;

use volumes::SimulatedVolume;

const BEGIN: &str = "<!-- parameters:begin -->\n";
const END: &str = "<!-- parameters:end -->\n";

fn table() -> String {
    let mut text = "| parameter | write | needs | what it is; without it |\n|---|---|---|---|\n".to_owned();
    for [name, takes, needs, meaning] in SimulatedVolume::parameters() {
        let needs = if needs.is_empty() { String::new() } else { format!("`{needs}`") };
        let meaning = meaning.replace('|', "\\|");
        text.push_str(&format!("| `{name}` | {takes} | {needs} | {meaning} |\n"));
    }
    text
}

/// After adding a row: `PLIMSOLL_REGENERATE=1 ./dev test page`.
#[test]
fn the_page_has_the_table_of_every_parameter() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/simulator.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let fresh = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        fs::write(&path, &fresh).unwrap();
        return;
    }
    assert!(page == fresh, "docs/reference/simulator.md is behind the rows; run with PLIMSOLL_REGENERATE=1");
}

/// Each line of the page that can be typed after `plimsoll check` makes a volume.
#[test]
fn every_example_of_the_page_can_be_typed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/simulator.md");
    let page = fs::read_to_string(path).unwrap();
    let examples: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("plimsoll check sim:")).collect();
    assert!(examples.len() > 5, "{examples:?}");
    for example in examples {
        let words = example.split_whitespace().next().unwrap();
        let name = workload::PolicyName::parse(words).unwrap();
        if let Err(error) = SimulatedVolume::new(&name) {
            panic!("{words}: {error}");
        }
    }
}
