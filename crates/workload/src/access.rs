//! Where and which way: the order of offsets and the mix of reads and writes.

use serde::{Deserialize, Serialize};

/// The order in which blocks of the region are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// One after the other, wrapping at the region's end.
    Sequential,
    /// Uniformly at random.
    Random(Repeats),
}

/// Whether a random order may visit a block again before it has visited all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeats {
    /// Each block once a pass, by a keyed permutation of the range.
    Without,
    /// Independent draws.
    With,
}

/// Share of reads among reads and writes, in percent: 100 reads only, 0 writes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mix {
    read_percent: u8,
}

impl Mix {
    /// Reads only.
    pub const READ: Mix = Mix { read_percent: 100 };
    /// Writes only.
    pub const WRITE: Mix = Mix { read_percent: 0 };

    /// `percent` of reads; above 100 counts as 100.
    pub const fn reads(percent: u8) -> Mix {
        Mix { read_percent: if percent > 100 { 100 } else { percent } }
    }

    /// The share of reads in percent.
    pub const fn read_percent(self) -> u8 {
        self.read_percent
    }

    /// True where no read is asked for.
    pub const fn writes_only(self) -> bool {
        self.read_percent == 0
    }

    /// True where no write is asked for.
    pub const fn reads_only(self) -> bool {
        self.read_percent == 100
    }
}

/// Where the next I/O goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// The main order.
    pub order: Order,
    /// Percent of I/Os that go to a random place although the order is sequential (fio's `percentage_random`); 0 to 100,
    /// kept at 100 for random orders.
    pub random_percent: u8,
    /// Reads and writes.
    pub mix: Mix,
}

impl Access {
    /// Random access without repeats.
    pub const fn random(mix: Mix) -> Access {
        Access { order: Order::Random(Repeats::Without), random_percent: 100, mix }
    }

    /// Sequential access.
    pub const fn sequential(mix: Mix) -> Access {
        Access { order: Order::Sequential, random_percent: 0, mix }
    }
}
