//! dd: its operands, and the load that they request.

use super::figures::{bytes, count};
use super::files_fio::is_device;

/// Most bytes that a read returns on Linux (read(2)).
const READ_MOST: u64 = 0x7fff_f000;

/// When dd waits for stable storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DdFlush {
    /// Never.
    #[default]
    Never,
    /// Once, before dd prints how long the copy took.
    AtEnd,
    /// After every block.
    Each,
}

/// A parsed dd command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dd {
    /// Input; empty: standard input.
    pub from: String,
    /// Output; empty: standard output.
    pub to: String,
    /// Length of a block that is read, in bytes.
    pub block: u64,
    /// Length of a block that is written, in bytes.
    pub write_block: u64,
    /// What to copy; `None`: until the end of the input.
    pub(super) count: Option<DdCount>,
    /// When dd waits for stable storage.
    pub flushed: DdFlush,
    /// Whether reads bypass the page cache.
    pub direct_read: bool,
    /// Whether writes bypass the page cache.
    pub direct_write: bool,
    /// Whether no rate is printed (`status=none`, `status=noxfer`).
    pub is_silent: bool,
    /// Part of the input that is passed over first.
    pub(super) skip: DdCount,
    /// Part of the output that is left as it is before the first byte written.
    pub(super) seek: DdCount,
    /// Whether `skip` or `seek` is known to the shell alone.
    pub(super) hidden: [bool; 2],
    /// Whether a block is read until it is full (`iflag=fullblock`).
    pub whole: bool,
    /// Whether what is behind the blocks written stays (`conv=notrunc`).
    pub keeps: bool,
    /// Whether writes go to the end of the output (`oflag=append`).
    pub appends: bool,
    /// Whether blocks of zeros are passed over instead of written (`conv=sparse`).
    pub is_sparse: bool,
    /// A number with a unit in a small letter, which GNU dd does not take.
    pub small_unit: Option<String>,
}

/// An amount as dd counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DdCount {
    /// The number.
    number: u64,
    /// Whether it counts bytes (a unit with `B`, or `count_bytes` and its like), not blocks.
    is_bytes: bool,
}

impl DdCount {
    /// The amount in bytes, with blocks of `block` bytes.
    fn bytes(self, block: u64) -> u64 {
        self.number.saturating_mul(if self.is_bytes { 1 } else { block })
    }
}

impl Dd {
    /// Reads the operands.
    ///
    /// # Errors
    /// Index of the word that is not understood, from 0, and the reason.
    pub fn parse(words: &[String]) -> Result<Dd, (usize, String)> {
        let mut dd = Dd { block: 512, write_block: 512, ..Dd::default() };
        for (at, word) in words.iter().enumerate() {
            dd.operand(word).map_err(|why| (at, why))?;
        }
        // Wherever it stands, bs overrules ibs and obs; flags say what the numbers count.
        let values =
            |operand: &str| words.iter().filter_map(|word| word.strip_prefix(operand)).collect::<Vec<_>>();
        if let Some(block) = values("bs=").last().and_then(|block| size(block).ok()) {
            (dd.block, dd.write_block) = (block, block);
        }
        let has = |operand: &str, flag: &str| {
            values(operand).iter().any(|flags| flags.split(',').any(|one| one == flag))
        };
        dd.skip.is_bytes |= has("iflag=", "skip_bytes");
        dd.seek.is_bytes |= has("oflag=", "seek_bytes");
        dd.count.iter_mut().for_each(|count| count.is_bytes |= has("iflag=", "count_bytes"));
        Ok(dd)
    }

    fn operand(&mut self, word: &str) -> Result<(), String> {
        let bare = word.trim_start_matches('-');
        let (name, value) = bare.split_once('=').ok_or("dd takes operands such as if=FILE and bs=1M")?;
        let counted = || Ok::<_, String>(DdCount { number: size(value)?, is_bytes: value.contains('B') });
        match name {
            "if" => self.from = value.to_owned(),
            "of" => self.to = value.to_owned(),
            "bs" => (self.block, self.write_block) = (size(value)?, size(value)?),
            "ibs" => self.block = size(value)?,
            "obs" => self.write_block = size(value)?,
            "count" => self.count = Some(counted()?),
            "conv" | "oflag" | "iflag" => value.split(',').for_each(|flag| self.flag(name, flag)),
            "skip" | "iseek" => {
                (self.skip, self.hidden[0]) = (counted().unwrap_or_default(), counted().is_err())
            }
            "seek" | "oseek" => {
                (self.seek, self.hidden[1]) = (counted().unwrap_or_default(), counted().is_err())
            }
            "status" => self.is_silent = matches!(value, "none" | "noxfer"),
            "cbs" => {}
            _ => {
                return Err(format!(
                    "dd has no operand {name}; those that matter are if, of, bs, count, conv, iflag, oflag"
                ));
            }
        }
        if !matches!(name, "if" | "of" | "status") && value.ends_with(['m', 'g', 't']) && size(value).is_ok()
        {
            self.small_unit = Some(bare.to_owned());
        }
        Ok(())
    }

