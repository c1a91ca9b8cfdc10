//! The contents of a device: known signatures, and whether there is data without a signature.

mod table;

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use workload::Bytes;

/// The kind of data that a signature marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureKind {
    /// A partition table.
    PartitionTable,
    /// A file system.
    FileSystem,
    /// Swap space.
    Swap,
    /// A member of a volume group or pool.
    VolumeManager,
    /// A member of a RAID array or a replicated device.
    Raid,
    /// An encrypted or integrity-checked volume.
    Encryption,
    /// A device that belongs to a storage system.
    Storage,
    /// A virtual disk image.
    Image,
}

/// A signature that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The kind of data that it marks.
    pub kind: SignatureKind,
    /// Name of the signature for the user: `XFS file system`.
    pub name: &'static str,
    /// Position of the signature in bytes from the start of the device.
    pub offset: u64,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.name, self.offset)
    }
}

/// One signature of the table.
#[derive(Clone, Copy, Debug)]
struct Mark {
    kind: SignatureKind,
    name: &'static str,
    spot: Spot,
    magic: &'static [u8],
}

/// Possible positions of a mark.
#[derive(Clone, Copy, Debug)]
enum Spot {
    /// This many bytes from the start.
    Start(u64),
    /// This many bytes before the end, rounded down to a multiple of `align` from the start.
    BeforeEnd { back: u64, align: u64 },
    /// At any of `count` places, `step` bytes apart.
    Every { from: u64, step: u64, count: u64 },
}

impl Spot {
    /// Returns the offsets of the mark in a device of `size` bytes.
    fn offsets(self, size: u64) -> impl Iterator<Item = u64> {
        let (from, step, count) = match self {
            Spot::Start(at) => (at, 1, 1),
            Spot::Every { from, step, count } => (from, step, count),
            // Rounded down as the formats do, so that the superblock keeps its alignment.
            Spot::BeforeEnd { back, align } if size >= back => ((size - back) / align * align, 1, 1),
            Spot::BeforeEnd { .. } => (0, 1, 0),
        };
        (0..count).map(move |i| from + i * step)
    }
}

/// A span of a device: the device itself, or one of its partitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) size: u64,
}

