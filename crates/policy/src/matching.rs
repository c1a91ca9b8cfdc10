//! Finds the policies that explain measured rates.

use workload::{Bytes, BytesPerSecond, Direction, Iops, PolicyName};

use crate::formula::{Value, Values};
use crate::{
    Catalogue, Level, Limit, Limits, Locality, Parameter, ParameterUnit, Policy, Resource, Status,
    UnitReading,
};

/// Greatest relative distance of a measured plateau from a policy's figure: the largest error of units and
/// timing for a given reading of MB. The readings are 4.86 % apart, so 3 % still distinguishes them.
const TOLERANCE: f64 = 0.03;

/// Greatest relative distance of a rate from a round figure that somebody may have chosen. Figures of two
/// digits are 1 to 10 % apart: with 3 % nearly every number would be round.
const ROUND: f64 = 0.005;

/// Plateaus measured in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredPlateaus {
    /// Direction of the load.
    pub direction: Direction,
    /// The cap of operations, and the block size at which it was measured.
    pub iops: Option<(Iops, Bytes)>,
    /// The cap of bytes.
    pub bandwidth: Option<BytesPerSecond>,
    /// Relative difference that still fits, 0.03 by default.
    pub tolerance: f64,
}

/// One policy that explains the measured rates.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Id and parameters; if the size is free, a round one that fits.
    pub policy: PolicyName,
    /// The provider's name for the policy.
    pub title: String,
    /// The provider.
    pub provider: String,
    /// Whether the policy still applies.
    pub status: Status,
    /// The smallest and the largest size that fit, in the unit of the policy's `size`; `None` if no size matters.
    pub sizes: Option<(f64, f64)>,
    /// Fit of the operations.
    pub iops: Option<RuleFit>,
    /// Fit of the bytes.
    pub bandwidth: Option<RuleFit>,
    /// Strength of the match.
    pub specificity: Specificity,
}

/// Fit of one measured rate to one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleFit {
    /// The rule.
    pub limit: String,
    /// Whether the baseline or the burst fits.
    pub level: Level,
    /// The reading of MB that fits; `None` if the unit is not ambiguous.
    pub reading: Option<UnitReading>,
    /// The policy's figure, in operations or bytes a second.
    pub expected: f64,
    /// Measured ÷ expected − 1; for IOPS, of charged operations.
    pub relative_error: f64,
}

/// Strength of a match, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Specificity {
    /// The figure is published, or is the default.
    Published,
    /// The figure fits some size of the volume.
    Sized,
    /// Any figure can be bought, and the measured one is round.
    Bought,
}

impl MeasuredPlateaus {
    /// Returns a value without any measured plateau.
    pub fn new(direction: Direction) -> MeasuredPlateaus {
        MeasuredPlateaus { direction, iops: None, bandwidth: None, tolerance: TOLERANCE }
    }

    /// Adds a cap of operations at this block size.
    pub fn with_iops(self, iops: Iops, block: Bytes) -> MeasuredPlateaus {
        MeasuredPlateaus { iops: Some((iops, block)), ..self }
    }

    /// Adds a cap of bytes, measured with random blocks of at least a unit of accounting.
    pub fn with_bandwidth(self, bandwidth: BytesPerSecond) -> MeasuredPlateaus {
        MeasuredPlateaus { bandwidth: Some(bandwidth), ..self }
    }

    /// Returns the measured rate in the units that the rule counts; `None` if it was not measured.
    fn charged(&self, limit: &Limit) -> Option<f64> {
        match limit.resource {
            Resource::Iops => self.iops.map(|(iops, block)| iops.0 * limit.charge(block, Locality::Random)),
            Resource::Bytes => self.bandwidth.map(|bandwidth| bandwidth.0),
        }
    }
}

/// Returns the round figure, of at most two significant digits, within 0.5 % of a measured rate; `None` if there
/// is none. Such a figure suggests a limit that somebody chose, even if no policy is known.
pub fn round_figure(value: f64) -> Option<f64> {
    if !(value > 0.0 && value.is_finite()) {
        return None;
    }
    let step = 10f64.powf(value.log10().floor() - 1.0);
    let rounded = (value / step).round() * step;
    ((value / rounded - 1.0).abs() <= ROUND).then_some(rounded)
}

/// Returns every policy of the built-in catalogue, with level and reading, that explains all measured rates, best
/// first: published figures, then sizes that can be chosen, then figures that can be bought; current before legacy;
/// then by error.
///
/// A match is a candidate, not a proof: many policies share figures.
pub fn matches(measured: &MeasuredPlateaus) -> Vec<Match> {
    if measured.iops.is_none() && measured.bandwidth.is_none() {
        return Vec::new();
    }
    let mut found: Vec<Match> =
        Catalogue::builtin().list().iter().flat_map(|policy| policy_matches(policy, measured)).collect();
    found.sort_by(|a, b| {
        let key = |m: &Match| (m.specificity, m.status);
        key(a).cmp(&key(b)).then(error(a).total_cmp(&error(b)))
    });
    found
}

