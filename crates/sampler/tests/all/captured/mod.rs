//! Unpacks a captured machine into a directory.

use std::path::{Path, PathBuf};

use sampler::Root;

/// A captured machine; removed on drop.
pub struct Machine {
    dir: tempfile::TempDir,
}

impl Machine {
    /// Unpacks `machines/NAME/tree.txt`, whose format `machines/README.md` describes.
    pub fn unpack(name: &str) -> Machine {
        let dir = tempfile::tempdir().unwrap();
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machines").join(name).join("tree.txt");
        let tree = std::fs::read_to_string(from).unwrap();
        let mut lines = tree.lines();
        while let Some(line) = lines.next() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some((path, target)) = line.split_once(" -> ") {
                std::os::unix::fs::symlink(target, made(dir.path(), path)).unwrap();
            } else if let Some((path, text)) = line.split_once(" = ") {
                std::fs::write(made(dir.path(), path), format!("{text}\n")).unwrap();
            } else if let Some(path) = line.strip_suffix(" <<") {
                let text: String =
                    lines.by_ref().take_while(|line| *line != ">>").map(|line| format!("{line}\n")).collect();
                std::fs::write(made(dir.path(), path), text).unwrap();
            } else {
                panic!("{name}/tree.txt: '{line}' is neither a file nor a link");
            }
        }
        Machine { dir }
    }

    pub fn root(&self) -> Root {
        Root::at(self.dir.path())
    }

    /// Replaces a file, as if the kernel had counted on.
    #[allow(dead_code, reason = "not every test file needs it")]
    pub fn replace(&self, path: &str, text: &str) {
        std::fs::write(self.dir.path().join(path), text).unwrap();
    }
}

fn made(root: &Path, path: &str) -> PathBuf {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    path
}
