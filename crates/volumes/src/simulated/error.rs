//! Why a simulated volume could not be made.

/// Why a simulated volume could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimError {
    /// The policy or one of its parameters is wrong.
    #[error(transparent)]
    Policy(Box<policy::PolicyError>),
    /// A parameter of the simulation has a value that it does not take.
    #[error("sim: parameter {name}={value}: write {wanted}")]
    Range {
        /// Name of the parameter.
        name: String,
        /// The value as typed.
        value: String,
        /// The values that it takes.
        wanted: String,
    },
    /// A parameter was given twice.
    #[error("sim: parameter {name} is given twice")]
    Twice {
        /// Name of the parameter.
        name: String,
    },
    /// A parameter has no meaning without another.
    #[error("sim: parameter {name} says nothing without {needs}=")]
    Needs {
        /// Name of the parameter.
        name: String,
        /// The missing parameter.
        needs: &'static str,
    },
    /// There are neither limits nor servers: nothing would slow a load.
    #[error("sim: nothing limits {policy}: add iops=3000 or servers=8,service=1ms")]
    Unlimited {
        /// The policy.
        policy: String,
    },
    /// Two volumes of one machine contradict each other about it.
    #[error(
        "sim: {name}= is said twice and not alike, but these volumes stand behind one machine; say it once"
    )]
    TwoMachines {
        /// Name of the parameter.
        name: &'static str,
    },
    /// Neither the policy nor the simulation knows the parameter.
    #[error(
        "sim: '{name}' is no parameter of {policy} nor of the simulation{}; the simulation takes {known}",
        nearest.map_or(String::new(), |near| format!(": did you mean '{near}'?"))
    )]
    Unknown {
        /// The name as typed.
        name: String,
        /// The policy.
        policy: String,
        /// The name that was probably meant.
        nearest: Option<&'static str>,
        /// The parameters that the simulation takes.
        known: String,
    },
}

impl From<policy::PolicyError> for SimError {
    fn from(error: policy::PolicyError) -> SimError {
        SimError::Policy(Box::new(error))
    }
}
