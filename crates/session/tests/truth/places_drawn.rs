//! Volumes that `where` is to look at: with a cache, lazily loaded or unwritten parts, tracks, several of these,
//! or none; and with anything that moves latencies and rates besides.

use analysis::RegionKind;
use statistics::Stream;
use workload::{Bytes, Nanos};

use crate::custom::{chance, one_of};

/// Seed of the family from which they are drawn.
const FAMILY: u64 = 1200;
/// Number of kinds of volumes, which come in turn.
pub const KINDS: usize = 13;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// What is true of one volume.
pub struct DrawnVolume {
    /// The target as typed, without `sim:`.
    pub words: String,
    pub size: Bytes,
    pub time: Nanos,
    /// Parts that differ from most of the volume, in order.
    pub regions: Vec<Part>,
    pub cache: Option<Cache>,
    /// Bytes a second of 1 MiB reads, one at a time, at the first byte and at the last.
    pub tracks: Option<(f64, f64)>,
    pub miss: Rates,
    /// Share by which rates stray for the length of a load.
    pub strays: f64,
}

/// A part of the volume.
pub struct Part {
    pub kind: RegionKind,
    pub from: u64,
    pub to: u64,
}

/// A cache and its rates.
pub struct Cache {
    pub bytes: u64,
    pub hit: Rates,
    /// Whether hits and misses count against one limit of the cache's own.
    pub has_limits: bool,
}

/// Latency of one read, and limits on many.
#[derive(Clone, Copy)]
pub struct Rates {
    pub latency_s: f64,
    pub iops: f64,
    pub bandwidth: f64,
}

impl Rates {
    /// Returns reads of `block` a second with `depth` in flight.
    pub fn at(self, block: u64, depth: f64) -> f64 {
        (depth / self.latency_s).min(self.iops).min(self.bandwidth / block as f64)
    }
}

/// Draws what moves latencies and rates: its words, and the share by which rates stray.
fn noise(random: &mut Stream) -> (String, f64) {
    let percent = *one_of(random, &[1.0, 3.0, 5.0, 8.0]);
    let (words, strays): (String, f64) = match random.below(10) {
        0 | 1 => (String::new(), 0.0),
        2 => (format!(",noise={percent}%,rho=0.6"), 0.05 * percent),
        3 => (",neighbour=50%,neighbour_for=20s,neighbour_every=60s,neighbour_pace=poisson".into(), 0.6),
        4 => (format!(",slow={percent}%,slow_over=60s"), 0.05 * percent),
        5 => (format!(",flicker={percent}%"), 0.05 * percent),
        6 => (",tail=1%,tail_latency=20ms".into(), 0.6),
        7 => (",stall=500ms,stall_every=20s,stall_pace=poisson".into(), 0.6),
        8 => (",mode=20%,mode_factor=3".into(), 0.4),
        _ => (",cap_low=50%,wave=10s/10s".into(), 0.6),
    };
    (words, strays)
}

/// Draws start and end in bytes of a part between `from` and `to`, given in MiB; at least a twentieth of that.
fn part(random: &mut Stream, (from, to): (u64, u64)) -> (u64, u64) {
    let all = to - from;
    let length = all / 20 + random.below(all / 2);
    let begins = from + random.below(all - length);
    (begins * MIB, (begins + length) * MIB)
}

impl DrawnVolume {
    pub fn numbered(number: usize) -> DrawnVolume {
        let mut random = Stream::new(FAMILY, number as u64);
        let mib = *one_of(&mut random, &[8, 20, 64, 200]) << 10;
        let time = Nanos::from_secs(*one_of(&mut random, &[60, 120, 120, 240]));
        let (noise, strays) = noise(&mut random);
        let mut volume = DrawnVolume {
            words: String::new(),
            size: Bytes::mib(mib),
            time,
            regions: Vec::new(),
            cache: None,
            tracks: None,
            miss: Rates { latency_s: 0.0, iops: 0.0, bandwidth: f64::INFINITY },
            strays,
        };
        volume.medium(&mut random);
        match number % KINDS {
            0 => {}
            1 => volume.cached(&mut random),
            2 => volume.budgeted(&mut random),
            3 => volume.lazy(&mut random, (0, mib)),
            4 => volume.thin(&mut random, (0, mib)),
            5 => volume.turning(&mut random),
            6 => volume.lazy_throughout(&mut random),
            7 => {
                volume.lazy(&mut random, (0, mib / 2));
                volume.thin(&mut random, (mib / 2, mib));
            }
            8 => {
                volume.cached(&mut random);
                volume.lazy(&mut random, (0, mib));
            }
            9 => volume.warm(&mut random),
            10 => volume.slow_to_admit(&mut random),
            11 => volume.serving(&mut random),
            _ => {
                volume.turning(&mut random);
                volume.lazy(&mut random, (0, mib));
            }
        }
        volume.words += &format!(",seed={}{noise}", number + 1);
        volume
    }

    /// Adds a metered medium, with rates that limit neither a strip nor a set.
    fn medium(&mut self, random: &mut Stream) {
        let (latency, us) =
            *one_of(random, &[("300us", 300.0), ("800us", 800.0), ("2ms", 2e3), ("6ms", 6e3)]);
        let iops = *one_of(random, &[500.0, 3000.0, 12_800.0, 50_000.0]);
        let jitter = *one_of(random, &["0.1", "0.3", "0.5"]);
        let size = self.size.0 / GIB;
        self.miss = Rates { latency_s: us / 1e6, iops, bandwidth: f64::INFINITY };
        self.words = format!("custom,iops={iops},latency={latency},jitter={jitter},size={size}GiB");
        if chance(random, 0.5) {
            let mib = *one_of(random, &[100.0, 192.0, 500.0]);
            self.miss.bandwidth = mib * MIB as f64;
            self.words += &format!(",bandwidth={mib}MiB/s");
        }
    }

