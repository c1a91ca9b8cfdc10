//! Logs of the total bandwidth of all jobs, one file for each direction.

use std::path::{Path, PathBuf};

use record::{Interval, Tally};
use workload::Nanos;

use super::row::Row;
use crate::logging::LogOptions;
use crate::present::DATA;

/// The three logs; times count from the start of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct AggregateLogs {
    began: Option<Nanos>,
    /// Start and end of the interval being summed.
    now: Option<(Nanos, Nanos)>,
    bytes: [u64; 3],
    texts: [String; 3],
}

impl AggregateLogs {
    /// Paths of the three files.
    pub fn paths() -> [PathBuf; 3] {
        DATA.map(|direction| PathBuf::from(format!("agg-{}_bw.log", direction.name())))
    }

    /// Adds an interval of one job; intervals of the same time arrive one after another.
    pub fn take(&mut self, interval: &Interval) {
        if !interval.counted {
            return;
        }
        let span = (interval.start, interval.end);
        if self.now != Some(span) {
            self.finish();
            self.now = Some(span);
        }
        self.began.get_or_insert(interval.start);
        for (sum, direction) in self.bytes.iter_mut().zip(DATA) {
            let Tally { bytes, .. } = interval.of(direction).tally;
            *sum += bytes;
        }
    }

    /// Turns the summed interval into rows.
    pub fn finish(&mut self) {
        let Some((start, end)) = self.now.take() else { return };
        let length = end.since(start);
        let time_ms = end.since(self.began.unwrap_or(start)).0 / 1_000_000;
        for ((direction, bytes), text) in (0..).zip(&mut self.bytes).zip(&mut self.texts) {
            let bytes = u128::from(std::mem::take(bytes)) * 1_000_000_000;
            let rate = bytes.checked_div(u128::from(length.0)).unwrap_or(0) / 1024;
            let row = Row { time_ms, value: rate as u64, direction, ..Row::default() };
            if length > Nanos::ZERO {
                row.write(text, &LogOptions::default());
            }
        }
    }

    /// Passes each file's new rows to `append`.
    pub fn drain(&mut self, mut append: impl FnMut(&Path, &str)) {
        for (path, text) in AggregateLogs::paths().iter().zip(&mut self.texts) {
            if !text.is_empty() {
                append(path, text);
                text.clear();
            }
        }
    }
}
