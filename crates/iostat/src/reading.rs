//! Readings of the counters, from which reports are made.

use record::{CpuCounters, DiskCounters};

use super::colours::Palette;

/// The machine, as iostat's first line names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// `Linux`.
    pub system: String,
    /// Kernel release.
    pub release: String,
    /// Host name.
    pub node: String,
    /// Processor architecture.
    pub machine: String,
    /// Number of CPUs.
    pub cpus: u32,
    /// The date in the locale's form, or as ISO 8601.
    pub date: String,
    /// The locale's decimal point.
    pub decimal_point: String,
    /// Colours of the text; `None`: no colours.
    pub palette: Option<Palette>,
}

/// The counters of one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskLine {
    /// Kernel name, by which readings are matched.
    pub name: String,
    /// Name that is printed.
    pub shown: String,
    /// Counters.
    pub counters: DiskCounters,
    /// Whether all counters are known; false for a line of four counters, which some kernels write for partitions.
    pub full: bool,
}

/// The counters at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Time since boot in hundredths of a second.
    pub uptime_cs: u64,
    /// The time in words, if asked for.
    pub timestamp: String,
    /// Counters of all CPUs together.
    pub cpu: CpuCounters,
    /// Devices, in the order in which they are listed.
    pub disks: Vec<DiskLine>,
}
