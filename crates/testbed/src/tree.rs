//! The directories and files that are served, by the numbers under which the kernel knows them.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::contents::Contents;
use crate::faults::Errno;
use crate::protocol::{Attributes, ROOT};

/// Bits of a directory in a file's mode.
const DIRECTORY: u32 = 0o040_000;
/// Bits of a regular file in a file's mode.
const REGULAR: u32 = 0o100_000;

#[derive(Debug)]
enum Kind {
    Directory(BTreeMap<String, u64>),
    File(Contents),
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    permissions: u32,
    links: u32,
    changed: Duration,
}

/// All directories and files.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: HashMap<u64, Node>,
    next: u64,
}

type Answer<T> = Result<T, Errno>;

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl Tree {
    /// Returns an empty directory.
    pub(crate) fn new() -> Tree {
        let kind = Kind::Directory(BTreeMap::new());
        let root = Node { kind, permissions: 0o755, links: 2, changed: now() };
        Tree { nodes: HashMap::from([(ROOT, root)]), next: ROOT + 1 }
    }

    fn node(&self, number: u64) -> Answer<&Node> {
        self.nodes.get(&number).ok_or(Errno::ENOENT)
    }

    fn node_mut(&mut self, number: u64) -> Answer<&mut Node> {
        self.nodes.get_mut(&number).ok_or(Errno::ENOENT)
    }

    fn entries(&self, number: u64) -> Answer<&BTreeMap<String, u64>> {
        match &self.node(number)?.kind {
            Kind::Directory(entries) => Ok(entries),
            Kind::File(_) => Err(Errno::EINVAL),
        }
    }

    fn entries_mut(&mut self, number: u64) -> Answer<&mut BTreeMap<String, u64>> {
        match &mut self.node_mut(number)?.kind {
            Kind::Directory(entries) => Ok(entries),
            Kind::File(_) => Err(Errno::EINVAL),
        }
    }

    /// Returns the contents of a file.
    pub(crate) fn contents(&self, number: u64) -> Answer<&Contents> {
        match &self.node(number)?.kind {
            Kind::File(contents) => Ok(contents),
            Kind::Directory(_) => Err(Errno::EISDIR),
        }
    }

    /// Returns the contents of a file, to be changed.
    pub(crate) fn contents_mut(&mut self, number: u64) -> Answer<&mut Contents> {
        let node = self.node_mut(number)?;
        node.changed = now();
        match &mut node.kind {
            Kind::File(contents) => Ok(contents),
            Kind::Directory(_) => Err(Errno::EISDIR),
        }
    }

    pub(crate) fn attributes(&self, number: u64) -> Answer<Attributes> {
        let node = self.node(number)?;
        let (kind, size) = match &node.kind {
            Kind::Directory(_) => (DIRECTORY, 4096),
            Kind::File(contents) => (REGULAR, contents.size()),
        };
        let mode = kind | node.permissions;
        Ok(Attributes { node: number, size, mode, links: node.links, changed: node.changed })
    }

    pub(crate) fn set_permissions(&mut self, number: u64, mode: u32) -> Answer<()> {
        self.node_mut(number)?.permissions = mode & 0o7777;
        Ok(())
    }

    pub(crate) fn find(&self, parent: u64, name: &str) -> Answer<u64> {
        self.entries(parent)?.get(name).copied().ok_or(Errno::ENOENT)
    }

    /// Returns the entries of a directory: name, number, and kind as in a listing.
    pub(crate) fn list(&self, number: u64) -> Answer<Vec<(String, u64, u32)>> {
        let kind = |number: u64| self.attributes(number).map_or(0, |of| of.mode >> 12);
        let own = [(".".to_owned(), number, DIRECTORY >> 12), ("..".to_owned(), ROOT, DIRECTORY >> 12)];
        let entries =
            self.entries(number)?.iter().map(|(name, number)| (name.clone(), *number, kind(*number)));
        Ok(own.into_iter().chain(entries).collect())
    }

    fn add(&mut self, parent: u64, name: &str, (kind, mode): (Kind, u32)) -> Answer<u64> {
        if self.find(parent, name).is_ok() {
            return Err(Errno::EEXIST);
        }
        let number = self.next;
        self.entries_mut(parent)?.insert(name.to_owned(), number);
        self.next += 1;
        self.nodes.insert(number, Node { kind, permissions: mode & 0o7777, links: 1, changed: now() });
        Ok(number)
    }

    pub(crate) fn make_file(&mut self, parent: u64, name: &str, mode: u32) -> Answer<u64> {
        self.add(parent, name, (Kind::File(Contents::zeros(0)), mode))
    }

    pub(crate) fn make_directory(&mut self, parent: u64, name: &str, mode: u32) -> Answer<u64> {
        self.add(parent, name, (Kind::Directory(BTreeMap::new()), mode))
    }

    /// Adds a file with these contents to the top directory.
    pub(crate) fn place(&mut self, name: &str, contents: Contents) -> Answer<u64> {
        self.add(ROOT, name, (Kind::File(contents), 0o644))
    }

    pub(crate) fn link(&mut self, number: u64, parent: u64, name: &str) -> Answer<u64> {
        if self.find(parent, name).is_ok() {
            return Err(Errno::EEXIST);
        }
        self.node_mut(number)?.links += 1;
        self.entries_mut(parent)?.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Removes a name; what it named stays until the kernel forgets it.
    pub(crate) fn unlink(&mut self, parent: u64, name: &str) -> Answer<()> {
        let number = self.find(parent, name)?;
        if self.entries(number).is_ok_and(|entries| !entries.is_empty()) {
            return Err(Errno::ENOTEMPTY);
        }
        self.entries_mut(parent)?.remove(name);
        let node = self.node_mut(number)?;
        node.links -= 1;
        Ok(())
    }

    /// Moves `from` to `to`.
    pub(crate) fn rename(&mut self, from: Spot<'_>, to: Spot<'_>, replace: Replace) -> Answer<()> {
        let number = self.find(from.parent, from.name)?;
        if let Ok(there) = self.find(to.parent, to.name) {
            if replace == Replace::No {
                return Err(Errno::EEXIST);
            }
            if there != number {
                self.unlink(to.parent, to.name)?;
            }
        }
        self.entries_mut(from.parent)?.remove(from.name);
        self.entries_mut(to.parent)?.insert(to.name.to_owned(), number);
        Ok(())
    }

    /// Forgets a number that the kernel no longer uses.
    pub(crate) fn forget(&mut self, number: u64) {
        if self.nodes.get(&number).is_some_and(|node| node.links == 0) {
            self.nodes.remove(&number);
        }
    }

    /// Returns the bytes of all files.
    pub(crate) fn used(&self) -> u64 {
        let sizes = self.nodes.values().map(|node| match &node.kind {
            Kind::File(contents) => contents.size(),
            Kind::Directory(_) => 0,
        });
        sizes.sum()
    }
}

/// A name in a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<'n> {
    pub(crate) parent: u64,
    pub(crate) name: &'n str,
}

