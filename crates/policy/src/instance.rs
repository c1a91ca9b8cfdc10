//! Limits of the machine in front of a volume, by instance type.

use std::collections::BTreeMap;

use serde::Deserialize;
use workload::PolicyName;

use crate::near::nearest;
use crate::{
    Billing, Bucket, Burst, Catalogue, Confidence, Covers, Grade, Limit, Limits, PolicyError, PublishedRate,
    RateUnit, Resource, Scope, Status, UnitReading,
};

/// Instance limits of every provider that publishes them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instances {
    pub(crate) aws: AwsInstances,
    pub(crate) azure: AzureInstances,
}

/// EBS limits of EC2 instances.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AwsInstances {
    #[serde(rename = "columns")]
    _columns: [String; 4],
    burst_seconds: f64,
    as_of: String,
    pub(crate) sources: Vec<String>,
    note: String,
    pub(crate) rows: BTreeMap<String, AwsInstance>,
}

/// EBS limits of one EC2 instance type: the maximum for 30 minutes at least once a day, otherwise the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(from = "[f64; 4]")]
pub struct AwsInstance {
    /// Sustained megabits a second.
    pub baseline_mbit_s: f64,
    /// Megabits a second while credits last.
    pub most_mbit_s: f64,
    /// Sustained operations a second, stated for 16 KiB.
    pub baseline_iops: f64,
    /// Operations a second while credits last.
    pub most_iops: f64,
}

/// Disk limits of Azure machines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AzureInstances {
    #[serde(rename = "columns")]
    _columns: [String; 5],
    burst_seconds: f64,
    as_of: String,
    pub(crate) sources: Vec<String>,
    note: String,
    bursting: BTreeMap<String, AzureBurst>,
    pub(crate) rows: BTreeMap<String, AzureInstance>,
}

/// Disk limits of one Azure machine type: one budget for cached disks and one for all others.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(from = "[f64; 5]")]
pub struct AzureInstance {
    /// Operations a second on cached disks.
    pub cached_iops: f64,
    /// Megabytes a second on cached disks.
    pub cached_mb_s: f64,
    /// Size of the host cache in GiB.
    pub cache_gib: f64,
    /// Operations a second on disks without a cache.
    pub uncached_iops: f64,
    /// Megabytes a second on disks without a cache.
    pub uncached_mb_s: f64,
}

/// Burst of a machine's uncached budget while credits last.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AzureBurst {
    base_mb_s: Option<f64>,
    uncached_iops: Option<f64>,
    uncached_mb_s: f64,
}

impl From<[f64; 4]> for AwsInstance {
    fn from([baseline_mbit_s, most_mbit_s, baseline_iops, most_iops]: [f64; 4]) -> AwsInstance {
        AwsInstance { baseline_mbit_s, most_mbit_s, baseline_iops, most_iops }
    }
}

impl From<[f64; 5]> for AzureInstance {
    fn from([cached_iops, cached_mb_s, cache_gib, uncached_iops, uncached_mb_s]: [f64; 5]) -> AzureInstance {
        AzureInstance { cached_iops, cached_mb_s, cache_gib, uncached_iops, uncached_mb_s }
    }
}

impl Catalogue {
    /// Returns the EBS limits of EC2 instance types by name.
    pub fn aws_instances(&self) -> &BTreeMap<String, AwsInstance> {
        &self.aws.rows
    }

    /// Returns the disk limits of Azure machine types by name.
    pub fn azure_instances(&self) -> &BTreeMap<String, AzureInstance> {
        &self.azure.rows
    }

    /// Returns the limits of a machine of `provider` (`aws`, or `azure`: its uncached budget), to put in
    /// front of a volume's with [`Limits::within`]. Case is ignored.
    ///
    /// # Errors
    /// [`PolicyError::UnknownInstance`] with the nearest name.
    pub fn instance(&self, provider: &str, name: &str) -> Result<Limits, PolicyError> {
        let found = match provider {
            "aws" => named(&self.aws.rows, name).map(|(name, _)| self.aws_limits(name)),
            _ => self.azure_machine(name).map(|name| self.azure_limits(name)),
        };
        found.flatten().ok_or_else(|| {
            let known: Vec<&str> = match provider {
                "aws" => self.aws.rows.keys().map(String::as_str).collect(),
                _ => self.azure_names().collect(),
            };
            PolicyError::UnknownInstance {
                name: name.to_owned(),
                nearest: nearest(name, known.into_iter()).map(str::to_owned),
            }
        })
    }

