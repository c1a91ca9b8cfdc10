//! Marks that identify file systems, partition tables, RAID members and the like, as rows of data.

use super::{Mark, SignatureKind, Spot};
use SignatureKind::{Encryption, FileSystem, Image, PartitionTable, Raid, Storage, Swap, VolumeManager};
use Spot::{BeforeEnd, Every, Start};

const fn mark(kind: SignatureKind, name: &'static str, spot: Spot, magic: &'static [u8]) -> Mark {
    Mark { kind, name, spot, magic }
}

/// Superblock magic of Linux software RAID, little-endian on disk.
const MD: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];

/// Every mark looked for. Offsets are from the on-disk format descriptions of each project.
pub(super) const MARKS: &[Mark] = &[
    // Partition tables. The MBR needs more than a magic number; see `boot_sector`.
    mark(PartitionTable, "GPT partition table", Start(512), b"EFI PART"),
    mark(PartitionTable, "GPT partition table (4 KiB sectors)", Start(4096), b"EFI PART"),
    mark(
        PartitionTable,
        "GPT partition table (backup copy)",
        BeforeEnd { back: 512, align: 512 },
        b"EFI PART",
    ),
    mark(
        PartitionTable,
        "GPT partition table (backup copy, 4 KiB sectors)",
        BeforeEnd { back: 4096, align: 4096 },
        b"EFI PART",
    ),
    mark(PartitionTable, "BSD disk label", Start(512), &[0x57, 0x45, 0x56, 0x82]),
    mark(PartitionTable, "Sun disk label", Start(508), &[0xda, 0xbe]),
    mark(PartitionTable, "Windows dynamic disk", Start(3072), b"PRIVHEAD"),
    // File systems.
    mark(FileSystem, "ext2/ext3/ext4 file system", Start(1080), &[0x53, 0xef]),
    mark(FileSystem, "XFS file system", Start(0), b"XFSB"),
    mark(FileSystem, "btrfs file system", Start(0x1_0040), b"_BHRfS_M"),
    mark(FileSystem, "FAT32 file system", Start(82), b"FAT32   "),
    mark(FileSystem, "FAT16 file system", Start(54), b"FAT16   "),
    mark(FileSystem, "FAT12 file system", Start(54), b"FAT12   "),
    mark(FileSystem, "NTFS file system", Start(3), b"NTFS    "),
    mark(FileSystem, "exFAT file system", Start(3), b"EXFAT   "),
    mark(FileSystem, "ReFS file system", Start(3), b"ReFS\0"),
    mark(FileSystem, "F2FS file system", Start(1024), &[0x10, 0x20, 0xf5, 0xf2]),
    mark(FileSystem, "ZFS member", Every { from: 128 << 10, step: 1024, count: 128 }, ZFS),
    mark(FileSystem, "bcachefs file system", Start(4120), BCACHEFS),
    mark(FileSystem, "JFS file system", Start(32_768), b"JFS1"),
    mark(FileSystem, "ReiserFS file system", Start(65_588), b"ReIsEr"),
    mark(FileSystem, "Reiser4 file system", Start(65_536), b"ReIsEr4"),
    mark(FileSystem, "NILFS2 file system", Start(1030), &[0x34, 0x34]),
    mark(FileSystem, "OCFS2 file system", Every { from: 1024, step: 1024, count: 8 }, b"OCFSV2"),
    mark(FileSystem, "GFS2 file system", Start(65_536), &[0x01, 0x16, 0x19, 0x70]),
    mark(FileSystem, "APFS container", Start(32), b"NXSB"),
    mark(FileSystem, "HFS+ file system", Start(1024), b"H+\0\x04"),
    mark(FileSystem, "HFSX file system", Start(1024), b"HX\0\x05"),
    mark(FileSystem, "VMFS volume", Start(0x10_0000), &[0x0d, 0xd0, 0x01, 0xc0]),
    mark(FileSystem, "VMFS file system", Start(0x20_0000), &[0x5e, 0xf1, 0xab, 0x2f]),
    mark(FileSystem, "UFS2 file system", Start(65_536 + 1372), &[0x19, 0x01, 0x54, 0x19]),
    mark(FileSystem, "ISO 9660 image", Start(32_769), b"CD001"),
    mark(FileSystem, "UDF file system", Start(32_769), b"BEA01"),
    mark(FileSystem, "squashfs image", Start(0), b"hsqs"),
    mark(FileSystem, "EROFS image", Start(1024), &[0xe2, 0xe1, 0xf5, 0xe0]),
    mark(FileSystem, "cramfs image", Start(0), &[0x45, 0x3d, 0xcd, 0x28]),
    // Swap, one row per page size, and the marks of a hibernated machine.
    mark(Swap, "swap space", Start(4096 - 10), b"SWAPSPACE2"),
    mark(Swap, "swap space (8 KiB pages)", Start(8192 - 10), b"SWAPSPACE2"),
    mark(Swap, "swap space (16 KiB pages)", Start(16_384 - 10), b"SWAPSPACE2"),
    mark(Swap, "swap space (64 KiB pages)", Start(65_536 - 10), b"SWAPSPACE2"),
    mark(Swap, "swap space (old)", Start(4096 - 10), b"SWAP-SPACE"),
    mark(Swap, "hibernated system", Start(4096 - 10), b"S1SUSPEND"),
    mark(Swap, "hibernated system", Start(4096 - 10), b"S2SUSPEND"),
    mark(Swap, "hibernated system", Start(4096 - 10), b"LINHIB0001"),
    // Volume managers.
    mark(VolumeManager, "LVM2 physical volume", Every { from: 0, step: 512, count: 4 }, b"LABELONE"),
    mark(VolumeManager, "Stratis pool member", Start(516), b"!Stra0tis\x86\xff\x02^"),
    mark(VolumeManager, "VDO volume", Start(0), b"dmvdo001"),
    // RAID. Linux puts version 1.1 at the start, 1.2 after 4 KiB, 1.0 and 0.90 after the data.
    mark(Raid, "Linux RAID member (1.1)", Start(0), MD),
    mark(Raid, "Linux RAID member (1.2)", Start(4096), MD),
    mark(Raid, "Linux RAID member (1.0)", BeforeEnd { back: 8192, align: 4096 }, MD),
    mark(Raid, "Linux RAID member (0.90)", BeforeEnd { back: 65_536, align: 65_536 }, MD),
    mark(Raid, "Intel RAID member", BeforeEnd { back: 1024, align: 512 }, b"Intel Raid ISM Cfg Sig. "),
    mark(Raid, "DDF RAID member", BeforeEnd { back: 512, align: 512 }, &[0xde, 0x11, 0xde, 0x11]),
    mark(Raid, "DRBD device", BeforeEnd { back: 4096 - 60, align: 4 }, &[0x83, 0x74, 0x02]),
    // Encryption and integrity.
    mark(Encryption, "LUKS1 encrypted volume", Start(0), b"LUKS\xba\xbe\0\x01"),
    mark(Encryption, "LUKS2 encrypted volume", Start(0), b"LUKS\xba\xbe\0\x02"),
    mark(Encryption, "LUKS2 encrypted volume (second header)", Start(0x4000), b"SKUL\xba\xbe\0\x02"),
    mark(Encryption, "BitLocker volume", Start(3), b"-FVE-FS-"),
    mark(Encryption, "dm-integrity volume", Start(0), b"integrt\0"),
    mark(Encryption, "dm-verity hash device", Start(0), b"verity\0\0"),
    // Storage systems that own whole devices.
    mark(Storage, "Ceph BlueStore device", Start(0), b"bluestore block device"),
    mark(Storage, "bcache device", Start(4120), BCACHE),
    mark(Storage, "Oracle ASM disk", Start(32), b"ORCLDISK"),
    mark(Image, "QCOW2 image", Start(0), b"QFI\xfb"),
    mark(Image, "VMDK image", Start(0), b"KDMV"),
];

/// Uberblock magic, as a little-endian machine writes it. Which of the 128 slots are in use depends on the pool's age.
const ZFS: &[u8] = &[0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0];

const BCACHE: &[u8] =
    &[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81];

const BCACHEFS: &[u8] =
    &[0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef];
