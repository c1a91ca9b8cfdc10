//! Looks a name up without waiting longer than there is time: the system's resolver asks a silent server for minutes, and
//! nothing ends it.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

use crate::receiver::left;

type Found = io::Result<Vec<SocketAddr>>;

/// A name with its port, what it was found to be, and the question that is under way.
pub(crate) struct Lookup {
    host: String,
    known: Vec<SocketAddr>,
    /// A thread asks; one that gets no answer is left behind, and there is never a second.
    asked: Option<Receiver<Found>>,
}

impl Lookup {
    pub(crate) fn of(host: String) -> Lookup {
        Lookup { host, known: Vec::new(), asked: None }
    }

    /// The addresses, which are asked for once.
    pub(crate) fn addresses(&mut self, until: Instant) -> Found {
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

    /// Whoever had the name is not there any more: it is asked for again.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }
}

fn ask(host: String) -> io::Result<Receiver<Found>> {
    let (answer, asked) = channel();
    let look = move || {
        let found = host.to_socket_addrs().map(Iterator::collect);
        // Nobody may be left to hear it.
        let _ = answer.send(found);
    };
    std::thread::Builder::new().name("lookup".to_owned()).spawn(look)?;
    Ok(asked)
}
