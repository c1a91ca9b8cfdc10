//! Draws of lengths: one, a range, or several with their shares.

use statistics::Stream;
use workload::{LengthShare, Lengths};

/// Draws the length of the next I/O of one direction.
#[derive(Clone, Debug)]
pub(super) enum LengthDraw {
    Fixed(u64),
    Range {
        least: u64,
        most: u64,
        step: u64,
    },
    /// Each length with the sum of the weights up to and including its own.
    Shares(Box<[(u64, u64)]>),
}

impl LengthDraw {
    pub(super) fn new(lengths: &Lengths) -> LengthDraw {
        match lengths {
            Lengths::Fixed(length) => LengthDraw::Fixed(length.0),
            Lengths::Range { least, most, step } => {
                LengthDraw::Range { least: least.0, most: most.0, step: step.0.max(1) }
            }
            Lengths::Shares(shares) => {
                let mut sum = 0;
                let cumulative = |share: &LengthShare| {
                    sum += u64::from(share.weight);
                    (share.length.0, sum)
                };
                LengthDraw::Shares(shares.iter().map(cumulative).collect())
            }
        }
    }

    /// The next length.
    #[inline]
    pub(super) fn next(&self, stream: &mut Stream) -> u64 {
        match self {
            LengthDraw::Fixed(length) => *length,
            LengthDraw::Range { least, most, step } => {
                Lengths::in_range((*least, *most), *step, stream.below(*most))
            }
            LengthDraw::Shares(shares) => {
                let total = shares.last().map_or(0, |&(_, sum)| sum);
                let drawn = stream.below(total);
                shares.iter().find(|&&(_, sum)| drawn < sum).map_or(0, |&(length, _)| length)
            }
        }
    }

    /// The next length of those that are at most `room`; `None` if there is none.
    pub(super) fn within(&self, room: u64, stream: &mut Stream) -> Option<u64> {
        match self {
            LengthDraw::Fixed(length) => (*length <= room).then_some(*length),
            LengthDraw::Range { most, .. } if *most <= room => Some(self.next(stream)),
            LengthDraw::Range { least, step, .. } => {
                let steps = room.checked_sub(*least)? / step + 1;
                Some(least + stream.below(steps) * step)
            }
            LengthDraw::Shares(shares) => {
                let before = |at: usize| at.checked_sub(1).map_or(0, |before| shares[before].1);
                let weights = || {
                    let of = |(at, &(length, sum)): (usize, &(u64, u64))| (length, sum - before(at));
                    shares.iter().enumerate().map(of).filter(|&(length, _)| length <= room)
                };
                let mut drawn = match weights().map(|(_, weight)| weight).sum() {
                    0 => return None,
                    total => stream.below(total),
                };
                let chosen = weights().find(|&(_, weight)| {
                    let is_it = drawn < weight;
                    drawn = drawn.saturating_sub(weight);
                    is_it
                });
                chosen.map(|(length, _)| length)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use workload::Bytes;

    use super::*;

    #[test]
    fn lengths_that_fit_are_drawn_by_their_shares() {
        let shares = [(1 << 20, 90), (4096, 3), (8192, 6), (512, 0)];
        let of = |&(length, weight): &(u64, u32)| LengthShare { length: Bytes(length), weight };
        let draw = LengthDraw::new(&Lengths::Shares(shares.iter().map(of).collect()));
        let mut stream = Stream::new(1, 1);
        let mut count = |room: u64, length: u64| {
            (0..3000).filter(|_| draw.within(room, &mut stream) == Some(length)).count()
        };
        assert_eq!((count(4096, 4096), count(4095, 4096)), (3000, 0));
        assert!((900..1100).contains(&count(1 << 19, 4096)));
        let mut stream = Stream::new(1, 1);
        assert_eq!([511, 512, 4095].map(|room| draw.within(room, &mut stream)), [None; 3]);
        let range = LengthDraw::Range { least: 4096, most: 65_536, step: 4096 };
        for room in [4096, 9000, 65_535, 65_536, 1 << 20] {
            let drawn: Vec<u64> = (0..500).filter_map(|_| range.within(room, &mut stream)).collect();
            let longest = (room / 4096 * 4096).min(65_536);
            assert!(drawn.len() == 500 && drawn.iter().all(|length| length % 4096 == 0));
            assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&4096), Some(&longest)));
        }
        assert_eq!(range.within(4095, &mut stream), None);
    }
}
