//! Changes in the activity of a device: its readings cut into segments of one rate and one latency.

use statistics::quantile::{median, robust_deviation};

use super::ticks::Tick;

/// Shortest segment in seconds; a shorter one belongs to the segment around it.
pub(crate) const LEAST_S: f64 = 3.0;
/// Shortest segment in readings.
pub(crate) const LEAST: usize = 2;
/// Least noise assumed, in the natural logarithm: a change of a few percent is not another level.
const FLOOR: f64 = 0.05;
/// Operations per second to which lower rates are raised: a device with less is idle.
const LEAST_RATE: f64 = 1.0;
/// Least reduction of cost by a change, in units of the noise's variance; `PENALTY_LOG` is added per e-fold of values.
const PENALTY: f64 = 15.0;
const PENALTY_LOG: f64 = 4.0;
/// Most starts of segments that are tried for each end.
const LOOK_BACK: usize = 600;
/// Readings between two looks for starts that can be dropped (chosen by us).
const PRUNED_EACH: usize = 64;

/// Returns the indices in `ticks`, which adjoin, at which a segment begins; the first is 0.
pub(crate) fn starts(ticks: &[Tick]) -> Vec<usize> {
    if ticks.len() < 2 * LEAST {
        return vec![0];
    }
    let rates = logarithms(ticks.iter().map(|tick| Some(tick.all() / tick.seconds)), LEAST_RATE);
    let latencies = logarithms(ticks.iter().map(latency), 1e-6);
    let each = ticks.iter().map(|tick| tick.seconds).sum::<f64>() / ticks.len() as f64;
    let least = ((LEAST_S / each).ceil() as usize).max(LEAST);
    cut(&[scaled(rates), scaled(latencies)], least)
}

fn latency(tick: &Tick) -> Option<f64> {
    let latency = (tick.wait[0] + tick.wait[1]) / tick.all();
    (tick.all() > 0.0 && latency.is_finite()).then_some(latency)
}

/// Returns the logarithms of the values; an unknown value repeats the one before it.
fn logarithms(values: impl Iterator<Item = Option<f64>>, least: f64) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::new();
    let mut before = None;
    for value in values {
        before = value.map(|value| value.max(least).ln()).or(before);
        found.push(before.unwrap_or(f64::NAN));
    }
    let first = found.iter().copied().find(|value| value.is_finite()).unwrap_or(0.0);
    found.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = first);
    found
}

/// Returns the values in units of the noise, which is estimated from the differences of neighbours.
fn scaled(values: Vec<f64>) -> Vec<f64> {
    let differences: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let noise = robust_deviation(&differences).unwrap_or(0.0) / 2f64.sqrt();
    let noise = noise.max(FLOOR);
    values.into_iter().map(|value| value / noise).collect()
}

/// Returns the cheapest cut of several series at once into segments of at least `least` readings: optimal
/// partitioning about robust levels (Killick, Fearnhead, Eckley: JASA 107, 2012).
fn cut(series: &[Vec<f64>], least: usize) -> Vec<usize> {
    let count = series[0].len();
    let mut cuts = Cuts {
        smooth: series.iter().map(|values| Prefix::of(values)).collect(),
        penalty: PENALTY + PENALTY_LOG * (count as f64).ln(),
        best: vec![(0.0, 0)],
        open: vec![(0.0, 0)],
        others: f64::INFINITY,
    };
    for end in 1..=count {
        if end >= 2 * least {
            cuts.add(end - least, end);
        }
        let cheapest = cuts.cheapest(end);
        if end.is_multiple_of(PRUNED_EACH) {
            cuts.prune(end, cheapest);
        }
        cuts.best.push(cheapest);
    }
    let mut starts = Vec::new();
    let mut end = count;
    while end > 0 {
        end = cuts.best[end].1;
        starts.push(end);
    }
    starts.reverse();
    starts
}

/// The cheapest cuts of a series up to each reading.
struct Cuts {
    smooth: Vec<Prefix>,
    penalty: f64,
    /// For each end, the cost of the cheapest cut and the start of its last segment.
    best: Vec<(f64, usize)>,
    /// Starts that may yet be the cheapest, each with its cost for this or an earlier end, which later ends only exceed.
    open: Vec<(f64, usize)>,
    /// The least cost in `open` but for the cheapest start.
    others: f64,
}

impl Cuts {
    /// Returns the cost of the cheapest cut whose last segment is this one.
    fn cost(&self, start: usize, end: usize) -> f64 {
        let before = if start == 0 { 0.0 } else { self.best[start].0 + self.penalty };
        before + self.smooth.iter().map(|prefix| prefix.cost(start, end)).sum::<f64>()
    }

    /// Opens a start whose shortest segment is the one to `end`.
    fn add(&mut self, start: usize, end: usize) {
        let cost = self.cost(start, end);
        self.others = self.others.min(cost);
        self.open.push((cost, start));
    }

    /// Returns the cheapest cut up to `end`. A start that once cost more than the cheapest now is not looked at again.
    fn cheapest(&mut self, end: usize) -> (f64, usize) {
        let last = self.best[end - 1].1;
        let mut least = (self.cost(last, end), last);
        if least.0 < self.others {
            return least;
        }
        let mut open = std::mem::take(&mut self.open);
        for (before, start) in &mut open {
            if *before <= least.0 {
                *before = self.cost(*start, end);
                least = if *before < least.0 { (*before, *start) } else { least };
            }
        }
        self.keep(open, least.1);
        least
    }

    /// Keeps these starts open.
    fn keep(&mut self, open: Vec<(f64, usize)>, cheapest: usize) {
        let others = open.iter().filter(|(_, start)| *start != cheapest);
        self.others = others.map(|(cost, _)| *cost).fold(f64::INFINITY, f64::min);
        self.open = open;
    }

    /// Drops starts that cost more than the cheapest by over one penalty, which can never become the cheapest again, and the
    /// dearest of too many.
    fn prune(&mut self, end: usize, (least, cheapest): (f64, usize)) {
        let open = std::mem::take(&mut self.open).into_iter();
        let costs = open.map(|(_, start)| (self.cost(start, end), start));
        let mut open: Vec<(f64, usize)> = costs.filter(|(cost, _)| *cost <= least + self.penalty).collect();
        if open.len() > LOOK_BACK {
            open.select_nth_unstable_by(LOOK_BACK, |a, b| a.0.total_cmp(&b.0));
            open.truncate(LOOK_BACK);
        }
        self.keep(open, cheapest);
    }
}

/// Running sums of a series, which give the cost of any segment in constant time.
struct Prefix {
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Prefix {
    /// Sums up the median of every three neighbours, so that a single outlier moves nothing.
    fn of(values: &[f64]) -> Prefix {
        let last = values.len() - 1;
        let near = |at: usize| [values[at.saturating_sub(1)], values[at], values[(at + 1).min(last)]];
        let middle: Vec<f64> = (0..=last).map(|at| median(&near(at)).unwrap_or(values[at])).collect();
        let whole = median(&middle).unwrap_or(0.0);
        let mut prefix = Prefix { sums: vec![0.0], squares: vec![0.0] };
        for value in middle.iter().map(|value| value - whole) {
            prefix.sums.push(prefix.sums[prefix.sums.len() - 1] + value);
            prefix.squares.push(prefix.squares[prefix.squares.len() - 1] + value * value);
        }
        prefix
    }

    fn cost(&self, from: usize, to: usize) -> f64 {
        let count = (to - from) as f64;
        let (sum, squares) = (self.sums[to] - self.sums[from], self.squares[to] - self.squares[from]);
        (squares - sum * sum / count).max(0.0)
    }
}
