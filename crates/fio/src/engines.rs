//! fio's engines: the replacement for each one here, or what to use instead.

use workload::{Act, BackendAsk, BackendKind};

/// How a job with a given engine is run, or why it is refused.
#[derive(Clone, Copy)]
enum Handling {
    /// Runs on this backend.
    On(BackendKind),
    /// Runs on this backend, with the difference described.
    Like(BackendKind, &'static str),
    /// Performs this operation on files, one after the other.
    Does(Act),
    /// Performs this operation on files, with the difference described.
    DoesLike(Act, &'static str),
    /// Refused; the text says what to do instead.
    Instead(&'static str),
}

use Handling::{Does, DoesLike, Instead, Like, On};

/// Advice to use an engine that runs here.
pub const ANOTHER: &str = "take libaio, io_uring, psync or null";
const NETWORKS: Handling = Instead("networks are not loaded, only storage");
/// Difference in operations on whole files: fio counts an I/O for each block of a file, but times one of them.
const ONE_EACH: &str = "each file is one operation and counts as one I/O of bs bytes, however long it is, where fio counts one for each block of it";
const ELSEWHERE: Handling =
    Instead("remote stores are not spoken to; mount it, and give a directory there with psync or libaio");

/// Every engine that fio knows.
#[rustfmt::skip]
const ENGINES: &[(&[&str], Handling)] = &[
    (&["sync", "psync", "vsync", "pvsync", "pvsync2"], On(BackendKind::Pread)),
    (&["libaio"], On(BackendKind::Libaio)),
    (&["io_uring"], On(BackendKind::IoUring)),
    (&["null"], On(BackendKind::Null)),
    (&["mmap"], Like(BackendKind::Pread, "pread and pwrite through the page cache stand for copies to and from a mapping, so that no page faults are taken")),
    (&["posixaio"], Like(BackendKind::IoUring, "io_uring, or libaio where the kernel has none, stands for the threads of the C library, so that depth costs less CPU")),
    (&["solarisaio", "windowsaio"], Instead("take libaio or io_uring")),
    (&["splice"], Instead("pipes are not supported; take psync")),
    (&["sg"], Instead("SCSI commands are not sent; take libaio on the block device")),
    (&["io_uring_cmd"], Instead("NVMe commands are not sent; take io_uring on the block device")),
    (&["libblkio", "xnvme", "libzbc", "mtd"], Instead("take io_uring on the block device")),
    (&["dev-dax", "libpmem", "pmemblk"], Instead("persistent memory is not mapped; take io_uring on its block device")),
    (&["cpuio"], Instead("CPUs are not loaded, only storage; leave this job out")),
    (&["exec"], Instead("commands are not run from jobs; run the command beside it")),
    (&["net", "netsplice", "rdma"], NETWORKS),
    (&["librpma_apm_client", "librpma_apm_server", "librpma_gpspm_client", "librpma_gpspm_server"], NETWORKS),
    (&["http", "libhdfs", "nfs", "gfapi", "gfapi_async", "dfs"], ELSEWHERE),
    (&["rbd", "rados", "nbd", "libiscsi"], Instead("remote stores are not spoken to; map it to a block device, and take libaio there")),
    (&["spdk", "spdk_bdev"], Instead("engines of other projects are not loaded; take io_uring on the block device")),
    (&["ime_aio", "ime_psync", "ime_psyncv"], Instead("remote stores are not spoken to; mount it, and take libaio")),
    (&["libcufile", "libhipfile"], Instead("memory of graphics cards is not supported; take libaio")),
    (&["falloc"], Does(Act::Reserve)),
    (&["ftruncate"], Does(Act::Cut)),
    (&["filecreate"], DoesLike(Act::MakeFile, ONE_EACH)),
    (&["filestat"], DoesLike(Act::LookUp, ONE_EACH)),
    (&["filedelete"], DoesLike(Act::RemoveFile, ONE_EACH)),
    (&["dircreate"], DoesLike(Act::MakeFolder, ONE_EACH)),
    (&["dirstat"], DoesLike(Act::LookUp, ONE_EACH)),
    (&["dirdelete"], DoesLike(Act::RemoveFolder, ONE_EACH)),
    (&["fileoperations"], Instead("it is the name of fio's source file; take filecreate, filestat, filedelete, dircreate, dirstat or dirdelete")),
    (&["e4defrag"], Instead("extents are not moved; take psync")),
    (&["external"], Instead("engines are not loaded from files; take libaio, io_uring, psync or null")),
    (&["filesetxattr", "filelistxattr"], Instead("attributes of files are not loaded; take filecreate or filestat")),
    (&["page_fault"], Instead(ANOTHER)),
];

/// Names of the engines, sorted.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = ENGINES.iter().flat_map(|(names, _)| names.iter().copied()).collect();
    names.sort_unstable();
    names
}

/// The name under which the tables have an engine: the file of one that is loaded is an external one.
pub(super) fn listed(name: &str) -> &str {
    let is_library = std::path::Path::new(name).extension().is_some_and(|end| end == "so");
    let is_file = name.contains('/') || is_library;
    if is_file { "external" } else { canonical(name) }
}

/// fio's own other names of an engine give way to its first one.
pub(super) fn canonical(name: &str) -> &str {
    match name {
        "aio" | "linuxaio" => "libaio",
        name => name,
    }
}

fn handling(name: &str) -> Option<Handling> {
    let name = listed(name);
    ENGINES.iter().find(|(names, _)| names.contains(&name)).map(|(_, handling)| *handling)
}

/// Whether fio has an engine of this name.
pub fn is_known(name: &str) -> bool {
    handling(name).is_some()
}

/// What to do instead of a job with the engine `name`; `None` if fio has no such engine, or if the engine runs here.
pub fn instead(name: &str) -> Option<&'static str> {
    match handling(name)? {
        Instead(remedy) => Some(remedy),
        On(_) | Like(..) | Does(_) | DoesLike(..) => None,
    }
}

/// An engine of fio, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Engine {
    /// The name, of several the first one.
    pub name: String,
}

