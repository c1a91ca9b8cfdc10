//! Sums over the units of a group: the status lines at the end, and the share of each unit.

use super::unit::{NAMES, Unit};

/// One direction of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GroupDirection {
    /// Bytes moved.
    pub bytes: u64,
    /// Shortest run time of a unit in milliseconds.
    pub runtime_ms_min: u64,
    /// Longest run time of a unit in milliseconds.
    pub runtime_ms_max: u64,
    /// Lowest rate of a unit, in bytes a second.
    pub rate_min: u64,
    /// Highest rate of a unit, in bytes a second.
    pub rate_max: u64,
}

impl GroupDirection {
    /// Rate of the whole group, in bytes a second.
    pub fn rate(&self) -> u64 {
        (u128::from(self.bytes) * 1000).checked_div(u128::from(self.runtime_ms_max)).unwrap_or(0) as u64
    }

    fn add(&mut self, bytes: u64, runtime_ms: u64, rate: u64) {
        let first = self.runtime_ms_max == 0;
        self.bytes += bytes;
        self.runtime_ms_min = if first { runtime_ms } else { self.runtime_ms_min.min(runtime_ms) };
        self.runtime_ms_max = self.runtime_ms_max.max(runtime_ms);
        self.rate_min = if first { rate } else { self.rate_min.min(rate) };
        self.rate_max = self.rate_max.max(rate);
    }

    /// Share of the group's rate, in percent, of a unit whose mean rate is `kib_per_second`; at most 100.
    pub fn percent(&self, kib_per_second: f64) -> f64 {
        match self.rate() {
            0 => 0.0,
            rate => (100.0 * kib_per_second * 1024.0 / rate as f64).min(100.0),
        }
    }
}

/// A group of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Number of the group.
    pub id: u32,
    /// Sums by direction, in the order of [`NAMES`].
    pub directions: [GroupDirection; 4],
}

impl Group {
    /// The groups of `units`, in order.
    pub fn all(units: &[Unit]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for unit in units {
            let id = unit.first.group;
            if groups.last().is_none_or(|group| group.id != id) {
                groups.push(Group { id, directions: Default::default() });
            }
            let Some(group) = groups.last_mut() else { continue };
            for (place, figures) in unit.reported() {
                if figures.runtime_ms > 0 {
                    group.directions[place].add(
                        figures.bytes,
                        figures.runtime_ms,
                        figures.bytes_per_second(),
                    );
                }
            }
        }
        groups
    }

    /// Sums of the group that contains `unit`, in the direction at index `place`.
    pub fn of(groups: &[Group], unit: &Unit, place: usize) -> GroupDirection {
        let group = groups.iter().find(|group| group.id == unit.first.group);
        group.map(|group| group.directions[place.min(NAMES.len() - 1)]).unwrap_or_default()
    }
}
