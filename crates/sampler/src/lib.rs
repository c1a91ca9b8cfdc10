//! Kernel counters, into facts and raw series.
//!
//! [`host_facts`], [`devices_below`] and [`target_facts`] describe the machine and the target, [`device_tree`] and
//! [`local_limits`] how all its devices are stacked and limited; [`Sampler`] reads the counters that change during a
//! run, and [`SamplerThread`] does so on the run's clock. Every reader takes a [`Root`], so that a captured machine is
//! read like this one. Nothing here draws a conclusion: differences, rates and what they mean belong to the analysis.

mod command;
mod cpu_model;
mod cpus;
mod devices;
mod disks;
mod doubts;
mod ebs;
mod followed;
mod host;
mod limits;
mod parse;
mod places;
mod process;
mod processes;
mod root;
mod sampler;
mod target;
mod thread;
mod tree;
mod waits;

pub use cpus::{cpu_governor, cpu_times, cpus};
pub use devices::{devices_below, flushes_each_write};
pub use disks::{
    DiskReading, all_disks, disk, every_device, known_devices, mapper_name, partitions, persistent_names,
    uptime_cs,
};
pub use ebs::{PageError, exceeded_limits, read_exceeded_limits};
pub use followed::{Devices, left_out};
pub use host::host_facts;
pub use limits::local_limits;
pub use parse::{cpu_counters, disk_counters, io_pressure, memory_counters};
pub use process::in_foreground;
pub use root::Root;
pub use sampler::{Sampler, SamplerError};
pub use target::{TargetFactsError, target_facts};
pub use thread::SamplerThread;
pub use tree::{device_tree, device_tree_and_doubts};
