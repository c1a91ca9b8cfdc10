//! Caps that limits set, by block size, direction and pattern, and the rules that set them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Bytes, BytesPerSecond, Direction, Iops};

use crate::{Accounting, Covers, Limit, Limits, Resource, Rounding};

/// A saturating load, with the properties on which limits depend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Share of reads among the operations, 0 to 1.
    pub read_share: f64,
    /// Bytes of an operation.
    pub block: Bytes,
    /// Whether the provider may merge adjacent operations before it charges them.
    pub locality: Locality,
}

/// Position of each operation relative to the previous one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Locality {
    /// Anywhere.
    #[default]
    Random,
    /// Directly after the previous operation.
    Sequential,
}

/// Which rate of a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The rate that lasts indefinitely.
    Baseline,
    /// The rate while credits last; the baseline if there is no burst.
    Burst,
}

/// Cap of a load under limits, and the rule that sets it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cap {
    /// Operations a second, reads and writes together.
    pub iops: Iops,
    /// Bytes a second, reads and writes together.
    pub bandwidth: BytesPerSecond,
    /// Index into [`Limits::limits`] of the rule that sets the cap.
    pub bound_by: usize,
}

impl Load {
    /// Returns a load of random operations in one direction; any direction but reads counts as writes.
    pub fn random(direction: Direction, block: Bytes) -> Load {
        let read_share = if direction == Direction::Read { 1.0 } else { 0.0 };
        Load { read_share, block, locality: Locality::Random }
    }

    /// Returns a load of random operations, of which this share are reads.
    pub fn mixed(read_share: f64, block: Bytes) -> Load {
        Load { read_share, block, locality: Locality::Random }
    }

    /// Returns this load with sequential operations.
    pub fn sequential(self) -> Load {
        Load { locality: Locality::Sequential, ..self }
    }
}

impl Accounting {
    /// Returns the units that an operation of `block` bytes is charged.
    ///
    /// `ceil`: whole units, at least one. `proportional`: its length in units, at least one. Sequential
    /// operations that may be merged: their length in units, because merging fills whole units.
    pub fn units(&self, block: Bytes, locality: Locality) -> f64 {
        let length = block.0 as f64 / self.unit.0 as f64;
        if locality == Locality::Sequential && self.merge_sequential {
            return length;
        }
        match self.rounding {
            Rounding::Ceil => block.0.div_ceil(self.unit.0).max(1) as f64,
            Rounding::Proportional => length.max(1.0),
        }
    }
}

impl Limit {
    /// Returns the charge of one operation, in operations or bytes.
    pub fn charge(&self, block: Bytes, locality: Locality) -> f64 {
        match (self.resource, &self.accounting) {
            (Resource::Iops, None) => 1.0,
            (Resource::Iops, Some(accounting)) => accounting.units(block, locality),
            (Resource::Bytes, None) => block.0 as f64,
            (Resource::Bytes, Some(accounting)) => {
                accounting.units(block, locality) * accounting.unit.0 as f64
            }
        }
    }

    /// Returns the rate at a level, in operations or bytes a second.
    pub fn rate(&self, level: Level) -> f64 {
        match (level, &self.burst) {
            (Level::Burst, Some(burst)) => burst.rate,
            _ => self.baseline,
        }
    }

    /// Returns the charge of an average operation of a load under this rule; 0 if the rule does not cover it.
    pub(crate) fn cost(&self, load: &Load) -> f64 {
        let share = match self.direction {
            Covers::Total => 1.0,
            Covers::Read => load.read_share,
            Covers::Write => 1.0 - load.read_share,
        };
        share * self.charge(load.block, load.locality)
    }
}

impl Limits {
    /// Returns the cap of an endless load: the least rate of all rules, `min(C_ops / ceil(bs / u), C_bw / bs)` if
    /// there is one rule of each kind. `None` if no rule covers the load.
    pub fn cap(&self, load: &Load, level: Level) -> Option<Cap> {
        let costs = self.limits.iter().map(|limit| (limit.cost(load), limit.rate(level))).enumerate();
        let rates = costs.filter(|&(_, (cost, _))| cost > 0.0).map(|(at, (cost, rate))| (at, rate / cost));
        let (bound_by, iops) = rates.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Cap { iops: Iops(iops), bandwidth: BytesPerSecond(iops * load.block.0 as f64), bound_by })
    }

    /// Returns the operations a second of random I/O of one direction and block size; `None` if no rule covers it.
    pub fn cap_iops(&self, direction: Direction, block: Bytes, level: Level) -> Option<Iops> {
        self.cap(&Load::random(direction, block), level).map(|cap| cap.iops)
    }

    /// Returns the block size from which bytes, not operations, limit random I/O of one direction: `C_bw / C_ops`.
    ///
    /// `None` if only one of the two is limited, or if operations are the limit at every size because above
    /// the unit of accounting longer operations cost in proportion.
    pub fn crossover(&self, direction: Direction, level: Level) -> Option<Bytes> {
        let ops = self.tightest(Resource::Iops, direction, level)?;
        let bytes = self.tightest(Resource::Bytes, direction, level)?;
        let block = bytes.rate(level) / ops.rate(level);
        let counted_by_size = ops.accounting.is_some_and(|accounting| block > accounting.unit.0 as f64);
        let possible = !counted_by_size && bytes.accounting.is_none();
        possible.then_some(Bytes(block.round() as u64))
    }

    /// Returns the rule with the least rate among those that count `resource` and cover `direction`.
    pub fn tightest(&self, resource: Resource, direction: Direction, level: Level) -> Option<&Limit> {
        let covering = self.limits.iter().filter(|l| l.resource == resource && l.direction.covers(direction));
        covering.min_by(|a, b| a.rate(level).total_cmp(&b.rate(level)))
    }
}
