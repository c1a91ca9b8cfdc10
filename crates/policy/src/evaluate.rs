//! Evaluates a policy with typed parameters to limits.

use workload::{Bytes, Nanos, PolicyName};

use crate::entry::{Rule, RuleBucket, RuleBurst};
use crate::formula::{Formula, Value, Values};
use crate::near::nearest;
use crate::parameter::normal;
use crate::{
    Bucket, Burst, Catalogue, CatalogueError, Limit, Limits, Parameter, ParameterUnit, Policy, PolicyError,
    PublishedRate, RateUnit, Resource, Scope, UnitReading, custom,
};

/// Parameters that the policy does not know, in the order typed.
type Rest = Vec<(String, String)>;

/// Name of the parameter that puts a machine's limits in front of the volume's.
const INSTANCE: &str = "instance";

impl Policy {
    /// Returns the limits with these parameters; the id in `name` is ignored.
    ///
    /// Ambiguous units are read as binary; see [`Limits::in_reading`].
    ///
    /// # Errors
    /// [`PolicyError`] for an unknown parameter, and for a missing, unreadable or forbidden value.
    pub fn evaluate(&self, name: &PolicyName) -> Result<Limits, PolicyError> {
        let (limits, rest) = if self.is_custom() {
            // A misspelt name comes first: it was probably meant for the missing parameter.
            match custom::unknown(&name.parameters) {
                rest if rest.is_empty() => (custom::limits(self, &name.parameters)?, rest),
                rest => return Err(self.unknown_parameter(&rest[0].0)),
            }
        } else {
            self.evaluate_with_rest(name)?
        };
        match rest.first() {
            None => Ok(limits),
            Some((name, _)) => Err(self.unknown_parameter(name)),
        }
    }

    /// Returns the limits with these parameters, and the parameters that are not the policy's, as typed.
    ///
    /// With `custom`, `latency` is both in [`Limits::latency`] and among these parameters, because a simulated volume
    /// reads it from them with every policy.
    ///
    /// # Errors
    /// [`PolicyError`] for a missing, unreadable or forbidden value.
    pub fn evaluate_with_rest(&self, name: &PolicyName) -> Result<(Limits, Rest), PolicyError> {
        if self.is_custom() {
            let limits = custom::limits_beside_rest(self, &name.parameters);
            let limits = limits.map_err(|error| self.misspelt(&name.parameters).unwrap_or(error))?;
            if limits.limits.is_empty()
                && let Some(error) = self.misspelt(&name.parameters)
            {
                return Err(error);
            }
            return Ok((limits, custom::rest(&name.parameters)));
        }
        let (mut own, mut rest) = self.assign(&name.parameters)?;
        self.choose_by_size(&mut own, &mut rest);
        let (values, used) = self.values(&own)?;
        let limits = Limits {
            policy: PolicyName { id: self.id.clone(), parameters: used },
            ..self.limits_at(&values)?
        };
        self.behind_instance(limits, rest)
    }

    /// Returns the values by which a volume is priced: those of the parameters, and the size of a volume whose limits
    /// do not depend on it, in `size_unit`. `None` if the name is not one of this policy.
    pub(crate) fn priced(&self, name: &PolicyName, size_unit: ParameterUnit) -> Option<Values> {
        let (mut own, mut rest) = self.assign(&name.parameters).ok()?;
        self.choose_by_size(&mut own, &mut rest);
        let (mut values, used) = self.values(&own).ok()?;
        values.keep(&used);
        if let Some((_, size)) = rest.iter().find(|(name, _)| normal(name) == "size") {
            values.set_number("size", size_unit.read(size).ok()?);
        }
        Some(values)
    }

    /// Returns the parameter of this name.
    ///
    /// # Errors
    /// [`PolicyError::UnknownParameter`] with the nearest name.
    pub(crate) fn parameter(&self, name: &str) -> Result<&Parameter, PolicyError> {
        let known = self.parameters.iter().find(|parameter| parameter.name == name);
        known.ok_or_else(|| self.unknown_parameter(name))
    }

    /// Returns the names of the parameters without which there are no figures.
    pub fn required_parameters(&self) -> Vec<&str> {
        if self.is_custom() {
            return Vec::new();
        }
        let required = self.parameters.iter().filter(|parameter| self.requires(parameter));
        required.map(|parameter| parameter.name.as_str()).collect()
    }

    /// Returns every parameter name that can be typed.
    pub fn parameter_names(&self) -> Vec<String> {
        if self.is_custom() {
            return custom::NAMES.iter().map(|&(name, _)| name.to_owned()).collect();
        }
        let mut names: Vec<String> = self.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        if self.takes_instance() {
            names.push(INSTANCE.to_owned());
        }
        names
    }

    /// Whether a parameter is required: a figure needs it and it has no default. Bounds alone can do without it.
    fn requires(&self, parameter: &Parameter) -> bool {
        let named = |formula: &Formula| formula.parameters().contains(&parameter.name.as_str());
        !parameter.has_default() && self.rules.iter().any(|rule| rule.formulas().any(named))
    }

