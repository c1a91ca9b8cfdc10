//! Limits on the kept part of an input: a number of results and parts, beyond which they are only counted.

use std::cell::Cell;

use record::ReportedPart;

use super::found::ImportedResult;
use super::gather;

/// Most results kept: more than any real text contains. Each becomes a run file.
pub(crate) const RESULTS_MOST: usize = 200;
/// Most results kept while reading: some may be interim prints of one run, or one run in several forms, which
/// becomes known only at the end.
const KEPT_MOST: usize = 1000;
/// Most parts kept of all results together (jobs, threads, groups and devices): twice as many as the jobs that fio
/// can start (`REAL_MAX_JOBS`). A part takes fifty times the memory of its shortest line.
pub(crate) const PARTS_MOST: usize = 8192;

/// Counts of the kept and the dropped parts of an input.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    parts: Cell<usize>,
    results: Cell<usize>,
    prints: Cell<usize>,
}

impl Bounds {
    /// Adds a result, to which the following lines belong. The result before it is then complete: it replaces an
    /// earlier print of its run, or is dropped if too many are kept.
    pub fn begin(&self, list: &mut Vec<ImportedResult>, found: ImportedResult) {
        if let Some(over) = list.pop() {
            self.settle(list, over);
        }
        list.push(found);
    }

    fn settle(&self, list: &mut Vec<ImportedResult>, over: ImportedResult) {
        let again = |last: &&mut ImportedResult| {
            last.parts.len() <= over.parts.len() && gather::is_later(last, &over)
        };
        if let Some(last) = list.last_mut().filter(again) {
            self.parts.set(self.parts.get().saturating_sub(last.parts.len()));
            self.prints.set(self.prints.get() + 1);
            gather::replace(last, over);
        } else if list.len() < KEPT_MOST {
            list.push(over);
        } else if over.says_something() || self.parts_beyond() > 0 {
            self.results.set(self.results.get() + 1);
        }
    }

    /// Counts one more part; returns whether it is kept. The lines after a dropped part belong to no kept part.
    pub fn keeps_part(&self) -> bool {
        self.parts.set(self.parts.get() + 1);
        self.parts_beyond() == 0
    }

    /// Adds a part unless the limit is reached.
    pub fn add(&self, parts: &mut Vec<ReportedPart>, part: ReportedPart) {
        if self.keeps_part() {
            parts.push(part);
        }
    }

    /// Returns the number of dropped parts.
    pub fn parts_beyond(&self) -> usize {
        self.parts.get().saturating_sub(PARTS_MOST)
    }

    /// Returns the number of dropped results.
    pub fn results_beyond(&self) -> usize {
        self.results.get()
    }

    /// Returns the number of interim prints of a run that a later print replaced.
    pub fn prints_replaced(&self) -> usize {
        self.prints.get()
    }

    /// Returns the notes on results and parts beyond the limits; `results` is the current number of results.
    pub fn notes(&self, results: usize) -> Vec<String> {
        let more = (results + self.results_beyond()).saturating_sub(RESULTS_MOST);
        let beyond = (more > 0).then(|| {
            format!(
                "{RESULTS_MOST} results are read at once; {more} more stand there: give the rest by itself"
            )
        });
        let parts = (self.parts_beyond() > 0).then(|| {
            format!(
                "{PARTS_MOST} jobs, groups and devices are read at once; {} more stand there: give the rest by itself",
                self.parts_beyond()
            )
        });
        beyond.into_iter().chain(parts).collect()
    }
}