    fn flag(&mut self, operand: &str, flag: &str) {
        match (operand, flag) {
            ("conv", "fdatasync" | "fsync") if self.flushed == DdFlush::Never => {
                self.flushed = DdFlush::AtEnd
            }
            ("oflag", "dsync" | "sync") => self.flushed = DdFlush::Each,
            ("conv", "notrunc") => self.keeps = true,
            ("conv", "sparse") => self.is_sparse = true,
            ("oflag", "append") => self.appends = true,
            ("oflag", "direct") => self.direct_write = true,
            ("iflag", "direct") => self.direct_read = true,
            ("iflag", "fullblock") => self.whole = true,
            _ => {}
        }
    }

    /// Number of bytes copied; `None`: until the end of the input.
    pub fn amount(&self) -> Option<u64> {
        let block = if self.whole { self.block } else { self.block.min(READ_MOST) };
        self.count.map(|count| count.bytes(block))
    }

    /// Whether dd writes to a file or device other than `/dev/null`.
    pub fn writes(&self) -> bool {
        !self.to.is_empty() && self.to != "/dev/null"
    }

    /// Whether dd reads a file or device.
    pub fn reads(&self) -> bool {
        const MADE: [&str; 3] = ["/dev/zero", "/dev/urandom", "/dev/random"];
        !self.from.is_empty() && !MADE.contains(&self.from.as_str())
    }

    /// The part of the output that is lost, in words; `None`: all of it.
    pub fn part(&self) -> Option<String> {
        let from = self.seek.bytes(self.write_block);
        let kept = is_device(&self.to) || self.keeps;
        let is_endless = !self.from.is_empty() && !self.reads();
        if self.hidden[1] {
            let amount = self.amount().filter(|_| kept).map_or("all".to_owned(), bytes);
            return Some(format!("{amount} from where seek says on"));
        }
        match (self.amount().filter(|_| kept), from) {
            (None, 0) if kept && !is_endless => {
                Some("as much as the input has, from the start on".to_owned())
            }
            (None, from) if kept && !is_endless => {
                Some(format!("as much as the input has, from {} on", bytes(from)))
            }
            (None, 0) => None,
            (None, from) => Some(format!("all from {} on", bytes(from))),
            (Some(amount), 0) => Some(format!("the first {}", bytes(amount))),
            (Some(amount), from) => Some(format!("{} from {} on", bytes(amount), bytes(from))),
        }
    }

    /// Returns sentences on the load that the command requests.
    pub fn asks(&self) -> Vec<String> {
        let place = |path: &str, usual: &str, passed: Option<u64>| {
            let name = if path.is_empty() { usual } else { path };
            match passed {
                Some(0) => name.to_owned(),
                Some(passed) => format!("{name} (from {} on)", bytes(passed)),
                None => format!("{name} (from a place that only the shell knows)"),
            }
        };
        let [skip, seek] =
            [(self.skip, self.block), (self.seek, self.write_block)].map(|(of, block)| of.bytes(block));
        let from = place(&self.from, "standard input", Some(skip).filter(|_| !self.hidden[0]));
        let to = place(&self.to, "standard output", Some(seek).filter(|_| !self.hidden[1]));
        let blocks = match self.block == self.write_block {
            true => bytes(self.block),
            false => format!("{} (written as {})", bytes(self.block), bytes(self.write_block)),
        };
        let number = self.amount().map_or(0, |amount| amount.div_ceil(self.block.clamp(1, READ_MOST)));
        let mut said = vec![match self.amount() {
            Some(_) if self.block > READ_MOST && !self.whole => format!(
                "Copies from {from} to {to}: {} reads of {} each at most, because a single read returns no more, whatever bs \
                 says; iflag=fullblock fills each block. Memory must hold a block of {}.",
                count(number),
                bytes(READ_MOST),
                bytes(self.block)
            ),
            Some(0) => format!("Copies nothing from {from} to {to} (count=0)."),
            Some(amount) if amount <= self.block => {
                format!("Copies {} from {from} to {to} in one block, which memory must hold.", bytes(amount))
            }
            Some(amount) => format!(
                "Copies {} from {from} to {to}: {} blocks of {blocks}, one after the other.",
                bytes(amount),
                count(number)
            ),
            None => format!(
                "Copies from {from} to {to} in blocks of {blocks}, one after the other, until the input ends or the \
                 output is full."
            ),
        }];
        said.extend(self.ways());
        said.push(match self.is_silent {
            true => "It prints no rate (status): time it, or leave status out.".to_owned(),
            false => {
                "The last line is the result: bytes, seconds, and a rate in powers of 1000 (MB/s, GB/s)."
                    .to_owned()
            }
        });
        said
    }

