//! The arrival curve of a charged load: the greatest charge that arrives in any time.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::Horizon;
use super::hull::Part;

/// Spans that are summed up, so that a replay passes quiet times at once.
pub(super) const BLOCK: usize = 64;

/// Charges of a load in spans that follow each other, and the windows in which they are greatest.
///
/// With `α(τ)` the greatest charge in any window of length `τ`, a bucket of `C` that refills at `ρ` never delays the load
/// if `α(τ) ≤ C + ρ τ` for all `τ`: if the greatest excess `max(α(τ) - ρ τ)` is at most `C`.
#[derive(Debug)]
pub struct Curve {
    charges: Vec<f64>,
    seconds: f64,
    total: f64,
    peak: f64,
    /// Corners of the greatest charges of all windows: as the load came, and as it comes again and again.
    windows: [Vec<(f64, f64)>; 2],
    blocks: Vec<QuietBlock>,
    /// When windows end that were asked for, in seconds from the start, by their place among the first.
    ends: RefCell<BTreeMap<usize, f64>>,
}

/// Some spans of a series together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QuietBlock {
    /// Charge of all spans.
    pub charge: f64,
    /// Greatest rate of a span, and greatest rate while the device was busy.
    pub peaks: [f64; 2],
}

/// A span: its length, the time with I/O in it, and its charge.
#[derive(Clone, Copy, Debug)]
pub struct ChargedSpan {
    /// Seconds.
    pub seconds: f64,
    /// Seconds with I/O.
    pub busy_s: f64,
    /// Operations or bytes, as a rule charges them.
    pub charge: f64,
}

impl Curve {
    /// Takes the spans of a load.
    pub fn new(spans: &[ChargedSpan]) -> Curve {
        let points: Vec<(f64, f64)> = spans.iter().map(|span| (span.seconds, span.charge)).collect();
        let once = Part::of(&points);
        let block = |spans: &[ChargedSpan]| QuietBlock {
            charge: spans.iter().map(|span| span.charge).sum(),
            peaks: [
                spans.iter().map(|span| span.charge / span.seconds).fold(0.0, f64::max),
                spans.iter().map(|span| span.charge / span.busy_s).fold(0.0, f64::max),
            ],
        };
        let blocks: Vec<QuietBlock> = spans.chunks(BLOCK).map(block).collect();
        Curve {
            seconds: spans.iter().map(|span| span.seconds).sum(),
            total: spans.iter().map(|span| span.charge).sum(),
            peak: blocks.iter().map(|block| block.peaks[0]).fold(0.0, f64::max),
            charges: spans.iter().map(|span| span.charge).collect(),
            windows: [once.windows().to_vec(), once.then(&once).windows().to_vec()],
            blocks,
            ends: RefCell::default(),
        }
    }

    /// Returns the charge of each span.
    pub fn charges(&self) -> &[f64] {
        &self.charges
    }

    pub(super) fn blocks(&self) -> &[QuietBlock] {
        &self.blocks
    }

    /// Returns the greatest rate of a span.
    pub fn peak(&self) -> f64 {
        self.peak
    }

    /// Returns the mean rate.
    pub fn mean(&self) -> f64 {
        if self.seconds > 0.0 { self.total / self.seconds } else { 0.0 }
    }

    fn windows(&self, horizon: Horizon) -> &[(f64, f64)] {
        &self.windows[usize::from(horizon == Horizon::Repeated)]
    }

    /// Whether another load would have this curve.
    pub(super) fn is_of(&self, spans: &[ChargedSpan]) -> bool {
        self.charges.len() == spans.len()
            && self.charges.iter().zip(spans).all(|(one, other)| *one == other.charge)
    }

    /// Whether no window exceeds `rate` by more than `room`.
    pub fn is_within(&self, (rate, room): (f64, f64), horizon: Horizon) -> bool {
        let lasts = horizon == Horizon::Once || self.mean() <= rate;
        lasts && self.windows(horizon).iter().all(|(seconds, charge)| charge - rate * seconds <= room)
    }

    /// Returns the greatest factor by which the load may grow while no window exceeds `rate` by more than `room`, both as
    /// they are; infinite without a load.
    pub fn headroom(&self, (rate, room): (f64, f64), horizon: Horizon) -> f64 {
        if self.total <= 0.0 {
            return f64::INFINITY;
        }
        let loaded = self.windows(horizon).iter().filter(|(_, charge)| *charge > 0.0);
        let factors = loaded.map(|(seconds, charge)| (room + rate * seconds) / charge);
        let most = if horizon == Horizon::Repeated { rate / self.mean() } else { f64::INFINITY };
        factors.fold(most, f64::min)
    }

    /// Returns when the window with the greatest excess over `rate` ends, in seconds from the start.
    pub fn closest_s(&self, spans: impl Iterator<Item = f64> + Clone, rate: f64) -> f64 {
        let excess = |window: &(f64, f64)| window.1 - rate * window.0;
        let windows = self.windows[0].iter().map(excess).enumerate();
        let greatest = windows.fold((0, 0.0), |most, one| if one.1 > most.1 { one } else { most }).0;
        let ends = || self.end_of_greatest(spans, rate);
        *self.ends.borrow_mut().entry(greatest).or_insert_with(ends)
    }

    fn end_of_greatest(&self, spans: impl Iterator<Item = f64> + Clone, rate: f64) -> f64 {
        let (mut over, mut best, mut last) = (0.0, 0.0, 0);
        for (at, (seconds, charge)) in spans.clone().zip(&self.charges).enumerate() {
            over = f64::max(over + charge - rate * seconds, 0.0);
            if over > best {
                (best, last) = (over, at);
            }
        }
        spans.take(last + 1).sum()
    }
}
