//! Why a simulated volume could not be made.

/// Why a simulated volume could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimError {
    /// The policy or one of its parameters is wrong.
    #[error(transparent)]
    Policy(Box<policy::PolicyError>),
    /// A parameter of the simulation is not what it should be.
    #[error("sim: parameter {name}={value}: write {wanted}")]
    Range {
        /// Its name.
        name: String,
        /// What was typed.
        value: String,
        /// What it should be.
        wanted: String,
    },
    /// A parameter was given twice.
    #[error("sim: parameter {name} is given twice")]
    Twice {
        /// Its name.
        name: String,
    },
    /// A parameter means nothing without another.
    #[error("sim: parameter {name} says nothing without {needs}=")]
    Needs {
        /// What was typed.
        name: String,
        /// What is missing.
        needs: &'static str,
    },
    /// Neither limits nor servers: nothing would hold a load back.
    #[error("sim: nothing limits {policy}: add iops=3000 or servers=8,service=1ms")]
    Unlimited {
        /// The policy.
        policy: String,
    },
    /// Two volumes of one machine say different things of it.
    #[error(
        "sim: {name}= is said twice and not alike, but these volumes stand behind one machine; say it once"
    )]
    TwoMachines {
        /// The parameter.
        name: &'static str,
    },
    /// Neither the policy nor the simulation knows the parameter.
    #[error(
        "sim: '{name}' is no parameter of {policy} nor of the simulation{}; the simulation takes {known}",
        nearest.map_or(String::new(), |near| format!(": did you mean '{near}'?"))
    )]
    Unknown {
        /// What was typed.
        name: String,
        /// The policy.
        policy: String,
        /// What was probably meant.
        nearest: Option<&'static str>,
        /// What the simulation takes.
        known: String,
    },
}

impl From<policy::PolicyError> for SimError {
    fn from(error: policy::PolicyError) -> SimError {
        SimError::Policy(Box::new(error))
    }
}
