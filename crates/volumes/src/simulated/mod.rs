//! A volume in virtual time: a policy's meters in front of a base latency, and other behaviour of real volumes. Its
//! true properties are known, so analyses are tested on it.

mod build;
mod corner;
mod error;
mod group;
mod latency;
mod machine;
mod noise;
mod parameters;
mod places;
mod second;
mod servers;
mod settings;
mod spans;
mod tempo;
mod values;
mod write_back;

#[cfg(test)]
mod tests;

use engine::{Volume, VolumeAnswer};
use policy::{Level, Limits, Locality, Meter};
use statistics::Stream;
use workload::{Bytes, Direction, Io, Nanos, PolicyName};

pub use error::SimError;
pub use group::SimulatedGroup;

use build::Basics;
use corner::Corner;
use latency::{Base, Oddities};
use machine::Machine;
use places::{BadPlace, Cache, FirstTouch, Thin, Tracks};
use second::Second;
use servers::Servers;
use spans::Spans;
use tempo::Tempo;
use write_back::WriteBack;

/// Errno of a medium that fails.
const EIO: i32 = 5;

/// A volume in virtual time.
#[derive(Clone, Debug)]
pub struct SimulatedVolume {
    limits: Limits,
    basics: Basics,
    meters: Meters,
    medium: Medium,
    front: Front,
    /// Times at which the generator gets no processor.
    theft: Option<Spans>,
    /// The machine in front of the volume, if the volume is measured alone.
    machine: Option<Machine>,
}

/// The rules that delay I/O.
#[derive(Clone, Debug)]
struct Meters {
    meter: Meter,
    /// End of the last I/O of each direction, to detect sequential I/O.
    last_end: [u64; 4],
    tempo: Option<Tempo>,
    second: Option<Second>,
    /// Length of a slice, if I/O that must wait passes only at the end of a slice.
    slice: Option<Nanos>,
}

/// The medium, which serves an I/O that the meters admit.
#[derive(Clone, Debug)]
struct Medium {
    read: Base,
    write: Base,
    random: Stream,
    oddities: Option<Oddities>,
    servers: Option<Servers>,
    corner: Option<Corner>,
    stalls: Option<Spans>,
    tracks: Option<Tracks>,
}

/// The part that answers I/O before the meters, or delays it by its place.
#[derive(Clone, Debug)]
struct Front {
    errors: Option<(f64, Stream)>,
    bad: Option<BadPlace>,
    thin: Option<Thin>,
    cache: Option<Cache>,
    touch: Option<FirstTouch>,
    write_back: Option<WriteBack>,
}

/// The outcome of an I/O at the front.
enum FrontOutcome {
    /// The I/O completes here.
    Done(VolumeAnswer),
    /// The I/O goes on to the meters, takes `more` time, and passes only after being `held`.
    On { more: Nanos, held: Nanos },
}

impl SimulatedVolume {
    /// Returns the volume that `name` describes: a policy's parameters, and in addition those of the simulation.
    ///
    /// # Errors
    /// [`SimError`] names the parameter and its allowed values.
    pub fn new(name: &PolicyName) -> Result<SimulatedVolume, SimError> {
        let mut volume = build::volume(name)?;
        volume.machine = Machine::before(&[(volume.basics.machine, volume.basics.seed)])?;
        Ok(volume)
    }

    /// Returns every parameter of the simulation: its name, the values it takes, the parameter it needs (empty: none)
    /// and its meaning, in the order of the documentation.
    pub fn parameters() -> impl Iterator<Item = [String; 4]> {
        let needs = |row: &parameters::Row| row.needs.unwrap_or_default().to_owned();
        parameters::ROWS
            .iter()
            .map(move |row| [row.name.to_owned(), row.takes.to_string(), needs(row), row.meaning.to_owned()])
    }

    /// Returns the limits that the volume enforces.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the size: the policy's or the target's, otherwise 100 GiB.
    pub fn size(&self) -> Bytes {
        self.basics.size
    }

    /// Returns the I/Os of this kind per second that the volume sustains at `now`: the lesser of its baseline cap and
    /// its servers' rate, at the present pace.
    fn rate(&mut self, now: Nanos, io: &Io) -> f64 {
        let block = Bytes(u64::from(io.bytes));
        let capped = self.limits.cap_iops(io.kind, block, Level::Baseline).map_or(f64::MAX, |cap| cap.0);
        let served = self.medium.servers.as_ref().map_or(f64::MAX, |servers| servers.plan().rate(block));
        capped.min(served) * self.meters.pace(now)
    }
}

impl Volume for SimulatedVolume {
    #[inline]
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        let mut machine = self.machine.take();
        let served = self.serve_behind(now, io, (machine.as_mut(), 0));
        self.machine = machine;
        served
    }

    #[inline]
    fn has_cpu_at(&mut self, at: Nanos) -> Nanos {
        self.theft.as_mut().and_then(|theft| theft.within(at)).unwrap_or(at)
    }
}

