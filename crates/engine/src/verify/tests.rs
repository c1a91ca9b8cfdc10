//! Sealed buffers, damaged in every way a volume can damage them, and the ledger of writes.

use proptest::prelude::*;
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, Direction, FilePlan, Flush, Io, Mix, Nanos, Pace,
    Pattern, Proof, ReadBack, Verification, Verify, WorkerPlan,
};

use super::*;

fn plan(change: impl FnOnce(&mut Verification)) -> WorkerPlan {
    let mut verification = Verification::with_headers(77);
    change(&mut verification);
    WorkerPlan {
        job: "job".to_owned(),
        files: vec![FilePlan { path: "f".into(), offset: Bytes::kib(64), size: Bytes::kib(64) }; 2],
        access: Access::random(Mix::WRITE),
        blocks: BlockSizes::all(Bytes::kib(4)),
        depth: 4,
        pace: Pace::Closed,
        backend: BackendKind::Pread,
        direct: false,
        buffers: Buffers::Unique,
        flush: Flush::Never,
        verify: Verify::On(verification),
        seed: 9,
        cpu: None,
        terms: workload::Terms::default(),
    }
}

fn of_run(plan: &WorkerPlan, run: u64) -> WorkerPlan {
    let Verify::On(verification) = plan.verify.clone() else { panic!("not verified") };
    WorkerPlan { verify: Verify::On(Verification { run, ..verification }), ..plan.clone() }
}

fn plan_of(plan: &WorkerPlan, proof: Proof) -> WorkerPlan {
    let Verify::On(verification) = plan.verify.clone() else { panic!("not verified") };
    let verification = Verification { proof, checksum: Checksum::Pattern, ..verification };
    WorkerPlan { verify: Verify::On(verification), ..plan.clone() }
}

fn write(file: u32, offset: u64) -> Io {
    Io { slot: 0, kind: Direction::Write, file, offset, bytes: 4096, due: Nanos::ZERO }
}

/// A prover and its sealed buffer of one write of `0x55` at byte 8192 of file 1.
fn sealed(plan: &WorkerPlan) -> (Prover, Vec<u8>) {
    let mut prover = Prover::new(plan).unwrap();
    let mut buffer = vec![0x55; 4096];
    prover.seal(&write(1, 8192), &mut buffer);
    (prover, buffer)
}

fn look(prover: &mut Prover, place: (u32, u64), buffer: &[u8], expected: ExpectedData) -> Option<Damage> {
    prover.look(place, &mut buffer.to_vec(), |_| expected).map(|mismatch| mismatch.damage)
}

const HERE: (u32, u64) = (1, 8192);

/// A pattern of seven bytes preceded by the offset: as in fio, it starts over with each block, at each multiple of its
/// length from there on, and not with each interval.
#[test]
fn a_pattern_may_begin_anew_within_an_interval_or_go_on_behind_it() {
    let marked = Pattern { bytes: [[0; 8].as_slice(), b"pattern"].concat(), offsets: vec![0] };
    for (interval, asked) in
        [(4096, 512), (512, 512), (512, 2048), (4096, 100), (512, 100), (512, 0), (4096, 0)]
    {
        let plan = plan(|verification| {
            verification.proof = Proof::Pattern(marked.clone());
            verification.interval = Some(Bytes(interval));
            verification.pattern_each = Bytes(asked);
        });
        let each = if asked == 0 { 4096 } else { asked };
        let (mut prover, buffer) = sealed(&plan);
        let headed = plan_of(&plan, Proof::HeaderAndPattern(marked.clone()));
        let (mut checked, headers) = sealed(&headed);
        assert_eq!(look(&mut checked, HERE, &headers, ExpectedData::Any(1)), None);
        let head = header_length(Checksum::Pattern).0;
        for (at, &byte) in (0_u64..).zip(&buffer) {
            let (start, within) = (8192 + at - at % each, (at % each % 15) as usize);
            let wanted = if within < 8 { start.to_le_bytes()[within] } else { marked.bytes[within] };
            assert_eq!(byte, wanted, "byte {at} of intervals of {interval}, patterns of {each}");
            let is_data = at % interval >= head;
            assert!(!is_data || headers[at as usize] == wanted, "byte {at} of {interval} behind a header");
        }
        assert_eq!(look(&mut prover, HERE, &buffer, ExpectedData::Any(1)), None);
        let mut wrong = buffer.clone();
        wrong[700] ^= 1;
        assert!(look(&mut prover, HERE, &wrong, ExpectedData::Any(1)).is_some());
    }
}

