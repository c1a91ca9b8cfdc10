//! Captured machines for tests: trees of `/proc` and `/sys` below a temporary root.
#![allow(clippy::unwrap_used)]

use std::os::unix::fs::symlink;
use std::path::Path;

/// A captured machine: files below a temporary root.
pub(crate) struct Machine(tempfile::TempDir);

impl Machine {
    pub(crate) fn new(mountinfo: &str) -> Machine {
        let machine = Machine(tempfile::tempdir().unwrap());
        machine.file("proc/self/mountinfo", mountinfo);
        machine
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Adds a device with the two links through which it is found.
    pub(crate) fn device(&self, folder: &str, number: &str, files: &[(&str, &str)]) {
        let name = folder.rsplit('/').next().unwrap();
        let at = format!("sys/devices/{folder}");
        self.file(&format!("{at}/dev"), number);
        files.iter().for_each(|(file, text)| self.file(&format!("{at}/{file}"), text));
        for (shelf, link) in [("sys/dev/block", number), ("sys/class/block", name)] {
            std::fs::create_dir_all(self.root().join(shelf)).unwrap();
            symlink(self.root().join(&at), self.root().join(shelf).join(link)).unwrap();
        }
    }
}
