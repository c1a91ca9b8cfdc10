//! The data read of a wrong interval, with the data that was expected.

use record::Damage;
use workload::Proof;

use super::{Mismatch, Prover, header, lay};

/// An interval with wrong data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// The data that was read.
    pub(crate) received: Vec<u8>,
    /// The data that was expected, if it is known.
    pub(crate) expected: Option<Vec<u8>>,
    /// Whether the header is what is wrong.
    pub(crate) of_header: bool,
}

impl Prover {
    /// The interval at the beginning of `buffer`, part of an I/O at byte `start`, in which the check right before `found`
    /// something and left the header in front.
    #[cold]
    pub(crate) fn wrong(&self, buffer: &mut [u8], found: &Mismatch, start: u64) -> Wrong {
        let length = buffer.len().min(self.interval);
        let interval = &mut buffer[..length];
        let zeros = matches!(found.damage, Damage::NotZeros { .. });
        let of_header = match found.damage {
            Damage::NotThePattern { .. } | Damage::NotZeros { .. } => false,
            Damage::Corrupted { .. } => {
                header::read(interval).is_some_and(|header| header.sums[0] != header.sums[1])
            }
            _ => true,
        };
        let expected = match &self.proof {
            _ if zeros => Some(vec![0; length]),
            Proof::Pattern(pattern) => {
                let mut wanted = vec![0; length];
                lay(&mut wanted, pattern, self.place(start, found.offset));
                Some(wanted)
            }
            // The header is correct: the data after it should be the pattern.
            Proof::HeaderAndPattern(pattern) if !of_header => {
                let mut wanted = vec![0; length];
                lay(&mut wanted, pattern, self.place(start, found.offset));
                let head = header::length(self.checksum).min(length);
                wanted[..head].copy_from_slice(&interval[..head]);
                self.move_header(&mut wanted);
                Some(wanted)
            }
            _ => None,
        };
        if !zeros && matches!(self.proof, Proof::Header | Proof::HeaderAndPattern(_)) {
            self.move_header(interval);
        }
        Wrong { received: interval.to_vec(), expected, of_header }
    }
}
