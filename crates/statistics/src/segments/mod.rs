//! Segments of a series: stretches at one level, and the changes between them, each with an interval for its time.
//!
//! Values are taken as logarithms of cells of about equal length. In a segment they follow a level that may wander,
//! with noise that resembles its neighbours (a first-order autoregression); both are fitted to robust spreads of
//! differences at several lags, which a change affects little. The cuts minimize the prediction errors of a Kalman
//! filter that restarts at each cut (`filter`), plus a penalty per cut; noise and cuts are found from each other until
//! they agree. A deviation of only a few single cells is a pulse. The interval of a change holds every time that is
//! nearly as likely as the likeliest.
//!
//! # Measured
//!
//! `cargo run --release -p statistics --example segments` prints these figures anew; 400 series per figure, cells of
//! half a second.
//!
//! False alarms, in per cent of series without a change: the worst over coefficients of variation of 0.5, 5 and 20 %.
//! Columns are the correlation of neighbours, and, at a correlation of 0.3, a slow part of 2 or 5 % with a memory of
//! 60 or 300 s.
//!
//! | cells | 0.0 | 0.3 | 0.6 | 0.8 | 2 %, 60 s | 5 %, 60 s | 2 %, 300 s | 5 %, 300 s |
//! |---|---|---|---|---|---|---|---|---|
//! | 30 | 0.0 | 0.2 | 0.5 | 0.5 | 0.2 | 0.2 | 0.2 | 0.2 |
//! | 60 | 0.0 | 0.0 | 0.2 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 |
//! | 120 | 0.0 | 0.2 | 0.2 | 0.2 | 0.2 | 0.2 | 0.5 | 0.2 |
//! | 300, 600 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 |
//!
//! Falls to a share of the level, anywhere between a fifth and four fifths of the series: per cent found as the only change
//! / of those, per cent whose interval holds the time / per cent placed within 2 s / mean length of the interval in
//! seconds.
//!
//! | cells, variation, share | 0.0 | 0.3 | 0.6 | 0.8 |
//! |---|---|---|---|---|
//! | 60, 1 %, 90 % | 99 / 100 / 100 / 1.3 | 98 / 100 / 100 / 1.3 | 96 / 100 / 100 / 1.3 | 98 / 100 / 100 / 1.2 |
//! | 60, 5 %, 90 % | 0 / 100 / 100 / 1.5 | 1 / 100 / 100 / 1.3 | 1 / 100 / 100 / 1.2 | 2 / 83 / 83 / 1.6 |
//! | 60, 5 %, 70 % | 96 / 100 / 100 / 1.3 | 87 / 100 / 100 / 1.3 | 72 / 100 / 100 / 1.3 | 74 / 100 / 100 / 1.3 |
//! | 60, 5 %, 50 % | 100 / 100 / 100 / 1.2 | 99 / 100 / 100 / 1.2 | 99 / 100 / 100 / 1.2 | 99 / 100 / 100 / 1.2 |
//! | 60, 10 %, 50 % | 96 / 100 / 100 / 1.3 | 85 / 100 / 100 / 1.3 | 70 / 100 / 100 / 1.3 | 71 / 100 / 100 / 1.3 |
//! | 60, 20 %, 50 % | 26 / 99 / 100 / 1.6 | 23 / 100 / 100 / 1.6 | 15 / 100 / 98 / 1.3 | 11 / 98 / 98 / 1.2 |
//! | 60, 20 %, 20 % | 97 / 100 / 100 / 1.3 | 90 / 100 / 100 / 1.3 | 77 / 100 / 100 / 1.2 | 80 / 100 / 100 / 1.2 |
//! | 240, 1 %, 90 % | 100 / 100 / 100 / 1.3 | 100 / 100 / 100 / 1.3 | 100 / 100 / 100 / 1.3 | 100 / 100 / 100 / 1.3 |
//! | 240, 5 %, 90 % | 0 / 100 / 100 / 1.5 | 0 / 100 / 100 / 2.5 | 1 / 67 / 67 / 1.5 | 0 / 100 / 100 / 2.8 |
//! | 240, 5 %, 70 % | 100 / 100 / 100 / 1.3 | 100 / 100 / 100 / 1.3 | 100 / 100 / 100 / 1.3 | 98 / 100 / 100 / 1.3 |
//! | 240, 5 %, 50 % | 100 / 100 / 100 / 1.2 | 100 / 100 / 100 / 1.2 | 100 / 100 / 100 / 1.2 | 100 / 100 / 100 / 1.2 |
//! | 240, 10 %, 50 % | 100 / 100 / 100 / 1.3 | 100 / 100 / 100 / 1.3 | 100 / 100 / 100 / 1.3 | 98 / 100 / 100 / 1.3 |
//! | 240, 20 %, 50 % | 50 / 100 / 100 / 1.6 | 52 / 98 / 100 / 1.6 | 36 / 97 / 98 / 1.7 | 25 / 98 / 99 / 1.7 |
//! | 240, 20 %, 20 % | 100 / 100 / 100 / 1.3 | 100 / 100 / 100 / 1.3 | 100 / 100 / 100 / 1.3 | 99 / 100 / 100 / 1.3 |
//!
//! A change of a tenth amid noise of 5 % is not distinguished from wandering: that is the price of avoiding false alarms.

