//! Bob Jenkins' small generator, for streams that must match those of programs that use it.

/// Bob Jenkins' "small noncryptographic PRNG" in its 64-bit form with three rotations (7, 13, 37), published in 2009 and
/// put in the public domain by its author. DiskSpd draws its offsets from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jenkins {
    state: [u64; 4],
}

impl Jenkins {
    /// The stream of `seed`: the first word of the state is the author's constant, the others are the seed, and the first
    /// twenty numbers are discarded.
    #[must_use]
    pub fn new(seed: u64) -> Jenkins {
        let mut stream = Jenkins { state: [0xf1ea_5eed, seed, seed, seed] };
        stream.skip(20);
        stream
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let e = a.wrapping_sub(b.rotate_left(7));
        let next = [b ^ c.rotate_left(13), c.wrapping_add(d.rotate_left(37)), d.wrapping_add(e), 0];
        self.state = [next[0], next[1], next[2], e.wrapping_add(next[0])];
        self.state[3]
    }

    /// The next 32 random bits: the lower half of the next 64.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    /// Discards `count` numbers.
    #[inline]
    pub fn skip(&mut self, count: u32) {
        for _ in 0..count {
            self.next_u64();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed step by step from the published definition, with integers of arbitrary length.
    #[test]
    fn the_first_numbers_of_some_seeds() {
        let first = |seed: u64| {
            let mut stream = Jenkins::new(seed);
            [stream.next_u64(), stream.next_u64(), stream.next_u64(), stream.next_u64()]
        };
        assert_eq!(
            first(0),
            [0x4b39c42db38fcdf5, 0xaee2c9e919833f29, 0x30611cd75d0254ce, 0x7fcfd4f0c54692bb]
        );
        assert_eq!(
            first(1),
            [0xae735ca10d060948, 0x8e16aa0268563732, 0x8f061cf1eaa2da64, 0xe15ae6dde013cc82]
        );
        assert_eq!(
            first(1234),
            [0x75faa925eff204e4, 0x9d02489185b01570, 0xf5a53c60559027d4, 0xb8d4e5ca7664e4b3]
        );
        assert_eq!(
            first(4294967295),
            [0xe17780b918d7f209, 0xa6fccfe370c7479a, 0xea06f983e5008753, 0xe73b1836005b0ba0]
        );
    }

    #[test]
    fn bits_are_as_often_one_as_zero() {
        let mut stream = Jenkins::new(7);
        let ones: u32 = (0..10_000).map(|_| stream.next_u64().count_ones()).sum();
        // 640,000 bits: six standard deviations are 2,400.
        assert!(ones.abs_diff(320_000) < 2_400, "{ones}");
    }
}
