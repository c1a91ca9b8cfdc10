//! Parameters of a policy: how users write them, their defaults, and the allowed values.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::PolicyError;
use crate::error::figure;
use crate::formula::{Formula, Value, Values};
use crate::near::nearest;

/// The unit in which the catalogue's formulas take a parameter. A bare number is read in this unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum ParameterUnit {
    /// Binary gigabytes.
    GiB,
    /// Decimal gigabytes.
    GB,
    /// Operations a second.
    #[serde(rename = "ops/s")]
    Ops,
    /// Binary megabytes a second.
    #[serde(rename = "MiB/s")]
    MibPerSecond,
    /// Decimal megabytes a second.
    #[serde(rename = "MB/s")]
    MbPerSecond,
    /// One of a list of words.
    #[serde(rename = "choice")]
    Choice,
}

/// One parameter of a policy.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The name that users write: `size`, `iops`, `throughput`, `tier`, …
    pub name: String,
    /// The unit of its number.
    pub unit: ParameterUnit,
    /// The value if it is left out.
    default: Option<DefaultValue>,
    min: Option<Formula>,
    max: Option<Formula>,
    /// The allowed words, in order, if the unit is a choice; else empty.
    #[serde(default)]
    pub choices: Vec<String>,
    /// Gibibytes of each choice, if choices stand for sizes.
    #[serde(default)]
    pub size_gib: BTreeMap<String, f64>,
}

/// A default in the catalogue: a number or one of the choices.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum DefaultValue {
    Number(f64),
    Word(String),
}

/// Other names that are accepted for a parameter, by its name.
const ALIASES: &[(&str, &[&str])] = &[
    ("size", &["size_gib", "size_gb", "capacity"]),
    ("iops", &["provisioned_iops"]),
    ("throughput", &["bandwidth", "bw", "provisioned_mibps", "provisioned_mbps"]),
    ("limit", &["limit_iops", "iops"]),
    ("vpu", &["vpus"]),
    ("egress", &["egress_cap"]),
];

impl ParameterUnit {
    /// Returns a value as a user would write it.
    pub(crate) fn write(self, value: f64) -> String {
        let number = (value * 1e6).round() / 1e6;
        match self {
            ParameterUnit::GiB => format!("{number}GiB"),
            ParameterUnit::GB => format!("{number}GB"),
            ParameterUnit::MibPerSecond => format!("{number}MiB/s"),
            ParameterUnit::MbPerSecond => format!("{number}MB/s"),
            ParameterUnit::Ops | ParameterUnit::Choice => format!("{number}"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            ParameterUnit::GiB => "GiB",
            ParameterUnit::GB => "GB",
            ParameterUnit::Ops => "IOPS",
            ParameterUnit::MibPerSecond => "MiB/s",
            ParameterUnit::MbPerSecond => "MB/s",
            ParameterUnit::Choice => "",
        }
    }

    fn example(self) -> &'static str {
        match self {
            ParameterUnit::GiB => "100GiB",
            ParameterUnit::GB => "500GB",
            ParameterUnit::Ops => "6000",
            ParameterUnit::MibPerSecond => "250MiB/s",
            ParameterUnit::MbPerSecond => "250MB/s",
            ParameterUnit::Choice => "",
        }
    }

    /// Reads a number in this unit; a bare number is already in it.
    pub(crate) fn read(self, typed: &str) -> Result<f64, String> {
        if let Some(number) = bare_number(typed) {
            return Ok(number);
        }
        let size = || workload::size(typed).map(|bytes| bytes.0 as f64).map_err(|error| error.to_string());
        let rate = || workload::rate(typed).map(|rate| rate.0).map_err(|error| error.to_string());
        match self {
            ParameterUnit::GiB => size().map(|bytes| bytes / (1u64 << 30) as f64),
            ParameterUnit::GB => size().map(|bytes| bytes / 1e9),
            ParameterUnit::MibPerSecond => rate().map(|bytes| bytes / (1u64 << 20) as f64),
            ParameterUnit::MbPerSecond => rate().map(|bytes| bytes / 1e6),
            ParameterUnit::Ops => operations(typed),
            ParameterUnit::Choice => Err("it is one of a list".to_owned()),
        }
    }
}

fn bare_number(typed: &str) -> Option<f64> {
    let plain = !typed.is_empty() && typed.chars().all(|c| c.is_ascii_digit() || c == '.');
    typed.parse().ok().filter(|_| plain)
}

/// Parses operations a second: `6000`, `6k`, `6000iops`, `6kiops`.
pub(crate) fn operations(typed: &str) -> Result<f64, String> {
    let lower = typed.to_ascii_lowercase();
    let bare =
        ["iops", "ops/s", "/s"].iter().find_map(|unit| lower.strip_suffix(unit)).unwrap_or(&lower).trim();
    let (digits, factor) = bare.strip_suffix('k').map_or((bare, 1.0), |digits| (digits, 1e3));
    bare_number(digits.trim())
        .map(|number| number * factor)
        .ok_or_else(|| format!("'{typed}' is no number of operations a second"))
}

/// Returns a normal form, the same for `READ-IOPS`, `read-iops` and `read_iops`.
pub(crate) fn normal(typed: &str) -> String {
    typed.to_ascii_lowercase().replace('-', "_")
}

impl Parameter {
    /// Whether the typed name means this parameter.
    pub(crate) fn answers_to(&self, typed: &str) -> bool {
        let typed = normal(typed);
        let aliases =
            ALIASES.iter().find(|(name, _)| *name == self.name).map_or(&[][..], |(_, aliases)| aliases);
        typed == self.name || aliases.contains(&typed.as_str())
    }

