//! A section of options as typed, such as a job or the global defaults.

use super::error::{FioError, RefusedOption};
use super::row::Row;

/// One option as typed.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// The option's row in the table.
    pub row: &'static Row,
    /// The name or alias that was typed.
    pub name: String,
    /// The value after substitution.
    pub value: String,
    /// The option's text and place, for messages.
    pub typed: RefusedOption,
}

impl Setting {
    /// Returns an option of the command line.
    pub fn typed(row: &'static Row, name: &str, value: String) -> Setting {
        let text = if value.is_empty() { name.to_owned() } else { format!("{name}={value}") };
        Setting { row, name: name.to_owned(), value, typed: RefusedOption { text, within: None } }
    }

    /// Returns the refusal of this option, with its place in a job file.
    pub fn refused(&self, reason: &str) -> FioError {
        let (option, reason) = (self.typed.text.clone(), reason.to_owned());
        let place = self.typed.within.as_ref().map(|(_, place)| place.clone());
        FioError::Refused { option, reason, place }
    }
}

/// The options below one heading.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// Name of the section; `global` for defaults.
    pub name: String,
    /// Whether the section sets defaults for the jobs after it.
    pub is_global: bool,
    /// The options of the section.
    pub settings: Vec<Setting>,
    /// Refusals of the options that no row knows: they may belong to an engine that has no stand-in here.
    pub unknown: Vec<FioError>,
}

impl Section {
    /// Returns a section that sets defaults.
    pub fn global() -> Section {
        Section { name: "global".to_owned(), is_global: true, settings: Vec::new(), unknown: Vec::new() }
    }

    /// Returns the section of a job.
    pub fn job(name: &str) -> Section {
        Section { name: name.to_owned(), is_global: false, settings: Vec::new(), unknown: Vec::new() }
    }
}
