//! The user's own policies: a file named in place of a policy is read before its name is looked up.

use std::path::Path;

use session::failure::Failure;
use session::named_input::{NamedInput, WRITTEN};
use workload::{PolicyName, Target};

/// Returns the target that `words` name, after loading the policy file from which it may be made.
///
/// # Errors
/// The words name no target, or the file is no policy.
pub fn target(words: &str) -> Result<Target, Failure> {
    let target = Target::parse(words).map_err(Failure::refused)?;
    if let Target::Sim(name) | Target::Lab(name) = &target {
        take_up(name)?;
    }
    Ok(target)
}

/// Returns the policy that `words` name: one of the catalogue, or the user's own TOML file, which is loaded.
///
/// # Errors
/// The words name no policy, or the file is no policy.
pub fn policy(words: &str) -> Result<PolicyName, Failure> {
    let name = PolicyName::parse(words).map_err(Failure::refused)?;
    take_up(&name)?;
    Ok(name)
}

fn take_up(name: &PolicyName) -> Result<(), Failure> {
    let file = &name.id;
    if Path::new(file).extension().is_none_or(|end| end != "toml") {
        return Ok(());
    }
    let text = NamedInput::typed(file, WRITTEN).text().map_err(|error| {
        error.failure(format!(
            "{file}: cannot be read: {error}; name a TOML file (plimsoll policy check FILE says whether it is right)"
        ))
    })?;
    policy::adopt(file, &text).map_err(Failure::refused)
}
