//! Looks up a name within a deadline: the system's resolver waits minutes for a name server that does not answer, and
//! cannot be interrupted.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

use crate::receiver::left;

type LookupResult = io::Result<Vec<SocketAddr>>;

/// A name with its port, the addresses found for it, and a query in progress.
pub(crate) struct Lookup {
    host: String,
    known: Vec<SocketAddr>,
    /// Answer of the querying thread. A thread without an answer is left running, and no second one is started.
    asked: Option<Receiver<LookupResult>>,
}

impl Lookup {
    pub(crate) fn of(host: String) -> Lookup {
        Lookup { host, known: Vec::new(), asked: None }
    }

    /// Returns the addresses, looking them up only once.
    pub(crate) fn addresses(&mut self, until: Instant) -> LookupResult {
        if !self.known.is_empty() {
            return Ok(self.known.clone());
        }
        let asked = match self.asked.take() {
            Some(asked) => asked,
            None => ask(self.host.clone())?,
        };
        match asked.recv_timeout(left(until)?) {
            Ok(found) => self.known = found?,
            Err(RecvTimeoutError::Timeout) => {
                self.asked = Some(asked);
                return Err(io::Error::new(
                    ErrorKind::TimedOut,
                    "its name is not resolved, no name server answers",
                ));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(ErrorKind::Interrupted.into()),
        }
        Ok(self.known.clone())
    }

    /// Drops the addresses, because nothing answers there any more, so that they are looked up again.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }
}

fn ask(host: String) -> io::Result<Receiver<LookupResult>> {
    let (answer, asked) = channel();
    let look = move || {
        let found = host.to_socket_addrs().map(Iterator::collect);
        // The receiving end may already be gone.
        let _ = answer.send(found);
    };
    std::thread::Builder::new().name("lookup".to_owned()).spawn(look)?;
    Ok(asked)
}
