//! Onlookers of a run while it goes on: people at a page in a browser, and machines that collect its counters.

mod counters;
mod live_page;
mod sender;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use metrics::RunCounters;
use serve::{Door, Receiver, Server, Site, Token};

use crate::failure::Failure;
use counters::Counters;
use live_page::{Board, LivePage};
use sender::Sending;

/// Columns of the lines that say what runs now.
pub(crate) const COLUMNS: usize = 96;

/// Onlookers that the user asked for.
#[derive(Clone, Debug, Default)]
pub struct OnlookerWish {
    /// Address at which the page is served.
    pub page: Option<SocketAddr>,
    /// Address at which counters can be fetched.
    pub metrics: Option<SocketAddr>,
    /// Receiver that counters are sent to.
    pub receiver: Option<Receiver>,
}

/// The onlookers of a run.
#[derive(Default)]
pub struct Onlookers {
    page: Option<LivePage>,
    counters: Option<Counters>,
    /// Answers until it is dropped.
    scraped: Option<Server>,
    sending: Option<Sending>,
}

impl Onlookers {
    /// Listens on the requested addresses for the run `name`, and prints the URLs.
    ///
    /// # Errors
    /// The server cannot listen on the address.
    pub fn of(wish: &OnlookerWish, name: &str) -> Result<Onlookers, Failure> {
        let page = wish.page.map(|address| LivePage::at(address, name)).transpose()?;
        if wish.metrics.is_none() && wish.receiver.is_none() {
            return Ok(Onlookers { page, ..Onlookers::default() });
        }
        let counters = Counters::default();
        let scraped = wish.metrics.map(|address| counters::scraped(address, counters.clone())).transpose()?;
        let sending = wish.receiver.clone().map(|receiver| Sending::to(receiver, counters.clone()));
        Ok(Onlookers { page, scraped, sending: sending.transpose()?, counters: Some(counters) })
    }

    /// Returns the handle through which the run informs the onlookers.
    pub(crate) fn audience(&self) -> Audience {
        Audience { board: self.page.as_ref().map(LivePage::board), counters: self.counters.clone() }
    }

    /// Shows the run file at `run` from now on, while it grows.
    pub(crate) fn follow(&self, run: PathBuf) {
        if let Some(page) = &self.page {
            page.follow(run);
        }
    }

    /// Shows the final `page`, which was written to `file`, and sends the final counters.
    pub(crate) fn end(self, page: &str, file: &Path) {
        if let Some(sending) = self.sending {
            sending.end();
        }
        if let Some(live) = self.page {
            live.end(page, file);
        }
        drop(self.scraped);
    }
}

/// Handle that informs onlookers of the progress of a run.
#[derive(Clone)]
pub(crate) struct Audience {
    board: Option<Arc<Board>>,
    counters: Option<Counters>,
}

impl Audience {
    /// Whether people are looking.
    pub(crate) fn is_there(&self) -> bool {
        self.board.as_ref().is_some_and(|board| board.is_looked_at())
    }

    /// Replaces the lines shown by these.
    pub(crate) fn say(&self, lines: &[String]) {
        self.board.iter().for_each(|board| board.say(lines));
    }

    /// Applies `take` to the counters, if there are any.
    pub(crate) fn heard(&self, take: impl FnOnce(&mut RunCounters)) {
        if let Some(counters) = &self.counters {
            counters.heard(take);
        }
    }
}

/// Listens on the address that the option `(address, option)` gives, and lets `site` answer requests with a valid
/// token.
///
/// # Errors
/// The server cannot listen on the address.
pub fn listen((address, option): (SocketAddr, &str), site: Arc<dyn Site>) -> Result<Server, Failure> {
    let token = Token::fresh().map_err(Failure::failed)?;
    served((address, option), Some(token), site)
}

/// Listens like [`listen`], but without a token answers anyone who can reach the address.
fn served(
    (address, option): (SocketAddr, &str),
    token: Option<Token>,
    site: Arc<dyn Site>,
) -> Result<Server, Failure> {
    let own_name = sampler::host_facts(&sampler::Root::real()).hostname;
    let door = match token {
        Some(token) => Door::with_token(token, &own_name),
        None => Door::open(&own_name),
    };
    Server::start(address, door, site).map_err(|error| {
        Failure::refused(format!(
            "{option} {address}: nothing can listen there: {error}; name another address, or none for a free port"
        ))
    })
}
