//! The traces that jobs replay, read before anything runs: what they write decides what may be opened.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use fio::{Asked, TraceInput, TraceWorld, read_traces};
use session::named_input::NamedInput;

/// Reads them all.
pub fn read(asked: &mut Asked) {
    read_traces(asked, TraceWorld { open, device });
}

fn open(path: &Path) -> io::Result<TraceInput> {
    Ok(Box::new(BufReader::with_capacity(1 << 18, NamedInput::stream(path)?)))
}

/// The device file of this number, by the name that the kernel has for it.
fn device(major: u32, minor: u32) -> Option<PathBuf> {
    let link = std::fs::read_link(format!("/sys/dev/block/{major}:{minor}")).ok()?;
    // The kernel writes ! where the name has a slash.
    let name = link.file_name()?.to_str()?.replace('!', "/");
    let path = Path::new("/dev").join(name);
    path.exists().then_some(path)
}
