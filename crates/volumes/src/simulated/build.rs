//! Builds the parts of a simulated volume from the words of a target.

use policy::{BucketStart, Limits, Meter};
use statistics::Stream;
use workload::{Bytes, Nanos, PolicyName};

use super::corner::Corner;
use super::error::SimError;
use super::latency::{Base, Oddities};
use super::machine::MachineWords;
use super::noise::Noise;
use super::parameters;
use super::places::{BadPlace, Cache, CachePlan, FirstTouch, Part, Thin, Tracks};
use super::second::Second;
use super::servers::{ServerPlan, Servers};
use super::settings::{Settings, settings};
use super::tempo::{Factor, Slow, SlowCourse, Tempo, Wave};
use super::write_back::{WriteBack, WriteBackPlan};
use super::{Front, Medium, Meters, SimulatedVolume};

/// Default latency of one I/O at a time: that of a network volume that reaches 5,000 IOPS at depth 4.
pub(super) const LATENCY: Nanos = Nanos::from_micros(800);
/// Default coefficient of variation of the latency.
const JITTER: f64 = 0.1;
/// Size of a simulated volume if neither its policy nor the target names one.
const SIZE: Bytes = Bytes::gib(100);
/// Time by which a flat rule lets I/O run ahead of its rate, as in the meter.
pub(super) const TOLERANCE: Nanos = Nanos::from_millis(5);
/// Default step of the noise: a second of a series.
pub(super) const NOISE_EVERY: Nanos = Nanos::SECOND;
/// Default time constant of slow noise.
const SLOW_OVER: Nanos = Nanos::from_secs(60);
/// Default period of a sway and duration of a decline: a day.
const SLOWLY: Nanos = Nanos::from_secs(86_400);
/// Default latency of a cache hit: memory of a nearby machine.
const CACHE_LATENCY: Nanos = Nanos::from_micros(100);
/// Default latency of a write into a write-back cache.
const WRITE_BACK_LATENCY: Nanos = Nanos::from_micros(50);
/// Default size of a second volume's reads.
const SECOND_BLOCK: Bytes = Bytes::kib(4);

/// Random streams of one seed, one for each kind of randomness, so that no kind affects another.
#[derive(Clone, Copy)]
pub(super) enum Chance {
    Latency = 0,
    Noise,
    Slow,
    Neighbour,
    Second,
    Servers,
    Stalls,
    Oddities,
    Errors,
    Theft,
    Cache,
    Machine,
    Flicker = 32,
}

/// The parameters that every volume has.
#[derive(Clone, Debug)]
pub(super) struct Basics {
    pub(super) latency: Nanos,
    pub(super) write_latency: Option<Nanos>,
    pub(super) size: Bytes,
    pub(super) jitter: f64,
    pub(super) seed: u64,
    pub(super) start: BucketStart,
    /// The parameters of the machine in front of the volume.
    pub(super) machine: MachineWords,
}

/// Returns the volume, with no machine in front of it yet.
pub(super) fn volume(name: &PolicyName) -> Result<SimulatedVolume, SimError> {
    let (limits, rest) = policy::evaluate_with_rest(name)?;
    let settings = settings(&name.id, &rest)?;
    let basics = basics(&limits, &settings);
    if limits.limits.is_empty() && settings.servers.is_none() {
        return Err(SimError::Unlimited { policy: name.id.clone() });
    }
    held(&limits, basics.start, &rest)?;
    let random = |chance: Chance| Stream::new(basics.seed, chance as u64);
    Ok(SimulatedVolume {
        machine: None,
        meters: meters(&limits, &settings, &basics),
        medium: medium(&settings, &basics),
        front: front(&settings, &basics),
        theft: settings.theft.spans(random(Chance::Theft)),
        limits,
        basics,
    })
}

fn basics(limits: &Limits, settings: &Settings) -> Basics {
    Basics {
        latency: settings.latency.or(limits.latency).unwrap_or(LATENCY),
        write_latency: settings.write_latency,
        size: settings.size.or(limits.volume_size()).unwrap_or(SIZE),
        jitter: settings.jitter.unwrap_or(JITTER),
        seed: settings.seed.unwrap_or(1),
        start: settings.credits.unwrap_or_default(),
        machine: MachineWords {
            iops: settings.machine_iops,
            bandwidth: settings.machine_bandwidth,
            noise: settings.machine_noise,
            share: settings.machine_share,
        },
    }
}

fn held(limits: &Limits, start: BucketStart, typed: &[(String, String)]) -> Result<(), SimError> {
    let value =
        typed.iter().find(|(name, _)| parameters::plain(name) == "credits").map(|(_, value)| value.clone());
    limits.hold(start).map_err(|wanted| SimError::Range {
        name: "credits".to_owned(),
        value: value.unwrap_or_default(),
        wanted,
    })
}

