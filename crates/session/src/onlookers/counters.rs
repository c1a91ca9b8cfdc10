//! Counters of a run for other machines: scraped from an address, or sent to one.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use metrics::RunCounters;
use serve::{Answer, Server, Site, SiteRequest};

use super::served;
use crate::failure::Failure;
use crate::output;

/// Counters of a run, shared with their readers. A reader runs at low priority, so it holds the lock only to clone
/// the `Arc`; the run copies the counters if a reader still uses them.
#[derive(Clone, Default)]
pub(crate) struct Counters(Arc<Mutex<Arc<RunCounters>>>);

impl Counters {
    /// Applies `take` to the counters.
    pub(crate) fn heard(&self, take: impl FnOnce(&mut RunCounters)) {
        take(Arc::make_mut(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)));
    }

    /// Returns the counters so far.
    pub(crate) fn now(&self) -> Arc<RunCounters> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Lets scrapers fetch `counters` from `address`, and prints the URL.
///
/// # Errors
/// The server cannot listen on the address.
pub(super) fn scraped(address: SocketAddr, counters: Counters) -> Result<Server, Failure> {
    let server = served((address, "--metrics"), None, Arc::new(CountersSite(counters)))?;
    output::people(&format!("metrics {}metrics", server.url()));
    Ok(server)
}

struct CountersSite(Counters);

impl Site for CountersSite {
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
        if asked.path != "metrics" {
            return Answer::nothing();
        }
        let counted = self.0.now();
        match metrics::wants_protobuf(asked.accept) {
            true => Answer::of(metrics::PROTOBUF, metrics::protobuf(&counted).into()),
            false => Answer::of(metrics::TEXT, metrics::text(&counted).into_bytes().into()),
        }
    }
}
