//! Counters of sampled devices, packed device by device: a day of twenty disks takes a fifth of what its samples do.

use std::sync::Arc;

use crate::DiskCounters;

/// Counters of each device, instead of those in the samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiskColumns {
    devices: Vec<(Arc<str>, Vec<Packed>)>,
}

/// Readings of a device in the order of time: for each, how many samples and how much of each counter it is after the one
/// before. Integers have as many bytes as they need, seven bits in each.
#[derive(Clone, Debug, PartialEq)]
struct Packed {
    bytes: Vec<u8>,
    last: Reading,
}

/// Number of the sample plus one, and the counters.
type Reading = (usize, [u64; COUNTERS]);

/// Number of counters of a device.
const COUNTERS: usize = 17;

impl DiskColumns {
    /// Whether nothing is packed.
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty()
    }

    /// Returns the names of the devices, in the order in which they were first added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.devices.iter().map(|(name, _)| &**name)
    }

    /// Adds the counters of a device in the sample with this index, which must be after those added before; otherwise nothing
    /// is added. `place` is where the device was found the last time.
    pub fn add(&mut self, place: &mut usize, (name, sample): (&Arc<str>, usize), counters: &DiskCounters) {
        let is = |known: &Arc<str>| Arc::ptr_eq(known, name) || known == name;
        if self.devices.get(*place).is_none_or(|(known, _)| !is(known)) {
            let found = self.devices.iter().position(|(known, _)| is(known));
            *place = found.unwrap_or(self.devices.len());
            if found.is_none() {
                let part = Packed { bytes: Vec::new(), last: (0, [0; COUNTERS]) };
                self.devices.push((Arc::clone(name), vec![part]));
            }
        }
        if let Some(part) = self.devices[*place].1.last_mut() {
            part.push((sample + 1, values(counters)));
        }
    }

    /// Adds the readings of later samples.
    pub fn append(&mut self, later: DiskColumns) {
        for (name, parts) in later.devices {
            match self.devices.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => known.extend(parts),
                None => self.devices.push((name, parts)),
            }
        }
    }

    /// Returns the counters of a device in each of `count` samples; `None` where it was missing, and as a whole if it was
    /// never there.
    pub fn of(&self, name: &str, count: usize) -> Option<impl Iterator<Item = Option<DiskCounters>> + '_> {
        let (_, parts) = self.devices.iter().find(|(known, _)| **known == *name)?;
        let mut readings = parts.iter().flat_map(Packed::readings).peekable();
        Some((1..=count).map(move |sample| {
            while readings.next_if(|(at, _)| *at < sample).is_some() {}
            readings.next_if(|(at, _)| *at == sample).map(|(_, values)| counters(values))
        }))
    }
}

impl Packed {
    fn push(&mut self, reading: Reading) {
        let Some(samples) = reading.0.checked_sub(self.last.0).filter(|samples| *samples > 0) else { return };
        put(&mut self.bytes, samples as u64);
        for (before, after) in self.last.1.iter().zip(reading.1) {
            let more = after.wrapping_sub(*before) as i64;
            put(&mut self.bytes, (more << 1 ^ more >> 63) as u64);
        }
        self.last = reading;
    }

    fn readings(&self) -> impl Iterator<Item = Reading> + '_ {
        let (mut bytes, mut last) = (self.bytes.iter(), (0, [0u64; COUNTERS]));
        std::iter::from_fn(move || {
            last.0 += take(&mut bytes)? as usize;
            for value in &mut last.1 {
                let more = take(&mut bytes)?;
                *value = value.wrapping_add(more >> 1 ^ (more & 1).wrapping_neg());
            }
            Some(last)
        })
    }
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take<'b>(bytes: &mut impl Iterator<Item = &'b u8>) -> Option<u64> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = *bytes.next()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

#[rustfmt::skip]
fn values(of: &DiskCounters) -> [u64; COUNTERS] {
    let DiskCounters {
        reads, reads_merged, sectors_read, read_ms, writes, writes_merged, sectors_written, write_ms, in_flight, busy_ms, queue_ms,
        discards, discards_merged, sectors_discarded, discard_ms, flushes, flush_ms,
    } = *of;
    [
        reads, reads_merged, sectors_read, read_ms, writes, writes_merged, sectors_written, write_ms, in_flight, busy_ms, queue_ms,
        discards, discards_merged, sectors_discarded, discard_ms, flushes, flush_ms,
    ]
}

#[rustfmt::skip]
fn counters(of: [u64; COUNTERS]) -> DiskCounters {
    let [
        reads, reads_merged, sectors_read, read_ms, writes, writes_merged, sectors_written, write_ms, in_flight, busy_ms, queue_ms,
        discards, discards_merged, sectors_discarded, discard_ms, flushes, flush_ms,
    ] = of;
    DiskCounters {
        reads, reads_merged, sectors_read, read_ms, writes, writes_merged, sectors_written, write_ms, in_flight, busy_ms, queue_ms,
        discards, discards_merged, sectors_discarded, discard_ms, flushes, flush_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_in_its_sample_whatever_the_counters_do() {
        let with = |reads, flush_ms| DiskCounters { reads, flush_ms, ..DiskCounters::default() };
        let (vda, vdb): (Arc<str>, Arc<str>) = ("vda".into(), "vdb".into());
        let (mut first, mut later, mut place) = (DiskColumns::default(), DiskColumns::default(), 0);
        first.add(&mut place, (&vda, 0), &with(u64::MAX, 7));
        first.add(&mut place, (&vdb, 0), &with(1, 1));
        first.add(&mut place, (&vda, 2), &with(0, u64::MAX));
        first.add(&mut place, (&vda, 2), &with(9, 9));
        later.add(&mut place, (&vda, 3), &with(300, 2));
        first.append(later);
        assert_eq!(first.names().collect::<Vec<_>>(), ["vda", "vdb"]);
        let of = |name: &str| first.of(name, 5).unwrap().collect::<Vec<_>>();
        let vda = [Some(with(u64::MAX, 7)), None, Some(with(0, u64::MAX)), Some(with(300, 2)), None];
        assert_eq!(of("vda"), vda);
        assert_eq!(of("vdb"), [Some(with(1, 1)), None, None, None, None]);
        assert!(first.of("vdc", 5).is_none());
    }
}
