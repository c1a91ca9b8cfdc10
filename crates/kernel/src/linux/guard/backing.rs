//! The backing of every attached loop device: by device and inode if the kernel reports them, otherwise by name.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::node::NamedDevice;
use super::store::Store;
use crate::linux::device::{DeviceNumber, read_number, read_word};
use crate::linux::facts::folder_names;
use crate::linux::lab::loop_info::{Identity, identity};
use crate::linux::mounts::device_of_path;

/// Longest time that one loop device may take to report its backing: the kernel asks the file system of the file, which
/// may be a silent server or program.
const PATIENCE: Duration = Duration::from_secs(1);

/// Suffix that the kernel appends to a name that is gone.
const GONE: &str = " (deleted)";

/// Bytes within which two lengths count as equal: the kernel rounds the size of a loop device down to whole blocks.
const ROUNDED: u64 = 4096;

/// The file or device to which a loop device is attached.
#[derive(Clone, Debug)]
pub(super) struct Backing {
    /// The device or file. If the loop device cannot be asked, everything to which its name may refer.
    pub(super) stores: Vec<Store>,
    /// Offset of the loop device's first byte in the backing, in bytes.
    pub(super) offset: u64,
    /// Whether the loop device was limited to a part of its backing.
    pub(super) is_limited: bool,
    /// Name of the backing, as the kernel writes it for this process; empty if it is longer than `/sys` can show.
    pub(super) name: PathBuf,
    pub(super) known: BackingSource,
}

/// The source of a loop device's backing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackingSource {
    /// The loop device reported it.
    ByAnswer,
    /// Only its name, because the loop device may not be asked; it may be a name of another mount namespace, or one of
    /// several.
    ByName,
    /// The loop device does not answer.
    Silent,
}

/// A length in bytes, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Exactly(u64),
    AtLeast(u64),
}

impl Backing {
    /// Whether a loop device of `size` bytes can be attached to a file or device of this length: it shows everything
    /// after its offset unless it was limited.
    pub(super) fn fits(&self, size: u64, whole: Length) -> bool {
        let end = self.offset.saturating_add(size);
        match (whole, self.is_limited) {
            (Length::Exactly(length), true) => end <= length,
            (Length::Exactly(length), false) => end.abs_diff(length) < ROUNDED,
            (Length::AtLeast(_), true) => true,
            (Length::AtLeast(length), false) => end.saturating_add(ROUNDED) > length,
        }
    }

    /// Returns the length of the backing of a loop device of `size` bytes, as far as it can be inferred.
    pub(super) fn length_below(&self, size: u64) -> Length {
        let end = self.offset.saturating_add(size);
        if self.is_limited { Length::AtLeast(end) } else { Length::Exactly(end) }
    }
}

/// Every attached loop device under `root` (normally `/`), by the kernel's name.
pub(super) fn backings(root: &Path) -> Vec<(String, Backing)> {
    let shelf = root.join("sys/class/block");
    // The folder exists exactly while the device is attached. Its file is unreadable if the path is longer than a page.
    let is_attached = |name: &String| name.starts_with("loop") && shelf.join(name).join("loop").exists();
    let number = |name: String| {
        let number = DeviceNumber::parse(&read_word(&shelf.join(&name).join("dev"))?)?;
        Some(NamedDevice { name, number })
    };
    let loops = folder_names(&shelf).into_iter().filter(is_attached);
    let loops: Vec<NamedDevice> = loops.filter_map(number).collect();
    let answers = match root == Path::new("/") {
        true => ask(loops.clone()),
        false => vec![Answer::Captured; loops.len()],
    };
    let mut found: Vec<(String, Backing)> = Vec::new();
    for (device, answer) in loops.into_iter().zip(answers) {
        let folder = shelf.join(&device.name).join("loop");
        let name = PathBuf::from(read_word(&folder.join("backing_file")).unwrap_or_default());
        let number = |file| read_number(&folder.join(file)).unwrap_or(0);
        let (stores, known) = match answer {
            Answer::Shows(identity) => (vec![store_of(identity)], BackingSource::ByAnswer),
            Answer::Captured => (store_at(root, &name).into_iter().collect(), BackingSource::ByAnswer),
            Answer::Refused => (Vec::new(), BackingSource::ByName),
            Answer::Silent => (Vec::new(), BackingSource::Silent),
            Answer::Nothing => continue,
        };
        let (offset, is_limited) = (number("offset"), number("sizelimit") > 0);
        let offset = if let Answer::Shows(identity) = answer { identity.offset } else { offset };
        found.push((device.name, Backing { stores, offset, is_limited, name, known }));
    }
    compare_by_name(root, &mut found);
    found
}

