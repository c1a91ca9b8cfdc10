//! What a stretch of cells costs if one level, that wanders and carries noise, is to explain it.

use crate::segments::cells::Cell;
use crate::segments::noise::Noise;

/// An error of prediction of more than this many standard deviations moves the level no further (Huber's ψ).
const CLIP: f64 = 3.0;

/// A Kalman filter over the level and its noise, begun anew at every change: the predictions' squared errors in units of their
/// variance are the cost. One error costs at most [`Filter::most`], so that single outliers do not pay for a change
/// (Fearnhead, Rigaill: "Changepoint detection in the presence of outliers", JASA 114, 2019); wandering level and dependent
/// noise after Romano, Rigaill, Runge, Fearnhead: "Detecting abrupt changes in the presence of local fluctuations and
/// autocorrelated noise", JASA 117, 2022.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    noise: Noise,
    /// Variance of what cannot be told at all.
    floor: f64,
    most: f64,
    usual: f64,
    level: f64,
    residue: f64,
    /// Variance of the level, of both together, of the residue.
    spread: [f64; 3],
    /// So far.
    pub cost: f64,
}

impl Filter {
    /// Begins with the first of `cells`, at the median of the first three: an outlier there is one as anywhere else.
    pub fn at(cells: &[Cell], noise: Noise, limits: Limits) -> Filter {
        let v = noise.variance;
        let floor = limits.floor * limits.floor;
        let spread = [v + floor, -v, v];
        let level = middle(cells);
        let error = cells.first().map_or(0.0, |cell| cell.log - level);
        let cost = (error * error / (v + floor)).min(limits.most);
        Filter { noise, floor, most: limits.most, usual: limits.usual, level, residue: 0.0, spread, cost }
    }

    /// Adds the next cell.
    pub fn push(&mut self, cell: &Cell) {
        self.predict(cell.steps);
        let [level, both, residue] = self.spread;
        let variance = level + 2.0 * both + residue + self.floor;
        let error = cell.log - self.level - self.residue;
        let limit = CLIP * variance.sqrt();
        self.cost += (error * error / variance).min(self.most) + (variance / self.usual).ln();
        let moved = error.clamp(-limit, limit);
        let gain = [(level + both) / variance, (both + residue) / variance];
        self.level += gain[0] * moved;
        self.residue += gain[1] * moved;
        self.spread = [
            level - gain[0] * gain[0] * variance,
            both - gain[0] * gain[1] * variance,
            residue - gain[1] * gain[1] * variance,
        ];
    }

    fn predict(&mut self, steps: f64) {
        let kept = if steps == 1.0 { self.noise.rho } else { self.noise.rho.powf(steps) };
        let [level, both, residue] = self.spread;
        self.residue *= kept;
        self.spread = [
            level + steps * self.noise.wander,
            kept * both,
            kept * kept * residue + (1.0 - kept * kept) * self.noise.variance,
        ];
    }
}

/// The median of the first three, as far as there are.
fn middle(cells: &[Cell]) -> f64 {
    match *cells {
        [a, b, c, ..] => a.log.max(b.log).min(a.log.min(b.log).max(c.log)),
        [a, ..] => a.log,
        [] => 0.0,
    }
}

/// What bounds the cost of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Standard deviation of what cannot be told at all.
    pub floor: f64,
    /// The most that one cell costs.
    pub most: f64,
    /// Variance of a prediction that costs nothing by itself: the same for all that is compared.
    pub usual: f64,
}
