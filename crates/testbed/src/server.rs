//! Answers the kernel's requests: at once, later, wrongly, or only when the device heals.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::character::Character;
use crate::device::Caching;
use crate::faults::{Effect, Errno, Fault, Ops, Touch, verdict};
use crate::protocol::{
    Body, INIT_FLAGS, LARGEST, OPEN_DIRECT, OPEN_NO_FLUSH, OPEN_PARALLEL_WRITES, Request, SETATTR_MODE,
    SETATTR_SIZE, VERSION, opcode,
};
use crate::tally::{Account, Outcome};
use crate::tree::{Replace, Spot, Tree};

/// Time between two signs of life to the watchdog.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// Mask of the access mode in the flags of an opening.
const ACCESS_MODE: u32 = 3;
/// Flag of a rename that must not replace a file.
const RENAME_NOREPLACE: u32 = 1;
/// Bytes that the file system reports as free unless it is full.
const FREE: u64 = 1 << 30;

/// A request that is not answered yet.
#[derive(Debug)]
struct Waiting {
    request: Request,
    touch: Touch,
    /// Number of the request in the account.
    number: usize,
}

/// The server of a device, shared by its threads.
#[derive(Debug)]
pub(crate) struct Server {
    fuse: File,
    caching: Caching,
    since: Instant,
    state: Mutex<State>,
    /// Signalled when something is due earlier than expected.
    changed: Condvar,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) tree: Tree,
    pub(crate) faults: Vec<Fault>,
    /// Timing of the device, which without one answers at once.
    pub(crate) character: Option<Character>,
    pub(crate) account: Account,
    silent: Vec<Waiting>,
    /// Requests by the time they are due; the second number distinguishes those of the same time.
    delayed: BTreeMap<(Instant, u64), Waiting>,
    closing: bool,
}

/// Whether a request may still be delayed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Delay {
    Allowed,
    Over,
}

type Reply = Result<Body, Errno>;

