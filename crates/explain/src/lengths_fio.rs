//! Lengths of a job's I/Os in words, and what a disk demands of them.

use super::figures::bytes;
use super::files_fio::apart;
use super::load::PlannedJob;
use fio::Amount;
use workload::{Direction, Lengths};

/// Most lengths that are named.
const FEW: usize = 4;

/// Lengths with their shares, the most frequent first: `4 KiB`, `4 KiB (96 %) and 512 bytes (4 %)`.
pub fn lengths(all: &[(f64, Lengths)]) -> String {
    let mut named: Vec<(f64, String)> = Vec::new();
    let mut add = |share: f64, name: String| match named.iter_mut().find(|(_, known)| *known == name) {
        Some((sum, _)) => *sum += share,
        None => named.push((share, name)),
    };
    for (share, lengths) in all {
        match lengths {
            Lengths::Fixed(length) => add(*share, bytes(length.0)),
            Lengths::Range { least, most, .. } if least == most => add(*share, bytes(least.0)),
            Lengths::Range { least, most, step } if step.0 == 1 => {
                add(*share, format!("any length from {} to {}", bytes(least.0), bytes(most.0)));
            }
            Lengths::Range { least, most, step } => {
                let stepped =
                    if step == least { String::new() } else { format!(" in steps of {}", bytes(step.0)) };
                add(*share, format!("{} to {}{stepped}", bytes(least.0), bytes(most.0)));
            }
            Lengths::Shares(shares) => {
                let sum: f64 = shares.iter().map(|one| f64::from(one.weight)).sum();
                for one in shares.iter().filter(|one| one.weight > 0) {
                    add(share * f64::from(one.weight) / sum, bytes(one.length.0));
                }
            }
        }
    }
    named.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let sum: f64 = named.iter().map(|(share, _)| share).sum();
    let with_share = |(share, name): &(f64, String)| {
        let percent = (1000.0 * share / sum).round() / 10.0;
        format!("{name} ({percent} %)")
    };
    if let [(_, only)] = named.as_slice() {
        return only.clone();
    }
    let mut said: Vec<String> = named.iter().take(FEW).map(with_share).collect();
    if named.len() > FEW {
        let others = named.len() - FEW;
        said.push(if others == 1 { "one other".to_owned() } else { format!("{others} others") });
    }
    let last = said.pop().unwrap_or_default();
    format!("{} and {last}", said.join(", "))
}

impl PlannedJob {
    /// A place or a length of the reads and writes, in words, that is no multiple of `unit` bytes.
    pub fn off_the_unit(&self, unit: u64) -> Option<String> {
        let ways = [Direction::Read, Direction::Write].into_iter().filter(|way| self.share(*way) > 0.0);
        let length = ways.clone().flat_map(|way| self.lengths(way)).find_map(|(_, lengths)| {
            let stepped = match &lengths {
                Lengths::Range { least, most, step } => (least.0 + step.0).min(most.0),
                _ => lengths.longest().0,
            };
            let shares = match &lengths {
                Lengths::Shares(shares) => shares.iter().map(|one| one.length.0).collect(),
                _ => Vec::new(),
            };
            let all = [lengths.shortest().0, lengths.longest().0, stepped].into_iter().chain(shares);
            all.into_iter().find(|length| length % unit > 0)
        });
        if let Some(length) = length {
            return Some(format!("A length of {}", bytes(length)));
        }
        let job = self.first()?;
        let increment = match self.options().offset_increment {
            Amount::Bytes(increment) if apart(self.options()) => increment,
            _ => 0,
        };
        let step = self.options().rw_number.unsigned_abs();
        let step = if self.options().pattern.random { 0 } else { step };
        let aligned = ways.filter(|_| self.options().pattern.random).map(|way| job.blocks.align_of(way).0);
        let places = [self.extent().0.unwrap_or(0), increment, step].into_iter().chain(aligned);
        places.into_iter().find(|place| place % unit > 0).map(|place| format!("A place at {}", bytes(place)))
    }

    /// Whether each block lies across two units of its own length.
    pub fn straddles(&self) -> Option<String> {
        let way = if self.options().pattern.reads { Direction::Read } else { Direction::Write };
        let length = self.length(way)?;
        let from =
            self.extent().0.filter(|from| from % length.max(1) > 0 && self.options().rw_number == 0)?;
        let is_natural = length.is_power_of_two() && self.options().ba.iter().all(|align| *align == 0);
        is_natural.then(|| {
            format!("Each block begins {} past a multiple of {}.", bytes(from % length), bytes(length))
        })
    }
}
