//! Finds the published policies that give the measured levels, ranks them, and tells what would distinguish them.

use schemars::JsonSchema;
use serde::Serialize;
use workload::{Bytes, BytesPerSecond, Direction, Iops, Nanos, PolicyName};

use crate::{
    BurstLength, Catalogue, Level, Limits, Load, Match, MeasuredPlateaus, ParameterUnit, Plateau,
    Specificity, Status, UnitReading, evaluate, matches,
};

/// Relative distance by which a published figure may lie outside the measured interval, for rounding by the
/// provider and the clock, and for a throttle that works in slices.
const TOLERANCE: f64 = 0.015;
/// Relative difference below which figures are equal: no run distinguishes them.
const SAME: f64 = 0.005;
/// Relative difference from which a run distinguishes figures at once.
const APART: f64 = 0.05;
/// Block sizes at which two policies are compared: from one that only operations limit to the largest that devices do
/// not split.
const BLOCKS: [Bytes; 5] = [Bytes::kib(4), Bytes::kib(16), Bytes::kib(64), Bytes::kib(256), Bytes::mib(1)];
/// Words in texts of firmware and devices (DMI's vendor and product, models of NVMe and SCSI disks), each
/// with the provider it reveals.
const MARKS: [(&str, &str); 13] = [
    ("Amazon", "aws"),
    ("Google", "gcp"),
    ("nvme_card", "gcp"),
    ("nvme_card-pd", "gcp"),
    ("PersistentDisk", "gcp"),
    ("Microsoft", "azure"),
    ("MSFT", "azure"),
    ("DigitalOcean", "digitalocean"),
    ("Hetzner", "hetzner"),
    ("Alibaba", "alibaba"),
    ("Huawei", "huawei"),
    ("Scaleway", "scaleway"),
    ("OracleCloud.com", "oci"),
];

/// What is known of a volume besides its levels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Circumstances {
    /// Size of the volume.
    pub size: Option<Bytes>,
    /// Provider of the machine, as an id of the catalogue, according to firmware and devices.
    pub provider: Option<&'static str>,
}

impl Circumstances {
    /// Returns the facts that these texts of firmware and devices reveal.
    pub fn told(texts: &[&str], size: Option<Bytes>) -> Circumstances {
        let words = texts.iter().flat_map(|text| text.split_whitespace());
        let mark = |word: &str| MARKS.into_iter().find(|(mark, _)| mark.eq_ignore_ascii_case(word));
        Circumstances { size, provider: words.filter_map(mark).map(|(_, provider)| provider).next() }
    }
}

/// A policy that gives every level.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Candidate {
    /// Rank, from 1; equal if no level distinguishes two candidates.
    pub rank: usize,
    /// Id and parameters; if the size is free, one that fits.
    pub policy: PolicyName,
    /// The provider's name for the policy.
    pub title: String,
    /// The provider.
    pub provider: String,
    /// Whether the policy still applies.
    pub status: Status,
    /// Whether the levels are those of the baseline or of the burst.
    pub level: Level,
    /// Readings of MB in which the levels fit; both if no unit of the policy is ambiguous.
    pub readings: Vec<UnitReading>,
    /// I/Os a second that the policy gives at each level.
    pub gives: Vec<Iops>,
    /// Greatest relative error of a level.
    pub error: f64,
    /// Seconds that the burst lasts under the first level from full credits, if known.
    pub burst_ends_s: Option<f64>,
    /// Sort key: whether another provider was named, how much the figures say, and whether the policy still applies.
    #[serde(skip)]
    key: (bool, Specificity, Status),
    #[serde(skip)]
    limits: Limits,
}

/// What would distinguish a candidate from the first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Apart {
    /// A load at which their rates differ.
    Load {
        /// Direction of the I/O.
        direction: Direction,
        /// Bytes of an I/O.
        block: Bytes,
        /// I/Os a second of the first and of the other candidate.
        iops: (Iops, Iops),
    },
    /// A load without a pause until a burst ends.
    Time {
        /// Length of the burst from full credits; `None` if it is not published.
        lasts: Option<Nanos>,
        /// I/Os a second of small reads after the burst, of the first and of the other candidate.
        left: (Iops, Iops),
    },
    /// No load distinguishes the candidates, because their published figures are the same.
    Nothing,
}

