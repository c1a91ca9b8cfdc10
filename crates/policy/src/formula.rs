//! The formulas in which the catalogue states its figures, and their evaluation.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Formula of a figure, in terms of the parameters.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Formula {
    /// The figure itself.
    Number(f64),
    /// A figure of the rule that this formula belongs to.
    Own(Own),
    /// A computation.
    Node(Box<Node>),
}

/// Figures of the rule itself, used in the size of its bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Own {
    Rate,
    Baseline,
}

/// One computation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Node {
    Param(String),
    Linear(Linear),
    Table(Table),
    Steps(Steps),
    Mul(Vec<Formula>),
    Sub(Formula, Formula),
    MinOf(Vec<Formula>),
    MaxOf(Vec<Formula>),
}

/// `clamp(base + per × of / each, min, max)`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Linear {
    of: String,
    per: f64,
    #[serde(default = "one")]
    each: f64,
    #[serde(default)]
    base: f64,
    min: Option<f64>,
    max: Option<f64>,
}

fn one() -> f64 {
    1.0
}

/// One figure for each choice.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    of: String,
    values: BTreeMap<String, f64>,
}

/// Step function: the figure of the first row whose bound is not below the parameter; the last row has no bound.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Steps {
    of: String,
    rows: Vec<(Option<f64>, Formula)>,
}

/// A parameter's value: every value has a word, most have a number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) number: Option<f64>,
    pub(crate) word: String,
}

/// Values that a formula may refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    known: Vec<(String, Value)>,
    rate: Option<f64>,
    baseline: Option<f64>,
}

impl Values {
    /// Sets a parameter, replacing an earlier value.
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.known.retain(|(known, _)| known != name);
        self.known.push((name.to_owned(), value));
    }

    /// Sets a parameter to a number.
    pub(crate) fn set_number(&mut self, name: &str, number: f64) {
        self.set(name, Value { number: Some(number), word: number.to_string() });
    }

    /// Removes every parameter except the named ones.
    pub(crate) fn keep(&mut self, named: &[(String, String)]) {
        self.known.retain(|(known, _)| named.iter().any(|(name, _)| name == known));
    }

    /// Returns these values with the figures of a rule.
    pub(crate) fn within(&self, baseline: f64, rate: f64) -> Values {
        Values { known: self.known.clone(), rate: Some(rate), baseline: Some(baseline) }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.known.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number
    }
}

impl Formula {
    /// Returns the figure; `None` if a table does not list the choice or a parameter has no value.
    pub(crate) fn evaluate(&self, values: &Values) -> Option<f64> {
        match self {
            Formula::Number(number) => Some(*number),
            Formula::Own(Own::Rate) => values.rate,
            Formula::Own(Own::Baseline) => values.baseline,
            Formula::Node(node) => node.evaluate(values),
        }
    }

    /// Returns every parameter that the formula refers to.
    pub(crate) fn parameters(&self) -> Vec<&str> {
        let Formula::Node(node) = self else { return Vec::new() };
        match node.as_ref() {
            Node::Param(name) => vec![name],
            Node::Linear(linear) => vec![&linear.of],
            Node::Table(table) => vec![&table.of],
            Node::Steps(steps) => {
                let inner = steps.rows.iter().flat_map(|(_, formula)| formula.parameters());
                std::iter::once(steps.of.as_str()).chain(inner).collect()
            }
            Node::Sub(left, right) => [left, right].into_iter().flat_map(Formula::parameters).collect(),
            Node::Mul(parts) | Node::MinOf(parts) | Node::MaxOf(parts) => {
                parts.iter().flat_map(Formula::parameters).collect()
            }
        }
    }

