//! The disks under the files of a run, each with the disks of which it is made.

use std::path::Path;

use record::Sample;

use super::present::DiskUse;
use super::steps::FioStep;

/// A block device below a file, and the devices below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Below {
    /// The kernel's name.
    pub name: String,
    /// Whether the device is a partition of a disk.
    pub is_partition: bool,
    /// Names of the devices directly below this one.
    pub below: Vec<String>,
}

/// A disk, and the disks of which it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    name: String,
    members: Vec<Disk>,
}

impl Disk {
    /// The topmost disks under the files of `steps`, used or only laid out, each once; `chain` lists the devices below a file, nearest first.
    pub fn under(steps: &[FioStep], chain: impl Fn(&Path) -> Vec<Below>) -> Vec<Disk> {
        let mut disks: Vec<Disk> = Vec::new();
        let used = steps.iter().flat_map(|step| &step.workload.jobs).flat_map(|job| &job.files);
        let made = steps.iter().flat_map(|step| &step.layouts).flat_map(|layout| &layout.files);
        for path in used.chain(made.map(|file| &file.path)) {
            let found = Disk::topmost(&chain(path));
            disks.extend(found.filter(|found| disks.iter().all(|known| known.name != found.name)));
        }
        disks
    }

    fn topmost(chain: &[Below]) -> Option<Disk> {
        let first = chain.first()?;
        // fio reports the whole disk of a partition.
        let name = if first.is_partition { first.below.first()? } else { &first.name };
        Some(Disk::named(name, chain))
    }

    fn named(name: &str, chain: &[Below]) -> Disk {
        let of = |known: &&Below| known.name == name;
        // A loop device is backed by a file, whose disk fio does not look up.
        let is_made_of_others = name.starts_with("dm-") || name.starts_with("md");
        let below = chain.iter().find(of).filter(|_| is_made_of_others).map(|found| found.below.clone());
        let members = below.unwrap_or_default().iter().map(|name| Disk::named(name, chain)).collect();
        Disk { name: name.to_owned(), members }
    }

    /// Returns the names of this disk and of all disks below it.
    pub fn names(&self) -> Vec<String> {
        let below = self.members.iter().flat_map(Disk::names);
        std::iter::once(self.name.clone()).chain(below).collect()
    }

    /// Difference of the disk's counters between the first and the last of `samples`; `None` if either lacks the disk.
    pub fn use_in(&self, samples: &[Sample]) -> Option<DiskUse> {
        let members = self.members.iter().filter_map(|member| member.use_in(samples)).collect();
        Some(DiskUse { members, ..DiskUse::between(&self.name, samples)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, below: &[&str]) -> Below {
        let below = below.iter().map(|name| (*name).to_owned()).collect();
        Below { name: name.to_owned(), below, ..Below::default() }
    }

    #[test]
    fn a_mapping_on_an_array_has_the_array_and_its_disks_below_it() {
        let chain = [device("dm-0", &["md0"]), device("md0", &["sda", "sdb"]), device("sda", &[])];
        let disk = Disk::named("dm-0", &chain);
        assert_eq!(disk.names(), ["dm-0", "md0", "sda", "sdb"]);
        assert_eq!(Disk::named("loop0", &[device("loop0", &["vda"])]).names(), ["loop0"]);
    }
}
