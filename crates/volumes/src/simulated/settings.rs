//! The parameters of the simulation that follow a policy's own: everything that can be typed.

use policy::{BucketStart, nearest};
use workload::{Bytes, Nanos};

use super::error::SimError;
use super::parameters::{ROWS, Row, plain};
use super::spans::{Regularity, Spans, Timing};
use super::values::Wrong;

/// Everything that can be typed; `None` if it was not.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub(super) latency: Option<Nanos>,
    pub(super) write_latency: Option<Nanos>,
    pub(super) jitter: Option<f64>,
    pub(super) size: Option<Bytes>,
    pub(super) seed: Option<u64>,
    pub(super) credits: Option<BucketStart>,
    pub(super) noise: Option<f64>,
    pub(super) rho: Option<f64>,
    pub(super) noise_every: Option<Nanos>,
    pub(super) slow: Option<f64>,
    pub(super) slow_over: Option<Nanos>,
    pub(super) flicker: Option<f64>,
    pub(super) sway: Option<f64>,
    pub(super) sway_over: Option<Nanos>,
    pub(super) decline: Option<f64>,
    pub(super) decline_over: Option<Nanos>,
    pub(super) cap_low: Option<f64>,
    pub(super) wave: Option<(Nanos, Nanos)>,
    pub(super) wave_phase: Option<Nanos>,
    pub(super) neighbour: Option<f64>,
    pub(super) neighbours: Times,
    pub(super) second_iops: Option<f64>,
    pub(super) second_block: Option<Bytes>,
    pub(super) seconds: Times,
    pub(super) slice: Option<Nanos>,
    pub(super) corner: Option<f64>,
    pub(super) servers: Option<u64>,
    pub(super) service: Option<Nanos>,
    pub(super) service_cv: Option<f64>,
    pub(super) server_bandwidth: Option<f64>,
    pub(super) stalls: Times,
    pub(super) tail: Option<f64>,
    pub(super) tail_latency: Option<Nanos>,
    pub(super) mode: Option<f64>,
    pub(super) mode_factor: Option<f64>,
    pub(super) errors: Option<f64>,
    pub(super) bad_at: Option<Bytes>,
    pub(super) bad_bytes: Option<Bytes>,
    pub(super) cache: Option<Bytes>,
    pub(super) cache_latency: Option<Nanos>,
    pub(super) cache_iops: Option<f64>,
    pub(super) cache_bandwidth: Option<f64>,
    pub(super) cache_admits: Option<f64>,
    pub(super) cache_holds: Option<Bytes>,
    pub(super) first_touch: Option<Nanos>,
    pub(super) first_touch_part: (Option<Bytes>, Option<Bytes>),
    pub(super) thin: Option<Nanos>,
    pub(super) thin_part: (Option<Bytes>, Option<Bytes>),
    pub(super) outer: Option<f64>,
    pub(super) inner: Option<f64>,
    pub(super) write_back: Option<Bytes>,
    pub(super) drain: Option<f64>,
    pub(super) write_back_latency: Option<Nanos>,
    pub(super) flush: Option<Nanos>,
    pub(super) theft: Times,
    pub(super) machine_iops: Option<f64>,
    pub(super) machine_bandwidth: Option<f64>,
    pub(super) machine_noise: Option<f64>,
    pub(super) machine_share: Option<f64>,
}

/// The times of something that comes and goes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub(super) length: Option<Nanos>,
    pub(super) every: Option<Nanos>,
    pub(super) from: Option<Nanos>,
    pub(super) regularity: Option<Regularity>,
}

impl Times {
    /// Returns the spans if their length was typed. The first of even, recurring spans begins one period in;
    /// a single span begins at once.
    pub(super) fn spans(&self, random: statistics::Stream) -> Option<Spans> {
        let length = self.length?;
        let regularity = self.regularity.unwrap_or_default();
        let late = if regularity == Regularity::Even { self.every } else { None };
        let from = self.from.or(late).unwrap_or_default();
        Some(Spans::new(Timing { length, every: self.every, from, regularity }, random))
    }
}

/// Returns the row of a typed name, ignoring dashes and case.
fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == plain(name))
}

/// Returns the settings that were typed for a volume of this policy.
///
/// # Errors
/// [`SimError`] names the parameter and its allowed values.
pub(super) fn settings(policy: &str, typed: &[(String, String)]) -> Result<Settings, SimError> {
    let mut settings = Settings::default();
    let mut seen: Vec<&'static Row> = Vec::new();
    for (name, value) in typed {
        let row = find(name).ok_or_else(|| unknown(policy, name))?;
        if seen.iter().any(|before| before.name == row.name) {
            return Err(SimError::Twice { name: row.name.to_owned() });
        }
        let range = |Wrong| range(name, value, row.takes.to_string());
        row.takes.put(&mut settings, value).map_err(range)?;
        seen.push(row);
    }
    needed(&seen)?;
    shorter_than_their_periods(&settings)?;
    Ok(settings)
}

fn needed(seen: &[&Row]) -> Result<(), SimError> {
    let missing = |needs: &str| !seen.iter().any(|other| other.name == needs);
    let alone =
        seen.iter().find_map(|row| row.needs.filter(|needs| missing(needs)).map(|needs| (row, needs)));
    alone.map_or(Ok(()), |(row, needs)| Err(SimError::Needs { name: row.name.to_owned(), needs }))
}

fn shorter_than_their_periods(settings: &Settings) -> Result<(), SimError> {
    let all = [
        ("stall", settings.stalls),
        ("theft", settings.theft),
        ("neighbour_for", settings.neighbours),
        ("second_for", settings.seconds),
    ];
    let long = |times: &Times| times.length.zip(times.every).is_some_and(|(length, every)| length >= every);
    let Some((name, times)) = all.into_iter().find(|(_, times)| long(times)) else { return Ok(()) };
    let typed = times.length.map_or(String::new(), |length| length.to_string());
    Err(range(name, &typed, "a time shorter than its period".to_owned()))
}

fn range(name: &str, value: &str, wanted: String) -> SimError {
    SimError::Range { name: name.to_owned(), value: value.to_owned(), wanted }
}

fn unknown(policy: &str, name: &str) -> SimError {
    let names = ROWS.iter().map(|row| row.name);
    SimError::Unknown {
        name: name.to_owned(),
        policy: policy.to_owned(),
        nearest: nearest(name, names.clone()),
        known: names.collect::<Vec<_>>().join(", "),
    }
}
