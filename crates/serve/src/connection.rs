//! One connection: its head is read within a deadline, it is answered, and it ends. Only a listener to the news
//! stays connected.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kernel::{PollEntry, Wants};

use crate::door::Door;
use crate::feed::Feed;
use crate::head::{self, HEAD_MOST, Head, HeadState, RequestMethod};
use crate::site::{Answer, Body, Site, SiteRequest, Status};

/// Time within which the head of a request must be complete, even if bytes keep arriving.
const HEAD_PATIENCE: Duration = Duration::from_secs(5);
/// Time after which a peer that reads nothing of its answer is dropped.
const TAKING_PATIENCE: Duration = Duration::from_secs(10);
/// Time between two messages to an idle listener, by which a lost listener is noticed.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// A comment line of the event stream, without content.
const BEAT: &[u8] = b":\n\n";

/// A connection and its progress.
pub(crate) struct Connection {
    stream: TcpStream,
    state: State,
    /// Time at which the connection was accepted, or last read some of its answer.
    since: Instant,
}

enum State {
    /// The bytes of the head received so far.
    Reading(Vec<u8>),
    /// The part of the answer not sent yet; after it the connection ends.
    Answering(Pending),
    /// The news not sent yet, and the number of the last message; more news follow.
    Listening(Pending, u64),
    /// Nothing is left to do.
    Over,
}

/// Outgoing bytes. Connections that send the same body share it.
struct Pending {
    head: Vec<u8>,
    body: Arc<[u8]>,
    taken: usize,
}

impl Connection {
    /// Begins to read a request.
    pub(crate) fn new(stream: TcpStream, now: Instant) -> io::Result<Connection> {
        stream.set_nonblocking(true)?;
        // Events are short and must not be delayed by batching.
        stream.set_nodelay(true)?;
        Ok(Connection { stream, state: State::Reading(Vec::new()), since: now })
    }

    /// Returns the event for which the connection waits.
    pub(crate) fn polled(&self) -> PollEntry<'_> {
        let wants = match &self.state {
            State::Answering(_) => Wants::Output,
            State::Listening(pending, _) if !pending.is_taken() => Wants::Output,
            // A listener sends no further request: readable input means that the listener has closed the
            // connection.
            State::Listening(..) | State::Reading(_) | State::Over => Wants::Input,
        };
        PollEntry::new(self.stream.as_fd(), wants)
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    pub(crate) fn is_reading(&self) -> bool {
        matches!(self.state, State::Reading(_))
    }

    /// Returns the time since the peer last read any of its answer; `None` unless an answer is being sent.
    pub(crate) fn stalled_for(&self, now: Instant) -> Option<Duration> {
        matches!(self.state, State::Answering(_)).then(|| now.saturating_duration_since(self.since))
    }

    pub(crate) fn listens(&self) -> bool {
        matches!(self.state, State::Listening(..))
    }

    /// Ends the connection without an answer.
    pub(crate) fn drop_it(&mut self) {
        self.state = State::Over;
    }

    /// Reads and writes as much as possible without waiting.
    pub(crate) fn go_on(&mut self, door: &Door, site: &dyn Site, now: Instant) {
        let done = match &self.state {
            State::Reading(_) => self.read(door, site, now),
            State::Answering(_) => self.write(now),
            State::Listening(pending, _) if !pending.is_taken() => self.write(now),
            State::Listening(..) => self.hear_out(),
            State::Over => Ok(()),
        };
        if done.is_err() {
            self.state = State::Over;
        }
    }

    /// Sends news to a listener, and drops a peer that is too slow.
    pub(crate) fn look(&mut self, feed: Option<&Feed>, now: Instant) {
        let idle = now.saturating_duration_since(self.since);
        match &mut self.state {
            State::Reading(_) if idle > HEAD_PATIENCE => self.state = State::Over,
            State::Answering(_) if idle > TAKING_PATIENCE => self.state = State::Over,
            State::Listening(pending, _) if !pending.is_taken() && idle > TAKING_PATIENCE => {
                self.state = State::Over;
            }
            State::Listening(pending, heard) if pending.is_taken() => {
                match feed.and_then(|feed| feed.since(*heard)) {
                    Some((text, until)) => {
                        *heard = until;
                        *pending = Pending::of(text.into_bytes());
                    }
                    None if idle > HEARTBEAT => *pending = Pending::of(BEAT.to_vec()),
                    None => return,
                }
                if self.write(now).is_err() {
                    self.state = State::Over;
                }
            }
            _ => {}
        }
    }

