//! A keyed permutation of a range of integers, computed one element at a time in constant memory.

use crate::random::mix;

/// Rounds of the network, each of which changes one half. Four make a network with random round functions a strong
/// pseudorandom permutation (Luby, Rackoff: SIAM J. Comput. 17(2), 1988); two more compensate for round functions that are
/// merely good hashes, and for consecutive indexes, which share one half.
const ROUNDS: usize = 6;

/// Elements of a [`run`](Permutation::run): four registers of four numbers, whose chains of operations a processor
/// overlaps.
const LANES: usize = 16;

/// First multiplier of the mixer, from the finaliser of SplitMix64.
const FIRST: u64 = 0xBF58_476D_1CE4_E5B9;
/// Second multiplier of the mixer, from the finaliser of SplitMix64.
const SECOND: u64 = 0x94D0_49BB_1331_11EB;
/// The lower half of 64 bits.
const LOW: u64 = 0xFFFF_FFFF;

/// A permutation of `0..n`, fixed by `n` and a key.
///
/// "Each block once, in random order" needs no map of the blocks already visited: block number `i` is `at(i)`. The index is
/// split into two digits of a mixed radix, `a · b ≥ n` with `a` and `b` near the square root of `n`; each round adds a hash
/// of one digit to the other (the generalised Feistel network of Black and Rogaway: "Ciphers with arbitrary finite
/// domains", CT-RSA 2002). Results from `n` up to `a · b` are passed through again, which happens in fewer than one of √n
/// calls.
#[derive(Clone, Debug)]
pub struct Permutation {
    n: u64,
    /// Radix of the high digit, ⌈√n⌉.
    high_radix: u64,
    /// Radix of the low digit, ⌈n / high_radix⌉.
    low_radix: u64,
    /// ⌊(2^64 - 1) / low_radix⌋, which turns the division by `low_radix` into a multiplication.
    low_reciprocal: u64,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// Size of the largest range that can be permuted.
    pub const MAX: u64 = 1 << 62;

    /// Elements of a [`run`](Permutation::run).
    pub const RUN: usize = LANES;

    /// The permutation of `0..n` under `key`; `None` if `n` is 0 or above [`Permutation::MAX`].
    #[must_use]
    pub fn new(n: u64, key: u64) -> Option<Permutation> {
        if n == 0 || n > Permutation::MAX {
            return None;
        }
        let root = n.isqrt();
        let high_radix = if root * root == n { root } else { root + 1 };
        let low_radix = n.div_ceil(high_radix);
        assert!(high_radix * low_radix >= n, "the digits of a permutation do not reach its range");
        assert!(
            high_radix <= 1 << 31 && low_radix <= high_radix,
            "a digit of a permutation is too long to be hashed"
        );
        let keys = std::array::from_fn(|round| mix(mix(key) ^ (round as u64 + 1)));
        Some(Permutation { n, high_radix, low_radix, low_reciprocal: u64::MAX / low_radix, keys })
    }

    /// The number of elements.
    #[must_use]
    pub fn range(&self) -> u64 {
        self.n
    }

