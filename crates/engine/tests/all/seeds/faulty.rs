//! A volume that fails, falls short, stalls, answers out of order or never; and records what it did.

use engine::{Volume, VolumeAnswer};
use statistics::Stream;
use workload::{Direction, Io, Nanos, StepPlan};

const ERRNOS: [i32; 3] = [5, 28, 61]; // EIO, ENOSPC, ENODATA

/// One I/O as the volume saw it.
#[derive(Clone, Copy, Debug)]
pub struct ServedIo {
    pub now: Nanos,
    pub io: Io,
    pub served: VolumeAnswer,
}

impl ServedIo {
    pub fn is_held(&self) -> bool {
        self.served.done_at == Nanos::MAX
    }

    /// Whether it failed: a negative result, or a read or write that moved nothing.
    pub fn has_failed(&self) -> bool {
        let moves = matches!(self.io.kind, Direction::Read | Direction::Write);
        !self.is_held() && (self.served.result < 0 || self.served.result == 0 && moves)
    }

    /// The errno of a failed I/O: EIO if it moved nothing.
    pub fn errno(&self) -> i32 {
        if self.served.result < 0 { -self.served.result } else { 5 }
    }
}

/// Shares in a thousand.
#[derive(Clone, Copy, Debug)]
struct Faults {
    errors: u64,
    short: u64,
    stalls: u64,
    never: u64,
}

pub struct Faulty {
    pub served: Vec<ServedIo>,
    random: Stream,
    faults: Faults,
    latency: u64,
}

impl Faulty {
    pub fn new(_: &StepPlan, seed: u64) -> Faulty {
        let mut random = Stream::new(seed, 7);
        // Half of the volumes have no faults of a given kind at all.
        let mut share = |most: u64| if random.below(2) == 0 { 0 } else { random.below(most + 1) };
        let faults = Faults { errors: share(20), short: share(50), stalls: share(10), never: share(2) };
        let latency = 200_000 + random.below(3_000_000);
        Faulty { served: Vec::new(), random, faults, latency }
    }

    fn result(&mut self, io: &Io) -> i32 {
        let what = self.random.below(1_000);
        if what < self.faults.errors {
            return -ERRNOS[self.random.below(3) as usize];
        }
        if what < self.faults.errors + self.faults.short && io.bytes > 0 {
            return self.random.below(io.bytes.into()) as i32;
        }
        io.bytes as i32
    }

    fn done_at(&mut self, now: Nanos) -> Nanos {
        let what = self.random.below(1_000);
        // Anything from nothing to twice the latency: answers overtake each other.
        let usual = now + Nanos(self.random.below(2 * self.latency));
        match what {
            what if what < self.faults.never => Nanos::MAX,
            what if what < self.faults.never + self.faults.stalls => usual + Nanos::from_millis(80),
            _ => usual,
        }
    }
}

impl Volume for Faulty {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        let served = VolumeAnswer { done_at: self.done_at(now), result: self.result(io) };
        self.served.push(ServedIo { now, io: *io, served });
        served
    }
}
