//! Offsets, lengths and data of a job's I/O, as plimsoll's types.

use workload::{
    Access, BlockSizes, Buffers, ByDirection, Bytes, Duplicates, Follow, Lengths, LengthsBy, Mix, Order,
    Pieces, Repeats, Runs, Shape, Spread,
};

use super::options::JobOptions;

/// The access of `options` with the directions of `mix`.
pub fn access(options: &JobOptions, mix: Mix) -> Access {
    let plain = if options.pattern.random { random(options, mix) } else { Access::sequential(mix) };
    Access {
        stride: if options.pattern.random { 0 } else { options.rw_number },
        files: options.file_turn,
        pieces: pieces(options),
        ..plain
    }
}

/// Random access. A job that is random only in part is sequential with jumps.
fn random(options: &JobOptions, mix: Mix) -> Access {
    let [read, write, trim] = options.percentage_random.map(|percent| percent.min(100) as u8);
    let uniform = options.spread == Spread::Uniform;
    // fio's shift register visits each block once even without a map, which it does not keep for places further apart than
    // blocks.
    let apart = (0..options.ba.len())
        .any(|at| options.lengths(at).fixed().is_some_and(|length| options.ba[at] > length.0));
    let unmapped = (options.norandommap || apart) && !options.lfsr;
    let repeats = if unmapped || !uniform { Repeats::With } else { Repeats::Without };
    let runs = u32::try_from(options.rw_number).ok().filter(|&length| length > 0);
    let follow = if options.rw_identical { Follow::Same } else { Follow::Next };
    let partly =
        [(options.pattern.reads, read), (options.pattern.writes, write), (options.pattern.trims, trim)]
            .into_iter()
            .any(|(issued, percent)| issued && percent < 100);
    Access {
        order: if partly { Order::Sequential } else { Order::Random(repeats) },
        random_percent: ByDirection { read, write, trim },
        spread: spread(options),
        runs: runs.map(|length| Runs { length, follow }),
        ..Access::random(mix)
    }
}

/// Pieces of `zonemode=strided`; the default range is as long as the bytes accessed in it.
pub(super) fn pieces(options: &JobOptions) -> Option<Pieces> {
    // The size alone decides: without zonemode=strided, a zonesize is refused.
    if options.zonesize == 0 {
        return None;
    }
    let range = if options.zonerange > 0 { options.zonerange } else { options.zonesize };
    Some(Pieces { range: Bytes(range), size: Bytes(options.zonesize), skip: Bytes(options.zoneskip) })
}

/// Lengths and alignment. A direction that is not issued takes the lengths of one that is, so that it cannot contradict
/// the region.
pub fn blocks(options: &JobOptions) -> BlockSizes {
    let pattern = options.pattern;
    let first = [pattern.reads, pattern.writes, pattern.trims].iter().position(|&issued| issued).unwrap_or(0);
    let lengths =
        |at: usize, issued: bool| options.lengths(if issued || options.bs_is_seq_rand { at } else { first });
    let [read, write, trim] = options.ba.map(|bytes| (bytes > 0).then_some(Bytes(bytes)));
    BlockSizes {
        lengths: ByDirection {
            read: lengths(0, pattern.reads),
            write: lengths(1, pattern.writes),
            trim: lengths(2, pattern.trims),
        },
        align: ByDirection { read, write, trim },
        by: if options.bs_is_seq_rand { LengthsBy::Sequence } else { LengthsBy::Direction },
    }
}

/// The data that is written.
pub fn buffers(options: &JobOptions) -> Buffers {
    let shaped = options.compress_percentage > 0 || options.dedupe_percentage > 0;
    if options.compress_percentage == 100 && options.buffer_pattern.is_none() {
        Buffers::Zero
    } else if shaped {
        Buffers::Shaped(shape(options))
    } else if let Some(pattern) = &options.buffer_pattern {
        Buffers::Pattern(pattern.clone())
    } else if options.zero_buffers {
        Buffers::Zero
    } else if options.refill_buffers {
        Buffers::Unique
    } else if options.scramble_buffers {
        Buffers::Stamped
    } else {
        Buffers::Repeated
    }
}

/// Returns what contradicts a set of blocks to repeat, and the remedy, if there is anything.
pub fn wrong(options: &JobOptions) -> Option<(&'static str, &'static str)> {
    let percent = u64::from(options.dedupe_percentage);
    let repeats = percent > 0 && options.dedupe_set;
    (repeats && percent + options.dedupe_set_percentage > 100).then_some((
        "dedupe_percentage and dedupe_working_set_percentage above 100 together",
        "the set's blocks are no duplicates; give less of one",
    ))
}

fn shape(options: &JobOptions) -> Shape {
    let blocks = match options.size {
        Some(super::value::Amount::Bytes(bytes)) => bytes / options.shortest_block().max(1),
        _ => 0,
    };
    let set = blocks.saturating_mul(options.dedupe_set_percentage) / 100;
    Shape {
        compressible_percent: options.compress_percentage,
        chunk: Bytes(options.compress_chunk),
        rest: options.buffer_pattern.clone(),
        duplicate_percent: options.dedupe_percentage,
        duplicates: match (options.dedupe_set, options.dedupe_global) {
            (false, _) => Duplicates::OfTheLast,
            (true, false) => Duplicates::OfASet(set.max(1)),
            (true, true) => Duplicates::OfACommonSet(set.max(1)),
        },
    }
}

