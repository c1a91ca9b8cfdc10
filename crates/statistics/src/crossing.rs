//! Estimates the setting at which a share that grows with it passes a given value: a line through the log odds of several
//! trials.
//!
//! The share of I/Os that take longer than a bound grows with their arrival rate roughly exponentially (M/M/1:
//! `exp(-(μ-λ)b)`, exactly; other queues nearly so), so that its log odds follow a straight line over a moderate range.
//! The line is fitted by quasi-likelihood (Wedderburn: Biometrika 61, 1974) on the counts themselves, so that a trial
//! with nothing beyond the bound carries its full information; trials whose share is far from the target share weigh
//! little. A few trials leave the slope undetermined, and with it everything else, so it is presumed to be within about
//! a factor of five of a usual slope until the trials show otherwise. The estimate is the setting at which the line
//! passes the target share; its interval contains the settings that fit little worse (profile likelihood).

use crate::distribution::t_quantile;

/// Distance in log odds from the target share at which a trial's weight reaches zero.
const REACH: f64 = 4.0;
/// Log odds beyond which a share counts as zero or one.
const ODDS_MOST: f64 = 20.0;
/// Probability below the upper end of a 95 % interval.
const UPPER: f64 = 0.975;
/// Standard deviation of the logarithm of a slope around the usual one. Chosen by simulation together with `GROWS`, on
/// M/M/1 and M/D/1 with bounds of 8 to 48 service times: intervals held the true value in 93 to 100 % of searches.
const USUAL: f64 = 0.8;
/// Power of the share with which the dispersion of its events grows: the longer a queue is, the longer it stays long.
const GROWS: f64 = 0.4;
/// Degrees of freedom of the dispersions that the trials report.
const FREEDOM: f64 = 12.0;
/// Dispersion assumed before any event shows it.
const FIRST_DISPERSION: f64 = 10.0;
/// Degrees of freedom below which trials are not tested for excess scatter.
const ASKED: f64 = 0.5;
/// Rounds in which weights and line are fitted to each other.
const ROUNDS: usize = 4;
/// Number of places tried for the answer before the best is refined.
const PLACES: usize = 32;
/// Number of steps of each golden-section search; bisections of an interval's end take half as many.
const HALVINGS: usize = 26;

/// Outcome of a trial at one setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// The setting, above zero; the share grows with it.
    pub at: f64,
    /// Number of items counted.
    pub count: f64,
    /// Number of items that are events, the kind whose share is estimated.
    pub events: f64,
    /// Variance of `events` relative to that of independent events: events come in clusters.
    pub dispersion: f64,
}

/// The share to find, and the usual slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossingTarget {
    /// The share, above 0 and below 1.
    pub share: f64,
    /// Usual growth of the log odds per unit of the setting; the trials may show another.
    pub usual_slope: f64,
}

/// Setting at which the share passes the target share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The setting.
    pub at: f64,
    /// Lower end of the 95 % interval of the setting; zero if nothing bounds it.
    pub low: f64,
    /// Upper end of the 95 % interval of the setting; infinite if nothing bounds it.
    pub high: f64,
    /// Growth of the log odds per unit of the setting.
    pub slope: f64,
    /// Scatter of the trials around the line relative to chance, as a ratio of variances; at least 1.
    pub strays: f64,
}

impl Crossing {
    /// Whether the interval is bounded on both sides.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.low > 0.0 && self.high.is_finite()
    }
}

/// Estimates where the share of `trials` passes the share `sought`; `None` for fewer than two usable trials.
#[must_use]
pub fn crossing(trials: &[Trial], sought: CrossingTarget) -> Option<Crossing> {
    let usable: Vec<Trial> =
        trials.iter().copied().filter(|trial| trial.count > 0.0 && trial.at > 0.0).collect();
    if usable.len() < 2 {
        return None;
    }
    let mut fit = WeightedTrials::of(&usable, sought);
    let mut line = fit.best();
    for _ in 0..ROUNDS {
        fit.reweigh(line);
        line = fit.best();
    }
    let (strays, freedom) = fit.strays(line);
    let quantile = t_quantile(UPPER, FREEDOM + freedom);
    let most = fit.misfit(line) + quantile * quantile * strays;
    let (low, high) = (fit.end(line, most, Side::Below), fit.end(line, most, Side::Above));
    Some(Crossing { at: line.at, low, high, slope: line.steep.exp(), strays })
}

/// A line, given by the setting at which it passes the target share and by the logarithm of its slope.
#[derive(Clone, Copy, Debug)]
struct Line {
    at: f64,
    steep: f64,
}

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

