//! Which published policies give the levels that were measured, ranked, and what would tell the rest apart.

use serde::Serialize;
use workload::{Bytes, BytesPerSecond, Direction, Iops, Nanos, PolicyName};

use crate::{
    BurstLength, Catalogue, Level, Limits, Load, Match, Measured, ParameterUnit, Plateau, Specificity,
    Status, UnitReading, evaluate, matches,
};

/// How far a published figure may lie outside the measured interval: what provider's and clock's roundings make, and what a
/// throttle in slices gains or loses.
const TOLERANCE: f64 = 0.015;
/// Figures that are one: no run tells them apart.
const SAME: f64 = 0.005;
/// Figures that a run tells apart at once.
const APART: f64 = 0.05;
/// Blocks at which two policies are held against each other: from one that only operations stop to the largest that devices take
/// whole.
const BLOCKS: [Bytes; 5] = [Bytes::kib(4), Bytes::kib(16), Bytes::kib(64), Bytes::kib(256), Bytes::mib(1)];
/// Words of firmware and devices, and the provider whose they are: DMI's vendor and product, models of NVMe and SCSI disks.
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

/// What is known of a volume beside its levels.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Circumstances {
    /// Its size.
    pub size: Option<Bytes>,
    /// Whose machine it is, as an id of the catalogue, by what firmware and devices say.
    pub provider: Option<&'static str>,
}

impl Circumstances {
    /// What these texts of firmware and devices say.
    pub fn told(texts: &[&str], size: Option<Bytes>) -> Circumstances {
        let words = texts.iter().flat_map(|text| text.split_whitespace());
        let mark = |word: &str| MARKS.into_iter().find(|(mark, _)| mark.eq_ignore_ascii_case(word));
        Circumstances { size, provider: words.filter_map(mark).map(|(_, provider)| provider).next() }
    }
}

/// A policy that gives every level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Its place, from 1; equal where no level tells two apart.
    pub rank: usize,
    /// Id and parameters; where a size is free, one that fits.
    pub policy: PolicyName,
    /// The provider's name for it.
    pub title: String,
    /// Who provides it.
    pub provider: String,
    /// Whether it still holds.
    pub status: Status,
    /// Whether the levels are those of its baseline or of its burst.
    pub level: Level,
    /// The readings of MB in which they are; both where no unit of it is ambiguous.
    pub readings: Vec<UnitReading>,
    /// I/Os a second that it gives at each level.
    pub gives: Vec<Iops>,
    /// The greatest share by which a level lies off that.
    pub error: f64,
    /// How long the burst lasts under the first level from full credits, seconds, where it is one that is known.
    pub burst_ends_s: Option<f64>,
    /// Whether another provider was named, how much its figures say, and whether it still holds: the order of candidates.
    #[serde(skip)]
    key: (bool, Specificity, Status),
    #[serde(skip)]
    limits: Limits,
}

/// What would tell a candidate from the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Apart {
    /// A load at which they give other rates.
    Load {
        /// Which way.
        direction: Direction,
        /// Bytes of an I/O.
        block: Bytes,
        /// I/Os a second of the first and of the other.
        iops: (Iops, Iops),
    },
    /// Load without rest until a burst ends.
    Time {
        /// For so long from full credits; `None` where nobody says.
        lasts: Option<Nanos>,
        /// I/Os a second of small reads that are left of the first and of the other.
        left: (Iops, Iops),
    },
    /// No load does: they publish the same figures.
    Nothing,
}

/// The published policies that give every one of `levels`, the likeliest first: those of the provider that the machine names
/// before others, those that give the very rates before those that are near, published figures before sizes and before figures that can be bought, current before legacy ones, then by
/// error. Candidates that give the same rates at all levels share a rank.
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

/// Gives each candidate the rank of the first that gives the same rates, as far as the evidence beside them is the same.
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

/// What the rates suggest: of operations, of bytes, and of both together.
fn likely(levels: &[Plateau]) -> Vec<Match> {
    let mut found = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        let of = || levels.iter().filter(|level| level.direction == direction);
        let (Some(small), Some(large)) = (of().min_by_key(|one| one.block), of().max_by_key(|one| one.block))
        else {
            continue;
        };
        let nothing = Measured::new(direction);
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

/// What candidates are held against.
struct Search<'s> {
    levels: &'s [Plateau],
    known: &'s Circumstances,
}

impl Search<'_> {
    /// The policy that was suggested, where it gives every level: at the size that is known, else at the roundest or the middle
    /// one of those that were suggested.
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

    /// These limits at one of their levels, where they give every level that was measured.
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
        let lasts = self.levels.first().map(|level| limits.burst_under(&load(level)));
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

/// The sizes to try, as they are typed; one that is none where the policy does not go by it.
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

fn load(level: &Plateau) -> Load {
    Load::random(level.direction, level.block)
}

fn gives(limits: &Limits, levels: &[Plateau], of: Level) -> Option<Vec<Iops>> {
    levels.iter().map(|level| limits.cap(&load(level), of).map(|cap| cap.iops)).collect()
}

fn is_within(level: &Plateau, gives: Iops) -> bool {
    gives.0 >= level.iops.0.0 * (1.0 - TOLERANCE) && gives.0 <= level.iops.1.0 * (1.0 + TOLERANCE)
}

impl Candidate {
    /// What would tell `other` from this one.
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
        // Of equals the first, which is the smallest read.
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