    fn is_custom(&self) -> bool {
        self.id == custom::ID
    }

    /// Whether a volume of this policy hangs on a machine with limits of its own.
    pub fn takes_instance(&self) -> bool {
        self.scope == Scope::Volume && matches!(self.provider.as_str(), "aws" | "azure")
    }

    fn unknown_parameter(&self, name: &str) -> PolicyError {
        let known = self.parameter_names();
        PolicyError::UnknownParameter {
            policy: self.id.clone(),
            name: name.to_owned(),
            nearest: nearest(name, known.iter().map(String::as_str)).map(str::to_owned),
            known,
        }
    }

    /// Returns an error for the first name that is nearly a known one, which explains why a figure is missing.
    fn misspelt(&self, typed: &[(String, String)]) -> Option<PolicyError> {
        let known = self.parameter_names();
        let near = |name: &str| nearest(name, known.iter().map(String::as_str)).is_some();
        let rest = custom::unknown(typed);
        rest.iter().find(|(name, _)| near(name)).map(|(name, _)| self.unknown_parameter(name))
    }

    /// Splits typed parameters into values of the policy's own parameters, in their order, and the rest.
    fn assign(&self, typed: &[(String, String)]) -> Result<(Vec<Option<String>>, Rest), PolicyError> {
        let mut own = vec![None; self.parameters.len()];
        let mut rest = Rest::new();
        for (name, value) in typed {
            match self.parameters.iter().position(|parameter| parameter.answers_to(name)) {
                None => rest.push((name.clone(), value.clone())),
                Some(at) if own[at].is_some() => {
                    let name = self.parameters[at].name.clone();
                    return Err(PolicyError::Twice { policy: self.id.clone(), name });
                }
                Some(at) => own[at] = Some(value.clone()),
            }
        }
        Ok((own, rest))
    }

    /// If choices stand for sizes (`tier`), chooses the smallest that holds a typed size.
    fn choose_by_size(&self, own: &mut [Option<String>], rest: &mut Rest) {
        let sized = self.parameters.iter().position(|parameter| !parameter.size_gib.is_empty());
        let Some(at) = sized.filter(|&at| own[at].is_none()) else { return };
        let Some(typed) = rest.iter().position(|(name, _)| normal(name) == "size") else { return };
        if let Some(choice) = self.parameters[at].choice_of_size(&rest[typed].1) {
            own[at] = Some(choice);
            rest.remove(typed);
        }
    }

    /// Reads every parameter, and lists those that were used.
    fn values(&self, own: &[Option<String>]) -> Result<(Values, Rest), PolicyError> {
        let mut values = Values::default();
        let mut used = Rest::new();
        for (parameter, typed) in self.parameters.iter().zip(own) {
            let value = match typed {
                Some(typed) => Some(parameter.read(&self.id, typed, &values)?),
                None => parameter.default_value(),
            };
            match value {
                Some(value) => {
                    used.push((parameter.name.clone(), value.word.clone()));
                    values.set(&parameter.name, value);
                }
                None if self.requires(parameter) => return Err(self.missing(parameter, &values)),
                // Only bounds refer to this parameter: they become as wide as for any volume.
                None => {
                    parameter
                        .most(&values)
                        .into_iter()
                        .for_each(|most| values.set_number(&parameter.name, most));
                }
            }
        }
        Ok((values, used))
    }

    fn missing(&self, parameter: &Parameter, values: &Values) -> PolicyError {
        PolicyError::Missing {
            policy: self.id.clone(),
            name: parameter.name.clone(),
            allowed: parameter.allowed(values),
            example: parameter.example(),
        }
    }

    fn behind_instance(&self, limits: Limits, mut rest: Rest) -> Result<(Limits, Rest), PolicyError> {
        let named = rest.iter().position(|(name, _)| normal(name) == INSTANCE);
        let Some(at) = named.filter(|_| self.takes_instance()) else { return Ok((limits, rest)) };
        let (_, instance) = rest.remove(at);
        let machine = Catalogue::builtin().instance(&self.provider, &instance)?;
        let mut together = limits.within(&machine);
        together.policy.parameters.push((INSTANCE.to_owned(), machine.title));
        Ok((together, rest))
    }

    /// Returns limits with the policy's texts and no rules.
    pub(crate) fn described(&self) -> Limits {
        Limits {
            policy: PolicyName { id: self.id.clone(), parameters: Vec::new() },
            title: self.name.clone(),
            provider: self.provider.clone(),
            status: self.status,
            scope: self.scope,
            as_of: self.as_of.clone(),
            confidence: self.confidence.clone(),
            sources: self.sources.clone(),
            promise: self.promise,
            latency_words: self.latency_words.clone(),
            latency: None,
            billing: self.billing,
            reference_workload: self.reference_workload,
            note: self.note.clone(),
            limits: Vec::new(),
        }
    }