/// Trials with their weights.
struct WeightedTrials<'t> {
    trials: &'t [Trial],
    target: f64,
    usual: f64,
    weights: Vec<f64>,
    /// Dispersion at the target share.
    dispersion: f64,
}

impl WeightedTrials<'_> {
    fn of(trials: &[Trial], sought: CrossingTarget) -> WeightedTrials<'_> {
        let target = (sought.share / (1.0 - sought.share)).ln();
        let odds = |trial: &Trial| ((trial.events + 0.5) / (trial.count - trial.events + 0.5)).ln();
        let weights = trials.iter().map(|trial| nearness((odds(trial) - target) / (2.0 * REACH))).collect();
        WeightedTrials {
            trials,
            target,
            usual: sought.usual_slope.ln(),
            weights,
            dispersion: FIRST_DISPERSION,
        }
    }

    fn share(&self, line: Line, at: f64) -> f64 {
        share_of(self.target + line.steep.exp() * (at - line.at))
    }

    /// Dispersion at `share`, relative to the dispersion at the target share.
    fn grown(&self, share: f64) -> f64 {
        (share / share_of(self.target)).powf(GROWS)
    }

    fn weighed(&self) -> impl Iterator<Item = (&Trial, f64)> {
        self.trials.iter().zip(self.weights.iter().copied()).filter(|(_, weight)| *weight > 0.0)
    }

    /// Misfit of `line`: the quasi-deviance, plus a penalty for a slope far from the usual one.
    fn misfit(&self, line: Line) -> f64 {
        let of_trial = |(trial, weight): (&Trial, f64)| {
            let (seen, meant) = (trial.events / trial.count, self.share(line, trial.at));
            let part = |seen: f64, meant: f64| if seen > 0.0 { seen * (seen / meant).ln() } else { 0.0 };
            let deviance = 2.0 * trial.count * (part(seen, meant) + part(1.0 - seen, 1.0 - meant));
            weight * deviance / (self.dispersion * self.grown((seen + meant) / 2.0))
        };
        self.weighed().map(of_trial).sum::<f64>() + ((line.steep - self.usual) / USUAL).powi(2)
    }

    /// The best line that passes the target share at `at`.
    fn through(&self, at: f64) -> Line {
        let (low, high) = (self.usual - 4.0, self.usual + 5.0);
        Line { at, steep: least(low, high, |steep| self.misfit(Line { at, steep })) }
    }

    fn misfit_through(&self, at: f64) -> f64 {
        self.misfit(self.through(at))
    }

    /// The best line of all: the best of a grid of places, refined between its neighbours.
    fn best(&self) -> Line {
        let all = self.trials.iter().map(|trial| trial.at);
        let low = 0.7 * all.clone().fold(f64::INFINITY, f64::min);
        let high = 1.3 * all.fold(0.0, f64::max);
        let place = |number: usize| low * (high / low).powf(number as f64 / PLACES as f64);
        let costs: Vec<f64> = (0..=PLACES).map(|number| self.misfit_through(place(number))).collect();
        let best = (0..=PLACES).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0);
        let (from, to) = (place(best.saturating_sub(1)), place((best + 1).min(PLACES)));
        self.through(least(from, to, |at| self.misfit_through(at)))
    }

    /// Reweighs trials by their distance from the target share on `line`, and pools their dispersion.
    fn reweigh(&mut self, line: Line) {
        let slope = line.steep.exp();
        self.weights =
            self.trials.iter().map(|trial| nearness(slope * (trial.at - line.at) / REACH)).collect();
        let (mut all, mut events) = (0.0, 0.0);
        for (trial, weight) in self.weighed() {
            all += weight * trial.events * trial.dispersion / self.grown(self.share(line, trial.at));
            events += weight * trial.events;
        }
        if events > 0.0 {
            self.dispersion = (all / events).max(1.0);
        }
    }

    /// Scatter of the trials around `line`, as a ratio of variances, and the degrees of freedom of that ratio.
    fn strays(&self, line: Line) -> (f64, f64) {
        let (mut squares, mut number) = (0.0, 0.0);
        for (trial, weight) in self.weighed() {
            let share = self.share(line, trial.at);
            let variance = trial.count * share * (1.0 - share) * self.dispersion * self.grown(share);
            squares += weight * (trial.events - trial.count * share).powi(2) / variance;
            number += weight;
        }
        // The slope takes half a degree of freedom because it is half presumed.
        let freedom = (number - 1.5).max(0.0);
        (if freedom > ASKED { (squares / freedom).max(1.0) } else { 1.0 }, freedom)
    }

    /// The furthest place on one side through which a line fits no worse than `most`.
    fn end(&self, line: Line, most: f64, side: Side) -> f64 {
        let away = |far: f64| if side == Side::Below { line.at - far } else { line.at + far };
        let furthest = if side == Side::Below { line.at } else { 4.0 * line.at };
        let (mut fits, mut step) = (0.0, 0.01 * line.at);
        while fits + step < furthest && self.misfit_through(away(fits + step)) <= most {
            fits += step;
            step *= 1.5;
        }
        if fits + step >= furthest {
            return if side == Side::Below { 0.0 } else { f64::INFINITY };
        }
        let mut misses = fits + step;
        for _ in 0..HALVINGS / 2 {
            let middle = (fits + misses) / 2.0;
            if self.misfit_through(away(middle)) <= most { fits = middle } else { misses = middle }
        }
        away(fits)
    }
}