    /// Whether there is a value if it is left out.
    pub fn has_default(&self) -> bool {
        self.default.is_some()
    }

    pub(crate) fn default_value(&self) -> Option<Value> {
        match self.default.as_ref()? {
            DefaultValue::Number(number) => {
                Some(Value { number: Some(*number), word: self.unit.write(*number) })
            }
            DefaultValue::Word(word) => Some(Value { number: bare_number(word), word: word.clone() }),
        }
    }

    /// Returns the formulas of the bounds, for the checks of the catalogue.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = &Formula> {
        self.min.iter().chain(&self.max)
    }

    pub(crate) fn least(&self, values: &Values) -> Option<f64> {
        self.min.as_ref()?.evaluate(values)
    }

    pub(crate) fn most(&self, values: &Values) -> Option<f64> {
        self.max.as_ref()?.evaluate(values)
    }

    /// Whether its values are listed, or have an upper bound.
    pub(crate) fn is_bounded(&self) -> bool {
        !self.choices.is_empty() || self.max.is_some()
    }

    /// Returns an allowed value, as it can be typed.
    pub fn example(&self) -> String {
        self.choices.first().cloned().unwrap_or_else(|| self.unit.example().to_owned())
    }

    /// Returns the allowed values in words, given the parameters before this one.
    pub(crate) fn allowed(&self, values: &Values) -> String {
        if !self.choices.is_empty() {
            return self.choices.join(", ");
        }
        let unit = self.unit.name();
        match (self.least(values), self.most(values)) {
            (Some(least), Some(most)) => format!("{} to {} {unit}", figure(least), figure(most)),
            (Some(least), None) => format!("at least {} {unit}", figure(least)),
            (None, Some(most)) => format!("up to {} {unit}", figure(most)),
            (None, None) => format!("any number of {unit} above 0"),
        }
    }

    /// Reads a typed value and checks it against choices and bounds.
    ///
    /// # Errors
    /// [`PolicyError::Unreadable`] or [`PolicyError::NotAllowed`], with the parameter, the allowed values and
    /// the nearest of these.
    pub(crate) fn read(&self, policy: &str, typed: &str, values: &Values) -> Result<Value, PolicyError> {
        if !self.choices.is_empty() {
            return self.choose(policy, typed, values);
        }
        let number = self.unit.read(typed).map_err(|problem| PolicyError::Unreadable {
            policy: policy.to_owned(),
            name: self.name.clone(),
            value: typed.to_owned(),
            problem,
            example: self.example(),
        })?;
        let least = self.least(values);
        let most = self.most(values);
        let raised = least.map_or(number, |least| number.max(least));
        let nearest = most.map_or(raised, |most| raised.min(most));
        if nearest == number && number > 0.0 && number.is_finite() {
            return Ok(Value { number: Some(number), word: self.unit.write(number) });
        }
        let nearest = if nearest > 0.0 { self.unit.write(nearest) } else { self.example() };
        Err(self.refused(policy, typed, (self.allowed(values), nearest)))
    }

    pub(crate) fn choose(&self, policy: &str, typed: &str, values: &Values) -> Result<Value, PolicyError> {
        if let Some(word) = self.choices.iter().find(|choice| choice.eq_ignore_ascii_case(typed)) {
            return Ok(Value { number: bare_number(word), word: word.clone() });
        }
        let by_number = bare_number(typed).and_then(|number| {
            let distance =
                |choice: &&String| bare_number(choice).map_or(f64::MAX, |known| (known - number).abs());
            self.choices.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
        });
        let by_word = nearest(typed, self.choices.iter().map(String::as_str)).map(str::to_owned);
        let near = by_word.or(by_number.cloned()).unwrap_or_else(|| self.example());
        Err(self.refused(policy, typed, (self.allowed(values), near)))
    }

    fn refused(&self, policy: &str, typed: &str, (allowed, nearest): (String, String)) -> PolicyError {
        PolicyError::NotAllowed {
            policy: policy.to_owned(),
            name: self.name.clone(),
            value: typed.to_owned(),
            allowed,
            nearest,
        }
    }

    /// Returns the smallest choice that holds the typed size, if choices stand for sizes.
    pub(crate) fn choice_of_size(&self, typed: &str) -> Option<String> {
        let gib = ParameterUnit::GiB.read(typed).ok()?;
        self.choices
            .iter()
            .find(|choice| self.size_gib.get(*choice).is_some_and(|size| *size >= gib))
            .cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_the_unit_of_the_parameter() {
        for (unit, typed, number) in [
            (ParameterUnit::GiB, "100", 100.0),
            (ParameterUnit::GiB, "100GiB", 100.0),
            (ParameterUnit::GiB, "1TiB", 1024.0),
            (ParameterUnit::GB, "500", 500.0),
            (ParameterUnit::GB, "1TB", 1000.0),
            (ParameterUnit::Ops, "6k", 6000.0),
            (ParameterUnit::Ops, "6000IOPS", 6000.0),
            (ParameterUnit::MibPerSecond, "500MiB/s", 500.0),
            (ParameterUnit::MibPerSecond, "250", 250.0),
            (ParameterUnit::MbPerSecond, "125MB/s", 125.0),
            (ParameterUnit::MbPerSecond, "1MiB/s", 1.048576),
        ] {
            assert_eq!(unit.read(typed), Ok(number), "{typed}");
        }
        for typed in ["", "-1", "many", "1e3", "12x", "."] {
            assert!(ParameterUnit::Ops.read(typed).is_err(), "'{typed}'");
        }
    }
}