    fn cached(&mut self, random: &mut Stream) {
        // From 48 MiB to 2 GiB, evenly by doublings.
        let bytes = (48.0 * (2048f64 / 48.0).powf(random.unit_f64())) as u64 * MIB;
        let us = *one_of(random, &[50.0, 100.0]);
        self.words += &format!(",cache={}MiB,cache_latency={us}us", bytes / MIB);
        let hit = Rates { latency_s: us / 1e6, iops: f64::INFINITY, bandwidth: f64::INFINITY };
        self.cache = Some(Cache { bytes, hit, has_limits: false });
    }

    /// Adds a cache with limits of its own.
    fn budgeted(&mut self, random: &mut Stream) {
        self.cached(random);
        let iops = *one_of(random, &[77_000.0, 150_000.0]);
        let mib = *one_of(random, &[600.0, 1200.0]);
        self.words += &format!(",cache_iops={iops},cache_bandwidth={mib}MiB/s");
        let Some(cache) = &mut self.cache else { return };
        cache.has_limits = true;
        (cache.hit.iops, cache.hit.bandwidth) = (iops, mib * MIB as f64);
        self.miss.iops = self.miss.iops.min(iops);
        self.miss.bandwidth = self.miss.bandwidth.min(mib * MIB as f64);
    }

    fn warm(&mut self, random: &mut Stream) {
        self.cached(random);
        let Some(cache) = &self.cache else { return };
        let share = *one_of(random, &[0.3, 1.0]);
        self.words += &format!(",cache_holds={}MiB", (share * (cache.bytes / MIB) as f64) as u64);
    }

    fn slow_to_admit(&mut self, random: &mut Stream) {
        self.cached(random);
        self.words += &format!(",cache_admits={}%", one_of(random, &[10, 30, 60]));
    }

    fn lazy(&mut self, random: &mut Stream, within: (u64, u64)) {
        let (from, to) = part(random, within);
        let ms = self.longer(random);
        self.words +=
            &format!(",first_touch={ms}ms,first_touch_from={}MiB,first_touch_to={}MiB", from / MIB, to / MIB);
        self.regions.push(Part { kind: RegionKind::FirstTouch, from, to });
    }

    /// Draws how much longer a first touch takes, in milliseconds: at least twice the usual latency.
    fn longer(&self, random: &mut Stream) -> u64 {
        let least = (2.0 * self.miss.latency_s * 1e3).ceil() as u64;
        (*one_of(random, &[2, 5, 20, 60])).max(least)
    }

    fn lazy_throughout(&mut self, random: &mut Stream) {
        let ms = self.longer(random);
        self.words += &format!(",first_touch={ms}ms");
        self.regions.push(Part { kind: RegionKind::FirstTouch, from: 0, to: self.size.0 });
    }

    fn thin(&mut self, random: &mut Stream, within: (u64, u64)) {
        let (from, to) = part(random, within);
        self.words += &format!(",thin=100us,thin_from={}MiB,thin_to={}MiB", from / MIB, to / MIB);
        self.regions.push(Part { kind: RegionKind::Fast, from, to });
    }

    fn turning(&mut self, random: &mut Stream) {
        let (outer, inner) = *one_of(random, &[(200.0, 100.0), (260.0, 120.0), (150.0, 90.0)]);
        self.words += &format!(",outer={outer}MiB/s,inner={inner}MiB/s");
        let alone = |mib: f64| MIB as f64 / (self.miss.latency_s + 1.0 / mib);
        self.tracks = Some((alone(outer), alone(inner)));
    }

    /// Returns a small volume behind the cache of a host whose limit holds even single reads: one of three sizes with one of
    /// three pairs of limits.
    pub fn hosted(number: usize) -> DrawnVolume {
        let bytes = [128, 256, 512][number % 3] * MIB;
        let (iops, mib, cached, cached_mib) =
            [(1600.0, 64.0, 12e3, 300.0), (3200.0, 96.0, 20e3, 400.0), (800.0, 48.0, 8e3, 200.0)]
                [number / 3 % 3];
        let hit = Rates { latency_s: 50e-6, iops: cached, bandwidth: cached_mib * MIB as f64 };
        DrawnVolume {
            words: format!(
                "custom,iops={iops},bandwidth={mib}MiB/s,latency=1ms,jitter=0.3,size=2GiB,cache={}MiB,cache_latency=50us,\
                 cache_iops={cached},cache_bandwidth={cached_mib}MiB/s,seed={}",
                bytes / MIB,
                number + 1
            ),
            size: Bytes::gib(2),
            time: Nanos::from_secs(120),
            regions: Vec::new(),
            cache: Some(Cache { bytes, hit, has_limits: true }),
            tracks: None,
            miss: Rates { latency_s: 1e-3, iops, bandwidth: mib * MIB as f64 },
            strays: 0.0,
        }
    }

    /// Adds servers without a meter: what moves rates moves latencies.
    fn serving(&mut self, random: &mut Stream) {
        let (ms, size) = (*one_of(random, &[1, 5]), self.size.0 / GIB);
        self.words = format!("custom,servers=8,service={ms}ms,service_cv=1,latency=200us,size={size}GiB");
        let latency_s = ms as f64 / 1e3 + 2e-4;
        self.miss = Rates { latency_s, iops: 8e3 / ms as f64, bandwidth: f64::INFINITY };
    }
}
