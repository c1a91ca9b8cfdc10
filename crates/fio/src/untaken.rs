//! Words that plimsoll's fio does not take: they end the call, or are told beside what fio would do with them.

use super::asked::Request;
use super::error::FioError;

/// What becomes of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Untaken {
    /// The first ends the call.
    #[default]
    Ends,
    /// They stay among what is asked for, and are told.
    Told(Told),
}

/// What was told so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Told {
    refusals: Vec<FioError>,
    of_engines: Vec<String>,
}

impl Untaken {
    /// The outcome of a check: what plimsoll's fio alone refuses is none where it is only told.
    pub fn pass(&mut self, outcome: Result<(), FioError>) -> Result<(), FioError> {
        match (self, outcome) {
            (Untaken::Told(told), Err(error @ FioError::Refused { .. })) => {
                if !told.refusals.contains(&error) {
                    told.refusals.push(error);
                }
                Ok(())
            }
            (_, outcome) => outcome,
        }
    }

    /// Takes an option, as typed, that only an engine knows which has no stand-in here.
    pub fn of_engine(&mut self, typed: &str) {
        if let Untaken::Told(told) = self {
            told.of_engines.push(typed.to_owned());
        }
    }

    /// True where they are only told.
    pub fn is_told(&self) -> bool {
        matches!(self, Untaken::Told(_))
    }

    /// `request` with what was told.
    pub fn beside(self, request: Request) -> Described {
        let Told { refusals, of_engines } = match self {
            Untaken::Ends => Told::default(),
            Untaken::Told(told) => told,
        };
        Described { request, refusals, of_engines }
    }
}

/// What words ask of fio, whether or not plimsoll's fio takes them all.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// What they come to. An option that plimsoll's fio refuses stands among what was typed, and has no effect beyond.
    pub request: Request,
    /// Why plimsoll's fio refuses some of them.
    pub refusals: Vec<FioError>,
    /// Options, `name=value`, that only the job's engine knows, which plimsoll has not.
    pub of_engines: Vec<String>,
}
