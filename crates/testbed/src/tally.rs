//! Requests that really reached the device: the truth with which a program's own counts are compared.

use std::time::Duration;

use crate::faults::{Errno, Ops, Touch};

/// Maximum number of requests in the log; further ones are only counted.
const LOG_MAX: usize = 1 << 20;

/// Count of the requests of a kind: `received = done + failed + held`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests that arrived.
    pub received: u64,
    /// Requests answered without an error, also in part.
    pub done: u64,
    /// Requests answered with an error.
    pub failed: u64,
    /// Requests not answered yet: silent or delayed.
    pub held: u64,
    /// Requests done only in part, included in `done`.
    pub shortened: u64,
    /// Bytes read or written.
    pub bytes: u64,
}

/// Outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This many bytes were read or written.
    Done(u32),
    /// The request failed with this error.
    Failed(Errno),
    /// The request has not been answered yet.
    Held,
}

/// A request that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrivedRequest {
    /// Kind of the request.
    pub op: Ops,
    /// First byte of the request.
    pub offset: u64,
    /// Number of bytes asked for.
    pub length: u32,
    /// Time of arrival since the device was made.
    pub at: Duration,
    /// Outcome of the request.
    pub outcome: Outcome,
    /// Time of the answer since the device was made.
    pub answered: Option<Duration>,
}

/// Counts and log of one device.
#[derive(Debug, Default)]
pub(crate) struct Account {
    log: Vec<ArrivedRequest>,
    tallies: [Tally; KINDS.len()],
}

const KINDS: [Ops; 4] = [Ops::READ, Ops::WRITE, Ops::FSYNC, Ops::METADATA];

fn index(op: Ops) -> usize {
    KINDS.iter().position(|kind| *kind == op).unwrap_or(KINDS.len() - 1)
}

impl Account {
    /// Records a request that has arrived; returns the number under which it is settled.
    pub(crate) fn receive(&mut self, touch: Touch, at: Duration) -> usize {
        let tally = &mut self.tallies[index(touch.op)];
        tally.received += 1;
        tally.held += 1;
        let seen = ArrivedRequest {
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

    /// Records the end of the request with that number at that time.
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

    /// Returns the tally of all these kinds together.
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

    pub(crate) fn log(&self) -> Vec<ArrivedRequest> {
        self.log.clone()
    }
}
