//! What limits let through: caps by block size, direction and pattern, and which rule sets them.

use serde::{Deserialize, Serialize};
use workload::{Bytes, BytesPerSecond, Direction, Iops};

use crate::{Accounting, Covers, Limit, Limits, Resource, Rounding};

/// A saturating load, as far as limits look at it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Share of reads among its operations, 0 to 1.
    pub read_share: f64,
    /// Bytes an operation.
    pub block: Bytes,
    /// Whether the provider may merge neighbours before it charges.
    pub locality: Locality,
}

/// How operations follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Locality {
    /// Anywhere.
    #[default]
    Random,
    /// Each behind the one before.
    Sequential,
}

/// Which rate of a rule is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// What holds for ever.
    Baseline,
    /// What holds while the credits last; the baseline where there is no burst.
    Burst,
}

/// What comes through, and what stops the rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cap {
    /// Operations a second, reads and writes together.
    pub iops: Iops,
    /// Bytes a second, reads and writes together.
    pub bandwidth: BytesPerSecond,
    /// Index into [`Limits::limits`] of the rule that stops it.
    pub bound_by: usize,
}

impl Load {
    /// Random operations of one direction; anything but reads counts as writes.
    pub fn random(direction: Direction, block: Bytes) -> Load {
        let read_share = if direction == Direction::Read { 1.0 } else { 0.0 };
        Load { read_share, block, locality: Locality::Random }
    }

    /// Random operations, this share of them reads.
    pub fn mixed(read_share: f64, block: Bytes) -> Load {
        Load { read_share, block, locality: Locality::Random }
    }

    /// The same in sequence.
    pub fn sequential(self) -> Load {
        Load { locality: Locality::Sequential, ..self }
    }
}

impl Accounting {
    /// Units that an operation of `block` bytes is charged.
    ///
    /// `ceil`: whole units, at least one. `proportional`: as many as it is long, at least one. Sequential operations that
    /// may be merged: their length, since merging fills whole units.
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
    /// What one operation costs: charged operations, or charged bytes.
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

    /// The rate at a level, in operations or bytes a second.
    pub fn rate(&self, level: Level) -> f64 {
        match (level, &self.burst) {
            (Level::Burst, Some(burst)) => burst.rate,
            _ => self.baseline,
        }
    }

    /// What one average operation of a load costs under this rule; 0 where the rule does not cover it.
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
    /// What comes through of a load without end: the least of every rule, `min(C_ops / ceil(bs / u), C_bw / bs)` where
    /// there is one of each. `None` where no rule covers the load.
    pub fn cap(&self, load: &Load, level: Level) -> Option<Cap> {
        let costs = self.limits.iter().map(|limit| (limit.cost(load), limit.rate(level))).enumerate();
        let rates = costs.filter(|&(_, (cost, _))| cost > 0.0).map(|(at, (cost, rate))| (at, rate / cost));
        let (bound_by, iops) = rates.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Cap { iops: Iops(iops), bandwidth: BytesPerSecond(iops * load.block.0 as f64), bound_by })
    }

    /// Operations a second of random I/O of one direction and block size; `None` where no rule covers it.
    pub fn cap_iops(&self, direction: Direction, block: Bytes, level: Level) -> Option<Iops> {
        self.cap(&Load::random(direction, block), level).map(|cap| cap.iops)
    }

    /// The block size from which bytes stop random I/O of one direction and no longer operations: `C_bw / C_ops`.
    ///
    /// `None` where only one of the two is limited, or where operations stop at every size, because a unit of
    /// accounting reached before makes longer operations cost in proportion.
    pub fn crossover(&self, direction: Direction, level: Level) -> Option<Bytes> {
        let ops = self.tightest(Resource::Iops, direction, level)?;
        let bytes = self.tightest(Resource::Bytes, direction, level)?;
        let block = bytes.rate(level) / ops.rate(level);
        let counted_by_size = ops.accounting.is_some_and(|accounting| block > accounting.unit.0 as f64);
        let possible = !counted_by_size && bytes.accounting.is_none();
        possible.then_some(Bytes(block.round() as u64))
    }

    /// The rule of the least rate among those that count `resource` and cover `direction`.
    pub fn tightest(&self, resource: Resource, direction: Direction, level: Level) -> Option<&Limit> {
        let covering = self.limits.iter().filter(|l| l.resource == resource && l.direction.covers(direction));
        covering.min_by(|a, b| a.rate(level).total_cmp(&b.rate(level)))
    }
}