/// Returns the published policies that give every one of `levels`, the likeliest first. The order: policies of the
/// provider that the machine names; exact rates before near ones; published figures before sizes, and sizes before
/// figures that can be bought; current policies before legacy ones; then by error. Candidates that give the same
/// rates at all levels share a rank.
pub fn identify(levels: &[Plateau], known: &Circumstances) -> Vec<Candidate> {
    let search = Search { levels, known };
    let mut found: Vec<Candidate> = Vec::new();
    for candidate in likely(levels).iter().filter_map(|one| search.candidate(one)) {
        if !found.iter().any(|other| other.policy == candidate.policy) {
            found.push(candidate);
        }
    }
    let order = |one: &Candidate| (one.key.0, one.error > SAME, one.key);
    found.sort_by(|a, b| order(a).cmp(&order(b)).then(a.error.total_cmp(&b.error)));
    rank(&mut found);
    found
}

/// Gives each candidate the rank of the first one that gives the same rates with the same evidence besides them.
fn rank(found: &mut [Candidate]) {
    for at in 0..found.len() {
        let (before, rest) = found.split_at_mut(at);
        let Some(this) = rest.first_mut() else { return };
        let same = before.iter().find(|other| other.key.0 == this.key.0 && alike(&other.gives, &this.gives));
        this.rank = same.map_or(at + 1, |other| other.rank);
    }
    found.sort_by_key(|candidate| candidate.rank);
}

fn alike(one: &[Iops], other: &[Iops]) -> bool {
    one.iter().zip(other).all(|(one, other)| (one.0 / other.0 - 1.0).abs() <= SAME)
}

/// Returns the policies that the rates suggest: those of operations, of bytes, and of both together.
fn likely(levels: &[Plateau]) -> Vec<Match> {
    let mut found = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        let of = || levels.iter().filter(|level| level.direction == direction);
        let (Some(small), Some(large)) = (of().min_by_key(|one| one.block), of().max_by_key(|one| one.block))
        else {
            continue;
        };
        let nothing = MeasuredPlateaus::new(direction);
        let operations = nothing.with_iops(middle(small), small.block);
        let bytes = BytesPerSecond(middle(large).0 * large.block.0 as f64);
        let all = [operations, nothing.with_bandwidth(bytes), operations.with_bandwidth(bytes)];
        found.extend(all.iter().flat_map(matches));
    }
    found
}

fn middle(level: &Plateau) -> Iops {
    if level.iops.1.0.is_finite() {
        Iops(f64::midpoint(level.iops.0.0, level.iops.1.0))
    } else {
        level.iops.0
    }
}

/// Measured levels and facts that candidates are compared with.
struct Search<'s> {
    levels: &'s [Plateau],
    known: &'s Circumstances,
}

impl Search<'_> {
    /// Returns the suggested policy if it gives every level: at the known size, else at the roundest or the
    /// middle of the suggested sizes.
    fn candidate(&self, suggested: &Match) -> Option<Candidate> {
        sizes(suggested, self.known.size).iter().find_map(|size| {
            let mut name = suggested.policy.clone();
            let typed = name.parameters.iter_mut().filter(|(key, _)| key == "size");
            typed.zip(size).for_each(|((_, value), size)| value.clone_from(size));
            let limits = evaluate(&name).ok()?;
            let found = [Level::Baseline, Level::Burst].into_iter().find_map(|at| self.at(&limits, at));
            Some(Candidate {
                key: (self.is_elsewhere(&limits), suggested.specificity, limits.status),
                ..found?
            })
        })
    }

    /// Returns these limits at one of their levels if they give every measured level there.
    fn at(&self, limits: &Limits, at: Level) -> Option<Candidate> {
        let fits = |reading: &UnitReading| {
            let gives = gives(&limits.in_reading(*reading), self.levels, at);
            gives.is_some_and(|gives| {
                self.levels.iter().zip(&gives).all(|(one, gives)| is_within(one, *gives))
            })
        };
        let readings: Vec<_> = [UnitReading::Binary, UnitReading::Decimal].into_iter().filter(fits).collect();
        let limits = limits.in_reading(*readings.first()?);
        let gives = gives(&limits, self.levels, at)?;
        let off = |(one, gives): (&Plateau, &Iops)| (middle(one).0 / gives.0 - 1.0).abs();
        let lasts = self.levels.first().map(|level| limits.burst_under(&level.load()));
        Some(Candidate {
            rank: 0,
            policy: limits.policy.clone(),
            title: limits.title.clone(),
            provider: limits.provider.clone(),
            status: limits.status,
            level: at,
            readings,
            error: self.levels.iter().zip(&gives).map(off).fold(0.0, f64::max),
            gives,
            burst_ends_s: match lasts {
                Some(BurstLength::Ends(length)) if at == Level::Burst => Some(length.as_secs_f64()),
                _ => None,
            },
            key: (false, Specificity::Published, limits.status),
            limits,
        })
    }

    fn is_elsewhere(&self, limits: &Limits) -> bool {
        self.known.provider.is_some_and(|provider| provider != limits.provider)
    }
}

