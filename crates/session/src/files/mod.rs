//! The only way in which plimsoll creates files: whole, and never over a file that it did not write. Names that
//! plimsoll chooses are resolved in a folder, through no link; a file that the user has named goes through
//! [`Output`], and one that grows during a run through [`Growing`].

mod growing;
mod output;
mod scratch;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use kernel::{Draft, Folder, Readers};

use crate::failure::Failure;
pub use growing::{Growing, begin_typed};
pub use output::{Output, OutputError, Over};
pub use scratch::Scratch;

/// A kind of file that plimsoll writes; a file recognised as of the same kind may be replaced.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Name of the kind, which is also its option: `page`.
    pub word: &'static str,
    /// Advice to the user if another file is in the way.
    pub remedy: &'static str,
    /// Whether the first bytes, an existing file, are of this kind, given the second, which are to be written.
    pub is_ours: fn(&[u8], &[u8]) -> bool,
}

/// Pages.
pub const PAGE: Kind =
    Kind { word: "page", remedy: "name another place with --html", is_ours: |there, _| is_page(there) };

/// Whether the bytes are a plimsoll page, or empty.
fn is_page(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    bytes.is_empty() || text.starts_with("<!DOCTYPE html>") && text.contains("<footer>plimsoll ")
}

const ENOENT: i32 = 2;
const ENOTDIR: i32 = 20;

/// A folder in which plimsoll chooses the file names, and who may read the files.
#[derive(Debug)]
pub struct Shelf {
    folder: Folder,
    readers: Readers,
}

impl Shelf {
    /// Opens a folder that the user has named, and creates it if it does not exist.
    pub fn named(path: &Path) -> io::Result<Shelf> {
        kernel::refuse_foreign_links(path)?;
        match std::fs::create_dir_all(path) {
            // The path exists and is no folder.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            made => made?,
        }
        Ok(Shelf { folder: Folder::open(path)?, readers: Readers::ByMask })
    }

    /// Opens a folder that plimsoll has chosen, accessible only to its owner, as are the files in it.
    pub fn private(path: &Path) -> Result<Shelf, Failure> {
        let folder = Folder::private(path).map_err(Failure::refused)?;
        Ok(Shelf { folder, readers: Readers::Owner })
    }

    /// Opens the folder of a file, and returns it with the file's name.
    fn around(path: &Path) -> io::Result<(Shelf, &std::ffi::OsStr)> {
        let bytes = path.as_os_str().as_encoded_bytes();
        if bytes.ends_with(b"/") || bytes.ends_with(b"/.") {
            return Err(io::Error::from_raw_os_error(ENOTDIR));
        }
        let name = path.file_name().ok_or_else(|| io::Error::from_raw_os_error(ENOENT))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        kernel::refuse_foreign_links(folder)?;
        let folder = Folder::open(folder)?;
        Ok((Shelf { folder, readers: Readers::ByMask }, name))
    }

    /// Path of `name` in the folder.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether anything has this name.
    pub fn has(&self, name: &str) -> bool {
        self.folder.has(name.as_ref())
    }

    /// Creates an unnamed file with the content `bytes`, which nobody sees until it is published.
    pub fn draft(&self, bytes: &[u8]) -> io::Result<Draft<'_>> {
        let draft = self.folder.draft(self.readers)?;
        draft.file().write_all(bytes)?;
        Ok(draft)
    }

    /// Creates the file `name`, which must not exist.
    pub fn put_new(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.draft(bytes)?.publish(name.as_ref())
    }

    /// Creates the file `name`, or replaces an earlier file of this kind.
    pub fn put(&self, name: &str, bytes: &[u8], kind: Kind) -> Result<(), Failure> {
        let failed = |error: io::Error| not_written(&self.path_of(name), error);
        if !self.has(name) {
            return self.put_new(name, bytes).map_err(failed);
        }
        // A new file needs no sync: a crash loses no earlier file. A replacement must be stored before the earlier
        // file goes.
        self.gives_way(name, bytes, kind)?;
        let draft = self.draft(bytes).map_err(failed)?;
        draft.file().sync_data().map_err(failed)?;
        draft.replace(name.as_ref()).map_err(failed)
    }

    /// Returns an error if a file that is not of this kind has the name.
    pub fn gives_way(&self, name: &str, bytes: &[u8], kind: Kind) -> Result<(), Failure> {
        let mut there = Vec::new();
        let read = self.folder.read(name.as_ref()).and_then(|mut file| file.read_to_end(&mut there));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Ok(_) if (kind.is_ours)(&there, bytes) => Ok(()),
            _ => Err(OutputError::Foreign { path: self.path_of(name), kind }.into()),
        }
    }
}

fn not_written(path: &Path, error: io::Error) -> Failure {
    OutputError::Outlet { path: path.to_owned(), source: error.into() }.into()
}

/// Writes the page at `path`, a name that plimsoll has chosen. Never replaces any of `inputs`, nor any file other
/// than an earlier page.
pub fn write_page(path: &Path, text: &str, inputs: &[&Path]) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    let page = real(path);
    if page.is_some() && inputs.iter().any(|input| real(input) == page) {
        return Err(OutputError::Input { path: path.to_owned() }.into());
    }
    let (shelf, name) = Shelf::around(path).map_err(|error| not_written(path, error))?;
    shelf.put(&name.to_string_lossy(), text.as_bytes(), PAGE)
}