fn error(of: &Match) -> f64 {
    let fits = of.iops.iter().chain(&of.bandwidth);
    fits.map(|fit| fit.relative_error.abs()).fold(0.0, f64::max)
}

/// One way to set the parameters of a policy other than the size.
#[derive(Clone, Default)]
struct Setting {
    values: Values,
    typed: Vec<(String, String)>,
    bought: bool,
}

impl Setting {
    fn with(&self, parameter: &Parameter, value: Value, bought: bool) -> Setting {
        let mut next = self.clone();
        next.typed.push((parameter.name.clone(), value.word.clone()));
        next.values.set(&parameter.name, value);
        next.bought |= bought;
        next
    }
}

fn policy_matches(policy: &Policy, measured: &MeasuredPlateaus) -> Vec<Match> {
    let required = policy.required_parameters();
    let sized = |p: &&Parameter| p.name == "size" && required.contains(&"size");
    let size = policy.parameters.iter().find(sized);
    let mut settings = vec![Setting::default()];
    for parameter in policy.parameters.iter().filter(|p| p.name != "size") {
        settings = settings.iter().flat_map(|setting| choices(parameter, setting, measured)).collect();
    }
    let mut found = Vec::new();
    for setting in settings {
        let search = Search { policy, setting: &setting, size, measured };
        ways(measured).into_iter().filter_map(|way| search.run(&way)).for_each(|hit| {
            let known = |other: &Match| other.policy == hit.policy && error(other) <= error(&hit);
            if !found.iter().any(known) {
                found.push(hit);
            }
        });
    }
    found
}

/// Returns the values to try for a parameter: every choice, the default, and a round figure near the measured rate.
fn choices(parameter: &Parameter, setting: &Setting, measured: &MeasuredPlateaus) -> Vec<Setting> {
    if !parameter.choices.is_empty() {
        return parameter
            .choices
            .iter()
            .map(|word| setting.with(parameter, Value::word(word), false))
            .collect();
    }
    let default = parameter.default_value();
    let chosen = bought(parameter, setting, measured);
    let differs = chosen.as_ref().map(|value| value.number) != default.as_ref().map(|value| value.number);
    let default = default.map(|value| setting.with(parameter, value, false));
    let chosen = chosen.filter(|_| differs).map(|value| setting.with(parameter, value, true));
    default.into_iter().chain(chosen).collect()
}

fn bought(parameter: &Parameter, setting: &Setting, measured: &MeasuredPlateaus) -> Option<Value> {
    let figure = match parameter.unit {
        ParameterUnit::Ops => measured.iops?.0.0,
        ParameterUnit::MibPerSecond => measured.bandwidth?.0 / (1u64 << 20) as f64,
        ParameterUnit::MbPerSecond => measured.bandwidth?.0 / 1e6,
        _ => return None,
    };
    let round = round_figure(figure)?;
    parameter.read("", &parameter.unit.write(round), &setting.values).ok()
}

/// Levels and reading at which rules are compared.
#[derive(Clone, Copy)]
struct Way {
    iops: Level,
    bytes: Level,
    reading: UnitReading,
}

impl Way {
    fn level(&self, resource: Resource) -> Level {
        match resource {
            Resource::Iops => self.iops,
            Resource::Bytes => self.bytes,
        }
    }
}

fn ways(measured: &MeasuredPlateaus) -> Vec<Way> {
    let levels =
        |wanted: bool| if wanted { &[Level::Baseline, Level::Burst][..] } else { &[Level::Baseline] };
    let readings = if measured.bandwidth.is_some() {
        &[UnitReading::Binary, UnitReading::Decimal][..]
    } else {
        &[UnitReading::Binary]
    };
    let mut ways = Vec::new();
    for &iops in levels(measured.iops.is_some()) {
        for &bytes in levels(measured.bandwidth.is_some()) {
            ways.extend(readings.iter().map(|&reading| Way { iops, bytes, reading }));
        }
    }
    ways
}

/// One policy with values for all parameters but the size.
struct Search<'s> {
    policy: &'s Policy,
    setting: &'s Setting,
    size: Option<&'s Parameter>,
    measured: &'s MeasuredPlateaus,
}

