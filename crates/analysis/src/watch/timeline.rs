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
    let penalty = PENALTY + PENALTY_LOG * (count as f64).ln();
    let smooth: Vec<Prefix> = series.iter().map(|values| Prefix::of(values)).collect();
    let cost = |from: usize, to: usize| smooth.iter().map(|prefix| prefix.cost(from, to)).sum::<f64>();
    let mut best: Vec<(f64, usize)> = vec![(0.0, 0); count + 1];
    let mut open: Vec<usize> = vec![0];
    for end in 1..=count {
        if end >= 2 * least {
            open.push(end - least);
        }
        let before = |start: usize| if start == 0 { 0.0 } else { best[start].0 + penalty };
        let mut totals: Vec<(f64, usize)> =
            open.iter().map(|&start| (before(start) + cost(start, end), start)).collect();
        totals.sort_by(|a, b| a.0.total_cmp(&b.0));
        best[end] = totals[0];
        // A start that costs more than the best by over one penalty can never become the cheapest again.
        let most = totals[0].0 + penalty;
        totals.retain(|total| total.0 <= most);
        totals.truncate(LOOK_BACK);
        open = totals.into_iter().map(|total| total.1).collect();
    }
    let mut starts = Vec::new();
    let mut end = count;
    while end > 0 {
        end = best[end].1;
        starts.push(end);
    }
    starts.reverse();
    starts
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
