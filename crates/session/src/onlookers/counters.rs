//! What a run counts, for other machines: scraped from an address, or sent to one.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use metrics::Counted;
use serve::{Answer, Asked, Server, Site};

use super::served;
use crate::failure::Failure;
use crate::output;

/// The counters of a run, shared with whoever asks for them. Those who ask let every other thread go first, so they hold the lock for
/// no longer than it takes to share what is there; the run copies it where somebody still reads.
#[derive(Clone, Default)]
pub(crate) struct Counters(Arc<Mutex<Arc<Counted>>>);

impl Counters {
    /// Takes in what was heard.
    pub(crate) fn heard(&self, take: impl FnOnce(&mut Counted)) {
        take(Arc::make_mut(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)));
    }

    /// What was counted so far.
    pub(crate) fn now(&self) -> Arc<Counted> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Lets scrapers fetch `counters` from `address`, and says from where.
///
/// # Errors
/// Nothing can listen there.
pub(super) fn scraped(address: SocketAddr, counters: Counters) -> Result<Server, Failure> {
    let server = served((address, "--metrics"), None, Arc::new(Scraped(counters)))?;
    output::people(&format!("metrics {}metrics", server.url()));
    Ok(server)
}

struct Scraped(Counters);

impl Site for Scraped {
    fn answer(&self, asked: &Asked<'_>) -> Answer {
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
