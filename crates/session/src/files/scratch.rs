//! A folder in which other programs work, removed together with everything in it.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A new folder that only its owner may enter; dropping it removes the folder and everything in it.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates a folder below `place`.
    pub fn below(place: &Path) -> io::Result<Scratch> {
        let path = place.canonicalize()?.join(format!(".plimsoll-{}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Scratch(path))
    }

    /// Creates the folder `name`, with files of these lengths in it; returns its absolute path.
    pub fn folder(&self, name: &str, files: &BTreeMap<String, u64>) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        std::fs::create_dir(&path)?;
        for (file, bytes) in files {
            std::fs::write(path.join(file), vec![0x5a; *bytes as usize])?;
        }
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed has a name that says whose it is.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
