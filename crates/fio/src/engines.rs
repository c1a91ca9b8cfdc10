//! Engines of fio that have no stand-in here: what to do instead.

/// What to do instead of a job with the engine `name`, which is one of fio's and has no stand-in.
pub fn instead(name: &str) -> &'static str {
    match name {
        "mmap" => "memory mappings are not supported; take psync, with direct=0 for the page cache",
        "posixaio" | "solarisaio" | "windowsaio" => "take libaio or io_uring",
        "splice" => "pipes are not supported; take psync",
        "sg" => "SCSI commands are not sent; take libaio on the block device",
        "io_uring_cmd" => "NVMe commands are not sent; take io_uring on the block device",
        "libblkio" | "xnvme" | "libzbc" | "mtd" => "take io_uring on the block device",
        "dev-dax" | "libpmem" | "pmemblk" => {
            "persistent memory is not mapped; take io_uring on its block device"
        }
        "cpuio" => "CPUs are not loaded, only storage; leave this job out",
        "exec" => "commands are not run from jobs; run the command beside it",
        "net" | "netsplice" | "rdma" => "networks are not loaded, only storage",
        "librpma_apm_client" | "librpma_apm_server" | "librpma_gpspm_client" | "librpma_gpspm_server" => {
            "networks are not loaded, only storage"
        }
        "http" | "libhdfs" | "nfs" | "gfapi" | "gfapi_async" | "dfs" => {
            "remote stores are not spoken to; mount it, and give a directory there with psync or libaio"
        }
        "rbd" | "rados" | "nbd" | "libiscsi" => {
            "remote stores are not spoken to; map it to a block device, and take libaio there"
        }
        "ime_aio" | "ime_psync" | "ime_psyncv" => {
            "remote stores are not spoken to; mount it, and take libaio"
        }
        "libcufile" | "libhipfile" => "memory of graphics cards is not supported; take libaio",
        "falloc" | "ftruncate" | "e4defrag" => "only reads and writes are issued; take psync",
        "filecreate" | "filestat" | "filedelete" | "dircreate" | "dirstat" | "dirdelete"
        | "fileoperations" => "making, finding and removing files is not measured; only reads and writes are",
        "external" => "engines are not loaded from files; take libaio, io_uring, psync or null",
        _ => "take libaio, io_uring, psync or null",
    }
}