#[test]
fn of_what_was_trimmed_every_byte_must_be_zero_whatever_else_is_written() {
    for proof in [Proof::Header, Proof::Pattern(Pattern::of("x"))] {
        let (mut prover, sealed) = sealed(&plan(|verification| verification.proof = proof.clone()));
        let mut buffer = vec![0; 4096];
        assert_eq!(look(&mut prover, HERE, &buffer, ExpectedData::Zeros), None);
        buffer[4095] = 7;
        let found = look(&mut prover, HERE, &buffer, ExpectedData::Zeros);
        assert_eq!(found, Some(Damage::NotZeros { at: 8192 + 4095, found: 7 }));
        assert!(look(&mut prover, HERE, &sealed, ExpectedData::Zeros).is_some(), "the trim was lost");
    }
}

#[test]
fn what_was_written_here_last_is_as_it_should_be() {
    let (mut prover, buffer) = sealed(&plan(|_| {}));
    assert_eq!(look(&mut prover, HERE, &buffer, ExpectedData::Write(1)), None);
    assert_eq!(
        look(&mut prover, HERE, &[0; 4096], ExpectedData::Unknown),
        None,
        "nobody knows what was there"
    );
}

#[test]
fn each_kind_of_damage_is_told_from_the_others() {
    let plan = plan(|_| {});
    let (mut prover, buffer) = sealed(&plan);
    let mut says =
        |place, buffer: &[u8], expected| look(&mut prover, place, buffer, expected).unwrap().to_string();
    assert!(says(HERE, &[0; 4096], ExpectedData::Write(1)).contains("nothing was written here"));
    assert!(says(HERE, &[7; 4096], ExpectedData::Write(1)).starts_with("bad magic header 707070707070707"));
    let text = says(HERE, &buffer, ExpectedData::Write(2));
    assert!(text.contains("write 1 stands here, expected write 2"), "{text}");
    assert!(says((1, 12_288), &buffer, ExpectedData::Any(0)).contains("belongs to byte 8192 of file 2"));
    assert!(says((0, 8192), &buffer, ExpectedData::Any(0)).contains("belongs to byte 8192 of file 2"));
    let other_run = of_run(&plan, 78);
    let (_, of_other_run) = sealed(&other_run);
    assert!(says(HERE, &of_other_run, ExpectedData::Write(1)).contains("an earlier run"));
    let mut any_run = Prover::new(&of_run(&plan, 0)).unwrap();
    assert_eq!(
        look(&mut any_run, HERE, &of_other_run, ExpectedData::Any(0)),
        None,
        "of a run that is not known any will do"
    );
}

#[test]
fn what_another_worker_of_the_run_wrote_over_it_is_no_damage() {
    let (_, buffer) = sealed(&WorkerPlan { seed: 10, ..plan(|_| {}) });
    let mut prover = Prover::new(&plan(|_| {})).unwrap();
    assert_eq!(look(&mut prover, HERE, &buffer, ExpectedData::Write(5)), None);
    assert!(look(&mut prover, (1, 0), &buffer, ExpectedData::Write(5)).is_some(), "but it must belong here");
}

#[test]
fn a_pattern_is_compared_to_the_last_byte() {
    let pattern = Pattern { bytes: b"ab________".to_vec(), offsets: vec![2] };
    let plan = plan(|verification| verification.proof = Proof::Pattern(pattern));
    let (mut prover, mut buffer) = sealed(&plan);
    assert_eq!(buffer[2..10], 8192u64.to_le_bytes());
    assert_eq!(look(&mut prover, HERE, &buffer, ExpectedData::Any(0)), None);
    buffer[4095] ^= 1;
    let found = look(&mut prover, HERE, &buffer, ExpectedData::Any(0));
    assert!(matches!(found, Some(Damage::NotThePattern { at: 12_287, .. })), "{found:?}");
}