fn meters(limits: &Limits, settings: &Settings, basics: &Basics) -> Meters {
    // I/O that waits for the end of a slice must not lose the rate of the time until then.
    let tolerance = settings.slice.map_or(TOLERANCE, |slice| slice.max(TOLERANCE));
    let second = settings.second_iops.map(|iops| Second {
        gap: Nanos((1e9 / iops).max(1.0) as u64),
        block: settings.second_block.unwrap_or(SECOND_BLOCK),
        spans: settings.seconds.spans(Stream::new(basics.seed, Chance::Second as u64)),
        next: Nanos::ZERO,
    });
    Meters {
        meter: Meter::new(limits, basics.start).with_tolerance(tolerance),
        last_end: [0; 4],
        tempo: Tempo::new(factors(settings, basics.seed)),
        second,
        slice: settings.slice,
    }
}

fn factors(settings: &Settings, seed: u64) -> Vec<Factor> {
    let random = |chance: Chance| Stream::new(seed, chance as u64);
    let mut factors = Vec::new();
    if let (Some(share), Some((high, low))) = (settings.cap_low, settings.wave) {
        let phase = settings.wave_phase.unwrap_or_default();
        factors.push(Factor::Wave(Wave { high, low, share, phase }));
    }
    let slow = [
        (SlowCourse::Sway, settings.sway, settings.sway_over),
        (SlowCourse::Decline, settings.decline, settings.decline_over),
    ];
    for (course, share, over) in slow {
        factors.extend(share.map(|share| Factor::Slow(Slow { course, share, over: over.unwrap_or(SLOWLY) })));
    }
    if let Some((share, spans)) = settings.neighbour.zip(settings.neighbours.spans(random(Chance::Neighbour)))
    {
        factors.push(Factor::Taken { share, spans });
    }
    if let Some(sd) = settings.noise {
        let step = settings.noise_every.unwrap_or(NOISE_EVERY);
        let keep = settings.rho.unwrap_or_default();
        factors.push(Factor::Noise(Noise::new(step, sd, keep, random(Chance::Noise))));
    }
    if let Some(sd) = settings.slow {
        let over = settings.slow_over.unwrap_or(SLOW_OVER);
        factors.push(Factor::Noise(Noise::slow(over, sd, random(Chance::Slow))));
    }
    let flicker = settings.flicker.map(|sd| Noise::flicker(sd, seed, Chance::Flicker as u64));
    factors.extend(flicker.into_iter().flatten().map(Factor::Noise));
    factors
}

fn medium(settings: &Settings, basics: &Basics) -> Medium {
    let random = |chance: Chance| Stream::new(basics.seed, chance as u64);
    let plan = settings.servers.zip(settings.service).map(|(servers, service)| ServerPlan {
        servers: servers as u32,
        service,
        variation: settings.service_cv.unwrap_or_default(),
        bandwidth: settings.server_bandwidth,
    });
    let mode = settings.mode.zip(settings.mode_factor);
    let tail = settings.tail.zip(settings.tail_latency);
    let oddities = Oddities {
        mode: mode.unwrap_or((0.0, 1.0)),
        tail: tail.unwrap_or((0.0, Nanos::ZERO)),
        random: random(Chance::Oddities),
    };
    Medium {
        read: Base::new(basics.latency, basics.jitter),
        write: Base::new(basics.write_latency.unwrap_or(basics.latency), basics.jitter),
        random: random(Chance::Latency),
        oddities: (mode.is_some() || tail.is_some()).then_some(oddities),
        servers: plan.map(|plan| Servers::new(plan, random(Chance::Servers))),
        corner: settings.corner.map(Corner::new),
        stalls: settings.stalls.spans(random(Chance::Stalls)),
        tracks: settings.outer.zip(settings.inner).map(|(outer, inner)| Tracks {
            outer,
            inner,
            size: basics.size,
        }),
    }
}

fn front(settings: &Settings, basics: &Basics) -> Front {
    let place = settings.bad_at.zip(settings.bad_bytes);
    let write_back = settings.write_back.zip(settings.drain).map(|(size, drain)| WriteBackPlan {
        size,
        drain,
        latency: settings.write_back_latency.unwrap_or(WRITE_BACK_LATENCY),
        flush: settings.flush.unwrap_or(basics.write_latency.unwrap_or(basics.latency)),
    });
    let random = |chance: Chance| Stream::new(basics.seed, chance as u64);
    let cache = settings.cache.map(|size| CachePlan {
        size,
        latency: settings.cache_latency.unwrap_or(CACHE_LATENCY),
        iops: settings.cache_iops,
        bandwidth: settings.cache_bandwidth,
        admits: settings.cache_admits.map(|share| (share, random(Chance::Cache))),
        holds: settings.cache_holds.unwrap_or(Bytes(0)),
    });
    Front {
        errors: settings.errors.map(|share| (share, random(Chance::Errors))),
        bad: place.map(|(offset, length)| BadPlace { offset, length }),
        thin: settings.thin.map(|latency| Thin::new(latency, Part::of(settings.thin_part))),
        cache: cache.map(Cache::new),
        touch: settings.first_touch.map(|more| FirstTouch::new(more, Part::of(settings.first_touch_part))),
        write_back: write_back.map(WriteBack::new),
    }
}