/// Whether a name may replace another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replace {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(name: &str) -> Spot<'_> {
        Spot { parent: ROOT, name }
    }

    #[test]
    fn an_unlinked_file_is_there_until_it_is_forgotten() {
        let mut tree = Tree::new();
        let file = tree.make_file(ROOT, "a", 0o600).unwrap();
        tree.contents_mut(file).unwrap().write(0, b"x").unwrap();
        tree.rename(spot("a"), spot("b"), Replace::No).unwrap();
        assert_eq!(tree.find(ROOT, "a").unwrap_err(), Errno::ENOENT);
        tree.unlink(ROOT, "b").unwrap();
        assert_eq!(tree.contents(file).unwrap().read(0, 1).unwrap(), b"x");
        tree.forget(file);
        assert_eq!(tree.contents(file).unwrap_err(), Errno::ENOENT);
    }

    #[test]
    fn a_rename_replaces_only_where_it_may() {
        let mut tree = Tree::new();
        let (a, b) = (tree.make_file(ROOT, "a", 0).unwrap(), tree.make_file(ROOT, "b", 0).unwrap());
        assert_eq!(tree.rename(spot("a"), spot("b"), Replace::No), Err(Errno::EEXIST));
        assert_eq!(tree.find(ROOT, "b").unwrap(), b);
        tree.rename(spot("a"), spot("b"), Replace::Yes).unwrap();
        assert_eq!(tree.find(ROOT, "b").unwrap(), a);
    }
}
