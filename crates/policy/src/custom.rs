//! The policy `custom`: figures typed by the user, for providers that are not listed and for tests.

use workload::{Bytes, Nanos, PolicyName};

use crate::parameter::{normal, operations};
use crate::{
    Accounting, Billing, Bucket, Burst, Confidence, Covers, Limit, Limits, Policy, PolicyError,
    PublishedRate, RateUnit, Resource, Rounding, Scope, Status, UnitReading,
};

/// Id of the policy.
pub(crate) const ID: &str = "custom";

/// Every parameter, with an example of its value.
pub(crate) const NAMES: &[(&str, &str)] = &[
    ("iops", "3000"),
    ("bandwidth", "125MiB/s"),
    ("read_iops", "5000"),
    ("write_iops", "5000"),
    ("read_bandwidth", "200MiB/s"),
    ("write_bandwidth", "200MiB/s"),
    ("burst_iops", "3000"),
    ("bucket", "5400000"),
    ("burst_bandwidth", "250MiB/s"),
    ("byte_bucket", "1TiB"),
    ("burst", "60s"),
    ("cool_off", "60s"),
    ("unit", "256KiB"),
    ("rounding", "ceil"),
    ("merge", "no"),
    ("latency", "0.5ms"),
];

/// The flat rules: parameter, id, what they count.
const RULES: [(&str, &str, Resource, Covers); 6] = [
    ("iops", "iops", Resource::Iops, Covers::Total),
    ("bandwidth", "bytes", Resource::Bytes, Covers::Total),
    ("read_iops", "iops-r", Resource::Iops, Covers::Read),
    ("write_iops", "iops-w", Resource::Iops, Covers::Write),
    ("read_bandwidth", "bytes-r", Resource::Bytes, Covers::Read),
    ("write_bandwidth", "bytes-w", Resource::Bytes, Covers::Write),
];

type TypedParameters = [(String, String)];

/// Returns the catalogue's entry for the policy: texts without figures.
pub(crate) fn entry() -> Policy {
    Policy {
        id: ID.to_owned(),
        provider: "yours".to_owned(),
        name: "figures of your own".to_owned(),
        status: Status::Current,
        scope: Scope::Volume,
        as_of: None,
        confidence: Confidence::own(),
        source_ids: Vec::new(),
        sources: Vec::new(),
        parameters: Vec::new(),
        rules: Vec::new(),
        promise: None,
        latency_words: None,
        billing: Billing::Unknown,
        reference_workload: None,
        note: None,
        check: Vec::new(),
    }
}

/// Returns the parameters that a volume must read itself: those that are not figures of a limit.
pub(crate) fn rest(typed: &TypedParameters) -> Vec<(String, String)> {
    typed.iter().filter(|(name, _)| normal(name) == "latency" || !is_known(name)).cloned().collect()
}

/// Returns the parameters that are not part of this policy.
pub(crate) fn unknown(typed: &TypedParameters) -> Vec<(String, String)> {
    typed.iter().filter(|(name, _)| !is_known(name)).cloned().collect()
}

fn is_known(name: &str) -> bool {
    NAMES.iter().any(|&(known, _)| known == normal(name))
}

/// Returns the limits that the parameters state, for a caller who knows what the other parameters mean. With
/// such parameters a volume may have no limit at all.
///
/// # Errors
/// The errors of [`limits`]; the lack of any limit is an error only if there are no other parameters.
pub(crate) fn limits_beside_rest(policy: &Policy, typed: &TypedParameters) -> Result<Limits, PolicyError> {
    let limits = stated(policy, typed)?;
    if limits.limits.is_empty() && unknown(typed).is_empty() { Err(no_limit()) } else { Ok(limits) }
}

/// Returns the limits that the parameters state.
///
/// # Errors
/// [`PolicyError`] for an unreadable value, a burst without credits or a baseline, or no limit at all.
pub(crate) fn limits(policy: &Policy, typed: &TypedParameters) -> Result<Limits, PolicyError> {
    let limits = stated(policy, typed)?;
    if limits.limits.is_empty() { Err(no_limit()) } else { Ok(limits) }
}

