//! I/Os on the same bytes: at the same time, or one after the other if the plan asks for it.

use crate::vocabulary::*;
use engine::{Volume, VolumeAnswer};
use workload::{Access, Bytes, Io, Mix, Nanos, Order, Overlap, Repeats, Terms, WorkerPlan};

/// Serves each I/O in a different time and counts those that met another on the same bytes.
#[derive(Default)]
struct Watching {
    in_flight: Vec<(Nanos, Io)>,
    met: usize,
    deepest: usize,
    served: usize,
}

impl Volume for Watching {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        self.in_flight.retain(|(done_at, _)| *done_at > now);
        let end = |io: &Io| io.offset + u64::from(io.bytes);
        let meets = |other: &Io| other.offset < end(io) && io.offset < end(other);
        self.met += self.in_flight.iter().filter(|(_, other)| meets(other)).count();
        self.served += 1;
        // Later ones may overtake earlier ones.
        let done_at = now + Nanos::from_micros(100 + 37 * (self.served as u64 % 11));
        self.in_flight.push((done_at, *io));
        self.deepest = self.deepest.max(self.in_flight.len());
        VolumeAnswer { done_at, result: io.bytes as i32 }
    }
}

/// Reads and writes at random offsets in 16 blocks, at depth 8.
fn crowded(overlap: Overlap, order: Order) -> WorkerPlan {
    WorkerPlan {
        files: vec![file(Bytes(0), Bytes::kib(64))],
        access: Access { order, ..Access::random(Mix::reads(50)) },
        terms: Terms { overlap, ..Terms::default() },
        ..at_depth(8)
    }
}

#[test]
fn ios_on_the_same_bytes_wait_for_each_other_where_that_is_asked_for() {
    for order in [Order::Random(Repeats::With), Order::Random(Repeats::Without)] {
        let mut volume = Watching::default();
        let record = simulate(&for_ops(2_000, vec![crowded(Overlap::HeldBack, order)]), &mut volume);
        assert_eq!((volume.met, volume.served), (0, 2_000), "{order:?}");
        assert!(volume.deepest > 4, "the others go on side by side: {}", volume.deepest);
        assert_adds_up(&record);
    }
    let mut volume = Watching::default();
    let plan = crowded(Overlap::Allowed, Order::Random(Repeats::With));
    simulate(&for_ops(2_000, vec![plan]), &mut volume);
    assert!(volume.met > 200, "{}", volume.met);
}

/// An I/O that waits is not left out, even if it has a due time.
#[test]
fn a_pace_is_kept_although_some_wait() {
    let plan = WorkerPlan {
        pace: workload::Pace::Fixed(workload::Iops(10_000.0)),
        ..crowded(Overlap::HeldBack, Order::Random(Repeats::With))
    };
    let mut volume = Watching::default();
    simulate(&for_seconds(1, vec![plan]), &mut volume);
    assert_eq!(volume.met, 0);
    assert!((9_900..=10_001).contains(&volume.served), "{}", volume.served);
}
