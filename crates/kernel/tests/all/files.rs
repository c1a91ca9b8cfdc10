//! Files on a real file system: holes, the page cache, direct I/O, and what opening refuses.
#![allow(clippy::unwrap_used)]

use std::os::fd::AsFd;
use std::path::Path;

use kernel::{
    Direct, Directness, FileKind, OpenError, PathKind, cached_share, direct_proof, drop_cache, extents,
    guard, open_for_read, open_for_write, target_facts,
};
use testbed::{Lack, directory, loop_of, skipped, unnamed};
use workload::Bytes;

#[test]
fn holes_unwritten_and_written_parts_add_up() {
    use std::os::unix::fs::FileExt;
    let dir = directory();
    let path = dir.path().join("parts");
    let file = std::fs::File::create_new(&path).unwrap();
    file.set_len(4 << 20).unwrap();
    file.write_all_at(&vec![1; 1 << 20], 0).unwrap();
    let Some(found) = extents(file.as_fd(), 0, Bytes::mib(4)).unwrap() else {
        skipped(Lack::Kernel, "the file system under the build has no FIEMAP");
        return;
    };
    assert_eq!((found.written, found.hole), (Bytes::mib(1), Bytes::mib(3)), "{found:?}");
    assert_eq!(found.unwritten_or_hole_share(), 0.75);
    let grown = std::process::Command::new("fallocate").args(["-o", "1M", "-l", "1M"]).arg(&path).status();
    if grown.is_ok_and(|status| status.success()) {
        let found = extents(file.as_fd(), 0, Bytes::mib(4)).unwrap().unwrap();
        assert_eq!(found.unwritten, Bytes::mib(1), "{found:?}");
        assert_eq!(found.unwritten_or_hole_share(), 0.75, "allocating alone writes nothing");
    }
    let part = extents(file.as_fd(), 1 << 19, Bytes::mib(1)).unwrap().unwrap();
    assert_eq!((part.range, part.written), (Bytes::mib(1), Bytes(1 << 19)));
}

#[test]
fn buffered_reads_fill_the_page_cache_and_direct_ones_prove_that_they_do_not() {
    let dir = directory();
    let path = dir.path().join("cached");
    std::fs::write(&path, vec![3u8; 1 << 20]).unwrap();
    let buffered = open_for_read(&path, Direct::No).unwrap();
    let Some(share) = cached_share(buffered.as_fd(), 0, Bytes::mib(1)) else {
        skipped(Lack::Kernel, "this kernel does not say what the page cache holds");
        return;
    };
    assert_eq!(share, 1.0, "just written");
    assert_eq!(direct_proof(&buffered, 0).unwrap().directness(), Directness::Cached);
    drop_cache(&buffered, 0, Bytes::mib(1)).unwrap();
    match open_for_read(&path, Direct::Yes) {
        Ok(direct) => {
            let proof = direct_proof(&direct, 0).unwrap();
            assert_eq!(proof.directness(), Directness::Proven, "{proof:?}");
            assert_eq!(direct.direct(), Direct::Yes);
        }
        Err(error) => skipped(Lack::Kernel, error),
    }
}

#[test]
fn a_file_in_memory_is_never_taken_for_direct() {
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else {
        skipped(Lack::Kernel, "no /dev/shm");
        return;
    };
    let path = dir.path().join("memory");
    std::fs::write(&path, vec![3u8; 1 << 20]).unwrap();
    match open_for_read(&path, Direct::Yes) {
        Ok(file) => assert_ne!(direct_proof(&file, 0).unwrap().directness(), Directness::Proven),
        Err(error) => assert!(matches!(error, OpenError::NoDirect { .. }), "{error}"),
    }
    let facts = target_facts(&path).unwrap();
    assert_eq!(facts.mount.unwrap().medium(), kernel::Medium::Memory);
    assert!(facts.devices.is_empty());
}

#[test]
fn opening_refuses_with_cause_and_remedy_and_never_hangs() {
    let dir = directory();
    let pipe = dir.path().join("pipe");
    testbed::run(&["mkfifo", &testbed::text(&pipe)]);
    for (path, words) in [
        (Path::new("/nowhere/at/all"), "no such file"),
        (dir.path(), "a directory"),
        (Path::new("/dev/null"), "a character device"),
        (pipe.as_path(), "a pipe"),
    ] {
        let error = open_for_read(path, Direct::No).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains(&testbed::text(path)), "{error}");
    }
}

#[test]
fn an_open_device_knows_its_size_number_and_alignment() {
    let Some(device) = loop_of(Bytes::mib(8)) else { return };
    let file = open_for_read(device.path(), Direct::Yes).unwrap();
    assert_eq!((file.kind(), file.size()), (FileKind::BlockDevice, Bytes::mib(8)));
    assert!(file.alignment().offset >= Bytes(512));
    let facts = target_facts(device.path()).unwrap();
    assert_eq!((facts.kind, facts.size), (PathKind::BlockDevice, Bytes::mib(8)));
    assert_eq!(facts.devices[0].number(), device.number());
}

#[test]
fn a_second_descriptor_on_an_unnamed_file_sees_the_same_bytes() {
    let file = unnamed(Bytes::mib(1));
    let permit = guard::permit_unnamed(&file);
    let writable = open_for_write(&permit, Direct::No).unwrap();
    let again = file.open_for_read(Direct::No).unwrap();
    assert_eq!((writable.size(), again.size()), (Bytes::mib(1), Bytes::mib(1)));
    assert!(writable.is_writable() && !again.is_writable());
}

#[test]
fn length_and_space_are_set_only_with_a_permit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("named");
    let permit = kernel::guard::permit_named_file(&path).unwrap();
    let writer = kernel::open_for_write(&permit, Direct::No).unwrap();
    kernel::set_length(&writer, Bytes::mib(2)).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 2 << 20);
    let reader = kernel::open_for_read(&path, Direct::No).unwrap();
    let refused = [kernel::set_length(&reader, Bytes(0)), kernel::reserve_space(&reader, Bytes(4096))];
    for error in refused {
        assert_eq!(error.unwrap_err().raw_os_error(), Some(9), "EBADF");
    }
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 2 << 20, "nothing has changed");
}
