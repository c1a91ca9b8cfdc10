//! Where run file and report go, and how a file is written whole or not at all.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use record::DeviceFacts;
use runfile::SameDevice;

use crate::failure::Failure;

/// Names of the files of one run.
pub struct Place {
    /// The run file.
    pub run: PathBuf,
    /// The HTML report.
    pub report: PathBuf,
    /// Whether they lie on the device that is measured: then commits do not wait for it.
    pub same_device: SameDevice,
}

impl Place {
    /// Fresh names in `dir` (the user's state directory where `None`) for a run on `target` on `devices`.
    pub fn new(dir: Option<&Path>, target: &str, devices: &[DeviceFacts]) -> Result<Place, Failure> {
        Place::dated(dir, (target, jiff::Zoned::now().date()), devices)
    }

    /// [`Place::new`] for a run of that day.
    pub fn dated(
        dir: Option<&Path>,
        (target, date): (&str, jiff::civil::Date),
        devices: &[DeviceFacts],
    ) -> Result<Place, Failure> {
        let dir = dir.map_or_else(runfile::state_directory, Path::to_path_buf);
        std::fs::create_dir_all(&dir).map_err(|error| {
            Failure::refused(format!(
                "{}: cannot be made: {error}; name another folder with --out",
                dir.display()
            ))
        })?;
        let run = runfile::fresh_name(&dir, &runfile::stem_of(target), &date.to_string());
        let there = sampler::target_facts(&sampler::Root::real(), &dir, "").map(|facts| facts.devices);
        let same_device = SameDevice::of(&there.unwrap_or_default(), devices);
        Ok(Place { report: run.with_extension("html"), run, same_device })
    }

    /// The line that says where they are.
    pub fn files_line(&self) -> String {
        report::files_line(&short(&self.report), &short(&self.run)).trim_end().to_owned()
    }
}

/// A path as its owner types it: relative to the current directory or to the home directory where that is shorter.
pub fn short(path: &Path) -> String {
    // A name must not steer a terminal.
    report::clean(&shorter(path))
}

fn shorter(path: &Path) -> String {
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

/// Writes `text` to `path` whole or not at all: beside it first, then renamed. What is there and is no regular file (a
/// terminal, a pipe, `/dev/null`) is written into, and a link is followed, so that neither is ever replaced. A run file is
/// never overwritten.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let failed = |error: std::io::Error| {
        Failure::failed(format!("{}: cannot be written: {error}; name another place", path.display()))
    };
    match std::fs::metadata(&target) {
        Ok(there) if !there.is_file() => {
            let mut file = std::fs::OpenOptions::new().write(true).open(&target).map_err(failed)?;
            return file.write_all(text.as_bytes()).map_err(failed);
        }
        Ok(_) if is_run_file(&target) => {
            let text = format!("{} is a run file and would be lost; name another place", path.display());
            return Err(Failure::refused(text));
        }
        _ => {}
    }
    replace(&target, text.as_bytes()).map_err(failed)
}

/// [`write_whole`] for a page, which takes the place of none of `inputs` and of no file but an earlier page.
pub fn write_page(path: &Path, text: &str, inputs: &[&Path]) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    let page = real(path);
    if page.is_some() && inputs.iter().any(|input| real(input) == page) {
        let text =
            format!("{} is what is read, and a page would replace it; name another place", path.display());
        return Err(Failure::refused(text));
    }
    // Of a run file the words that follow say more.
    let lost = page.as_deref().filter(|page| page.is_file() && !is_run_file(page) && !is_page(page));
    if lost.is_some() {
        let text = format!(
            "{} is there already and no page of plimsoll's; name another place with --html",
            path.display()
        );
        return Err(Failure::refused(text));
    }
    write_whole(path, text)
}

/// Whether a page of ours stands there, or nothing yet.
fn is_page(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let text = String::from_utf8_lossy(&bytes);
    bytes.is_empty() || text.starts_with("<!DOCTYPE html>") && text.contains("<footer>plimsoll ")
}

/// The first bytes of every SQLite database.
fn is_run_file(path: &Path) -> bool {
    let mut first = [0; 15];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && &first == b"SQLite format 3"
}

/// Writes beside `path` and renames. The name is new (`O_EXCL`), so that no planted link is followed.
pub fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(name);
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&part)?;
    let written = file.write_all(bytes).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        // It is ours and half written; nobody misses it.
        let _ = std::fs::remove_file(&part);
    }
    written
}
