//! Words that plimsoll's fio refuses: they end the call, or are reported with what fio would do with them.

use super::asked::Request;
use super::error::FioError;

/// How words that plimsoll's fio refuses are handled.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum RefusalHandling {
    /// The first refused word ends the call.
    #[default]
    Ends,
    /// Refused words remain part of the request, and are reported.
    Told(ReportedWords),
}

/// The refused words reported so far.
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

    /// Records an option, as typed, that only an engine without a stand-in here knows.
    pub fn of_engine(&mut self, typed: &str) {
        if let RefusalHandling::Told(told) = self {
            told.of_engines.push(typed.to_owned());
        }
    }

    /// Whether refused words are only reported.
    pub fn is_told(&self) -> bool {
        matches!(self, RefusalHandling::Told(_))
    }

    /// Returns `request` together with the refused words.
    pub fn beside(self, request: Request) -> RequestDescription {
        let ReportedWords { refusals, of_engines } = match self {
            RefusalHandling::Ends => ReportedWords::default(),
            RefusalHandling::Told(told) => told,
        };
        RequestDescription { request, refusals, of_engines }
    }
}

/// What a command line asks of fio, including words that plimsoll's fio refuses.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestDescription {
    /// The request. An option that plimsoll's fio refuses is listed as typed, and has no other effect.
    pub request: Request,
    /// Why plimsoll's fio refuses some of the words.
    pub refusals: Vec<FioError>,
    /// Options, as `name=value`, that only an engine which plimsoll lacks knows.
    pub of_engines: Vec<String>,
}