    /// Returns the limits at these values.
    pub(crate) fn limits_at(&self, values: &Values) -> Result<Limits, PolicyError> {
        let mut limits = self.described();
        for rule in &self.rules {
            match rule.evaluate(values, self.scope) {
                Some(limit) => limits.limits.push(limit),
                None if rule.where_listed => {}
                None => {
                    return Err(PolicyError::NoFigure { policy: self.id.clone(), rule: rule.id.clone() });
                }
            }
        }
        Ok(limits)
    }

    /// Checks that every reference names something that exists.
    pub(crate) fn agree(&self) -> Result<(), CatalogueError> {
        let complain = |problem| Err(CatalogueError::Reference { of: self.id.clone(), problem });
        if self.rules.is_empty() {
            return complain("there is no rule".to_owned());
        }
        let bounds = self.parameters.iter().flat_map(Parameter::bounds);
        let formulas = self.rules.iter().flat_map(Rule::formulas).chain(bounds);
        let known = |name: &str| self.parameters.iter().any(|parameter| parameter.name == name);
        for name in formulas.flat_map(Formula::parameters) {
            if !known(name) {
                return complain(format!("a formula names '{name}', which is no parameter"));
            }
        }
        for rule in &self.rules {
            if (rule.unit == RateUnit::Ops) != (rule.resource == Resource::Iops) {
                return complain(format!("rule '{}': the unit does not fit what is counted", rule.id));
            }
            if self.rules.iter().filter(|other| other.id == rule.id).count() > 1 {
                return complain(format!("rule '{}' is there twice", rule.id));
            }
            for (name, choice) in rule.formulas().flat_map(Formula::listed) {
                let offered = |p: &Parameter| p.name == name && p.choices.iter().any(|word| word == choice);
                if !self.parameters.iter().any(offered) {
                    return complain(format!("rule '{}': '{choice}' is no choice of '{name}'", rule.id));
                }
            }
        }
        Ok(())
    }
}

impl Limits {
    /// Returns the volume size that the parameters state, directly (`size`) or by a choice that implies one
    /// (`tier`); `None` if the policy does not depend on the size.
    pub fn volume_size(&self) -> Option<Bytes> {
        let policy = Catalogue::builtin().find(&self.policy.id).ok()?;
        self.policy.parameters.iter().find_map(|(name, word)| {
            if name == "size" {
                return workload::size(word).ok();
            }
            let parameter = policy.parameters.iter().find(|parameter| parameter.name == *name)?;
            let gib = parameter.size_gib.get(word)?;
            Some(Bytes((gib * Bytes::GIB.0 as f64) as u64))
        })
    }
}

impl Rule {
    fn formulas(&self) -> impl Iterator<Item = &Formula> {
        let burst = self.burst.iter().flat_map(|burst| {
            let size = match &burst.bucket {
                RuleBucket::Tokens { size, .. } => Some(size),
                _ => None,
            };
            std::iter::once(&burst.rate).chain(size)
        });
        std::iter::once(&self.baseline).chain(&self.billed_above).chain(burst)
    }

    fn evaluate(&self, values: &Values, scope: Scope) -> Option<Limit> {
        let reading = if self.ambiguous { UnitReading::Binary } else { UnitReading::Decimal };
        let factor = self.unit.factor(reading);
        let written = self.baseline.evaluate(values)?;
        let billed_above = match &self.billed_above {
            Some(formula) => Some(formula.evaluate(values)? * factor),
            None => None,
        };
        Some(Limit {
            id: self.id.clone(),
            scope,
            resource: self.resource,
            direction: self.direction,
            written: PublishedRate { baseline: written, unit: self.unit },
            unit_ambiguous: self.ambiguous,
            reading,
            baseline: written * factor,
            burst: self.burst.as_ref().and_then(|burst| burst.evaluate(values, (written, factor))),
            billed_above,
            accounting: self.accounting,
            note: self.note.clone(),
        })
    }
}

impl RuleBurst {
    /// Returns the burst of a rule with this written baseline and factor of its unit; `None` if the burst adds nothing.
    fn evaluate(&self, values: &Values, (baseline, factor): (f64, f64)) -> Option<Burst> {
        let rate = self.rate.evaluate(values)?;
        let paid = matches!(self.bucket, RuleBucket::UnlimitedPaid);
        if rate <= baseline && !paid {
            return None;
        }
        let nanos = |seconds: Option<f64>| seconds.map(Nanos::from_secs_f64);
        let bucket = match &self.bucket {
            RuleBucket::Tokens { size, derived } => {
                let size = size.evaluate(&values.within(baseline, rate))? * factor;
                Bucket::Tokens { size, initial: size, derived: *derived }
            }
            RuleBucket::Timed { seconds, cool_off } => {
                Bucket::Timed { lasts: nanos(*seconds), cool_off: nanos(*cool_off) }
            }
            RuleBucket::UnlimitedPaid => Bucket::UnlimitedPaid,
            RuleBucket::Unknown => Bucket::Unknown,
        };
        Some(Burst { rate: rate * factor, bucket })
    }
}

impl Value {
    /// Returns a choice.
    pub(crate) fn word(word: &str) -> Value {
        Value { number: word.parse().ok(), word: word.to_owned() }
    }
}
