//! Doubts about the target in words; no other module words them.

use record::TargetDoubt;

use super::numbers;

/// Returns the reason why figures from the target may not be the volume's, as a clause without a full stop. Strings
/// from the machine are inserted unchanged.
pub fn target_doubt(doubt: &TargetDoubt) -> String {
    match doubt {
        TargetDoubt::MemoryFilesystem { filesystem: name } => {
            format!("{name} keeps its files in memory: the figures are the memory's, not a volume's")
        }
        TargetDoubt::StackedFilesystem { filesystem: name } => format!(
            "{name} lies over another file system: a file is copied at its first write, and what is read may come from another layer"
        ),
        TargetDoubt::NetworkFilesystem { filesystem: name, source } => format!(
            "{name} is a network file system (from {source}): the network and the server are measured with it, and no device of this machine shows it"
        ),
        TargetDoubt::ServedByProgram { filesystem: name } => {
            format!("{name} is served by a program of this machine, which is measured with it")
        }
        TargetDoubt::OwnCache { filesystem: name } => format!(
            "{name} keeps its own cache of what was read, which direct I/O need not go past, and may compress"
        ),
        TargetDoubt::Compresses { filesystem: name, option } => {
            format!("{name} compresses ({option}): data that compresses does not reach the volume as it is")
        }
        TargetDoubt::MountedReadOnly { mount_point } => {
            format!("{mount_point} is mounted read-only: only reads can be measured")
        }
        TargetDoubt::NoDirectIo => {
            "the file system knows no direct I/O, so the page cache takes part".to_owned()
        }
        TargetDoubt::CompressedMemory { device: name } => {
            format!("{name} is compressed memory, not a volume")
        }
        TargetDoubt::MemoryDevice { device: name } => format!("{name} is memory, not a volume"),
        TargetDoubt::StoresNothing { device: name } => {
            format!("{name} stores nothing: reads come back empty")
        }
        TargetDoubt::CacheInFront { device: name } => {
            format!("{name} has a cache in front of its volume: the figures are of both together")
        }
        TargetDoubt::ThroughPageCache { device: name } => format!(
            "{name} goes through this machine's page cache (direct I/O is off for it; `losetup --direct-io=on` turns it on)"
        ),
        TargetDoubt::Encrypted { device: name } => {
            format!("{name} is encrypted by this machine (dm-crypt): its CPU's work is measured too")
        }
        TargetDoubt::ArrayBusy { device: name, action } => {
            format!("{name} is busy with itself ({action}): measure again when that is over")
        }
        TargetDoubt::ArrayDegraded { device: name } => {
            format!("{name} is degraded: an array with a missing part is slower than a whole one")
        }
        TargetDoubt::ReadOnlyDevice { device: name } => {
            format!("{name} is read-only: only reads can be measured")
        }
        TargetDoubt::Silent { device: name } => format!(
            "{name} does not answer: its queue settings could not be read within 1 s; look at the kernel's log (dmesg)"
        ),
        TargetDoubt::Other { words } => words.clone(),
    }
}

pub(super) fn reads_only(unwritten_share: Option<f64>) -> String {
    match unwritten_share {
        Some(0.0) => "Only reads were measured; the whole region holds data.".to_owned(),
        Some(share) => format!(
            "Only reads were measured. {} of the region was never written: a thin device may answer those reads from nothing.",
            numbers::share(share)
        ),
        None => "Only reads were measured. Blocks that were never written \
             are not told apart here: a thin device may answer their reads from nothing."
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Earlier versions stored these words, by which `runfile` recognises doubts.
    #[test]
    fn every_doubt_has_its_words() {
        let name = |name: &str| name.to_owned();
        let device = || name("dm-1");
        let filesystem = || name("ext4");
        for (doubt, words) in [
            (
                TargetDoubt::MemoryFilesystem { filesystem: filesystem() },
                "ext4 keeps its files in memory: the figures are the memory's, not a volume's",
            ),
            (
                TargetDoubt::StackedFilesystem { filesystem: filesystem() },
                "ext4 lies over another file system: a file is copied at its first write, and what is read may come from another layer",
            ),
            (
                TargetDoubt::NetworkFilesystem {
                    filesystem: filesystem(),
                    source: name("nas:/export/memory"),
                },
                "ext4 is a network file system (from nas:/export/memory): the network and the server are measured with it, and no device of this machine shows it",
            ),
            (
                TargetDoubt::ServedByProgram { filesystem: filesystem() },
                "ext4 is served by a program of this machine, which is measured with it",
            ),
            (
                TargetDoubt::OwnCache { filesystem: filesystem() },
                "ext4 keeps its own cache of what was read, which direct I/O need not go past, and may compress",
            ),
            (
                TargetDoubt::Compresses { filesystem: filesystem(), option: name("compress=zstd:3") },
                "ext4 compresses (compress=zstd:3): data that compresses does not reach the volume as it is",
            ),
            (
                TargetDoubt::MountedReadOnly { mount_point: name("/srv/old") },
                "/srv/old is mounted read-only: only reads can be measured",
            ),
            (TargetDoubt::NoDirectIo, "the file system knows no direct I/O, so the page cache takes part"),
            (TargetDoubt::CompressedMemory { device: device() }, "dm-1 is compressed memory, not a volume"),
            (TargetDoubt::MemoryDevice { device: device() }, "dm-1 is memory, not a volume"),
            (TargetDoubt::StoresNothing { device: device() }, "dm-1 stores nothing: reads come back empty"),
            (
                TargetDoubt::CacheInFront { device: device() },
                "dm-1 has a cache in front of its volume: the figures are of both together",
            ),
            (
                TargetDoubt::ThroughPageCache { device: device() },
                "dm-1 goes through this machine's page cache (direct I/O is off for it; `losetup --direct-io=on` turns it on)",
            ),
            (
                TargetDoubt::Encrypted { device: device() },
                "dm-1 is encrypted by this machine (dm-crypt): its CPU's work is measured too",
            ),
            (
                TargetDoubt::ArrayBusy { device: device(), action: name("resync") },
                "dm-1 is busy with itself (resync): measure again when that is over",
            ),
            (
                TargetDoubt::ArrayDegraded { device: device() },
                "dm-1 is degraded: an array with a missing part is slower than a whole one",
            ),
            (
                TargetDoubt::ReadOnlyDevice { device: device() },
                "dm-1 is read-only: only reads can be measured",
            ),
            (
                TargetDoubt::Silent { device: device() },
                "dm-1 does not answer: its queue settings could not be read within 1 s; look at the kernel's log (dmesg)",
            ),
            (TargetDoubt::Other { words: name("as it was said") }, "as it was said"),
        ] {
            assert_eq!(target_doubt(&doubt), words);
        }
    }
}
