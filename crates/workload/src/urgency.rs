//! I/Os with a priority of their own: a share of each direction, drawn for each I/O.

use crate::{ByDirection, Direction, Priority, Terms, Urgent, UrgentLength};

/// The shares, and how many I/Os have been drawn for. Two of one worker draw the same for the same I/Os.
#[derive(Clone, Debug)]
pub struct Urgency {
    asked: ByDirection<Option<Urgent>>,
    by_length: ByDirection<Vec<UrgentLength>>,
    drawn: u64,
}

impl Urgency {
    /// The shares of a worker with these terms; `None` if all I/Os have the priority of their thread.
    pub fn new(terms: &Terms) -> Option<Box<Urgency>> {
        let (asked, by_length) = (terms.urgent, terms.urgent_lengths.clone());
        let any = asked.iter().any(|(_, urgent)| urgent.is_some());
        let any = any || by_length.iter().any(|(_, lengths)| !lengths.is_empty());
        any.then(|| Box::new(Urgency { asked, by_length, drawn: 0 }))
    }

    /// Draws the priority of the next I/O, of `bytes` bytes; `None` is the thread's own.
    #[cold]
    pub fn draw(&mut self, direction: Direction, bytes: u32) -> Option<Priority> {
        if direction == Direction::Flush {
            return None;
        }
        let mut left = scattered(self.drawn + 1) % 100;
        let lengths = self.by_length.of(direction);
        if !lengths.is_empty() {
            self.drawn += 1;
            let alike = lengths.iter().filter(|share| share.length.0 == u64::from(bytes));
            for share in alike {
                match left.checked_sub(u64::from(share.percent)) {
                    Some(rest) => left = rest,
                    None => return Some(share.priority),
                }
            }
            return None;
        }
        let urgent = self.asked.of(direction).as_ref()?;
        self.drawn += 1;
        (left < u64::from(urgent.percent)).then_some(urgent.priority)
    }
}

impl Terms {
    /// The priorities that I/Os of the worker can have beside its own, each once.
    pub fn priorities(&self) -> Vec<Priority> {
        let whole =
            self.urgent.iter().filter_map(|(_, urgent)| urgent.as_ref().map(|urgent| urgent.priority));
        let lengths = self.urgent_lengths.iter().flat_map(|(_, lengths)| lengths).map(|share| share.priority);
        let mut each = Vec::new();
        whole.chain(lengths).for_each(|priority| {
            if !each.contains(&priority) {
                each.push(priority);
            }
        });
        each
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
    use crate::{Bytes, PriorityClass};

    #[test]
    fn the_share_of_each_direction_is_urgent_and_the_rest_is_as_its_thread() {
        let low = Priority { class: PriorityClass::BestEffort, level: 7 };
        let read = Some(Urgent { percent: 30, priority: low });
        let write = Some(Urgent { percent: 100, priority: low });
        let asked = ByDirection { read, write, trim: None };
        let mut urgency = Urgency::new(&Terms { urgent: asked, ..Terms::default() }).unwrap();
        let mut urgent =
            |direction| (0..10_000).filter(|_| urgency.draw(direction, 4096) == Some(low)).count();
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
        let terms = Terms { urgent_lengths: lengths, ..Terms::default() };
        assert_eq!(terms.priorities().iter().map(|each| each.level).collect::<Vec<_>>(), [7, 1, 2]);
        let mut urgency = Urgency::new(&terms).unwrap();
        let mut drawn = |direction, bytes| {
            let levels: Vec<u8> =
                (0..10_000).map(|_| urgency.draw(direction, bytes).map_or(9, |drawn| drawn.level)).collect();
            [7, 2, 1, 9].map(|wanted| levels.iter().filter(|level| **level == wanted).count())
        };
        let [first, second, other, none] = drawn(Direction::Read, 4096);
        assert!(first.abs_diff(3_000) < 200 && second.abs_diff(5_000) < 200, "{first}, {second}");
        assert_eq!((other, first + second + none), (0, 10_000));
        assert_eq!(drawn(Direction::Read, 65_536), [0, 0, 10_000, 0]);
        assert_eq!(drawn(Direction::Read, 8192), [0, 0, 0, 10_000]);
        assert_eq!(drawn(Direction::Write, 4096), [0, 0, 0, 10_000]);
    }
}
