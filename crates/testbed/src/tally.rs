//! What really reached the device: the truth that a program's own account is compared with.

use std::time::Duration;

use crate::faults::{Errno, Ops, Touch};

/// The log ends here; the counts go on.
const LOG_MAX: usize = 1 << 20;

/// How many requests of a kind there were: `received = done + failed + held`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests that came.
    pub received: u64,
    /// Answered without an error, also in part.
    pub done: u64,
    /// Answered with an error.
    pub failed: u64,
    /// Not answered now: silent or delayed.
    pub held: u64,
    /// Of those done: in part.
    pub shortened: u64,
    /// Bytes read or written.
    pub bytes: u64,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// So many bytes were read or written.
    Done(u32),
    /// With this error.
    Failed(Errno),
    /// Not yet.
    Held,
}

/// A request that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Of which kind.
    pub op: Ops,
    /// The first byte.
    pub offset: u64,
    /// How many were asked for.
    pub length: u32,
    /// When, since the device was made.
    pub at: Duration,
    /// How it ended.
    pub outcome: Outcome,
    /// When it was answered.
    pub answered: Option<Duration>,
}

/// Counts and log of one device.
#[derive(Debug, Default)]
pub(crate) struct Account {
    log: Vec<Seen>,
    tallies: [Tally; KINDS.len()],
}

const KINDS: [Ops; 4] = [Ops::READ, Ops::WRITE, Ops::FSYNC, Ops::METADATA];

fn index(op: Ops) -> usize {
    KINDS.iter().position(|kind| *kind == op).unwrap_or(KINDS.len() - 1)
}

impl Account {
    /// A request has come; the number under which it is settled.
    pub(crate) fn receive(&mut self, touch: Touch, at: Duration) -> usize {
        let tally = &mut self.tallies[index(touch.op)];
        tally.received += 1;
        tally.held += 1;
        let seen = Seen {
            op: touch.op,
            offset: touch.offset,
            length: touch.length,
            at,
            outcome: Outcome::Held,
            answered: None,
        };
        if self.log.len() < LOG_MAX {
            self.log.push(seen);
            return self.log.len() - 1;
        }
        usize::MAX
    }

    /// The request with that number has ended at that time.
    pub(crate) fn settle(&mut self, (number, at): (usize, Duration), touch: Touch, outcome: Outcome) {
        let tally = &mut self.tallies[index(touch.op)];
        tally.held -= 1;
        match outcome {
            Outcome::Done(bytes) => {
                tally.done += 1;
                tally.shortened += u64::from(bytes < touch.length);
                tally.bytes += u64::from(bytes);
            }
            Outcome::Failed(_) | Outcome::Held => tally.failed += 1,
        }
        if let Some(seen) = self.log.get_mut(number) {
            seen.outcome = outcome;
            seen.answered = Some(at);
        }
    }

    /// Of all these kinds together.
    pub(crate) fn of(&self, ops: Ops) -> Tally {
        let chosen = KINDS.iter().zip(&self.tallies).filter(|(kind, _)| ops.overlaps(**kind));
        chosen.fold(Tally::default(), |sum, (_, tally)| Tally {
            received: sum.received + tally.received,
            done: sum.done + tally.done,
            failed: sum.failed + tally.failed,
            held: sum.held + tally.held,
            shortened: sum.shortened + tally.shortened,
            bytes: sum.bytes + tally.bytes,
        })
    }

    pub(crate) fn log(&self) -> Vec<Seen> {
        self.log.clone()
    }
}
