//! A device that does not answer: closing a queue does not wait for it for ever, and reports what it left behind.
#![allow(clippy::unwrap_used)]

use kernel::lab::{Limits, Throttle};
use kernel::{Clock, Direct, QueueSize, open_for_read, open_queue};
use testbed::{Lack, loop_of, skipped};
use workload::{BackendKind, Bytes, Completion, Direction, Io, Nanos, Wait};

#[test]
fn what_the_kernel_does_not_let_go_of_is_counted_and_its_buffers_stay() {
    let Some(device) = loop_of(Bytes::mib(4)) else { return };
    let mut throttle = match Throttle::of_this_process() {
        Ok(throttle) => throttle,
        Err(error) => return skipped(Lack::Kernel, error),
    };
    // One read per second: most of the eight below cannot have completed when the queue is closed.
    let limits = Limits { read_iops: Some(1), ..Limits::default() };
    if let Err(error) = throttle.limit(device.number(), limits) {
        return skipped(Lack::Kernel, error);
    }
    let clock = Clock::start();
    let mut left = 0;
    for kind in [BackendKind::IoUring, BackendKind::Libaio] {
        let files = [open_for_read(device.path(), Direct::Yes).unwrap()];
        let mut queue = match open_queue(kind, &files, QueueSize { depth: 8, slot_bytes: 4096 }, clock) {
            Ok(queue) => queue,
            Err(error) => {
                skipped(Lack::Kernel, error);
                continue;
            }
        };
        for slot in 0..8 {
            let offset = u64::from(slot) * 4096;
            queue
                .queue(Io { slot, kind: Direction::Read, file: 0, offset, bytes: 4096, due: Nanos::ZERO })
                .unwrap();
        }
        let mut done: Vec<Completion> = Vec::with_capacity(8);
        queue.submit_and_reap(Wait::Poll, &mut done).unwrap();
        let stuck = queue.close();
        assert!(stuck > 0 && stuck + done.len() <= 8, "{kind:?}: {stuck} of 8");
        left += stuck;
    }
    assert_eq!(kernel::abandoned(), left);
    // Lets the kernel finish, so that the device can be detached.
    throttle.lift(device.number()).unwrap();
}
