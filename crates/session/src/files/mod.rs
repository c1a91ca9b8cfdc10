//! The one way in which files are made: whole, and over nothing that is somebody else's. Names that we choose are looked up in
//! a folder, through no link; what the user has named goes through [`Output`], and what grows while a run goes on
//! through [`Growing`].

mod growing;
mod output;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use kernel::{Draft, Folder, Readers};

use crate::failure::Failure;
pub use growing::{Growing, begin_typed};
pub use output::{Output, OutputError, Over};

/// A kind of file of ours, by which an earlier one is known again and may be replaced.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// What it is called, with its option: `page`.
    pub word: &'static str,
    /// What to do where somebody else's is there.
    pub remedy: &'static str,
    /// Whether these bytes are one, where the second are to be written.
    pub is_ours: fn(&[u8], &[u8]) -> bool,
}

/// Pages.
pub const PAGE: Kind =
    Kind { word: "page", remedy: "name another place with --html", is_ours: |there, _| is_page(there) };

/// Whether a page of ours stands there, or nothing yet.
fn is_page(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    bytes.is_empty() || text.starts_with("<!DOCTYPE html>") && text.contains("<footer>plimsoll ")
}

const ENOENT: i32 = 2;
const ENOTDIR: i32 = 20;

/// A folder in which we choose the names, and who may read what lies there.
#[derive(Debug)]
pub struct Shelf {
    folder: Folder,
    readers: Readers,
}

impl Shelf {
    /// A folder that the user has named, made where it is not there.
    pub fn named(path: &Path) -> io::Result<Shelf> {
        kernel::refuse_foreign_links(path)?;
        match std::fs::create_dir_all(path) {
            // What is there is no folder.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            made => made?,
        }
        Ok(Shelf { folder: Folder::open(path)?, readers: Readers::ByMask })
    }

    /// A folder that we have chosen: its owner's alone, as is what lies there.
    pub fn private(path: &Path) -> Result<Shelf, Failure> {
        let folder = Folder::private(path).map_err(Failure::refused)?;
        Ok(Shelf { folder, readers: Readers::Owner })
    }

    /// The folder that a file lies in.
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

    /// The path of `name` in it.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether something has this name.
    pub fn has(&self, name: &str) -> bool {
        self.folder.has(name.as_ref())
    }

    /// A file that nobody sees yet, with `bytes` in it.
    pub fn draft(&self, bytes: &[u8]) -> io::Result<Draft<'_>> {
        let draft = self.folder.draft(self.readers)?;
        draft.file().write_all(bytes)?;
        Ok(draft)
    }

    /// Makes the file `name`, which nothing may have.
    pub fn put_new(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.draft(bytes)?.publish(name.as_ref())
    }

    /// Makes the file `name`, or replaces an earlier one of ours of this kind.
    pub fn put(&self, name: &str, bytes: &[u8], kind: Kind) -> Result<(), Failure> {
        let failed = |error: io::Error| not_written(&self.path_of(name), error);
        if !self.has(name) {
            return self.put_new(name, bytes).map_err(failed);
        }
        self.gives_way(name, bytes, kind)?;
        let draft = self.draft(bytes).map_err(failed)?;
        draft.file().sync_data().map_err(failed)?;
        draft.replace(name.as_ref()).map_err(failed)
    }

    /// Refuses where something has the name that is not ours.
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

/// Writes the page at `path`, whose name we have chosen: it takes the place of none of `inputs` and of no file but an earlier page.
pub fn write_page(path: &Path, text: &str, inputs: &[&Path]) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    let page = real(path);
    if page.is_some() && inputs.iter().any(|input| real(input) == page) {
        return Err(OutputError::Input { path: path.to_owned() }.into());
    }
    let (shelf, name) = Shelf::around(path).map_err(|error| not_written(path, error))?;
    shelf.put(&name.to_string_lossy(), text.as_bytes(), PAGE)
}
