//! The one way in which files are made: whole, and over nothing that is somebody else's.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, fchown};
use std::path::{Path, PathBuf};

use kernel::{Draft, Folder, Readers};

use crate::failure::Failure;

/// Who has chosen the name of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// The user has typed it: links are followed, mode and owner of what is there are kept.
    ByUser,
    /// We have: no link is followed, and only what is ours gives way.
    ByUs,
}

/// A kind of file of ours, by which an earlier one is known again and may be replaced.
#[derive(Clone, Copy)]
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

/// A folder in which we choose the names, and who may read what lies there.
#[derive(Debug)]
pub struct Shelf {
    folder: Folder,
    readers: Readers,
}

impl Shelf {
    /// A folder that the user has named, made where it is not there.
    pub fn named(path: &Path) -> io::Result<Shelf> {
        std::fs::create_dir_all(path)?;
        Ok(Shelf { folder: Folder::open(path)?, readers: Readers::ByMask })
    }

    /// A folder that we have chosen: its owner's alone, as is what lies there.
    pub fn private(path: &Path) -> Result<Shelf, Failure> {
        let folder = Folder::private(path).map_err(Failure::refused)?;
        Ok(Shelf { folder, readers: Readers::Owner })
    }

    /// The folder that a file lies in.
    fn around(path: &Path) -> io::Result<(Shelf, &std::ffi::OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = Folder::open(path.parent().unwrap_or(Path::new("")))?;
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
        let failed = |error: io::Error| not_written(&self.path_of(name), &error);
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
            _ => Err(foreign(&self.path_of(name), kind)),
        }
    }
}

fn foreign(path: &Path, kind: Kind) -> Failure {
    let (path, word, remedy) = (path.display(), kind.word, kind.remedy);
    Failure::refused(format!("{path} is there already and no {word} of plimsoll's; {remedy}"))
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    Failure::failed(format!("{}: cannot be written: {error}; name another place", path.display()))
}

/// Writes a page, which takes the place of none of `inputs` and of no file but an earlier page.
pub fn write_page((path, named): (&Path, Named), text: &str, inputs: &[&Path]) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    let page = real(path);
    if page.is_some() && inputs.iter().any(|input| real(input) == page) {
        let text =
            format!("{} is what is read, and a page would replace it; name another place", path.display());
        return Err(Failure::refused(text));
    }
    if named == Named::ByUs {
        let (shelf, name) = Shelf::around(path).map_err(|error| not_written(path, &error))?;
        return shelf.put(&name.to_string_lossy(), text.as_bytes(), PAGE);
    }
    // Of a run file the words that follow say more.
    let there = page.as_deref().filter(|page| page.is_file() && !is_run_file(page));
    match there.map(std::fs::read) {
        Some(Ok(bytes)) if !is_page(&bytes) => Err(foreign(path, PAGE)),
        _ => write_typed(path, text.as_bytes()),
    }
}

/// Files that grow while a run goes on. What cannot be written is told at the end; the run does not wait for it.
#[derive(Default)]
pub struct Growing {
    open: HashMap<PathBuf, File>,
    trouble: Option<(PathBuf, io::Error)>,
}

impl Growing {
    /// Begins the file at `path` anew, unless it grows already; nothing is written through a link.
    pub fn begin(&mut self, path: &Path) -> io::Result<()> {
        if !self.open.contains_key(path) {
            self.open.insert(path.to_owned(), kernel::rewrite_unless_link(path)?);
        }
        Ok(())
    }

    /// Goes on behind what the file at `path` holds, unless it grows already. What begins otherwise than with `head` is
    /// somebody else's: `InvalidData`.
    pub fn go_on(&mut self, path: &Path, head: &str) -> io::Result<()> {
        if self.open.contains_key(path) {
            return Ok(());
        }
        let mut file = kernel::go_on_unless_link(path)?;
        let mut there = Vec::new();
        Read::by_ref(&mut file).take(head.len() as u64).read_to_end(&mut there)?;
        if !there.is_empty() && there != head.as_bytes() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.open.insert(path.to_owned(), file);
        Ok(())
    }