impl Server {
    pub(crate) fn new(fuse: File, tree: Tree, caching: Caching) -> Server {
        let state = State {
            tree,
            faults: Vec::new(),
            character: None,
            account: Account::default(),
            silent: Vec::new(),
            delayed: BTreeMap::new(),
            closing: false,
        };
        Server { fuse, caching, since: Instant::now(), state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent even if a test has panicked: no change to it is left half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes requests until the connection ends.
    pub(crate) fn serve(&self) {
        // The kernel wants room for its largest write and its header.
        let mut buffer = vec![0; LARGEST as usize + (64 << 10)];
        loop {
            match (&self.fuse).read(&mut buffer) {
                Ok(length) => buffer
                    .get(..length)
                    .and_then(Request::parse)
                    .into_iter()
                    .for_each(|request| self.take(request)),
                // A request was withdrawn before it was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The mount was unmounted, or the connection aborted.
                Err(_) => return,
            }
        }
    }

    /// Ends the thread that keeps time.
    pub(crate) fn close(&self) {
        self.state().closing = true;
        self.changed.notify_all();
    }

    /// Answers delayed requests when they are due, and signals to the watchdog that this process lives, until the end.
    pub(crate) fn keep_time(&self, mut heart: impl FnMut()) {
        let mut beat = Instant::now();
        let mut state = self.state();
        while !state.closing {
            let now = Instant::now();
            if beat <= now {
                heart();
                beat = now + HEARTBEAT;
            }
            let due = state.delayed.first_key_value().map(|(key, _)| *key);
            if let Some(waiting) = due.filter(|key| key.0 <= now).and_then(|key| state.delayed.remove(&key)) {
                drop(state);
                self.pass(waiting, Delay::Over);
                state = self.state();
                continue;
            }
            let until = due.map_or(beat, |key| key.0.min(beat));
            let (guard, _) = self
                .changed
                .wait_timeout(state, until.saturating_duration_since(now))
                .unwrap_or_else(PoisonError::into_inner);
            state = guard;
        }
    }

    fn take(&self, request: Request) {
        if matches!(request.opcode, opcode::FORGET | opcode::BATCH_FORGET | opcode::INTERRUPT) {
            // A silent device ignores interrupts too; the others have no reply.
            if request.opcode == opcode::FORGET {
                self.state().tree.forget(request.node);
            }
            return;
        }
        if matches!(request.opcode, opcode::INIT | opcode::DESTROY) {
            let reply = self.state().answer(&request, self.caching, u32::MAX);
            return self.reply(request.unique, reply);
        }
        // Reported as not implemented, so that the kernel never sends it again: otherwise every program started
        // while the file is silent would hang at once, in closing inherited descriptors.
        if request.opcode == opcode::FLUSH {
            return self.reply(request.unique, Err(Errno::ENOSYS));
        }
        let touch = touch_of(&request);
        let number = self.state().account.receive(touch, self.since.elapsed());
        self.pass(Waiting { request, touch, number }, Delay::Allowed);
    }

    /// Answers a request, or puts it into the queue in which it waits.
    fn pass(&self, waiting: Waiting, delay: Delay) {
        let mut state = self.state();
        let verdict = verdict(&state.faults, waiting.touch);
        let due =
            if delay == Delay::Allowed { self.due(&mut state, waiting.touch, verdict.delay) } else { None };
        if let Some(due) = due {
            state.delayed.insert((due, waiting.request.unique), waiting);
            self.changed.notify_all();
            return;
        }
        let reply = match verdict.end {
            Some(None) => return state.silent.push(waiting),
            Some(Some(errno)) => Err(errno),
            None => state.answer(&waiting.request, self.caching, verdict.at_most.unwrap_or(u32::MAX)),
        };
        state.account.settle(
            (waiting.number, self.since.elapsed()),
            waiting.touch,
            outcome(&waiting, &reply),
        );
        drop(state);
        self.reply(waiting.request.unique, reply);
    }

    /// Returns when a request that has just arrived is to be answered; `None` for at once.
    fn due(&self, state: &mut State, touch: Touch, delay: Option<Duration>) -> Option<Instant> {
        let now = self.since.elapsed();
        let served = state.character.as_mut().and_then(|character| character.serve(now, touch));
        let due = served.or(delay.map(|_| now))? + delay.unwrap_or_default();
        Some(self.since + due)
    }

    fn reply(&self, unique: u64, reply: Reply) {
        let bytes = match reply {
            Ok(body) => body.into_reply(unique, 0),
            Err(errno) => Body::default().into_reply(unique, errno.0),
        };
        // If the kernel does not take the reply, the process that asked is gone.
        let _ = (&self.fuse).write(&bytes);
    }

    /// Changes the faults, and answers requests that are no longer held back.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Vec<Fault>)) {
        let mut state = self.state();
        change(&mut state.faults);
        let silent = std::mem::take(&mut state.silent);
        let any_delay = state.character.is_some()
            || state.faults.iter().any(|fault| matches!(fault.effect, Effect::Delay(_)));
        let delayed = if any_delay { BTreeMap::new() } else { std::mem::take(&mut state.delayed) };
        drop(state);
        silent.into_iter().chain(delayed.into_values()).for_each(|waiting| self.pass(waiting, Delay::Over));
    }

    /// Answers all held requests with an error.
    pub(crate) fn fail_held(&self, errno: Errno) {
        let mut state = self.state();
        let silent = std::mem::take(&mut state.silent);
        let delayed = std::mem::take(&mut state.delayed);
        let held: Vec<Waiting> = silent.into_iter().chain(delayed.into_values()).collect();
        for waiting in &held {
            let ended = (waiting.number, self.since.elapsed());
            state.account.settle(ended, waiting.touch, Outcome::Failed(errno));
        }
        drop(state);
        held.iter().for_each(|waiting| self.reply(waiting.request.unique, Err(errno)));
    }
}

fn touch_of(request: &Request) -> Touch {
    match request.opcode {
        opcode::READ => Touch { op: Ops::READ, offset: request.u64_at(8), length: request.u32_at(16) },
        opcode::WRITE => Touch { op: Ops::WRITE, offset: request.u64_at(8), length: request.u32_at(16) },
        opcode::FSYNC | opcode::FSYNCDIR => Touch { op: Ops::FSYNC, offset: 0, length: 0 },
        _ => Touch { op: Ops::METADATA, offset: 0, length: 0 },
    }
}

fn outcome(waiting: &Waiting, reply: &Reply) -> Outcome {
    match reply {
        Err(errno) => Outcome::Failed(*errno),
        Ok(body) if waiting.touch.op == Ops::READ => Outcome::Done(body.0.len() as u32),
        Ok(body) if waiting.touch.op == Ops::WRITE => {
            Outcome::Done(body.0.first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes)))
        }
        Ok(_) => Outcome::Done(0),
    }
}