/// Fills `into` from offset `at`; any part beyond the end of the file is left unchanged.
fn read_up_to(file: &File, into: &mut [u8], at: u64) -> io::Result<()> {
    let mut filled = 0;
    while filled < into.len() {
        match file.read_at(&mut into[filled..], at + filled as u64) {
            Ok(0) => return Ok(()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Finds every known signature in `span` of `file`, in the order of the table, each name once.
pub(crate) fn signatures(file: &File, span: Span) -> io::Result<Vec<Signature>> {
    let mut found: Vec<Signature> = Vec::new();
    for mark in table::MARKS {
        if found.iter().any(|known| known.name == mark.name) {
            continue;
        }
        if let Some(offset) = find(file, span, mark)? {
            found.push(Signature { kind: mark.kind, name: mark.name, offset: span.start + offset });
        }
    }
    // Every FAT and NTFS boot sector ends with the same two bytes as an MBR.
    let none_at_start = !found.iter().any(|known| known.offset < span.start + 512);
    if let Some(name) = boot_sector(file, span)?.filter(|_| none_at_start) {
        found.push(Signature { kind: SignatureKind::PartitionTable, name, offset: span.start });
    }
    Ok(found)
}

fn find(file: &File, span: Span, mark: &Mark) -> io::Result<Option<u64>> {
    const LONGEST: usize = 32;
    let mut bytes = [0u8; LONGEST];
    let wanted = &mut bytes[..mark.magic.len()];
    for offset in mark.spot.offsets(span.size) {
        if offset + wanted.len() as u64 > span.size {
            continue;
        }
        wanted.fill(0);
        read_up_to(file, wanted, span.start + offset)?;
        if wanted == mark.magic {
            return Ok(Some(offset));
        }
    }
    Ok(None)
}

/// Returns the kind of boot sector, if any; a partition table has four rows with known flags, and a type in one.
fn boot_sector(file: &File, span: Span) -> io::Result<Option<&'static str>> {
    let mut sector = [0u8; 512];
    if span.size < 512 {
        return Ok(None);
    }
    read_up_to(file, &mut sector, span.start)?;
    if sector[510..] != [0x55, 0xaa] {
        return Ok(None);
    }
    let rows = || sector[446..510].chunks_exact(16);
    let is_table = rows().all(|row| row[0] & 0x7f == 0) && rows().any(|row| row[4] != 0);
    Ok(Some(if is_table { "MBR partition table" } else { "boot sector" }))
}

/// The share of a device that is not zero, by a sample of its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Blocks of 4 KiB sampled.
    pub blocks: u64,
    /// Sampled blocks that hold anything but zeros.
    pub nonzero: u64,
}

/// Samples the first and the last MiB and 1,024 blocks spread evenly between. If 1 % of the blocks hold data, it is
/// found with a probability above 0.9999 if they lie at random (1 − 0.99^1024), for certain if they are contiguous.
pub(crate) fn sample(file: &File, size: Bytes) -> io::Result<Sample> {
    const BLOCK: u64 = 4096;
    const EDGE: u64 = 1 << 20;
    const SPREAD: u64 = 1024;
    let blocks = size.0 / BLOCK;
    let edge = (EDGE / BLOCK).min(blocks);
    let spread = (0..SPREAD).map(|i| (u128::from(blocks) * u128::from(i) / u128::from(SPREAD)) as u64);
    let mut between: Vec<u64> = spread.filter(|block| (edge..blocks - edge).contains(block)).collect();
    between.dedup();
    let mut result = Sample::default();
    let mut bytes = vec![0u8; EDGE as usize];
    // Each edge is one read: separate reads would take 10 ms each on a small volume.
    let edges = [0..edge, edge.max(blocks - edge)..blocks];
    for span in edges.into_iter().chain(between.into_iter().map(|block| block..block + 1)) {
        let bytes = &mut bytes[..((span.end - span.start) * BLOCK) as usize];
        bytes.fill(0);
        read_up_to(file, bytes, span.start * BLOCK)?;
        let holds = bytes.chunks_exact(BLOCK as usize).filter(|block| block.iter().any(|&b| b != 0)).count();
        result.blocks += span.end - span.start;
        result.nonzero += holds as u64;
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = (8 << 20) + 12_345;

    fn image(marks: &[(u64, &[u8])]) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(SIZE).unwrap();
        marks.iter().for_each(|(at, bytes)| file.write_all_at(bytes, *at).unwrap());
        file
    }

    fn names(file: &File) -> Vec<&'static str> {
        let whole = Span { start: 0, size: SIZE };
        signatures(file, whole).unwrap().into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn every_row_is_found_at_each_of_its_places() {
        assert!(table::MARKS.len() >= 40);
        for mark in table::MARKS {
            for offset in mark.spot.offsets(SIZE) {
                let found = names(&image(&[(offset, mark.magic)]));
                assert!(found.contains(&mark.name), "{} at {offset}: {found:?}", mark.name);
            }
        }
    }

    #[test]
    fn a_blank_device_carries_nothing() {
        assert!(names(&image(&[])).is_empty());
        assert_eq!(sample(&image(&[]), Bytes(SIZE)).unwrap().nonzero, 0);
    }

    #[test]
    fn superblocks_at_the_end_keep_their_alignment() {
        let at = |spot: Spot| spot.offsets(SIZE).next().unwrap();
        let md_1_0 = Spot::BeforeEnd { back: 8192, align: 4096 };
        let md_0_90 = Spot::BeforeEnd { back: 65_536, align: 65_536 };
        assert_eq!((at(md_1_0) % 4096, at(md_0_90) % 65_536), (0, 0));
        assert!(at(md_1_0) + 8192 <= SIZE && at(md_0_90) + 65_536 <= SIZE);
        assert_eq!(Spot::BeforeEnd { back: 8192, align: 4096 }.offsets(100).count(), 0);
    }

    #[test]
    fn a_boot_sector_is_a_partition_table_only_with_a_partition() {
        assert_eq!(names(&image(&[(510, &[0x55, 0xaa])])), ["boot sector"]);
        let with_linux = image(&[(450, &[0x83]), (510, &[0x55, 0xaa])]);
        assert_eq!(names(&with_linux), ["MBR partition table"]);
        let with_odd_flag = image(&[(446, &[0x13]), (450, &[0x83]), (510, &[0x55, 0xaa])]);
        assert_eq!(names(&with_odd_flag), ["boot sector"]);
    }

    #[test]
    fn a_fat_is_not_taken_for_a_partition_table_but_a_protective_mbr_does_not_hide_gpt() {
        let fat = image(&[(82, b"FAT32   "), (510, &[0x55, 0xaa])]);
        assert_eq!(names(&fat), ["FAT32 file system"]);
        let gpt = image(&[(450, &[0xee]), (510, &[0x55, 0xaa]), (512, b"EFI PART")]);
        assert_eq!(names(&gpt), ["GPT partition table", "MBR partition table"]);
    }

    #[test]
    fn a_signature_inside_a_partition_is_found_there() {
        let file = image(&[((1 << 20) + 1080, &[0x53, 0xef])]);
        let partition = Span { start: 1 << 20, size: 2 << 20 };
        let found = signatures(&file, partition).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), "ext2/ext3/ext4 file system at byte 1049656");
    }

    #[test]
    fn unsigned_data_is_noticed_at_the_edges_and_in_between() {
        for at in [0, 700_000, SIZE / 4096 * 4096 - 1] {
            assert_eq!(sample(&image(&[(at, &[1])]), Bytes(SIZE)).unwrap().nonzero, 1, "byte {at}");
        }
        let half: Vec<u8> = vec![7; (SIZE / 2) as usize];
        let seen = sample(&image(&[(SIZE / 4, &half)]), Bytes(SIZE)).unwrap();
        assert!(seen.nonzero > 400, "{seen:?}");
    }

    #[test]
    fn a_device_smaller_than_any_mark_is_no_trouble() {
        let file = tempfile::tempfile().unwrap();
        assert!(signatures(&file, Span { start: 0, size: 0 }).unwrap().is_empty());
        assert_eq!(sample(&file, Bytes(0)).unwrap(), Sample::default());
    }
}
