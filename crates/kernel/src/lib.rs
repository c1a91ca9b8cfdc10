//! System calls turned into safe owners; the only crate with unsafe.
//!
//! Everything outside this crate speaks to the machine through these types: the run's [`Clock`], the queues
//! ([`UringQueue`], [`AioQueue`], [`PreadQueue`]) that own the buffers their I/O uses, open files, and the [`guard`]
//! that alone gives leave to write.
#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use linux::{
    clock::{Clock, CpuTime, clocksource, precise_timers, process_cpu_time, thread_cpu_time},
    cpu::{available_cpu_count, available_cpus, pin_current_thread},
    device::{DeviceNumber, flush_buffers, is_read_only, logical_block_of, size_of_device},
    file::{
        Alignment, AlignmentSource, Direct, FileKind, OpenError, OpenFile, OwnedTestFile, TestFileError,
        Unnaming, create_file_of_ours, open_for_read, open_for_write, unnamed_file,
    },
    queue::{AioQueue, PreadQueue, Queue, QueueError, Refused, UringQueue, abandoned, probe},
};

/// The guard: the only maker of permits to write.
pub mod guard {
    #[cfg(target_os = "linux")]
    pub use crate::linux::guard::{WritePermit, permit_unnamed};
}
