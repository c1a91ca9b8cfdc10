//! The target of a run: one grammar everywhere.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A policy with its parameters as typed: `aws-gp2,size=100GiB`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyName {
    /// Id in the catalogue.
    pub id: String,
    /// Parameters in the order typed, values uninterpreted.
    pub parameters: Vec<(String, String)>,
}

/// The target of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A directory, a file or a block device of this machine.
    Path(PathBuf),
    /// A volume that this kernel throttles to a policy, created and removed around the run.
    Lab(PolicyName),
    /// A volume simulated in virtual time.
    Sim(PolicyName),
    /// None: every I/O succeeds at once.
    Null,
}

/// Error in the words of a target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// Nothing was typed.
    #[error("the target is empty; name a directory, a file, a block device, lab:POLICY, sim:POLICY or null:")]
    Empty,
    /// The policy after the colon is missing.
    #[error(
        "'{word}' names no policy; write for example {scheme}:aws-gp2,size=100GiB (plimsoll policy list shows all)"
    )]
    NoPolicy {
        /// The target as typed.
        word: String,
        /// `lab` or `sim`.
        scheme: &'static str,
    },
    /// A parameter is not `name=value`.
    #[error("'{part}' in '{word}' is no parameter; write name=value, for example size=100GiB")]
    Parameter {
        /// The policy as typed.
        word: String,
        /// The offending part.
        part: String,
    },
}

impl PolicyName {
    /// Reads `id[,name=value]…`.
    ///
    /// # Errors
    /// Returns [`TargetError::Parameter`] if a part is not `name=value`.
    pub fn parse(word: &str) -> Result<PolicyName, TargetError> {
        let mut parts = word.split(',').map(str::trim);
        let id = parts.next().unwrap_or_default().to_owned();
        let parameters = parts
            .filter(|part| !part.is_empty())
            .map(|part| match part.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => {
                    Ok((name.trim().to_owned(), value.trim().to_owned()))
                }
                _ => Err(TargetError::Parameter { word: word.to_owned(), part: part.to_owned() }),
            })
            .collect::<Result<_, _>>()?;
        Ok(PolicyName { id, parameters })
    }
}

impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)?;
        self.parameters.iter().try_for_each(|(name, value)| write!(f, ",{name}={value}"))
    }
}

impl Target {
    /// Reads a target. A path that contains a colon can be written with a leading `./`.
    ///
    /// # Errors
    /// Returns a [`TargetError`] that names the word and an accepted form.
    pub fn parse(word: &str) -> Result<Target, TargetError> {
        if word.is_empty() {
            return Err(TargetError::Empty);
        }
        if word == "null:" {
            return Ok(Target::Null);
        }
        for (scheme, make) in [("lab", Target::Lab as fn(PolicyName) -> Target), ("sim", Target::Sim)] {
            if let Some(policy) = word.strip_prefix(scheme).and_then(|rest| rest.strip_prefix(':')) {
                if policy.is_empty() {
                    return Err(TargetError::NoPolicy { word: word.to_owned(), scheme });
                }
                return PolicyName::parse(policy).map(make);
            }
        }
        Ok(Target::Path(PathBuf::from(word)))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Path(path) => write!(f, "{}", path.display()),
            Target::Lab(policy) => write!(f, "lab:{policy}"),
            Target::Sim(policy) => write!(f, "sim:{policy}"),
            Target::Null => write!(f, "null:"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_target_reads_and_prints_the_same() {
        for word in ["/mnt/vol", "lab:do-volumes-pre-burst", "sim:aws-gp2,size=100GiB", "null:", "./odd:name"]
        {
            assert_eq!(Target::parse(word).unwrap().to_string(), word);
        }
    }

    #[test]
    fn a_bad_target_says_what_would_do() {
        assert!(Target::parse("sim:").unwrap_err().to_string().contains("sim:aws-gp2,size=100GiB"));
        assert!(Target::parse("lab:x,size").unwrap_err().to_string().contains("name=value"));
        assert_eq!(Target::parse(""), Err(TargetError::Empty));
    }
}
