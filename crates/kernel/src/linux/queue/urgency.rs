//! I/Os with a priority of their own: a share of each direction, drawn for each I/O.

use workload::{ByDirection, Direction, Terms, Urgent, UrgentLength};

use crate::linux::io_priority;

/// The shares, and how many I/Os have been drawn for.
#[derive(Clone, Debug)]
pub(super) struct Urgency {
    asked: ByDirection<Option<Urgent>>,
    by_length: ByDirection<Vec<UrgentLength>>,
    drawn: u64,
}

impl Urgency {
    /// The shares of a worker with these terms; `None` if all I/Os have the priority of their thread.
    pub(super) fn new(terms: &Terms) -> Option<Box<Urgency>> {
        let (asked, by_length) = (terms.urgent, terms.urgent_lengths.clone());
        let any = asked.iter().any(|(_, urgent)| urgent.is_some());
        let any = any || by_length.iter().any(|(_, lengths)| !lengths.is_empty());
        any.then(|| Box::new(Urgency { asked, by_length, drawn: 0 }))
    }

    /// Draws the priority of the next I/O, of `bytes` bytes, in the kernel's bits; 0 means the thread's own.
    #[cold]
    pub(super) fn draw(&mut self, direction: Direction, bytes: u32) -> u16 {
        if direction == Direction::Flush {
            return 0;
        }
        let mut left = scattered(self.drawn + 1) % 100;
        let lengths = self.by_length.of(direction);
        if !lengths.is_empty() {
            self.drawn += 1;
            let alike = lengths.iter().filter(|share| share.length.0 == u64::from(bytes));
            for share in alike {
                match left.checked_sub(u64::from(share.percent)) {
                    Some(rest) => left = rest,
                    None => return io_priority::bits(share.priority),
                }
            }
            return 0;
        }
        let Some(urgent) = self.asked.of(direction) else { return 0 };
        self.drawn += 1;
        if left < u64::from(urgent.percent) { io_priority::bits(urgent.priority) } else { 0 }
    }
}

/// Number `index` of a sequence without order (the finaliser of `SplitMix64`), so that urgency does not correlate with
/// the offset of an I/O.
fn scattered(index: u64) -> u64 {
    let mut value = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::{Bytes, Priority, PriorityClass};

    #[test]
    fn the_share_of_each_direction_is_urgent_and_the_rest_is_as_its_thread() {
        let low = Priority { class: PriorityClass::BestEffort, level: 7 };
        let read = Some(Urgent { percent: 30, priority: low });
        let write = Some(Urgent { percent: 100, priority: low });
        let asked = ByDirection { read, write, trim: None };
        let mut urgency = Urgency::new(&Terms { urgent: asked, ..Terms::default() }).unwrap();
        let mut urgent = |direction| (0..10_000).filter(|_| urgency.draw(direction, 4096) == 0x4007).count();
        assert!(urgent(Direction::Read).abs_diff(3_000) < 200);
        assert_eq!([Direction::Write, Direction::Trim, Direction::Flush].map(urgent), [10_000, 0, 0]);
        assert!(Urgency::new(&Terms::default()).is_none());
    }

    #[test]
    fn the_length_of_an_io_decides_where_that_is_asked_for() {
        let share = |kib, percent, level| UrgentLength {
            length: Bytes::kib(kib),
            percent,
            priority: Priority { class: PriorityClass::BestEffort, level },
        };
        let read = vec![share(4, 30, 7), share(64, 100, 1), share(4, 50, 2)];
        let lengths = ByDirection { read, ..ByDirection::default() };
        let mut urgency = Urgency::new(&Terms { urgent_lengths: lengths, ..Terms::default() }).unwrap();
        let mut drawn = |direction, bytes| {
            let bits: Vec<u16> = (0..10_000).map(|_| urgency.draw(direction, bytes)).collect();
            [0x4007, 0x4002, 0x4001, 0].map(|wanted| bits.iter().filter(|bits| **bits == wanted).count())
        };
        let [first, second, other, none] = drawn(Direction::Read, 4096);
        assert!(first.abs_diff(3_000) < 200 && second.abs_diff(5_000) < 200, "{first}, {second}");
        assert_eq!((other, first + second + none), (0, 10_000));
        assert_eq!(drawn(Direction::Read, 65_536), [0, 0, 10_000, 0]);
        assert_eq!(drawn(Direction::Read, 8192), [0, 0, 0, 10_000]);
        assert_eq!(drawn(Direction::Write, 4096), [0, 0, 0, 10_000]);
    }
}
