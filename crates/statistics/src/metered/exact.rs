//! The exact rate of a meter beside a busy machine: one rate at which many counts agree while the others fall short.
//!
//! A load that waits for a processor, or a device that does, may lower a count and fill the next, but never puts
//! counts from several loads at one number. A meter does: between the waits every count is its rate times its length.
//! So the share of counts at their commonest rate shows a meter where the spread of all counts shows only the waits.

use super::sizes::of_sizes;
use super::{Count, Window};

/// Least length of a count, in seconds.
const CELL_S: f64 = 0.25;
/// Slices of this kernel's throttle in seconds: a count over whole slices has no part of one (method 5.1).
const SLICE_S: f64 = 0.1;
/// Length of a count, in seconds, from which a part of a slice hardly matters.
const LONG_S: f64 = 1.0;
/// Least mean of a count: below, the edge of one item is as wide as the spread of regular servers.
const COUNT_LEAST: f64 = 200.0;
/// Share by which a count at the rate may be off it, besides the item that an edge may cut off.
const NEAR: f64 = 0.001;
/// Coefficient of variation of a server's service time: counts must agree better than those of so even a server, which
/// no device is (as for `EVEN`).
const EVEN_SERVER: f64 = 0.05;
/// Fewest counts at the rate.
const ON_LEAST: usize = 8;
/// Number of windows at the end of which one must have counts at the rate, because it may have changed; and as many at the
/// beginning, for the rate to have been the same throughout.
const ENDS: usize = 2;
/// Fewest windows with counts at the rate.
pub(super) const WINDOWS_LEAST: usize = 3;
/// Least share of all counts at the rate: reads of 4 KiB had 26 % or more under a meter beside waits, and 2 % on a local
/// disk (method 5.1).
const SHARE_LEAST: f64 = 0.15;
/// Multiple of the greatest distance within which counts are near the rate.
const AROUND: f64 = 5.0;
/// Rounds of all I/Os in flight within which counts are near the rate: servers in step complete a whole round at once,
/// so that counts are multiples of the depth.
const ROUNDS: f64 = 1.5;
/// Least share of the near counts that are at the rate: a spread that happens to be narrow has as many beside it. (Four
/// servers with a coefficient of variation of 10 % have 40 %.)
const PEAK: f64 = 0.7;
/// The same for counts of fewer than `MANY` items, in which the edge of one item widens the rate.
const PEAK_OF_FEW: f64 = 0.9;
/// Items from which an edge is narrower than the spread of even servers.
const MANY: f64 = 500.0;
/// Least share of the counts beside the rate that agree at a second one, because slices that drift against the counts
/// leave them a slice less at some times: waits leave few that agree.
const BESIDE_SHARE: f64 = 0.25;
/// Share of the counts at the rate above which as many at another one elsewhere contradict that there is one level.
const CONTRADICTED: f64 = 0.25;
/// Half-width of a 95 % interval in standard errors.
const Z95: f64 = 1.96;

/// A rate at which many counts agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactRate {
    /// Items per second.
    pub rate: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
    /// Whether counts of the first windows are at this rate too, and not only of the last.
    pub throughout: bool,
}

/// A count long enough to be compared.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    /// Index of its window.
    window: usize,
    /// Start within the window, in cells.
    place: usize,
    number: f64,
    seconds: f64,
    depth: f64,
    pub unit: f64,
}

impl Cell {
    pub(super) fn rate(&self) -> f64 {
        self.number / self.seconds
    }

    /// Returns the number of I/Os.
    pub(super) fn items(&self) -> f64 {
        self.number / self.unit
    }

    /// Greatest distance of the count from that of its rate.
    fn within(&self) -> f64 {
        let items = self.items();
        (NEAR * items).min(EVEN_SERVER * items.sqrt()).max(1.0) * self.unit
    }

    fn is_at(&self, rate: f64) -> bool {
        (self.number - rate * self.seconds).abs() <= self.within() + 1e-6
    }

    fn is_near(&self, rate: f64) -> bool {
        let near = (AROUND * self.within()).max(ROUNDS * self.depth * self.unit);
        (self.number - rate * self.seconds).abs() <= near + 1e-6
    }
}

/// Returns the rate at which the counts of several of `windows`, in time order, agree exactly, if a meter is the only
/// explanation.
#[must_use]
pub fn exact_rate(windows: &[Window]) -> Option<ExactRate> {
    of_counts(windows).or_else(|| of_sizes(windows))
}

/// Whether any of these windows of `all` is among the first, and whether any is among the last.
pub(super) fn spans(windows: impl Iterator<Item = usize> + Clone, all: usize) -> (bool, bool) {
    (windows.clone().any(|window| window < ENDS), windows.into_iter().any(|window| window + ENDS >= all))
}