    /// Writes `text` at the end of a file that was begun.
    pub fn append(&mut self, path: &Path, text: &str) {
        let written = self.open.get_mut(path).map_or(Ok(()), |file| file.write_all(text.as_bytes()));
        if let (Err(error), None) = (written, &self.trouble) {
            self.trouble = Some((path.to_owned(), error));
        }
    }

    /// The first file that is not whole, and why.
    pub fn trouble(&self) -> Option<&(PathBuf, io::Error)> {
        self.trouble.as_ref()
    }
}

/// Begins the growing file that the user has typed: what is there and is no regular file (a pipe, a descriptor) is written into,
/// a file is begun anew where it is empty or begins with `head`.
///
/// # Errors
/// `AlreadyExists` for a file that begins otherwise; `InvalidInput` for a device, of which writing would destroy data.
pub fn begin_typed(path: &Path, head: &str) -> io::Result<File> {
    let there = match std::fs::metadata(path) {
        Err(_) => return kernel::rewrite_unless_link(path),
        Ok(there) => there,
    };
    if there.file_type().is_block_device() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a block device"));
    }
    let mut options = std::fs::OpenOptions::new();
    if there.is_file() {
        let mut first = Vec::new();
        File::open(path)?.take(head.len() as u64).read_to_end(&mut first)?;
        if !first.is_empty() && first != head.as_bytes() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        options.truncate(true);
    }
    options.write(true).open(path)
}

/// Writes `bytes` to the path that the user has typed, whole or not at all. What is there and is no regular file (a
/// terminal, a pipe, `/dev/null`) is written into; links are followed; a file keeps its mode and owner. A run file is never
/// overwritten.
pub fn write_typed(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let failed = |error: io::Error| not_written(path, &error);
    match std::fs::metadata(&target) {
        Ok(there) if !there.is_file() => write_into(&target, bytes).map_err(failed),
        Ok(_) if is_run_file(&target) => {
            let text = format!("{} is a run file and would be lost; name another place", path.display());
            Err(Failure::refused(text))
        }
        Ok(there) => rewrite(&target, &there, bytes).map_err(failed),
        // A link that leads to nothing yet leads to the new file.
        Err(_) if target.is_symlink() => {
            File::create(&target).and_then(|mut file| file.write_all(bytes)).map_err(failed)
        }
        Err(_) => make(&target, bytes).map_err(failed),
    }
}

fn make(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (shelf, name) = Shelf::around(path)?;
    shelf.draft(bytes)?.publish(name)
}

fn write_into(path: &Path, bytes: &[u8]) -> io::Result<()> {
    std::fs::OpenOptions::new().write(true).open(path)?.write_all(bytes)
}

/// Takes the place of the file with its mode and owner; where that is not to be had, or the file has other names too, the
/// bytes go into the file that is there.
fn rewrite(path: &Path, there: &Metadata, bytes: &[u8]) -> io::Result<()> {
    let replaced = match there.nlink() {
        1 => replace_alike(path, there, bytes),
        _ => Err(io::ErrorKind::PermissionDenied.into()),
    };
    match replaced {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            std::fs::OpenOptions::new().write(true).truncate(true).open(path)?.write_all(bytes)
        }
        done => done,
    }
}

fn replace_alike(path: &Path, there: &Metadata, bytes: &[u8]) -> io::Result<()> {
    let (shelf, name) = Shelf::around(path)?;
    let draft = shelf.draft(bytes)?;
    let made = draft.file().metadata()?;
    if (made.uid(), made.gid()) != (there.uid(), there.gid()) {
        fchown(draft.file(), Some(there.uid()), Some(there.gid()))?;
    }
    // Behind the owner: a change of owner may take bits of the mode away.
    draft.file().set_permissions(there.permissions())?;
    draft.file().sync_data()?;
    draft.replace(name)
}

/// The first bytes of every SQLite database.
fn is_run_file(path: &Path) -> bool {
    let mut first = [0; 15];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && &first == b"SQLite format 3"
}