fn in_kernel_words(error: io::Error) -> Errno {
    Errno(error.raw_os_error().unwrap_or(Errno::EIO.0))
}

impl State {
    /// Returns the answer without faults, except that at most `at_most` bytes are done.
    fn answer(&mut self, request: &Request, caching: Caching, at_most: u32) -> Reply {
        match request.opcode {
            opcode::INIT => Ok(init(request)),
            opcode::READ => self.read(request, at_most),
            opcode::WRITE => self.write(request, at_most),
            opcode::FSYNC => self.fsync(request),
            opcode::LOOKUP => self.entry(self.tree.find(request.node, &request.name(0))),
            opcode::GETATTR => Ok(Body::fresh_attributes(self.tree.attributes(request.node)?)),
            opcode::SETATTR => self.set_attributes(request),
            opcode::OPEN => self.open(request, caching),
            opcode::CREATE => self.create(request, caching),
            opcode::OPENDIR => Ok(Body::default().zeros(16)),
            opcode::READDIR => self.list(request),
            opcode::STATFS => Ok(self.free_space()),
            opcode::RELEASE | opcode::RELEASEDIR | opcode::FSYNCDIR | opcode::DESTROY => Ok(Body::default()),
            _ => self.change_names(request),
        }
    }

    fn change_names(&mut self, request: &Request) -> Reply {
        let writable = self.writable();
        let node = request.node;
        match request.opcode {
            opcode::MKDIR => {
                let made = writable
                    .and_then(|()| self.tree.make_directory(node, &request.name(8), request.u32_at(0)));
                self.entry(made)
            }
            opcode::LINK => {
                let made = writable.and_then(|()| self.tree.link(request.u64_at(0), node, &request.name(8)));
                self.entry(made)
            }
            opcode::UNLINK | opcode::RMDIR => {
                writable?;
                self.tree.unlink(node, &request.name(0)).map(|()| Body::default())
            }
            opcode::RENAME => self.rename(request, (8, 0)),
            opcode::RENAME2 => self.rename(request, (16, request.u32_at(8))),
            _ => Err(Errno::ENOSYS),
        }
    }

    fn rename(&mut self, request: &Request, (names_at, flags): (usize, u32)) -> Reply {
        self.writable()?;
        let replace = match flags {
            0 => Replace::Yes,
            RENAME_NOREPLACE => Replace::No,
            _ => return Err(Errno::EINVAL),
        };
        let names: Vec<String> = request.names(names_at).collect();
        let [from, to, ..] = names.as_slice() else { return Err(Errno::EINVAL) };
        let from = Spot { parent: request.node, name: from };
        let to = Spot { parent: request.u64_at(0), name: to };
        self.tree.rename(from, to, replace).map(|()| Body::default())
    }

    /// Fails if every write is refused because the device is read-only.
    fn writable(&self) -> Result<(), Errno> {
        let touch = Touch { op: Ops::WRITE, offset: 0, length: 1 };
        match verdict(&self.faults, touch).end {
            Some(Some(Errno::EROFS)) => Err(Errno::EROFS),
            _ => Ok(()),
        }
    }

