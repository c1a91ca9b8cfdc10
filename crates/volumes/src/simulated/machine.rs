//! A machine in front of volumes: budgets of operations and bytes that all of them share, first come first
//! served or with a share reserved for one of them.

use policy::{BucketStart, Limits, Locality, Meter};
use statistics::Stream;
use workload::{Bytes, Io, Nanos, PolicyName};

use super::build::{Chance, NOISE_EVERY, TOLERANCE};
use super::error::SimError;
use super::noise::Noise;
use super::tempo::{Factor, Tempo};

/// A volume's parameters for the machine in front of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MachineWords {
    /// Operations a second.
    pub(super) iops: Option<f64>,
    /// Bytes a second.
    pub(super) bandwidth: Option<f64>,
    /// Deviation of both rates from second to second.
    pub(super) noise: Option<f64>,
    /// Share of both rates for which this volume has priority.
    pub(super) share: Option<f64>,
}

/// A machine in front of volumes. All I/O that passes is charged to its budgets in order of arrival. A volume with a
/// reserved share bypasses the queue within that share, and the others wait longer.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    queue: Meter,
    /// Meters of the volumes with priority, by the number of the volume.
    first: Vec<(usize, Meter)>,
    tempo: Option<Tempo>,
}

impl Machine {
    /// Returns the machine in front of volumes with these parameters, each with its seed; `None` without any limit.
    ///
    /// # Errors
    /// [`SimError::TwoMachines`] if the parameters contradict each other.
    pub(super) fn before(volumes: &[(MachineWords, u64)]) -> Result<Option<Machine>, SimError> {
        let iops = said("machine_iops", volumes.iter().map(|(words, _)| words.iops))?;
        let bandwidth = said("machine_bandwidth", volumes.iter().map(|(words, _)| words.bandwidth))?;
        let noise = said("machine_noise", volumes.iter().map(|(words, _)| words.noise))?;
        if iops.is_none() && bandwidth.is_none() {
            let share = volumes.iter().find_map(|(words, _)| words.share);
            let alone = noise.map(|_| "machine_noise").or(share.map(|_| "machine_share"));
            let needs = "machine_iops";
            return alone.map_or(Ok(None), |name| Err(SimError::Needs { name: name.to_owned(), needs }));
        }
        let meter = |share: f64| -> Result<Meter, SimError> {
            let limits = limits(iops.map(|rate| rate * share), bandwidth.map(|rate| rate * share))?;
            Ok(Meter::new(&limits, BucketStart::Initial).with_tolerance(TOLERANCE))
        };
        let shares =
            volumes.iter().enumerate().filter_map(|(number, (words, _))| Some((number, words.share?)));
        let first = shares.map(|(number, share)| Ok((number, meter(share)?)));
        let seed = volumes.first().map_or(1, |(_, seed)| *seed);
        let noise = noise.filter(|sd| *sd > 0.0).map(|sd| {
            Factor::Noise(Noise::new(NOISE_EVERY, sd, 0.0, Stream::new(seed, Chance::Machine as u64)))
        });
        Ok(Some(Machine {
            queue: meter(1.0)?,
            first: first.collect::<Result<_, SimError>>()?,
            tempo: Tempo::new(noise.into_iter().collect()),
        }))
    }

    /// Returns when an I/O of the volume with this number, which arrives at `now`, passes.
    #[inline]
    pub(super) fn admit(&mut self, now: Nanos, io: &Io, number: usize) -> Nanos {
        let clock = self.tempo.as_mut().map_or(now, |tempo| tempo.clock(now));
        let length = Bytes(u64::from(io.bytes));
        let mut passes = self.queue.admit(clock, io.kind, length, Locality::Random);
        if let Some((_, first)) = self.first.iter_mut().find(|(favoured, _)| *favoured == number) {
            passes = passes.min(first.admit(clock, io.kind, length, Locality::Random));
        }
        let Some(tempo) = &mut self.tempo else { return passes };
        tempo.forget(now);
        if passes == clock { now } else { tempo.when(passes).max(now) }
    }
}

/// Returns the value on which the volumes agree.
fn said(name: &'static str, all: impl Iterator<Item = Option<f64>>) -> Result<Option<f64>, SimError> {
    let mut said = all.flatten();
    let first = said.next();
    match said.all(|other| Some(other) == first) {
        true => Ok(first),
        false => Err(SimError::TwoMachines { name }),
    }
}

fn limits(iops: Option<f64>, bandwidth: Option<f64>) -> Result<Limits, SimError> {
    let iops = iops.map(|rate| ("iops".to_owned(), rate.to_string()));
    let bandwidth = bandwidth.map(|rate| ("bandwidth".to_owned(), format!("{rate}B/s")));
    let parameters = iops.into_iter().chain(bandwidth).collect();
    Ok(policy::evaluate(&PolicyName { id: "custom".to_owned(), parameters })?)
}