mod cells;
mod filter;
mod noise;
mod search;

use crate::sequential::{Monitor, Rule as Width};
use cells::Cell;
use filter::Limits;
use noise::Noise;
use search::Search;

/// Cost that a change must save, as twice a log likelihood: the sum of this and of `PENALTY_LOG` times the logarithm of
/// the number of cells, all multiplied by one plus `PENALTY_FEW` over the number of cells. Chosen with
/// `examples/segments`.
const PENALTY: f64 = 6.0;
/// Penalty for each e-fold of the number of cells.
const PENALTY_LOG: f64 = 3.0;
/// Relative increase of the penalty, divided by the number of cells: the noise of few cells is badly known.
const PENALTY_FEW: f64 = 8.0;
/// Cost of outliers relative to the penalty, chosen so that a stretch shorter than the shortest segment costs less as
/// outliers than as a separate segment, and a longer one more.
const OUTLIERS: f64 = 2.25;
/// Least upper limit on the cost of one outlier: the usual cost at three standard deviations.
const OUTLIER_MIN: f64 = 9.0;
/// Factor by which one time must be likelier than another to exclude the other, as twice a log likelihood.
const TIME: f64 = 8.0;
/// Fewest differences of neighbours for a segment to have its own noise.
const OWN_MIN: usize = 8;
/// Number of passes in which noise and segments are found from each other.
const PASSES: usize = 3;

/// Mean of a quantity over a span of time, in seconds; the value is positive or zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Start of the span.
    pub from: f64,
    /// End of the span.
    pub to: f64,
    /// Mean over the span.
    pub value: f64,
}

/// Criteria for a segment and for a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Shortest segment in seconds; anything shorter is a pulse and belongs to the segment around it.
    pub least: f64,
    /// Least share by which a level changes.
    pub share: f64,
    /// Least length of a cell in seconds; shorter samples are merged.
    pub cell: f64,
    /// Greatest number of cells; beyond it, all cells are made longer.
    pub most: usize,
    /// Least noise, as a share; no smaller estimate is believed, because counts are whole and a meter works in slices.
    pub floor: f64,
}

impl Default for Rule {
    fn default() -> Rule {
        Rule { least: 3.0, share: 0.05, cell: 0.5, most: 2000, floor: 0.002 }
    }
}

/// A stretch of time with a constant level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Start of the segment's first sample, in seconds.
    pub from: f64,
    /// End of the segment's last sample, in seconds.
    pub to: f64,
    /// Mean over the segment, without the cells beside a change.
    pub level: f64,
    /// Half-width of the mean's 95 % interval; infinite if there are too few values.
    pub half_width: f64,
}

/// A change from one level to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Likeliest time, in seconds.
    pub at: f64,
    /// Earliest time, in seconds.
    pub low: f64,
    /// Latest time, in seconds.
    pub high: f64,
    /// Index of the segment that begins with the change.
    pub segment: usize,
    /// Gain of the change over no change, as twice a log likelihood.
    pub weight: f64,
}

/// A series cut into segments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segmentation {
    /// Segments in time order; empty for an empty series.
    pub segments: Vec<Segment>,
    /// Changes, one between any two neighbouring segments.
    pub changes: Vec<Change>,
    /// Standard deviation, as a share, by which the level wanders in one second.
    pub wander: f64,
    /// Standard deviation of the noise of a cell around the level, as a share.
    pub noise: f64,
}

