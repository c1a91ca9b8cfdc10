//! Skewed draws of ranks: few ranks often, most ranks rarely, in constant memory.

use crate::Stream;

/// Zipf's distribution over the ranks `0..n`: rank `k` is drawn in proportion to `1 / (k + 1)^theta`.
///
/// Rejection-inversion (Hörmann, Derflinger: "Rejection-inversion to generate variates from monotone discrete
/// distributions", ACM TOMACS 6(3), 1996): the integral of the density is inverted, and the small part by which a rank's
/// probability is less than its strip of the integral is rejected. No table is kept and nothing is summed beforehand,
/// whatever `n` is; about 1.1 tries per draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zipf {
    n: u64,
    theta: f64,
    /// Integral up to the right edge of the first rank, minus the probability of that rank.
    low: f64,
    /// Integral up to the right edge of the last rank.
    high: f64,
    /// Distance below a draw's rank within which the draw is never rejected.
    sure: f64,
}

impl Zipf {
    /// The distribution over `n` ranks; `None` if there are none or `theta` is not above 0.
    #[must_use]
    pub fn new(n: u64, theta: f64) -> Option<Zipf> {
        if n == 0 || !(theta > 0.0 && theta.is_finite()) {
            return None;
        }
        Some(Zipf {
            n,
            theta,
            low: integral(1.5, theta) - 1.0,
            high: integral(n as f64 + 0.5, theta),
            sure: 2.0 - inverse(integral(2.5, theta) - density(2.0, theta), theta),
        })
    }

    /// Draws a rank; 0 is the likeliest.
    #[inline]
    pub fn sample(&self, stream: &mut Stream) -> u64 {
        loop {
            let area = self.high + stream.unit_f64() * (self.low - self.high);
            let x = inverse(area, self.theta);
            // Ranks count from 1 in the paper.
            let rank = ((x + 0.5) as u64).clamp(1, self.n);
            let exact = rank as f64;
            if exact - x <= self.sure
                || area >= integral(exact + 0.5, self.theta) - density(exact, self.theta)
            {
                debug_assert!(rank >= 1 && rank <= self.n, "a rank that the distribution has not");
                return rank - 1;
            }
        }
    }
}

#[inline]
fn density(x: f64, theta: f64) -> f64 {
    (-theta * x.ln()).exp()
}

/// The integral of the density from 1 to `x`; valid for `theta` = 1 too.
#[inline]
fn integral(x: f64, theta: f64) -> f64 {
    let log = x.ln();
    expm1_over(log * (1.0 - theta)) * log
}

/// The `x` whose integral is `area`.
#[inline]
fn inverse(area: f64, theta: f64) -> f64 {
    // No value is below -1 in theory, but rounding may lead there.
    let scaled = (area * (1.0 - theta)).max(-1.0);
    (ln1p_over(scaled) * area).exp()
}

/// `(e^x - 1) / x`, with its limit at 0.
#[inline]
fn expm1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { x.exp_m1() / x } else { 1.0 + x / 2.0 }
}

/// `ln(1 + x) / x`, with its limit at 0.
#[inline]
fn ln1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { x.ln_1p() / x } else { 1.0 - x / 2.0 }
}

/// Pareto's rule over the ranks `0..n`: a share `1 - h` of the draws falls on the first `h · n` ranks, and likewise
/// within these (the self-similar distribution of Gray et al.: "Quickly generating billion-record synthetic databases",
/// SIGMOD 1994).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    n: u64,
    power: f64,
}

impl Pareto {
    /// The distribution over `n` ranks; `None` if there are none or `h` is not between 0 and 1.
    #[must_use]
    pub fn new(n: u64, h: f64) -> Option<Pareto> {
        let within = h > 0.0 && h < 1.0;
        (n > 0 && within).then(|| Pareto { n, power: h.ln() / (-h).ln_1p() })
    }

