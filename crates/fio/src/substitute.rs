//! Substitution in the lines of a job file: environment variables, values of the machine, and arithmetic with them.

use super::arithmetic::{self, ArithmeticError};
use super::asked::Surroundings;

/// A line after substitution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SubstitutedLine {
    /// The line.
    pub text: String,
    /// Variables that are unset or empty.
    pub unset: Vec<String>,
}

/// Replaces `${NAME}` anywhere by the value of the environment variable; a reference without a closing brace stays.
pub fn variables(line: &str, around: &Surroundings) -> SubstitutedLine {
    let mut done = SubstitutedLine::default();
    let mut rest = line;
    while let Some((before, name, after)) = next_variable(rest) {
        done.text.push_str(before);
        match (around.variable)(name).filter(|value| !value.is_empty()) {
            Some(value) => done.text.push_str(&value),
            None => done.unset.push(name.to_owned()),
        }
        rest = after;
    }
    done.text.push_str(rest);
    done
}

fn next_variable(text: &str) -> Option<(&str, &str, &str)> {
    let (before, behind) = text.split_once("${")?;
    let (name, after) = behind.split_once('}')?;
    Some((before, name, after))
}

/// Replaces words such as `$ncpus` by values of the machine and calculates the result if it is an expression. Text that
/// is not a number keeps its operators: fio would pass a file's name to `bc`, and fail.
///
/// # Errors
/// If the expression has no result.
pub fn facts(
    value: &str,
    is_number: ArithmeticUse,
    around: &Surroundings,
) -> Result<String, ArithmeticError> {
    let facts = [
        ("$pagesize", around.page.0),
        ("$mb_memory", around.memory.0 >> 20),
        ("$ncpus", u64::from(around.cpus)),
    ];
    let replaced =
        facts.iter().fold(value.to_owned(), |text, (word, fact)| text.replace(word, &fact.to_string()));
    if replaced == value || is_number == ArithmeticUse::Never || !arithmetic::is_expression(&replaced) {
        return Ok(replaced);
    }
    arithmetic::evaluate(&replaced).map(|value| value.to_string())
}

/// Whether operators in a value are arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArithmeticUse {
    /// They are: the option takes a number.
    Always,
    /// They are not: the option takes any text.
    Never,
}
