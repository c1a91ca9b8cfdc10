//! The effect of a doubt about the target on the figures, by its kind.

use record::TargetDoubt;

/// Whether the figures are not a volume's at all: something else answered, or nothing is stored that could be read.
///
/// A doubt in words that this version does not know decides nothing.
pub(crate) fn voids(doubt: &TargetDoubt) -> bool {
    match doubt {
        TargetDoubt::StoresNothing { .. }
        | TargetDoubt::ThroughPageCache { .. }
        | TargetDoubt::NoDirectIo => true,
        // The volume is measured with the layer in front of it, which its users have in front of it too.
        TargetDoubt::StackedFilesystem { .. }
        | TargetDoubt::NetworkFilesystem { .. }
        | TargetDoubt::ServedByProgram { .. }
        | TargetDoubt::OwnCache { .. }
        | TargetDoubt::Compresses { .. }
        | TargetDoubt::CacheInFront { .. }
        | TargetDoubt::Encrypted { .. } => false,
        // A volume all the same, in an unusual state.
        TargetDoubt::MountedReadOnly { .. }
        | TargetDoubt::ReadOnlyDevice { .. }
        | TargetDoubt::ArrayBusy { .. }
        | TargetDoubt::ArrayDegraded { .. }
        | TargetDoubt::Silent { .. } => false,
        TargetDoubt::MemoryFilesystem { .. }
        | TargetDoubt::CompressedMemory { .. }
        | TargetDoubt::MemoryDevice { .. } => true,
        TargetDoubt::Other { .. } => false,
    }
}

/// Whether the target is in memory, so that there is no volume.
pub(crate) fn is_memory(doubt: &TargetDoubt) -> bool {
    use TargetDoubt::{CompressedMemory, MemoryDevice, MemoryFilesystem};
    matches!(doubt, MemoryFilesystem { .. } | CompressedMemory { .. } | MemoryDevice { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_known_by_its_kind_and_not_by_its_name() {
        let name = || "memory".to_owned();
        for doubt in [
            TargetDoubt::MemoryFilesystem { filesystem: name() },
            TargetDoubt::MemoryDevice { device: name() },
            TargetDoubt::CompressedMemory { device: name() },
        ] {
            assert!(is_memory(&doubt) && voids(&doubt), "{doubt:?}");
        }
        for doubt in [
            TargetDoubt::StoresNothing { device: name() },
            TargetDoubt::NetworkFilesystem { filesystem: name(), source: name() },
            TargetDoubt::MountedReadOnly { mount_point: name() },
            TargetDoubt::Other { words: name() },
        ] {
            assert!(!is_memory(&doubt), "{doubt:?}");
        }
    }
}
