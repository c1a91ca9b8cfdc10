//! I/O queues: io_uring, libaio and pread behind one trait, each owning its I/O buffers.

mod aio;
mod calls;
mod interface;
mod names;
mod pread;
mod reasons;
mod region;
mod slot_table;
mod trim;
mod uring;

use workload::BackendKind;

pub use aio::AioQueue;
pub(super) use calls::flush;
pub use interface::{Queue, QueueError, QueueRefusal, abandoned};
pub use names::NamesQueue;
pub use pread::{CallFlags, PreadQueue};
pub use uring::UringQueue;

use super::clock::Clock;
use super::file::OpenFile;

/// Lists every real backend in order of preference, with the reason if it cannot be used.
pub fn probe() -> Vec<(BackendKind, Result<(), String>)> {
    vec![
        (BackendKind::IoUring, uring::try_setup()),
        (BackendKind::Libaio, aio::try_setup().map_err(|e| reasons::aio_reason(&e))),
        (BackendKind::Pread, Ok(())),
    ]
}

/// The capacity of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSize {
    /// Greatest number of I/Os in flight.
    pub depth: u32,
    /// Length of the longest I/O in bytes.
    pub slot_bytes: usize,
}

/// Opens a queue of `kind` on the thread that will use it.
///
/// # Errors
/// [`QueueError`] if this machine has no such queue, or no memory for its buffers.
pub fn open_queue(
    kind: BackendKind,
    files: &[OpenFile],
    size: QueueSize,
    clock: Clock,
) -> Result<Box<dyn Queue>, QueueError> {
    let QueueSize { depth, slot_bytes } = size;
    Ok(match kind {
        BackendKind::IoUring => Box::new(UringQueue::open(files, depth, slot_bytes, clock)?),
        BackendKind::Libaio => Box::new(AioQueue::open(files, depth, slot_bytes, clock)?),
        BackendKind::Pread => Box::new(PreadQueue::open(files, depth, slot_bytes, clock)?),
        BackendKind::Null | BackendKind::Simulated => {
            return Err(QueueError::Setup {
                backend: kind,
                reason: "it does no I/O, so this kernel has no queue for it".to_owned(),
            });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_lists_every_backend_in_the_order_of_preference() {
        let kinds: Vec<BackendKind> = probe().into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [BackendKind::IoUring, BackendKind::Libaio, BackendKind::Pread]);
        assert!(probe().iter().any(|(kind, works)| *kind == BackendKind::Pread && works.is_ok()));
    }
}
