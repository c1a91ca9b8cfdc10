//! Lengths and places of a job's I/Os in words, and what a disk demands of them.

use super::figures::bytes;
use super::files_fio::apart;
use super::load::PlannedJob;
use fio::Amount;
use workload::{Direction, Lengths, Spread};

/// Most lengths that are named.
const FEW: usize = 8;

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

/// Order of the I/Os.
pub fn places(job: &PlannedJob) -> String {
    let options = job.options();
    let [reads, writes, _] = options.percentage_random;
    let gap = bytes(options.rw_number.unsigned_abs());
    let places = match (options.pattern.random, options.rw_number) {
        (false, 0) => "one after the other".to_owned(),
        (false, 1..) => format!("one after the other, with {gap} left out between two"),
        (false, _) if options.rw_number.unsigned_abs() < options.shortest_block() => {
            format!("one after the other, each from {gap} before where the last one ended")
        }
        (false, _) => format!("backwards, each {gap} before where the last one ended"),
        (true, _) if options.pattern.mixed() && reads != writes => format!(
            "({reads} % of the reads and {writes} % of the writes at random places, the others where the last one ended)"
        ),
        (true, number) => at_random(job, number),
    };
    match options.zonesize {
        _ if !options.strided => places,
        0 => places,
        zone => {
            let range = if options.zonerange > 0 { options.zonerange } else { zone };
            let of_each = if range == zone { "each".to_owned() } else { format!("each {}", bytes(range)) };
            let skip = match options.zoneskip {
                0 => String::new(),
                skip => format!(", {} left out between two", bytes(skip)),
            };
            format!("{places}, in zones: {} of {of_each}{skip} (zonemode=strided)", bytes(zone))
        }
    }
}

/// Random order, with runs of `number` I/Os if that is above 1.
fn at_random(job: &PlannedJob, number: i64) -> String {
    let options = job.options();
    let share = options.percentage_random[usize::from(!options.pattern.reads)];
    let often = match options.spread == Spread::Uniform {
        false => ", some far more often than others",
        true if options.norandommap && !options.lfsr => ", some again and others never (norandommap)",
        true if options.has_no_map() && !options.lfsr => ", some again and others never",
        true if job.is_mixed() && job.visits_each_once() && !options.bs_unaligned => {
            ", shorter where a block was done already"
        }
        true => "",
    };
    let ba = options.ba.iter().copied().find(|align| *align > 0 && *align != options.shortest_block());
    let align = ba.map_or(String::new(), |align| {
        format!(", at multiples of {} (blockalign, which turns the map of random places off)", bytes(align))
    });
    let align = if align.is_empty() { multiples(job) } else { align };
    let often = format!("{often}{align}");
    match (share, number, options.rw_identical) {
        (0, ..) => "one after the other (percentage_random=0)".to_owned(),
        _ if options.zoned_device && !options.pattern.reads => {
            "in zones by chance, in each one after the other from its start on (zonemode=zbd)".to_owned()
        }
        (..100, ..) => format!(
            "({share} % at random places{often}, the others where the last one ended, so that some come again and others never)"
        ),
        (_, 2.., false) if options.pattern.mixed() => {
            format!(
                "(one in {number} at random places{often}, the others where the last one of their kind ended)"
            )
        }
        (_, 2.., true) => format!("at random places{often}, {number} times each"),
        (_, 2.., false) => {
            format!(
                "at random places{often}, {number} one after the other from each, so that some come again and others never"
            )
        }
        _ => format!("at random places{often}"),
    }
}

/// The places of blocks of several lengths.
fn multiples(job: &PlannedJob) -> String {
    let ways = Direction::ALL.into_iter().filter(|way| job.share(*way) > 0.0);
    let several = ways.filter(|way| job.length(*way).is_none());
    let aligned = several.filter_map(|way| Some(job.first()?.blocks.align_of(way).0));
    aligned.min().map_or(String::new(), |least| format!(", at multiples of {}", bytes(least)))
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
