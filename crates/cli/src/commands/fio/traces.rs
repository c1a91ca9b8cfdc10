//! The traces that jobs replay, read before anything runs, because what they write decides what may be opened.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use fio::{FioRequest, TraceInput, TraceWorld, read_traces};
use session::named_input::NamedInput;

/// Reads all of them.
pub fn read(asked: &mut FioRequest) {
    read_traces(asked, TraceWorld { open, device });
}

fn open(path: &Path) -> io::Result<TraceInput> {
    Ok(Box::new(BufReader::with_capacity(1 << 18, NamedInput::stream(path)?)))
}

/// Returns the device file for this number, by the kernel's name for the device.
fn device(major: u32, minor: u32) -> Option<PathBuf> {
    let link = std::fs::read_link(format!("/sys/dev/block/{major}:{minor}")).ok()?;
    // The kernel writes `!` for a slash in the name.
    let name = link.file_name()?.to_str()?.replace('!', "/");
    let path = Path::new("/dev").join(name);
    path.exists().then_some(path)
}
