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
}
