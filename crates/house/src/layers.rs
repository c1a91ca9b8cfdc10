//! The layer table of `ARCHITECTURE.md`, and the imports that the manifests declare.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// One row of the layer table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    /// Crates of the workspace that the crate itself may import.
    pub may_import: BTreeSet<String>,
    /// Crates of the workspace that only its tests may import.
    pub tests_may: BTreeSet<String>,
}

/// External libraries that only some crates may use, each with those crates.
pub type ConfinedLibraries = BTreeMap<String, BTreeSet<String>>;

/// The dependencies that one manifest declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crate {
    /// The package's name.
    pub name: String,
    /// Crates of the workspace that the crate or its build script imports.
    pub imports: BTreeSet<String>,
    /// Crates of the workspace that its tests import.
    pub test_imports: BTreeSet<String>,
    /// External libraries that the crate or its build script imports.
    pub libraries: BTreeSet<String>,
}

/// Why the layers could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerError {
    /// The document has no table of this name.
    NoTable(&'static str),
    /// `cargo metadata` failed or gave no answer.
    Metadata(String),
}

impl fmt::Display for LayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayerError::NoTable(name) => write!(
                f,
                "ARCHITECTURE.md has no table between <!-- {name}:begin --> and <!-- {name}:end -->; put the markers back"
            ),
            LayerError::Metadata(why) => write!(f, "cargo metadata failed: {why}"),
        }
    }
}

impl std::error::Error for LayerError {}

/// Reads the layer table: each crate with the crates that it may import. The word `all` means every crate in the table.
///
/// # Errors
/// [`LayerError::NoTable`] if the markers are missing.
pub fn layer_table(document: &str) -> Result<BTreeMap<String, Layer>, LayerError> {
    let rows = table(document, "layers")?;
    let every: BTreeSet<String> = rows.iter().filter_map(|row| row.first().cloned()).collect();
    let crates_of = |cell: Option<&String>| match cell.map(String::as_str) {
        Some("all") => every.clone(),
        Some(names) => names.split_whitespace().map(str::to_owned).collect(),
        None => BTreeSet::new(),
    };
    let layer =
        |row: &[String]| Layer { may_import: crates_of(row.get(2)), tests_may: crates_of(row.get(3)) };
    Ok(rows.iter().map(|row| (row[0].clone(), layer(row))).collect())
}

/// Reads the table of external libraries that are confined to some crates.
///
/// # Errors
/// [`LayerError::NoTable`] if the markers are missing.
pub fn library_table(document: &str) -> Result<ConfinedLibraries, LayerError> {
    let rows = table(document, "libraries")?;
    let users = |row: &[String]| {
        row.get(1).into_iter().flat_map(|cell| cell.split_whitespace()).map(str::to_owned).collect()
    };
    Ok(rows.iter().map(|row| (row[0].clone(), users(row))).collect())
}

/// Returns the body rows of the marked table, cells without backticks; every row has at least one cell.
fn table(document: &str, name: &'static str) -> Result<Vec<Vec<String>>, LayerError> {
    let missing = || LayerError::NoTable(name);
    let after = document.split_once(&format!("<!-- {name}:begin -->")).ok_or_else(missing)?.1;
    let inside = after.split_once(&format!("<!-- {name}:end -->")).ok_or_else(missing)?.0;
    let rows = inside.lines().map(str::trim).filter(|line| line.starts_with('|')).skip(2);
    let cell = |text: &str| text.replace('`', "").trim().to_owned();
    Ok(rows.map(|row| row.trim_matches('|').split('|').map(cell).collect()).collect())
}

/// Returns every package of the workspace with the dependencies that its manifest declares, sorted by name.
///
/// # Errors
/// [`LayerError::Metadata`] if cargo cannot read the workspace.
pub fn crates(root: &Path) -> Result<Vec<Crate>, LayerError> {
    let metadata = metadata(root)?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    // What the fuzzers call lies beside them, and may import every parser.
    let layered =
        |package: &&Value| Path::new(&text(&package["manifest_path"])).starts_with(root.join("crates"));
    let mut found: Vec<Crate> = packages.iter().filter(layered).map(asked_by).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn asked_by(package: &Value) -> Crate {
    let mut asked = Crate { name: text(&package["name"]), ..Crate::default() };
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let ours = dependency["path"].is_string();
        let for_tests = dependency["kind"] == "dev";
        let list = match (ours, for_tests) {
            (true, true) => &mut asked.test_imports,
            (true, false) => &mut asked.imports,
            (false, false) => &mut asked.libraries,
            (false, true) => continue,
        };
        list.insert(text(&dependency["name"]));
    }
    asked
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn metadata(root: &Path) -> Result<Value, LayerError> {
    let failed = |why: &dyn fmt::Display| LayerError::Metadata(why.to_string());
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .map_err(|why| failed(&why))?;
    if !output.status.success() {
        return Err(failed(&String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|why| failed(&why))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
<!-- layers:begin -->
| crate | turns | may import | tests may | never |
|---|---|---|---|---|
| `base` | x into y | | | sleeps |
| `top` | y into z | `base` | all | |
<!-- layers:end -->
";

    #[test]
    fn a_row_gives_the_imports_of_the_crate_and_of_its_tests() {
        let layers = layer_table(DOCUMENT).unwrap();
        assert_eq!(layers["base"], Layer::default());
        assert_eq!(layers["top"].may_import, BTreeSet::from(["base".to_owned()]));
        assert_eq!(layers["top"].tests_may, BTreeSet::from(["base".to_owned(), "top".to_owned()]));
    }

    #[test]
    fn a_document_without_the_table_says_which_markers_are_missing() {
        let message = library_table(DOCUMENT).unwrap_err().to_string();
        assert!(message.contains("<!-- libraries:begin -->"), "{message}");
    }

    #[test]
    fn a_manifest_is_split_into_ours_and_others() {
        let package = serde_json::json!({"name": "top", "dependencies": [
            {"name": "base", "path": "/x/base", "kind": null},
            {"name": "serde", "path": null, "kind": null},
            {"name": "lab", "path": "/x/lab", "kind": "dev"},
            {"name": "proptest", "kind": "dev"},
        ]});
        let asked = asked_by(&package);
        assert_eq!(asked.imports, BTreeSet::from(["base".to_owned()]));
        assert_eq!(asked.test_imports, BTreeSet::from(["lab".to_owned()]));
        assert_eq!(asked.libraries, BTreeSet::from(["serde".to_owned()]));
    }
}
