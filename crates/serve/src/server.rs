//! The server's one thread: it waits for all connections at once, so that none needs a thread, and limits their
//! number.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use kernel::{PollEntry, Wants, wait_ready};

use crate::connection::{Connection, turn_away};
use crate::door::Door;
use crate::site::Site;

/// Most connections at once. A browser opens six.
pub const CONNECTIONS_MOST: usize = 64;
/// Most connections that may listen to the news and therefore stay open; the others are short.
const LISTENERS_MOST: usize = 32;
/// Most connections accepted in one turn, before those already open are served again.
const WELCOMED_MOST: usize = 16;
/// Time after which a peer that reads nothing of its answer gives way to a new one if there is no free place.
const STALLED: Duration = Duration::from_secs(1);
/// Time between two deliveries of news to the listeners.
const NEWS_EVERY: Duration = Duration::from_millis(200);
/// Pause in accepting connections when the process is out of file descriptors.
const NO_FILE_LEFT: Duration = Duration::from_millis(50);
/// Time between two checks for slow connections while nobody listens to the news.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A server that runs until it is finished or dropped.
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
    /// Listens on `address` and answers the requests that `door` admits with the content of `site`.
    ///
    /// # Errors
    /// The address does not belong to this machine or is in use, or no thread can be started.
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

    /// Returns the address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL to open in a browser, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/{}", self.address, self.prefix)
    }

    /// Continues to answer until nobody is connected or `patience` has passed, then ends.
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
    /// Shuts down this end of the socket pair, which wakes the thread and makes it end.
    fn drop(&mut self) {
        let _ = self.wake.shutdown(std::net::Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Room {
    fn serve(mut self) {
        // If lowering the priority is not allowed, the thread keeps its normal one.
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
        files.push(PollEntry::new(self.wake.as_fd(), Wants::Input));
        files.push(PollEntry::new(self.listener.as_fd(), Wants::Input));
        files.extend(self.connections.iter().map(Connection::polled));
        let is_soon = self.ending.load(Ordering::Relaxed) || self.connections.iter().any(Connection::listens);
        wait_ready(&mut files, if is_soon { NEWS_EVERY } else { LOOK_EVERY })?;
        let mut ready = files.iter().map(PollEntry::is_ready);
        Ok(Ready {
            told_to_end: ready.next().unwrap_or(true) && self.wake_is_closed(),
            somebody_knocks: ready.next().unwrap_or(true),
            connections: ready.collect(),
        })
    }

    fn wake_is_closed(&self) -> bool {
        !matches!((&self.wake).read(&mut [0; 8]), Ok(1..) | Err(_))
    }

    /// Accepts waiting connections and immediately reads what they have sent: a request that is already complete is
    /// answered before another connection can take its place.
    fn welcome(&mut self, now: Instant) {
        for _ in 0..WELCOMED_MOST {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // No file descriptor is left: open connections come first, and waiting ones stay in the backlog.
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

    /// Removes the connection that has been sending its request longest, or else the one that has read nothing of
    /// its answer for longest; returns `false` if every connection has made a request and is reading its answer.
    fn make_room(&mut self, now: Instant) -> bool {
        let idle = |connection: &Connection| connection.stalled_for(now).filter(|idle| *idle >= STALLED);
        let slowest = self.connections.iter().position(Connection::is_reading).or_else(|| {
            let stalled = self.connections.iter().enumerate();
            let stalled = stalled.filter_map(|(place, connection)| Some((idle(connection)?, place)));
            stalled.max().map(|(_, place)| place)
        });
        slowest.map(|place| self.connections.remove(place)).is_some()
    }

    /// Sends news to the listeners, and removes connections that are too slow or have ended.
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

/// Events that ended a wait.
struct Ready {
    told_to_end: bool,
    somebody_knocks: bool,
    connections: Vec<bool>,
}