#[test]
fn each_interval_proves_itself() {
    let plan = plan(|verification| {
        verification.interval = Some(Bytes::kib(1));
        verification.header_at = Bytes(100);
    });
    let (mut prover, mut buffer) = sealed(&plan);
    assert_eq!(buffer[..100], [0x55; 100], "the header stands where it was asked for");
    buffer[2500] ^= 0x80;
    let found = prover.look(HERE, &mut buffer, |_| ExpectedData::Write(1)).unwrap();
    assert_eq!(found.offset, 8192 + 2048);
    assert!(matches!(found.damage, Damage::Corrupted { .. }));
}

fn span(file: u32, block: u64, blocks: u32) -> Span {
    Span { file, offset: Bytes::kib(64).0 + block * 4096, bytes: blocks * 4096 }
}

fn ledger(when: ReadBack) -> Ledger {
    Ledger::new(&plan(|verification| verification.when = when)).unwrap()
}

#[test]
fn the_last_write_to_a_place_is_expected_there() {
    let mut ledger = ledger(ReadBack::AtTheEnd);
    for (file, block) in [(0, 3), (1, 3), (0, 3)] {
        ledger.issued(span(file, block, 1));
        assert_eq!(
            ledger.expected(file, span(file, block, 1).offset),
            ExpectedData::Unknown,
            "it is in flight"
        );
        ledger.ended(span(file, block, 1), true);
    }
    let at = |file, block| ledger.expected(file, span(file, block, 1).offset);
    assert_eq!(
        (at(0, 3), at(1, 3), at(0, 4)),
        (ExpectedData::Write(3), ExpectedData::Write(2), ExpectedData::Unknown)
    );
}

#[test]
fn two_writes_at_once_leave_either_and_a_failed_or_trimmed_one_nothing_known() {
    let mut ledger = ledger(ReadBack::AtTheEnd);
    let (here, there) = (span(0, 0, 1), span(0, 1, 1));
    ledger.issued(here);
    ledger.issued(here);
    ledger.ended(here, true);
    ledger.ended(here, true);
    assert_eq!(ledger.expected(0, here.offset), ExpectedData::Any(2));
    ledger.issued(there);
    ledger.ended(there, false);
    assert_eq!(ledger.expected(0, there.offset), ExpectedData::Unknown);
    ledger.forget(here);
    assert_eq!(ledger.expected(0, here.offset), ExpectedData::Unknown);
    assert_eq!(ledger.next_at_the_end(), None);
}

#[test]
fn a_write_behind_two_at_once_is_not_sure_while_one_of_them_is_in_flight() {
    let mut ledger = ledger(ReadBack::AtTheEnd);
    let (long, short) = (span(0, 0, 4), span(0, 2, 1));
    ledger.issued(long);
    ledger.issued(short);
    ledger.ended(short, true);
    assert_eq!(ledger.expected(0, short.offset), ExpectedData::Unknown, "the long one is in flight");
    ledger.issued(short);
    ledger.ended(short, true);
    ledger.ended(long, true);
    assert_eq!(ledger.expected(0, short.offset), ExpectedData::Any(3));
    assert_eq!(ledger.expected(0, long.offset), ExpectedData::Write(1));
}

#[test]
fn writes_are_read_back_in_rounds_and_the_rest_at_the_end() {
    let mut ledger = ledger(ReadBack::Every { writes: 4, batch: 3 });
    let mut seen = Vec::new();
    for block in 0..10 {
        ledger.issued(span(0, block, 1));
        ledger.ended(span(0, block, 1), true);
        while let Some(next) = ledger.next_meanwhile() {
            seen.push(next);
        }
    }
    assert_eq!(seen, (0..9).map(|block| span(0, block, 1)).collect::<Vec<_>>());
    assert_eq!((ledger.next_at_the_end(), ledger.next_at_the_end()), (Some(span(0, 9, 1)), None));
}

