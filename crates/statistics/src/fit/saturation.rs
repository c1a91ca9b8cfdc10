//! The saturation curve: how the rate grows with the queue depth until something holds it.

use super::Bound;
use super::simplex::minimise;
use crate::quantile::median_in_place;

/// Residuals of ln X below this share do not decide between models: no rate is measured better.
const RESIDUAL_MIN: f64 = 1e-3;

/// The share of the cap at which a depth counts as enough.
const ENOUGH: f64 = 0.9;

/// Which curve describes the points best. N is the depth, rates are per second, latencies in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// X = ((N / latency)^-p + cap^-p)^(-1/p); p infinite for the hard corner min(N / latency, cap).
    Corner {
        /// Sharpness of the corner; from 6 on a limiter is the likely cause.
        p: f64,
    },
    /// Gunther's universal scalability law X = λN / (1 + σ(N - 1) + κN(N - 1)), for contention and coherency.
    Scalability {
        /// Share of the work that is serial.
        sigma: f64,
        /// Cost of each pair; above 0 the rate falls again beyond √((1 - σ) / κ).
        kappa: f64,
    },
}

/// A fitted saturation curve and the depths that follow from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saturation {
    /// The curve chosen by AICc.
    pub curve: Curve,
    /// The rate at saturation; a lower bound where fewer than two depths came within 10 % of it.
    pub cap: Bound,
    /// Latency without queueing, in seconds; an upper bound where already the least depth was saturated.
    pub base_latency: Bound,
    /// N* = cap × base latency: the depth that just fills the cap. Bounded where either factor is.
    pub n_star: Bound,
    /// Least depth with 90 % of the cap, interpolated in ln N between the points; `None` where no depth came so far.
    pub n90: Option<f64>,
    /// The depth among the points with the largest rate / latency (Kleinrock's power), where waiting still pays best.
    pub n_power: f64,
    /// Mean absolute residual of ln X: about the relative error of a point.
    pub residual: f64,
}

/// Fits the curve to `points` of (queue depth, rate per second). `None` for fewer than two depths or numbers that are not positive.
///
/// Hard corner, soft corner and scalability law are fitted to ln X by least absolute deviation; the corrected criterion of Akaike
/// (Hurvich, Tsai: Biometrika 76, 1989) for Laplace errors chooses, so that a softer or falling curve must earn its
/// extra parameters. With four points or fewer only the hard corner can.
#[must_use]
pub fn fit_saturation(points: &[(f64, f64)]) -> Option<Saturation> {
    let positive = |v: f64| v > 0.0 && v.is_finite();
    if !points.iter().all(|p| positive(p.0) && positive(p.1)) {
        return None;
    }
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    if points.first()?.0 == points.last()?.0 {
        return None;
    }
    let hard = hard_corner(&points);
    let fits = [soft_corner(&points, &hard), scalability(&points, &hard)];
    let best = fits
        .into_iter()
        .fold(hard, |best, fit| if fit.criterion(&points) < best.criterion(&points) { fit } else { best });
    Some(best.describe(&points))
}

/// A curve with its scale: ln of the latency without queueing and of the rate at saturation.
#[derive(Clone, Copy, Debug)]
struct Fit {
    curve: Curve,
    log_latency: f64,
    log_cap: f64,
}

impl Fit {
    fn log_rate(&self, depth: f64) -> f64 {
        let linear = depth.ln() - self.log_latency;
        match self.curve {
            Curve::Corner { p } => soft_min(linear, self.log_cap, p),
            Curve::Scalability { sigma, kappa } => {
                linear - (1.0 + sigma * (depth - 1.0) + kappa * depth * (depth - 1.0)).ln()
            }
        }
    }

    /// Mean absolute residual.
    fn residual(&self, points: &[(f64, f64)]) -> f64 {
        points.iter().map(|p| (p.1.ln() - self.log_rate(p.0)).abs()).sum::<f64>() / points.len() as f64
    }

    /// AICc up to a constant, for errors of Laplace's distribution, whose scale is one more parameter.
    fn criterion(&self, points: &[(f64, f64)]) -> f64 {
        let parameters = match self.curve {
            Curve::Corner { p } if p.is_infinite() => 3.0,
            _ => 4.0,
        };
        let n = points.len() as f64;
        let spare = n - parameters - 1.0;
        if spare <= 0.0 {
            return f64::INFINITY;
        }
        let residual = self.residual(points).max(RESIDUAL_MIN);
        2.0 * n * residual.ln() + 2.0 * parameters + 2.0 * parameters * (parameters + 1.0) / spare
    }

