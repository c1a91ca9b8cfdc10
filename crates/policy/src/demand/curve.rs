//! The arrival curve of a charged load: the greatest amount that arrives in any time, without listing all times.

use std::cell::RefCell;

use super::Horizon;

/// Passes over a series after which a search has converged: each pass finds a window that binds more tightly, and a
/// bound of this many is never reached by sums of doubles that differ by more than their rounding.
const PASSES_MOST: usize = 64;

/// Charges of a load in spans that follow each other, and the windows in which they are greatest.
///
/// With `α(τ)` the greatest charge in any window of length `τ`, a bucket of `C` that refills at `ρ` never delays the load
/// if `α(τ) ≤ C + ρ τ` for all `τ`: if the greatest excess `max(α(τ) - ρ τ)` is at most `C`. The excess is convex in `ρ`,
/// so that the windows found for some rates bound it for all others.
#[derive(Debug)]
pub struct Curve {
    charges: Vec<(f64, f64)>,
    horizon: Horizon,
    seconds: f64,
    total: f64,
    peak: f64,
    /// Windows that are the greatest excess at some rate.
    windows: RefCell<Vec<Excess>>,
}

/// The window of a series with the greatest excess over a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Excess {
    /// Charge in the window.
    pub charge: f64,
    /// Length of the window, in seconds.
    pub seconds: f64,
    /// End of the window, in seconds from the start of the series.
    pub ends_s: f64,
}

impl Excess {
    fn over(&self, rate: f64) -> f64 {
        self.charge - rate * self.seconds
    }
}

impl Curve {
    /// Takes seconds and charge of each span.
    pub fn new(charges: Vec<(f64, f64)>, horizon: Horizon) -> Curve {
        let seconds = charges.iter().map(|(seconds, _)| seconds).sum();
        let total = charges.iter().map(|(_, charge)| charge).sum();
        let peak = charges.iter().map(|(seconds, charge)| charge / seconds).fold(0.0, f64::max);
        Curve { charges, horizon, seconds, total, peak, windows: RefCell::default() }
    }

    /// Returns seconds and charge of each span.
    pub fn charges(&self) -> &[(f64, f64)] {
        &self.charges
    }

    /// Returns the greatest rate of a span.
    pub fn peak(&self) -> f64 {
        self.peak
    }

    /// Returns the mean rate.
    pub fn mean(&self) -> f64 {
        if self.seconds > 0.0 { self.total / self.seconds } else { 0.0 }
    }

    /// Returns the window with the greatest excess over `rate`; empty if no span exceeds it. A repeated series is
    /// passed twice: credits spent at its end are missing at its next start.
    pub fn excess(&self, rate: f64) -> Excess {
        if self.peak <= rate {
            return Excess::default();
        }
        let (mut best, mut best_over) = (Excess::default(), 0.0);
        let (mut over, mut charge, mut seconds, mut now) = (0.0, 0.0, 0.0, 0.0);
        let again: &[(f64, f64)] = if self.horizon == Horizon::Repeated { &self.charges } else { &[] };
        for (length, amount) in self.charges.iter().chain(again) {
            now += length;
            over += amount - rate * length;
            (charge, seconds) = (charge + amount, seconds + length);
            if over <= 0.0 {
                (over, charge, seconds) = (0.0, 0.0, 0.0);
            } else if over > best_over {
                best_over = over;
                best = Excess { charge, seconds, ends_s: now };
            }
        }
        self.windows.borrow_mut().push(best);
        best
    }

    /// Whether no window exceeds `rate` by more than `room`.
    pub fn is_within(&self, rate: f64, room: f64) -> bool {
        if self.peak <= rate {
            return true;
        }
        if self.horizon == Horizon::Repeated && self.mean() > rate && room.is_finite() {
            return false;
        }
        let known = self.windows.borrow().iter().any(|window| window.over(rate) > room);
        !known && self.excess(rate).over(rate) <= room
    }

    /// Returns the greatest factor by which the load may grow while no window exceeds `rate` by more than `room`, both as
    /// they are; infinite without a load.
    pub fn headroom(&self, rate: f64, room: f64) -> f64 {
        if room.is_infinite() || self.total <= 0.0 {
            return f64::INFINITY;
        }
        if self.peak.is_infinite() {
            return 0.0;
        }
        let of = |window: &Excess| {
            if window.charge > 0.0 { (room + rate * window.seconds) / window.charge } else { f64::INFINITY }
        };
        let mut factor = self.windows.borrow().iter().map(of).fold(f64::INFINITY, f64::min);
        if self.horizon == Horizon::Repeated {
            factor = factor.min(rate / self.mean());
        }
        for _ in 0..PASSES_MOST {
            let window = self.excess(rate / factor);
            let next = of(&window);
            if next >= factor * (1.0 - 1e-9) {
                break;
            }
            factor = next;
        }
        factor
    }
}
