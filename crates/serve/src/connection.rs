//! One connection: its head is read within a deadline, it is answered, and it ends. Only a listener to the news stays.

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

/// Time within which the head of a request must be complete, however slowly it arrives.
const HEAD_PATIENCE: Duration = Duration::from_secs(5);
/// Time after which a peer that takes nothing of its answer is dropped.
const TAKING_PATIENCE: Duration = Duration::from_secs(10);
/// How often an idle listener is sent something, so that one that has gone is noticed.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// A comment line of the event stream, which says nothing.
const BEAT: &[u8] = b":\n\n";

/// A connection and its progress.
pub(crate) struct Connection {
    stream: TcpStream,
    state: State,
    /// When it was let in, or last took some of its answer.
    since: Instant,
}

enum State {
    /// The bytes of the head that have arrived.
    Reading(Vec<u8>),
    /// What is not taken yet; after it the connection ends.
    Answering(Pending),
    /// The news not taken yet, and how far the listener has heard; more news follow.
    Listening(Pending, u64),
    /// Nothing is left to do.
    Over,
}

/// Bytes on their way out. The body is shared by every connection that sends it.
struct Pending {
    head: Vec<u8>,
    body: Arc<[u8]>,
    taken: usize,
}

impl Connection {
    /// Begins to read a request.
    pub(crate) fn new(stream: TcpStream, now: Instant) -> io::Result<Connection> {
        stream.set_nonblocking(true)?;
        // Events are short and must not wait to be batched.
        stream.set_nodelay(true)?;
        Ok(Connection { stream, state: State::Reading(Vec::new()), since: now })
    }

    /// Returns what the connection waits for.
    pub(crate) fn polled(&self) -> PollEntry<'_> {
        let wants = match &self.state {
            State::Answering(_) => Wants::Output,
            State::Listening(pending, _) if !pending.is_taken() => Wants::Output,
            // A listener sends no further request: readable input means that it has closed.
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

    /// How long nothing of the answer has been taken; `None` unless an answer is under way.
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

    /// Reads and writes what is possible without waiting.
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

    /// Hands a listener what is new, and drops a peer that is too slow.
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
            // The browser reconnects by itself, a second after the connection is lost.
            (Body::News, RequestMethod::Body) => {
                State::Listening(Pending::of((head + "\r\nretry: 1000\n\n").into_bytes()), 0)
            }
        };
    }

    /// Writes what the peer takes without waiting.
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
            // Shut down before it is closed: if it were closed with bytes unread, the answer could be lost.
            let _ = self.stream.shutdown(std::net::Shutdown::Write);
            self.state = State::Over;
        }
        Ok(())
    }

    /// Reads and discards what a listener sends, which only matters if it has closed the connection.
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

/// Answers that there is no room; best effort, because nothing waits for the write.
pub(crate) fn turn_away(mut stream: TcpStream) {
    let answer = Answer::refused(Status::Busy);
    if stream.set_nonblocking(true).is_ok() {
        let _ = stream.write(format!("{}Content-Length: 0\r\n\r\n", head_of(&answer)).as_bytes());
    }
}

/// The lines before every body. A browser must neither cache the answer nor pass the address on, because it holds the token.
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