    fn azure_names(&self) -> impl Iterator<Item = &str> {
        let only_bursting = self.azure.bursting.keys().filter(|name| !self.azure.rows.contains_key(*name));
        self.azure.rows.keys().chain(only_bursting).map(String::as_str)
    }

    fn azure_machine(&self, name: &str) -> Option<&str> {
        self.azure_names().find(|known| known.eq_ignore_ascii_case(name))
    }

    fn aws_limits(&self, name: &str) -> Option<Limits> {
        let row = self.aws.rows.get(name)?;
        let seconds = self.aws.burst_seconds;
        let bytes = [row.baseline_mbit_s / 8.0, row.most_mbit_s / 8.0];
        let limits = vec![
            machine_limit(RateUnit::Ops, [row.baseline_iops, row.most_iops], seconds),
            machine_limit(RateUnit::MbPerSecond, bytes, seconds),
        ];
        Some(Limits {
            as_of: Some(self.aws.as_of.clone()),
            sources: self.resolved(&self.aws.sources),
            note: Some(self.aws.note.clone()),
            ..machine("aws", name, limits)
        })
    }

    fn azure_limits(&self, name: &str) -> Option<Limits> {
        let row = self.azure.rows.get(name);
        let burst = self.azure.bursting.get(name);
        let seconds = self.azure.burst_seconds;
        let iops = row.map(|row| row.uncached_iops);
        let most_iops = burst.and_then(|burst| burst.uncached_iops).or(iops);
        let bytes = row.map(|row| row.uncached_mb_s).or_else(|| burst?.base_mb_s)?;
        let most_bytes = burst.map_or(bytes, |burst| burst.uncached_mb_s);
        let mut limits: Vec<Limit> = Vec::new();
        if let (Some(iops), Some(most)) = (iops, most_iops) {
            limits.push(machine_limit(RateUnit::Ops, [iops, most], seconds));
        }
        let bytes = machine_limit(RateUnit::MbPerSecond, [bytes, most_bytes], seconds);
        limits.push(Limit { unit_ambiguous: true, ..bytes }.in_reading(UnitReading::Binary));
        Some(Limits {
            as_of: Some(self.azure.as_of.clone()),
            sources: self.resolved(&self.azure.sources),
            note: Some(self.azure.note.clone()),
            ..machine("azure", name, limits)
        })
    }
}

fn named<'r, T>(rows: &'r BTreeMap<String, T>, name: &str) -> Option<(&'r str, &'r T)> {
    rows.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(known, row)| (known.as_str(), row))
}

fn machine(provider: &str, name: &str, limits: Vec<Limit>) -> Limits {
    Limits {
        policy: PolicyName {
            id: format!("{provider}-instance"),
            parameters: vec![("type".into(), name.into())],
        },
        title: name.to_owned(),
        provider: provider.to_owned(),
        status: Status::Current,
        scope: Scope::Vm,
        as_of: None,
        confidence: Confidence {
            grade: Grade::Verified,
            note: Some("rates as published; bucket sizes follow from the published duration".to_owned()),
        },
        sources: Vec::new(),
        promise: None,
        latency_words: None,
        latency: None,
        billing: Billing::Unknown,
        reference_workload: None,
        note: None,
        limits,
    }
}

/// Returns a machine's limit, with a bucket that lasts for `seconds` at the maximum.
fn machine_limit(unit: RateUnit, [baseline, most]: [f64; 2], seconds: f64) -> Limit {
    let factor = unit.factor(UnitReading::Decimal);
    let size = seconds * (most - baseline) * factor;
    let burst = Burst { rate: most * factor, bucket: Bucket::Tokens { size, initial: size, derived: true } };
    let (id, resource) = match unit {
        RateUnit::Ops => ("instance-iops", Resource::Iops),
        _ => ("instance-bytes", Resource::Bytes),
    };
    Limit {
        id: id.to_owned(),
        scope: Scope::Vm,
        resource,
        direction: Covers::Total,
        written: PublishedRate { baseline, unit },
        unit_ambiguous: false,
        reading: UnitReading::Decimal,
        baseline: baseline * factor,
        burst: (most > baseline).then_some(burst),
        billed_above: None,
        accounting: None,
        note: None,
    }
}
