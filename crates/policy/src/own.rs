//! Policies of the user's own, in TOML of the catalogue's form: read, and refused with the place and the nearest word.

use crate::near::nearest;
use crate::{CatalogueError, Policy};

/// Why a policy of the user's own cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OwnPolicyError {
    /// It is not of the form.
    #[error("{file}:{line}:{column}: {problem}")]
    Form {
        /// The file.
        file: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong there, the offending word, and the nearest one that would do.
        problem: String,
    },
    /// Its parts do not agree.
    #[error("{file}: {source}")]
    Parts {
        /// The file.
        file: String,
        /// What does not.
        source: CatalogueError,
    },
}

impl Policy {
    /// Reads a policy from the text of a TOML file; `file` is what errors call it.
    ///
    /// # Errors
    /// [`OwnPolicyError`] with the place of what is wrong.
    pub fn own(file: &str, text: &str) -> Result<Policy, OwnPolicyError> {
        let policy: Policy = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            OwnPolicyError::Form {
                file: file.to_owned(),
                line: before.matches('\n').count() + 1,
                column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
                problem: with_nearest(error.message()),
            }
        })?;
        policy.agree().map_err(|source| OwnPolicyError::Parts { file: file.to_owned(), source })?;
        Ok(policy)
    }
}

/// The parser's message with the nearest of the words that it would have taken: it quotes the word that it does not know first,
/// then those that it does.
fn with_nearest(message: &str) -> String {
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