/// Returns the sizes to try, as typed; `None` is the suggested size, or no size if the policy does not depend on it.
fn sizes(suggested: &Match, known: Option<Bytes>) -> Vec<Option<String>> {
    let Some((least, most)) = suggested.sizes else { return vec![None] };
    let policy = Catalogue::builtin().find(&suggested.policy.id).ok();
    let unit = policy.and_then(|policy| policy.parameters.iter().find(|one| one.name == "size"));
    let Some(unit) = unit.map(|parameter| parameter.unit) else { return vec![None] };
    let written = |size: f64| Some(unit.write(size.round()));
    match known {
        Some(size) => {
            let size = size.0 as f64 / if unit == ParameterUnit::GB { 1e9 } else { Bytes::GIB.0 as f64 };
            vec![written(size)]
        }
        None => vec![None, written((least * most).sqrt())],
    }
}

fn gives(limits: &Limits, levels: &[Plateau], of: Level) -> Option<Vec<Iops>> {
    levels.iter().map(|level| limits.cap(&level.load(), of).map(|cap| cap.iops)).collect()
}

fn is_within(level: &Plateau, gives: Iops) -> bool {
    gives.0 >= level.iops.0.0 * (1.0 - TOLERANCE) && gives.0 <= level.iops.1.0 * (1.0 + TOLERANCE)
}

impl Candidate {
    /// Returns what would distinguish `other` from this candidate.
    pub fn apart_from(&self, other: &Candidate) -> Apart {
        let rates = |load: &Load, level: (Level, Level)| {
            let of = |one: &Candidate, level: Level| one.limits.cap(load, level).map(|cap| cap.iops);
            Some((of(self, level.0)?, of(other, level.1)?))
        };
        let ratio = |(one, other): (Iops, Iops)| (one.0 / other.0).max(other.0 / one.0);
        let loads = [Direction::Read, Direction::Write]
            .into_iter()
            .flat_map(|direction| BLOCKS.map(|block| (direction, block)));
        let now = loads.filter_map(|(direction, block)| {
            let iops = rates(&Load::random(direction, block), (self.level, other.level))?;
            (ratio(iops) > 1.0 + APART).then_some((direction, block, iops))
        });
        // Of equal ratios the first is kept, which is that of the smallest read.
        let best = now.reduce(|a, b| if ratio(b.2) > ratio(a.2) * (1.0 + SAME) { b } else { a });
        if let Some((direction, block, iops)) = best {
            return Apart::Load { direction, block, iops };
        }
        let small = Load::random(Direction::Read, BLOCKS[0]);
        match rates(&small, (Level::Baseline, Level::Baseline)) {
            Some(left) if ratio(left) > 1.0 + APART => {
                let ends = [self.burst_ends_s, other.burst_ends_s].into_iter().flatten().reduce(f64::min);
                Apart::Time { lasts: ends.map(Nanos::from_secs_f64), left }
            }
            _ => Apart::Nothing,
        }
    }
}
