//! A volume in virtual time: a policy's meters in front of a base latency. Its truth is known, so analyses are tested on it.

use engine::{Served, Volume};
use policy::{BucketStart, Limits, Locality, Meter};
use statistics::{LogNormal, Stream};
use workload::{Bytes, Direction, Io, Nanos, PolicyName, UnitError};

/// Latency of one I/O at a time where the target names none: that of a network volume that fills 5,000 IOPS at depth 4.
const LATENCY: Nanos = Nanos::from_micros(800);
/// Coefficient of variation of the latency where the target names none.
const JITTER: f64 = 0.1;
/// Size of a simulated volume for which neither its policy nor the target names one.
const SIZE: Bytes = Bytes::gib(100);
/// Sizes that a target may name: room for a few blocks of the largest kind, and what 64-bit offsets hold with ease.
const SIZES: (Bytes, Bytes) = (Bytes::mib(64), Bytes(1 << 50));

/// Why a simulated volume could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimError {
    /// The policy or one of its parameters is wrong.
    #[error(transparent)]
    Policy(Box<policy::PolicyError>),
    /// A parameter of the simulation is no quantity.
    #[error("sim: parameter {name}: {error}")]
    Quantity {
        /// Its name.
        name: String,
        /// What is wrong.
        error: UnitError,
    },
    /// A parameter of the simulation is no number in its range.
    #[error("sim: parameter {name}={value}: {wanted}")]
    Range {
        /// Its name.
        name: String,
        /// What was typed.
        value: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// Neither the policy nor the simulation knows the parameter.
    #[error("sim: '{name}' is no parameter of {policy} nor of the simulation; the simulation takes {known}")]
    Unknown {
        /// What was typed.
        name: String,
        /// The policy.
        policy: String,
        /// What the simulation takes.
        known: &'static str,
    },
}

impl From<policy::PolicyError> for SimError {
    fn from(error: policy::PolicyError) -> SimError {
        SimError::Policy(Box::new(error))
    }
}

/// Parameters of the simulation beside the policy's own.
const KNOWN: &str = "latency, write_latency, jitter (coefficient of variation, 0 to 2), seed, \
                     credits (full, empty or a percentage) and, where the policy has none, size";

/// A volume in virtual time.
#[derive(Clone, Debug)]
pub struct SimulatedVolume {
    limits: Limits,
    meter: Meter,
    read: Latency,
    write: Latency,
    random: Stream,
    /// Where the last I/O of each direction ended, to tell sequential I/O.
    last_end: [u64; 4],
    options: SimulationOptions,
}

#[derive(Clone, Copy, Debug)]
enum Latency {
    /// Always the same, nanoseconds.
    Constant(u64),
    /// Log-normal, nanoseconds.
    Spread(LogNormal),
}

impl Latency {
    fn new(mean: Nanos, variation: f64) -> Latency {
        if variation > 0.0 {
            Latency::Spread(LogNormal::new(mean.0 as f64, variation))
        } else {
            Latency::Constant(mean.0)
        }
    }

    #[inline]
    fn draw(&self, random: &mut Stream) -> Nanos {
        match self {
            Latency::Constant(nanos) => Nanos(*nanos),
            Latency::Spread(spread) => Nanos(spread.sample(random) as u64),
        }
    }
}

/// What the words behind the policy's own parameters ask of the simulation.
#[derive(Clone, Debug)]
struct SimulationOptions {
    latency: Nanos,
    write_latency: Option<Nanos>,
    size: Bytes,
    jitter: f64,
    seed: u64,
    start: BucketStart,
}

impl SimulatedVolume {
    /// The volume that `name` describes: a policy's parameters, and the simulation's own beside them.
    ///
    /// # Errors
    /// [`SimError`] names the parameter and what it may be.
    pub fn new(name: &PolicyName) -> Result<SimulatedVolume, SimError> {
        let (limits, rest) = policy::evaluate_with_rest(name)?;
        let options = options(&limits, name, &rest)?;
        let meter = Meter::new(&limits, options.start);
        Ok(SimulatedVolume {
            meter,
            read: Latency::new(options.latency, options.jitter),
            write: Latency::new(options.write_latency.unwrap_or(options.latency), options.jitter),
            random: Stream::new(options.seed, 0),
            last_end: [0; 4],
            options,
            limits,
        })
    }

    /// The limits it enforces.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Its size: the policy's or the target's, else 100 GiB.
    pub fn size(&self) -> Bytes {
        self.options.size
    }

    /// What it is, in one line.
    pub fn describe(&self) -> String {
        let SimulationOptions { latency, write_latency, jitter, seed, .. } = &self.options;
        let writes = write_latency.map_or(String::new(), |write| format!(" ({write} for writes)"));
        let spread = if *jitter > 0.0 { format!(" ± {:.0} %", jitter * 100.0) } else { String::new() };
        format!(
            "sim:{}: {} in virtual time, {latency}{spread} an I/O{writes}, seed {seed}, {}",
            self.limits.policy,
            self.options.size,
            self.credits_in_words()
        )
    }

    fn credits_in_words(&self) -> String {
        let bursts = self.limits.limits.iter().any(|limit| limit.burst.is_some());
        match self.options.start {
            _ if !bursts => "no burst".to_owned(),
            BucketStart::Initial => "credits of a new volume".to_owned(),
            BucketStart::Empty => "no credits".to_owned(),
            BucketStart::Share(share) => format!("credits {:.0} % full", share * 100.0),
        }
    }
}

