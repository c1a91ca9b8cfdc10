//! How much of a job a shortened copy does: a region and an amount in whole blocks, and a few seconds.

use workload::Nanos;

use crate::options::JobOptions;
use crate::value::Amount;

/// Longest region of a clone, unless blocks are long.
const REGION: u64 = 16 << 20;
/// Most clones of a job.
pub const CLONES: u64 = 4;
/// Most files of a clone.
const FILES: u64 = 8;
/// Most passes, and most I/Os where their number is given.
const PASSES: u64 = 2;
const IOS: u64 = 2048;
/// Longest time of a job, and before it counts or starts, in seconds.
const RUNTIME: u64 = 2;

/// The shortened copy of one job.
pub(crate) struct Cut<'a> {
    options: &'a JobOptions,
    /// The longest block, in bytes.
    block: u64,
    /// The longest region, in bytes: whole blocks, at least one for each file.
    most: u64,
    /// Bytes from the start of a file to the end of all clones' regions, as typed.
    span: u64,
    /// Options with their new values.
    new: Vec<(&'static str, String)>,
}

impl<'a> Cut<'a> {
    /// Returns the options of the job that change, with their new values, and the length of the file that stands for
    /// one of `held` bytes; `held` is 0 for a device of unknown length, and `None` if the job makes its files.
    pub fn of(options: &'a JobOptions, held: Option<u64>) -> (Vec<(&'static str, String)>, u64) {
        let lengths = options.bsrange.iter().chain(&options.bssplit).flatten().map(|list| list.longest().0);
        let block = options.bs.iter().copied().chain(lengths).max().unwrap_or(1).max(1);
        let most = REGION.max(FILES * block) / block * block;
        let mut cut = Cut { options, block, most, span: 0, new: Vec::new() };
        cut.counts();
        cut.region(held);
        let stands = held.filter(|bytes| *bytes > 0 && cut.span <= most).map_or(most, |held| held.min(most));
        let region = options.size.map_or(0, |size| cut.scaled(bytes(size)));
        cut.amount(if region > 0 { region } else { stands });
        (cut.new, stands)
    }

    /// Returns `bytes` in proportion, as whole blocks, at least one.
    fn scaled(&self, bytes: u64) -> u64 {
        if bytes == 0 || self.span <= self.most {
            return bytes;
        }
        let part = u128::from(bytes) * u128::from(self.most) / u128::from(self.span);
        (part as u64 / self.block).max(1) * self.block
    }

    /// Gives an option another value than the one typed, with fio's unit.
    fn set(&mut self, name: &'static str, (typed, new): (u64, u64)) {
        let value = match new {
            _ if new == typed => return,
            mebi if mebi > 0 && mebi % (1 << 20) == 0 => format!("{}m", mebi >> 20),
            kibi if kibi > 0 && kibi % 1024 == 0 => format!("{}k", kibi >> 10),
            plain => plain.to_string(),
        };
        self.new.push((name, value));
    }

    /// Lowers numbers and times to the most that a copy has.
    fn counts(&mut self) {
        let options = self.options;
        let seconds = |time: Nanos| time.0.div_ceil(1_000_000_000);
        let limits = [
            ("nrfiles", u64::from(options.nrfiles), FILES),
            ("numjobs", u64::from(options.numjobs), CLONES),
            ("loops", options.loops, PASSES),
            ("number_ios", options.number_ios, IOS),
            ("runtime", seconds(options.runtime), RUNTIME),
            ("ramp_time", seconds(options.ramp_time), RUNTIME),
            ("startdelay", seconds(options.time.startdelay.1), RUNTIME),
        ];
        for (name, typed, most) in limits {
            self.set(name, (typed, typed.min(most)));
        }
    }

    /// Scales the region of the clones.
    fn region(&mut self, held: Option<u64>) {
        let options = self.options;
        let others = u64::from(options.numjobs).min(CLONES) - 1;
        let (size, offset) = (options.size.map_or(0, bytes), bytes(options.offset));
        let increment = bytes(options.offset_increment);
        let begin = offset.saturating_add(increment.saturating_mul(others));
        let length = match size {
            0 => held.map_or(0, |held| held.saturating_sub(begin).max(begin)),
            size => size,
        };
        let files = u64::from(options.nrfiles).min(FILES).saturating_mul(options.filesize);
        self.span = begin.saturating_add(length).max(files);
        let places = [("size", size), ("offset", offset), ("offset_increment", increment)];
        for (name, typed) in places.into_iter().chain([("filesize", options.filesize)]) {
            self.set(name, (typed, self.scaled(typed)));
        }
    }

    /// Limits the amount, also to what a job that a rate limits does in a few seconds.
    fn amount(&mut self, region: u64) {
        let options = self.options;
        let asked = options.io_size.map_or(0, bytes);
        let mut amount = self.scaled(asked).min(PASSES * self.most);
        let most = |rates: &[u64; 3]| rates.iter().copied().max().filter(|rate| *rate > 0);
        let by_ios = most(&options.rate_iops).map(|ios| ios.saturating_mul(self.block));
        let rate = most(&options.rate).into_iter().chain(by_ios).min();
        if options.runtime == Nanos::ZERO && (rate.is_some() || options.time.thinktime > Nanos::ZERO) {
            self.set("runtime", (0, 2 * RUNTIME));
        }
        if let Some(rate) = rate {
            let blocks = (rate.saturating_mul(RUNTIME) / self.block).max(1);
            let whole = if amount > 0 { amount } else { region };
            amount = blocks.saturating_mul(self.block).min(whole);
        }
        self.set("io_size", (asked, amount));
    }
}

/// Bytes of an amount; 0 for a percentage, which stays one.
pub fn bytes(amount: Amount) -> u64 {
    match amount {
        Amount::Bytes(bytes) => bytes,
        Amount::Percent(_) => 0,
    }
}
