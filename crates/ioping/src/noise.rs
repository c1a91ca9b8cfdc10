//! Random offsets and data from a seed: SplitMix64 (Steele, Lea and Flood, 2014).

/// A stream of random numbers, determined by its seed.
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    /// Returns the stream of `seed`.
    pub fn new(seed: u64) -> Noise {
        Noise(seed)
    }

    /// Draws the next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Draws a number below `bound`, which must not be zero; the bias is below bound / 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(bound)) >> 64) as u64
    }

    /// Fills `bytes` with data that does not compress.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.number().to_le_bytes()[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut noise = Noise::new(1_234_567);
        assert_eq!(noise.number(), 6_457_827_717_110_365_317);
        assert_eq!(noise.number(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn every_place_below_the_bound_is_reached() {
        let mut noise = Noise::new(1);
        let mut seen = [false; 7];
        (0..200).for_each(|_| seen[noise.below(7) as usize] = true);
        assert_eq!(seen, [true; 7]);
        let mut data = [0u8; 13];
        noise.fill(&mut data);
        assert!(data.iter().filter(|&&byte| byte == 0).count() < 3);
    }
}
