//! Finds the published bursts that would give the measured levels: volumes whose rate will fall later.

use workload::{Bytes, Direction, Iops, Nanos, PolicyName};

use crate::entry::RuleBucket;
use crate::formula::Values;
use crate::{
    BurstLength, Catalogue, Level, Limits, Load, Parameter, ParameterUnit, Policy, Status, UnitReading,
    evaluate,
};

/// Relative distance by which a published figure may lie outside the measured interval, for rounding by the
/// provider and the clock. The caps of gp3 and gp2, 125 and 128 MiB/s, are 2.4 % apart.
const TOLERANCE: f64 = 0.01;
/// Excess of a burst over the baseline, as a share, below which the burst changes no answer.
const MATTERS: f64 = 0.03;
/// Number of sizes tried for a policy whose figures depend on the size, in geometric progression: 4 % apart
/// from 1 GiB to 16 TiB.
const SIZES: u32 = 250;
/// Relative difference within which sizes differ only in how they are written.
const SAME_SIZE: f64 = 0.005;

/// A level at which a saturating load of random I/O was limited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plateau {
    /// Direction of the I/O.
    pub direction: Direction,
    /// Bytes of an I/O.
    pub block: Bytes,
    /// 95 % interval of the I/Os a second.
    pub iops: (Iops, Iops),
}

impl Plateau {
    /// Returns the load at which the level was measured.
    pub(crate) fn load(&self) -> Load {
        Load::random(self.direction, self.block)
    }
}

/// A published policy whose burst would give the measured levels.
#[derive(Clone, Debug, PartialEq)]
pub struct BurstAlike {
    /// Id and parameters; if the size is free, the smallest that fits.
    pub policy: PolicyName,
    /// The provider's name for the policy.
    pub title: String,
    /// The provider.
    pub provider: String,
    /// Whether the policy still applies.
    pub status: Status,
    /// Length of the burst from full credits, under the load of the first level that the burst pays for: on the
    /// smallest and on the largest volume that fit.
    pub lasts: (BurstLength, BurstLength),
    /// I/Os a second at each level once the credits are spent, on the smallest volume that fits.
    pub after: Vec<Iops>,
}

/// Returns the published bursts that explain every one of `levels` and last longer than `seen` under them.
/// Current policies come before legacy ones; of one title, or of one provider's policies that fall to the
/// same levels, only the smallest volume is returned.
///
/// If the volume's `size` is known, only policies of that size are considered.
///
/// A candidate is not a proof: the measured levels may just as well last.
pub fn bursts_alike(levels: &[Plateau], seen: Nanos, size: Option<Bytes>) -> Vec<BurstAlike> {
    if levels.is_empty() {
        return Vec::new();
    }
    let known = Catalogue::builtin().list().iter().filter(|policy| policy.may_burst());
    let mut found: Vec<BurstAlike> = known
        .flat_map(|policy| policy_alike(policy, levels, size))
        .filter(|alike| alike.outlasts(seen))
        .collect();
    found.sort_by_key(|alike| alike.status);
    let mut kept: Vec<BurstAlike> = Vec::new();
    for alike in found {
        let told = |other: &BurstAlike| {
            other.provider == alike.provider && (other.title == alike.title || other.after == alike.after)
        };
        if !kept.iter().any(told) {
            kept.push(alike);
        }
    }
    kept
}

impl BurstAlike {
    fn outlasts(&self, seen: Nanos) -> bool {
        match self.lasts.1 {
            BurstLength::None => false,
            BurstLength::Ends(length) => length > seen,
            BurstLength::Unknown => true,
        }
    }
}

/// Returns the volumes of a policy that would give these levels: one for each setting of its choices,
/// covering all sizes that fit.
fn policy_alike(policy: &Policy, levels: &[Plateau], size: Option<Bytes>) -> Vec<BurstAlike> {
    let mut found: Vec<BurstAlike> = Vec::new();
    let of_size = |limits: &Limits| match (limits.volume_size(), size) {
        (Some(one), Some(other)) => (one.0 as f64 / other.0 as f64 - 1.0).abs() < SAME_SIZE,
        _ => true,
    };
    for (setting, sizes) in settings(policy, size) {
        let names = sizes.iter().map(|size| named(policy, &setting, size.as_ref()));
        let fitting: Vec<(PolicyName, Limits)> =
            names.filter_map(|name| Some((name.clone(), fitting(&name, levels).filter(of_size)?))).collect();
        let (Some((name, least)), Some((_, most))) = (fitting.first(), fitting.last()) else { continue };
        let paid = levels.iter().find(|level| pays(least, level)).map(Plateau::load);
        let lasts = |limits: &Limits| paid.map_or(BurstLength::None, |load| limits.burst_under(&load));
        let after = |level: &Plateau| least.cap(&level.load(), Level::Baseline).map(|cap| cap.iops);
        found.push(BurstAlike {
            policy: name.clone(),
            title: least.title.clone(),
            provider: least.provider.clone(),
            status: least.status,
            lasts: (lasts(least), lasts(most)),
            after: levels.iter().filter_map(after).collect(),
        });
    }
    found
}