proptest! {
    #[test]
    fn any_flipped_bit_is_found(at in 0usize..4096 * 8) {
        let (mut prover, mut buffer) = sealed(&plan(|_| {}));
        buffer[at / 8] ^= 1 << (at % 8);
        prop_assert!(look(&mut prover, HERE, &buffer, ExpectedData::Write(1)).is_some());
    }

    #[test]
    fn all_that_was_written_is_read_back_once(blocks in proptest::collection::vec((0u32..2, 0u64..16), 0..60)) {
        let mut ledger = ledger(ReadBack::AtTheEnd);
        for &(file, block) in &blocks {
            ledger.issued(span(file, block, 1));
            ledger.ended(span(file, block, 1), true);
        }
        let mut read = Vec::new();
        while let Some(next) = ledger.next_at_the_end() {
            prop_assert!(next.bytes == 4096, "no longer than a write");
            read.push((next.file, (next.offset - Bytes::kib(64).0) / 4096));
        }
        let wanted: std::collections::BTreeSet<_> = blocks.into_iter().collect();
        prop_assert_eq!(read, wanted.into_iter().collect::<Vec<_>>());
    }

    /// A volume applies I/Os in flight at any moment, and a failed write anywhere or nowhere: the data of which the
    /// ledger is sure is there all the same.
    #[test]
    fn what_is_expected_is_what_a_volume_holds(
        turns in proptest::collection::vec((0u8..8, 0u64..12, 1u32..5, any::<u16>()), 1..200),
    ) {
        let mut ledger = ledger(ReadBack::AtTheEnd);
        let mut holds = [0; 16];
        let mut in_flight: Vec<(Span, Option<u32>, bool)> = Vec::new();
        let land = |holds: &mut [u32; 16], at: Span, write: Option<u32>, where_: u16| {
            let first = (at.offset - Bytes::kib(64).0) / 4096;
            for block in first..first + u64::from(at.bytes) / 4096 {
                if where_ >> block & 1 == 1 {
                    holds[block as usize] = write.unwrap_or(0);
                }
            }
        };
        for (turn, block, blocks, picked) in turns {
            let at = span(0, block, blocks);
            let which = usize::from(picked) % in_flight.len().max(1);
            match turn {
                0..=2 => {
                    ledger.issued(at);
                    in_flight.push((at, Some(ledger.writes()), false));
                }
                3 if picked % 3 == 0 => {
                    ledger.forget(at);
                    in_flight.push((at, None, false));
                }
                4 if !in_flight.is_empty() => {
                    let (at, write, landed) = &mut in_flight[which];
                    if !*landed {
                        land(&mut holds, *at, *write, u16::MAX);
                    }
                    *landed = true;
                }
                5..=7 if !in_flight.is_empty() => {
                    let (at, write, landed) = in_flight.swap_remove(which);
                    let well = turn != 7 || landed;
                    if !landed {
                        land(&mut holds, at, write, if well { u16::MAX } else { picked });
                    }
                    match write {
                        Some(_) => ledger.ended(at, well),
                        None => ledger.trimmed(at, true),
                    }
                }
                _ => {}
            }
            for (block, held) in holds.iter().enumerate() {
                match ledger.expected(0, span(0, block as u64, 1).offset) {
                    ExpectedData::Write(write) => prop_assert_eq!(*held, write),
                    ExpectedData::Any(_) => prop_assert_ne!(*held, 0),
                    ExpectedData::Zeros => prop_assert_eq!(*held, 0),
                    ExpectedData::Unknown => {}
                }
            }
        }
    }
}

#[test]
fn a_state_says_what_was_put_into_it_and_any_flipped_bit_is_found() {
    let reached = WriteProgress { writes: 70_000, most: 70_256, is_ours: true };
    let bytes = encode(reached, &"a long name ".repeat(9), 3);
    assert_eq!(decode(&bytes), Ok(reached));
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes;
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(decode(&damaged).is_err(), "bit {bit}");
    }
    assert!((0..bytes.len()).all(|length| decode(&bytes[..length]).is_err()));
}

proptest! {
    #[test]
    fn no_state_panics(bytes in prop::collection::vec(any::<u8>(), 0..400), version in 0u64..5) {
        let _ = decode(&bytes);
        let mut near = bytes.clone();
        if near.len() > 16 {
            near[..8].copy_from_slice(&version.to_le_bytes());
            let length = near.len().saturating_sub(24) as u64;
            near[8..16].copy_from_slice(&length.to_le_bytes());
        }
        let _ = decode(&near);
    }
}
