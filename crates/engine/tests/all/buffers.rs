//! Data that compresses and repeats as requested, measured with a real compressor and by counting equal blocks.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::process::{Command, Stdio};

use engine::fill::{Effort, Filler};
use testbed::{Lack, skipped};
use workload::{Buffers, Bytes, Direction, Duplicates, Io, Nanos, Pattern, Shape};

const BLOCK: usize = 16_384;
const BLOCKS: u64 = 512;

/// The data that a worker with these buffers writes to a file, block after block.
fn written(buffers: Buffers) -> Vec<u8> {
    let mut filler = Filler::new(buffers, 11, 2);
    let mut all = Vec::new();
    for number in 0..BLOCKS {
        let (slot, offset) = ((number % 2) as u32, number * BLOCK as u64);
        let io = Io { slot, kind: Direction::Write, file: 0, offset, bytes: BLOCK as u32, due: Nanos::ZERO };
        let mut buffer = vec![0; BLOCK];
        assert_eq!(filler.prepare(&io, &mut buffer), Effort::Filled);
        all.extend(buffer);
    }
    all
}

fn shaped(change: impl FnOnce(&mut Shape)) -> Vec<u8> {
    let mut shape = Shape::default();
    change(&mut shape);
    written(Buffers::Shaped(shape))
}

/// Size after compression as a share of the size before; `None` if the compressor is missing.
fn compressed(program: &str, data: &[u8]) -> Option<f64> {
    let spawned = Command::new(program)
        .arg("-c")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            skipped(Lack::Kernel, format!("{program}: {error}"));
            return None;
        }
    };
    let mut input = child.stdin.take()?;
    let data = data.to_vec();
    let length = data.len();
    let feeder = std::thread::spawn(move || input.write_all(&data));
    let output = child.wait_with_output().ok()?;
    feeder.join().ok()?.ok()?;
    Some(output.stdout.len() as f64 / length as f64)
}

#[test]
fn a_real_compressor_finds_the_share_that_was_asked_for() {
    for (percent, chunk) in [(0, 512), (25, 512), (50, 512), (50, 4096), (80, 4096), (60, 0)] {
        let data = shaped(|shape| {
            shape.compressible_percent = percent;
            shape.chunk = Bytes(chunk);
        });
        for program in ["gzip", "zstd"] {
            let Some(share) = compressed(program, &data) else { continue };
            let wanted = 1.0 - f64::from(percent) / 100.0;
            // What the compressor spends on each change between random and zero.
            let dearest = if chunk == 512 { 0.035 } else { 0.015 };
            assert!(
                (wanted - 0.005..wanted + dearest).contains(&share),
                "{program}: {percent} % by {chunk}: {share}"
            );
        }
    }
}

#[test]
fn the_compressible_part_is_the_pattern_where_there_is_one() {
    let data = shaped(|shape| {
        shape.compressible_percent = 75;
        shape.rest = Some(Pattern::of("abc"));
    });
    for chunk in data.chunks(512) {
        assert!(chunk[128..].chunks(3).all(|piece| b"abc".starts_with(piece)), "384 of 512 bytes");
        assert!(!chunk[..128].starts_with(b"abcabc"));
    }
}

/// How often each block occurs.
fn counts(data: &[u8]) -> HashMap<&[u8], usize> {
    let mut counts = HashMap::new();
    data.chunks(BLOCK).for_each(|block| *counts.entry(block).or_default() += 1);
    counts
}

#[test]
fn duplicates_have_the_share_that_was_asked_for() {
    for percent in [0u8, 30, 70] {
        let data = shaped(|shape| shape.duplicate_percent = percent);
        let duplicates = (BLOCKS as usize - counts(&data).len()) as f64;
        let (share, total) = (f64::from(percent) / 100.0, BLOCKS as f64);
        let sigma = (share * (1.0 - share) * total).sqrt();
        assert!((duplicates - share * total).abs() <= 4.0 * sigma, "{percent} %: {duplicates} of {total}");
        let repeats =
            data.chunks(BLOCK).zip(data.chunks(BLOCK).skip(1)).filter(|(one, next)| one == next).count();
        assert_eq!(repeats as f64, duplicates, "each equals the one before it");
    }
}