    /// The element at position `i`; a position beyond the range wraps around.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, i: u64) -> u64 {
        let mut element = self.pass(if i < self.n { i } else { i % self.n });
        // A pass permutes 0..a·b, so walking its cycle from a point inside 0..n comes back inside, and the result stays a
        // bijection.
        while element >= self.n {
            element = self.pass(element);
        }
        debug_assert!(element < self.n, "a permutation left its range");
        element
    }

    /// Computes the elements at `RUN` positions from `from` on, as [`at`](Permutation::at) does, but side by side. No
    /// step branches on an element, so that the compiler can put several into a register. To this end, the function
    /// must be inlined into a caller that is compiled for a processor with wide registers.
    #[inline(always)]
    #[must_use]
    pub fn run(&self, from: u64) -> [u64; LANES] {
        // The two digits of the first position suffice for all only if at most one new high digit begins within the run.
        if self.low_radix < LANES as u64 || from >= self.n || self.n - from < LANES as u64 {
            return self.run_singly(from);
        }
        let mut elements = self.pass_in_lanes(from);
        // No element reaches 2^63, so the difference is negative exactly if an element lies beyond the range.
        let beyond = elements.iter().fold(0, |any, &element| any | (self.n - 1).wrapping_sub(element));
        if beyond >> 63 != 0 {
            self.send_through_again(&mut elements);
        }
        elements
    }

    #[cold]
    fn run_singly(&self, from: u64) -> [u64; LANES] {
        std::array::from_fn(|lane| self.at(from.wrapping_add(lane as u64)))
    }

    /// [`pass`](Permutation::pass) for the positions of a run, of which at most one begins a new high digit.
    #[inline(always)]
    fn pass_in_lanes(&self, from: u64) -> [u64; LANES] {
        let (first_high, first_low) = self.split(from);
        let mut high = [first_high; LANES];
        let mut low: [u64; LANES] = std::array::from_fn(|lane| first_low + lane as u64);
        for (high, low) in high.iter_mut().zip(&mut low) {
            let over = low.wrapping_sub(self.low_radix);
            *low = over.wrapping_add((over >> 32) & self.low_radix);
            *high += 1 - (over >> 63);
        }
        for pair in self.keys.chunks_exact(2) {
            add_hashes(&mut high, &low, pair[0], self.high_radix);
            add_hashes(&mut low, &high, pair[1], self.low_radix);
        }
        // Neither factor has an upper half, which only a full 64-bit multiplication would need.
        std::array::from_fn(|lane| (high[lane] & LOW) * (self.low_radix & LOW) + low[lane])
    }

    #[cold]
    fn send_through_again(&self, elements: &mut [u64; LANES]) {
        for element in elements {
            while *element >= self.n {
                *element = self.pass(*element);
            }
        }
    }

    /// One pass of all rounds over `0..high_radix · low_radix`.
    #[inline]
    fn pass(&self, i: u64) -> u64 {
        let (mut high, mut low) = self.split(i);
        for pair in self.keys.chunks_exact(2) {
            high = add(high, hash(low, pair[0], self.high_radix), self.high_radix);
            low = add(low, hash(high, pair[1], self.low_radix), self.low_radix);
        }
        debug_assert!(high < self.high_radix && low < self.low_radix, "a digit left its radix");
        high * self.low_radix + low
    }

    /// Computes `(i / low_radix, i % low_radix)`. The reciprocal is rounded down by less than one unit, so that the
    /// quotient is short by at most one for any 64-bit `i`.
    #[inline]
    fn split(&self, i: u64) -> (u64, u64) {
        let quotient = ((u128::from(i) * u128::from(self.low_reciprocal)) >> 64) as u64;
        let rest = i - quotient * self.low_radix;
        if rest >= self.low_radix { (quotient + 1, rest - self.low_radix) } else { (quotient, rest) }
    }
}

/// A hash of `digit` (below 2^32) under `key`, in `0..radix` (radix ≤ 2^31): the top 32 bits of a two-multiplication mixer,
/// scaled to the radix by a third multiplication.
#[inline]
fn hash(digit: u64, key: u64, radix: u64) -> u64 {
    let mixed = (digit ^ key).wrapping_mul(FIRST);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(SECOND);
    ((mixed >> 32) * radix) >> 32
}

/// The sum of two digits modulo the radix.
#[inline]
fn add(digit: u64, other: u64, radix: u64) -> u64 {
    let sum = digit + other;
    if sum >= radix { sum - radix } else { sum }
}

