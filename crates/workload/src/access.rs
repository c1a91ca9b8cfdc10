//! Where and which way: the order of offsets, the mix of directions, and which file comes next.

use serde::{Deserialize, Serialize};

use crate::{ByDirection, Bytes, Direction, DiskSpdMode, DiskSpdOrder, Replay, Spread};

/// The order in which blocks of the region are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// One after the other, wrapping at the region's end.
    Sequential,
    /// At random, as [`Access::spread`] says.
    Random(Repeats),
}

/// Whether a random order may visit a block again before it has visited all. Only uniform places of one length can be
/// without repeats; all others are drawn independently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeats {
    /// Each block once a pass, by a keyed permutation of the range.
    Without,
    /// Independent draws.
    With,
}

/// Share of reads among reads and writes, in percent: 100 reads only, 0 writes only; or trims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mix {
    read_percent: u8,
    #[serde(default)]
    trims: Trims,
}

/// Where trims stand in a mix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Trims {
    #[default]
    None,
    /// Where nothing is written.
    Only,
    BeforeEachWrite,
    /// As they come, among writes.
    Among,
}

impl Mix {
    /// Reads only.
    pub const READ: Mix = Mix::reads(100);
    /// Writes only.
    pub const WRITE: Mix = Mix::reads(0);
    /// Trims only.
    pub const TRIM: Mix = Mix { read_percent: 0, trims: Trims::Only };
    /// Pairs: a block is trimmed, then written.
    pub const TRIM_WRITE: Mix = Mix { read_percent: 0, trims: Trims::BeforeEachWrite };

    /// `percent` of reads; above 100 counts as 100.
    pub const fn reads(percent: u8) -> Mix {
        Mix { read_percent: if percent > 100 { 100 } else { percent }, trims: Trims::None }
    }

    /// What a trace with so many I/Os of each direction asks for, which has one at least. Where there are reads and anything
    /// else, neither share is rounded away.
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
        Mix { read_percent, trims }
    }

    /// The share of reads in percent.
    pub const fn read_percent(self) -> u8 {
        self.read_percent
    }

    /// True where no read is asked for.
    pub const fn writes_only(self) -> bool {
        self.read_percent == 0
    }

    /// True where nothing but reads is asked for.
    pub const fn reads_only(self) -> bool {
        self.read_percent == 100
    }

    /// Whether I/O of `direction` is asked for; flushes are no part of a mix.
    pub fn issues(self, direction: Direction) -> bool {
        match direction {
            Direction::Read => self.read_percent > 0,
            Direction::Write => self.read_percent < 100 && self.trims != Trims::Only,
            Direction::Trim => self.trims != Trims::None,
            Direction::Flush => false,
        }
    }

    /// The directions that are asked for.
    pub fn directions(self) -> impl Iterator<Item = Direction> {
        Direction::ALL.into_iter().filter(move |&direction| self.issues(direction))
    }
}

/// Random places with what follows them: `length` I/Os each, before the next place is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// I/Os from one place; at least 1.
    pub length: u32,
    /// Where they go.
    pub follow: Follow,
}

/// Where the I/Os of a run go after its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Follow {
    /// Each behind the one before it.
    Next,
    /// All to the same place.
    Same,
}

/// Which of several files comes next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileTurn {
    /// How it is chosen.
    pub order: FileOrder,
    /// I/Os on a file before the next is chosen; at least 1.
    pub every: u32,
}

/// How the next file is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOrder {
    /// In turn.
    InTurn,
    /// Each as likely.
    Random,
    /// Each in whole before the next.
    OneByOne,
    /// File `k` of the list as likely as `1 / k^theta`.
    Zipf {
        /// Above 0.
        theta: f64,
    },
    /// By Pareto's law: `1 - h` of the I/O to the first `h` of the files.
    Pareto {
        /// Above 0, below 1.
        h: f64,
    },
    /// Normal around the middle of the list.
    Normal {
        /// Standard deviation in percent of the list.
        percent: f64,
    },
}

impl FileTurn {
    /// In turn, an I/O each.
    pub const IN_TURN: FileTurn = FileTurn { order: FileOrder::InTurn, every: 1 };
}

impl Default for FileTurn {
    fn default() -> Self {
        FileTurn::IN_TURN
    }
}

/// I/O in pieces of the region: `size` bytes are done within `range`, then the next piece begins `skip` bytes behind the
/// end of this one's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pieces {
    /// Length of a piece's range.
    pub range: Bytes,
    /// Bytes done before the next piece.
    pub size: Bytes,
    /// Left out between two ranges.
    pub skip: Bytes,
}

/// Where the next I/O goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// The main order.
    pub order: Order,
    /// Percent of I/Os that go to a random place although the order is sequential (fio's `percentage_random`), from where
    /// the sequence then goes on; 0 to 100, kept at 100 for random orders.
    pub random_percent: ByDirection<u8>,
    /// Reads, writes and trims.
    pub mix: Mix,
    /// How random places are distributed.
    #[serde(default)]
    pub spread: Spread,
    /// Bytes from the end of each I/O of a sequential order to the start of the next. After the
    /// first a negative number walks backwards from the region's end: twice the block's length visits block by block.
    #[serde(default)]
    pub stride: i64,
    /// Runs from random places; `None`: each I/O has a place of its own.
    #[serde(default)]
    pub runs: Option<Runs>,
    /// Which file comes next.
    #[serde(default)]
    pub files: FileTurn,
    /// I/O piece by piece; `None`: the whole region at once.
    #[serde(default)]
    pub pieces: Option<Pieces>,
    /// Places and directions by DiskSpd's rules instead of all of the above, which then only describes them.
    #[serde(default)]
    pub diskspd: Option<Box<DiskSpdOrder>>,
    /// The I/Os of a trace instead of all of the above, of which the mix then describes them.
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

    /// Sequential access of which `percent` goes to random places.
    pub const fn partly_random(percent: u8, mix: Mix) -> Access {
        Access::of(Order::Sequential, percent, mix)
    }

    /// Access as `replay` says, and nothing else.
    pub fn replayed(replay: Replay) -> Access {
        let mix = replay.mix();
        Access { replay: Some(Box::new(replay)), ..Access::sequential(mix) }
    }

    /// Whether anything is written to the file with this index, or trimmed.
    pub fn changes(&self, file: usize) -> bool {
        match &self.replay {
            Some(replay) => replay.changed.get(file).copied().unwrap_or(true),
            None => !self.mix.reads_only(),
        }
    }

    /// Whether two I/Os in a row may lie side by side: then the kernel may make one of both where it gets them in one
    /// call, and whoever counts I/Os below counts one.
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
