//! Parameters of another tool's run, as the tool repeats them beside its figures.

use record::{ReportedDirection, ReportedPart};
use workload::Direction;

use super::work::Work;

/// Names under which fio, ioping and DiskSpd (text, XML) repeat the block size.
const BLOCK: [&str; 4] = ["bs", "blocksize", "block size", "BlockSize"];
const DEPTH: [&str; 3] = ["iodepth", "number of outstanding I/O operations per thread", "RequestCount"];
const DEPTH_OF_ALL: [&str; 1] = ["number of outstanding I/O operations"];
const THREADS: [&str; 4] = ["threads per file", "ThreadsPerFile", "total threads", "ThreadCount"];
const READ_SHARE: [&str; 1] = ["rwmixread"];
const WRITE_SHARE: [&str; 2] = ["rwmixwrite", "WriteRatio"];
const FLUSH: [&str; 2] = ["fsync", "fdatasync"];
const RATE_IOPS: &str = "rate_iops";
/// Parameters that limit a job otherwise than by a number of I/Os per second.
const HELD: [&str; 5] = ["rate", "rate_min", "rate_iops_min", "thinktime", "rate_process"];
/// Parameters that are part of a [`Work`], or have rows of their own among the differences.
const IN_WORK: [&str; 9] =
    ["rw", "readwrite", "rwmixread", "rwmixwrite", "bs", "blocksize", "iodepth", "ioengine", "direct"];

/// Whether a parameter is shown elsewhere: in the work, as the name of the job or its files, or as the region.
pub(super) fn told_elsewhere(name: &str) -> bool {
    let known = [&BLOCK[..], &DEPTH, &DEPTH_OF_ALL, &THREADS, &IN_WORK, &["size", "name", "WriteRatio"]];
    known.iter().any(|names| names.contains(&name))
        || name.starts_with("performing ")
        || name.starts_with("using random")
        || name.starts_with("using sequential")
}

/// Returns the work of another tool in one direction, from its output.
pub(super) fn work(part: &ReportedPart, way: &ReportedDirection, tool: &str) -> Work {
    let asked = ReportedOptions(part);
    let spaced = tool.starts_with("ioping");
    // If the tool repeats no option at all, a missing one need not have been left out.
    let told = spaced || !part.asked.is_empty();
    let words = if spaced { asked.word(&["size"]) } else { asked.word(&BLOCK) };
    Work {
        direction: way.direction,
        sequential: asked.sequential().or(spaced.then_some(false)),
        read_percent: asked.share().or(spaced.then_some(100)),
        block: words.and_then(|word| block(word, way.direction)).or(per_op(way)),
        depth: if spaced { Some(1) } else { asked.depth().or_else(|| asked.depth_left_out(tool)) },
        flush_every: asked.word(&FLUSH).map_or(told.then_some(0), |word| word.parse().ok()),
        offered: if spaced { Some(0) } else { asked.offered(way.direction) },
        spaced,
    }
}

struct ReportedOptions<'a>(&'a ReportedPart);

impl<'a> ReportedOptions<'a> {
    fn word(&self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.0.asked_for(name))
    }

    fn number(&self, names: &[&str]) -> Option<u32> {
        self.word(names)?.parse().ok()
    }

    /// Whether a parameter begins with `words`, such as DiskSpd's `using random I/O (alignment: 4KiB)`.
    fn says(&self, words: &str) -> bool {
        self.0.asked.iter().any(|(name, _)| name.starts_with(words))
    }

    /// Returns fio's pattern.
    fn pattern(&self) -> Option<&'a str> {
        self.word(&["rw", "readwrite"])
    }

    fn sequential(&self) -> Option<bool> {
        if let Some(pattern) = self.pattern() {
            return Some(!pattern.starts_with("rand"));
        }
        if self.says("using random I/O") || self.0.asked_for("Random").is_some() {
            return Some(false);
        }
        let sequential = self.says("using sequential I/O")
            || self.says("using interlocked sequential")
            || self.0.asked_for("StrideSize").is_some();
        sequential.then_some(true)
    }

    /// Returns the share of reads in percent: of the pattern if it has one direction, or as requested, or as measured.
    fn share(&self) -> Option<u8> {
        match self.pattern() {
            Some("read" | "randread") => return Some(100),
            Some("write" | "randwrite") => return Some(0),
            _ => {}
        }
        let percent = |number: u32| u8::try_from(number.min(100)).ok();
        let reads = self.number(&READ_SHARE).or_else(|| self.mix());
        let asked = reads.or_else(|| Some(100 - self.number(&WRITE_SHARE)?.min(100)));
        asked.and_then(percent).or_else(|| self.share_as_it_came_out())
    }

    /// Returns the share of reads in percent, such as DiskSpd's `performing mix test (read/write ratio: 70/30)`.
    fn mix(&self) -> Option<u32> {
        if self.says("performing read test") {
            return Some(100);
        }
        if self.says("performing write test") {
            return Some(0);
        }
        let (_, ratio) = self.0.asked.iter().find(|(name, _)| name.starts_with("performing mix test"))?;
        ratio.split('/').next()?.trim().parse().ok()
    }

    fn share_as_it_came_out(&self) -> Option<u8> {
        let ops = |way| {
            let found = self.0.of(Some(way))?;
            found.ops.as_ref().or(found.iops.as_ref()).map(|figure| figure.value)
        };
        match (ops(Direction::Read), ops(Direction::Write)) {
            (Some(read), Some(write)) if read + write > 0.0 => {
                Some((100.0 * read / (read + write)).round() as u8)
            }
            (Some(read), None) if read > 0.0 => Some(100),
            (None, Some(write)) if write > 0.0 => Some(0),
            _ => None,
        }
    }

    /// Returns the limit on the I/Os per second of all workers together, 0 without one; `None` if unknown or of another
    /// kind.
    fn offered(&self, direction: Option<Direction>) -> Option<u64> {
        if self.0.asked.is_empty() {
            return None;
        }
        if let Some(words) = self.0.asked_for(RATE_IOPS) {
            let rates: Vec<&str> = words.split(',').collect();
            let place = usize::from(direction == Some(Direction::Write) && rates.len() > 1);
            let rate = workload::size(rates[place].trim()).ok()?;
            return rate.0.checked_mul(u64::from(self.0.clones.unwrap_or(1).max(1)));
        }
        let held = |name: &&str| self.0.asked_for(name).is_some_and(|value| value.trim() != "0");
        if HELD.iter().any(held) { None } else { Some(0) }
    }

    /// Returns fio's default depth: fio repeats its options, and a depth that was left out is 1 for each worker.
    fn depth_left_out(&self, tool: &str) -> Option<u32> {
        let told = tool.starts_with("fio") && self.pattern().is_some() && self.word(&DEPTH).is_none();
        told.then(|| self.0.clones.unwrap_or(1).max(1))
    }

    /// Returns the I/Os in flight of all workers together.
    fn depth(&self) -> Option<u32> {
        if let Some(all) = self.number(&DEPTH_OF_ALL) {
            return Some(all);
        }
        let threads = || THREADS.iter().filter_map(|name| self.number(&[name])).find(|&threads| threads > 0);
        let workers = self.0.clones.or_else(threads).unwrap_or(1).max(1);
        Some(self.number(&DEPTH)? * workers)
    }
}

