//! What processes have mapped into their memory to write to it: such a device stays open although no descriptor is left.

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

/// How long one process may take to tell: who changes its memory holds whoever reads what is mapped.
const PATIENCE: Duration = Duration::from_secs(1);

/// The names of what each of the processes with these numbers has mapped so that writing to memory writes to it.
pub(super) fn mapped(root: &Path, processes: Vec<u32>) -> Vec<(u32, PathBuf)> {
    let (sender, receiver) = channel();
    let root = root.to_owned();
    let work = move || {
        for pid in processes {
            let bytes = std::fs::read(root.join(format!("proc/{pid}/maps"))).unwrap_or_default();
            if sender.send((pid, shared_and_writable(&String::from_utf8_lossy(&bytes)))).is_err() {
                return;
            }
        }
    };
    drop(std::thread::Builder::new().name("mappings".to_owned()).spawn(work));
    let mut found = Vec::new();
    while let Ok((pid, names)) = receiver.recv_timeout(PATIENCE) {
        found.extend(names.into_iter().map(|name| (pid, name)));
    }
    found
}

/// Of `/proc/PID/maps` (proc(5)): range, mode, offset, device, inode, name; each name once.
fn shared_and_writable(text: &str) -> Vec<PathBuf> {
    let name = |line: &str| {
        let mode = line.split_whitespace().nth(1)?.as_bytes();
        let is_written = mode.get(1) == Some(&b'w') && mode.get(3) == Some(&b's');
        let at = line.find('/').filter(|_| is_written)?;
        Some(PathBuf::from(line.get(at..)?.replace("\\012", "\n")))
    };
    let mut names: Vec<PathBuf> = text.lines().filter_map(name).collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_and_writable_is_told_by_its_name() {
        let text = "7f52-7f53 rw-s 00000000 00:06 100                        /dev/loop6\n\
                    7f53-7f54 rw-s 00001000 00:06 100                        /dev/loop6\n\
                    7f54-7f55 r--s 00000000 00:06 101                        /dev/loop7\n\
                    7f55-7f56 rw-p 00000000 fe:00 102                        /usr/lib/a b\n\
                    7f56-7f57 rw-s 00000000 fe:00 103                        /srv/a b\n\
                    7f57-7f58 rw-p 00000000 00:00 0                          [heap]\n";
        assert_eq!(shared_and_writable(text), ["/dev/loop6", "/srv/a b"].map(PathBuf::from));
    }
}
