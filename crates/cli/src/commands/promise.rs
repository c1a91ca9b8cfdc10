//! The promise that a target is compared with: a policy by name, and claims in words.

use policy::Limits;
use session::failure::Failure;
use session::run::Against;
use workload::{Expectation, PolicyName, Target};

/// Returns the promise: the named policy, else that of a simulated or lab volume if nothing is claimed, and the claims.
pub fn against(target: &Target, named: Option<PolicyName>, expect: Option<&str>) -> Result<Against, Failure> {
    let typed = named.is_some();
    let policy = match (named, target) {
        (Some(name), _) => Some(name),
        (None, Target::Lab(name) | Target::Sim(name)) if expect.is_none() => Some(name.clone()),
        (None, _) => None,
    };
    let limits = policy.as_ref().map(|name| limits(name, typed)).transpose()?;
    // A simulated volume may have no limits: it is then measured and compared with nothing.
    let limits = limits.filter(|limits| !limits.limits.is_empty());
    let policy = policy.filter(|_| limits.is_some());
    let expectation = expect.map(Expectation::parse).transpose().map_err(Failure::refused)?;
    Ok(Against { policy, limits, expectation })
}

/// Returns the limits of a simulated or lab volume, which are in its name.
pub fn of_volume(target: &Target) -> Option<Limits> {
    match target {
        Target::Lab(name) | Target::Sim(name) => policy::evaluate_of_volume(name).ok(),
        _ => None,
    }
}

/// Returns the limits of `name`; for the policy of a simulated or lab target, parameters that only the target has are
/// ignored.
fn limits(name: &PolicyName, typed: bool) -> Result<Limits, Failure> {
    if typed {
        return policy::evaluate(name).map_err(Failure::refused);
    }
    policy::evaluate_of_volume(name).map_err(Failure::refused)
}
