//! Reads all counters at once, from files that stay open.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use record::{CpuCounters, MemoryCounters, OwnCpu, Pressure, Sample};
use workload::Nanos;

use crate::command::FollowedCommand;
use crate::followed::FollowedDevices;
use crate::parse::{cpu_counters, io_pressure, memory_counters, tasks_blocked};
use crate::processes::ProcessTable;
use crate::{Devices, Root};

/// Why the counters cannot be sampled.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot read {path}: {source}; the machine's counters come from there, so check that /proc is mounted"
)]
pub struct SamplerError {
    /// The file.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

/// Reads the counters of devices, CPUs, memory, waiting tasks and this process. A reading costs some tens of
/// microseconds, nearly all of it in the kernel, which formats the text.
#[derive(Debug)]
pub struct Sampler {
    /// `None` if no device is to be sampled; some containers hide the file.
    diskstats: Option<Source>,
    stat: Source,
    meminfo: Source,
    /// `None` if the kernel does not account for pressure, or the accounting is turned off.
    pressure: Option<Source>,
    followed: FollowedDevices,
    root: Root,
    command: Option<FollowedCommand>,
    /// `None` unless the processes of the machine are read too.
    processes: Option<ProcessTable>,
    cpu: CpuCounters,
    blocked: u32,
    memory: MemoryCounters,
    waited: Option<Pressure>,
}

impl Sampler {
    /// Returns a sampler of these devices.
    ///
    /// # Errors
    /// [`SamplerError`] if a file of counters cannot be opened or read.
    pub fn new(root: &Root, devices: Devices) -> Result<Sampler, SamplerError> {
        let followed = FollowedDevices::new(devices);
        let mut sampler = Sampler {
            diskstats: (!followed.is_empty()).then(|| Source::open(root, "proc/diskstats")).transpose()?,
            stat: Source::open(root, "proc/stat")?,
            meminfo: Source::open(root, "proc/meminfo")?,
            pressure: Source::open(root, "proc/pressure/io").ok(),
            followed,
            root: root.clone(),
            command: None,
            processes: None,
            cpu: CpuCounters::default(),
            blocked: 0,
            memory: MemoryCounters::default(),
            waited: None,
        };
        sampler.refresh()?;
        Ok(sampler)
    }

    /// Reads all counters; `at` is the run's clock just before. A missing device is left out, as are all devices
    /// if their file cannot be read at the moment; other counters that cannot be read keep their last values.
    pub fn read(&mut self, at: Nanos) -> Sample {
        let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let _ = self.refresh();
        let own = kernel::process_cpu_time();
        Sample {
            at,
            // A clock before 1970 counts as none.
            wall_unix_ms: wall.map_or(0, |time| time.as_millis() as u64),
            disks: self.followed.there(),
            cpu: self.cpu,
            memory: self.memory,
            pressure: self.waited,
            blocked: self.blocked,
            own: OwnCpu { user_ns: own.user.0, system_ns: own.system.0 },
            command: self.command.as_mut().map(FollowedCommand::read),
            processes: self.processes.as_mut().and_then(|processes| processes.read(at)),
        }
    }

    /// Makes the sampler also read which processes move the most bytes.
    #[must_use]
    pub fn with_processes(self) -> Sampler {
        let processes = Some(ProcessTable::new(&self.root));
        Sampler { processes, ..self }
    }

    /// Follows the process `pid` and all that it starts, from `now` on.
    pub fn follow(&mut self, pid: u32, now: Nanos) {
        self.command = Some(FollowedCommand::new(&self.root, pid, now));
    }

    /// Returns when the followed command is to be looked at; `None` without one.
    pub fn next_look(&self) -> Option<Nanos> {
        self.command.as_ref().map(FollowedCommand::next)
    }

    /// Looks at what the tasks of the followed command do. The devices on which its files lie are sampled from then on.
    pub fn look(&mut self, clock: &impl Fn() -> Nanos) {
        let Some(command) = &mut self.command else { return };
        command.look(clock);
        command.new_devices().iter().for_each(|name| self.followed.follow(name));
    }

    fn refresh(&mut self) -> Result<(), SamplerError> {
        let disks = self.refresh_disks();
        // The kernel generates this text as a whole, so its last lines cost no more than its first.
        let stat = self.stat.whole()?;
        self.cpu = cpu_counters(stat).unwrap_or(self.cpu);
        self.blocked = tasks_blocked(stat).unwrap_or(0);
        self.memory = memory_counters(self.meminfo.head()?);
        // With accounting compiled in and turned off, the file exists but cannot be read.
        let pressure = self.pressure.as_mut().and_then(|source| source.head().ok());
        self.waited = pressure.and_then(io_pressure);
        disks
    }

    fn refresh_disks(&mut self) -> Result<(), SamplerError> {
        let Some(diskstats) = &mut self.diskstats else { return Ok(()) };
        match diskstats.whole() {
            Ok(text) => self.followed.take(text),
            Err(error) => {
                self.followed.lose_sight();
                return Err(error);
            }
        }
        Ok(())
    }
}

/// A file of counters that stays open, with a buffer for its text.
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

    /// Returns what one read gives: up to a page from files in `/proc`.
    fn head(&mut self) -> Result<&[u8], SamplerError> {
        let length = self.fill(0)?;
        Ok(&self.buffer[..length])
    }

    /// Returns the whole text. The kernel returns it in pieces and generates it anew from offset 0 on.
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