#[test]
fn duplicates_of_a_set_are_at_most_as_many_different_blocks_as_it_holds() {
    let data = shaped(|shape| {
        shape.duplicate_percent = 60;
        shape.duplicates = Duplicates::OfASet(10);
    });
    let counts = counts(&data);
    let (often, once): (Vec<usize>, Vec<usize>) = counts.values().partition(|&&count| count > 1);
    assert_eq!(often.len(), 10, "with 300 draws each of ten is drawn more than once");
    // As in fio: the set's blocks are among those that are no duplicates.
    let fresh = 0.4 * BLOCKS as f64;
    let others = once.len() as f64 + 10.0;
    assert!((others - fresh).abs() <= 4.0 * (fresh * 0.6).sqrt(), "{others} different blocks");
}

/// fio 3.33: 70.5 % of 2048 blocks equal an earlier one, however large the set.
#[test]
fn the_share_of_duplicates_does_not_depend_on_the_size_of_their_set() {
    for percent in [5, 20, 30] {
        let data = shaped(|shape| {
            shape.duplicate_percent = 70;
            shape.duplicates = Duplicates::OfASet(BLOCKS * percent / 100);
        });
        let (share, total) = (0.7, BLOCKS as f64);
        let duplicates = total - counts(&data).len() as f64;
        // A block of the largest set may come too late to be counted.
        let bound = 4.0 * (share * (1.0 - share) * total).sqrt() + 1.0;
        assert!((duplicates - share * total).abs() <= bound, "a set of {percent} %: {duplicates} of {total}");
    }
}

/// Workers with different seeds: fresh blocks differ, the set is common to all.
#[test]
fn a_common_set_is_the_same_for_all_workers() {
    let blocks = |duplicates: Duplicates, seed: u64| -> Vec<Vec<u8>> {
        let shape = Shape { duplicate_percent: 60, duplicates, ..Shape::default() };
        let mut filler = Filler::new(Buffers::Shaped(shape), seed, 1);
        let mut block = |offset| {
            let mut buffer = vec![0; 512];
            let io = Io { slot: 0, kind: Direction::Write, file: 0, offset, bytes: 512, due: Nanos::ZERO };
            filler.prepare(&io, &mut buffer);
            buffer
        };
        (0..500).map(|number| block(number * 512)).collect()
    };
    let common = |duplicates: Duplicates| {
        let [one, other] = [0x5EED_0000_0001, 0x0DD5_EED0_0000_0002]
            .map(|seed| blocks(duplicates, seed).into_iter().collect::<HashSet<_>>());
        one.intersection(&other).count()
    };
    assert_eq!((common(Duplicates::OfASet(10)), common(Duplicates::OfACommonSet(10))), (0, 10));
}

#[test]
fn patterns_fill_the_buffer_and_zeros_compress_to_nothing() {
    let mut filler = Filler::new(Buffers::Pattern(Pattern::of([0xde, 0xad, 0xfa])), 1, 1);
    let io = |offset| Io { slot: 0, kind: Direction::Write, file: 0, offset, bytes: 1000, due: Nanos::ZERO };
    let mut buffer = vec![0; 1000];
    assert_eq!(filler.prepare(&io(0), &mut buffer), Effort::Filled);
    assert!(buffer.chunks(3).all(|piece| [0xde, 0xad, 0xfa].starts_with(piece)));
    assert_eq!(filler.prepare(&io(0), &mut buffer), Effort::Slight, "it stays in the buffer");
    let marked = Pattern { bytes: vec![0xff; 16], offsets: vec![4] };
    let mut filler = Filler::new(Buffers::Pattern(marked), 1, 1);
    for offset in [4096, 8192] {
        filler.prepare(&io(offset), &mut buffer);
        assert_eq!(buffer[4..12], offset.to_le_bytes(), "the place stands in the pattern");
    }
    let all_zero = shaped(|shape| shape.compressible_percent = 100);
    assert!(all_zero.iter().all(|&byte| byte == 0));
}
