//! The choice of the next file of a worker.

use statistics::{Pareto, Stream, Zipf};
use workload::{FileOrder, FileTurn};

/// Chooses the file of each I/O.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    choice: Choice,
    files: u32,
    every: u32,
    /// Number of I/Os left on the current file.
    left: u32,
    file: u32,
    stream: Stream,
    /// Whether a file has been completed in this round, by file; empty if there are no rounds.
    done: Box<[bool]>,
    done_count: u32,
}

/// Whether a completed file waits until all others have been completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounds {
    /// It waits: its blocks are visited once each; if it were chosen again, another file would never be completed.
    EachOnce,
    /// It does not wait: its blocks are drawn independently.
    None,
}

/// Number of draws that may give a completed file, before the next file that is not completed is taken.
const TRIES: usize = 16;

/// Ranks of each file in a skewed choice, as in fio: the likeliest file has those of the first 1024.
const RANKS: u64 = 1 << 10;

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
    pub(super) fn new(turn: FileTurn, (files, rounds): (usize, Rounds), stream: Stream) -> Turn {
        let count = files.max(1) as u64;
        let choice = match turn.order {
            FileOrder::InTurn => Some(Choice::InTurn),
            FileOrder::Random => Some(Choice::Random),
            FileOrder::OneByOne => Some(Choice::OneByOne),
            FileOrder::Zipf { theta } => Zipf::new(count * RANKS, theta).map(Choice::Zipf),
            FileOrder::Pareto { h } => Pareto::new(count * RANKS, h).map(Choice::Pareto),
            // As in fio: the mean of twelve even draws over all files, plus an even draw from this share of them.
            FileOrder::Normal { percent } => {
                let share = (percent / 100.0).min(0.5);
                Some(Choice::Normal(count as f64 * ((1.0 + share * share * 12.0) / 144.0).sqrt()))
            }
        };
        let every = turn.every.max(1);
        // The first I/O chooses a file: in turn, that is the first file.
        let last = count as u32 - 1;
        let file = if matches!(choice, Some(Choice::OneByOne)) { 0 } else { last };
        // With an uneven choice some files are meant to be chosen more often than others, even if completed.
        let alike = matches!(turn.order, FileOrder::InTurn | FileOrder::Random | FileOrder::OneByOne);
        let counted = if rounds == Rounds::EachOnce && alike { files } else { 0 };
        Turn {
            choice: choice.unwrap_or(Choice::Random),
            files: count as u32,
            every,
            left: 0,
            file,
            stream,
            done: vec![false; counted].into_boxed_slice(),
            done_count: 0,
        }
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
        debug_assert!(self.file < self.files, "a file was chosen that the worker has not");
        self.file
    }

    /// Chooses the next file that has not been completed.
    fn choose(&mut self) {
        for _ in 0..TRIES {
            self.file = self.draw();
            if !self.is_done(self.file) {
                return;
            }
        }
        let behind = (1..=self.files).map(|step| (self.file + step) % self.files);
        self.file = behind.into_iter().find(|&file| !self.is_done(file)).unwrap_or(self.file);
    }

    #[inline]
    fn is_done(&self, file: u32) -> bool {
        self.done.get(file as usize).is_some_and(|&done| done)
    }

    fn draw(&mut self) -> u32 {
        let files = u64::from(self.files);
        match &self.choice {
            Choice::InTurn => (self.file + 1) % self.files,
            Choice::OneByOne => self.file,
            Choice::Random => self.stream.below(files) as u32,
            Choice::Zipf(zipf) => (zipf.sample(&mut self.stream) / RANKS) as u32,
            Choice::Pareto(pareto) => (pareto.sample(&mut self.stream) / RANKS) as u32,
            Choice::Normal(deviation) => {
                let exact = files as f64 / 2.0 + deviation * self.stream.normal();
                (exact.clamp(0.0, files as f64 - 1.0)) as u32
            }
        }
    }

    /// Notes that the current file has been completed.
    #[inline]
    pub(super) fn done_once(&mut self) {
        if matches!(self.choice, Choice::OneByOne) {
            self.file = (self.file + 1) % self.files;
            return;
        }
        let Some(done) = self.done.get_mut(self.file as usize).filter(|done| !**done) else { return };
        *done = true;
        self.done_count += 1;
        self.left = 0;
        if self.done_count == self.files {
            self.done.fill(false);
            self.done_count = 0;
        }
    }
}
