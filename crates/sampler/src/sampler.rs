//! Reads every counter at once, from files that stay open.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use record::{CpuCounters, DiskCounters, MemoryCounters, OwnCpu, Sample};
use workload::Nanos;

use crate::Root;
use crate::parse::{cpu_counters, disk_counters, memory_counters};

/// Why the counters cannot be sampled.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot read {path}: {source}; the machine's counters come from there, so check that /proc is mounted"
)]
pub struct SamplerError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Reads the counters of some devices, of the CPUs, of memory and of this process. A reading costs some tens of
/// microseconds, nearly all of it in the kernel, which formats the text.
#[derive(Debug)]
pub struct Sampler {
    /// `None` where no device is asked for; some containers hide the file.
    diskstats: Option<Source>,
    stat: Source,
    meminfo: Source,
    /// By device in the order of asking; what was last read, and zeros before the device has been seen.
    disks: Vec<(Arc<str>, DiskCounters)>,
    cpu: CpuCounters,
    memory: MemoryCounters,
}

impl Sampler {
    /// A sampler of the devices with these kernel names (`vda`, `dm-0`), in this order.
    ///
    /// # Errors
    /// [`SamplerError`] where a file of counters cannot be opened or read.
    pub fn new<N: Into<String>>(
        root: &Root,
        devices: impl IntoIterator<Item = N>,
    ) -> Result<Sampler, SamplerError> {
        let disks: Vec<_> =
            devices.into_iter().map(|name| (name.into().into(), DiskCounters::default())).collect();
        let mut sampler = Sampler {
            diskstats: (!disks.is_empty()).then(|| Source::open(root, "proc/diskstats")).transpose()?,
            stat: Source::open(root, "proc/stat")?,
            meminfo: Source::open(root, "proc/meminfo")?,
            disks,
            cpu: CpuCounters::default(),
            memory: MemoryCounters::default(),
        };
        sampler.refresh()?;
        Ok(sampler)
    }

    /// All counters as they are now; `at` is what the run's clock showed just before. A counter that cannot be read, and
    /// a device that is gone, keep what was read last.
    pub fn read(&mut self, at: Nanos) -> Sample {
        let _ = self.refresh();
        let own = kernel::process_cpu_time();
        Sample {
            at,
            disks: self.disks.clone(),
            cpu: self.cpu,
            memory: self.memory,
            own: OwnCpu { user_ns: own.user.0, system_ns: own.system.0 },
            ..Sample::default()
        }
    }

    fn refresh(&mut self) -> Result<(), SamplerError> {
        let Sampler { diskstats, stat, meminfo, disks, .. } = self;
        if let Some(diskstats) = diskstats {
            take_disks(diskstats.whole()?, disks);
        }
        // The line of all CPUs comes first; what follows can be long on a large machine.
        self.cpu = cpu_counters(stat.head()?).unwrap_or(self.cpu);
        self.memory = memory_counters(meminfo.head()?);
        Ok(())
    }
}

/// Lines come in the same order every time, so the device after the one just found is most likely the next.
fn take_disks(text: &[u8], disks: &mut [(Arc<str>, DiskCounters)]) {
    let mut next = 0;
    for (name, counters) in text.split(|&byte| byte == b'\n').filter_map(disk_counters) {
        let named = |(known, _): &(Arc<str>, DiskCounters)| known.as_bytes() == name;
        let found = match disks.get(next).is_some_and(named) {
            true => Some(next),
            false => disks.iter().position(named),
        };
        if let Some(at) = found {
            disks[at].1 = counters;
            next = at + 1;
        }
    }
}

/// A file of counters that stays open, with the room its text needs.
#[derive(Debug)]
struct Source {
    file: File,
    path: PathBuf,
    buffer: Vec<u8>,
}

impl Source {
    fn open(root: &Root, path: &str) -> Result<Source, SamplerError> {
        let path = root.join(path);
        match File::open(&path) {
            Ok(file) => Ok(Source { file, path, buffer: vec![0; 8192] }),
            Err(source) => Err(SamplerError { path, source }),
        }
    }

    /// What one read gives: of the files in `/proc` up to a page.
    fn head(&mut self) -> Result<&[u8], SamplerError> {
        let length = self.fill(0)?;
        Ok(&self.buffer[..length])
    }

    /// The whole text. The kernel hands it over in pieces and makes it anew from offset 0 on.
    fn whole(&mut self) -> Result<&[u8], SamplerError> {
        let mut length = 0;
        loop {
            if length == self.buffer.len() {
                self.buffer.resize(length * 2, 0);
            }
            match self.fill(length)? {
                0 => return Ok(&self.buffer[..length]),
                more => length += more,
            }
        }
    }

    fn fill(&mut self, from: usize) -> Result<usize, SamplerError> {
        let read = self.file.read_at(&mut self.buffer[from..], from as u64);
        read.map_err(|source| SamplerError { path: self.path.clone(), source })
    }
}