/// Returns the rate at which many single counts agree.
fn of_counts(windows: &[Window]) -> Option<ExactRate> {
    let cells: Vec<Cell> =
        windows.iter().enumerate().flat_map(|(number, window)| cells(number, window)).collect();
    let (on, rest) = at_commonest(&cells)?;
    let of = |cell: &Cell| on.binary_search_by_key(&cell.window, |other| other.window).is_ok();
    let several = windows_of(&on) >= WINDOWS_LEAST;
    let (throughout, lasts) = spans(on.iter().map(|cell| cell.window), windows.len());
    if !several || !lasts || on.len() < ON_LEAST || (on.len() as f64) < SHARE_LEAST * cells.len() as f64 {
        return None;
    }
    let (beside, elsewhere): (Vec<Cell>, Vec<Cell>) = rest.into_iter().partition(of);
    // Loads that stood still agree at nothing.
    let elsewhere: Vec<Cell> = elsewhere.into_iter().filter(|cell| cell.number > 0.0).collect();
    let other = at_commonest(&elsewhere).map_or(0, |(other, _)| other.len());
    if other as f64 > CONTRADICTED * on.len() as f64 {
        return None;
    }
    // A slice more than usual, without a wait before it, shows that the counts at the rate hold less than their share. A
    // slice less may be that, or a wait.
    let is_on =
        |window, place| on.binary_search_by_key(&(window, place), |cell| (cell.window, cell.place)).is_ok();
    let rate = mean(&on);
    let unforced = |cell: &&Cell| {
        cell.number > rate * cell.seconds && cell.place > 0 && is_on(cell.window, cell.place - 1)
    };
    let more: Vec<Cell> = beside.iter().filter(unforced).copied().collect();
    let below: Vec<Cell> = beside.iter().filter(|cell| cell.number < rate * cell.seconds).copied().collect();
    let (most, least) = ([on.clone(), more.clone()].concat(), [on.clone(), more, in_slices(&below)].concat());
    let error = |cells: &[Cell]| {
        let seconds: f64 = cells.iter().map(|cell| cell.seconds).sum();
        (NEAR + SLICE_S / seconds) * rate + Z95 * standard_error(cells)
    };
    Some(ExactRate {
        rate: mean(&most),
        low: mean(&least) - error(&least),
        high: mean(&most) + error(&most),
        throughout,
    })
}

/// Returns the cells at their commonest rate if they are more than an accident.
fn in_slices(cells: &[Cell]) -> Vec<Cell> {
    let Some(rate) = commonest(cells) else { return Vec::new() };
    let slices: Vec<Cell> = cells.iter().filter(|cell| cell.is_at(rate)).copied().collect();
    let enough = slices.len() > 1 && slices.len() as f64 >= BESIDE_SHARE * cells.len() as f64;
    if enough { slices } else { Vec::new() }
}

/// Returns the items per second of all these cells.
fn mean(cells: &[Cell]) -> f64 {
    let sum = |of: fn(&Cell) -> f64| cells.iter().map(of).sum::<f64>();
    sum(|cell| cell.number) / sum(|cell| cell.seconds)
}

/// Returns the standard error of [`mean`].
fn standard_error(cells: &[Cell]) -> f64 {
    let rate = mean(cells);
    let off = |cell: &Cell| (cell.number / cell.seconds - rate).powi(2);
    cells.iter().map(off).sum::<f64>().sqrt() / cells.len() as f64
}

/// Returns the cells at their commonest rate, and the others, both in time order; `None` if many are just beside it.
fn at_commonest(cells: &[Cell]) -> Option<(Vec<Cell>, Vec<Cell>)> {
    let rate = commonest(cells)?;
    let (on, rest): (Vec<Cell>, Vec<Cell>) = cells.iter().partition(|cell| cell.is_at(rate));
    let near = cells.iter().filter(|cell| cell.is_near(rate)).count();
    let many = on.iter().map(Cell::items).sum::<f64>() >= MANY * on.len() as f64;
    let peak = if many { PEAK } else { PEAK_OF_FEW };
    (on.len() as f64 >= peak * near as f64).then_some((on, rest))
}

/// Counts the windows in which `cells` lie.
fn windows_of(cells: &[Cell]) -> usize {
    let mut windows: Vec<usize> = cells.iter().map(|cell| cell.window).collect();
    windows.dedup();
    windows.len()
}

/// Joins the counts of a window to cells over whole slices, each long enough for its edges not to matter.
pub(super) fn cells(number: usize, window: &Window) -> Vec<Cell> {
    let mean =
        window.counts.iter().map(|count| count.number).sum::<f64>() / window.counts.len().max(1) as f64;
    let whole = |many: &usize| {
        let seconds = *many as f64 * window.seconds;
        let slices = seconds / SLICE_S;
        seconds >= LONG_S || seconds >= CELL_S && (slices - slices.round()).abs() < 0.01 * slices
    };
    let least = (COUNT_LEAST * window.unit / mean.max(f64::MIN_POSITIVE)).ceil() as usize;
    let Some(many) = (1..=window.counts.len()).find(|many| *many >= least && whole(many)) else {
        return Vec::new();
    };
    let cell = |(place, counts): (usize, &[Count])| Cell {
        window: number,
        place,
        number: counts.iter().map(|count| count.number).sum(),
        seconds: many as f64 * window.seconds,
        depth: window.depth,
        unit: window.unit,
    };
    window.counts.chunks_exact(many).enumerate().map(cell).collect()
}

/// Returns the rate at which the most cells are.
fn commonest(cells: &[Cell]) -> Option<f64> {
    // At each cell's lower end one more is at the rate, after its upper end one less.
    let mut ends: Vec<(f64, bool)> = Vec::new();
    for cell in cells {
        let within = cell.within();
        ends.push(((cell.number - within) / cell.seconds, false));
        ends.push(((cell.number + within) / cell.seconds, true));
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut now, mut most, mut rate) = (0_usize, 0, None);
    for (at, ends_here) in ends {
        if ends_here {
            now -= 1;
        } else {
            now += 1;
            if now > most {
                (most, rate) = (now, Some(at));
            }
        }
    }
    rate
}
