//! Targets that can be measured with `--read-only`.

use std::path::{Path, PathBuf};

use session::failure::Failure;
use workload::{Bytes, Target};

/// Refuses targets that hold nothing to read, before anything is written: a folder, with a hint at its largest file,
/// and a volume that is made for the run.
pub fn something_to_read(target: &Target, typed: &str) -> Result<(), Failure> {
    match target {
        Target::Lab(_) => Err(Failure::refused(format!(
            "{typed} is made for this check and holds nothing to read; leave --read-only out, it destroys nothing of anybody's"
        ))),
        Target::Path(path) if path.is_dir() => {
            let largest = largest_file(path).map_or_else(
                || "name a file that holds data, or the block device".to_owned(),
                |(file, size)| format!("name one, e.g. {} ({size})", file.display()),
            );
            Err(Failure::refused(format!(
                "{typed} is a folder, and --read-only reads what a file or device holds: {largest}"
            )))
        }
        _ => Ok(()),
    }
}

/// Returns the largest file in a folder, as one that could be read.
fn largest_file(folder: &Path) -> Option<(PathBuf, Bytes)> {
    let files = std::fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
        let about = entry.metadata().ok().filter(|about| about.is_file())?;
        Some((entry.path(), Bytes(about.len())))
    });
    files.max_by_key(|(_, size)| *size)
}
