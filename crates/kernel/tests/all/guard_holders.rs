//! Uses by other processes that no descriptor of their first thread shows, and what only looks like a use.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use kernel::guard::{AllowDestroy, permit_block_device, permit_named_file};
use testbed::{LoopOver, MountGuard, Undo, comes_true, directory, has, root_or_skip, run, text, unnamed};
use workload::Bytes;

use crate::guard::mounted;

/// A process that runs a Python script on the path `p`, reports that it is done, and waits.
struct Holder(Child);

impl Holder {
    fn of(words: &str, path: &Path) -> Holder {
        let script = format!(
            "import ctypes, mmap, os, signal, sys, threading, time\np = sys.argv[1]\n\
             def done():\n    print('done', flush=True)\n{words}\nsignal.pause()\n"
        );
        let mut python = Command::new("python3");
        let mut child = python.args(["-c", &script]).arg(path).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "done\n", "{words}");
        Holder(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A thread with a table of descriptors of its own (CLONE_FILES in <linux/sched.h>).
const IN_A_THREAD: &str = "
def hold():
    ctypes.CDLL(None).unshare(0x400)
    os.open(p, os.O_RDWR)
    done()
    time.sleep(1000)
threading.Thread(target=hold, daemon=True).start()";

/// The first thread ends, and another one has the file open.
const BEHIND_AN_ENDED_THREAD: &str = "
def hold():
    os.open(p, os.O_RDWR)
    done()
    time.sleep(1000)
threading.Thread(target=hold).start()
ctypes.CDLL(None).pthread_exit(None)";

const MAPPED: &str = "
fd = os.open(p, os.O_RDWR)
held = mmap.mmap(fd, 4096)
os.close(fd)
done()";

/// Mapped only for reading, but from a descriptor open for writing: the mapping may be made writable.
const MAPPED_TO_READ: &str = "
fd = os.open(p, os.O_RDWR)
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap(None, ctypes.c_size_t(4096), 1, 1, fd, ctypes.c_long(0))
os.close(fd)
done()";

const READ_ALONE: &str = "
held = os.open(p, os.O_RDONLY)
mapped = mmap.mmap(held, 4096, prot=mmap.PROT_READ)
done()";

fn said(path: &Path) -> Result<(), String> {
    let allow = AllowDestroy::devices([path.to_owned()]);
    match path.starts_with("/dev") {
        true => permit_block_device(path, &allow).map(drop).map_err(|error| error.to_string()),
        false => permit_named_file(path).map(drop).map_err(|error| error.to_string()),
    }
}

fn possible() -> bool {
    root_or_skip("other processes' descriptors") && has("python3")
}

#[test]
fn what_another_process_holds_is_seen_whichever_thread_has_it_and_however() {
    let file = unnamed(Bytes::mib(4));
    let Some(device) = testbed::loop_over(&file) else { return };
    if !possible() {
        return;
    }
    for words in [IN_A_THREAD, BEHIND_AN_ENDED_THREAD, MAPPED, MAPPED_TO_READ] {
        let holder = Holder::of(words, device.path());
        let refused = said(device.path()).expect_err(words);
        assert!(refused.contains(&format!("(process {})", holder.0.id())), "{words}: {refused}");
    }
    let _reader = Holder::of(READ_ALONE, device.path());
    assert!(comes_true(|| said(device.path()).is_ok()), "{:?}", said(device.path()));
}

#[test]
fn a_mapping_is_known_by_what_it_is_and_not_by_its_name() {
    let (file, other) = (unnamed(Bytes::mib(4)), unnamed(Bytes::mib(4)));
    let (Some(device), Some(free)) = (testbed::loop_over(&file), testbed::loop_over(&other)) else { return };
    if !possible() {
        return;
    }
    let dir = directory();
    let node = dir.path().join("node");
    let is_at = |device: &Path| run(&["cp", "-a", &text(device), &text(&node)]);
    assert!(is_at(device.path()));
    let _holder = Holder::of(MAPPED, &node);
    std::fs::remove_file(&node).unwrap();
    assert!(said(device.path()).is_err(), "the node is gone");
    // The same name for another device.
    assert!(is_at(free.path()));
    assert_eq!(said(free.path()), Ok(()));
    let image = dir.path().join("image");
    let make = || std::fs::File::create(&image).unwrap().set_len(1 << 20).unwrap();
    make();
    let _of_old = Holder::of(MAPPED, &image);
    std::fs::remove_file(&image).unwrap();
    make();
    let Some(shown) = LoopOver::with(&image, &[]) else { return };
    assert_eq!(said(shown.path()), Ok(()), "the file that is mapped was another one");
}

#[test]
fn a_lock_that_was_taken_for_this_process_is_its_own() {
    let file = unnamed(Bytes::mib(4));
    let Some(device) = testbed::loop_over(&file) else { return };
    if !root_or_skip("devices") || !has("flock") {
        return;
    }
    let lock = std::fs::File::open(device.path()).unwrap();
    let taken = Command::new("flock").args(["-x", "0"]).stdin(lock.try_clone().unwrap()).status().unwrap();
    assert!(taken.success());
    assert_eq!(said(device.path()), Ok(()), "whoever took it has gone, and this process has it");
    drop(lock);
    let mut foreign = Command::new("flock");
    let _foreign =
        foreign.args(["-x", "-F", &text(device.path()), "sleep", "1000"]).spawn().map(Holder).unwrap();
    assert!(comes_true(|| said(device.path()).is_err_and(|why| why.contains("locked"))));
}

#[test]
fn pages_that_somebody_left_in_the_cache_are_no_writer() {
    use std::os::unix::fs::FileExt;
    let file = unnamed(Bytes::mib(32));
    let Some(device) = testbed::loop_over(&file) else { return };
    let writer = std::fs::OpenOptions::new().write(true).open(device.path()).unwrap();
    let still_open = std::fs::File::open(device.path()).unwrap();
    writer.write_all_at(&vec![7; 16 << 20], 0).unwrap();
    drop(writer);
    let syncing = std::thread::spawn(|| run(&["sh", "-c", "sleep 0.1; sync"]));
    assert_eq!(said(device.path()), Ok(()));
    assert!(syncing.join().unwrap());
    drop(still_open);
}

/// A file in an overlay's upper layer, whose path has a colon, and the overlay's own file mounted by itself.
#[test]
fn a_file_of_an_overlay_is_found_below_a_colon_and_where_it_is_mounted_itself() {
    let dir = directory();
    let at = |name: &str| dir.path().join(name);
    for name in ["lower", "up:per", "work"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    let layers = format!(
        "lowerdir={},upperdir={},workdir={}",
        text(&at("lower")),
        text(&at("up:per")),
        text(&at("work"))
    );
    let Some(over) = MountGuard::at(at("over"), &["-t", "overlay", "-o", &layers, "none"]) else { return };
    let below = at("up:per").join("file");
    std::fs::File::create(&below).unwrap().set_len(32 << 20).unwrap();
    let (merged, alone) = (over.path("file"), at("alone"));
    std::fs::write(&alone, "").unwrap();
    assert!(run(&["mount", "--bind", &text(&merged), &text(&alone)]));
    let _bound = Undo::by(&["umount", "--lazy", &text(&alone)]);
    assert_eq!(said(&merged), Ok(()), "free");
    assert_eq!(said(&alone), Ok(()), "free");
    let point = directory();
    let Some(first) = LoopOver::with(&below, &[]) else { return };
    let Some(_mount) = mounted(first.path(), point.path()) else { return };
    for name in [&merged, &alone] {
        let refused = said(name).expect_err("it is mounted below");
        assert!(refused.contains("loop"), "{refused}");
        let Some(second) = LoopOver::with(name, &[]) else { return };
        said(second.path()).expect_err("it is mounted below");
    }
}

#[test]
fn whoever_has_a_file_below_an_overlay_open_is_seen_through_the_overlay() {
    let dir = directory();
    let at = |name: &str| dir.path().join(name);
    for name in ["lower", "upper", "work"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    let layers = format!(
        "lowerdir={},upperdir={},workdir={}",
        text(&at("lower")),
        text(&at("upper")),
        text(&at("work"))
    );
    let Some(over) = MountGuard::at(at("over"), &["-t", "overlay", "-o", &layers, "none"]) else { return };
    if !possible() {
        return;
    }
    let below: PathBuf = at("upper").join("file");
    std::fs::File::create(&below).unwrap().set_len(1 << 20).unwrap();
    for words in [MAPPED, IN_A_THREAD] {
        let _holder = Holder::of(words, &below);
        assert!(said(&over.path("file")).is_err(), "{words}");
    }
    assert_eq!(said(&over.path("file")), Ok(()));
}
