//! Work on several numbers at once, in the widest registers of this processor.

/// Work that is worth wide registers: the same steps on each of several numbers.
pub trait InLanes {
    /// The result of the work.
    type Output;

    /// Does the work. Without `#[inline(always)]` on an implementation and on all it calls, wide registers are not used.
    fn run(self) -> Self::Output;
}

/// Does `work` in registers of four 64-bit numbers if this processor has them; the result is the same if it has not.
#[inline]
pub fn in_lanes<W: InLanes>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        // SAFETY: the function is compiled for AVX2, which the check above found on this processor.
        return unsafe { with_avx2(work) };
    }
    in_narrow_lanes(work)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<W: InLanes>(work: W) -> W::Output {
    work.run()
}

/// Does `work` in the registers that every processor of this architecture has.
#[inline(never)]
fn in_narrow_lanes<W: InLanes>(work: W) -> W::Output {
    work.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Squares([u64; 8]);

    impl InLanes for Squares {
        type Output = [u64; 8];

        #[inline(always)]
        fn run(self) -> [u64; 8] {
            self.0.map(|number| number.wrapping_mul(number))
        }
    }

    #[test]
    fn wide_and_narrow_registers_give_the_same() {
        let numbers = [0, 1, 2, 1 << 31, u64::MAX, 12_345_678_901, 7, 1 << 63];
        assert_eq!(in_lanes(Squares(numbers)), in_narrow_lanes(Squares(numbers)));
        assert_eq!(in_lanes(Squares(numbers))[5], 12_345_678_901u64.wrapping_mul(12_345_678_901));
    }
}
