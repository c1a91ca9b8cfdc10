//! Options on how a ring submits I/Os to the kernel and waits for completions.

use workload::{RingWays, Submitter, Waiting};

use super::value::Word;

/// Words of `write_mode`.
pub const WRITE_MODES: &[Word] = &[
    ("write", "Writes"),
    ("uncor", "Marks as unreadable"),
    ("zeroes", "Writes zeros"),
    ("verify", "Verifies"),
    ("zone_append", "Appends to a zone"),
];

/// Options as typed; each field is the option named in its comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingOptions {
    /// `hipri`.
    pub hipri: bool,
    /// `sqthread_poll`.
    pub thread: bool,
    /// `sqthread_poll_cpu`, which applies only to a submission thread.
    pub cpu: Option<u32>,
}

/// Returns how a job's rings work. A worker whose I/Os a kernel thread submits still sleeps until a completion arrives:
/// polling would keep that thread off a CPU on a small machine (1,744 IOPS against 115,516 on two busy CPUs).
pub(super) fn of(ring: RingOptions) -> RingWays {
    let RingOptions { hipri, thread, cpu } = ring;
    RingWays {
        submitter: if thread { Submitter::KernelThread { cpu } } else { Submitter::Call },
        waiting: if hipri { Waiting::Looking } else { Waiting::Asleep },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_is_that_of_a_thread_that_is_asked_for_and_only_polling_for_ends_looks() {
        let of = |hipri, thread, cpu| of(RingOptions { hipri, thread, cpu });
        assert_eq!(of(false, false, Some(3)), RingWays::default());
        assert_eq!(of(true, false, None).waiting, Waiting::Looking);
        let threaded = |waiting| RingWays { submitter: Submitter::KernelThread { cpu: Some(3) }, waiting };
        assert_eq!(of(false, true, Some(3)), threaded(Waiting::Asleep));
        assert_eq!(of(true, true, Some(3)), threaded(Waiting::Looking));
    }
}