    fn describe(&self, points: &[(f64, f64)]) -> Saturation {
        let cap = self.log_cap.exp();
        let near = points.iter().filter(|p| p.1 >= ENOUGH * cap).count();
        let cap = if near >= 2 { Bound::Measured(cap) } else { Bound::AtLeast(cap) };
        let latency = self.log_latency.exp();
        let first = points[0];
        let queued_at_once = first.1 >= ENOUGH * cap.value();
        let base_latency = if queued_at_once { Bound::AtMost(latency) } else { Bound::Measured(latency) };
        let star = latency * cap.value();
        let n_star = match (cap, base_latency) {
            (_, Bound::AtMost(_)) => Bound::AtMost(star),
            (Bound::AtLeast(_), _) => Bound::AtLeast(star),
            _ => Bound::Measured(star),
        };
        let power = |p: &&(f64, f64)| p.1 * p.1 / p.0;
        let n_power = points.iter().max_by(|a, b| power(a).total_cmp(&power(b))).map_or(first.0, |p| p.0);
        let n90 = depth_reaching(points, ENOUGH * cap.value());
        Saturation {
            curve: self.curve,
            cap,
            base_latency,
            n_star,
            n90,
            n_power,
            residual: self.residual(points),
        }
    }
}

/// The least depth at which the points reach `rate`, interpolated in ln N.
fn depth_reaching(points: &[(f64, f64)], rate: f64) -> Option<f64> {
    let reached = points.iter().position(|p| p.1 >= rate)?;
    let Some(below) = reached.checked_sub(1) else { return Some(points[0].0) };
    let ((low, before), (high, after)) = (points[below], points[reached]);
    let share = (rate - before) / (after - before);
    Some((low.ln() + share * (high.ln() - low.ln())).exp())
}

/// ln of the p-norm minimum of e^a and e^b.
fn soft_min(a: f64, b: f64, p: f64) -> f64 {
    let gap = (a - b).abs();
    // Beyond p·gap = 40 the correction is below 1e-17; the test also keeps an infinite p from making 0·∞.
    if p.is_infinite() || p * gap > 40.0 { a.min(b) } else { a.min(b) - (-p * gap).exp().ln_1p() / p }
}

/// Every split of the depths into a linear and a flat part, each by its median; the least absolute residual wins.
fn hard_corner(points: &[(f64, f64)]) -> Fit {
    let median = |mut logs: Vec<f64>| if logs.is_empty() { None } else { Some(median_in_place(&mut logs)) };
    let latency_of = |p: &(f64, f64)| p.0.ln() - p.1.ln();
    let at = |split: usize| {
        let (linear, flat) = points.split_at(split);
        // A side without points is only bounded: by the fastest latency seen and the largest rate seen.
        let latency = median(linear.iter().map(latency_of).collect());
        let cap = median(flat.iter().map(|p| p.1.ln()).collect());
        let least = points.iter().map(latency_of).fold(f64::INFINITY, f64::min);
        let most = points.iter().map(|p| p.1.ln()).fold(f64::NEG_INFINITY, f64::max);
        Fit {
            curve: Curve::Corner { p: f64::INFINITY },
            log_latency: latency.unwrap_or(least),
            log_cap: cap.unwrap_or(most),
        }
    };
    let candidates = (1..=points.len()).map(at);
    candidates.fold(at(0), |best, fit| if fit.residual(points) < best.residual(points) { fit } else { best })
}

fn soft_corner(points: &[(f64, f64)], hard: &Fit) -> Fit {
    let fit = |v: &[f64]| Fit { curve: Curve::Corner { p: v[2].exp() }, log_latency: v[0], log_cap: v[1] };
    let starts = [1.5, 4.0, 12.0].map(|p: f64| [hard.log_latency, hard.log_cap, p.ln()]);
    // Sharper than 50 no set of depths can tell from hard, and softer than 0.3 is not a corner.
    let cost = |v: &[f64]| fit(v).residual(points) + outside(v[2], 0.3f64.ln(), 50f64.ln());
    fit(&best_of(cost, &starts))
}

fn scalability(points: &[(f64, f64)], hard: &Fit) -> Fit {
    let deepest = points[points.len() - 1].0;
    let shape = |v: &[f64]| Curve::Scalability { sigma: 1.0 / (1.0 + (-v[1]).exp()), kappa: v[2].exp() };
    let fit = |v: &[f64]| Fit { curve: shape(v), log_latency: v[0], log_cap: hard.log_cap };
    let starts =
        [(-4.0, -14.0), (-2.0, -10.0), (-3.0, -6.0)].map(|(sigma, kappa)| [hard.log_latency, sigma, kappa]);
    let cost = |v: &[f64]| fit(v).residual(points) + outside(v[1], -14.0, 14.0) + outside(v[2], -25.0, 2.0);
    let mut found = fit(&best_of(cost, &starts));
    if let Curve::Scalability { sigma, kappa } = found.curve {
        let peak = ((1.0 - sigma) / kappa).sqrt().clamp(points[0].0, deepest);
        found.log_cap = found.log_rate(peak);
    }
    found
}

/// How far a value lies outside its range, as a cost.
fn outside(value: f64, low: f64, high: f64) -> f64 {
    (low - value).max(value - high).max(0.0)
}