impl Search<'_> {
    fn run(&self, way: &Way) -> Option<Match> {
        let (limits, sizes) = match self.size {
            None => (self.limits(None, way)?, None),
            Some(parameter) => {
                let sizes = self.sizes(parameter, way)?;
                (self.limits(Some(roundest(sizes)), way)?, Some(sizes))
            }
        };
        let iops = self.fit(&limits, Resource::Iops, way);
        let bandwidth = self.fit(&limits, Resource::Bytes, way);
        let unexplained = (self.measured.iops.is_some() && iops.is_none())
            || (self.measured.bandwidth.is_some() && bandwidth.is_none());
        if unexplained {
            return None;
        }
        Some(Match {
            policy: self.name(sizes),
            title: limits.title,
            provider: limits.provider,
            status: limits.status,
            sizes,
            iops,
            bandwidth,
            specificity: self.specificity(sizes),
        })
    }

    fn specificity(&self, sizes: Option<(f64, f64)>) -> Specificity {
        match (self.setting.bought, sizes) {
            (true, _) => Specificity::Bought,
            (false, Some(_)) => Specificity::Sized,
            (false, None) => Specificity::Published,
        }
    }

    fn name(&self, sizes: Option<(f64, f64)>) -> PolicyName {
        let size = self.size.zip(sizes);
        let typed =
            size.map(|(parameter, sizes)| (parameter.name.clone(), parameter.unit.write(roundest(sizes))));
        let parameters = typed.into_iter().chain(self.setting.typed.iter().cloned()).collect();
        PolicyName { id: self.policy.id.clone(), parameters }
    }

    fn limits(&self, size: Option<f64>, way: &Way) -> Option<Limits> {
        let mut values = self.setting.values.clone();
        size.into_iter().for_each(|size| values.set_number("size", size));
        Some(self.policy.limits_at(&values).ok()?.in_reading(way.reading))
    }

    /// Returns the fit of the rule that would limit the measured load, if the measured rate fits it.
    fn fit(&self, limits: &Limits, resource: Resource, way: &Way) -> Option<RuleFit> {
        let level = way.level(resource);
        let limit = limits.tightest(resource, self.measured.direction, level)?;
        let charged = self.measured.charged(limit)?;
        // The decimal reading of an unambiguous unit would repeat the binary one.
        let repeated =
            resource == Resource::Bytes && way.reading == UnitReading::Decimal && !limit.unit_ambiguous;
        if repeated || (level == Level::Burst && limit.burst.is_none()) {
            return None;
        }
        let expected = limit.rate(level);
        let relative_error = charged / expected - 1.0;
        (relative_error.abs() <= self.measured.tolerance).then(|| RuleFit {
            limit: limit.id.clone(),
            level,
            reading: limit.unit_ambiguous.then_some(way.reading),
            expected,
            relative_error,
        })
    }

    /// Returns the range of sizes at which every measured rate fits. Every formula of the catalogue rises
    /// with the size, until the burst is lost.
    fn sizes(&self, parameter: &Parameter, way: &Way) -> Option<(f64, f64)> {
        let least = parameter.least(&self.setting.values)?;
        let most = parameter.most(&self.setting.values)?;
        let tolerance = self.measured.tolerance;
        let reaches =
            |size: f64| self.compare(size, way, |charged, rate, _| charged <= rate * (1.0 + tolerance));
        let stays = |size: f64| {
            self.compare(size, way, |charged, rate, lost| !lost && charged >= rate * (1.0 - tolerance))
        };
        let (_, low) = edge((least, most), |size| !reaches(size));
        let (high, _) = edge((least, most), stays);
        (low <= high && reaches(low) && stays(low)).then_some((low, high))
    }

    /// Whether `holds(measured, rate, burst lost)` is true of every measured rate at this size.
    fn compare(&self, size: f64, way: &Way, holds: impl Fn(f64, f64, bool) -> bool) -> bool {
        let Some(limits) = self.limits(Some(size), way) else { return false };
        [Resource::Iops, Resource::Bytes].into_iter().all(|resource| {
            let level = way.level(resource);
            let Some(limit) = limits.tightest(resource, self.measured.direction, level) else { return true };
            let Some(charged) = self.measured.charged(limit) else { return true };
            holds(charged, limit.rate(level), level == Level::Burst && limit.burst.is_none())
        })
    }
}

/// Returns the edge at which `holds` turns from true to false between two sizes: the last size before and the
/// first after, a billionth of the range apart.
fn edge((least, most): (f64, f64), holds: impl Fn(f64) -> bool) -> (f64, f64) {
    if holds(most) {
        return (most, most);
    }
    let (mut low, mut high) = (least, most);
    if !holds(low) {
        return (low, low);
    }
    while high - low > most * 1e-9 {
        let middle = low.midpoint(high);
        if holds(middle) { low = middle } else { high = middle }
    }
    (low, high)
}

/// Returns the figure with the fewest digits in a range; of equals, the one nearest the geometric middle.
fn roundest((low, high): (f64, f64)) -> f64 {
    let middle = (low * high).sqrt();
    (0..6)
        .map(|digits| {
            let step = 10f64.powf(middle.log10().floor() - f64::from(digits));
            (middle / step).round() * step
        })
        .find(|&figure| figure >= low && figure <= high)
        .unwrap_or(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_figures_are_those_that_people_choose() {
        for (value, round) in [
            (3000.0, Some(3000.0)),
            (2998.0, Some(3000.0)),
            (1249.0, None),
            (1201.0, Some(1200.0)),
            (0.0, None),
            (f64::NAN, None),
        ] {
            assert_eq!(round_figure(value), round, "{value}");
        }
    }

    #[test]
    fn the_roundest_size_is_taken() {
        assert_eq!(roundest((97.0, 103.0)), 100.0);
        assert_eq!(roundest((323.6, 344.1)), 330.0);
        assert_eq!(roundest((1.0, 1000.0)), 30.0);
    }
}