/// Parameters with their values as typed.
type Words = Vec<(String, String)>;

/// Returns every combination of choices for the parameters other than the size, each with the sizes to try.
fn settings(policy: &Policy, known: Option<Bytes>) -> Vec<(Words, Vec<Option<String>>)> {
    let mut settings = vec![Vec::new()];
    for parameter in policy.parameters.iter().filter(|parameter| !parameter.choices.is_empty()) {
        let with = |setting: &Words, word: &String| {
            [&setting[..], &[(parameter.name.clone(), word.clone())]].concat()
        };
        settings = settings
            .iter()
            .flat_map(|setting| parameter.choices.iter().map(|word| with(setting, word)).collect::<Vec<_>>())
            .collect();
    }
    let size = policy.parameters.iter().find(|parameter| parameter.name == "size");
    let sizes: Vec<Option<String>> = match size {
        None => vec![None],
        Some(parameter) => known
            .map_or_else(|| sizes(parameter), |size| vec![parameter.unit.write(of(size, parameter.unit))])
            .into_iter()
            .map(Some)
            .collect(),
    };
    settings.into_iter().map(|setting| (setting, sizes.clone())).collect()
}

fn of(size: Bytes, unit: ParameterUnit) -> f64 {
    let bytes = size.0 as f64;
    if unit == ParameterUnit::GB { bytes / 1e9 } else { bytes / Bytes::GIB.0 as f64 }
}

fn sizes(parameter: &Parameter) -> Vec<String> {
    let values = Values::default();
    let (Some(least), Some(most)) = (parameter.least(&values), parameter.most(&values)) else {
        return Vec::new();
    };
    let least = least.max(1.0);
    let step = (most / least).powf(1.0 / f64::from(SIZES - 1));
    let mut sizes: Vec<f64> = (0..SIZES).map(|at| (least * step.powi(at as i32)).round().min(most)).collect();
    sizes.dedup();
    sizes.into_iter().map(|size| parameter.unit.write(size)).collect()
}

fn named(policy: &Policy, setting: &[(String, String)], size: Option<&String>) -> PolicyName {
    let size = size.map(|size| ("size".to_owned(), size.clone()));
    PolicyName {
        id: policy.id.clone(),
        parameters: size.into_iter().chain(setting.iter().cloned()).collect(),
    }
}

/// Whether the burst of `limits` admits more of this load than the baseline.
fn pays(limits: &Limits, level: &Plateau) -> bool {
    let rate = |of| limits.cap(&level.load(), of).map_or(0.0, |cap| cap.iops.0);
    rate(Level::Burst) > rate(Level::Baseline) * (1.0 + MATTERS)
}

/// Returns the limits of `name` if, in one reading of its units, their burst gives all levels and pays for one of them.
fn fitting(name: &PolicyName, levels: &[Plateau]) -> Option<Limits> {
    let limits = evaluate(name).ok()?;
    let holds = |limits: &Limits, level: &Plateau| {
        let rate = limits.cap(&level.load(), Level::Burst).map_or(f64::INFINITY, |cap| cap.iops.0);
        let (low, high) = level.iops;
        rate >= low.0 * (1.0 - TOLERANCE) && rate <= high.0 * (1.0 + TOLERANCE)
    };
    [UnitReading::Binary, UnitReading::Decimal].into_iter().map(|reading| limits.in_reading(reading)).find(
        |limits| {
            levels.iter().all(|level| holds(limits, level)) && levels.iter().any(|level| pays(limits, level))
        },
    )
}

impl Policy {
    /// Whether any volume of the policy has a burst that ends.
    fn may_burst(&self) -> bool {
        self.rules.iter().any(|rule| {
            rule.burst.as_ref().is_some_and(|burst| !matches!(burst.bucket, RuleBucket::UnlimitedPaid))
        })
    }
}