    /// Use of the page cache, flushes, and what stays of the output.
    fn ways(&self) -> Option<String> {
        let write = match (self.direct_write, self.flushed) {
            (true, DdFlush::Never) => {
                "Writes past the page cache (oflag=direct), without a flush of the disk's own cache."
            }
            (true, DdFlush::AtEnd) => {
                "Writes past the page cache (oflag=direct), with one flush at the end, within the time."
            }
            (true, DdFlush::Each) => {
                "Writes past the page cache, and each block waits until it is on stable storage (oflag)."
            }
            (false, DdFlush::Each) => "Each block waits until it is on stable storage (oflag).",
            (false, DdFlush::AtEnd) => {
                "Writes to the page cache and waits once, at the end, until all is stored: the time includes that."
            }
            (false, DdFlush::Never) => "",
        };
        let kept = match (self.keeps && !is_device(&self.to), self.appends) {
            (false, false) => "",
            (false, true) => "Empties the output first, although it appends (no conv=notrunc).",
            (true, true) => "Writes after the end of what is there (oflag=append).",
            (true, false) => "Leaves the rest of the output as it is (conv=notrunc).",
        };
        let read =
            if self.reads() && self.direct_read { "Reads past the page cache (iflag=direct)." } else { "" };
        let of_writes = [write, kept].into_iter().filter(|_| self.writes());
        let said: Vec<&str> = [read].into_iter().chain(of_writes).filter(|words| !words.is_empty()).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }
}

/// Reads one of dd's numbers: `64k`, `1M`, `1MB` (1000-based), `2x512`, `1G`.
fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text} is no number that dd reads; write for example 64k or 1M");
    text.split('x').try_fold(1u64, |product, factor| {
        let end = factor.find(|c: char| !c.is_ascii_digit()).unwrap_or(factor.len());
        let number: u64 = factor[..end].parse().map_err(|_| wrong())?;
        let unit: u64 = match &factor[end..] {
            "" | "c" => 1,
            "w" => 2,
            "b" => 512,
            "kB" => 1000,
            "k" | "K" | "KiB" => 1 << 10,
            "MB" => 1_000_000,
            "m" | "M" | "MiB" => 1 << 20,
            "GB" => 1_000_000_000,
            "g" | "G" | "GiB" => 1 << 30,
            "TB" => 1_000_000_000_000,
            "t" | "T" | "TiB" => 1 << 40,
            _ => return Err(wrong()),
        };
        number.checked_mul(unit).and_then(|value| product.checked_mul(value)).ok_or_else(wrong)
    })
}

/// Meaning of an operand.
pub fn meaning(word: &str) -> String {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    match (name, value) {
        ("if", _) => "What is read.".to_owned(),
        ("of", path) if is_device(path) => "What is written.".to_owned(),
        ("of", _) => "What is written; a file is cut off behind seek first, without conv=notrunc.".to_owned(),
        ("bs", _) => "Bytes of a block.".to_owned(),
        ("count", _) => "How many blocks.".to_owned(),
        ("conv", flags) => {
            let flags = flags.split(',').map(|flag| match flag {
                "fdatasync" | "fsync" => "Waits for stable storage once, at the end.",
                "sync" => "Fills a short block with zeros; nothing waits for the disk.",
                "notrunc" => "Keeps what is there of the output, but for the blocks written.",
                "sparse" => "Passes over blocks of zeros instead of writing them.",
                _ => "A conversion without bearing on what is measured.",
            });
            flags.collect::<Vec<_>>().join(" ")
        }
        ("seek" | "oseek", _) => "Blocks of the output that are passed over first.".to_owned(),
        ("skip" | "iseek", _) => "Blocks of the input that are passed over first.".to_owned(),
        ("oflag", flags) => {
            let flags = flags.split(',').map(|flag| match flag {
                "direct" => "Writes past the page cache.",
                "dsync" | "sync" => "Waits for stable storage after each block.",
                "append" => "Writes at the end of the output.",
                _ => "A flag without bearing on what is measured.",
            });
            flags.collect::<Vec<_>>().join(" ")
        }
        ("iflag", flags) if flags.contains("direct") => "Reads past the page cache.".to_owned(),
        ("status", _) => "What is said meanwhile.".to_owned(),
        _ => "Without bearing on what is measured.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_read_with_their_units() {
        let words: Vec<String> =
            ["if=/dev/zero", "of=t", "bs=64k", "count=16k", "conv=fdatasync"].map(str::to_owned).into();
        let dd = Dd::parse(&words).expect("it is right");
        assert_eq!((dd.block, dd.amount(), dd.flushed), (65_536, Some(1 << 30), DdFlush::AtEnd));
        assert_eq!((size("2x512"), size("1MB"), size("3b")), (Ok(1024), Ok(1_000_000), Ok(1536)));
        assert!(size("1q").is_err() && size("99999999999999999999").is_err());
        assert_eq!(Dd::parse(&["of".to_owned()]).map_err(|(at, _)| at), Err(0));
    }
}
