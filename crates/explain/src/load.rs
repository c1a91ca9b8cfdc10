//! How much a job of fio does: how many I/Os, of what length, in which direction.

use super::figures::{bytes, count, seconds};
use fio::{Amount, JobOptions};
use workload::Lengths;

/// Shares and mean lengths of a job's I/Os: reads, writes, trims.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    shares: [f64; 3],
    means: [f64; 3],
    is_mixed: bool,
}

impl Load {
    /// Returns the load of `options`.
    pub fn of(options: &JobOptions) -> Load {
        let pattern = options.pattern;
        let reads = f64::from(options.rwmix_read.min(100)) / 100.0;
        let shares = match (pattern.reads, pattern.writes, pattern.trims) {
            (true, true, _) => [reads, 1.0 - reads, 0.0],
            (true, false, _) => [1.0, 0.0, 0.0],
            (false, true, true) => [0.0, 0.5, 0.5],
            (false, true, false) => [0.0, 1.0, 0.0],
            (false, false, _) => [0.0, 0.0, 1.0],
        };
        let lengths = [0, 1, 2].map(|direction| lengths(options, direction));
        let issued: Vec<&Lengths> = lengths
            .iter()
            .zip(shares)
            .filter(|(_, share)| *share > 0.0)
            .map(|(lengths, _)| lengths)
            .collect();
        let first = issued.first().map(|lengths| lengths.shortest());
        let alone =
            |lengths: &&&Lengths| Some(lengths.shortest()) == first && Some(lengths.longest()) == first;
        let is_mixed = issued.iter().filter(alone).count() < issued.len();
        let means = lengths.each_ref().map(mean);
        Load { shares, means, is_mixed }
    }

    /// Mean length of an I/O in bytes.
    pub fn mean_block(&self) -> f64 {
        let sum: f64 = self.shares.iter().zip(self.means).map(|(share, mean)| share * mean).sum();
        sum.max(1.0)
    }

    /// Number of I/Os that `amount` bytes take.
    pub fn ios(&self, amount: u64) -> u64 {
        (amount as f64 / self.mean_block()) as u64
    }

    /// Number of I/Os that `amount` bytes take, in words.
    pub fn counted(&self, amount: u64) -> String {
        match self.is_mixed {
            true => format!("about {} I/Os", count(self.ios(amount))),
            false => format!("{} I/Os", count(self.ios(amount))),
        }
    }

    /// Number and length of the I/Os that `amount` bytes take, in words.
    pub fn described(&self, amount: u64) -> String {
        let block = bytes(self.mean_block() as u64);
        match self.is_mixed {
            true => format!("{} of {block} on average", self.counted(amount)),
            false => format!("{} of {block}", self.counted(amount)),
        }
    }

    /// Share of the I/Os in a direction.
    pub fn share(&self, direction: usize) -> f64 {
        self.shares[direction]
    }

    /// Mean length of an I/O in a direction, in bytes.
    pub fn mean_of(&self, direction: usize) -> f64 {
        self.means[direction]
    }
}

/// Lengths of I/Os in a direction. With `bs_is_seq_rand` the first typed length is that of I/Os in order, the second that of
/// I/Os at random places.
pub fn lengths(options: &JobOptions, direction: usize) -> Lengths {
    if !options.bs_is_seq_rand {
        return options.lengths(direction);
    }
    let random = options.percentage_random[direction.min(1)];
    match (options.pattern.random, random) {
        (false, _) => options.lengths(0),
        (true, 100) => options.lengths(1),
        (true, share) => {
            let (least, most) = (options.lengths(0), options.lengths(1));
            let share_of = |lengths: &Lengths, weight: u32| workload::LengthShare {
                length: workload::Bytes(mean(lengths) as u64),
                weight,
            };
            let random = share as u32;
            Lengths::Shares(vec![share_of(&least, 100 - random.min(100)), share_of(&most, random)])
        }
    }
}

fn mean(lengths: &Lengths) -> f64 {
    match lengths {
        Lengths::Fixed(length) => length.0 as f64,
        Lengths::Range { least, most, .. } => (least.0 + most.0) as f64 / 2.0,
        Lengths::Shares(shares) => {
            let weights: f64 = shares.iter().map(|share| f64::from(share.weight)).sum();
            let sum: f64 = shares.iter().map(|share| share.length.0 as f64 * f64::from(share.weight)).sum();
            sum / weights.max(1.0)
        }
    }
}

/// How long `depth` I/Os of `block` bytes wait in line, in words: by IOPS below 64 KiB, by bandwidth from there on.
pub fn time_in_line(depth: u64, block: u64) -> String {
    match block < 64 << 10 {
        true => format!("depth / IOPS, {} at 5,000 IOPS", seconds(depth as f64 / 5e3)),
        false => {
            format!("depth x block / bandwidth, {} at 200 MB/s", seconds((depth * block) as f64 / 200e6))
        }
    }
}

/// Bytes that a copy does before it ends, by size only; `None` if its words do not say.
pub fn sized(options: &JobOptions) -> Option<u64> {
    match options.io_size.or(options.size) {
        Some(Amount::Bytes(amount)) => Some(amount.saturating_mul(options.loops)),
        _ => None,
    }
}

/// Bytes that a copy does before it ends, by size or by a number of I/Os; `None` if its words do not say.
pub fn amount(options: &JobOptions) -> Option<u64> {
    let counted = options.number_ios.saturating_mul(options.loops);
    let by_count = (counted > 0).then(|| (counted as f64 * Load::of(options).mean_block()) as u64);
    sized(options).into_iter().chain(by_count).min()
}
