//! The handle by which a test makes its device and controls it.

use std::io;
use std::ops::RangeBounds;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::character::Character;
use crate::contents::Contents;
use crate::faults::{Effect, Errno, Fault, Ops, bounds};
use crate::mount;
use crate::server::Server;
use crate::skip::{Lack, skipped};
use crate::tally::{ArrivedRequest, Tally};
use crate::tree::Tree;
use crate::watchdog::{Until, Watchdog};

/// Name of the file in its directory.
const FILE: &str = "device.img";

/// Whether the page cache is in front of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// Every read and write reaches the device, whatever the flags at opening.
    Never,
    /// The flags at opening decide; unlike with `Never`, a file can be mapped, as SQLite does.
    AsOpened,
}

/// A directory with one file that fails on command; more files can be made in it. Removed on drop.
#[derive(Debug)]
pub struct Device {
    server: Arc<Server>,
    threads: Vec<JoinHandle<()>>,
    directory: PathBuf,
    abort: PathBuf,
    file: u64,
}

impl Device {
    /// Returns a device of `size` zeros in memory, without the page cache; `None`, with the reason printed,
    /// if this machine makes none.
    pub fn or_skip(size: u64) -> Option<Device> {
        Device::skipping(Contents::zeros(size), Caching::Never)
    }

    /// Returns a device with a page cache, like any file: a place for programs' own files.
    pub fn cached_or_skip(size: u64) -> Option<Device> {
        Device::skipping(Contents::zeros(size), Caching::AsOpened)
    }

    /// Returns a device with the content of `file`, which may be larger than memory.
    pub fn over_or_skip(file: std::fs::File) -> Option<Device> {
        Device::skipping(Contents::File(file), Caching::Never)
    }

    fn skipping(contents: Contents, caching: Caching) -> Option<Device> {
        match Device::new(contents, caching) {
            Ok(device) => Some(device),
            Err(why) => {
                skipped(
                    Lack::Kernel,
                    format!("no FUSE device can be made (needs root and /dev/fuse): {why}"),
                );
                None
            }
        }
    }

    fn new(contents: Contents, caching: Caching) -> io::Result<Device> {
        let mut tree = Tree::new();
        let file = tree.place(FILE, contents).map_err(|errno| io::Error::from_raw_os_error(errno.0))?;
        let fuse = mount::open()?;
        mount::show_connections()?;
        let directory = own_directory()?;
        let point = directory.display().to_string();
        let mut watchdog = Watchdog::new(Until::Silent, mount::UNDO, &[&point])?;
        mount::mount(&fuse, &directory)?;
        let abort = mount::abort_file(&directory)?;
        let server = Arc::new(Server::new(fuse, tree, caching));
        let (serving, timing) = (Arc::clone(&server), Arc::clone(&server));
        let threads = vec![
            std::thread::spawn(move || serving.serve()),
            // The watchdog undoes everything when this thread ends and drops it.
            std::thread::spawn(move || timing.keep_time(|| watchdog.beat())),
        ];
        Ok(Device { server, threads, directory, abort, file })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    /// Returns the directory of the file. Other files can be made in it; faults affect all of them.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn inject(&self, ops: Ops, range: &impl RangeBounds<u64>, effect: Effect) {
        self.server.change(|faults| faults.push(Fault { ops, range: bounds(range), effect }));
    }

    /// Makes requests of these kinds that touch `range` fail; `..` is everywhere. An fsync touches everything.
    pub fn fail(&self, range: impl RangeBounds<u64>, ops: Ops, errno: Errno) {
        self.inject(ops, &range, Effect::Fail(errno));
    }

    /// Leaves requests of these kinds unanswered until the device heals.
    pub fn silence(&self, ops: Ops) {
        self.inject(ops, &.., Effect::Silence);
    }

    /// Leaves requests of these kinds that touch `range` unanswered until the device heals.
    pub fn silence_at(&self, range: impl RangeBounds<u64>, ops: Ops) {
        self.inject(ops, &range, Effect::Silence);
    }

    /// Delays the answer to each request of these kinds by `time`.
    pub fn delay(&self, ops: Ops, time: Duration) {
        self.inject(ops, &.., Effect::Delay(time));
    }

    /// Gives reads and writes the timing of `character` from now on, besides any faults.
    pub fn behave(&self, character: Character) {
        self.server.state().character = Some(character);
    }

    /// Limits each read or write to `bytes`.
    pub fn shorten(&self, ops: Ops, bytes: u32) {
        self.inject(ops, &.., Effect::Shorten(bytes));
    }

    /// Fills the device up: writes fail, and the file system reports no free space.
    pub fn fill_up(&self) {
        self.fail(.., Ops::WRITE, Errno::ENOSPC);
    }

    /// Makes the device read-only: nothing may be written, or opened for writing.
    pub fn make_read_only(&self) {
        self.fail(.., Ops::WRITE, Errno::EROFS);
    }

    /// Truncates the file: its reported size shrinks, and reads end earlier. A write after its end extends it, as with
    /// any file; together with `fail(to.., Ops::WRITE, Errno::ENOSPC)` it becomes a device that has shrunk.
    ///
    /// # Errors
    /// The error of the file below, if there is one.
    pub fn truncate(&self, to: u64) -> io::Result<()> {
        let mut state = self.server.state();
        let contents =
            state.tree.contents_mut(self.file).map_err(|errno| io::Error::from_raw_os_error(errno.0))?;
        contents.truncate(to)
    }

    /// Makes the device drop out for good: held requests fail now (`ECONNABORTED`), new ones at once (`ENOTCONN`).
    ///
    /// # Errors
    /// The kernel's error.
    pub fn vanish(&self) -> io::Result<()> {
        std::fs::write(&self.abort, "1")?;
        self.server.fail_held(Errno::ECONNABORTED);
        Ok(())
    }

    /// Removes all faults; held requests are answered now.
    pub fn heal(&self) {
        self.server.change(Vec::clear);
    }

    /// Makes held requests fail now; later ones are held again.
    pub fn fail_held(&self, errno: Errno) {
        self.server.fail_held(errno);
    }

    /// Returns the count of requests of these kinds.
    pub fn tally(&self, ops: Ops) -> Tally {
        self.server.state().account.of(ops)
    }

    /// Returns every request in order of arrival, up to the first million.
    pub fn log(&self) -> Vec<ArrivedRequest> {
        self.server.state().account.log()
    }

    /// Reads regardless of all faults.
    ///
    /// # Errors
    /// The error of the file below, if there is one.
    pub fn peek(&self, offset: u64, length: u32) -> io::Result<Vec<u8>> {
        let state = self.server.state();
        let contents =
            state.tree.contents(self.file).map_err(|errno| io::Error::from_raw_os_error(errno.0))?;
        contents.read(offset, length)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.server.fail_held(Errno::EIO);
        let _ = std::fs::write(&self.abort, "1");
        self.server.close();
        // The thread that keeps time ends first, and with it the connection that the other thread reads.
        while let Some(thread) = self.threads.pop() {
            let _ = thread.join();
        }
    }
}

/// Creates a directory for this device alone.
fn own_directory() -> io::Result<PathBuf> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("plimsoll-testbed-{}-{number}", std::process::id());
    // Without links, as the kernel's mount table names it.
    let path = std::env::temp_dir().canonicalize()?.join(name);
    std::fs::create_dir(&path)?;
    Ok(path)
}
