//! The likelihood of values under a noise model, and the level estimated under that model (a Kalman filter; Harvey,
//! "Forecasting, structural time series models and the Kalman filter", 1989, section 3.4).

/// One value of the series to be fitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub value: f64,
    pub seconds: f64,
    /// Seconds since the previous cell; `None` if it follows directly.
    pub gap: Option<f64>,
    /// The spread of such values within a moment, and the rounding error of whole counts at an edge.
    pub scales: Scales,
}

/// A first guess at the spread of values: standard deviations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scales {
    /// Standard deviation within a moment.
    pub within: f64,
    /// Standard deviation of the rounding error of whole counts at an edge.
    pub edge: f64,
}

/// A noise model: how values stray from their level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Noise {
    /// Standard deviation of the fast part, an autoregression from cell to cell, as a multiple of the spread within
    /// moments.
    pub fast: f64,
    /// Correlation of the fast part over [`RHO_S`].
    pub rho: f64,
    /// Standard deviation of the slow part, in the unit of the values.
    pub slow: f64,
    /// Time constant, in seconds, with which the slow part decays.
    pub memory: f64,
    /// The amount that an edge between two cells moves from one to the other: the only noise of a meter.
    pub edge: Edge,
}

/// The amount that an edge between two counts moves from one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// The part of an item lost to whole counts.
    Count,
    /// A slice of a meter; slices then explain all of the spread.
    Slice,
}

impl Noise {
    fn edge(&self, scales: &Scales) -> f64 {
        match self.edge {
            Edge::Count => scales.edge,
            Edge::Slice => scales.edge.max(scales.within * std::f64::consts::FRAC_1_SQRT_2),
        }
    }
}

/// A noise model fitted to a series.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ModelFit {
    /// Log likelihood of the series, with the unknown level integrated out.
    pub log_likelihood: f64,
    /// Estimate of the level.
    pub mean: f64,
    /// Variance of that estimate.
    pub variance: f64,
}

/// Covariances of fast part, slow part and last edge, given the values so far.
#[derive(Clone, Copy, Default)]
struct Covariances {
    fast: f64,
    slow: f64,
    edge: f64,
    fast_slow: f64,
    fast_edge: f64,
    slow_edge: f64,
}

/// Expected fast part, slow part and last edge.
#[derive(Clone, Copy, Default)]
struct State {
    fast: f64,
    slow: f64,
    edge: f64,
}

impl State {
    /// Advances one step, to the values expected next.
    fn step(self, keep: (f64, f64)) -> State {
        State { fast: keep.0 * self.fast, slow: keep.1 * self.slow, edge: self.edge }
    }

    /// Updates after a prediction error of `off`, with the gains of fast part, slow part and new edge.
    fn learn(self, off: f64, gain: [f64; 3]) -> State {
        State { fast: self.fast + gain[0] * off, slow: self.slow + gain[1] * off, edge: gain[2] * off }
    }
}

/// Fits a constant level under `noise` to `cells`.
pub(super) fn fit(cells: &[Cell], noise: &Noise) -> ModelFit {
    let (fast, slow) = (noise.fast.powi(2), noise.slow.powi(2));
    let mut known = Covariances { fast, slow, ..Covariances::default() };
    let (mut values, mut ones) = (State::default(), State::default());
    let (mut log, mut vv, mut vo, mut oo) = (0.0, 0.0, 0.0, 0.0);
    for (at, cell) in cells.iter().enumerate() {
        let (load, edge) = (cell.scales.within, noise.edge(&cell.scales).powi(2));
        if let Some(gap) = cell.gap {
            // A new moment begins with a separate edge.
            known = Covariances { edge, fast_edge: 0.0, slow_edge: 0.0, ..known };
            (values.edge, ones.edge) = (0.0, 0.0);
            if at > 0 {
                let away = keep(noise, gap);
                known = known.step(away, (fast, slow));
                (values, ones) = (values.step(away), ones.step(away));
            }
        }
        let keep = if at == 0 { (1.0, 1.0) } else { keep(noise, cell.seconds) };
        known = known.step(keep, (fast, slow));
        (values, ones) = (values.step(keep), ones.step(keep));
        // The value is load × fast + slow + new edge - last edge.
        let with_fast = load * known.fast + known.fast_slow - known.fast_edge;
        let with_slow = load * known.fast_slow + known.slow - known.slow_edge;
        let with_last = load * known.fast_edge + known.slow_edge - known.edge;
        let spread = load * with_fast + with_slow + edge - with_last;
        let off = |state: &State, value: f64| value - (load * state.fast + state.slow - state.edge);
        let (v, o) = (off(&values, cell.value), off(&ones, 1.0));
        log += spread.ln();
        vv += v * v / spread;
        vo += v * o / spread;
        oo += o * o / spread;
        let gain = [with_fast / spread, with_slow / spread, edge / spread];
        (values, ones) = (values.learn(v, gain), ones.learn(o, gain));
        known = Covariances {
            fast: known.fast - gain[0] * with_fast,
            slow: known.slow - gain[1] * with_slow,
            edge: edge - gain[2] * edge,
            fast_slow: known.fast_slow - gain[0] * with_slow,
            fast_edge: -gain[0] * edge,
            slow_edge: -gain[1] * edge,
        };
    }
    let log_likelihood = -0.5 * (log + oo.ln() + vv - vo * vo / oo);
    ModelFit { log_likelihood, mean: vo / oo, variance: 1.0 / oo }
}

/// Seconds between two values for which the correlation of a noise model is given.
pub(super) const RHO_S: f64 = 0.5;

/// Share of fast and slow part that remains after `gap` seconds.
fn keep(noise: &Noise, gap: f64) -> (f64, f64) {
    (noise.rho.powf(gap / RHO_S), (-gap / noise.memory).exp())
}

impl Covariances {
    fn step(self, keep: (f64, f64), own: (f64, f64)) -> Covariances {
        Covariances {
            fast: keep.0.powi(2) * self.fast + (1.0 - keep.0.powi(2)) * own.0,
            slow: keep.1.powi(2) * self.slow + (1.0 - keep.1.powi(2)) * own.1,
            edge: self.edge,
            fast_slow: keep.0 * keep.1 * self.fast_slow,
            fast_edge: keep.0 * self.fast_edge,
            slow_edge: keep.1 * self.slow_edge,
        }
    }
}
