//! Which I/Os of a queue go before the others: of each direction a share, drawn for each I/O.

use workload::{ByDirection, Direction, Urgent};

use crate::linux::io_priority;

/// The shares, and how many were drawn.
#[derive(Clone, Debug)]
pub(super) struct Urgency {
    asked: ByDirection<Option<Urgent>>,
    drawn: u64,
}

impl Urgency {
    /// `None` where all I/Os are as urgent as their thread.
    pub(super) fn new(asked: ByDirection<Option<Urgent>>) -> Option<Box<Urgency>> {
        let any = asked.iter().any(|(_, urgent)| urgent.is_some());
        any.then(|| Box::new(Urgency { asked, drawn: 0 }))
    }

    /// The priority of the next I/O, in the kernel's bits; 0 for that of its thread.
    #[cold]
    pub(super) fn draw(&mut self, direction: Direction) -> u16 {
        let Some(urgent) = self.asked.of(direction).filter(|_| direction != Direction::Flush) else {
            return 0;
        };
        self.drawn += 1;
        let is_urgent = scattered(self.drawn) % 100 < u64::from(urgent.percent);
        if is_urgent { io_priority::bits(urgent.priority) } else { 0 }
    }
}

/// The number `index` of a sequence without order (the finaliser of `SplitMix64`), so that what is urgent does not go with
/// where an I/O goes.
fn scattered(index: u64) -> u64 {
    let mut value = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::{Priority, PriorityClass};

    #[test]
    fn the_share_of_each_direction_is_urgent_and_the_rest_is_as_its_thread() {
        let low = Priority { class: PriorityClass::BestEffort, level: 7 };
        let read = Some(Urgent { percent: 30, priority: low });
        let write = Some(Urgent { percent: 100, priority: low });
        let mut urgency = Urgency::new(ByDirection { read, write, trim: None }).unwrap();
        let mut urgent = |direction| (0..10_000).filter(|_| urgency.draw(direction) == 0x4007).count();
        assert!(urgent(Direction::Read).abs_diff(3_000) < 200);
        assert_eq!([Direction::Write, Direction::Trim, Direction::Flush].map(urgent), [10_000, 0, 0]);
        assert!(Urgency::new(ByDirection::default()).is_none());
    }
}
