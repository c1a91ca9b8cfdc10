//! Counts of completion latencies in fio's own buckets; each row has the counts of one interval.

use std::fmt::Write as _;

use workload::Nanos;

use super::window::LoggedIo;
use crate::logging::LogOptions;
use crate::present::bins::{BUCKETS, bucket};

/// Counts of one worker since its last rows.
#[derive(Clone, Debug)]
pub(crate) struct Histograms {
    every: Nanos,
    end: Nanos,
    /// Number of neighbouring buckets that are merged, as a power of two.
    coarseness: u32,
    counts: [Vec<u64>; 3],
    seen: [bool; 3],
}

/// Where and how to write the rows of all directions that had an I/O.
pub(crate) struct Rows<'t> {
    /// Text to which rows are appended.
    pub text: &'t mut String,
    /// Block size in bytes by direction.
    pub bytes: [u64; 3],
    /// Offset added to times in milliseconds since the job's start.
    pub epoch_ms: u64,
}

impl Histograms {
    /// Returns histograms without any count.
    pub fn new(options: &LogOptions) -> Histograms {
        let columns = (BUCKETS >> options.coarseness) as usize;
        Histograms {
            every: options.histogram_every,
            end: options.histogram_every,
            coarseness: options.coarseness,
            counts: std::array::from_fn(|_| vec![0; columns]),
            seen: [false; 3],
        }
    }

    /// Counts the completion latency of an I/O, after writing the rows due before it.
    pub fn count(&mut self, io: &LoggedIo, rows: &mut Rows) {
        if io.done >= self.end {
            self.write(self.end, rows);
            let gone = io.done.0 / self.every.0.max(1);
            self.end = Nanos((gone + 1).saturating_mul(self.every.0));
        }
        let at = usize::from(io.direction);
        let [_, clat, _] = io.latencies;
        self.seen[at] = true;
        let columns = &mut self.counts[at];
        let column = ((bucket(clat) >> self.coarseness) as usize).min(columns.len() - 1);
        columns[column] += 1;
    }

    /// Writes the counts up to `time`, measured from the job's start.
    pub fn write(&mut self, time: Nanos, rows: &mut Rows) {
        for (direction, counts) in self.counts.iter_mut().enumerate().filter(|(at, _)| self.seen[*at]) {
            let time_ms = rows.epoch_ms + time.0 / 1_000_000;
            let _ = write!(rows.text, "{time_ms}, {direction}, {}", rows.bytes[direction]);
            for count in counts.iter_mut() {
                let _ = write!(rows.text, ", {}", std::mem::take(count));
            }
            rows.text.push('\n');
        }
        self.seen = [false; 3];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// fiologparser_hist.py and other programs rely on the number of columns.
    #[test]
    fn a_row_has_the_columns_that_readers_count_and_holds_differences() {
        for (coarseness, columns) in [(0, 1859), (4, 119), (6, 32)] {
            let every = Nanos::from_millis(100);
            let options = LogOptions { histogram_every: every, coarseness, ..LogOptions::default() };
            let mut histograms = Histograms::new(&options);
            let mut text = String::new();
            let mut rows = Rows { text: &mut text, bytes: [4096, 8192, 0], epoch_ms: 0 };
            for (done, direction, clat) in
                [(10, 0, 1_000), (20, 0, 1_000), (30, 1, 99_000_000_000), (150, 0, 5)]
            {
                let (done, latencies) = (Nanos::from_millis(done), [0, clat, clat]);
                histograms.count(&LoggedIo { done, direction, latencies, ..LoggedIo::default() }, &mut rows);
            }
            histograms.write(Nanos::from_millis(160), &mut rows);
            let numbers: Vec<Vec<u64>> =
                text.lines().map(|line| line.split(", ").map(|n| n.parse().unwrap()).collect()).collect();
            let heads: Vec<_> = numbers.iter().map(|row| (row[0], row[1], row[2], row.len())).collect();
            assert_eq!(heads, [(100, 0, 4096, columns), (100, 1, 8192, columns), (160, 0, 4096, columns)]);
            let sums: Vec<u64> = numbers.iter().map(|row| row[3..].iter().sum()).collect();
            assert_eq!(sums, [2, 1, 1]);
            assert_eq!(numbers[1].last(), Some(&1), "what is longer than all buckets is in the last one");
        }
    }
}
