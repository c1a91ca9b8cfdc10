//! Sentences stored by earlier versions, converted to values in one place, as a file is read.
//!
//! Up to version 2 of the run file, doubts about the target and notes of the engine were sentences. Sentences with
//! known words become the values they were made from; the others are kept as text and decide nothing.

use record::{Note, TargetDoubt};
use serde_json::Value;

/// Returns the doubts of a target, stored as values by this version or as sentences by earlier ones.
pub(crate) fn doubts(stored: Vec<Value>) -> serde_json::Result<Vec<TargetDoubt>> {
    stored.into_iter().map(doubt).collect()
}

fn doubt(stored: Value) -> serde_json::Result<TargetDoubt> {
    match stored {
        Value::String(words) => Ok(known(&words).unwrap_or(TargetDoubt::Other { words })),
        value => serde_json::from_value(value),
    }
}

/// Returns the notes of a step, stored as values by this version or as sentences by earlier ones; sentences decide
/// nothing.
pub(crate) fn notes(stored: Vec<Value>) -> serde_json::Result<Vec<Note>> {
    let note = |stored| match stored {
        Value::String(words) => Ok(Note::Other { words }),
        value => serde_json::from_value(value),
    };
    stored.into_iter().map(note).collect()
}

/// Makes a doubt from the text before the fixed words.
type DoubtMaker = fn(String) -> TargetDoubt;

/// Sentences that begin with their only variable part: a file system, a mount point or a device.
const ENDINGS: [(&str, DoubtMaker); 15] = [
    (" keeps its files in memory: the figures are the memory's, not a volume's", |filesystem| {
        TargetDoubt::MemoryFilesystem { filesystem }
    }),
    (
        " lies over another file system: a file is copied at its first write, and what is read may come from another layer",
        |filesystem| TargetDoubt::StackedFilesystem { filesystem },
    ),
    (" is served by a program of this machine, which is measured with it", |filesystem| {
        TargetDoubt::ServedByProgram { filesystem }
    }),
    (
        " keeps its own cache of what was read, which direct I/O need not go past, and may compress",
        |filesystem| TargetDoubt::OwnCache { filesystem },
    ),
    (" is mounted read-only: only reads can be measured", |mount_point| TargetDoubt::MountedReadOnly {
        mount_point,
    }),
    (" is compressed memory, not a volume", |device| TargetDoubt::CompressedMemory { device }),
    (" is memory, not a volume", |device| TargetDoubt::MemoryDevice { device }),
    (" stores nothing: reads come back empty", |device| TargetDoubt::StoresNothing { device }),
    (" has a cache in front of its volume: the figures are of both together", |device| {
        TargetDoubt::CacheInFront { device }
    }),
    (
        " goes through this machine's page cache (direct I/O is off for it; `losetup --direct-io=on` turns it on)",
        |device| TargetDoubt::ThroughPageCache { device },
    ),
    (" is encrypted by this machine (dm-crypt): its CPU's work is measured too", |device| {
        TargetDoubt::Encrypted { device }
    }),
    (" is degraded: an array with a missing part is slower than a whole one", |device| {
        TargetDoubt::ArrayDegraded { device }
    }),
    (" is read-only: only reads can be measured", |device| TargetDoubt::ReadOnlyDevice { device }),
    (
        " does not answer: its queue settings could not be read within 1 s; look at the kernel's log (dmesg)",
        |device| TargetDoubt::Silent { device },
    ),
    ("the file system knows no direct I/O, so the page cache takes part", |_| TargetDoubt::NoDirectIo),
];

/// Makes a doubt from the two texts around and between the fixed words.
type MadeOfTwo = fn(String, String) -> TargetDoubt;

/// Sentences with two variable parts: the first begins the sentence, the second is between the two fixed texts.
const BRACKETS: [(&str, &str, MadeOfTwo); 3] = [
    (
        " is a network file system (from ",
        "): the network and the server are measured with it, and no device of this machine shows it",
        |filesystem, source| TargetDoubt::NetworkFilesystem { filesystem, source },
    ),
    (" compresses (", "): data that compresses does not reach the volume as it is", |filesystem, option| {
        TargetDoubt::Compresses { filesystem, option }
    }),
    (" is busy with itself (", "): measure again when that is over", |device, action| {
        TargetDoubt::ArrayBusy { device, action }
    }),
];

/// Returns the doubt that an earlier version expressed in these words.
fn known(words: &str) -> Option<TargetDoubt> {
    let one = ENDINGS.iter().find_map(|(ending, made)| {
        let what = words.strip_suffix(ending)?;
        Some(made(what.to_owned()))
    });
    let two = || {
        BRACKETS.iter().find_map(|(opening, ending, made)| {
            let (first, second) = words.strip_suffix(ending)?.split_once(opening)?;
            Some(made(first.to_owned(), second.to_owned()))
        })
    };
    one.or_else(two)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> TargetDoubt {
        doubts(vec![Value::String(words.to_owned())]).unwrap().remove(0)
    }

    #[test]
    fn every_sentence_of_earlier_versions_is_known() {
        for (ending, made) in ENDINGS {
            let subject = if ending.starts_with(' ') { "it" } else { "" };
            assert_eq!(read(&format!("{subject}{ending}")), made(subject.to_owned()));
        }
        for (opening, ending, made) in BRACKETS {
            assert_eq!(
                read(&format!("one{opening}two (three){ending}")),
                made("one".to_owned(), "two (three)".to_owned())
            );
        }
    }

    #[test]
    fn words_of_nobody_are_kept_as_they_are() {
        let words = "it sits in memory, in the page cache, and holds no data";
        assert_eq!(read(words), TargetDoubt::Other { words: words.to_owned() });
    }

    #[test]
    fn values_come_back_as_they_were_stored_and_nonsense_is_refused() {
        let doubt = TargetDoubt::StoresNothing { device: "nullb0".to_owned() };
        assert_eq!(doubts(vec![serde_json::to_value(&doubt).unwrap()]).unwrap(), [doubt]);
        assert!(doubts(vec![Value::from(7)]).is_err());
        assert!(doubts(vec![serde_json::json!({"kind": "from a later version"})]).is_err());
    }
}
