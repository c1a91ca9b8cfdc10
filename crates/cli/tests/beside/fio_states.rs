//! What a verifying writer leaves when it is killed: everything that its state lists is found, and what is destroyed
//! is named; and each tool reads the other's states.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::machine::*;

const BLOCK: u64 = 4096;
const BLOCKS: u64 = 16_384;
const WRITER: &str = "--name=w --filename=f --size=64m --rw=randwrite --verify=crc32c --fsync=4 --verify_policy=fsynced --time_based --runtime=60";
const STATE: &str = "local-w-0-verify.state";

/// Returns the number of writes that the state lists as done, and of those that may have been issued.
fn reached(place: &Path) -> Option<(u64, u64)> {
    let bytes = std::fs::read(place.join(STATE)).ok()?;
    let word = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    Some((word(40)?, word(96)?))
}

/// Returns offsets of blocks whose headers name one of the first `writes` writes.
fn written(place: &Path, writes: u64) -> Vec<u64> {
    let file = File::open(place.join("f")).unwrap();
    let mut header = [0; 40];
    let mut found = Vec::new();
    for offset in (0..BLOCKS).map(|block| block * BLOCK) {
        if file.read_exact_at(&mut header, offset).is_ok() && header[..2] == [0xca, 0xac] {
            let number = u64::from(u16::from_le_bytes([header[34], header[35]])) + 1;
            if number <= writes {
                found.push(offset);
            }
        }
    }
    found
}

/// Kills a writer `delay` after its first acknowledged write; returns what [`reached`] reads from its state.
fn kill_a_writer(peers: &Peers, place: &Path, (words, delay): (&str, Duration)) -> (u64, u64) {
    let _ = std::fs::remove_file(place.join("f"));
    let _ = std::fs::remove_file(place.join(STATE));
    let mut command = peers.command(place, Who::Command, words);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while reached(place).is_none_or(|(writes, _)| writes == 0) {
        assert!(child.try_wait().unwrap().is_none(), "the writer ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap();
    reached(place).unwrap()
}

fn load(peers: &Peers, place: &Path, words: &str) -> ProgramOutput {
    let words = format!("{words} --verify_only --verify_state_load=1 --continue_on_error=verify");
    peers.run_in(place, Who::Command, &words)
}

/// Kills a writer at a random moment; every acknowledged write must be found, and every one then destroyed must be named.
fn kill_and_prove(peers: &Peers, words: &str, random: u64) {
    let place = peers.folder.make_dir("killed");
    let delay = Duration::from_micros(random % 60_000);
    let (writes, most) = kill_a_writer(peers, &place, (&format!("{words} --verify_state_save=1"), delay));
    let sound = load(peers, &place, words);
    assert_eq!(sound.code, Some(0), "{words}: {writes} writes: {}{}", sound.out, sound.err);
    assert!(!sound.err.contains("verify:"), "{}", sound.err);
    assert!(most < BLOCKS, "in one pass each place is written once: {most}");
    let acknowledged = written(&place, writes);
    assert_eq!(acknowledged.len() as u64, writes, "every acknowledged write stands in the file");
    // Three of them are lost, damaged, or overwritten by a neighbour.
    let file = File::options().write(true).read(true).open(place.join("f")).unwrap();
    let mut neighbour = vec![0; BLOCK as usize];
    file.read_exact_at(&mut neighbour, acknowledged[0]).unwrap();
    let victims = [random % writes, (random >> 20) % writes, (random >> 40) % writes];
    for (number, victim) in victims.into_iter().enumerate() {
        let offset = acknowledged[victim as usize];
        match number {
            0 => file.write_all_at(&[0; BLOCK as usize], offset).unwrap(),
            1 => file.write_all_at(&[1, 2, 3], offset + 1000).unwrap(),
            _ if offset != acknowledged[0] => file.write_all_at(&neighbour, offset).unwrap(),
            _ => file.write_all_at(&[0; BLOCK as usize], offset).unwrap(),
        }
    }
    // A file that somebody has open for writing is not touched, so it is closed first.
    drop(file);
    let found = load(peers, &place, words);
    let said = format!("{}{}", found.out, found.err);
    for victim in victims {
        let offset = acknowledged[victim as usize];
        assert!(said.contains(&format!("file f offset {offset} ")), "{offset} of {writes} writes: {said}");
    }
    assert!(said.contains("file f"), "{said}");
}

/// Six kills, or as many as `PLIMSOLL_KILLS` says; `PLIMSOLL_KILLS_SEED` draws other moments.
#[test]
#[ignore = "night: kills at real moments"]
fn what_a_killed_writer_had_flushed_is_found_and_what_is_lost_is_named() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let peers = Peers::alone();
    let mut random = number("PLIMSOLL_KILLS_SEED").unwrap_or(1);
    for kill in 0..number("PLIMSOLL_KILLS").unwrap_or(6) {
        random = random.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678_9ABC_DEF1);
        let depth = if kill % 2 == 0 { "" } else { " --ioengine=libaio --iodepth=8" };
        kill_and_prove(&peers, &format!("{WRITER}{depth}"), random ^ random >> 31);
    }
}

#[test]
fn a_state_goes_from_one_tool_to_the_other() {
    let Some(peers) = Peers::find() else { return };
    let words = "--aux-path=kept --name=w --filename=f --size=256k --rw=write --bs=4k --verify=crc32c";
    for (writer, reader) in [(Who::Command, Who::Real), (Who::Real, Who::Command)] {
        let place = peers.folder.make_dir(&format!("{writer:?}"));
        std::fs::create_dir_all(place.join("kept")).unwrap();
        let wrote = peers.run_in(
            &place,
            writer,
            &format!("{words} --io_size=128k --do_verify=0 --verify_state_save=1"),
        );
        assert_eq!(wrote.code, Some(0), "{}{}", wrote.out, wrote.err);
        let load = format!("{words} --verify_only --verify_state_load=1 --verify_state_save=0");
        let loaded = peers.run_in(&place, reader, &load);
        assert_eq!(loaded.code, Some(0), "half was written: {reader:?}: {}{}", loaded.out, loaded.err);
        let file = File::options().write(true).open(place.join("f")).unwrap();
        file.write_all_at(&[9; 4096], 31 * BLOCK).unwrap();
        let damaged = peers.run_in(&place, reader, &load);
        assert_eq!(damaged.code, Some(1), "the last block that was written: {reader:?}: {}", damaged.out);
    }
}

#[test]
fn a_state_that_cannot_be_used_is_told() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("bad");
    let load = || {
        peers.run_in(
            &place,
            Who::Command,
            "--name=w --filename=f --size=64k --rw=write --verify=crc32c --verify_only --verify_state_load=1",
        )
    };
    std::fs::write(place.join("f"), vec![0; 65_536]).unwrap();
    let missing = load();
    assert_eq!(missing.code, Some(1));
    assert!(format!("{}{}", missing.out, missing.err).contains(STATE), "{}{}", missing.out, missing.err);
    for (bytes, says) in [(vec![3, 0, 0, 0, 0, 0, 0, 0, 9], "as long as it says"), (vec![9; 300], "version")]
    {
        std::fs::write(place.join(STATE), bytes).unwrap();
        let bad = load();
        let said = format!("{}{}", bad.out, bad.err);
        assert!(bad.code == Some(1) && said.contains(says), "{said}");
    }
}
