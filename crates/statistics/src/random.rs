//! Seeded random streams and the distributions drawn from them.

/// Weyl increment of SplitMix64: 2^64 divided by the golden ratio, made odd.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
///
/// A bijection of the 64-bit integers in which every input bit reaches every output bit.
#[inline]
#[must_use]
pub fn mix(value: u64) -> u64 {
    let z = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A stream of pseudorandom numbers, determined by a seed and an index.
///
/// The generator is xoshiro256++ 1.0 (Blackman, Vigna: "Scrambled linear pseudorandom number generators", ACM TOMS 47(4),
/// 2021), its state filled by SplitMix64 as its authors advise. Streams with the same seed and different indexes start from
/// different states; with a period of 2^256 - 1 they do not overlap in practice. Not for secrets.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Never all zero: SplitMix64 gives four consecutive outputs of a bijection, of which at most one is zero.
    state: [u64; 4],
    /// Second normal deviate of a polar pair, kept for the next call.
    spare_normal: Option<f64>,
}

impl Stream {
    /// Stream number `index` of `seed`.
    #[must_use]
    pub fn new(seed: u64, index: u64) -> Stream {
        let start = mix(seed.wrapping_add(GOLDEN)) ^ mix(index.wrapping_mul(GOLDEN));
        let word = |k: u64| mix(start.wrapping_add(GOLDEN.wrapping_mul(k)));
        let state = [word(1), word(2), word(3), word(4)];
        assert!(state != [0; 4], "a generator that is all zero gives zeros alone");
        Stream { state, spare_normal: None }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `0..n`, all equally likely; 0 for `n` = 0.
    ///
    /// Multiplication with rejection (Lemire: "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019): one
    /// division in a fraction n / 2^64 of the calls, none in the rest.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        // The low half decides whether this draw falls into the part that would make some results likelier.
        if (product as u64) < n {
            let unfair = n.wrapping_neg() % n;
            while (product as u64) < unfair {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        let drawn = (product >> 64) as u64;
        debug_assert!(drawn < n.max(1), "a draw below {n} gave {drawn}");
        drawn
    }

    /// A number in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number in (0, 1], for logarithms.
    #[inline]
    fn positive_unit(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// An exponential deviate with the given mean, such as the gap between Poisson arrivals. Never negative, always finite.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        let gap = -mean * self.positive_unit().ln();
        debug_assert!(gap >= 0.0 || mean < 0.0, "an exponential deviate is below zero");
        gap
    }

    /// A standard normal deviate, by Marsaglia's polar method (Marsaglia, Bray: SIAM Review 6(3), 1964).
    #[inline]
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare_normal.take() {
            return spare;
        }
        loop {
            let u = 2.0 * self.unit_f64() - 1.0;
            let v = 2.0 * self.unit_f64() - 1.0;
            let square = u * u + v * v;
            if square > 0.0 && square < 1.0 {
                let scale = (-2.0 * square.ln() / square).sqrt();
                self.spare_normal = Some(v * scale);
                return u * scale;
            }
        }
    }

    /// A lognormal deviate with the given mean and coefficient of variation. For many draws, keep a [`LogNormal`].
    #[inline]
    pub fn lognormal(&mut self, mean: f64, cv: f64) -> f64 {
        LogNormal::new(mean, cv).sample(self)
    }

    /// Shuffles `items`, all orders equally likely (Fisher and Yates, in Durstenfeld's form, 1964).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

/// A lognormal distribution with its logarithms computed once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormal {
    mean: f64,
    log_median: f64,
    log_sd: f64,
}

impl LogNormal {
    /// The distribution with this `mean` (> 0, else every sample is `mean`) and coefficient of variation `cv` (≥ 0).
    #[must_use]
    pub fn new(mean: f64, cv: f64) -> LogNormal {
        let log_variance = (cv * cv).ln_1p();
        LogNormal { mean, log_median: mean.ln() - log_variance / 2.0, log_sd: log_variance.sqrt() }
    }

    /// Draws one deviate.
    #[inline]
    pub fn sample(&self, stream: &mut Stream) -> f64 {
        if self.log_sd > 0.0 && self.mean > 0.0 {
            (self.log_median + self.log_sd * stream.normal()).exp()
        } else {
            self.mean
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moments::Moments;
    use proptest::prelude::*;

    fn moments_of(count: usize, mut draw: impl FnMut(&mut Stream) -> f64) -> Moments {
        let mut stream = Stream::new(7, 0);
        (0..count).map(|_| draw(&mut stream)).collect()
    }

    #[test]
    fn the_generator_gives_the_published_sequence() {
        // First outputs of xoshiro256++ from the state 1, 2, 3, 4, computed by hand from the published step.
        let mut stream = Stream { state: [1, 2, 3, 4], spare_normal: None };
        assert_eq!(stream.next_u64(), 41_943_041);
        assert_eq!(stream.next_u64(), 58_720_359);
        assert_eq!(mix(GOLDEN), 0xE220_A839_7B1D_CDAF, "first output of SplitMix64 from 0");
    }

    #[test]
    fn streams_of_one_seed_differ_and_repeat() {
        let first = |seed, index| {
            let mut stream = Stream::new(seed, index);
            [stream.next_u64(), stream.next_u64()]
        };
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(1, 3));
        assert_ne!(first(1, 2), first(2, 1));
        assert_ne!(first(0, 0), first(0, 1));
    }

    #[test]
    fn below_is_even_over_a_range_that_does_not_divide_two_to_the_64() {
        let mut stream = Stream::new(3, 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[stream.below(7) as usize] += 1;
        }
        let chi_square: f64 = counts.iter().map(|&c| (f64::from(c) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi_square < 22.5, "chi-square with 6 degrees of freedom, p = 0.001: {chi_square}");
    }

    #[test]
    fn moments_of_the_distributions_are_those_asked_for() {
        let exponential = moments_of(200_000, |s| s.exponential(2.0));
        assert!((exponential.mean() / 2.0 - 1.0).abs() < 0.01);
        assert!((exponential.sd() / 2.0 - 1.0).abs() < 0.015);
        let normal = moments_of(200_000, Stream::normal);
        assert!(normal.mean().abs() < 0.01 && (normal.sd() - 1.0).abs() < 0.01);
        let lognormal = moments_of(400_000, |s| s.lognormal(3.0, 0.5));
        assert!((lognormal.mean() / 3.0 - 1.0).abs() < 0.01);
        assert!((lognormal.sd() / 1.5 - 1.0).abs() < 0.02);
        assert_eq!(LogNormal::new(4.0, 0.0).sample(&mut Stream::new(1, 1)), 4.0);
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Stream::new(5, 5).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn draws_stay_in_their_ranges(seed: u64, index: u64, n in 1u64..) {
            let mut stream = Stream::new(seed, index);
            for _ in 0..50 {
                prop_assert!(stream.below(n) < n);
                let unit = stream.unit_f64();
                prop_assert!((0.0..1.0).contains(&unit));
                let gap = stream.exponential(1.0);
                prop_assert!(gap >= 0.0 && gap.is_finite());
            }
            prop_assert_eq!(stream.below(0), 0);
        }
    }
}
