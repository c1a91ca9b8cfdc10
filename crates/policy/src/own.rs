//! The user's own policies, in TOML of the catalogue's form: read, or refused with the place and the nearest word.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::near::nearest;
use crate::{CatalogueError, Policy};

/// The user's own policies in this process: such a policy takes precedence wherever its name is looked up.
static ADOPTED: Mutex<Vec<OwnPolicy>> = Mutex::new(Vec::new());

struct OwnPolicy {
    file: String,
    text: String,
    /// Leaked, so that it lives as long as the catalogue's own policies.
    policy: &'static Policy,
}

/// Adopts the policy in the `text` of `file`, which is then found by its id and by the file's name as typed.
/// Adopting the same text again changes nothing.
///
/// # Errors
/// [`OwnPolicyError`] if the policy is wrong, or the file held another one before.
pub fn adopt(file: &str, text: &str) -> Result<(), OwnPolicyError> {
    let mut adopted = ADOPTED.lock().unwrap_or_else(PoisonError::into_inner);
    match adopted.iter().find(|known| known.file == file) {
        Some(known) if known.text == text => return Ok(()),
        Some(_) => return Err(OwnPolicyError::Another { file: file.to_owned() }),
        None => {}
    }
    let policy = Box::leak(Box::new(Policy::own(file, text)?));
    adopted.push(OwnPolicy { file: file.to_owned(), text: text.to_owned(), policy });
    Ok(())
}

/// Returns every adopted file, with its text.
#[must_use]
pub fn adopted() -> Vec<(String, String)> {
    let adopted = ADOPTED.lock().unwrap_or_else(PoisonError::into_inner);
    adopted.iter().map(|known| (known.file.clone(), known.text.clone())).collect()
}

/// Returns the policy of this file or id, if adopted.
pub(crate) fn find(id: &str) -> Option<&'static Policy> {
    let adopted = ADOPTED.lock().unwrap_or_else(PoisonError::into_inner);
    let found = adopted.iter().find(|known| known.file == id || known.policy.id.eq_ignore_ascii_case(id));
    found.map(|known| known.policy)
}

/// A place in one of the user's own files; it displays as `FILE:LINE:COLUMN`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

impl Place {
    /// Returns the place of the byte `at` in the `text` of `file`.
    pub(crate) fn of(file: &str, text: &str, at: usize) -> Place {
        let before = text.get(..at).unwrap_or_default();
        Place {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Why one of the user's own policies cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OwnPolicyError {
    /// The text does not have the form of a policy.
    #[error("{place}: {problem}")]
    Form {
        /// The place of the mistake.
        place: Place,
        /// The mistake, the offending word, and the nearest allowed one.
        problem: String,
    },
    /// Two files of one name hold different policies.
    #[error(
        "{file}: another policy was read from a file of this name, in this run or one shown beside it; rename one"
    )]
    Another {
        /// Name of the file.
        file: String,
    },
    /// Parts of the policy conflict.
    #[error("{file}: {source}")]
    Parts {
        /// Name of the file.
        file: String,
        /// The conflict.
        source: CatalogueError,
    },
}

impl Policy {
    /// Reads a policy from the text of a TOML file; `file` is its name in errors.
    ///
    /// # Errors
    /// [`OwnPolicyError`], with the place of the error.
    pub fn own(file: &str, text: &str) -> Result<Policy, OwnPolicyError> {
        let policy: Policy = toml::from_str(text).map_err(|error| OwnPolicyError::Form {
            place: Place::of(file, text, error.span().map_or(0, |span| span.start)),
            problem: with_nearest(error.message()),
        })?;
        policy.agree().map_err(|source| OwnPolicyError::Parts { file: file.to_owned(), source })?;
        Ok(policy)
    }
}

/// Returns the parser's message with the nearest accepted word; the message quotes the unknown word first,
/// then the accepted ones.
pub(crate) fn with_nearest(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let near = quoted.split_first().and_then(|(wrong, known)| nearest(wrong, known.iter().copied()));
    let message = message.trim().replace('\n', "; ").replace('`', "'");
    near.map_or(message.clone(), |near| format!("{message}; did you mean '{near}'?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
id = "ours"
name = "Gold of our own cloud"

[[parameters]]
name = "size"
unit = "GiB"
min = 10
max = 1000

[[rules]]
id = "iops"
resource = "iops"
direction = "total"
unit = "ops/s"
baseline = { linear = { of = "size", per = 5, min = 100 } }
burst = { rate = 3000, bucket = { tokens = { size = 600000 } } }
"#;

    #[test]
    fn a_policy_of_ones_own_is_evaluated_like_a_published_one() {
        let policy = Policy::own("ours.toml", GOOD).unwrap();
        let limits = policy.evaluate(&workload::PolicyName::parse("ours,size=100GiB").unwrap()).unwrap();
        assert_eq!(limits.limits[0].baseline, 500.0);
        assert_eq!(limits.limits[0].burst.unwrap().rate, 3000.0);
    }

    #[test]
    fn a_file_that_was_taken_up_is_found_by_its_name_and_by_its_id_and_is_no_other_later() {
        let text = GOOD.replacen("\"ours\"", "\"taken-up\"", 1);
        adopt("taken/up.toml", &text).unwrap();
        adopt("taken/up.toml", &text).unwrap();
        for words in ["taken/up.toml,size=100GiB", "taken-up,size=100GiB"] {
            let limits = crate::evaluate(&workload::PolicyName::parse(words).unwrap()).unwrap();
            assert_eq!(limits.limits[0].baseline, 500.0, "{words}");
        }
        assert!(adopted().contains(&("taken/up.toml".to_owned(), text.clone())));
        let error = adopt("taken/up.toml", &text.replacen("per = 5", "per = 6", 1)).unwrap_err().to_string();
        assert!(error.contains("another policy"), "{error}");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place_and_the_nearest_word() {
        for (right, wrong, told) in [
            ("direction = \"total\"", "direktion = \"total\"", "ours.toml:14:1: unknown field 'direktion'"),
            ("direction = \"total\"", "direktion = \"total\"", "did you mean 'direction'?"),
            ("\"total\"", "\"totl\"", "did you mean 'total'?"),
            ("of = \"size\"", "of = \"sise\"", "'sise'"),
            ("unit = \"ops/s\"", "unit = \"MiB/s\"", "rule 'iops'"),
            ("id = \"ours\"", "id = ours", "ours.toml:2:"),
        ] {
            let text = GOOD.replacen(right, wrong, 1);
            assert_ne!(text, GOOD, "{right}");
            let error = Policy::own("ours.toml", &text).unwrap_err().to_string();
            assert!(error.contains(told), "{wrong}: {error}");
        }
    }
}
