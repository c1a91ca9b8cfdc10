//! The places and directions of I/O: the order of offsets, the mix of directions, and the choice of the next file.

use serde::{Deserialize, Serialize};

use crate::{ByDirection, Bytes, Direction, DiskSpdMode, DiskSpdOrder, Replay, Spread};

/// The order in which blocks of the region are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Consecutive blocks, wrapping at the region's end.
    Sequential,
    /// Random blocks, distributed as [`Access::spread`] says.
    Random(Repeats),
}

/// Whether a random order may visit a block again before it has visited all of them. Only an order of uniform places can be
/// free of repeats; of several lengths, those that would reach a visited block are shortened. All others are drawn
/// independently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeats {
    /// Each block once per pass, by a keyed permutation of the range.
    Without,
    /// Independent draws.
    With,
}

/// Share of reads among reads and writes in percent (100: reads only, 0: writes only), and the place of trims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mix {
    read_percent: u8,
    #[serde(default)]
    trims: Trims,
    /// See [`Mix::drawn`]. Not stored in a run file.
    #[serde(skip)]
    seed: Option<u32>,
}

/// Place of trims in a mix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Trims {
    #[default]
    None,
    /// Trims instead of writes.
    Only,
    BeforeEachWrite,
    /// Trims among writes, in no fixed order.
    Among,
}

impl Mix {
    /// Reads only.
    pub const READ: Mix = Mix::reads(100);
    /// Writes only.
    pub const WRITE: Mix = Mix::reads(0);
    /// Trims only.
    pub const TRIM: Mix = Mix { trims: Trims::Only, ..Mix::WRITE };
    /// Pairs of a trim and a write of the same block.
    pub const TRIM_WRITE: Mix = Mix { trims: Trims::BeforeEachWrite, ..Mix::WRITE };

    /// Reads in `percent` of I/Os, writes in the rest; above 100 counts as 100.
    pub const fn reads(percent: u8) -> Mix {
        Mix { read_percent: if percent > 100 { 100 } else { percent }, trims: Trims::None, seed: None }
    }

    /// The mix of a trace with these numbers of I/Os, at least one in all. If there are reads and other I/Os, neither share
    /// is rounded to zero.
    pub fn counted(reads: u64, writes: u64, trims: u64) -> Mix {
        let all = (u128::from(reads) + u128::from(writes) + u128::from(trims)).max(1);
        let others = writes > 0 || trims > 0;
        let percent = (u128::from(reads) * 100 / all) as u8;
        let read_percent = match (reads > 0, others) {
            (false, true) => 0,
            (true, true) => percent.clamp(1, 99),
            (_, false) => 100,
        };
        let trims = match (writes > 0, trims > 0) {
            (_, false) => Trims::None,
            (false, true) => Trims::Only,
            (true, true) => Trims::Among,
        };
        Mix { read_percent, trims, seed: None }
    }

    /// This mix with each direction drawn on its own by fio's rule from `seed`, so that reads and writes come in the same
    /// order as in fio, instead of an exact share in every hundred.
    pub const fn drawn(self, seed: u32) -> Mix {
        Mix { seed: Some(seed), ..self }
    }

    /// The seed of directions drawn as in fio.
    pub const fn seed(self) -> Option<u32> {
        self.seed
    }

    /// The share of reads in percent.
    pub const fn read_percent(self) -> u8 {
        self.read_percent
    }

    /// Whether the mix has no reads.
    pub const fn writes_only(self) -> bool {
        self.read_percent == 0
    }

    /// Whether the mix has only reads.
    pub const fn reads_only(self) -> bool {
        self.read_percent == 100
    }

    /// Whether the mix issues I/O of `direction`; flushes are not part of a mix.
    pub fn issues(self, direction: Direction) -> bool {
        match direction {
            Direction::Read => self.read_percent > 0,
            Direction::Write => self.read_percent < 100 && self.trims != Trims::Only,
            Direction::Trim => self.trims != Trims::None,
            Direction::Flush => false,
        }
    }

    /// The directions that the mix issues.
    pub fn directions(self) -> impl Iterator<Item = Direction> {
        Direction::ALL.into_iter().filter(move |&direction| self.issues(direction))
    }
}

/// Runs of `length` I/Os, each run beginning at a random place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// I/Os per run; at least 1.
    pub length: u32,
    /// Places of the I/Os after the first of a run.
    pub follow: Follow,
}

/// Places of the I/Os after the first of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Follow {
    /// Each directly after the previous one.
    Next,
    /// All to the same place.
    Same,
}

/// Choice of the next file among several.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileTurn {
    /// How the next file is chosen.
    pub order: FileOrder,
    /// I/Os on a file before the next is chosen; at least 1.
    pub every: u32,
}