    fn read(&mut self, door: &Door, site: &dyn Site, now: Instant) -> io::Result<()> {
        let State::Reading(bytes) = &mut self.state else { return Ok(()) };
        let mut chunk = [0; HEAD_MOST];
        let room = HEAD_MOST - bytes.len();
        let count = match self.stream.read(&mut chunk[..room]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => count,
            Err(error) if is_later(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        bytes.extend_from_slice(&chunk[..count]);
        let answered = match head::read(bytes) {
            HeadState::More => return Ok(()),
            HeadState::Refused(status) => Err(status),
            HeadState::Whole(head) => Ok(head),
        };
        let here = self.stream.local_addr()?;
        let (answer, wants) = match answered {
            Ok(head) => (door.lets_in(&head, here).map(|path| ask(site, path, &head)), head.wants),
            Err(status) => (Err(status), RequestMethod::Body),
        };
        self.begin(&answer.unwrap_or_else(Answer::refused), wants);
        self.since = now;
        self.write(now)
    }

    fn begin(&mut self, answer: &Answer, wants: RequestMethod) {
        let mut head = head_of(answer);
        self.state = match (&answer.body, wants) {
            (Body::Whole(body), wants) => {
                head += &format!("Content-Length: {}\r\n\r\n", body.len());
                let body = if wants == RequestMethod::Body { Arc::clone(body) } else { Arc::from([]) };
                State::Answering(Pending { head: head.into_bytes(), body, taken: 0 })
            }
            (Body::News, RequestMethod::HeadAlone) => {
                State::Answering(Pending::of((head + "\r\n").into_bytes()))
            }
            // The browser reconnects on its own, a second after the connection is lost.
            (Body::News, RequestMethod::Body) => {
                State::Listening(Pending::of((head + "\r\nretry: 1000\n\n").into_bytes()), 0)
            }
        };
    }

    /// Writes as much as the peer accepts without waiting.
    fn write(&mut self, now: Instant) -> io::Result<()> {
        let (State::Answering(pending) | State::Listening(pending, _)) = &mut self.state else {
            return Ok(());
        };
        while !pending.is_taken() {
            match self.stream.write(pending.rest()) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    pending.taken += count;
                    self.since = now;
                }
                Err(error) if is_later(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        if matches!(self.state, State::Answering(_)) {
            // Shut down before closing: if the connection were closed with unread bytes, the answer could be lost.
            let _ = self.stream.shutdown(std::net::Shutdown::Write);
            self.state = State::Over;
        }
        Ok(())
    }

    /// Reads and discards input from a listener; it matters only as a sign that the connection is closed.
    fn hear_out(&mut self) -> io::Result<()> {
        match self.stream.read(&mut [0; 512]) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(()),
            Err(error) if is_later(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Pending {
    fn of(head: Vec<u8>) -> Pending {
        Pending { head, body: Arc::from([]), taken: 0 }
    }

    fn is_taken(&self) -> bool {
        self.taken == self.head.len() + self.body.len()
    }

    fn rest(&self) -> &[u8] {
        match self.taken.checked_sub(self.head.len()) {
            None => &self.head[self.taken..],
            Some(of_body) => &self.body[of_body..],
        }
    }
}

fn ask(site: &dyn Site, path: &str, head: &Head) -> Answer {
    site.answer(&SiteRequest { path, accept: &head.accept })
}

/// Answers that the server is full; best effort, because nothing waits for the write.
pub(crate) fn turn_away(mut stream: TcpStream) {
    let answer = Answer::refused(Status::Busy);
    if stream.set_nonblocking(true).is_ok() {
        let _ = stream.write(format!("{}Content-Length: 0\r\n\r\n", head_of(&answer)).as_bytes());
    }
}

/// The lines before every body. A browser must neither cache the answer nor pass on the address, because the
/// address contains the token.
fn head_of(answer: &Answer) -> String {
    format!(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Security-Policy: {}\r\nCache-Control: no-store\r\nReferrer-Policy: \
         no-referrer\r\nX-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n",
        answer.status.words(),
        answer.kind,
        answer.rules.words(),
    )
}

fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
