//! Which of a worker's files comes next.

use statistics::{Pareto, Stream, Zipf};
use workload::{FileOrder, FileTurn};

/// Chooses files.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    choice: Choice,
    files: u32,
    every: u32,
    /// I/Os left on the file.
    left: u32,
    file: u32,
    stream: Stream,
}

#[derive(Clone, Debug)]
enum Choice {
    InTurn,
    Random,
    OneByOne,
    Zipf(Zipf),
    Pareto(Pareto),
    /// Standard deviation in files.
    Normal(f64),
}

impl Turn {
    pub(super) fn new(turn: FileTurn, files: usize, stream: Stream) -> Turn {
        let count = files.max(1) as u64;
        let choice = match turn.order {
            FileOrder::InTurn => Some(Choice::InTurn),
            FileOrder::Random => Some(Choice::Random),
            FileOrder::OneByOne => Some(Choice::OneByOne),
            FileOrder::Zipf { theta } => Zipf::new(count, theta).map(Choice::Zipf),
            FileOrder::Pareto { h } => Pareto::new(count, h).map(Choice::Pareto),
            FileOrder::Normal { percent } => Some(Choice::Normal(count as f64 * percent / 100.0)),
        };
        let every = turn.every.max(1);
        // The first I/O chooses: in turn it comes to the first file.
        let last = count as u32 - 1;
        let file = if matches!(choice, Some(Choice::OneByOne)) { 0 } else { last };
        Turn { choice: choice.unwrap_or(Choice::Random), files: count as u32, every, left: 0, file, stream }
    }

    /// The file of the next I/O.
    #[inline]
    pub(super) fn next(&mut self) -> u32 {
        if self.files == 1 {
            return 0;
        }
        if self.left == 0 {
            self.left = self.every;
            self.choose();
        }
        self.left -= 1;
        self.file
    }

    fn choose(&mut self) {
        let files = u64::from(self.files);
        self.file = match &self.choice {
            Choice::InTurn => (self.file + 1) % self.files,
            Choice::OneByOne => self.file,
            Choice::Random => self.stream.below(files) as u32,
            Choice::Zipf(zipf) => zipf.sample(&mut self.stream) as u32,
            Choice::Pareto(pareto) => pareto.sample(&mut self.stream) as u32,
            Choice::Normal(deviation) => {
                let exact = files as f64 / 2.0 + deviation * self.stream.normal();
                (exact.clamp(0.0, files as f64 - 1.0)) as u32
            }
        };
    }

    /// The file in use has been done once over.
    #[inline]
    pub(super) fn done_once(&mut self) {
        if matches!(self.choice, Choice::OneByOne) {
            self.file = (self.file + 1) % self.files;
        }
    }
}
