//! Evaluated limits: those of one volume whose parameters are all known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Bytes, BytesPerSecond, Direction, Iops, Nanos, PolicyName};

use crate::{Billing, Confidence, Promise, ReferenceWorkload, Scope, Source, Status};

/// Everything that a policy says about one volume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Id and every parameter that was used, defaults included, as they can be typed.
    pub policy: PolicyName,
    /// The provider's name for the type.
    pub title: String,
    /// The provider.
    pub provider: String,
    /// Whether the policy still applies.
    pub status: Status,
    /// Scope over which the limits count I/O.
    pub scope: Scope,
    /// Date of the figures, if the source has one.
    pub as_of: Option<String>,
    /// Confidence in the figures.
    pub confidence: Confidence,
    /// Sources of the figures.
    pub sources: Vec<Source>,
    /// The provider's promise about the figures.
    pub promise: Option<Promise>,
    /// Published latency, in words.
    pub latency_words: Option<String>,
    /// Latency that the user stated with the policy `custom`.
    pub latency: Option<Nanos>,
    /// Billing of operations.
    pub billing: Billing,
    /// The workload for which the figures are stated.
    pub reference_workload: Option<ReferenceWorkload>,
    /// Further remarks for the reader.
    pub note: Option<String>,
    /// The rules; every I/O must satisfy all that cover it.
    pub limits: Vec<Limit>,
}

/// One rule. Rates are in operations or bytes a second, by [`Limit::resource`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// Short name, unique within the policy.
    pub id: String,
    /// Scope of the count: the volume, or the machine in front of it.
    pub scope: Scope,
    /// Counted resource.
    pub resource: Resource,
    /// Directions of counted I/O.
    pub direction: Covers,
    /// The baseline as the provider writes it.
    pub written: PublishedRate,
    /// Whether the provider writes MB although its own figures suggest MiB (4.86 % apart): both readings are then acceptable.
    pub unit_ambiguous: bool,
    /// The reading of an ambiguous unit in which the rates below are stated; if the unit is not ambiguous, the unit as written.
    pub reading: UnitReading,
    /// The rate that lasts indefinitely.
    pub baseline: f64,
    /// The rate that lasts for a limited time.
    pub burst: Option<Burst>,
    /// The baseline from which the provider bills, if it does.
    pub billed_above: Option<f64>,
    /// Charge of an I/O if its size counts; `None` if an I/O is charged as one operation, or by its bytes.
    pub accounting: Option<Accounting>,
    /// Further remarks for the reader.
    pub note: Option<String>,
}

/// A figure as the provider writes it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedRate {
    /// The baseline.
    pub baseline: f64,
    /// Unit of the baseline.
    pub unit: RateUnit,
}

/// What a rule counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Operations.
    Iops,
    /// Bytes.
    Bytes,
}

/// Which I/O a rule counts. Trims and flushes are not counted: no provider in the catalogue publishes a charge for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Covers {
    /// Reads and writes together.
    Total,
    /// Reads only.
    Read,
    /// Writes only.
    Write,
}

/// A unit in which providers write rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RateUnit {
    /// Operations a second.
    #[serde(rename = "ops/s")]
    Ops,
    /// 1,048,576 bytes a second.
    #[serde(rename = "MiB/s")]
    MibPerSecond,
    /// Nominally 1,000,000 bytes a second, but often meant as 1,048,576.
    #[serde(rename = "MB/s")]
    MbPerSecond,
}

/// How an ambiguous MB is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnitReading {
    /// 1,048,576 bytes.
    Binary,
    /// 1,000,000 bytes.
    Decimal,
}

/// A rate above the baseline for a while.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Burst {
    /// Operations or bytes a second.
    pub rate: f64,
    /// Source of the burst's credits.
    pub bucket: Bucket,
}

/// What pays for a burst.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bucket {
    /// A level that rises with the baseline, falls with usage, and must be above zero for a burst.
    Tokens {
        /// Operations or bytes that the bucket holds when full.
        size: f64,
        /// Operations or bytes that a new volume starts with.
        initial: f64,
        /// Whether the size is derived from a duration, because that is what the provider publishes.
        derived: bool,
    },
    /// A burst that ends with time, not with usage.
    Timed {
        /// Length of the burst, if known.
        lasts: Option<Nanos>,
        /// Time until the next burst, if known.
        cool_off: Option<Nanos>,
    },
    /// The burst never ends, at a price.
    UnlimitedPaid,
    /// The provider does not publish the length of the burst.
    Unknown,
}

