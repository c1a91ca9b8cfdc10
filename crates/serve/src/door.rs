//! Admission of requests: the right host, the right origin, and the token if there is one.

use std::net::{IpAddr, SocketAddr};

use crate::head::Head;
use crate::site::Status;
use crate::token::Token;

/// Conditions for admitting a request.
#[derive(Clone, Debug)]
pub struct Door {
    token: Option<Token>,
    own_name: String,
}

impl Door {
    /// Returns a door that requires the token as the first part of the path, on a machine called `own_name`.
    pub fn with_token(token: Token, own_name: &str) -> Door {
        Door { token: Some(token), own_name: own_name.to_owned() }
    }

    /// Returns a door without a token, for content that is not secret: counters, which a scraper fetches from a
    /// plain address.
    pub fn open(own_name: &str) -> Door {
        Door { token: None, own_name: own_name.to_owned() }
    }

    /// Returns the first part of every admitted path, including the `/` after it.
    pub(crate) fn prefix(&self) -> String {
        self.token.as_ref().map(|token| format!("{}/", token.word())).unwrap_or_default()
    }

    /// Returns the path below the token, or, if the request is not admitted, the status that reveals least.
    pub(crate) fn lets_in<'h>(&self, head: &'h Head, here: SocketAddr) -> Result<&'h str, Status> {
        // A scraper may know the machine by any name, and counters that are served to every network are not secret.
        let any_name = self.token.is_none() && !here.ip().is_loopback();
        if !any_name && !self.is_ours(&head.host) {
            return Err(Status::Forbidden);
        }
        // A page from this server has the address that it was loaded from as its origin; any other page is refused.
        if head.origin.as_ref().is_some_and(|origin| *origin != format!("http://{}", head.host)) {
            return Err(Status::Forbidden);
        }
        let path = head.path.strip_prefix('/').unwrap_or_default();
        let Some(token) = &self.token else { return Ok(path) };
        let (guess, below) = path.split_once('/').ok_or(Status::NotFound)?;
        token.is(guess).then_some(below).ok_or(Status::NotFound)
    }

    /// Whether the request is meant for this machine. A foreign page whose name was made to resolve to this machine
    /// (DNS rebinding) sends that name; a number or `localhost` cannot be made to resolve elsewhere, and nobody
    /// else owns this machine's own name. The port is not compared with the server's, because a tunnel (`ssh -L`)
    /// uses another.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((inside, port)) => (inside, port),
            None => host.split_at(host.find(':').unwrap_or(host.len())),
        };
        let is_own = !self.own_name.is_empty() && name.eq_ignore_ascii_case(&self.own_name);
        is_port(port) && (is_own || name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok())
    }
}

/// Whether `word` is empty, or a colon and digits.
fn is_port(word: &str) -> bool {
    let digits = word.strip_prefix(':');
    word.is_empty()
        || digits.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}
