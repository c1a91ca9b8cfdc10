//! An HTTP receiver of figures, on this machine or its network.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use httparse::{EMPTY_HEADER, Response, Status};

use crate::lookup::Lookup;

/// Most bytes read of an answer's head.
const HEAD_MOST: usize = 8 << 10;

/// The address of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// Name or number, with the port.
    host: String,
    path: String,
}

/// Reasons why an address is not that of a receiver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiverError {
    /// The address asks for encryption, which is not supported.
    #[error(
        "{url}: https is not spoken here; send it through a collector on this machine, e.g. http://127.0.0.1:4318, which forwards it"
    )]
    Encrypted {
        /// The address as typed.
        url: String,
    },
    /// Text that is not such an address.
    #[error("{url}: is no address of a receiver; give one such as http://127.0.0.1:4318")]
    Unknown {
        /// The address as typed.
        url: String,
    },
}

/// Reasons why a delivery failed.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// Nothing answers.
    #[error("http://{host} does not answer: {source}; is a collector there?")]
    Silent {
        /// The host and port.
        host: String,
        /// The error that prevented an answer.
        source: io::Error,
    },
    /// The receiver answers with a status other than success.
    #[error(
        "http://{host} refuses what it is sent with status {status}; is it a collector that takes OTLP as JSON?"
    )]
    Refused {
        /// The host and port.
        host: String,
        /// The status of its answer.
        status: u16,
    },
}

impl Receiver {
    /// Reads `http://HOST[:PORT][/PATH]`; `port` and `path` are the defaults for missing parts.
    ///
    /// # Errors
    /// [`ReceiverError`].
    pub fn read(url: &str, (port, path): (u16, &str)) -> Result<Receiver, ReceiverError> {
        let unknown = || ReceiverError::Unknown { url: url.to_owned() };
        let rest = match url.split_once("://") {
            Some(("http", rest)) => rest,
            Some(("https", _)) => return Err(ReceiverError::Encrypted { url: url.to_owned() }),
            _ => return Err(unknown()),
        };
        let (host, typed) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let is_plain =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'@' && byte != b'#');
        if host.is_empty() || !is_plain(rest) {
            return Err(unknown());
        }
        let behind = host.rsplit(']').next().unwrap_or(host);
        let host = match behind.split_once(':') {
            None => format!("{host}:{port}"),
            Some((_, number)) if number.parse::<u16>().is_ok() => host.to_owned(),
            Some(_) => return Err(unknown()),
        };
        let path = if typed.is_empty() || typed == "/" { path } else { typed };
        Ok(Receiver { host, path: path.to_owned() })
    }

    /// Returns the host with the port.
    pub fn host(&self) -> &str {
        &self.host
    }
}

/// A sender to one receiver, one request after another.
pub struct Delivery {
    receiver: Receiver,
    lookup: Lookup,
}

impl Delivery {
    /// Returns a sender to `receiver`. The receiver's name is looked up with the first request, or earlier by
    /// [`Delivery::find`].
    pub fn to(receiver: Receiver) -> Delivery {
        let lookup = Lookup::of(receiver.host.clone());
        Delivery { receiver, lookup }
    }

    /// Looks up the receiver's name, waiting at most `patience`.
    ///
    /// # Errors
    /// [`PostError::Silent`].
    pub fn find(&mut self, patience: Duration) -> Result<(), PostError> {
        let found = self.lookup.addresses(Instant::now() + patience);
        found.map(drop).map_err(|source| PostError::Silent { host: self.receiver.host.clone(), source })
    }

    /// Sends `body`, which must be answered within `patience`, including the lookup of the name.
    ///
    /// # Errors
    /// [`PostError`].
    pub fn post(&mut self, kind: &str, body: &[u8], patience: Duration) -> Result<(), PostError> {
        let status = self.answer(kind, body, Instant::now() + patience).map_err(|source| {
            self.lookup.forget();
            PostError::Silent { host: self.receiver.host.clone(), source }
        })?;
        match status {
            200..=299 => Ok(()),
            _ => Err(PostError::Refused { host: self.receiver.host.clone(), status }),
        }
    }

    fn answer(&mut self, kind: &str, body: &[u8], end: Instant) -> io::Result<u16> {
        let mut stream = self.connected(end)?;
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.receiver.path,
            self.receiver.host,
            body.len()
        );
        stream.set_write_timeout(Some(left(end)?))?;
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let mut read = Vec::new();
        loop {
            stream.set_read_timeout(Some(left(end)?))?;
            let mut chunk = [0; 1024];
            let count = stream.read(&mut chunk)?;
            read.extend_from_slice(&chunk[..count]);
            match status(&read)? {
                Some(status) => return Ok(status),
                None if count == 0 || read.len() > HEAD_MOST => return Err(ErrorKind::InvalidData.into()),
                None => {}
            }
        }
    }

    fn connected(&mut self, end: Instant) -> io::Result<TcpStream> {
        let mut last = io::Error::from(ErrorKind::NotFound);
        for address in self.lookup.addresses(end)? {
            match TcpStream::connect_timeout(&address, left(end)?) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// Returns the status of an answer, or `None` while its head is incomplete.
fn status(read: &[u8]) -> io::Result<Option<u16>> {
    let mut lines = [EMPTY_HEADER; 64];
    let mut response = Response::new(&mut lines);
    match response.parse(read) {
        Ok(Status::Complete(_)) => Ok(response.code),
        Ok(Status::Partial) => Ok(None),
        Err(error) => Err(io::Error::new(ErrorKind::InvalidData, error)),
    }
}

pub(crate) fn left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}
