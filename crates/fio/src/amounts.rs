//! How much a job does: until when, in a pass, and in all of them.

use workload::{Act, Bytes, Nanos, StopRule};

use super::files::{Region, share};
use super::options::JobOptions;
use super::value::Amount;

/// By time, by amount, or by whichever comes first; time alone where the job is based on it.
pub(super) fn stop_rules(options: &JobOptions, region: &Region) -> Vec<StopRule> {
    let mut rules = Vec::new();
    if options.runtime > Nanos::ZERO {
        rules.push(StopRule::Time(options.runtime));
    }
    if !options.ends_by_time() {
        let once = match options.io_size {
            Some(Amount::Bytes(bytes)) if bytes > 0 => bytes,
            Some(Amount::Percent(percent)) => share(region.total(), percent),
            _ => once_over(options, region),
        };
        // A pair of a trim and a write counts twice.
        let pairs = if options.pattern.trims && options.pattern.writes { 2 } else { 1 };
        let amount = once.saturating_mul(options.loops).saturating_mul(pairs);
        let amount = Bytes(whole_blocks(options, amount));
        // fio takes what its ramp moves off the amount, and counts the I/Os of number_ios from its end (3.33).
        rules.push(match options.ramp_time {
            Nanos::ZERO => StopRule::BytesEach(amount),
            _ => StopRule::BytesInAll(amount),
        });
    }
    if options.number_ios > 0 {
        rules.push(StopRule::OpsEach(options.number_ios.saturating_mul(options.loops)));
    }
    rules
}

/// Bytes after which fio opens its files anew, and empties the page cache of them. Random places that may repeat are one
/// pass however much is done; what goes past the cache leaves nothing in it.
pub(super) fn pass(options: &JobOptions, region: &Region) -> Option<u64> {
    let moves = options.engine.act() == Act::Move;
    let empties = options.invalidate && !options.pre_read && !options.direct && moves;
    let without_map = options.pattern.random && options.norandommap;
    let more = match options.io_size {
        Some(Amount::Bytes(bytes)) if without_map => bytes,
        _ => 0,
    };
    let pairs = if options.pattern.trims && options.pattern.writes { 2 } else { 1 };
    empties.then(|| once_over(options, region).max(more).saturating_mul(pairs))
}

/// Bytes that are done once: of files that are longer than what is to be done only that. With holes between the I/Os a job
/// of fio's ends where the last one ends with the region, or the next would reach beyond it; where the last hole reaches the end
/// of the file it begins anew. Reads and writes of a mix leave holes each for themselves.
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
    let ways = if options.pattern.reads && options.pattern.writes { 2 } else { 1 };
    let step = block.saturating_add(gap.unsigned_abs());
    let blocks = region.bytes.saturating_sub(block).checked_div(step).unwrap_or(0) + 1;
    let ends_with_region = (blocks - 1).saturating_mul(step).saturating_add(block) == region.bytes;
    if blocks.saturating_mul(step) >= region.file_bytes && !ends_with_region {
        return whole;
    }
    blocks.saturating_mul(block).saturating_mul(ways * region.paths.len().max(1) as u64).min(whole)
}

/// The writes of one pass of several, where each pass is one of its own: all of them are as long as the others, and nothing but
/// their number ends the job.
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

/// Bytes of all files: the rest of each that is no whole block is never met, but where places are drawn without a map.
fn whole_files(options: &JobOptions, region: &Region) -> u64 {
    let block = options.shortest_block();
    let alike = options.issued_blocks().all(|other| other == block);
    let leaves_rest = alike && !options.norandommap && region.paths.len() > 1;
    let whole = |bytes: u64| if leaves_rest { bytes - bytes % block } else { bytes };
    region.lengths().map(whole).fold(0, u64::saturating_add)
}

/// A block that would only partly belong to the amount is not issued; where the directions differ in their block, the sum
/// of both counts and nothing is rounded.
fn whole_blocks(options: &JobOptions, bytes: u64) -> u64 {
    let block = options.shortest_block();
    if options.issued_blocks().all(|other| other == block) { (bytes / block).max(1) * block } else { bytes }
}
