//! Policies of the user's own: a file that a command line names in the place of a policy is read before its name is looked up.

use std::path::Path;

use session::failure::Failure;
use session::named_input::{NamedInput, WRITTEN};
use workload::{PolicyName, Target};

/// The target that `words` name, with the policy file that it may be made of taken up.
///
/// # Errors
/// Words that name no target, and a file that is no policy.
pub fn target(words: &str) -> Result<Target, Failure> {
    let target = Target::parse(words).map_err(Failure::refused)?;
    if let Target::Sim(name) | Target::Lab(name) = &target {
        take_up(name)?;
    }
    Ok(target)
}

/// The policy that `words` name: one of the catalogue, or a TOML file of one's own, which is taken up.
///
/// # Errors
/// Words that name no policy, and a file that is none.
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