/// How an I/O is charged when its size counts: by the unit, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Accounting {
    /// Bytes of one charged unit.
    #[serde(rename = "unit_bytes")]
    pub unit: Bytes,
    /// Charge of a fraction of a unit.
    pub rounding: Rounding,
    /// Whether sequential I/O may be merged up to the unit before it is charged.
    pub merge_sequential: bool,
}

/// How a fraction of a charged unit is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// A fraction is charged as a whole unit.
    Ceil,
    /// A fraction is charged as that fraction.
    Proportional,
}

impl Covers {
    /// Whether I/O in this direction is counted.
    pub fn covers(self, direction: Direction) -> bool {
        match self {
            Covers::Total => matches!(direction, Direction::Read | Direction::Write),
            Covers::Read => direction == Direction::Read,
            Covers::Write => direction == Direction::Write,
        }
    }
}

impl RateUnit {
    /// Returns the operations or bytes a second in one of this unit, reading an ambiguous MB as `reading` says.
    pub fn factor(self, reading: UnitReading) -> f64 {
        match (self, reading) {
            (RateUnit::Ops, _) => 1.0,
            (RateUnit::MibPerSecond, _) | (RateUnit::MbPerSecond, UnitReading::Binary) => (1u64 << 20) as f64,
            (RateUnit::MbPerSecond, UnitReading::Decimal) => 1e6,
        }
    }

    /// Returns the unit as providers write it.
    pub const fn name(self) -> &'static str {
        match self {
            RateUnit::Ops => "IOPS",
            RateUnit::MibPerSecond => "MiB/s",
            RateUnit::MbPerSecond => "MB/s",
        }
    }
}

impl Bucket {
    /// Returns this bucket with its size multiplied by `factor`.
    fn scaled(self, factor: f64) -> Bucket {
        match self {
            Bucket::Tokens { size, initial, derived } => {
                Bucket::Tokens { size: size * factor, initial: initial * factor, derived }
            }
            other => other,
        }
    }
}

impl Limit {
    /// Returns this rule with an ambiguous MB in the given reading; a rule that is not ambiguous stays as it is.
    pub fn in_reading(&self, reading: UnitReading) -> Limit {
        if !self.unit_ambiguous || self.reading == reading {
            return self.clone();
        }
        let factor = self.written.unit.factor(reading) / self.written.unit.factor(self.reading);
        Limit {
            reading,
            baseline: self.baseline * factor,
            burst: self
                .burst
                .map(|burst| Burst { rate: burst.rate * factor, bucket: burst.bucket.scaled(factor) }),
            billed_above: self.billed_above.map(|above| above * factor),
            ..self.clone()
        }
    }

    /// Returns the baseline in the other reading of an ambiguous unit.
    pub fn alternative(&self) -> Option<BytesPerSecond> {
        let other = match self.reading {
            UnitReading::Binary => UnitReading::Decimal,
            UnitReading::Decimal => UnitReading::Binary,
        };
        self.unit_ambiguous.then(|| BytesPerSecond(self.in_reading(other).baseline))
    }
}

impl Limits {
    /// Returns these limits with every ambiguous MB in the given reading.
    ///
    /// Evaluation gives [`UnitReading::Binary`], which simulated and throttled volumes enforce: DigitalOcean's and
    /// Azure's tables by block size (3,200 IOPS at 64 KiB) only follow from 200 MiB/s. A verdict accepts either.
    pub fn in_reading(&self, reading: UnitReading) -> Limits {
        Limits { limits: self.limits.iter().map(|limit| limit.in_reading(reading)).collect(), ..self.clone() }
    }

    /// Returns the least baseline byte rate that covers `direction`, in the enforced reading (MiB); `None` without a byte rule.
    pub fn enforced_bytes_per_second(&self, direction: Direction) -> Option<BytesPerSecond> {
        let enforced = self.in_reading(UnitReading::Binary);
        enforced.least(Resource::Bytes, direction).map(BytesPerSecond)
    }

    /// Returns the least baseline rate of charged operations that covers `direction`; `None` without such a rule.
    pub fn enforced_iops(&self, direction: Direction) -> Option<Iops> {
        self.least(Resource::Iops, direction).map(Iops)
    }

    fn least(&self, resource: Resource, direction: Direction) -> Option<f64> {
        let covered = self.limits.iter().filter(|l| l.resource == resource && l.direction.covers(direction));
        covered.map(|limit| limit.baseline).reduce(f64::min)
    }

    /// Returns these limits together with those of the machine in front of the volume: the least of all applies.
    pub fn within(mut self, machine: &Limits) -> Limits {
        self.limits.extend(machine.limits.iter().cloned());
        self.sources.extend(
            machine.sources.iter().filter(|s| !self.sources.contains(s)).cloned().collect::<Vec<_>>(),
        );
        self
    }
}
