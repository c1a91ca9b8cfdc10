//! The cost of explaining a stretch of cells by one level that wanders and carries noise.

use crate::segments::cells::Cell;
use crate::segments::noise::Noise;

/// Prediction error, in standard deviations, beyond which it moves the level no further (Huber's ψ).
const CLIP: f64 = 3.0;

/// A Kalman filter over the level and its noise, restarted at every change: the cost is the sum of the squared prediction
/// errors in units of their variance. One error costs at most [`Filter::most`], so that single outliers do not pay for a
/// change (Fearnhead, Rigaill: "Changepoint detection in the presence of outliers", JASA 114, 2019); wandering level and
/// dependent noise after Romano, Rigaill, Runge, Fearnhead: "Detecting abrupt changes in the presence of local fluctuations
/// and autocorrelated noise", JASA 117, 2022.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    noise: Noise,
    /// Variance that is below any resolution.
    floor: f64,
    most: f64,
    usual: f64,
    level: f64,
    residue: f64,
    /// Variance of the level, covariance of level and residue, variance of the residue.
    spread: [f64; 3],
    /// Cost so far.
    pub cost: f64,
}

impl Filter {
    /// Starts at the first of `cells`, with the median of the first three as level, so that an outlier there is treated as
    /// anywhere else.
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

/// The median of the first three cells, or the first if there are fewer.
fn middle(cells: &[Cell]) -> f64 {
    match *cells {
        [a, b, c, ..] => a.log.max(b.log).min(a.log.min(b.log).max(c.log)),
        [a, ..] => a.log,
        [] => 0.0,
    }
}

/// Bounds on the cost of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Standard deviation that is below any resolution.
    pub floor: f64,
    /// Greatest cost of one cell.
    pub most: f64,
    /// Prediction variance that costs nothing in itself; the same for everything that is compared.
    pub usual: f64,
}
