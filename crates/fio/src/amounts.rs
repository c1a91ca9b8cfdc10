//! The amount of work of a job: when the job ends, how long a pass is, and how many writes a pass has.

use workload::{Act, Bytes, Nanos, Spread, StopRule};

use super::data::pieces;
use super::files::{Region, share};
use super::options::JobOptions;
use super::value::Amount;

/// Stop rules of a job: its time, its amount and its number of I/Os; only its time ends a time-based job.
pub(super) fn stop_rules(options: &JobOptions, region: &Region) -> Vec<StopRule> {
    let mut rules = Vec::new();
    // Each block is trimmed and then written, so it counts twice.
    let pairs = if options.pattern.trims && options.pattern.writes { 2 } else { 1 };
    if options.runtime > Nanos::ZERO {
        rules.push(StopRule::Time(options.runtime));
    }
    if !options.ends_by_time() {
        // Each loop ends with its last whole block.
        let (once, pass) = (of_one_loop(options, region), once_over(options, region));
        let [once, pass] = [once, pass].map(|bytes| whole_blocks(options, bytes).saturating_mul(pairs));
        // A loop is a pass, of which an amount that is longer has several (fio 3.33, by its I/O counts).
        let each = if once > pass && !(is_without_map(options) && options.engine.is_synchronous()) {
            pass
        } else {
            once
        };
        let amount = Bytes(each.saturating_mul(options.loops).max(once));
        // fio subtracts the ramp's bytes from the amount, and counts number_ios from the end of the ramp (3.33).
        rules.push(match options.ramp_time {
            Nanos::ZERO => StopRule::BytesEach(amount),
            _ => StopRule::BytesInAll(amount),
        });
    }
    if options.number_ios > 0 && !options.ends_by_time() {
        rules.push(StopRule::OpsEach(options.number_ios.saturating_mul(options.loops).saturating_mul(pairs)));
    }
    rules
}

/// Bytes of one loop.
fn of_one_loop(options: &JobOptions, region: &Region) -> u64 {
    match options.io_size {
        Some(Amount::Bytes(bytes)) if bytes > 0 => bytes,
        Some(Amount::Percent(percent)) => share(region.total(), percent),
        _ => once_over(options, region),
    }
}

/// Whether fio goes beyond the region: it begins the pieces of `zonemode=strided` again only at the end of the file.
pub(super) fn is_exceeded_by_fio(options: &JobOptions, region: &Region) -> bool {
    let Some(pieces) = pieces(options) else { return false };
    let ios = if options.number_ios > 0 { options.number_ios } else { u64::MAX };
    let most = ios.saturating_mul(options.shortest_block());
    let bytes = if options.ends_by_time() { u64::MAX } else { of_one_loop(options, region).min(most) };
    let before = bytes.div_ceil(pieces.size.0).saturating_sub(1);
    let step = pieces.range.0.saturating_add(pieces.skip.0);
    let reach = before.saturating_mul(step).saturating_add(pieces.range.0);
    reach > region.bytes && region.file_bytes > region.offset.saturating_add(region.bytes)
}

/// Whether random places come again in a pass.
fn is_without_map(options: &JobOptions) -> bool {
    options.pattern.random && (options.norandommap || options.spread != Spread::Uniform)
}

/// Bytes after which fio reopens its files and drops their page cache; `None` if nothing is dropped: without
/// `invalidate`, after `pre_read`, or with direct I/O. Random I/O without a map never has all blocks behind it: it is one
/// pass up to `io_size`, or until its time is over; with an engine that waits for each I/O also over all loops.
pub(super) fn pass(options: &JobOptions, region: &Region) -> Option<u64> {
    let moves = options.engine.act() == Act::Move;
    let empties = options.invalidate && !options.pre_read && !options.direct && moves;
    let without_map = is_without_map(options);
    let more = match options.io_size {
        Some(Amount::Bytes(bytes)) if without_map => bytes,
        _ => 0,
    };
    let pairs = if options.pattern.trims && options.pattern.writes { 2 } else { 1 };
    let passes = empties && !(without_map && options.ends_by_time());
    let loops = if without_map && options.engine.is_synchronous() { options.loops } else { 1 };
    passes.then(|| {
        whole_blocks(options, once_over(options, region).max(more))
            .saturating_mul(pairs)
            .saturating_mul(loops)
    })
}