/// Finds where `cost` is least between two numbers, by golden-section search.
fn least(from: f64, to: f64, cost: impl Fn(f64) -> f64) -> f64 {
    const SECTION: f64 = 0.381_966;
    let (mut low, mut high) = (from, to);
    let (mut a, mut b) = (low + SECTION * (high - low), high - SECTION * (high - low));
    let (mut of_a, mut of_b) = (cost(a), cost(b));
    for _ in 0..HALVINGS {
        if of_a < of_b {
            (high, b, of_b) = (b, a, of_a);
            a = low + SECTION * (high - low);
            of_a = cost(a);
        } else {
            (low, a, of_a) = (a, b, of_b);
            b = high - SECTION * (high - low);
            of_b = cost(b);
        }
    }
    (low + high) / 2.0
}

fn share_of(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds.clamp(-ODDS_MOST, ODDS_MOST)).exp())
}

/// Tukey's tricube weight: 1 at distance 0, 0 from a distance of 1 on.
fn nearness(distance: f64) -> f64 {
    let cube = distance.abs().min(1.0).powi(3);
    (1.0 - cube).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const SOUGHT: CrossingTarget = CrossingTarget { share: 0.01, usual_slope: 15.0 };

    /// Independent events whose log odds at x are 20 (x - 1) above those of 1 %.
    fn trial(stream: &mut Stream, at: f64, count: u32) -> Trial {
        let share = share_of(20.0 * (at - 1.0) + (0.01f64 / 0.99).ln());
        let events = (0..count).filter(|_| stream.unit_f64() < share).count();
        Trial { at, count: f64::from(count), events: events as f64, dispersion: 1.0 }
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        let mut held = 0;
        for seed in 0..60 {
            let mut stream = Stream::new(seed, 7);
            let trials = [0.6, 0.95, 1.02, 0.99, 1.04, 1.2].map(|at| trial(&mut stream, at, 4_000));
            let found = crossing(&trials, SOUGHT).unwrap();
            held += usize::from(found.low <= 1.0 && 1.0 <= found.high);
            assert!((found.at - 1.0).abs() < 0.05 && found.is_bounded(), "{found:?}");
        }
        assert!(held >= 54, "{held} of 60");
    }

    #[test]
    fn clusters_widen_the_interval_and_so_do_trials_that_stray() {
        let mut stream = Stream::new(1, 7);
        let trials = [0.95, 1.0, 1.05, 0.98].map(|at| trial(&mut stream, at, 20_000));
        let plain = crossing(&trials, SOUGHT).unwrap();
        let wider = crossing(&trials.map(|one| Trial { dispersion: 16.0, ..one }), SOUGHT).unwrap();
        let ratio = (wider.high - wider.low) / (plain.high - plain.low);
        assert!((1.5..6.0).contains(&ratio), "{ratio}");
        let mut moved = trials;
        moved[3].events *= 6.0;
        assert!(crossing(&moved, SOUGHT).unwrap().strays > 5.0);
    }

    #[test]
    fn too_little_has_no_crossing_and_no_events_have_no_upper_end() {
        let none = |at| Trial { at, count: 1e4, events: 0.0, dispersion: 1.0 };
        assert_eq!(crossing(&[none(1.0)], SOUGHT), None);
        assert_eq!(crossing(&[], SOUGHT), None);
        assert_eq!(crossing(&[none(0.8), none(0.9)], SOUGHT).unwrap().high, f64::INFINITY);
    }
}
