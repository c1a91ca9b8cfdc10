//! Options for onlookers of a run, common to all commands that load or watch something.

use std::net::SocketAddr;

use clap::Args;
use serve::Receiver;
use session::failure::Failure;
use session::onlookers::{OnlookerWish, Onlookers};
use session::place::Place;

/// Heading of these options.
const WHILE: &str = "While it runs";

/// Default port and path of an OTLP collector, from the specification.
const COLLECTOR: (u16, &str) = (4318, "/v1/metrics");

/// Who looks.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct OnlookerArguments {
    /// Serve a live page while it runs and print its address; a free port on this machine only, unless ADDR is given, e.g.
    /// --serve=127.0.0.1:8080
    #[arg(long, value_name = "ADDR", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = address, help_heading = WHILE)]
    pub serve: Option<SocketAddr>,
    /// Let Prometheus fetch what is counted from /metrics there: a port of this machine, or an address
    #[arg(long, value_name = "ADDR", value_parser = address, help_heading = WHILE)]
    pub metrics: Option<SocketAddr>,
    /// Send what is counted to this collector every ten seconds, e.g. http://127.0.0.1:4318
    #[arg(long, value_name = "URL", value_parser = receiver, help_heading = WHILE)]
    pub otlp: Option<Receiver>,
}

impl OnlookerArguments {
    /// Returns `place` with the requested onlookers.
    ///
    /// # Errors
    /// The server cannot listen on a requested address.
    pub fn at(&self, place: Place) -> Result<Place, Failure> {
        let wish = OnlookerWish { page: self.serve, metrics: self.metrics, receiver: self.otlp.clone() };
        let onlookers = Onlookers::of(&wish, place.stem())?;
        Ok(place.shown_to(onlookers))
    }
}

/// Parses the address to listen on.
pub fn address(word: &str) -> Result<SocketAddr, String> {
    serve::address(word).map_err(|error| error.to_string())
}

fn receiver(url: &str) -> Result<Receiver, String> {
    Receiver::read(url, COLLECTOR).map_err(|error| error.to_string())
}
