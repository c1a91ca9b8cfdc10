//! What every attached loop device shows: by device and inode where the kernel says so, else by name.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::store::Store;
use crate::linux::device::{DeviceNumber, read_number, read_word};
use crate::linux::facts::folder_names;
use crate::linux::lab::loop_info::{Identity, identity};
use crate::linux::mounts::device_of_path;

/// How long one loop device may take to say what it shows: the kernel asks the file system of the file, which may be a
/// server or a program that is silent.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the kernel writes behind a name that is gone.
const GONE: &str = " (deleted)";

/// What a loop device shows.
#[derive(Clone, Debug)]
pub(super) struct Backing {
    /// The device or file; `None` where that cannot be known.
    pub(super) store: Option<Store>,
    /// Where in it the loop device begins, in bytes.
    pub(super) offset: u64,
    /// Its name when it was attached, as the kernel writes it.
    pub(super) name: PathBuf,
    /// Whether the loop device did not answer.
    pub(super) silent: bool,
}

/// Every attached loop device under `root` (normally `/`) by the kernel's name.
pub(super) fn backings(root: &Path) -> Vec<(String, Backing)> {
    let shelf = root.join("sys/class/block");
    let loops = folder_names(&shelf).into_iter().filter(|name| name.starts_with("loop"));
    let named: Vec<(String, PathBuf)> = loops
        .filter_map(|name| {
            let backing = read_word(&shelf.join(&name).join("loop/backing_file"))?;
            Some((name, PathBuf::from(backing)))
        })
        .collect();
    let answers = match root == Path::new("/") {
        true => ask(named.iter().map(|(name, _)| Path::new("/dev").join(name)).collect()),
        false => vec![Answer::Refused; named.len()],
    };
    named
        .into_iter()
        .zip(answers)
        .map(|((loop_name, name), answer)| {
            let offset = read_number(&shelf.join(&loop_name).join("loop/offset")).unwrap_or(0);
            let silent = answer == Answer::Silent;
            let backing = match answer {
                Answer::Shows(identity) => {
                    Backing { store: Some(store_of(identity)), offset: identity.offset, name, silent }
                }
                Answer::Refused => Backing { store: store_at(root, &name), offset, name, silent },
                Answer::Silent => Backing { store: device_at(root, &name), offset, name, silent },
            };
            (loop_name, backing)
        })
        .collect()
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

/// What stands at `name` under `root`: a device, or a file by its numbers. A captured machine keeps names alone.
pub(super) fn store_at(root: &Path, name: &Path) -> Option<Store> {
    if let Some(device) = device_at(root, name) {
        return Some(device);
    }
    if root != Path::new("/") {
        return Some(Store::Named(name.to_owned()));
    }
    let found = std::fs::metadata(name).ok()?;
    let file_system = DeviceNumber::from_dev(found.dev());
    found.is_file().then(|| Store::File { file_system, inode: found.ino() })
}

/// A name without what the kernel writes behind one that is gone.
pub(super) fn without_gone(name: &Path) -> PathBuf {
    let text = name.to_string_lossy();
    PathBuf::from(text.strip_suffix(GONE).unwrap_or(&text))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Shows(Identity),
    /// It may not be asked, or shows nothing any more.
    Refused,
    Silent,
}

/// Asks each of `nodes`, in a thread, so that one that is wedged costs a second and not the process.
fn ask(nodes: Vec<PathBuf>) -> Vec<Answer> {
    let mut answers = Vec::with_capacity(nodes.len());
    while answers.len() < nodes.len() {
        let answered = ask_in_thread(nodes[answers.len()..].to_vec());
        for _ in answers.len()..nodes.len() {
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

fn ask_in_thread(nodes: Vec<PathBuf>) -> Receiver<Answer> {
    let (sender, receiver) = channel();
    let work = move || {
        for node in nodes {
            let answer = identity(&node).map_or(Answer::Refused, Answer::Shows);
            if sender.send(answer).is_err() {
                return;
            }
        }
    };
    // Without a thread nobody answers, and every loop counts as silent.
    drop(std::thread::Builder::new().name("loops".to_owned()).spawn(work));
    receiver
}
