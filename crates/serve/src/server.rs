//! The one thread that answers: it waits for all connections at once, so that none costs a thread, and there are never more
//! than so many.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use kernel::{Polled, Wants, wait_ready};

use crate::connection::{Connection, turn_away};
use crate::door::Door;
use crate::site::Site;

/// Connections at once. A browser has six.
pub const CONNECTIONS_MOST: usize = 64;
/// Of these, so many may listen to the news, which lasts; the others come and go.
const LISTENERS_MOST: usize = 32;
/// Let in at one turn, before those that are there are looked at again.
const WELCOMED_MOST: usize = 16;
/// Who takes nothing of its answer for so long gives way to somebody who knocks while all places are taken.
const STALLED: Duration = Duration::from_secs(1);
/// How soon a listener hears what is new.
const NEWS_EVERY: Duration = Duration::from_millis(200);
/// How long nobody is let in where the process has no file left.
const NO_FILE_LEFT: Duration = Duration::from_millis(50);
/// How often the slow are looked for where nobody listens.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A server that runs until it is told to end, or dropped.
pub struct Server {
    address: SocketAddr,
    prefix: String,
    ending: Arc<AtomicBool>,
    wake: UnixStream,
    thread: Option<JoinHandle<()>>,
}

struct Room {
    listener: TcpListener,
    wake: UnixStream,
    door: Door,
    site: Arc<dyn Site>,
    connections: Vec<Connection>,
    ending: Arc<AtomicBool>,
}

impl Server {
    /// Listens on `address` and answers what `site` gives to whom `door` lets in.
    ///
    /// # Errors
    /// The address is not this machine's or is taken, or there is no thread.
    pub fn start(address: SocketAddr, door: Door, site: Arc<dyn Site>) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let (wake, woken) = UnixStream::pair()?;
        woken.set_nonblocking(true)?;
        let ending = Arc::new(AtomicBool::new(false));
        let (address, prefix) = (listener.local_addr()?, door.prefix());
        let connections = Vec::with_capacity(CONNECTIONS_MOST);
        let room = Room { listener, wake: woken, door, site, connections, ending: Arc::clone(&ending) };
        let thread = std::thread::Builder::new().name("serve".to_owned()).spawn(move || room.serve())?;
        Ok(Server { address, prefix, ending, wake, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a browser is given, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/{}", self.address, self.prefix)
    }

    /// Answers on until nobody is connected, at most so long, and ends.
    pub fn finish(mut self, patience: Duration) {
        self.ending.store(true, Ordering::Relaxed);
        let _ = self.wake.write_all(b".");
        let end = Instant::now() + patience;
        while Instant::now() < end && self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    /// Closing our end wakes the thread, and tells it to end.
    fn drop(&mut self) {
        let _ = self.wake.shutdown(std::net::Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Room {
    fn serve(mut self) {
        // Where that is not allowed it answers all the same.
        let _ = kernel::let_others_first();
        loop {
            let Ok(ready) = self.wait() else { return };
            if ready.told_to_end {
                return;
            }
            let now = Instant::now();
            for (connection, is_ready) in self.connections.iter_mut().zip(&ready.connections) {
                if *is_ready {
                    connection.go_on(&self.door, self.site.as_ref(), now);
                }
            }
            if ready.somebody_knocks {
                self.welcome(now);
            }
            self.look_around(now);
            if self.ending.load(Ordering::Relaxed) && self.connections.is_empty() {
                return;
            }
        }
    }

    fn wait(&self) -> io::Result<Ready> {
        let mut files = Vec::with_capacity(2 + self.connections.len());
        files.push(Polled::new(self.wake.as_fd(), Wants::Input));
        files.push(Polled::new(self.listener.as_fd(), Wants::Input));
        files.extend(self.connections.iter().map(Connection::polled));
        let is_soon = self.ending.load(Ordering::Relaxed) || self.connections.iter().any(Connection::listens);
        wait_ready(&mut files, if is_soon { NEWS_EVERY } else { LOOK_EVERY })?;
        let mut ready = files.iter().map(Polled::is_ready);
        Ok(Ready {
            told_to_end: ready.next().unwrap_or(true) && self.wake_is_closed(),
            somebody_knocks: ready.next().unwrap_or(true),
            connections: ready.collect(),
        })
    }

    fn wake_is_closed(&self) -> bool {
        !matches!((&self.wake).read(&mut [0; 8]), Ok(1..) | Err(_))
    }

    /// Lets in who knocks, and reads at once what they have sent: who says all that it has to say is answered before somebody
    /// else can take its place.
    fn welcome(&mut self, now: Instant) {
        for _ in 0..WELCOMED_MOST {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // No file is left: those that are there come first, and who knocks goes on knocking.
                Err(_) => return std::thread::sleep(NO_FILE_LEFT),
            };
            if self.connections.len() == CONNECTIONS_MOST && !self.make_room(now) {
                turn_away(stream);
                continue;
            }
            if let Ok(mut connection) = Connection::new(stream, now) {
                connection.go_on(&self.door, self.site.as_ref(), now);
                self.connections.push(connection);
            }
        }
    }

    /// Who has been longest about its request gives way, then who has taken nothing of its answer for longest; `false` where
    /// everybody has made a request and takes what it is sent.
    fn make_room(&mut self, now: Instant) -> bool {
        let idle = |connection: &Connection| connection.stalled_for(now).filter(|idle| *idle >= STALLED);
        let slowest = self.connections.iter().position(Connection::is_reading).or_else(|| {
            let stalled = self.connections.iter().enumerate();
            let stalled = stalled.filter_map(|(place, connection)| Some((idle(connection)?, place)));
            stalled.max().map(|(_, place)| place)
        });
        slowest.map(|place| self.connections.remove(place)).is_some()
    }

    /// News for the listeners, and the end for who is too slow or over.
    fn look_around(&mut self, now: Instant) {
        let feed = self.site.feed();
        let mut listeners = 0;
        for connection in &mut self.connections {
            listeners += usize::from(connection.listens());
            if listeners > LISTENERS_MOST && connection.listens() {
                connection.drop_it();
            }
            connection.look(feed, now);
        }
        self.connections.retain(|connection| !connection.is_over());
        if let Some(feed) = feed {
            feed.listeners(self.connections.iter().filter(|connection| connection.listens()).count());
        }
    }
}

/// What a wait has found.
struct Ready {
    told_to_end: bool,
    somebody_knocks: bool,
    connections: Vec<bool>,
}
