//! The files that belong to the repository.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// Folders of generated files.
const MADE: [&str; 4] = ["target", ".git", "node_modules", "out"];

/// Returns the repository's top folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Returns every file that git tracks or would add, relative to `root`, sorted; if git cannot list them (in an unpacked
/// archive), every file outside the folders of generated files.
///
/// # Errors
/// A folder cannot be read.
pub fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = match listed_by_git(root) {
        Some(listed) => listed,
        None => walked(root)?,
    };
    found.retain(|path| root.join(path).is_file());
    found.sort();
    found.dedup();
    Ok(found)
}

fn listed_by_git(root: &Path) -> Option<Vec<PathBuf>> {
    let listing = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success() && !output.stdout.is_empty())?;
    let names = String::from_utf8_lossy(&listing.stdout).into_owned();
    Some(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}

fn walked(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let made = MADE.iter().any(|name| entry.file_name() == *name);
            match entry.file_type()?.is_dir() {
                true if made => {}
                true => open.push(entry.path()),
                false => found.extend(entry.path().strip_prefix(root).map(Path::to_path_buf)),
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_file_belongs_to_the_repository_by_either_way_of_looking() {
        let me = PathBuf::from("crates/house/src/repository.rs");
        assert!(files(&root()).unwrap().contains(&me));
        assert!(walked(&root()).unwrap().contains(&me));
    }
}