impl SimulatedVolume {
    /// Serves `io` behind a machine, for which the volume has this number.
    #[inline]
    fn serve_behind(
        &mut self,
        now: Nanos,
        io: &Io,
        (machine, number): (Option<&mut Machine>, usize),
    ) -> VolumeAnswer {
        let (more, held) = match self.front.pass(now, io) {
            FrontOutcome::Done(served) => return served,
            FrontOutcome::On { more, held } => (more, held),
        };
        let passes = machine.map_or(now, |machine| machine.admit(now, io, number));
        let start = self.meters.admit(now, io).max(now + held).max(passes);
        assert!(start >= now, "an I/O is served before it is admitted");
        let pace = if self.medium.servers.is_some() { self.meters.pace(start) } else { 1.0 };
        let (latency, mut done_at) = self.medium.serve(start, io, Extra { more, pace });
        if self.medium.corner.is_some() {
            done_at = done_at.max(now + self.cornered(now, io, latency));
        }
        if let Some(corner) = &mut self.medium.corner {
            corner.issued(done_at);
        }
        VolumeAnswer { done_at, result: io.bytes as i32 }
    }

    /// Returns the time that an I/O takes with the soft corner.
    fn cornered(&mut self, now: Nanos, io: &Io, latency: Nanos) -> Nanos {
        let rate = self.rate(now, io);
        self.medium.corner.as_mut().map_or(latency, |corner| corner.response(now, latency, rate))
    }
}

impl Meters {
    /// Returns when an I/O that arrives at `now` passes.
    #[inline]
    fn admit(&mut self, now: Nanos, io: &Io) -> Nanos {
        let end = &mut self.last_end[io.kind.index()];
        let locality = if io.offset == *end { Locality::Sequential } else { Locality::Random };
        *end = io.offset + u64::from(io.bytes);
        let length = Bytes(u64::from(io.bytes));
        if let Some(second) = &mut self.second {
            second.charge(now, &mut self.meter, self.tempo.as_mut());
        }
        let start = match &mut self.tempo {
            None => self.meter.admit(now, io.kind, length, locality),
            Some(tempo) => {
                let clock = tempo.clock(now);
                let admitted = self.meter.admit(clock, io.kind, length, locality);
                tempo.forget(now);
                // An I/O that need not wait keeps its time, without the rounding to the clock and back.
                if admitted == clock { now } else { tempo.when(admitted).max(now) }
            }
        };
        match self.slice {
            Some(slice) if start > now => Nanos(start.0.div_ceil(slice.0) * slice.0),
            _ => start,
        }
    }

    fn pace(&mut self, now: Nanos) -> f64 {
        self.tempo.as_mut().map_or(1.0, |tempo| tempo.rate(now))
    }
}

/// Effects that make an I/O take longer.
#[derive(Clone, Copy, Debug)]
struct Extra {
    /// Time added to the latency of the I/O.
    more: Nanos,
    /// Speed of the servers, as a factor of the nominal one.
    pace: f64,
}

impl Medium {
    /// Returns the latency of an I/O that begins at `start`, and when it completes.
    #[inline]
    fn serve(&mut self, start: Nanos, io: &Io, extra: Extra) -> (Nanos, Nanos) {
        let base = if io.kind == Direction::Read { &self.read } else { &self.write };
        let mut latency = base.draw(&mut self.random) + extra.more;
        if let Some(tracks) = &self.tracks {
            latency += tracks.more(io);
        }
        if let Some(oddities) = &mut self.oddities {
            latency = oddities.change(latency);
        }
        // The clock of the medium stands still in a stall.
        let begun = self.stalls.as_mut().map_or(start, |stalls| stalls.outside(start));
        let bytes = Bytes(u64::from(io.bytes));
        let served = self.servers.as_mut().map_or(begun, |servers| servers.serve(begun, bytes, extra.pace));
        let done = served + latency;
        (latency, self.stalls.as_mut().map_or(done, |stalls| stalls.when_outside(done).max(start)))
    }
}

impl Front {
    #[inline]
    fn pass(&mut self, now: Nanos, io: &Io) -> FrontOutcome {
        let done =
            |after: Nanos| FrontOutcome::Done(VolumeAnswer { done_at: now + after, result: io.bytes as i32 });
        if let Some(thin) = &mut self.thin
            && thin.is_hole(io)
        {
            return done(thin.latency);
        }
        if self.fails(io) {
            return FrontOutcome::Done(VolumeAnswer { done_at: now + build::LATENCY, result: -EIO });
        }
        let mut held = Nanos::ZERO;
        if let Some(cache) = &mut self.cache
            && matches!(io.kind, Direction::Read | Direction::Write)
        {
            held = cache.passes(now, io).since(now);
            if cache.hits(io) {
                return done(held + cache.latency());
            }
        }
        let more = self.touch.as_mut().map_or(Nanos::ZERO, |touch| touch.more(io));
        match (&mut self.write_back, io.kind) {
            (Some(cache), Direction::Write) => {
                let room = cache.room(now, Bytes(u64::from(io.bytes)));
                done(room.since(now) + cache.latency)
            }
            (Some(cache), Direction::Flush) => done(cache.flushed(now).since(now)),
            _ => FrontOutcome::On { more, held },
        }
    }

    fn fails(&mut self, io: &Io) -> bool {
        let bad = self.bad.is_some_and(|bad| bad.holds(io));
        bad || self.errors.as_mut().is_some_and(|(share, random)| random.unit_f64() < *share)
    }
}
