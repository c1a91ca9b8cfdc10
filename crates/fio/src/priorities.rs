//! Priorities of I/Os by their length (`cmdprio_bssplit`).

use workload::{ByDirection, Bytes, Priority, UrgentLength};

use super::number::NumberError;
use super::reader::Reader;
use super::terms::{TimeOptions, class_of};
use super::value::ValueError;

/// A share of the I/Os of one length, with its priority if one was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriorityShare {
    /// Length of an I/O in bytes.
    pub length: u64,
    /// Percentage of the I/Os of that length.
    pub percent: u8,
    /// Priority class and level.
    pub own: Option<(u8, u8)>,
}

/// Reads `length/percent:length/percent/class/level…`.
pub(super) fn read(reader: &mut Reader, list: &str) -> Result<Vec<PriorityShare>, ValueError> {
    let shares = list.split(':').map(|entry| share(reader, list, entry)).collect::<Result<Vec<_>, _>>()?;
    for PriorityShare { length, .. } in &shares {
        let alike = shares.iter().filter(|share| share.length == *length);
        let sum: u32 = alike.map(|share| u32::from(share.percent)).sum();
        if sum > 100 {
            let why = format!("the percentages of {length} bytes add up to {sum}; they must not exceed 100");
            return Err(NumberError::misread(list, why).into());
        }
    }
    Ok(shares)
}

fn share(reader: &mut Reader, list: &str, entry: &str) -> Result<PriorityShare, ValueError> {
    let parts: Vec<&str> = entry.split('/').map(str::trim).collect();
    let number = |text: &str, most: u8| match text.parse::<u8>() {
        Ok(number) if number <= most => Ok::<u8, ValueError>(number),
        _ => {
            let why = format!("'{text}' in {entry} is no whole number from 0 to {most}");
            Err(NumberError::misread(list, why).into())
        }
    };
    match parts[..] {
        [length, percent] => {
            Ok(PriorityShare { length: reader.bytes(length)?, percent: number(percent, 100)?, own: None })
        }
        [length, percent, class, level] => Ok(PriorityShare {
            length: reader.bytes(length)?,
            percent: number(percent, 100)?,
            own: Some((number(class, 3)?, number(level, 7)?)),
        }),
        _ => {
            let why = format!("'{entry}' lacks something: write bytes/percent, or bytes/percent/class/level");
            Err(NumberError::misread(list, why).into())
        }
    }
}

impl TimeOptions {
    /// I/Os by length that have their own priority; the default class is real time, as in fio.
    pub(super) fn urgent_lengths(&self) -> ByDirection<Vec<UrgentLength>> {
        let of = |way: usize| {
            let urgent = |share: &PriorityShare| {
                let usual = (self.cmdprio_class[way] as u8, self.cmdprio[way].min(7) as u8);
                let (class, level) = share.own.unwrap_or(usual);
                let priority = Priority { class: class_of(u64::from(class)), level };
                UrgentLength { length: Bytes(share.length), percent: share.percent, priority }
            };
            self.cmdprio_bssplit[way].iter().flatten().map(urgent).collect()
        };
        ByDirection { read: of(0), write: of(1), trim: Vec::new() }
    }

    /// Whether both ways to mark I/Os as urgent are used; only one is allowed.
    pub(super) fn urgent_twice(&self) -> bool {
        let by_length = self.cmdprio_bssplit.iter().flatten().any(|shares| !shares.is_empty());
        by_length && self.cmdprio_percentage.iter().any(|&percent| percent > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::PriorityClass::{BestEffort, Realtime};

    #[test]
    fn shares_are_read_with_and_without_a_priority_of_their_own() {
        let read = |list: &str| read(&mut Reader::default(), list);
        let share = |length, percent, own| PriorityShare { length, percent, own };
        assert_eq!(
            read("4k/30:64k/70/3/2"),
            Ok(vec![share(4096, 30, None), share(65_536, 70, Some((3, 2)))])
        );
        for wrong in
            ["4k", "4k/30/2", "4k/101", "4k/50/4/1", "4k/50/2/8", "4k/60:8k/9:4k/41", "x/30", "4k/-1", ""]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_has_no_priority_of_its_own_takes_that_of_all() {
        let lengths = [Some(vec![PriorityShare { length: 512, percent: 10, own: None }]), None, None];
        let mut time = TimeOptions { cmdprio_bssplit: lengths, cmdprio: [3, 0, 0], ..TimeOptions::default() };
        let of = |time: &TimeOptions| time.urgent_lengths().read[0].priority;
        assert_eq!(of(&time), Priority { class: Realtime, level: 3 });
        time.cmdprio_class = [2, 1, 1];
        assert_eq!(of(&time), Priority { class: BestEffort, level: 3 });
        assert!(!time.urgent_twice());
        time.cmdprio_percentage = [0, 5, 5];
        assert!(time.urgent_twice());
    }
}
