//! The cheapest way to cut a series into segments, and the possible range of each cut.

use crate::segments::cells::Cell;
use crate::segments::filter::{Filter, Limits};
use crate::segments::noise::Noise;

/// Greatest number of open segments kept, the cheapest ones: without a change their number would grow without bound.
const BEGINNINGS_MAX: usize = 400;

/// A series to be cut, and the cost of a cut.
pub(super) struct Search<'c> {
    /// Cells of one series after the other.
    pub cells: &'c [Cell],
    /// Index of the first cell of each series, beginning with 0: each begins a segment at no cost.
    pub series: &'c [usize],
    pub noise: Noise,
    pub limits: Limits,
    /// Cost that a change must save.
    pub penalty: f64,
    /// Shortest segment in seconds.
    pub least: f64,
}

/// A segment that begins at `start` and is still open; `before` is the cost of all earlier segments.
struct Open {
    start: usize,
    before: f64,
    filter: Filter,
}

impl Search<'_> {
    /// First cells of the segments, beginning with 0: optimal partitioning, with the pruning of PELT (Killick, Fearnhead,
    /// Eckley: JASA 107, 2012).
    pub fn starts(&self) -> Vec<usize> {
        let n = self.cells.len();
        let mut best: Vec<(f64, usize)> = Vec::with_capacity(n + 1);
        let mut open: Vec<Open> = Vec::new();
        for end in 1..=n {
            let cell = &self.cells[end - 1];
            let before = match (self.begins(end - 1), end.checked_sub(2)) {
                (true, earlier) => {
                    open.clear();
                    earlier.map_or(0.0, |earlier| best[earlier].0)
                }
                (false, earlier) => earlier.map_or(0.0, |earlier| best[earlier].0) + self.penalty,
            };
            open.iter_mut().for_each(|segment| segment.filter.push(cell));
            if before.is_finite() {
                let filter = Filter::at(self.rest(end - 1), self.noise, self.limits);
                open.push(Open { start: end - 1, before, filter });
            }
            let long = |segment: &&Open| {
                self.lasts(segment.start, end) || (self.begins(segment.start) && self.closes(end))
            };
            let cheapest = open.iter().filter(long).min_by(|a, b| a.total().total_cmp(&b.total()));
            best.push(cheapest.map_or((f64::INFINITY, 0), |segment| (segment.total(), segment.start)));
            self.prune(&mut open, end, best[end - 1].0);
        }
        traced(&best)
    }

    fn prune(&self, open: &mut Vec<Open>, end: usize, best: f64) {
        open.retain(|segment| !self.lasts(segment.start, end) || segment.total() < best + self.penalty);
        if open.len() > BEGINNINGS_MAX {
            open.sort_by(|a, b| a.total().total_cmp(&b.total()));
            let young = open.split_off(BEGINNINGS_MAX);
            open.extend(young.into_iter().filter(|segment| !self.lasts(segment.start, end)));
            open.sort_by_key(|segment| segment.start);
        }
    }

    /// The cells from `start` to the end of its series.
    fn rest(&self, start: usize) -> &[Cell] {
        let next = self.series.partition_point(|begin| *begin <= start);
        &self.cells[start..self.series.get(next).copied().unwrap_or(self.cells.len())]
    }

    /// Whether a series ends before this cell.
    fn closes(&self, end: usize) -> bool {
        end == self.cells.len() || self.begins(end)
    }

    /// Whether a series begins with this cell.
    pub fn begins(&self, cell: usize) -> bool {
        self.series.binary_search(&cell).is_ok()
    }

    fn lasts(&self, start: usize, end: usize) -> bool {
        self.cells[end - 1].to - self.cells[start].from >= self.least - 1e-6
    }

    /// Cost of all cells, cut at `starts`.
    pub fn total(&self, starts: &[usize]) -> f64 {
        let ends = starts.iter().skip(1).copied().chain([self.cells.len()]);
        let costs: f64 = starts.iter().zip(ends).map(|(start, end)| self.cost(*start, end)).sum();
        costs + self.penalty * starts.len().saturating_sub(self.series.len()) as f64
    }

    /// Cost of the cells of `start..end` as one segment.
    pub fn cost(&self, start: usize, end: usize) -> f64 {
        self.costs(start, end).last().copied().unwrap_or(0.0)
    }

    /// Cost of the cells from `start` up to each following one.
    fn costs(&self, start: usize, end: usize) -> Vec<f64> {
        let mut filter = Filter::at(self.rest(start), self.noise, self.limits);
        let mut costs = vec![filter.cost];
        for cell in &self.cells[start + 1..end] {
            filter.push(cell);
            costs.push(filter.cost);
        }
        costs
    }

    /// Cost that a change at `at` saves between `start` and `end`.
    pub fn saved(&self, start: usize, at: usize, end: usize) -> f64 {
        self.cost(start, end) - self.cost(start, at) - self.cost(at, end)
    }

    /// The cell between `start` and `end` at which a change costs least.
    pub fn likeliest(&self, start: usize, end: usize) -> usize {
        let totals = self.totals(start, end);
        let least = totals.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        start + 1 + least.map_or(0, |(at, _)| at)
    }

    /// Cost of a change at each cell between `start` and `end`.
    fn totals(&self, start: usize, end: usize) -> Vec<f64> {
        let before = self.costs(start, end);
        (start + 1..end).map(|at| before[at - start - 1] + self.cost(at, end)).collect()
    }

    /// First and last cell at which the change between `start` and `end` costs at most `more` above the minimum.
    pub fn span(&self, start: usize, end: usize, more: f64) -> (usize, usize) {
        let totals = self.totals(start, end);
        let least = totals.iter().copied().fold(f64::INFINITY, f64::min);
        let near = |total: &f64| *total <= least + more;
        let first = totals.iter().position(near).unwrap_or(0);
        let last = totals.iter().rposition(near).unwrap_or(0);
        (start + 1 + first, start + 1 + last)
    }
}

impl Open {
    fn total(&self) -> f64 {
        self.before + self.filter.cost
    }
}

fn traced(best: &[(f64, usize)]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut end = best.len();
    while end > 0 {
        let start = best[end - 1].1;
        starts.push(start);
        end = start;
    }
    starts.reverse();
    starts
}
