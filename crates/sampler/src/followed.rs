//! The choice of devices to sample, and their counters as devices come and go.

use std::fmt;
use std::sync::Arc;

use record::DiskCounters;

use crate::parse::disk_counters;

/// The choice of devices to sample.
pub enum Devices {
    /// The devices with these kernel names (`vda`, `dm-0`), in this order, as long as they exist.
    Named(Vec<Arc<str>>),
    /// Every device whose kernel name this function accepts, even one that appears later; called once for each name.
    Fitting(Box<dyn Fn(&str) -> bool + Send>),
}

/// Kinds of devices that are left out unless named: files under another name, and devices without storage.
const LEFT_OUT: [&str; 4] = ["loop", "fd", "sr", "ram"];

impl Devices {
    /// Returns every device of the machine, including partitions, except those that are [`left_out`].
    pub fn all() -> Devices {
        Devices::Fitting(Box::new(|name| !left_out(name)))
    }
}

impl<N: Into<Arc<str>>> FromIterator<N> for Devices {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> Devices {
        Devices::Named(names.into_iter().map(Into::into).collect())
    }
}

impl fmt::Debug for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Devices::Named(names) => f.debug_tuple("Named").field(names).finish(),
            Devices::Fitting(_) => f.write_str("Fitting(..)"),
        }
    }
}

/// Whether a device is left out unless named: a loop device or a part of one, a floppy or CD drive, a RAM disk.
pub fn left_out(name: &str) -> bool {
    let unnumbered = |name: &str| name.trim_end_matches(|end: char| end.is_ascii_digit()).len();
    // `loop0p1` is a part of `loop0`.
    let part = &name[..unnumbered(name)];
    let disk = part.strip_suffix('p').filter(|disk| unnumbered(disk) < disk.len()).unwrap_or(name);
    let kind = &disk[..unnumbered(disk)];
    kind.len() < disk.len() && LEFT_OUT.contains(&kind)
}

/// The sampled devices, with the counters read last.
#[derive(Debug)]
pub(crate) struct FollowedDevices {
    devices: Devices,
    /// Named devices first, then others in order of appearance; devices that do not fit are remembered too, so that the
    /// function is not called for them again.
    known: Vec<FollowedDevice>,
    /// Number of the reading, from 1.
    round: u64,
}

#[derive(Debug)]
struct FollowedDevice {
    name: Arc<str>,
    fits: bool,
    counters: DiskCounters,
    /// The reading in which the device was last seen.
    seen: u64,
}

impl FollowedDevice {
    fn named(name: Arc<str>) -> FollowedDevice {
        FollowedDevice { name, fits: true, counters: DiskCounters::default(), seen: 0 }
    }
}

impl FollowedDevices {
    pub(crate) fn new(devices: Devices) -> FollowedDevices {
        let known = match &devices {
            Devices::Named(names) => names.iter().cloned().map(FollowedDevice::named).collect(),
            Devices::Fitting(_) => Vec::new(),
        };
        FollowedDevices { devices, known, round: 0 }
    }

    /// Whether no device at all is to be sampled.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.devices, Devices::Named(names) if names.is_empty())
    }

    /// Samples the device `name` too from now on, even if it was not chosen.
    pub(crate) fn follow(&mut self, name: &str) {
        match self.known.iter_mut().find(|known| &*known.name == name) {
            Some(known) => known.fits = true,
            None => self.known.push(FollowedDevice::named(name.into())),
        }
    }

    /// Takes the text of `/proc/diskstats`. Lines are in the same order every time, so the device after the one just
    /// found is most likely the next.
    pub(crate) fn take(&mut self, text: &[u8]) {
        self.round += 1;
        let mut next = 0;
        for line in text.split(|&byte| byte == b'\n') {
            let Some((name, counters)) = disk_counters(line) else { continue };
            if let Some(at) = self.place_of(name, next) {
                self.known[at].counters = counters;
                self.known[at].seen = self.round;
                next = at + 1;
            }
        }
    }

    /// Records that nothing could be read: no device is present.
    pub(crate) fn lose_sight(&mut self) {
        self.round += 1;
    }

    fn place_of(&mut self, name: &[u8], next: usize) -> Option<usize> {
        let named = |known: &FollowedDevice| known.name.as_bytes() == name;
        if self.known.get(next).is_some_and(named) {
            return Some(next);
        }
        if let Some(at) = self.known.iter().position(named) {
            return Some(at);
        }
        let Devices::Fitting(fits) = &self.devices else { return None };
        // Kernel names are ASCII; any other name cannot be asked for.
        let name = std::str::from_utf8(name).ok()?;
        self.known.push(FollowedDevice { fits: fits(name), ..FollowedDevice::named(name.into()) });
        Some(self.known.len() - 1)
    }

    /// Returns the devices present at the last reading, with their counters.
    pub(crate) fn there(&self) -> Vec<(Arc<str>, DiskCounters)> {
        let there = self.known.iter().filter(|known| known.fits && known.seen == self.round);
        let mut disks = Vec::with_capacity(self.known.len());
        disks.extend(there.map(|known| (Arc::clone(&known.name), known.counters)));
        disks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, reads: u64) -> String {
        format!("   8 0 {name} {reads} 0 0 0 0 0 0 0 0 0 0\n")
    }

    fn seen(followed: &FollowedDevices) -> Vec<(String, u64)> {
        followed.there().iter().map(|(name, counters)| (name.to_string(), counters.reads)).collect()
    }

    #[test]
    fn devices_go_and_come_and_stand_where_they_stood() {
        let mut followed = FollowedDevices::new(Devices::all());
        let mut read = |lines: &[(&str, u64)]| {
            let text: String = lines.iter().map(|(name, reads)| line(name, *reads)).collect();
            followed.take(text.as_bytes());
            seen(&followed)
        };
        let is = |expected: &[(&str, u64)]| -> Vec<(String, u64)> {
            expected.iter().map(|(name, reads)| ((*name).to_owned(), *reads)).collect()
        };
        assert_eq!(read(&[("loop0", 1), ("sda", 10), ("sdb", 20)]), is(&[("sda", 10), ("sdb", 20)]));
        assert_eq!(read(&[("sdb", 21)]), is(&[("sdb", 21)]));
        assert_eq!(
            read(&[("loop0", 1), ("sdc", 5), ("sda", 0), ("sdb", 22)]),
            is(&[("sda", 0), ("sdb", 22), ("sdc", 5)])
        );
        assert_eq!(read(&[]), is(&[]));
    }

    #[test]
    fn a_name_is_asked_for_once() {
        let asked = Arc::new(std::sync::atomic::AtomicU32::new(0));
        let count = Arc::clone(&asked);
        let fits = move |name: &str| {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            name == "sdb"
        };
        let mut followed = FollowedDevices::new(Devices::Fitting(Box::new(fits)));
        for _ in 0..3 {
            followed.take(format!("{}{}", line("sda", 1), line("sdb", 2)).as_bytes());
            assert_eq!(seen(&followed), [("sdb".to_owned(), 2)]);
        }
        assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 2);
    }

    #[test]
    fn only_whole_kinds_are_left_out() {
        let out: Vec<&str> =
            ["loop7", "fd0", "sr0", "ram15", "sram0", "srv", "fd", "sda", "loop", "zram0", "md127"]
                .into_iter()
                .filter(|name| left_out(name))
                .collect();
        assert_eq!(out, ["loop7", "fd0", "sr0", "ram15"]);
    }
}