impl JobOptions {
    /// Lengths of I/Os in direction `at` (reads, writes, trims). Shares take precedence over a range, and a range over
    /// one length. A write that follows a trim has the trim's length.
    pub fn lengths(&self, at: usize) -> Lengths {
        let follows_trim = self.pattern.trims && self.pattern.writes;
        let at = if follows_trim { 2 } else { at };
        let ranged = self.bssplit[at].as_ref().or(self.bsrange[at].as_ref());
        match ranged {
            Some(Lengths::Range { least, most, .. }) if self.bs_unaligned => {
                Lengths::Range { least: *least, most: *most, step: Bytes(1) }
            }
            Some(lengths) => lengths.clone(),
            None => Lengths::Fixed(Bytes(self.bs[at])),
        }
    }

    /// Lengths of the directions that are issued.
    fn issued_lengths(&self) -> impl Iterator<Item = Lengths> + '_ {
        let pattern = self.pattern;
        let all = self.bs_is_seq_rand;
        [(pattern.reads || all, 0), (pattern.writes || all, 1), (pattern.trims, 2)]
            .into_iter()
            .filter(|(issued, _)| *issued)
            .map(|(_, at)| self.lengths(at))
    }

    /// The shortest block that can be issued, in bytes.
    pub fn shortest_block(&self) -> u64 {
        self.issued_lengths().map(|lengths| lengths.shortest().0).min().unwrap_or(self.bs[0])
    }

    /// The shortest and the longest block, in bytes, of each direction that is issued.
    pub fn issued_blocks(&self) -> impl Iterator<Item = u64> + '_ {
        self.issued_lengths().flat_map(|lengths| [lengths.shortest().0, lengths.longest().0])
    }

    /// Shortens patterns to what the longest block can hold, because every block begins with the start of its pattern.
    pub fn cut_patterns(&mut self) {
        // The rows of a trace have lengths of their own.
        if self.trace.read.is_some() {
            return;
        }
        let longest = self.issued_blocks().max().unwrap_or(0).max(self.verify.pattern_interval);
        for pattern in [&mut self.buffer_pattern, &mut self.verify.pattern].into_iter().flatten() {
            pattern.bytes.truncate(longest.max(1) as usize);
            pattern.offsets.retain(|&at| (at as usize) < pattern.bytes.len());
        }
    }
}

/// The distribution of places that fio draws for what was typed. Of a normal one it does not use the deviation that its manual names:
/// a place is the mean of twelve even draws over the region, plus an even draw from the share that is typed, at most a half.
fn spread(options: &JobOptions) -> Spread {
    match options.spread {
        Spread::Listed(ref blocks) if options.sequence_advances => Spread::Advancing(blocks.clone()),
        Spread::Normal { percent, center } => {
            let share = (percent / 100.0).min(0.5);
            Spread::Normal { percent: 100.0 * ((1.0 + 12.0 * share * share) / 144.0).sqrt(), center }
        }
        ref other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Pattern;

    fn options(rw: &str, change: impl FnOnce(&mut JobOptions)) -> JobOptions {
        let mut options = JobOptions { pattern: Pattern::named(rw), ..JobOptions::untyped() };
        change(&mut options);
        options
    }

    #[test]
    fn shares_win_over_a_range_and_a_range_over_one_length() {
        let range = Lengths::Range { least: Bytes(512), most: Bytes(4096), step: Bytes(512) };
        let both = options("read", |o| {
            o.bsrange = [Some(range.clone()), None, None];
            o.bssplit = [Some(Lengths::Shares(Vec::new())), None, None];
        });
        assert_eq!(both.lengths(0), Lengths::Shares(Vec::new()));
        let ranged = options("read", |o| o.bsrange = [Some(range.clone()), None, None]);
        assert_eq!((ranged.lengths(0), ranged.lengths(1)), (range, Lengths::Fixed(Bytes(4096))));
        assert_eq!(ranged.issued_blocks().collect::<Vec<_>>(), [512, 4096]);
    }

    #[test]
    fn skewed_places_may_repeat_whatever_is_said_of_a_map() {
        let skewed = options("randread", |o| o.spread = Spread::Zipf { theta: 1.1, center: None });
        assert_eq!(access(&skewed, Mix::READ).order, Order::Random(Repeats::With));
    }

    #[test]
    fn data_that_compresses_wholly_is_zeros_unless_a_pattern_is_given() {
        assert_eq!(buffers(&options("write", |o| o.compress_percentage = 100)), Buffers::Zero);
        let with = options("write", |o| {
            o.compress_percentage = 100;
            o.buffer_pattern = Some(workload::Pattern::of("x"));
        });
        assert!(matches!(buffers(&with), Buffers::Shaped(_)));
    }

    #[test]
    fn zeros_give_way_to_a_pattern_and_that_to_a_share() {
        let zeros = |change: &dyn Fn(&mut JobOptions)| {
            buffers(&options("write", |o| {
                o.zero_buffers = true;
                change(o);
            }))
        };
        assert_eq!(zeros(&|_| {}), Buffers::Zero);
        let pattern = workload::Pattern::of("x");
        assert_eq!(zeros(&|o| o.buffer_pattern = Some(pattern.clone())), Buffers::Pattern(pattern.clone()));
        assert!(matches!(zeros(&|o| o.dedupe_percentage = 50), Buffers::Shaped(_)));
        assert!(matches!(zeros(&|o| o.compress_percentage = 50), Buffers::Shaped(_)));
    }
}