/// How the next file is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOrder {
    /// Round robin.
    InTurn,
    /// Uniformly at random.
    Random,
    /// Each file completely before the next.
    OneByOne,
    /// Rank `k`, counted from 1, with probability proportional to `1 / k^theta`; the first file has the first 1024 ranks,
    /// the next those that follow, and so on.
    Zipf {
        /// Exponent; above 0.
        theta: f64,
    },
    /// Pareto's law: `1 - h` of the I/O goes to the first `h` of the files.
    Pareto {
        /// Share of the files; above 0, below 1.
        h: f64,
    },
    /// Normally distributed around the middle of the list.
    Normal {
        /// Even draw in percent of the list, at most 50, that is added to the mean of twelve over all of it, as in fio.
        percent: f64,
    },
}

impl FileTurn {
    /// Round robin, one I/O per file.
    pub const IN_TURN: FileTurn = FileTurn { order: FileOrder::InTurn, every: 1 };
}

impl Default for FileTurn {
    fn default() -> Self {
        FileTurn::IN_TURN
    }
}

/// I/O in pieces of the region: `size` bytes are done within `range`, then the next piece begins `skip` bytes after the
/// end of that range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pieces {
    /// Length of a piece's range.
    pub range: Bytes,
    /// Bytes done in a piece before the next one.
    pub size: Bytes,
    /// Bytes left out between two ranges.
    pub skip: Bytes,
}

/// How the place and direction of the next I/O are chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// The main order.
    pub order: Order,
    /// Percent of I/Os that go to a random place although the order is sequential (fio's `percentage_random`); the
    /// sequence then continues from that place. 0 to 100; kept at 100 for random orders.
    pub random_percent: ByDirection<u8>,
    /// Mix of reads, writes and trims.
    pub mix: Mix,
    /// Distribution of random places.
    #[serde(default)]
    pub spread: Spread,
    /// Bytes from the end of each I/O of a sequential order to the start of the next. A negative number walks backwards
    /// from the region's end, in a region at the start of its file after the first I/O: minus twice the block's length
    /// visits block by block.
    #[serde(default)]
    pub stride: i64,
    /// Runs from random places; `None`: each I/O draws its own place.
    #[serde(default)]
    pub runs: Option<Runs>,
    /// Choice of the next file.
    #[serde(default)]
    pub files: FileTurn,
    /// I/O in pieces; `None`: the whole region at once.
    #[serde(default)]
    pub pieces: Option<Pieces>,
    /// Places and directions by DiskSpd's rules instead of all other fields, which then merely describe them.
    #[serde(default)]
    pub diskspd: Option<Box<DiskSpdOrder>>,
    /// I/Os of a trace instead of all other fields; the mix then merely describes them.
    #[serde(default)]
    pub replay: Option<Box<Replay>>,
}

impl Access {
    /// Random access without repeats.
    pub const fn random(mix: Mix) -> Access {
        Access::of(Order::Random(Repeats::Without), 100, mix)
    }

    /// Sequential access.
    pub const fn sequential(mix: Mix) -> Access {
        Access::of(Order::Sequential, 0, mix)
    }

    /// Sequential access with `percent` of I/Os at random places.
    pub const fn partly_random(percent: u8, mix: Mix) -> Access {
        Access::of(Order::Sequential, percent, mix)
    }

    /// Access exactly as in `replay`.
    pub fn replayed(replay: Replay) -> Access {
        let mix = replay.mix();
        Access { replay: Some(Box::new(replay)), ..Access::sequential(mix) }
    }

    /// Whether the file with this index is written or trimmed.
    pub fn changes(&self, file: usize) -> bool {
        match &self.replay {
            Some(replay) => replay.changed.get(file).copied().unwrap_or(true),
            None => !self.mix.reads_only(),
        }
    }

    /// Whether two consecutive I/Os may be adjacent: the kernel may merge them if it receives both in one call, and
    /// counters below it then count one.
    pub fn has_neighbours(&self) -> bool {
        let follows = self.runs.is_some_and(|runs| runs.follow == Follow::Next);
        let walks = |order: &DiskSpdOrder| order.walks.iter().any(|walk| walk.mode != DiskSpdMode::Random);
        follows
            || match (&self.diskspd, self.order) {
                (Some(order), _) => walks(order),
                (None, Order::Random(_)) => false,
                (None, Order::Sequential) => {
                    self.mix.directions().any(|way| *self.random_percent.of(way) < 100)
                }
            }
    }

    const fn of(order: Order, random_percent: u8, mix: Mix) -> Access {
        Access {
            order,
            random_percent: ByDirection::all(random_percent),
            mix,
            spread: Spread::Uniform,
            stride: 0,
            runs: None,
            files: FileTurn::IN_TURN,
            pieces: None,
            diskspd: None,
            replay: None,
        }
    }
}