impl Engine {
    /// The backend that replaces the engine here; `None` if there is none.
    pub fn backend(&self) -> Option<BackendKind> {
        match handling(&self.name)? {
            On(backend) | Like(backend, _) => Some(backend),
            Does(_) | DoesLike(..) => Some(BackendKind::Pread),
            Instead(_) => None,
        }
    }

    /// The backend to request: for an engine that uses a library's threads, the best one available here.
    pub fn ask(&self) -> BackendAsk {
        match handling(&self.name) {
            Some(On(backend) | Like(backend @ BackendKind::Pread, _)) => BackendAsk::Only(backend),
            Some(Does(_) | DoesLike(..)) => BackendAsk::Only(BackendKind::Pread),
            _ => BackendAsk::Best,
        }
    }

    /// Difference between the engine and its replacement here.
    pub fn difference(&self) -> Option<&'static str> {
        match handling(&self.name)? {
            Like(_, difference) | DoesLike(_, difference) => Some(difference),
            On(_) | Does(_) | Instead(_) => None,
        }
    }

    /// The operation that each I/O of the engine performs.
    pub fn act(&self) -> Act {
        match handling(&self.name) {
            Some(Does(act) | DoesLike(act, _)) => act,
            _ => Act::Move,
        }
    }

    /// Whether the engine works on directories instead of files.
    pub fn is_of_folders(&self) -> bool {
        matches!(self.name.as_str(), "dircreate" | "dirstat" | "dirdelete")
    }

    /// Whether the engine's I/O always goes through the page cache, whatever the options.
    pub fn maps_files(&self) -> bool {
        self.name == "mmap"
    }

    /// Whether the engine does any I/O.
    pub fn is_real(&self) -> bool {
        self.backend() != Some(BackendKind::Null)
    }

    /// Whether the engine has only one I/O in flight, whatever `iodepth` says.
    pub fn is_synchronous(&self) -> bool {
        self.backend() == Some(BackendKind::Pread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_are_known_but_not_here_have_no_backend() {
        let backend = |name: &str| Engine { name: name.to_owned() }.backend();
        assert_eq!(backend("vsync"), Some(BackendKind::Pread));
        assert_eq!(
            (backend("aio"), backend("linuxaio")),
            (Some(BackendKind::Libaio), Some(BackendKind::Libaio))
        );
        assert!(instead("splice").is_some() && backend("splice").is_none());
        let ask = |name: &str| Engine { name: name.to_owned() }.ask();
        assert_eq!((backend("posixaio"), ask("posixaio")), (Some(BackendKind::IoUring), BackendAsk::Best));
        assert_eq!(ask("mmap"), BackendAsk::Only(BackendKind::Pread));
        assert!(instead("nope").is_none() && backend("nope").is_none());
    }
}
