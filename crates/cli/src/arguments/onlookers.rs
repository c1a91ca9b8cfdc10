//! Who looks at a run while it goes on: words that all commands which load or watch something have alike.

use clap::Args;
use session::failure::Failure;
use session::onlookers::Onlookers;
use session::place::Place;

/// Heading of these options.
const WHILE: &str = "While it runs";

/// Who looks.
#[derive(Clone, Debug, Default, Args)]
pub struct OnlookerArguments {
    /// Show the page while it runs, at an address that is said: on this machine alone, on a free port, unless ADDR says
    /// otherwise, e.g. --serve=127.0.0.1:8080
    #[arg(long, value_name = "ADDR", num_args = 0..=1, require_equals = true, default_missing_value = "", help_heading = WHILE)]
    pub serve: Option<String>,
}

impl OnlookerArguments {
    /// `place`, with those who look.
    ///
    /// # Errors
    /// An address that is none, or where nothing can listen.
    pub fn at(&self, place: Place) -> Result<Place, Failure> {
        let Some(word) = &self.serve else { return Ok(place) };
        let address = serve::address(word).map_err(|error| Failure::refused(format!("--serve={error}")))?;
        let onlookers = Onlookers::at(address, place.stem())?;
        Ok(place.shown_to(onlookers))
    }
}
