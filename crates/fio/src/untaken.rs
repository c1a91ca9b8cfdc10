//! Words that plimsoll's fio does not take: they end the call, or are reported beside what fio would do with them.

use super::asked::Request;
use super::error::FioError;

/// What happens to such words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum RefusalHandling {
    /// The first one ends the call.
    #[default]
    Ends,
    /// They remain part of the request, and are reported.
    Told(ReportedWords),
}

/// The words reported so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ReportedWords {
    refusals: Vec<FioError>,
    of_engines: Vec<String>,
}

impl RefusalHandling {
    /// Passes on the outcome of a check. If refusals are only reported, one by plimsoll's fio alone counts as success.
    pub fn pass(&mut self, outcome: Result<(), FioError>) -> Result<(), FioError> {
        match (self, outcome) {
            (RefusalHandling::Told(told), Err(error @ FioError::Refused { .. })) => {
                if !told.refusals.contains(&error) {
                    told.refusals.push(error);
                }
                Ok(())
            }
            (_, outcome) => outcome,
        }
    }

    /// Takes an option, as typed, that only an engine without a stand-in here knows.
    pub fn of_engine(&mut self, typed: &str) {
        if let RefusalHandling::Told(told) = self {
            told.of_engines.push(typed.to_owned());
        }
    }

    /// Whether such words are only reported.
    pub fn is_told(&self) -> bool {
        matches!(self, RefusalHandling::Told(_))
    }

    /// Returns `request` together with what was reported.
    pub fn beside(self, request: Request) -> RequestDescription {
        let ReportedWords { refusals, of_engines } = match self {
            RefusalHandling::Ends => ReportedWords::default(),
            RefusalHandling::Told(told) => told,
        };
        RequestDescription { request, refusals, of_engines }
    }
}

/// What words ask of fio, whether or not plimsoll's fio takes them all.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestDescription {
    /// The request. An option that plimsoll's fio refuses is listed as typed, and has no other effect.
    pub request: Request,
    /// Reasons for which plimsoll's fio refuses some of the words.
    pub refusals: Vec<FioError>,
    /// Options, as `name=value`, that only the job's engine knows, which plimsoll does not have.
    pub of_engines: Vec<String>,
}