    /// Returns every choice that a table within the formula lists, with its parameter.
    pub(crate) fn listed(&self) -> Vec<(&str, &str)> {
        let Formula::Node(node) = self else { return Vec::new() };
        match node.as_ref() {
            Node::Table(table) => table.values.keys().map(|key| (table.of.as_str(), key.as_str())).collect(),
            Node::Mul(parts) | Node::MinOf(parts) | Node::MaxOf(parts) => {
                parts.iter().flat_map(Formula::listed).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Node {
    fn evaluate(&self, values: &Values) -> Option<f64> {
        let all =
            |parts: &[Formula]| parts.iter().map(|part| part.evaluate(values)).collect::<Option<Vec<_>>>();
        match self {
            Node::Param(name) => values.number(name),
            Node::Linear(linear) => linear.evaluate(values),
            Node::Table(table) => table.values.get(&values.get(&table.of)?.word).copied(),
            Node::Steps(steps) => steps.evaluate(values),
            Node::Mul(parts) => Some(all(parts)?.into_iter().product()),
            Node::Sub(left, right) => Some(left.evaluate(values)? - right.evaluate(values)?),
            Node::MinOf(parts) => all(parts)?.into_iter().reduce(f64::min),
            Node::MaxOf(parts) => all(parts)?.into_iter().reduce(f64::max),
        }
    }
}

impl Linear {
    fn evaluate(&self, values: &Values) -> Option<f64> {
        let line = self.base + self.per * values.number(&self.of)? / self.each;
        let raised = self.min.map_or(line, |min| line.max(min));
        Some(self.max.map_or(raised, |max| raised.min(max)))
    }
}

impl Steps {
    fn evaluate(&self, values: &Values) -> Option<f64> {
        let at = values.number(&self.of)?;
        let row = self.rows.iter().find(|(bound, _)| bound.is_none_or(|bound| at <= bound))?;
        row.1.evaluate(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(json: &str, size: f64) -> Option<f64> {
        let mut values = Values::default();
        values.set_number("size", size);
        values.set("tier", Value { number: None, word: "P30".to_owned() });
        serde_json::from_str::<Formula>(json).unwrap().evaluate(&values)
    }

    #[test]
    fn each_kind_of_formula_evaluates() {
        for (json, size, figure) in [
            ("5000", 1.0, 5000.0),
            (r#"{"param":"size"}"#, 7.0, 7.0),
            (r#"{"linear":{"of":"size","per":3,"min":100,"max":16000}}"#, 20.0, 100.0),
            (r#"{"linear":{"of":"size","per":3,"min":100,"max":16000}}"#, 200.0, 600.0),
            (r#"{"linear":{"of":"size","per":3,"min":100,"max":16000}}"#, 9000.0, 16000.0),
            (r#"{"linear":{"of":"size","per":40,"each":1024}}"#, 2048.0, 80.0),
            (r#"{"table":{"of":"tier","values":{"P30":5000}}}"#, 1.0, 5000.0),
            (r#"{"steps":{"of":"size","rows":[[170,128],[null,250]]}}"#, 170.0, 128.0),
            (r#"{"steps":{"of":"size","rows":[[170,128],[null,250]]}}"#, 170.1, 250.0),
            (r#"{"min_of":[{"mul":[2,{"param":"size"}]},30]}"#, 10.0, 20.0),
            (r#"{"max_of":[{"sub":[{"param":"size"},1]},30]}"#, 10.0, 30.0),
        ] {
            assert_eq!(evaluate(json, size), Some(figure), "{json} at {size}");
        }
    }

    #[test]
    fn an_unlisted_choice_has_no_figure() {
        assert_eq!(evaluate(r#"{"table":{"of":"tier","values":{"P40":7500}}}"#, 1.0), None);
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        for json in [
            r#"{"linear":{"of":"size","per":3,"mni":100}}"#,
            r#"{"lineal":{"of":"size","per":3}}"#,
            r#"{"table":{"of":"tier","value":{}}}"#,
            r#""rates""#,
        ] {
            assert!(serde_json::from_str::<Formula>(json).is_err(), "{json}");
        }
    }
}
