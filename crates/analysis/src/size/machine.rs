//! The machine that recorded volumes hang on: whether its own limits carry their sum.

use policy::{Catalogue, Demand, Limits, Offer, Policy};
use record::Recording;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::load::Load;
use super::setting::{SizedSetting, sized};
use super::{Allowed, SizeAsk};

/// The answer for a machine: all its recorded volumes together against its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineSizing {
    /// Name of the recording; empty if there is only one.
    pub recording: String,
    /// Kernel names of the volumes, the busiest first.
    pub devices: Vec<String>,
    /// Seconds recorded.
    pub seconds: f64,
    /// Reads and writes of all volumes a second, the mean.
    pub iops_mean: f64,
    /// Reads and writes of all volumes a second, in the busiest reading.
    pub iops_peak: f64,
    /// Bytes of all volumes a second, the mean.
    pub bytes_mean: f64,
    /// Bytes of all volumes a second, in the busiest reading.
    pub bytes_peak: f64,
    /// The machine's limits against the sum.
    pub machine: SizedSetting,
}

/// Loads of several volumes in one interval. Their bounds differ with what a rule counts.
#[derive(Clone, Copy, Default)]
struct Together {
    offer: Offer,
    /// Operations and bytes of the least, and of the greatest demand.
    least: [f64; 2],
    most: [f64; 2],
}

/// The sum of the volumes of a machine.
pub(super) struct Sum {
    limits: Limits,
    intervals: Vec<Together>,
    /// Mean rate and name of each volume.
    volumes: Vec<(f64, String)>,
}

impl Together {
    fn add(&mut self, one: &Offer) {
        for way in 0..2 {
            self.offer.ops[way] += one.ops[way];
            self.offer.bytes[way] += one.bytes[way];
        }
        // All of it may come at once: in the time of the volume that is busy the longest.
        self.offer.busy_s = self.offer.busy_s.max(one.busy_s);
        self.offer.in_flight += one.in_flight;
        self.offer.flushes += one.flushes;
        let amounts = [one.ops, one.bytes].map(|ways| ways[0] + ways[1]);
        for (at, amount) in amounts.into_iter().enumerate().filter(|(_, amount)| *amount > 0.0) {
            self.least[at] += one.least * amount;
            self.most[at] += one.most * amount;
        }
    }

    /// Returns the sum in an interval of so many seconds.
    fn offer(&self, seconds: f64) -> Offer {
        let amounts = [self.offer.ops, self.offer.bytes].map(|ways| ways[0] + ways[1]);
        let factors = |sums: [f64; 2]| {
            let of = sums.into_iter().zip(amounts).filter(|(_, amount)| *amount > 0.0);
            of.map(|(sum, amount)| sum / amount).collect::<Vec<f64>>()
        };
        Offer {
            seconds,
            busy_s: if self.offer.busy_s > 0.0 { self.offer.busy_s.min(seconds) } else { seconds },
            least: factors(self.least).into_iter().reduce(f64::min).unwrap_or(1.0),
            most: factors(self.most).into_iter().reduce(f64::max).unwrap_or(1.0),
            ..self.offer
        }
    }
}

impl Sum {
    /// Begins the sum of a recording's volumes, if a machine is asked about that the provider of some policy knows.
    pub fn of(recording: &Recording<'_>, asked: &SizeAsk<'_>) -> Option<Sum> {
        let limits = asked.policies.iter().find_map(|policy| machine_of(policy, asked.instance?))?;
        let intervals = vec![Together::default(); recording.intervals().len()];
        Some(Sum { limits, intervals, volumes: Vec::new() })
    }

    /// Adds a volume.
    pub fn add(&mut self, load: &Load) {
        for (offer, at) in load.demand.offers().iter().zip(&load.intervals) {
            if let Some(together) = at.and_then(|at| self.intervals.get_mut(at as usize)) {
                together.add(offer);
            }
        }
        self.volumes.push((load.seen.iops_mean, load.seen.device.clone()));
    }

    /// Judges the sum; `None` if nothing was added.
    pub fn judged(mut self, recording: &Recording<'_>, allowed: Option<&Allowed>) -> Option<MachineSizing> {
        self.volumes.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut offers, mut last) = (Vec::with_capacity(self.intervals.len()), None);
        for ((from, to), together) in recording.intervals().iter().zip(&self.intervals) {
            let seconds =
                [last.map_or(0.0, |last| from.since(last).as_secs_f64()), to.since(*from).as_secs_f64()];
            last = Some(*to);
            let parts = [Together::default().offer(seconds[0]), together.offer(seconds[1])];
            offers.extend(parts.into_iter().filter(|offer| offer.seconds > 0.0));
        }
        if self.volumes.is_empty() || offers.is_empty() {
            return None;
        }
        let seconds: f64 = offers.iter().map(|offer| offer.seconds).sum();
        let mean_and_peak = |of: fn(&Offer) -> [f64; 2]| {
            let each = || offers.iter().map(|offer| (of(offer)[0] + of(offer)[1], offer.seconds));
            let peak = each().map(|(amount, seconds)| amount / seconds).fold(0.0, f64::max);
            (each().map(|(amount, _)| amount).sum::<f64>() / seconds, peak)
        };
        let (iops_mean, iops_peak) = mean_and_peak(|offer| offer.ops);
        let (bytes_mean, bytes_peak) = mean_and_peak(|offer| offer.bytes);
        let demand = Demand::new(offers);
        Some(MachineSizing {
            recording: String::new(),
            devices: self.volumes.into_iter().map(|(_, name)| name).collect(),
            seconds,
            iops_mean,
            iops_peak,
            bytes_mean,
            bytes_peak,
            machine: sized(&self.limits, &demand).replayed(&self.limits, &demand, allowed),
        })
    }
}

/// Returns the limits of a machine if volumes of this policy hang on machines of its kind.
pub(super) fn machine_of(policy: &Policy, name: &str) -> Option<Limits> {
    let machine = || Catalogue::builtin().instance(&policy.provider, name).ok();
    policy.takes_instance().then(machine).flatten()
}