    /// Draws a rank; 0 is the likeliest if `h` is below one half.
    #[inline]
    pub fn sample(&self, stream: &mut Stream) -> u64 {
        ((self.n as f64 * stream.unit_f64().powf(self.power)) as u64).min(self.n - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DRAWS: usize = 400_000;

    /// Chi-square over the first ranks, each with at least 40 expected draws, and the rest as one cell; with its degrees of
    /// freedom.
    fn misfit(n: u64, theta: f64) -> (f64, f64) {
        let zipf = Zipf::new(n, theta).unwrap();
        let mut stream = Stream::new(11, 0);
        let total: f64 = (1..=n).map(|k| (k as f64).powf(-theta)).sum();
        let expected = |k: u64| DRAWS as f64 * (k as f64 + 1.0).powf(-theta) / total;
        let head = (0..n).take_while(|&k| expected(k) >= 40.0).count().min(500);
        let mut counts = vec![0.0; head + 1];
        for _ in 0..DRAWS {
            counts[(zipf.sample(&mut stream) as usize).min(head)] += 1.0;
        }
        let tail = DRAWS as f64 - (0..head as u64).map(expected).sum::<f64>();
        let cell = |k: usize| if k < head { expected(k as u64) } else { tail };
        let chi_square =
            (0..=head).filter(|&k| cell(k) > 1.0).map(|k| (counts[k] - cell(k)).powi(2) / cell(k));
        (chi_square.sum(), head as f64)
    }

    #[test]
    fn every_rank_has_the_share_that_zipf_gives_it() {
        for (n, theta) in [(10, 0.5), (1_000, 0.9), (1_000, 1.0), (100_000, 1.1), (1_000_000, 1.2), (50, 3.0)]
        {
            let (chi_square, freedom) = misfit(n, theta);
            // Four standard deviations of chi-square above its mean.
            let bound = freedom + 4.0 * (2.0 * freedom).sqrt() + 4.0;
            assert!(chi_square < bound, "n = {n}, theta = {theta}: {chi_square} with {freedom}");
        }
    }

    #[test]
    fn a_range_as_large_as_a_volume_costs_nothing_beforehand_and_keeps_its_shape() {
        // 2^50 ranks: the sum is the integral with its first terms, by Euler and Maclaurin.
        let (n, theta) = (1u64 << 50, 0.99f64);
        let zipf = Zipf::new(n, theta).unwrap();
        let head: f64 = (1..=1_000).map(|k| f64::from(k).powf(-theta)).sum();
        let power = |x: f64| x.powf(1.0 - theta) / (1.0 - theta);
        let total = head + power(n as f64) - power(1_000.5) + 0.5 * (n as f64).powf(-theta);
        let mut stream = Stream::new(5, 1);
        let hits = (0..DRAWS).filter(|_| zipf.sample(&mut stream) < 1_000).count() as f64;
        let share = head / total;
        let sigma = (share * (1.0 - share) * DRAWS as f64).sqrt();
        assert!((hits - share * DRAWS as f64).abs() < 4.0 * sigma, "{hits} of {}", share * DRAWS as f64);
    }

    #[test]
    fn paretos_rule_holds_for_the_head_and_for_the_heads_head() {
        for h in [0.1, 0.2, 0.35] {
            let n = 1_000_000;
            let pareto = Pareto::new(n, h).unwrap();
            let mut stream = Stream::new(3, 2);
            let draws: Vec<u64> = (0..DRAWS).map(|_| pareto.sample(&mut stream)).collect();
            for depth in 1..=2 {
                let edge = (n as f64 * f64::powi(h, depth)) as u64;
                let share = f64::powi(1.0 - h, depth);
                let hits = draws.iter().filter(|&&rank| rank < edge).count() as f64;
                let sigma = (share * (1.0 - share) * DRAWS as f64).sqrt();
                assert!((hits - share * DRAWS as f64).abs() < 4.0 * sigma + 2.0, "h = {h}: {hits}");
            }
        }
    }

    #[test]
    fn what_has_no_ranks_or_no_skew_is_refused() {
        assert!(
            Zipf::new(0, 1.1).is_none() && Zipf::new(9, 0.0).is_none() && Zipf::new(9, f64::NAN).is_none()
        );
        assert!(
            Pareto::new(0, 0.2).is_none() && Pareto::new(9, 0.0).is_none() && Pareto::new(9, 1.0).is_none()
        );
    }

    proptest! {
        #[test]
        fn ranks_stay_in_range(n in 1u64..1 << 60, theta in 0.01f64..8.0, h in 0.001f64..0.999, seed: u64) {
            let (zipf, pareto) = (Zipf::new(n, theta).unwrap(), Pareto::new(n, h).unwrap());
            let mut stream = Stream::new(seed, 0);
            for _ in 0..20 {
                prop_assert!(zipf.sample(&mut stream) < n);
                prop_assert!(pareto.sample(&mut stream) < n);
            }
        }
    }
}
