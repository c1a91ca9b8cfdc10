//! The handle by which a test makes its device and tells it what to do.

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
use crate::tally::{Seen, Tally};
use crate::tree::Tree;
use crate::watchdog::{Until, Watchdog};

/// The file's name in its directory.
const FILE: &str = "device.img";

/// Whether the page cache stands before the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// Every read and write reaches the device, whatever the flags of its opening.
    Never,
    /// As whoever opens a file asks for; a file can be mapped only so, as SQLite does.
    AsOpened,
}

/// A directory with one file that fails on command; more can be made in it. Gone when this is dropped.
#[derive(Debug)]
pub struct Device {
    server: Arc<Server>,
    threads: Vec<JoinHandle<()>>,
    directory: PathBuf,
    abort: PathBuf,
    file: u64,
}

impl Device {
    /// A device of `size` zeros in memory, past the page cache; `None`, with the reason printed, where this machine makes
    /// none.
    pub fn or_skip(size: u64) -> Option<Device> {
        Device::skipping(Contents::zeros(size), Caching::Never)
    }

    /// The same with a page cache as every file has it: for a place where programs keep files of their own.
    pub fn cached_or_skip(size: u64) -> Option<Device> {
        Device::skipping(Contents::zeros(size), Caching::AsOpened)
    }

    /// A device that holds what the file holds, for more than fits in memory.
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
            // The watchdog undoes everything when this thread ends and with it drops it.
            std::thread::spawn(move || timing.keep_time(|| watchdog.beat())),
        ];
        Ok(Device { server, threads, directory, abort, file })
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    /// The directory that it is in. Other files can be made there; what goes wrong goes wrong with all of them.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn inject(&self, ops: Ops, range: &impl RangeBounds<u64>, effect: Effect) {
        self.server.change(|faults| faults.push(Fault { ops, range: bounds(range), effect }));
    }

    /// Requests of these kinds that touch `range` fail; `..` is everywhere. An fsync touches everything.
    pub fn fail(&self, range: impl RangeBounds<u64>, ops: Ops, errno: Errno) {
        self.inject(ops, &range, Effect::Fail(errno));
    }

    /// Requests of these kinds are not answered until the device heals.
    pub fn silence(&self, ops: Ops) {
        self.inject(ops, &.., Effect::Silence);
    }

    /// Those that touch `range` are not.
    pub fn silence_at(&self, range: impl RangeBounds<u64>, ops: Ops) {
        self.inject(ops, &range, Effect::Silence);
    }

    /// Requests of these kinds are answered so much later, each for itself.
    pub fn delay(&self, ops: Ops, time: Duration) {
        self.inject(ops, &.., Effect::Delay(time));
    }

    /// From now on reads and writes take as long as `character` says, beside what goes wrong.
    pub fn behave(&self, character: Character) {
        self.server.state().character = Some(character);
    }

    /// At most so many bytes of each read or write are done.
    pub fn shorten(&self, ops: Ops, bytes: u32) {
        self.inject(ops, &.., Effect::Shorten(bytes));
    }

    /// Nothing is free: writes fail, and the file system says so.
    pub fn fill_up(&self) {
        self.fail(.., Ops::WRITE, Errno::ENOSPC);
    }

    /// Nothing may be written, nor opened for it.
    pub fn make_read_only(&self) {
        self.fail(.., Ops::WRITE, Errno::EROFS);
    }

    /// The file ends here from now on: for who asks for its size and who reads. A write behind makes it longer, as of any
    /// file; `fail(to.., Ops::WRITE, Errno::ENOSPC)` makes a device of it that has shrunk.
    ///
    /// # Errors
    /// That of the file below, where there is one.
    pub fn truncate(&self, to: u64) -> io::Result<()> {
        let mut state = self.server.state();
        let contents =
            state.tree.contents_mut(self.file).map_err(|errno| io::Error::from_raw_os_error(errno.0))?;
        contents.truncate(to)
    }

    /// It drops out for good: what is held fails now (`ECONNABORTED`), what comes fails at once (`ENOTCONN`).
    ///
    /// # Errors
    /// That of the kernel.
    pub fn vanish(&self) -> io::Result<()> {
        std::fs::write(&self.abort, "1")?;
        self.server.fail_held(Errno::ECONNABORTED);
        Ok(())
    }

    /// Nothing goes wrong any more; what was held is answered now.
    pub fn heal(&self) {
        self.server.change(Vec::clear);
    }

    /// What is held fails now; what comes later is held again.
    pub fn fail_held(&self, errno: Errno) {
        self.server.fail_held(errno);
    }

    /// How many requests of these kinds there were.
    pub fn tally(&self, ops: Ops) -> Tally {
        self.server.state().account.of(ops)
    }

    /// Every request in the order in which they came; the first million.
    pub fn log(&self) -> Vec<Seen> {
        self.server.state().account.log()
    }

    /// Reads past everything that goes wrong.
    ///
    /// # Errors
    /// That of the file below, where there is one.
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
        // The thread that keeps time ends first, and with it the connection that the other one reads from.
        while let Some(thread) = self.threads.pop() {
            let _ = thread.join();
        }
    }
}

/// A directory of this device alone.
fn own_directory() -> io::Result<PathBuf> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("plimsoll-testbed-{}-{number}", std::process::id());
    // Without links, as the kernel's table of mounts names it.
    let path = std::env::temp_dir().canonicalize()?.join(name);
    std::fs::create_dir(&path)?;
    Ok(path)
}