/// Reads the block size of `direction` from words such as `4k`, `4K-4K/8K-8K` or `(R) 4096B-4096B, (W) 8192B-8192B`:
/// the first is for reads, the second for writes. A range of sizes is not a block size.
fn block(words: &str, direction: Option<Direction>) -> Option<u64> {
    let parts: Vec<&str> = words.split(['/', ',']).collect();
    let place = if direction == Some(Direction::Write) && parts.len() > 1 { 1 } else { 0 };
    let part = parts[place].trim().trim_start_matches(|c: char| !c.is_ascii_digit());
    let (least, most) = part.split_once('-').unwrap_or((part, part));
    (size(least)? == size(most)?).then(|| size(least)).flatten()
}

/// Reads a size: fio's header writes `4096B`, ioping `4096 bytes` and `4 KiB`.
fn size(word: &str) -> Option<u64> {
    let word = word.trim().trim_end_matches("bytes").trim_end();
    let found = workload::size(word).or_else(|_| workload::size(word.trim_end_matches(['B', 'b'])));
    found.ok().map(|size| size.0)
}

/// Returns the bytes per I/O if both sums are printed in full.
fn per_op(way: &ReportedDirection) -> Option<u64> {
    let (bytes, ops) = (way.bytes.as_ref()?, way.ops.as_ref()?);
    let block = bytes.value / ops.value;
    (ops.value > 0.0 && block >= 512.0 && block.fract() == 0.0).then_some(block as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Scope;

    fn asked(pairs: &[(&str, &str)]) -> ReportedPart {
        let asked = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ReportedPart { asked, ..ReportedPart::named(Scope::Job, "job", 1) }
    }

    fn of(pairs: &[(&str, &str)], direction: Direction) -> Work {
        work(&asked(pairs), &ReportedDirection::new(Some(direction)), "fio 3.33 text")
    }

    #[test]
    fn the_same_work_is_seen_in_the_words_of_each_tool() {
        let wanted = (Some(false), Some(70), Some(4096), Some(16));
        for pairs in [
            &[("rw", "randrw"), ("bs", "4K-4K/4K-4K"), ("iodepth", "16"), ("rwmixread", "70")][..],
            &[
                ("rw", "randrw"),
                ("bs", "(R) 4096B-4096B, (W) 4096B-4096B"),
                ("iodepth", "16"),
                ("rwmixwrite", "30"),
            ],
            &[
                ("performing mix test (read/write ratio", "70/30)"),
                ("block size", "4KiB"),
                ("using random I/O (alignment", "4KiB)"),
                ("number of outstanding I/O operations per thread", "8"),
                ("threads per file", "2"),
            ],
            &[
                ("BlockSize", "4096"),
                ("Random", "4096"),
                ("WriteRatio", "30"),
                ("RequestCount", "8"),
                ("ThreadsPerFile", "2"),
                ("ThreadCount", "0"),
            ],
        ] {
            let found = of(pairs, Direction::Read);
            assert_eq!((found.sequential, found.read_percent, found.block, found.depth), wanted, "{pairs:?}");
        }
    }

    #[test]
    fn blocks_of_each_direction_are_told_apart_and_ranges_are_none() {
        let pairs = [("rw", "rw"), ("bs", "4K-4K/64K-64K/4K-4K")];
        assert_eq!(of(&pairs, Direction::Read).block, Some(4096));
        assert_eq!(of(&pairs, Direction::Write).block, Some(65536));
        assert_eq!(of(&[("bs", "4k-64k")], Direction::Read).block, None);
        assert_eq!(of(&[("bs", "4096 bytes")], Direction::Read).block, Some(4096));
        assert_eq!(of(&[("bs", "what")], Direction::Read).block, None);
    }
}