/// Cuts a series of samples, in time order, into segments.
#[must_use]
pub fn segments(samples: &[Sample], rule: &Rule) -> Segmentation {
    segments_of_each(&[samples.to_vec()], rule).pop().unwrap_or_default()
}

/// Cuts several series that share their noise but not their levels, so that few samples of one are supplemented by the
/// others.
///
/// A spread at long lags may come from a wandering level or a change. Both are tried, and the likelier is returned.
#[must_use]
pub fn segments_of_each(series: &[Vec<Sample>], rule: &Rule) -> Vec<Segmentation> {
    let cells = cells::cells(series, rule);
    let mut begins: Vec<usize> = Vec::with_capacity(cells.len());
    let mut count = 0;
    for of_one in cells.iter().filter(|cells| !cells.is_empty()) {
        begins.push(count);
        count += of_one.len();
    }
    let all = cells.concat();
    if all.is_empty() {
        return vec![Segmentation::default(); series.len()];
    }
    let noise = noise::noise(&all, &begins, rule.floor);
    let whole = Series { cells: &all, begins: &begins, usual: noise.first(), rule };
    let wandering = whole.settled(noise);
    let best = match noise.still() {
        still if still.wander < noise.wander => wandering.likelier(whole.settled(still)),
        _ => wandering,
    };
    let search = whole.search(best.noise);
    let mut told = told(&search, &placed(&search, best.starts)).into_iter();
    let mut one = |cells: &Vec<Cell>| if cells.is_empty() { None } else { told.next() };
    cells.iter().map(|cells| one(cells).unwrap_or_default()).collect()
}

/// Cells to cut, with the rule.
#[derive(Clone, Copy)]
struct Series<'c> {
    cells: &'c [Cell],
    begins: &'c [usize],
    usual: f64,
    rule: &'c Rule,
}

/// Segments and the noise that remains within them.
struct SegmentFit {
    noise: Noise,
    starts: Vec<usize>,
    cost: f64,
}

impl SegmentFit {
    fn likelier(self, other: SegmentFit) -> SegmentFit {
        if other.cost < self.cost { other } else { self }
    }
}

impl<'c> Series<'c> {
    /// Finds noise and segments from each other, starting with `noise`, until they agree.
    fn settled(&self, mut noise: Noise) -> SegmentFit {
        let mut starts = self.begins.to_vec();
        for _ in 0..PASSES {
            let found = confirmed(&self.search(noise), self.rule);
            noise = noise::noise(self.cells, &found, self.rule.floor);
            if std::mem::replace(&mut starts, found) == starts {
                break;
            }
        }
        let cost = self.search(noise).total(&starts);
        SegmentFit { noise, starts, cost }
    }

    fn search(&self, noise: Noise) -> Search<'c> {
        let n = self.cells.len() as f64;
        let penalty = (PENALTY + PENALTY_LOG * n.ln()) * (1.0 + PENALTY_FEW / n);
        let length = self.cells.iter().map(Cell::length).sum::<f64>() / n;
        let shortest = (self.rule.least / length).ceil().max(1.0);
        let most = (OUTLIERS * penalty / shortest).max(OUTLIER_MIN);
        let limits = Limits { floor: self.rule.floor, most, usual: self.usual };
        Search { cells: self.cells, series: self.begins, noise, limits, penalty, least: self.rule.least }
    }
}