/// Gives each loop device that did not report its backing everything to which its name may refer: the backing of
/// another loop device with the same name, this process's file of that name, and the name itself, so that two such
/// devices match by it. A silent device's name leads to a file system that does not answer, so only devices are looked
/// for.
fn compare_by_name(root: &Path, loops: &mut [(String, Backing)]) {
    let told: Vec<(PathBuf, Store)> = loops
        .iter()
        .filter(|(_, backing)| backing.known == BackingSource::ByAnswer)
        .flat_map(|(_, backing)| {
            backing.stores.iter().map(|store| (without_gone(&backing.name), store.clone()))
        })
        .collect();
    for (_, backing) in loops.iter_mut().filter(|(_, backing)| backing.known != BackingSource::ByAnswer) {
        let name = without_gone(&backing.name);
        let same = told.iter().filter(|(known, _)| *known == name).map(|(_, store)| store.clone());
        let here = if backing.known == BackingSource::ByName {
            store_at(root, &name)
        } else {
            device_at(root, &name)
        };
        backing.stores = same.chain(here).chain([Store::Named(name.clone())]).collect();
    }
}

fn store_of(identity: Identity) -> Store {
    match identity.block {
        Some(number) => Store::Device(number),
        None => Store::File { file_system: identity.file_system, inode: identity.inode },
    }
}

fn device_at(root: &Path, name: &Path) -> Option<Store> {
    device_of_path(root, name.to_str()?).map(Store::Device)
}

/// Returns the store at `name` under `root`: a device, or a file by its numbers. A captured machine has only names.
pub(super) fn store_at(root: &Path, name: &Path) -> Option<Store> {
    if let Some(device) = device_at(root, name) {
        return Some(device);
    }
    if root != Path::new("/") {
        return Some(Store::Named(name.to_owned()));
    }
    file_at(name)
}

/// Returns the file or device to which the name leads for this process, by its numbers.
pub(super) fn file_at(name: &Path) -> Option<Store> {
    Store::of(&std::fs::metadata(name).ok()?)
}

/// Returns a name without the suffix that the kernel appends to one that is gone.
pub(super) fn without_gone(name: &Path) -> PathBuf {
    let text = name.to_string_lossy();
    PathBuf::from(text.strip_suffix(GONE).unwrap_or(&text))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Shows(Identity),
    /// The loop device was detached meanwhile.
    Nothing,
    /// The loop device may not be asked.
    Refused,
    Silent,
    /// The loop device is part of a captured machine, which has only names.
    Captured,
}

/// Asks each of `loops`, in a thread, so that a wedged one costs a second and does not block the process.
fn ask(loops: Vec<NamedDevice>) -> Vec<Answer> {
    let mut answers = Vec::with_capacity(loops.len());
    while answers.len() < loops.len() {
        let answered = ask_in_thread(loops[answers.len()..].to_vec());
        for _ in answers.len()..loops.len() {
            match answered.recv_timeout(PATIENCE) {
                Ok(answer) => answers.push(answer),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    answers.push(Answer::Silent);
                    break;
                }
            }
        }
    }
    answers
}

fn ask_in_thread(loops: Vec<NamedDevice>) -> Receiver<Answer> {
    let (sender, receiver) = channel();
    let work = move || {
        for device in loops {
            if sender.send(answer_of(&device)).is_err() {
                return;
            }
        }
    };
    // Without a thread there are no answers, and every loop counts as silent.
    drop(std::thread::Builder::new().name("loops".to_owned()).spawn(work));
    receiver
}

fn answer_of(device: &NamedDevice) -> Answer {
    let Ok(file) = device.open(0) else { return Answer::Refused };
    match identity(&file) {
        Ok(identity) => Answer::Shows(identity),
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => Answer::Nothing,
        Err(_) => Answer::Refused,
    }
}
