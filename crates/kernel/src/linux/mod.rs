//! Linux: its system calls, queues, files, guard, facts, loop devices and throttles.

pub(crate) mod alive;
pub(crate) mod call;
#[cfg(test)]
pub(crate) mod captured;
pub(crate) mod clock;
pub(crate) mod cpu;
pub(crate) mod cpu_time;
pub(crate) mod device;
pub(crate) mod extents;
pub(crate) mod facts;
pub(crate) mod file;
pub(crate) mod folder;
pub(crate) mod guard;
pub(crate) mod input;
pub(crate) mod io_priority;
pub(crate) mod keys;
pub(crate) mod lab;
pub(crate) mod locale;
pub(crate) mod memory;
pub(crate) mod mounts;
pub(crate) mod mpi;
pub(crate) mod nvme;
pub(crate) mod outlet;
pub(crate) mod patient;
pub(crate) mod process;
pub(crate) mod queue;
pub(crate) mod ready;
pub(crate) mod residency;
pub(crate) mod signature;
pub(crate) mod terminal;
pub(crate) mod thread_counters;
