//! `verify_dump`: the data read from wrong blocks, in files with the names and bytes of the real fio's.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::machine::*;

fn flip(path: &Path, at: u64) {
    let file = std::fs::File::options().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 1], at).unwrap();
}

/// Returns the files whose names begin with `f.`, with their content.
fn dumps(place: &Path) -> BTreeMap<String, Vec<u8>> {
    let names =
        std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let dumps = names.filter(|name| name.starts_with("f."));
    dumps.map(|name| (name.clone(), std::fs::read(place.join(&name)).unwrap())).collect()
}

/// Damages a file written by the real fio in data, in a header, and in a pattern; both tools must dump alike.
#[test]
fn wrong_blocks_are_dumped_under_the_names_and_with_the_bytes_of_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    for (verify, damage) in [
        ("--verify=crc32c --verify_interval=4k", [8200, 28_964]),
        ("--verify=md5", [16_500, 40_000]),
        ("--verify=pattern --verify_pattern=0xabcd", [4_100, 65_000]),
    ] {
        let words = format!("--name=a --size=64k --bs=8k {verify} --verify_dump=1");
        let made = peers.folder.make_dir("made");
        assert_eq!(peers.run_in(&made, Who::Real, &format!("{words} --filename=f --rw=write")).code, Some(0));
        damage.iter().for_each(|&at| flip(&made.join("f"), at));
        let of = |who| {
            let place = peers.folder.make_dir(&format!("dumps-{who:?}"));
            dumps(&place).keys().for_each(|name| std::fs::remove_file(place.join(name)).unwrap());
            // Dumps are named after the files, wherever these are.
            let read =
                format!("{words} --filename={} --rw=read --continue_on_error=verify", text(&made.join("f")));
            peers.run_in(&place, who, &read);
            dumps(&place)
        };
        let (mut real, ours) = (of(Who::Real), of(Who::Command));
        assert_eq!(real.values().filter(|bytes| !bytes.is_empty()).count(), real.len());
        if !verify.contains("pattern") {
            // What random data should have been is unknown to ours.
            real.retain(|name, _| !name.ends_with("expected"));
        }
        assert!(real.len() >= 2, "{verify}: {:?}", real.keys());
        assert_eq!(ours.keys().collect::<Vec<_>>(), real.keys().collect::<Vec<_>>(), "{verify}");
        assert!(ours == real, "{verify}: other bytes");
    }
}

#[test]
fn without_the_word_nothing_is_written_and_a_link_is_not_followed() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("links");
    let run = |more: &str| {
        let words =
            format!("--name=a --filename=f --size=64k --bs=4k --verify=pattern --verify_pattern=0xab {more}");
        peers.run_in(&place, Who::Command, &words)
    };
    assert_eq!(run("--rw=write").code, Some(0));
    flip(&place.join("f"), 8200);
    assert_eq!(run("--rw=read").code, Some(1));
    assert!(dumps(&place).is_empty());
    std::fs::write(place.join("precious"), "precious").unwrap();
    std::os::unix::fs::symlink("precious", place.join("f.8192.received")).unwrap();
    let ended = run("--rw=read --verify_dump=1");
    assert_eq!(ended.code, Some(1));
    assert!(ended.complained().contains("f.8192.received"), "{}", ended.err);
    assert_eq!(std::fs::read_to_string(place.join("precious")).unwrap(), "precious");
}