fn no_limit() -> PolicyError {
    PolicyError::Missing {
        policy: ID.to_owned(),
        name: "iops".to_owned(),
        allowed: "or bandwidth, read_iops, write_iops, read_bandwidth, write_bandwidth".to_owned(),
        example: "3000,bandwidth=125MiB/s".to_owned(),
    }
}

fn stated(policy: &Policy, typed: &TypedParameters) -> Result<Limits, PolicyError> {
    let words = Words { typed };
    words.once()?;
    let accounting = words.accounting()?;
    let mut limits = Vec::new();
    for (name, id, resource, direction) in RULES {
        if let Some((written, unit)) = words.rate(name, resource)? {
            let accounting = accounting.filter(|_| resource == Resource::Iops);
            let burst = if direction == Covers::Total { words.burst(resource)? } else { None };
            let limit = flat(id, resource, direction, PublishedRate { baseline: written, unit });
            let burst = burst.filter(|burst| burst.rate > limit.baseline);
            limits.push(Limit { burst, accounting, ..limit });
        }
    }
    words.bursts_have_baselines(&limits)?;
    let used = typed.iter().filter(|(name, _)| is_known(name)).cloned().collect();
    let latency = words.time("latency")?;
    let policy_name = PolicyName { id: ID.to_owned(), parameters: used };
    Ok(Limits { policy: policy_name, latency, limits, ..policy.described() })
}

fn flat(id: &str, resource: Resource, direction: Covers, written: PublishedRate) -> Limit {
    Limit {
        id: id.to_owned(),
        scope: Scope::Volume,
        resource,
        direction,
        baseline: written.baseline * written.unit.factor(UnitReading::Decimal),
        written,
        unit_ambiguous: false,
        reading: UnitReading::Decimal,
        burst: None,
        billed_above: None,
        accounting: None,
        note: None,
    }
}

/// The typed parameters, with a reader for each kind of value.
struct Words<'t> {
    typed: &'t TypedParameters,
}

