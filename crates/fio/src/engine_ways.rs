//! Description of each of fio's engines, whether or not it runs here. Data: an engine is a row.

use super::error::Waits;
use Stage::{Elsewhere, Here, Nowhere};
use Waits::{ForEach, ForNone};

/// Where the I/O of an engine goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Files and devices of this machine.
    Here,
    /// A store that is not a file or device of this machine.
    Elsewhere,
    /// Nowhere: no block of storage is read or written.
    Nowhere,
}

/// Description of one of fio's engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineWay {
    /// Whether the engine waits for each I/O, so that a depth has no effect.
    pub waits: Waits,
    /// Where the engine's I/O goes.
    pub stage: Stage,
    /// The engine's method of I/O, in words.
    pub by: &'static str,
}

const fn way(waits: Waits, stage: Stage, by: &'static str) -> EngineWay {
    EngineWay { waits, stage, by }
}

/// Every engine of fio. Source: fio's HOWTO, I/O engine.
#[rustfmt::skip]
const WAYS: &[(&[&str], EngineWay)] = &[
    (&["sync"], way(ForEach, Here, "lseek with read and write")),
    (&["psync"], way(ForEach, Here, "pread and pwrite")),
    (&["vsync"], way(ForEach, Here, "readv and writev, neighbours put together")),
    (&["pvsync"], way(ForEach, Here, "preadv and pwritev")),
    (&["pvsync2"], way(ForEach, Here, "preadv2 and pwritev2")),
    (&["libaio"], way(ForNone, Here, "the kernel's asynchronous calls")),
    (&["io_uring"], way(ForNone, Here, "rings shared with the kernel")),
    (&["posixaio"], way(ForNone, Here, "POSIX asynchronous calls, which the C library does by threads of its own")),
    (&["solarisaio"], way(ForNone, Here, "asynchronous calls of Solaris")),
    (&["windowsaio"], way(ForNone, Here, "asynchronous calls of Windows")),
    (&["mmap"], way(ForEach, Here, "copies from and to a memory mapping, always through the page cache")),
    (&["splice"], way(ForEach, Here, "splice through a pipe")),
    (&["null"], way(ForNone, Here, "no I/O at all: what is measured is the generator")),
    (&["sg"], way(ForEach, Here, "SCSI commands to the device")),
    (&["io_uring_cmd"], way(ForNone, Here, "NVMe commands to the character device")),
    (&["libblkio", "xnvme"], way(ForNone, Here, "a library beside the kernel's block layer")),
    (&["libzbc"], way(ForEach, Here, "commands to a zoned disk")),
    (&["mtd"], way(ForEach, Here, "flash memory without a block device")),
    (&["dev-dax", "libpmem", "pmemblk"], way(ForEach, Here, "persistent memory that is mapped")),
    (&["libcufile", "libhipfile"], way(ForEach, Here, "files read into and written from the memory of a graphics card")),
    (&["e4defrag"], way(ForEach, Here, "moves of extents of ext4, none of their data")),
    (&["spdk", "spdk_bdev"], way(ForNone, Elsewhere, "a driver in user space, which SPDK brings with its engine")),
    (&["external"], way(ForNone, Here, "an engine that is loaded from a file")),
    (&["rbd"], way(ForNone, Elsewhere, "an image of a Ceph pool by librbd, without a device of this machine")),
    (&["rados"], way(ForNone, Elsewhere, "objects of a Ceph pool")),
    (&["nbd", "libiscsi", "nfs", "gfapi_async", "ime_aio"], way(ForNone, Elsewhere, "a server over the network, without a mount or a device of this machine")),
    (&["gfapi", "libhdfs", "http", "dfs", "ime_psync", "ime_psyncv"], way(ForEach, Elsewhere, "a server over the network, without a mount or a device of this machine")),
    (&["cpuio"], way(ForEach, Nowhere, "the CPU is loaded")),
    (&["exec"], way(ForEach, Nowhere, "a command is run")),
    (&["net", "netsplice", "rdma"], way(ForEach, Nowhere, "data goes over a network")),
    (&["librpma_apm_client", "librpma_apm_server", "librpma_gpspm_client", "librpma_gpspm_server"], way(ForNone, Nowhere, "data goes over a network into the memory of another machine")),
    (&["falloc"], way(ForEach, Here, "space of files is reserved and given back (fallocate)")),
    (&["ftruncate"], way(ForEach, Here, "files are cut and lengthened (ftruncate)")),
    (&["filecreate"], way(ForEach, Nowhere, "files are made")),
    (&["filestat"], way(ForEach, Nowhere, "files are looked up")),
    (&["filedelete"], way(ForEach, Nowhere, "files are removed")),
    (&["dircreate"], way(ForEach, Nowhere, "directories are made")),
    (&["dirstat"], way(ForEach, Nowhere, "directories are looked up")),
    (&["dirdelete"], way(ForEach, Nowhere, "directories are removed")),
    (&["filesetxattr"], way(ForEach, Nowhere, "attributes of files are set")),
    (&["filelistxattr"], way(ForEach, Nowhere, "attributes of files are listed")),
    (&["fileoperations"], way(ForEach, Nowhere, "files and directories are made, looked up or removed")),
    (&["page_fault"], way(ForEach, Nowhere, "memory is touched")),
];

/// Returns the description of engine `name`; `None` if fio has no such engine. Of `name:path`, only the name counts.
pub fn engine_way(name: &str) -> Option<EngineWay> {
    let name = super::engines::listed(name.split(':').next().unwrap_or(name));
    WAYS.iter().find(|(names, _)| names.contains(&name)).map(|(_, way)| *way)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::{Engine, names};

    #[test]
    fn every_engine_is_described_and_waits_as_what_runs_here_for_it() {
        for name in names() {
            let way = engine_way(name);
            assert!(way.is_some(), "{name} is not described");
            let engine = Engine { name: name.to_owned() };
            let moves_data = way.filter(|way| way.stage != Nowhere);
            if let (Some(way), true) = (moves_data, engine.backend().is_some()) {
                assert_eq!(way.waits == ForEach, engine.is_synchronous(), "{name}");
            }
        }
    }
}