impl Volume for SimulatedVolume {
    #[inline]
    fn serve(&mut self, now: Nanos, io: &Io) -> Served {
        let end = &mut self.last_end[io.kind.index()];
        let locality = if io.offset == *end { Locality::Sequential } else { Locality::Random };
        *end = io.offset + u64::from(io.bytes);
        let start = self.meter.admit(now, io.kind, Bytes(u64::from(io.bytes)), locality);
        let latency = if io.kind == Direction::Read { &self.read } else { &self.write };
        Served { done_at: start + latency.draw(&mut self.random), result: io.bytes as i32 }
    }
}

fn options(
    limits: &Limits,
    name: &PolicyName,
    rest: &[(String, String)],
) -> Result<SimulationOptions, SimError> {
    let mut options = SimulationOptions {
        latency: limits.latency.unwrap_or(LATENCY),
        write_latency: None,
        size: limits.volume_size().unwrap_or(SIZE),
        jitter: JITTER,
        seed: 1,
        start: BucketStart::Initial,
    };
    for (key, value) in rest {
        let time =
            || workload::duration(value).map_err(|error| SimError::Quantity { name: key.clone(), error });
        let range = |wanted| SimError::Range { name: key.clone(), value: value.clone(), wanted };
        match key.as_str() {
            "latency" => options.latency = time()?,
            "write_latency" => options.write_latency = Some(time()?),
            "size" => options.size = size(key, value)?,
            "jitter" => {
                let jitter: Option<f64> = value.parse().ok().filter(|jitter| (0.0..=2.0).contains(jitter));
                options.jitter = jitter.ok_or_else(|| range("write a number from 0 to 2"))?;
            }
            "seed" => options.seed = value.parse().map_err(|_| range("write a whole number"))?,
            "credits" => {
                options.start =
                    credits(value).ok_or_else(|| range("write full, empty or a percentage such as 40%"))?
            }
            _ => {
                return Err(SimError::Unknown { name: key.clone(), policy: name.id.clone(), known: KNOWN });
            }
        }
    }
    Ok(options)
}

fn size(key: &str, value: &str) -> Result<Bytes, SimError> {
    let size = workload::size(value).map_err(|error| SimError::Quantity { name: key.to_owned(), error })?;
    if (SIZES.0..=SIZES.1).contains(&size) {
        return Ok(size);
    }
    Err(SimError::Range {
        name: key.to_owned(),
        value: value.to_owned(),
        wanted: "write a size from 64 MiB to 1 PiB",
    })
}

fn credits(value: &str) -> Option<BucketStart> {
    match value {
        "full" => Some(BucketStart::Share(1.0)),
        "empty" => Some(BucketStart::Empty),
        _ => {
            let percent: f64 = value.strip_suffix('%')?.parse().ok()?;
            (0.0..=100.0).contains(&percent).then_some(BucketStart::Share(percent / 100.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(words: &str) -> Result<SimulatedVolume, SimError> {
        SimulatedVolume::new(&PolicyName::parse(words).unwrap())
    }

    fn read(offset: u64) -> Io {
        Io { slot: 0, kind: Direction::Read, file: 0, offset, bytes: 4096, due: Nanos::ZERO }
    }

    #[test]
    fn an_idle_volume_answers_after_its_base_latency() {
        let mut volume = volume("aws-gp3,latency=0.5ms,jitter=0").unwrap();
        let served = volume.serve(Nanos::from_secs(1), &read(1 << 20));
        assert_eq!(served, Served { done_at: Nanos::from_secs(1) + Nanos::from_micros(500), result: 4096 });
    }

    #[test]
    fn a_loaded_volume_serves_its_cap() {
        let mut volume = volume("aws-gp3").unwrap();
        let last = (0..30_000).map(|at| volume.serve(Nanos::ZERO, &read(at * 8192)).done_at).max().unwrap();
        assert!((last.as_secs_f64() - 10.0).abs() < 0.05, "{last}");
    }

    #[test]
    fn unknown_and_bad_parameters_are_named_with_what_would_do() {
        for (words, part) in [
            ("aws-gp3,latenzy=1ms", "latenzy"),
            ("aws-gp3,latency=fast", "latency"),
            ("aws-gp3,jitter=9", "0 to 2"),
            ("aws-gp2,size=100GiB,credits=lots", "40%"),
            ("do-volumes-standard,size=1MiB", "64 MiB"),
            ("do-volumes-standard,size=big", "size"),
            ("aws-gp9", "aws-gp"),
        ] {
            let text = volume(words).unwrap_err().to_string();
            assert!(text.contains(part), "{words}: {text}");
        }
    }

    #[test]
    fn the_size_is_the_policys_then_the_targets_then_a_default() {
        for (words, size) in [
            ("aws-gp2,size=334GiB", Bytes::gib(334)),
            ("azure-premium-ssd-large,tier=P30", Bytes::gib(1024)),
            ("do-volumes-standard,size=10GiB", Bytes::gib(10)),
            ("do-volumes-standard", SIZE),
        ] {
            assert_eq!(volume(words).unwrap().size(), size, "{words}");
        }
    }

    #[test]
    fn a_volume_says_what_it_is() {
        assert_eq!(
            volume("aws-gp2,size=100GiB,latency=1ms,write_latency=2ms,credits=40%").unwrap().describe(),
            "sim:aws-gp2,size=100GiB: 100 GiB in virtual time, 1.00 ms ± 10 % an I/O (2.00 ms for writes), seed 1, \
             credits 40 % full"
        );
        let flat = volume("do-volumes-pre-burst,jitter=0").unwrap().describe();
        assert_eq!(
            flat,
            "sim:do-volumes-pre-burst: 100 GiB in virtual time, 800 µs an I/O, seed 1, no burst"
        );
    }
}
