//! How much of an input is kept: so many results and parts, and of those beyond only their number.

use std::cell::Cell;

use record::Reported;

use super::found::Found;
use super::gather;

/// More results than a text of anybody's holds; each becomes a run file.
pub(crate) const RESULTS_MOST: usize = 200;
/// Some may be prints of one run that went on, or one run in several forms: so many are kept until that is known.
const KEPT_MOST: usize = 1000;
/// Twice as many as fio starts jobs (`REAL_MAX_JOBS`): jobs, threads, groups and devices of all results together. Each takes
/// fifty times what a short line of it does.
pub(crate) const PARTS_MOST: usize = 8192;

/// What was kept of an input, and what was not.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    parts: Cell<usize>,
    results: Cell<usize>,
    prints: Cell<usize>,
}

impl Bounds {
    /// Adds a result, to which the lines that follow belong. The one before it is over: it takes the place of an earlier
    /// print of its run, or goes where too many are kept.
    pub fn begin(&self, list: &mut Vec<Found>, found: Found) {
        if let Some(over) = list.pop() {
            self.settle(list, over);
        }
        list.push(found);
    }

    fn settle(&self, list: &mut Vec<Found>, over: Found) {
        let again = |last: &&mut Found| last.parts.len() <= over.parts.len() && gather::is_later(last, &over);
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

    /// Whether one more part is kept. Once one is not, what follows it belongs to none that is.
    pub fn keeps_part(&self) -> bool {
        self.parts.set(self.parts.get() + 1);
        self.parts_beyond() == 0
    }

    /// Adds a part, where it is kept.
    pub fn add(&self, parts: &mut Vec<Reported>, part: Reported) {
        if self.keeps_part() {
            parts.push(part);
        }
    }

    /// Parts that were not kept.
    pub fn parts_beyond(&self) -> usize {
        self.parts.get().saturating_sub(PARTS_MOST)
    }

    /// Results that were not kept.
    pub fn results_beyond(&self) -> usize {
        self.results.get()
    }

    /// Prints of a run that went on, in whose place a later one was kept.
    pub fn prints_replaced(&self) -> usize {
        self.prints.get()
    }

    /// What is said of results and parts beyond, with so many results at hand.
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