/// Adds to each of `digits` the [`hash`] of the corresponding digit of `others`, modulo `radix`. The 64-bit products are
/// assembled from 32-bit products, which wide registers provide.
#[inline(always)]
fn add_hashes(digits: &mut [u64; LANES], others: &[u64; LANES], key: u64, radix: u64) {
    // The contribution of the key's upper half to the first product: no digit has an upper half.
    let key_term = (key >> 32).wrapping_mul(FIRST & LOW) << 32;
    for (digit, other) in digits.iter_mut().zip(others) {
        let low = (*other ^ key) & LOW;
        let upper = (low * (FIRST >> 32)) << 32;
        let mixed = (low * (FIRST & LOW)).wrapping_add(upper).wrapping_add(key_term);
        let high = mixed >> 32;
        let low = (mixed ^ high) & LOW;
        // Only the upper half of the second product is used, and only its part below 2^32.
        let carried = (low * (SECOND & LOW)) >> 32;
        let top = carried.wrapping_add(low * (SECOND >> 32)).wrapping_add(high * (SECOND & LOW));
        let scaled = ((top & LOW) * (radix & LOW)) >> 32;
        // If the difference is negative, its upper half is all ones, and the radix is added back.
        let over = (*digit + scaled).wrapping_sub(radix);
        *digit = over.wrapping_add((over >> 32) & radix);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn is_bijective(n: u64, key: u64) -> bool {
        let permutation = Permutation::new(n, key).unwrap();
        let mut seen = vec![false; n as usize];
        (0..n).all(|i| {
            let element = permutation.at(i);
            element < n && !std::mem::replace(&mut seen[element as usize], true)
        })
    }

    #[test]
    fn every_small_range_is_permuted() {
        for n in 1..=700 {
            for key in [0, 1, n, u64::MAX] {
                assert!(is_bijective(n, key), "n = {n}, key = {key}");
            }
        }
        for n in [65_535, 65_536, 65_537, 99_991, 1 << 20, 1_000_003] {
            assert!(is_bijective(n, 42), "n = {n}");
        }
    }

    #[test]
    fn ranges_out_of_bounds_are_refused() {
        assert!(Permutation::new(0, 1).is_none());
        assert!(Permutation::new(Permutation::MAX + 1, 1).is_none());
        assert_eq!(Permutation::new(1, 1).unwrap().at(0), 0);
    }

    #[test]
    fn gaps_between_neighbours_are_spread_evenly() {
        // Differences of consecutive elements modulo n must be uniform; 64 bins, p = 0.001 at 103.4 for 63 degrees of
        // freedom. A single bad key would be chance, so the average of chi-square over keys is tested: 63 ± 3.3·√(2·63/40).
        for n in [40_000u64, 1 << 20, (1 << 40) + 12_345] {
            let mut total = 0.0;
            for key in 0..40 {
                let permutation = Permutation::new(n, key).unwrap();
                let mut counts = [0f64; 64];
                let draws = 20_000u64;
                for i in 0..draws {
                    let gap = (permutation.at(i + 1) + n - permutation.at(i)) % n;
                    counts[(u128::from(gap) * 64 / u128::from(n)) as usize] += 1.0;
                }
                let expected = draws as f64 / 64.0;
                total += counts.iter().map(|c| (c - expected).powi(2) / expected).sum::<f64>();
            }
            let mean = total / 40.0;
            assert!((mean - 63.0).abs() < 6.5, "n = {n}: mean chi-square {mean}");
        }
    }

    #[test]
    fn pairs_of_neighbours_fill_the_square_evenly() {
        let n = 1u64 << 26;
        let permutation = Permutation::new(n, 9).unwrap();
        let mut counts = [0f64; 256];
        let draws = 200_000u64;
        for i in 0..draws {
            let cell = |x: u64| (permutation.at(x) * 16 / n) as usize;
            counts[16 * cell(i) + cell(i + 1)] += 1.0;
        }
        let expected = draws as f64 / 256.0;
        let chi_square: f64 = counts.iter().map(|c| (c - expected).powi(2) / expected).sum();
        assert!((180.0..340.0).contains(&chi_square), "255 degrees of freedom: {chi_square}");
    }

    #[test]
    fn sequential_neighbours_are_as_rare_as_chance() {
        let n = 100_000u64;
        let mut neighbours = 0;
        for key in 0..20 {
            let permutation = Permutation::new(n, key).unwrap();
            neighbours += (0..n - 1).filter(|&i| permutation.at(i + 1) == permutation.at(i) + 1).count();
        }
        // Poisson with mean 20: more than 40 has a probability of 2e-5.
        assert!(neighbours <= 40, "{neighbours} sequential pairs in two million");
    }

    proptest! {
        #[test]
        fn random_ranges_are_permuted(n in 1u64..20_000, key: u64) {
            prop_assert!(is_bijective(n, key));
        }

        #[test]
        fn huge_ranges_hold_no_repeat(n in 1u64 << 40..=Permutation::MAX, key: u64, start: u64) {
            let permutation = Permutation::new(n, key).unwrap();
            let start = start % (n - 2_000);
            let elements: HashSet<u64> = (start..start + 2_000).map(|i| permutation.at(i)).collect();
            prop_assert_eq!(elements.len(), 2_000);
            prop_assert!(elements.iter().all(|&element| element < n));
        }

        #[test]
        fn a_run_is_what_single_positions_give(exponent in 0u32..=62, below: u64, key: u64, start: u64) {
            // Every order of magnitude is equally likely, and so are ranges of one block and of one more than a square.
            let n = (below % (1 << exponent)).max(1 << exponent >> 1).max(1);
            for n in [n, n.isqrt() * n.isqrt(), n.isqrt() * n.isqrt() + 1] {
                let permutation = Permutation::new(n, key).unwrap();
                for from in [start, start % n, n.saturating_sub(start % 40), 0] {
                    let singly: Vec<u64> = (0..LANES as u64).map(|lane| permutation.at(from.wrapping_add(lane))).collect();
                    prop_assert_eq!(permutation.run(from).to_vec(), singly, "n = {}, from {}", n, from);
                }
            }
        }

        #[test]
        fn runs_walk_a_whole_range(n in 1u64..20_000, key: u64) {
            let permutation = Permutation::new(n, key).unwrap();
            let runs = (0..n).step_by(LANES).flat_map(|from| permutation.run(from)).take(n as usize);
            prop_assert!(runs.eq((0..n).map(|position| permutation.at(position))));
        }

        #[test]
        fn splitting_is_division(n in 1u64..=Permutation::MAX, i: u64) {
            let permutation = Permutation::new(n, 0).unwrap();
            let radix = permutation.low_radix;
            prop_assert_eq!(permutation.split(i), (i / radix, i % radix));
        }
    }
}