/// The cheapest cuts, without changes that are too small or that the noise of their own two segments explains.
fn confirmed(search: &Search<'_>, rule: &Rule) -> Vec<usize> {
    let mut starts = search.starts();
    loop {
        let weakest = (1..starts.len())
            .filter(|number| !search.begins(starts[*number]))
            .map(|number| (number, strength(search, &starts, number, rule)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        match weakest {
            Some((number, strength)) if strength < 1.0 => starts.remove(number),
            _ => return starts,
        };
    }
}

/// Strength of the change at the beginning of segment `number`; below one the change does not count.
fn strength(search: &Search<'_>, starts: &[usize], number: usize, rule: &Rule) -> f64 {
    let (start, at, end) = around(starts, number, search.cells.len());
    let (before, after) = (&search.cells[start..at], &search.cells[at..end]);
    let step = (mean(after).max(f64::MIN_POSITIVE) / mean(before).max(f64::MIN_POSITIVE)).ln().abs();
    let own = own_variance(before).max(own_variance(after)) / search.noise.first();
    let saved = search.saved(start, at, end) / (own.max(1.0) * search.penalty);
    saved.min(step / (1.0 + rule.share).ln())
}

/// Moves each of `starts` to its likeliest place: a certain change may lie nearer to the end of its series than the
/// shortest segment.
fn placed(search: &Search<'_>, mut starts: Vec<usize>) -> Vec<usize> {
    for number in 1..starts.len() {
        if !search.begins(starts[number]) {
            let (start, _, end) = around(&starts, number, search.cells.len());
            starts[number] = search.likeliest(start, end);
        }
    }
    starts
}

/// First cells of the segment before change `number`, of the segment after it, and of the next segment.
fn around(starts: &[usize], number: usize, end: usize) -> (usize, usize, usize) {
    (starts[number - 1], starts[number], starts.get(number + 1).copied().unwrap_or(end))
}

/// Variance of the differences of neighbours in one segment; zero if the segment is too short to determine it.
fn own_variance(cells: &[Cell]) -> f64 {
    if cells.len() <= OWN_MIN {
        return 0.0;
    }
    noise::noise(cells, &[0], 0.0).first()
}

/// Mean over time.
fn mean(cells: &[Cell]) -> f64 {
    let length: f64 = cells.iter().map(Cell::length).sum();
    cells.iter().map(|cell| cell.mean * cell.length()).sum::<f64>() / length
}

/// One segmentation per series.
fn told(search: &Search<'_>, starts: &[usize]) -> Vec<Segmentation> {
    let n = search.cells.len();
    let end = |number: usize| starts.get(number + 1).copied().unwrap_or(n);
    let length = search.cells.iter().map(Cell::length).sum::<f64>() / n as f64;
    let mut all: Vec<Segmentation> = Vec::new();
    for number in 0..starts.len() {
        if search.begins(starts[number]) {
            let (wander, noise) = ((search.noise.wander / length).sqrt(), search.noise.variance.sqrt());
            all.push(Segmentation { wander, noise, ..Segmentation::default() });
        }
        // The first start begins a series.
        let Some(last) = all.last_mut() else { continue };
        let next = segment(search, starts[number], end(number));
        if let Some(before) = last.segments.last() {
            let at = moment(search, starts[number], [before.level, next.level]);
            let found = change(search, starts, number);
            let at = at.clamp(found.low, found.high);
            last.changes.push(Change { segment: last.segments.len(), at, ..found });
        }
        last.segments.push(next);
    }
    all
}

/// The level of cells `from..to`, without those beside a change: one of them may contain the change and have a share of
/// either level.
fn segment(search: &Search<'_>, from: usize, to: usize) -> Segment {
    let cells = &search.cells[from..to];
    let cut_before = usize::from(!search.begins(from));
    let cut_after = usize::from(to < search.cells.len() && !search.begins(to));
    let inner = match cells.len() > cut_before + cut_after {
        true => &cells[cut_before..cells.len() - cut_after],
        false => cells,
    };
    let mut monitor = Monitor::new(Width::within(0.0));
    for cell in inner {
        monitor.push(cell.mean);
    }
    let (from, to) = (cells[0].from, cells[cells.len() - 1].to);
    Segment { from, to, level: mean(inner), half_width: monitor.estimate().half_width }
}

/// Time of a change within the cells beside it, from the share of the earlier level in each: the cell that contains the
/// change has both levels.
fn moment(search: &Search<'_>, at: usize, levels: [f64; 2]) -> f64 {
    let [before, after] = levels;
    let share = |cell: &Cell| ((cell.mean - after) / (before - after)).clamp(0.0, 1.0);
    let (earlier, later) = (&search.cells[at - 1], &search.cells[at]);
    let missing = (1.0 - share(earlier)) * earlier.length();
    later.from + share(later) * later.length() - missing
}

/// The change lies between the beginning of the last cell that is certainly before it and the end of the first that is
/// certainly after it: the cell in which it falls may have been assigned to either side.
fn change(search: &Search<'_>, starts: &[usize], number: usize) -> Change {
    let (start, at, end) = around(starts, number, search.cells.len());
    let (first, last) = search.span(start, end, TIME);
    let cells = search.cells;
    Change {
        at: cells[at].from,
        low: cells[first - 1].from,
        high: cells[last].to,
        segment: number,
        weight: search.saved(start, at, end),
    }
}
