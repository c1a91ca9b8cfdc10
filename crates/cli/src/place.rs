//! Where run file and report go, and how a file is written whole or not at all.

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use record::DeviceFacts;

use crate::failure::Failure;

/// Names of the files of one run.
pub struct Place {
    /// The run file.
    pub run: PathBuf,
    /// The HTML report.
    pub report: PathBuf,
    /// Whether they lie on the device that is measured: then commits do not wait for it.
    pub same_device: bool,
}

impl Place {
    /// Fresh names in `dir` (the user's state directory where `None`) for a run on `target` whose topmost device is `device`.
    pub fn new(dir: Option<&Path>, target: &str, device: Option<&DeviceFacts>) -> Result<Place, Failure> {
        let dir = dir.map_or_else(runfile::state_directory, Path::to_path_buf);
        std::fs::create_dir_all(&dir).map_err(|error| {
            Failure::refused(format!(
                "{}: cannot be made: {error}; name another folder with --out",
                dir.display()
            ))
        })?;
        let date = jiff::Zoned::now().strftime("%Y-%m-%d").to_string();
        let run = runfile::fresh_name(&dir, &runfile::stem_of(target), &date);
        let same_device = device.is_some_and(|device| lies_on(&dir, device.number));
        Ok(Place { report: run.with_extension("html"), run, same_device })
    }

    /// The line that says where they are.
    pub fn files_line(&self) -> String {
        report::files_line(&short(&self.report), &short(&self.run)).trim_end().to_owned()
    }
}

fn lies_on(dir: &Path, number: (u32, u32)) -> bool {
    std::fs::metadata(dir).is_ok_and(|metadata| {
        let device = metadata.dev();
        // The kernel's split of a device number (sysmacros): 12 bits of major, 20 of minor in its 32-bit form.
        let major = ((device >> 8) & 0xfff) | ((device >> 32) & !0xfff);
        let minor = (device & 0xff) | ((device >> 12) & !0xff);
        (major as u32, minor as u32) == number
    })
}

/// A path as its owner types it: relative to the current directory or to the home directory where that is shorter.
pub fn short(path: &Path) -> String {
    let here =
        std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    if let Some(relative) = here {
        return relative.display().to_string();
    }
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    match home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_path_buf)) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

/// Writes `text` to `path` whole or not at all: beside it first, then renamed.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(name);
    let written = std::fs::File::create(&part)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| std::fs::rename(&part, path));
    written.map_err(|error| {
        // It is ours and half written; nobody misses it.
        let _ = std::fs::remove_file(&part);
        Failure::failed(format!("{}: cannot be written: {error}; name another place", path.display()))
    })
}
