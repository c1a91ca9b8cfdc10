//! What a given name may lead to: devices, pipes, sockets, folders, links to each, and links of other users.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, lchown, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::machine::*;

/// The user who plants links.
const SOMEBODY: u32 = 12_345;

/// A kind of thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A block device that nobody uses.
    Block,
    /// A mounted block device.
    Mounted,
    /// A character device that accepts everything.
    Character,
    /// A pipe without a reader.
    Pipe,
    /// A socket.
    Socket,
    /// A folder.
    Folder,
    /// A file that is not plimsoll's.
    File,
}

/// How the name leads to the thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Directly.
    Plain,
    /// By a link.
    Link,
    /// By a link to a link.
    LinkOfLink,
    /// By another user's link in a folder for everybody.
    ForeignLink,
}

pub const THINGS: [Thing; 7] =
    [Thing::Block, Thing::Mounted, Thing::Character, Thing::Pipe, Thing::Socket, Thing::Folder, Thing::File];

pub const WAYS: [Way; 4] = [Way::Plain, Way::Link, Way::LinkOfLink, Way::ForeignLink];

/// One of each kind of thing, for one test.
pub struct Things {
    blank: Disk,
    mounted: Disk,
    /// Declared before the folder that it is mounted in, so that it is dropped first.
    _mount: MountGuard,
    file: PathBuf,
    before: (u64, u64),
}

const PRECIOUS: &str = "precious, and of somebody else\n";

impl Things {
    /// Makes the things in `folder`; returns `None`, and records a skip, if this machine cannot.
    pub fn within(folder: &Folder) -> Option<Things> {
        if !root_or_skip("making devices") {
            return None;
        }
        let (blank, mounted) = (Disk::of(folder, 8, Through::Cache)?, Disk::of(folder, 16, Through::Cache)?);
        if !mounted.made(&["mkfs.ext4", "-q", "-F"]) {
            return None;
        }
        // Read-only, so that the file system itself changes nothing.
        let mount = MountGuard::at(folder.path("mounted"), &["-o", "ro,noload", &mounted.node()])?;
        let file = folder.path("precious");
        fs::write(&file, PRECIOUS).unwrap();
        let before = (blank.fingerprint(), mounted.fingerprint());
        Some(Things { blank, mounted, _mount: mount, file, before })
    }

    /// Puts a thing at `at`, whose folder is made for it.
    pub fn plant(&self, thing: Thing, way: Way, at: &Path) {
        let folder = at.parent().unwrap();
        fs::create_dir_all(folder).unwrap();
        let beside = |ending: &str| PathBuf::from(text(at) + ending);
        match way {
            Way::Plain => self.make(thing, at),
            Way::Link => {
                self.make(thing, &beside(".thing"));
                symlink(beside(".thing"), at).unwrap();
            }
            Way::LinkOfLink => {
                self.make(thing, &beside(".thing"));
                symlink(beside(".thing"), beside(".link")).unwrap();
                symlink(beside(".link"), at).unwrap();
            }
            Way::ForeignLink => {
                self.make(thing, &beside(".thing"));
                symlink(beside(".thing"), at).unwrap();
                lchown(at, Some(SOMEBODY), None).unwrap();
                fs::set_permissions(folder, fs::Permissions::from_mode(0o1777)).unwrap();
            }
        }
    }

    fn make(&self, thing: Thing, at: &Path) {
        let node = |kind: &str, number: String| {
            let (major, minor) = number.split_once(':').unwrap();
            assert!(
                run(&["mknod", &text(at), kind, major, minor]),
                "no node can be made at {}",
                at.display()
            );
        };
        match thing {
            Thing::Block => node("b", self.blank.number()),
            Thing::Mounted => node("b", self.mounted.number()),
            // The numbers of /dev/zero.
            Thing::Character => node("c", "1:5".to_owned()),
            Thing::Pipe => assert!(run(&["mkfifo", &text(at)])),
            Thing::Socket => drop(UnixListener::bind(at).unwrap()),
            Thing::Folder => fs::create_dir(at).unwrap(),
            Thing::File => fs::hard_link(&self.file, at).unwrap(),
        }
    }

    /// Returns what has changed without permission.
    pub fn changed(&self) -> Vec<String> {
        let mut changed = Vec::new();
        for (disk, before) in [(&self.blank, self.before.0), (&self.mounted, self.before.1)] {
            if disk.fingerprint() != before {
                changed.push(format!("{} has changed", disk.node()));
            }
        }
        if fs::read_to_string(&self.file).ok().as_deref() != Some(PRECIOUS) {
            changed.push("somebody else's file has changed".to_owned());
            fs::write(&self.file, PRECIOUS).unwrap();
        }
        changed
    }
}

/// Whether what was planted at `at` is still there and unchanged.
pub fn stands(thing: Thing, way: Way, at: &Path) -> bool {
    let Ok(found) = fs::symlink_metadata(at) else { return false };
    if way != Way::Plain {
        return found.is_symlink();
    }
    let kind = found.file_type();
    match thing {
        Thing::Block | Thing::Mounted => kind.is_block_device(),
        Thing::Character => kind.is_char_device(),
        Thing::Pipe => kind.is_fifo(),
        Thing::Socket => kind.is_socket(),
        Thing::Folder => kind.is_dir(),
        Thing::File => kind.is_file(),
    }
}
