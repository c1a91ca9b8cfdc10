//! The root below which `/proc`, `/sys` and `/etc` are read: on this machine, or in a captured tree.

use std::path::{Path, PathBuf};

/// The root of the file tree in which the readers look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(PathBuf);

impl Root {
    /// Returns the root of this machine.
    pub fn real() -> Root {
        Root(PathBuf::from("/"))
    }

    /// Returns a captured machine below `path`.
    pub fn at(path: impl Into<PathBuf>) -> Root {
        Root(path.into())
    }

    /// Whether this is the root of the real machine.
    pub fn is_real(&self) -> bool {
        self.0 == Path::new("/")
    }

    /// Returns the path of the root.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns `path`, absolute or not, below the root.
    pub fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Returns the contents of a small file without blanks at its ends; `None` if the file is missing, empty or may not
    /// be read. Bytes that are not text are replaced: some firmware writes them.
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let bytes = std::fs::read(self.join(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        (!text.is_empty()).then(|| text.to_owned())
    }
}