    fn entry(&self, found: Result<u64, Errno>) -> Reply {
        Ok(Body::fresh_entry(self.tree.attributes(found?)?))
    }

    fn read(&self, request: &Request, at_most: u32) -> Reply {
        let contents = self.tree.contents(request.node)?;
        let length = request.u32_at(16).min(at_most);
        contents.read(request.u64_at(8), length).map(Body).map_err(in_kernel_words)
    }

    fn write(&mut self, request: &Request, at_most: u32) -> Reply {
        let length = request.u32_at(16).min(at_most);
        let bytes = request.rest(40).get(..length as usize).ok_or(Errno::EINVAL)?;
        let contents = self.tree.contents_mut(request.node)?;
        contents.write(request.u64_at(8), bytes).map_err(in_kernel_words)?;
        Ok(Body::default().u32(length).u32(0))
    }

    fn fsync(&self, request: &Request) -> Reply {
        self.tree.contents(request.node)?.sync().map_err(in_kernel_words)?;
        Ok(Body::default())
    }

    fn set_attributes(&mut self, request: &Request) -> Reply {
        self.writable()?;
        let valid = request.u32_at(0);
        if valid & SETATTR_SIZE != 0 {
            self.tree.contents_mut(request.node)?.truncate(request.u64_at(16)).map_err(in_kernel_words)?;
        }
        if valid & SETATTR_MODE != 0 {
            self.tree.set_permissions(request.node, request.u32_at(68))?;
        }
        Ok(Body::fresh_attributes(self.tree.attributes(request.node)?))
    }

    fn open(&self, request: &Request, caching: Caching) -> Reply {
        if request.u32_at(0) & ACCESS_MODE != 0 {
            self.writable()?;
        }
        Ok(opened(caching))
    }

    fn create(&mut self, request: &Request, caching: Caching) -> Reply {
        self.writable()?;
        let made = self.tree.make_file(request.node, &request.name(16), request.u32_at(4));
        Ok(self.entry(made)?.bytes(&opened(caching).0))
    }

    fn list(&self, request: &Request) -> Reply {
        let entries = self.tree.list(request.node)?;
        let (from, room) = (request.u64_at(8), request.u32_at(16) as usize);
        let mut body = Body::default();
        for (index, (name, node, kind)) in entries.iter().enumerate().skip(from as usize) {
            let longer = body.0.len() + 24 + name.len().next_multiple_of(8);
            if longer > room {
                break;
            }
            body = body.listed(name, *node, (index as u64 + 1, *kind));
        }
        Ok(body)
    }

    fn free_space(&self) -> Body {
        const BLOCK: u64 = 4096;
        let touch = Touch { op: Ops::WRITE, offset: 0, length: 1 };
        let full = verdict(&self.faults, touch).end == Some(Some(Errno::ENOSPC));
        let free = if full { 0 } else { FREE / BLOCK };
        let used = self.tree.used().div_ceil(BLOCK);
        let blocks = Body::default().u64(used + free).u64(free).u64(free);
        blocks.u64(1 << 20).u64(1 << 19).u32(BLOCK as u32).u32(255).u32(BLOCK as u32).zeros(28)
    }
}

fn init(request: &Request) -> Body {
    let offered = request.u32_at(12);
    let ahead = request.u32_at(8);
    let head = Body::default().u32(VERSION.0).u32(VERSION.1).u32(ahead).u32(offered & INIT_FLAGS);
    // More parallel requests than any program makes, in pieces of up to 1 MiB.
    let limits = head.u16(4096).u16(3072).u32(LARGEST).u32(1).u16((LARGEST / 4096) as u16);
    limits.zeros(2 + 32)
}

fn opened(caching: Caching) -> Body {
    let flags = match caching {
        Caching::Never => OPEN_DIRECT | OPEN_NO_FLUSH | OPEN_PARALLEL_WRITES,
        Caching::AsOpened => OPEN_NO_FLUSH | OPEN_PARALLEL_WRITES,
    };
    Body::default().u64(0).u32(flags).u32(0)
}
