//! The settings of a policy that can be ordered: the least that passes a test, and all that it lists.

use workload::{Bytes, PolicyName};

use crate::formula::{Value, Values};
use crate::{Limits, Parameter, ParameterUnit, Policy};

/// Steps in which operations a second are offered to a reader; providers accept any number (chosen by us).
const STEP_IOPS: f64 = 100.0;
/// Greatest value that is tried for a parameter without an upper bound.
const GREATEST: f64 = 1e7;
/// Name of the parameter that is the size of the volume.
const SIZE: &str = "size";

/// What is known of a volume before its setting is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Bytes that the volume must hold; `None`: as few as the policy allows.
    pub capacity: Option<Bytes>,
}

/// A value for each parameter, in order.
type Chosen = Vec<(String, String)>;

impl Policy {
    /// Whether every number has an upper bound.
    pub fn is_bounded(&self) -> bool {
        self.parameters.iter().all(Parameter::is_bounded)
    }

    /// Returns, for each combination of the words that the policy lists, the setting with the least value of each number
    /// that passes `test`, the first number being kept least. The test must pass for every setting above one that passes.
    pub fn least_settings(&self, wanted: &Wanted, test: &dyn Fn(&Limits) -> bool) -> Vec<Limits> {
        let mut found = Vec::new();
        for words in self.listed(wanted) {
            let search = Search { policy: self, wanted, words: &words };
            found.extend(search.least_that(test));
        }
        found
    }

    /// Returns, for each combination of the words that the policy lists, the setting with the greatest value of each number.
    pub fn greatest_settings(&self, wanted: &Wanted) -> Vec<Limits> {
        let listed = self.listed(wanted);
        listed
            .iter()
            .filter_map(|words| Search { policy: self, wanted, words }.with(&[], End::Most))
            .collect()
    }

    /// Returns the setting with the least value of each number; `None` if the policy lists words.
    pub fn least_setting(&self, wanted: &Wanted) -> Option<Limits> {
        let listed = self.parameters.iter().any(|parameter| !parameter.choices.is_empty());
        Search { policy: self, wanted, words: &[] }.with(&[], End::Least).filter(|_| !listed)
    }

    /// Returns every combination of the words that the policy lists and that hold the capacity.
    fn listed(&self, wanted: &Wanted) -> Vec<Chosen> {
        let mut combinations: Vec<Chosen> = vec![Vec::new()];
        for parameter in self.parameters.iter().filter(|parameter| !parameter.choices.is_empty()) {
            let needed = wanted.capacity.map_or(0.0, |bytes| bytes.0 as f64 / Bytes::GIB.0 as f64);
            let holds = |word: &&String| parameter.size_gib.get(*word).is_none_or(|gib| *gib >= needed);
            let words: Vec<&String> = parameter.choices.iter().filter(holds).collect();
            let with = |one: &Chosen, word: &String| {
                [one.as_slice(), &[(parameter.name.clone(), word.clone())]].concat()
            };
            combinations =
                combinations.iter().flat_map(|one| words.iter().map(move |word| with(one, word))).collect();
        }
        combinations
    }
}

/// A search among the numbers of a policy.
struct Search<'s> {
    policy: &'s Policy,
    wanted: &'s Wanted,
    words: &'s [(String, String)],
}

/// End of a parameter's range.
#[derive(Clone, Copy)]
enum End {
    Least,
    Most,
}

impl Search<'_> {
    fn least_that(&self, test: &dyn Fn(&Limits) -> bool) -> Option<Limits> {
        let mut set: Vec<f64> = Vec::new();
        for parameter in self.numbers() {
            let with = |value: f64| {
                let tried = [set.as_slice(), &[value]].concat();
                self.with(&tried, End::Most).filter(|limits| test(limits))
            };
            let (least, most) = self.range(parameter, &set);
            let (mut low, mut high) = (0, steps(parameter, least, most));
            with(at(parameter, (least, most), high))?;
            while low < high {
                let middle = u64::midpoint(low, high);
                match with(at(parameter, (least, most), middle)) {
                    Some(_) => high = middle,
                    None => low = middle + 1,
                }
            }
            set.push(at(parameter, (least, most), high));
        }
        self.with(&set, End::Least).filter(|limits| test(limits))
    }

    fn numbers(&self) -> impl Iterator<Item = &Parameter> {
        self.policy.parameters.iter().filter(|parameter| parameter.choices.is_empty())
    }

    /// Returns the allowed range of a number after those before it have these values.
    fn range(&self, parameter: &Parameter, set: &[f64]) -> (f64, f64) {
        let values = self.values(set);
        let mut least = parameter.least(&values).unwrap_or(1.0);
        if parameter.name == SIZE
            && let Some(bytes) = self.wanted.capacity
        {
            let unit = if parameter.unit == ParameterUnit::GB { 1e9 } else { Bytes::GIB.0 as f64 };
            least = least.max((bytes.0 as f64 / unit).ceil());
        }
        (least, parameter.most(&values).unwrap_or(GREATEST).max(least))
    }

    fn values(&self, set: &[f64]) -> Values {
        let mut values = Values::default();
        self.words.iter().for_each(|(name, word)| values.set(name, Value::word(word)));
        self.numbers().zip(set).for_each(|(parameter, value)| values.set_number(&parameter.name, *value));
        values
    }

    /// Evaluates the policy with these numbers, and those after them at an end of their range.
    fn with(&self, set: &[f64], rest: End) -> Option<Limits> {
        let mut all = set.to_vec();
        for parameter in self.numbers().skip(set.len()) {
            let (least, most) = self.range(parameter, &all);
            all.push(match rest {
                End::Least => least,
                End::Most => most,
            });
        }
        let numbers = self.numbers().zip(&all);
        let typed = numbers.map(|(parameter, value)| (parameter.name.clone(), parameter.unit.write(*value)));
        let parameters = self.words.iter().cloned().chain(typed);
        let name = PolicyName { id: self.policy.id.clone(), parameters: parameters.collect() };
        self.policy.evaluate(&name).ok()
    }
}

/// Returns the number of steps from the least to the greatest value.
fn steps(parameter: &Parameter, least: f64, most: f64) -> u64 {
    ((most - least) / step(parameter)).ceil().max(0.0) as u64
}

fn step(parameter: &Parameter) -> f64 {
    if parameter.unit == ParameterUnit::Ops { STEP_IOPS } else { 1.0 }
}

/// Returns the value at a step; the last is the greatest.
fn at(parameter: &Parameter, (least, most): (f64, f64), step_at: u64) -> f64 {
    (least + step_at as f64 * step(parameter)).min(most)
}
