//! Distribution functions and quantiles from which intervals are built: normal, Student's t, binomial.

/// Cumulative distribution function of the standard normal: absolute error below 1e-14, relative error in the lower tail
/// below 1e-9.
///
/// Taylor series around 0 (Marsaglia: "Evaluating the normal distribution", J. Stat. Softw. 11(4), 2004) up to |x| = 4,
/// Laplace's continued fraction in the tails.
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x.abs() > 4.0 {
        let fraction = (1..=80).rev().fold(x.abs(), |rest, k| x.abs() + f64::from(k) / rest);
        let tail = density / fraction;
        return if x > 0.0 { 1.0 - tail } else { tail };
    }
    let (mut sum, mut term, mut k) = (x, x, 1.0);
    while term.abs() > 1e-17 {
        k += 2.0;
        term *= x * x / k;
        sum += term;
    }
    0.5 + sum * density
}

/// The standard normal quantile of `p` in (0, 1); NaN outside.
///
/// Starts from the rational approximation 26.2.23 of Abramowitz and Stegun (error 4.5e-4) and refines it by Newton's method.
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    if !(p > 0.0 && p < 1.0) {
        return f64::NAN;
    }
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    let t = (-2.0 * p.ln()).sqrt();
    let numerator = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let denominator = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut x = numerator / denominator - t;
    // Each step squares the error: after the second it is below the resolution of f64.
    for _ in 0..3 {
        let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        x -= (normal_cdf(x) - p) / density;
    }
    x
}

/// ln Γ(x) for x > 0, by Stirling's series after shifting the argument above 10; relative error below 1e-14.
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    let (mut z, mut shift) = (x, 0.0);
    while z < 10.0 {
        shift += z.ln();
        z += 1.0;
    }
    let inverse = 1.0 / (z * z);
    let series = (1.0 / 12.0
        - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse / 1188.0))))
        / z;
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

/// The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0, 1].
///
/// Continued fraction 26.5.8 of Abramowitz and Stegun, evaluated by Lentz's method.
#[must_use]
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast only below the mean of the distribution; the symmetry covers the rest.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let log_front = a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    log_front.exp() * beta_fraction(a, b, x) / a
}

fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..300 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for coefficient in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + coefficient * d);
            c = away_from_zero(1.0 + coefficient / c);
            fraction *= c * d;
        }
        if (fraction / before - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// Cumulative distribution function of Student's t with `df` > 0 degrees of freedom, which need not be an integer.
#[must_use]
pub fn t_cdf(t: f64, df: f64) -> f64 {
    let tail = 0.5 * incomplete_beta(df / 2.0, 0.5, df / (df + t * t));
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The quantile of Student's t at `p` in (0, 1) with `df` > 0 degrees of freedom; NaN outside.
///
/// Above 200 degrees of freedom, uses the Cornish–Fisher expansion 26.7.5 of Abramowitz and Stegun (error below 1e-7),
/// otherwise Newton's method on [`t_cdf`] starting there, kept inside a bracket.
#[must_use]
pub fn t_quantile(p: f64, df: f64) -> f64 {
    if !(p > 0.0 && p < 1.0 && df > 0.0) {
        return f64::NAN;
    }
    if p < 0.5 {
        return -t_quantile(1.0 - p, df);
    }
    let guess = t_expansion(normal_quantile(p), df.max(2.0));
    if df > 200.0 {
        return guess;
    }
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut t = guess;
    let log_front = ln_gamma((df + 1.0) / 2.0) - ln_gamma(df / 2.0) - 0.5 * (df * std::f64::consts::PI).ln();
    for _ in 0..200 {
        let excess = t_cdf(t, df) - p;
        if excess < 0.0 {
            low = t
        } else {
            high = t
        }
        let density = (log_front - (df + 1.0) / 2.0 * (t * t / df).ln_1p()).exp();
        let newton = t - excess / density;
        let halved = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * t + 1.0 };
        let next = if newton > low && newton < high { newton } else { halved };
        if (next - t).abs() <= 1e-11 * next.abs() {
            return next;
        }
        t = next;
    }
    t
}

fn t_expansion(z: f64, df: f64) -> f64 {
    let square = z * z;
    let first = z * (square + 1.0) / 4.0;
    let second = z * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
    let third = z * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
    z + first / df + second / (df * df) + third / (df * df * df)
}

/// P(K ≤ k) for K binomial with `n` trials of probability `p` in [0, 1].
#[must_use]
pub fn binomial_cdf(k: u64, n: u64, p: f64) -> f64 {
    if k >= n { 1.0 } else { 1.0 - incomplete_beta(k as f64 + 1.0, (n - k) as f64, p) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected}");
    }

    #[test]
    fn tabulated_values_come_out() {
        close(normal_cdf(1.96), 0.975_002_104_851_780, 1e-13);
        close(normal_quantile(0.975), 1.959_963_984_540_054, 1e-12);
        close(normal_quantile(1e-9), -5.997_807_015_007_686, 1e-9);
        close(normal_cdf(-8.0) / 6.220_960_574_271_786e-16, 1.0, 1e-9);
        close(t_quantile(0.975, 1.0), 12.706_204_736, 1e-8);
        close(t_quantile(0.975, 5.0), 2.570_581_836, 1e-8);
        close(t_quantile(0.975, 30.0), 2.042_272_456, 1e-8);
        close(t_quantile(0.975, 1000.0), 1.962_339_081, 1e-8);
        close(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln(), 1e-13);
        close(ln_gamma(11.0), 3_628_800f64.ln(), 1e-12);
        close(binomial_cdf(2, 5, 0.5), 0.5, 1e-13);
        close(binomial_cdf(0, 10, 0.1), 0.9f64.powi(10), 1e-13);
    }

    proptest! {
        #[test]
        fn quantiles_invert_their_distributions(p in 0.001f64..0.999, df in 0.7f64..500.0) {
            prop_assert!((normal_cdf(normal_quantile(p)) - p).abs() < 1e-12);
            prop_assert!((t_cdf(t_quantile(p, df), df) - p).abs() < 1e-7);
        }
    }
}