/// Bytes of one pass; with `filesize`, at most `size`. A sequential job of fio's that leaves holes ends with the I/O
/// that ends at the end of the region, or before the one that would cross it; if the last hole reaches the end of the
/// file, the job starts over. Reads and writes of a mix leave their holes independently, and the first of them at the end
/// ends the job: here after as many I/Os as that takes on average.
fn once_over(options: &JobOptions, region: &Region) -> u64 {
    let whole = match options.size {
        Some(Amount::Bytes(bytes)) if options.filesize > 0 && bytes > 0 => bytes.min(region.total()),
        _ => whole_files(options, region),
    };
    let (block, gap) = (options.shortest_block(), options.rw_number);
    let differ = !region.each.is_empty() || options.issued_blocks().any(|other| other != block);
    if options.pattern.random || gap <= 0 || differ {
        return whole;
    }
    let is_mix = options.pattern.reads && options.pattern.writes;
    let percent = if is_mix { u64::from(options.rwmix_read.max(100 - options.rwmix_read)) } else { 100 };
    let step = block.saturating_add(gap.unsigned_abs());
    let blocks = region.bytes.saturating_sub(block).checked_div(step).unwrap_or(0) + 1;
    let ends_with_region = (blocks - 1).saturating_mul(step).saturating_add(block) == region.bytes;
    if blocks.saturating_mul(step) >= region.file_bytes && !ends_with_region {
        return whole;
    }
    let drawn = blocks.saturating_mul(region.paths.len().max(1) as u64).saturating_mul(100) / percent;
    drawn.saturating_mul(block).min(whole)
}

/// Writes of one pass, if the passes of a job can be distinguished: it only writes, all writes have one length, and
/// only the number of passes ends it.
pub(super) fn passes(options: &JobOptions, region: &Region) -> Option<u64> {
    let block = options.shortest_block();
    let alike = options.issued_blocks().all(|other| other == block);
    let (pattern, by_amount) = (options.pattern, !options.ends_by_time() && options.number_ios == 0);
    let once = match options.io_size {
        None => once_over(options, region),
        Some(_) => return None,
    };
    let whole = options.loops > 1 && alike && by_amount && pattern.writes && !pattern.reads && !pattern.trims;
    whole.then(|| once / block)
}

/// Whether a job is sure to write over every block of its files: it only writes, goes over all of them, and only its amount
/// ends it.
pub(super) fn writes_all(options: &JobOptions) -> bool {
    let pattern = options.pattern;
    let by_amount = options.runtime == Nanos::ZERO && options.number_ios == 0 && options.io_size.is_none();
    let once_each = !pattern.random
        || !options.norandommap && options.spread == Spread::Uniform && options.percentage_random[1] == 100;
    let leaves_none =
        options.rw_number == 0 && pieces(options).is_none() && options.offset == Amount::Bytes(0);
    pattern.writes && !pattern.reads && !pattern.trims && by_amount && once_each && leaves_none
}

/// Bytes of all files. In several files, a remainder shorter than a block is never reached, except by random offsets
/// without a map.
fn whole_files(options: &JobOptions, region: &Region) -> u64 {
    let block = options.shortest_block();
    let alike = options.issued_blocks().all(|other| other == block);
    let reaches_it = options.pattern.random && options.norandommap;
    let leaves_rest = alike && !reaches_it && region.paths.len() > 1;
    let whole = |bytes: u64| if leaves_rest { bytes - bytes % block } else { bytes };
    region.lengths().map(whole).fold(0, u64::saturating_add)
}

/// Rounds `bytes` down to whole blocks, at least one: a block that only partly belongs to the amount is not issued. If
/// block lengths differ, nothing is rounded, because the sum of all directions counts, but where a random map counts in
/// steps of the shortest.
fn whole_blocks(options: &JobOptions, bytes: u64) -> u64 {
    let block = options.shortest_block();
    let mapped = options.pattern.random && !options.norandommap && options.spread == Spread::Uniform;
    let whole = mapped || options.issued_blocks().all(|other| other == block);
    if whole { (bytes / block).max(1) * block } else { bytes }
}
