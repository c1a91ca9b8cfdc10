//! Safe owners of what system calls give; the only crate with `unsafe`.
//!
//! All other crates reach the machine through these types: the run's [`Clock`], the queues ([`UringQueue`], [`AioQueue`],
//! [`PreadQueue`]), which own the buffers their I/O uses, open files, and the [`guard`], the only source of permission
//! to write.
#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod lanes;
#[cfg(target_os = "linux")]
mod linux;

pub use lanes::{InLanes, in_lanes};

#[cfg(target_os = "linux")]
pub use linux::{
    alive::{is_alive, mark_alive},
    clock::{Clock, clocksource, precise_timers},
    cpu::{available_cpus, pin_current_thread},
    cpu_time::{CpuTime, process_cpu_time, thread_cpu_time},
    device::{DeviceNumber, flush_buffers, is_read_only, logical_block_of, number_of_name, size_of_device},
    extents::{Extents, extents},
    facts::{
        BlockFacts, PathKind, TargetFacts, block_facts, block_facts_of, block_name, device_chain,
        queue_settings, target_facts,
    },
    file::{
        Alignment, AlignmentSource, Direct, FileKind, OpenError, OpenFile, OwnedTestFile, TestFileError,
        free_space_in, is_laid_out, mark_laid_out, open_character_device, open_for_read,
        open_for_stable_write, open_for_write, reserve_space, reserve_space_beyond, set_length,
        total_space_in, unnamed_file,
    },
    folder::{Draft, Folder, PrivateFolderError, Readers, effective_user},
    input::{InputFacts, InputKind, InputReader, open_input},
    io_priority::set_io_priority,
    keys::{give_keys_back, next_key, take_keys},
    locale::Locale,
    memory::{FreeMemory, NoMemory, free_memory, room_for_buffers},
    mounts::{Medium, Mount, device_of_mount, device_of_path, mount_of, mounts, mounts_seen_by},
    mpi::{Mpi, MpiError, MpiLibrary},
    nvme::nvme_log_page,
    outlet::{Links, Outlet, OutletError, open_outlet, refuse_foreign_links},
    process::{Process, allow_open_files, processes, send_signal, send_signal_to_group, take_pending_signal},
    queue::{
        AioQueue, CallFlags, NamesQueue, PreadQueue, Queue, QueueError, QueueRefusal, QueueSize, UringQueue,
        abandoned, open_queue, probe,
    },
    ready::{PollEntry, Wants, let_others_first, random_bytes, wait_ready},
    residency::{
        DirectProof, Directness, Walk, advise, cached_share, direct_proof, drop_cache, forget, pages_to_write,
    },
    terminal::{columns_of_stderr, columns_of_stdout},
    thread_counters::{ThreadCounters, ThreadMeter},
};

/// The guard: the only maker of permits to write.
pub mod guard {
    #[cfg(target_os = "linux")]
    pub use crate::linux::{
        guard::{
            AllowDestroy, Destruction, GuardError, Hold, WritePermit, holds, holds_of_file,
            permit_block_device, permit_file_of_ours, permit_named_file, permit_unnamed, survey,
        },
        signature::{Sample, Signature, SignatureKind},
    };
}

/// The parts of a lab volume: this kernel's loop devices and throttles.
pub mod lab {
    #[cfg(target_os = "linux")]
    pub use crate::linux::lab::{
        AttachedLoop, Limits, LoopDevice, LoopError, LoopOptions, Throttle, ThrottleError, change_limits,
        detach, flushes_are_off, leftover_groups, let_flushes_through, limits_on, loops, set_max_sectors_kb,
        throttle_version,
    };
}
