//! fio's trims of verified blocks: as many as the real fio trims, where it can, and zeros in their place.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use serde_json::Value;

use crate::machine::*;

const BLOCK: usize = 4096;

/// Returns the numbers of I/Os read, written and trimmed.
fn counts(ended: &ProgramOutput) -> [u64; 3] {
    let text = &ended.out[ended.out.find('{').unwrap()..ended.out.rfind('}').unwrap() + 1];
    let document: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {}", ended.out));
    ["read", "write", "trim"].map(|direction| document["jobs"][0][direction]["total_ios"].as_u64().unwrap())
}

/// Returns the blocks of the first MiB that hold zeros.
fn zeros(bytes: &[u8]) -> Vec<usize> {
    let blocks = bytes[..256 * BLOCK].chunks(BLOCK);
    blocks.enumerate().filter(|(_, block)| block.iter().all(|&byte| byte == 0)).map(|(at, _)| at).collect()
}

/// fio 3.33 aborts in a job that writes without trimming, so that only `trimwrite` can be compared. There every block
/// is drawn, so that nothing depends on chance.
#[test]
fn as_many_verified_blocks_are_trimmed_as_by_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    let Some(disk) = Disk::of(&peers.folder, 8, Through::Cache) else { return };
    let place = peers.folder.make_dir("trims");
    for more in [
        "--trim_backlog=16",
        "--trim_backlog=1",
        "--trim_backlog=100",
        "--trim_backlog=100 --trim_backlog_batch=10",
        "--trim_backlog=16 --trim_verify_zero=0",
        "--trim_backlog=100 --trim_verify_zero=0 --trim_backlog_batch=10",
        "--trim_backlog=16 --verify_backlog=32",
        "--trim_backlog=300",
    ] {
        let words = format!(
            "--name=a --filename={} --size=1m --bs=4k --rw=trimwrite --verify=crc32c --trim_percentage=100 \
             --output-format=json {more}",
            disk.node()
        );
        let of = |who| {
            let ended = peers.run_in(&place, who, &words);
            assert_eq!(ended.code, Some(0), "{who:?} {more}: {}", ended.err);
            let [_, writes, trims] = counts(&ended);
            (writes, trims, zeros(&std::fs::read(disk.path()).unwrap()))
        };
        assert_eq!(of(Who::Command), of(Who::Real), "{more}");
    }
}

#[test]
fn a_job_that_only_writes_trims_what_the_real_fio_aborts_at() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("written");
    let run = |more: &str| {
        let words = format!(
            "--name=a --filename=f --size=1m --rw=randwrite --verify=crc32c --output-format=json {more}"
        );
        peers.run_in(&place, Who::Command, &words)
    };
    for engine in ["psync", "libaio --iodepth=8"] {
        let ended = run(&format!("--ioengine={engine} --trim_percentage=40 --trim_backlog=16"));
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        let [_, writes, trims] = counts(&ended);
        assert_eq!(zeros(&std::fs::read(place.join("f")).unwrap()).len() as u64, trims);
        assert!(writes == 256 && (60..150).contains(&trims), "{trims} of {writes} blocks were trimmed");
    }
    // Later versions of fio than 3.42 trim what they do not read back, too.
    let ended = run("--trim_percentage=100 --trim_backlog=1 --do_verify=0");
    assert_eq!((ended.code, counts(&ended)), (Some(0), [0, 256, 256]), "{}", ended.out);
    let lacking = run("--trim_percentage=40");
    assert_eq!((lacking.code, counts(&lacking)[2]), (Some(0), 0));
    assert!(lacking.out.contains("no block is trimmed"), "{}", lacking.out);
}

#[test]
fn a_number_of_ios_is_that_of_the_blocks_that_are_trimmed_and_written() {
    let Some(peers) = Peers::find() else { return };
    let Some(disk) = Disk::of(&peers.folder, 8, Through::Cache) else { return };
    let place = peers.folder.make_dir("number");
    for pattern in ["trimwrite", "randtrimwrite"] {
        let words = format!(
            "--name=a --filename={} --bs=4k --rw={pattern} --number_ios=64 --output-format=json",
            disk.node()
        );
        let of = |who| counts(&peers.run_in(&place, who, &words));
        assert_eq!(of(Who::Command), of(Who::Real), "{pattern}");
        assert_eq!(of(Who::Command), [0, 64, 64], "{pattern}");
    }
}

#[test]
fn a_job_that_only_trims_has_nothing_to_verify() {
    let Some(peers) = Peers::find() else { return };
    let Some(disk) = Disk::of(&peers.folder, 8, Through::Cache) else { return };
    let place = peers.folder.make_dir("only");
    for verify in ["--verify=md5", "--verify=crc32c --do_verify=0"] {
        let words = format!(
            "--name=a --filename={} --rw=trim --size=1m --bs=8k {verify} --output-format=json",
            disk.node()
        );
        let of = |who| {
            let ended = peers.run_in(&place, who, &words);
            (ended.code, counts(&ended))
        };
        assert_eq!(of(Who::Command), of(Who::Real), "{verify}");
        assert_eq!(of(Who::Command), (Some(0), [0, 0, 128]));
    }
}