impl Words<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.typed.iter().find(|(typed, _)| normal(typed) == name).map(|(_, value)| value.as_str())
    }

    fn once(&self) -> Result<(), PolicyError> {
        let twice = self.typed.iter().enumerate().find(|(at, (name, _))| {
            is_known(name) && self.typed[..*at].iter().any(|(before, _)| normal(before) == normal(name))
        });
        twice.map_or(Ok(()), |(_, (name, _))| {
            Err(PolicyError::Twice { policy: ID.to_owned(), name: name.clone() })
        })
    }

    fn unreadable(&self, name: &str, problem: String) -> PolicyError {
        let example = NAMES.iter().find(|&&(known, _)| known == name).map_or("", |&(_, example)| example);
        PolicyError::Unreadable {
            policy: ID.to_owned(),
            name: name.to_owned(),
            value: self.get(name).unwrap_or_default().to_owned(),
            problem,
            example: example.to_owned(),
        }
    }

    /// Returns the value of `name` as read by `reader`, which must be a number above zero.
    fn number<R>(&self, name: &str, reader: R) -> Result<Option<f64>, PolicyError>
    where
        R: Fn(&str) -> Result<f64, String>,
    {
        let Some(typed) = self.get(name) else { return Ok(None) };
        match reader(typed) {
            Ok(number) if number > 0.0 && number.is_finite() => Ok(Some(number)),
            Ok(_) => Err(self.unreadable(name, "it must be above 0".to_owned())),
            Err(problem) => Err(self.unreadable(name, problem)),
        }
    }

    /// Returns a rate as written, with its unit; a bare number of bytes is in MiB/s.
    fn rate(&self, name: &str, resource: Resource) -> Result<Option<(f64, RateUnit)>, PolicyError> {
        if resource == Resource::Iops {
            return Ok(self.number(name, operations)?.map(|iops| (iops, RateUnit::Ops)));
        }
        let bytes = self.number(name, |typed| match typed.parse::<f64>() {
            Ok(mib) => Ok(mib * (1u64 << 20) as f64),
            Err(_) => workload::rate(typed).map(|rate| rate.0).map_err(|error| error.to_string()),
        })?;
        let decimal = self.get(name).is_some_and(|typed| typed.contains("B/s") && !typed.contains("iB/s"));
        let unit = if decimal { RateUnit::MbPerSecond } else { RateUnit::MibPerSecond };
        Ok(bytes.map(|bytes| (bytes / unit.factor(UnitReading::Decimal), unit)))
    }

    fn time(&self, name: &str) -> Result<Option<Nanos>, PolicyError> {
        let Some(typed) = self.get(name) else { return Ok(None) };
        workload::duration(typed).map(Some).map_err(|error| self.unreadable(name, error.to_string()))
    }

    fn bytes(&self, name: &str) -> Result<Option<f64>, PolicyError> {
        let read = |typed: &str| workload::size(typed).map(|size| size.0 as f64).map_err(|e| e.to_string());
        self.number(name, read)
    }

    fn burst(&self, resource: Resource) -> Result<Option<Burst>, PolicyError> {
        let (rate_name, bucket_name) = match resource {
            Resource::Iops => ("burst_iops", "bucket"),
            Resource::Bytes => ("burst_bandwidth", "byte_bucket"),
        };
        let Some((written, unit)) = self.rate(rate_name, resource)? else { return Ok(None) };
        let size = match resource {
            Resource::Iops => self.number(bucket_name, operations)?,
            Resource::Bytes => self.bytes(bucket_name)?,
        };
        let bucket = match (size, self.time("burst")?) {
            (Some(_), Some(_)) => {
                return Err(conflict(
                    format!("{bucket_name} and burst both end the burst"),
                    "keep one: credits end with usage, burst ends with time".to_owned(),
                ));
            }
            (Some(size), None) => Bucket::Tokens { size, initial: size, derived: false },
            (None, Some(lasts)) => Bucket::Timed { lasts: Some(lasts), cool_off: self.time("cool_off")? },
            (None, None) => {
                return Err(conflict(
                    format!("{rate_name} says not how long it lasts"),
                    format!(
                        "add {bucket_name}= for a bucket of credits or burst=60s for a burst that ends with time"
                    ),
                ));
            }
        };
        Ok(Some(Burst { rate: written * unit.factor(UnitReading::Decimal), bucket }))
    }

    fn bursts_have_baselines(&self, limits: &[Limit]) -> Result<(), PolicyError> {
        let pairs = [("burst_iops", "iops"), ("burst_bandwidth", "bandwidth")];
        for ((name, base), id) in pairs.into_iter().zip(["iops", "bytes"]) {
            let bursts = limits.iter().any(|limit| limit.id == id && limit.burst.is_some());
            if self.get(name).is_some() && !bursts {
                let problem = format!("{name} is not above a baseline");
                return Err(conflict(problem, format!("add {base}= with a lower figure")));
            }
        }
        for (name, needs) in
            [("bucket", "burst_iops"), ("byte_bucket", "burst_bandwidth"), ("cool_off", "burst")]
        {
            if self.get(name).is_some() && self.get(needs).is_none() {
                return Err(conflict(format!("{name} has nothing to pay for"), format!("add {needs}=")));
            }
        }
        Ok(())
    }

    fn accounting(&self) -> Result<Option<Accounting>, PolicyError> {
        let rounding = match self.get("rounding") {
            None | Some("ceil") => Rounding::Ceil,
            Some("proportional") => Rounding::Proportional,
            Some(_) => return Err(self.unreadable("rounding", "it is ceil or proportional".to_owned())),
        };
        let merge_sequential = match self.get("merge") {
            None | Some("no") => false,
            Some("yes") => true,
            Some(_) => return Err(self.unreadable("merge", "it is yes or no".to_owned())),
        };
        let unit = self.bytes("unit")?;
        if unit.is_none() && (self.get("rounding").or(self.get("merge"))).is_some() {
            return Err(conflict(
                "the size of an I/O does not count".to_owned(),
                "add unit=256KiB".to_owned(),
            ));
        }
        Ok(unit.map(|unit| Accounting { unit: Bytes(unit as u64), rounding, merge_sequential }))
    }
}

fn conflict(problem: String, remedy: String) -> PolicyError {
    PolicyError::Conflict { policy: ID.to_owned(), problem, remedy }
}
