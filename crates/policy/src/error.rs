//! Errors in a policy's name and parameters; each message names the remedy.

/// Why a policy could not be found or evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// No policy has this id.
    #[error("no policy is called '{id}'{} plimsoll policy list has them all; for figures of your own write custom,iops=…,bandwidth=…",
        did_you_mean(.nearest))]
    UnknownPolicy {
        /// The id as typed.
        id: String,
        /// The id that was probably meant.
        nearest: Option<String>,
    },
    /// No instance type has this name.
    #[error("no instance type is called '{name}'{} leave instance= out to judge the volume alone",
        did_you_mean(.nearest))]
    UnknownInstance {
        /// The name as typed.
        name: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// The policy has no such parameter.
    #[error("{policy} has no parameter '{name}'{} {}", did_you_mean(.nearest), takes(.known))]
    UnknownParameter {
        /// The policy's id.
        policy: String,
        /// The name as typed.
        name: String,
        /// The parameter that was probably meant.
        nearest: Option<String>,
        /// Every parameter of the policy.
        known: Vec<String>,
    },
    /// A parameter was given twice.
    #[error("{policy}: '{name}' is given twice; keep one")]
    Twice {
        /// The policy's id.
        policy: String,
        /// The parameter.
        name: String,
    },
    /// A parameter that the figures depend on was not given.
    #[error("{policy} needs '{name}' ({allowed}); write for example {policy},{name}={example}")]
    Missing {
        /// The policy's id.
        policy: String,
        /// The parameter.
        name: String,
        /// Range or list of allowed values.
        allowed: String,
        /// An allowed value.
        example: String,
    },
    /// The value is not of the parameter's kind.
    #[error("{policy}: {name}={value} cannot be read: {problem}; write for example {name}={example}")]
    Unreadable {
        /// The policy's id.
        policy: String,
        /// The parameter.
        name: String,
        /// The value as typed.
        value: String,
        /// Why the value cannot be read.
        problem: String,
        /// An allowed value.
        example: String,
    },
    /// The value is of the right kind but not allowed.
    #[error("{policy}: {name}={value} is not allowed ({allowed}); the nearest that is: {name}={nearest}")]
    NotAllowed {
        /// The policy's id.
        policy: String,
        /// The parameter.
        name: String,
        /// The value as typed.
        value: String,
        /// Range or list of allowed values.
        allowed: String,
        /// The nearest allowed value, as it can be typed.
        nearest: String,
    },
    /// Two parameters conflict, or one needs another.
    #[error("{policy}: {problem}; {remedy}")]
    Conflict {
        /// The policy's id.
        policy: String,
        /// The conflict.
        problem: String,
        /// Correction for the user.
        remedy: String,
    },
    /// A row of the catalogue gives no figure for these parameters: a defect of the data.
    #[error(
        "{policy}: the catalogue has no figure for rule '{rule}' with these parameters; write custom,iops=…,bandwidth=… instead and report this"
    )]
    NoFigure {
        /// The policy's id.
        policy: String,
        /// The rule.
        rule: String,
    },
}

/// Returns a question that more text follows, or the semicolon before that text.
fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(";".to_owned(), |word| format!("; did you mean '{word}'?"))
}

fn takes(known: &[String]) -> String {
    if known.is_empty() { "it takes none".to_owned() } else { format!("it takes {}", known.join(", ")) }
}

/// Formats a number for people: thousands commas, and at most two decimals.
pub(crate) fn figure(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    workload::grouped(rounded)
}

#[cfg(test)]
mod tests {
    use super::figure;

    #[test]
    fn figures_have_commas_and_no_needless_decimals() {
        for (value, text) in
            [(120.0, "120"), (3000.0, "3,000"), (16384.0, "16,384"), (0.25, "0.25"), (1234.5, "1,234.5")]
        {
            assert_eq!(figure(value), text);
        }
    }
}