fn best_of(cost: impl Fn(&[f64]) -> f64, starts: &[[f64; 3]]) -> Vec<f64> {
    let mut best = (starts[0].to_vec(), f64::INFINITY);
    for start in starts {
        let found = minimise(&cost, start, 0.5);
        // From its own end once more: a simplex that collapsed early moves on.
        let again = minimise(&cost, &found.0, 0.2);
        if again.1 < best.1 {
            best = again;
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use proptest::prelude::*;

    const DEPTHS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

    fn ladder(rate: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        DEPTHS.iter().map(|&depth| (depth, rate(depth))).collect()
    }

    fn close(found: f64, expected: f64) -> bool {
        (found / expected - 1.0).abs() < 0.02
    }

    #[test]
    fn a_rate_limiter_is_a_hard_corner_at_littles_depth() {
        // 1 ms and 5,000 a second: five in flight fill the cap.
        let fit = fit_saturation(&ladder(|n| (n / 0.001).min(5000.0))).unwrap();
        assert_eq!(fit.curve, Curve::Corner { p: f64::INFINITY });
        assert!(matches!(fit.cap, Bound::Measured(cap) if close(cap, 5000.0)));
        assert!(matches!(fit.n_star, Bound::Measured(n) if close(n, 5.0)), "{fit:?}");
        // 4,000 at depth 4, 5,000 at 8: 4,500 lies half-way in ln N.
        assert!(close(fit.n90.unwrap(), 32f64.sqrt()), "{fit:?}");
        assert_eq!(fit.n_power, 4.0);
    }

    #[test]
    fn a_soft_corner_is_recognised() {
        let fit =
            fit_saturation(&ladder(|n| ((n / 0.001).powf(-2.0) + 8000f64.powf(-2.0)).powf(-0.5))).unwrap();
        assert!(matches!(fit.curve, Curve::Corner { p } if (p - 2.0).abs() < 0.1), "{fit:?}");
        assert!(close(fit.cap.value(), 8000.0) && close(fit.base_latency.value(), 0.001), "{fit:?}");
    }

    #[test]
    fn contention_makes_the_curve_fall_again() {
        let law = |n: f64| 1000.0 * n / (1.0 + 0.05 * (n - 1.0) + 0.001 * n * (n - 1.0));
        let fit = fit_saturation(&ladder(law)).unwrap();
        let Curve::Scalability { sigma, kappa } = fit.curve else { panic!("{fit:?}") };
        assert!((sigma - 0.05).abs() < 0.005 && (kappa / 0.001 - 1.0).abs() < 0.1, "{fit:?}");
        assert!(close(fit.cap.value(), law(0.95f64.sqrt() / 0.001f64.sqrt())));
    }

    #[test]
    fn a_ladder_that_ends_too_early_or_starts_too_late_only_bounds() {
        let unsaturated = fit_saturation(&ladder(|n| n / 0.001)).unwrap();
        assert!(matches!(unsaturated.cap, Bound::AtLeast(cap) if close(cap, 256_000.0)), "{unsaturated:?}");
        assert!(matches!(unsaturated.n_star, Bound::AtLeast(_)));
        let saturated = fit_saturation(&ladder(|_| 120.0)).unwrap();
        assert!(matches!(saturated.cap, Bound::Measured(cap) if close(cap, 120.0)));
        assert!(matches!(saturated.n_star, Bound::AtMost(n) if n <= 1.01), "{saturated:?}");
        assert_eq!(saturated.n90, Some(1.0));
    }

    #[test]
    fn senseless_points_have_no_curve() {
        assert_eq!(fit_saturation(&[]), None);
        assert_eq!(fit_saturation(&[(1.0, 5.0)]), None);
        assert_eq!(fit_saturation(&[(1.0, 5.0), (1.0, 6.0)]), None);
        assert_eq!(fit_saturation(&[(1.0, 5.0), (2.0, f64::NAN)]), None);
        assert!(fit_saturation(&[(1.0, 5.0), (2.0, 9.0)]).is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn caps_are_recovered_under_noise(cap in 500.0f64..50_000.0, star in 2.0f64..40.0, seed: u64) {
            let latency = star / cap;
            let mut stream = Stream::new(seed, 0);
            let noise: Vec<f64> = (0..9).map(|_| 1.0 + 0.01 * (stream.unit_f64() - 0.5)).collect();
            let points: Vec<(f64, f64)> =
                DEPTHS.iter().zip(noise).map(|(&n, e)| (n, (n / latency).min(cap) * e)).collect();
            let fit = fit_saturation(&points).unwrap();
            prop_assert!((fit.cap.value() / cap - 1.0).abs() < 0.02, "{:?}", fit);
            prop_assert!((fit.n_star.value() / star - 1.0).abs() < 0.06, "{:?}", fit);
        }
    }
}
