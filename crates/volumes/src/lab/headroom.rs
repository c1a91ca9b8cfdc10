//! Checks that a lab volume is limited by the throttle, not by its devices: their rates before the throttle is set.

use std::path::Path;

use kernel::{Clock, Direct, OpenFile, QueueSize, open_for_read, open_queue, probe};
use statistics::Stream;
use workload::{Bytes, BytesPerSecond, Completion, Direction, Io, Iops, Nanos, Wait, grouped};

use super::InForce;

/// Length of each of the two probes: ten slices of a busy machine's scheduler, but not noticeable.
const PROBE: Nanos = Nanos::from_millis(150);
/// Block size of the first probe, whose rate is limited in operations.
const SMALL: Bytes = Bytes::kib(4);
/// Block size of the second probe, whose rate is limited in bytes.
const LARGE: Bytes = Bytes::kib(256);
/// Queue depth of the probes; enough for any loop device.
const DEPTH: u32 = 32;
/// Factor by which the devices must exceed a cap for the measurement to show the cap; the probe is short.
const MARGIN: f64 = 1.25;

/// Read rates of the devices without a throttle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Headroom {
    /// Random reads of 4 KiB a second.
    iops: Iops,
    /// Random reads of 256 KiB, in bytes a second.
    bandwidth: BytesPerSecond,
}

impl Headroom {
    /// Reads the device at random for a moment; `None` if no queue is available.
    pub(crate) fn measure(device: &Path) -> Option<Headroom> {
        let file = open_for_read(device, Direct::Yes).ok()?;
        let probe = || {
            let iops = reads_per_second(&file, SMALL)?;
            let bandwidth = reads_per_second(&file, LARGE)? * LARGE.0 as f64;
            Some(Headroom { iops: Iops(iops), bandwidth: BytesPerSecond(bandwidth) })
        };
        // A separate thread: the kernel releases the resources of an io_uring when the thread that registered it ends.
        std::thread::scope(|scope| scope.spawn(probe).join().ok().flatten())
    }

    /// Returns a note if the caps are not clearly below the rates of the devices.
    pub(crate) fn note(&self, limits: &InForce) -> Option<String> {
        let above = |one: Option<u64>, other: Option<u64>, reached: f64| {
            one.max(other).is_some_and(|cap| cap as f64 * MARGIN > reached)
        };
        let short = above(limits.read_iops, limits.write_iops, self.iops.0)
            || above(limits.read_bps, limits.write_bps, self.bandwidth.0);
        short.then(|| {
            format!(
                "Without the throttle the devices read {} IOPS and {}/s here: the policy is not clearly below that, so the \
                 machine's own speed may be measured.",
                grouped(self.iops.0 as u64),
                Bytes(self.bandwidth.0 as u64)
            )
        })
    }
}

fn reads_per_second(file: &OpenFile, block: Bytes) -> Option<f64> {
    let clock = Clock::start();
    let (kind, _) = probe().into_iter().find(|(_, usable)| usable.is_ok())?;
    let mut queue = open_queue(
        kind,
        std::slice::from_ref(file),
        QueueSize { depth: DEPTH, slot_bytes: block.0 as usize },
        clock,
    )
    .ok()?;
    let mut random = Stream::new(block.0, 0);
    let mut free: Vec<u32> = (0..DEPTH).collect();
    let mut done: Vec<Completion> = Vec::with_capacity(DEPTH as usize);
    let (mut count, from) = (0, clock.now());
    while clock.now().since(from) < PROBE {
        while queue.room() > 0 {
            let Some(slot) = free.pop() else { break };
            let offset = random.below(file.size().0 / block.0) * block.0;
            let bytes = block.0 as u32;
            let io = Io { slot, kind: Direction::Read, file: 0, offset, bytes, due: Nanos::ZERO };
            queue.queue(io).ok()?;
        }
        done.clear();
        queue.submit_and_reap(Wait::One, &mut done).ok()?;
        count += done.len();
        free.extend(done.iter().map(|done| done.slot));
        assert!(
            free.len() + queue.in_flight() == DEPTH as usize,
            "a slot of the probe was lost or came back twice"
        );
    }
    let rate = count as f64 / clock.now().since(from).as_secs_f64();
    queue.close();
    Some(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_near_what_the_machine_does_is_said() {
        let headroom = Headroom { iops: Iops(30_000.0), bandwidth: BytesPerSecond(800.0 * 1024.0 * 1024.0) };
        let each = |iops, bps| InForce { read_iops: iops, write_bps: bps, ..InForce::default() };
        assert_eq!(headroom.note(&each(Some(5_000), Some(200 << 20))), None);
        assert_eq!(headroom.note(&each(None, None)), None);
        for limits in [each(Some(25_000), None), each(Some(100), Some(700 << 20))] {
            let note = headroom.note(&limits).unwrap();
            assert!(note.contains("30,000 IOPS and 800 MiB/s"), "{note}");
        }
    }

    #[test]
    fn a_file_can_be_probed() {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![1u8; 1 << 20]).unwrap();
        match Headroom::measure(&path) {
            Some(headroom) => assert!(headroom.iops.0 > 0.0 && headroom.bandwidth.0 > 0.0),
            None => testbed::skipped(testbed::Lack::Kernel, format!("{} has no direct I/O", path.display())),
        }
    }
}
