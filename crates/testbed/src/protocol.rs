//! The kernel's FUSE protocol (7.31): requests parsed, replies composed.

use std::time::Duration;

/// Version of the protocol; the kernel falls back to it.
pub(crate) const VERSION: (u32, u32) = (7, 31);
/// Largest read or write, in bytes.
pub(crate) const LARGEST: u32 = 1 << 20;
/// Length of a request's header.
const HEADER: usize = 40;
/// Number of the top directory.
pub(crate) const ROOT: u64 = 1;

/// The kernel's requests that are answered here.
pub(crate) mod opcode {
    pub const LOOKUP: u32 = 1;
    pub const FORGET: u32 = 2;
    pub const GETATTR: u32 = 3;
    pub const SETATTR: u32 = 4;
    pub const MKDIR: u32 = 9;
    pub const UNLINK: u32 = 10;
    pub const RMDIR: u32 = 11;
    pub const RENAME: u32 = 12;
    pub const LINK: u32 = 13;
    pub const OPEN: u32 = 14;
    pub const READ: u32 = 15;
    pub const WRITE: u32 = 16;
    pub const STATFS: u32 = 17;
    pub const RELEASE: u32 = 18;
    pub const FSYNC: u32 = 20;
    pub const FLUSH: u32 = 25;
    pub const INIT: u32 = 26;
    pub const OPENDIR: u32 = 27;
    pub const READDIR: u32 = 28;
    pub const RELEASEDIR: u32 = 29;
    pub const FSYNCDIR: u32 = 30;
    pub const CREATE: u32 = 35;
    pub const INTERRUPT: u32 = 36;
    pub const DESTROY: u32 = 38;
    pub const BATCH_FORGET: u32 = 42;
    pub const RENAME2: u32 = 45;
}

/// Capabilities requested from the kernel: parallel reads, direct reads and direct writes, of up to 1 MiB.
pub(crate) const INIT_FLAGS: u32 = ASYNC_READ | BIG_WRITES | ASYNC_DIO | MAX_PAGES;
const ASYNC_READ: u32 = 1;
const BIG_WRITES: u32 = 1 << 5;
const ASYNC_DIO: u32 = 1 << 15;
const MAX_PAGES: u32 = 1 << 22;

/// Open flag: every read and write of the file goes to the server, whatever the flags at opening.
pub(crate) const OPEN_DIRECT: u32 = 1;
/// Open flag: closing a file sends nothing to the server.
pub(crate) const OPEN_NO_FLUSH: u32 = 1 << 5;
/// Open flag: writes to one file may run in parallel.
pub(crate) const OPEN_PARALLEL_WRITES: u32 = 1 << 6;
/// Flag of a change of attributes: the size is among them.
pub(crate) const SETATTR_SIZE: u32 = 1 << 3;
/// Flag of a change of attributes: the mode is among them.
pub(crate) const SETATTR_MODE: u32 = 1;

/// A request of the kernel.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) opcode: u32,
    pub(crate) unique: u64,
    pub(crate) node: u64,
    body: Vec<u8>,
}

impl Request {
    /// Parses a request; `None` if it is shorter than its header.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Request> {
        let body = bytes.get(HEADER..)?.to_vec();
        Some(Request { opcode: u32_of(bytes, 4), unique: u64_of(bytes, 8), node: u64_of(bytes, 16), body })
    }

    pub(crate) fn u32_at(&self, at: usize) -> u32 {
        u32_of(&self.body, at)
    }

    pub(crate) fn u64_at(&self, at: usize) -> u64 {
        u64_of(&self.body, at)
    }

    /// Returns what follows the fixed part of the body.
    pub(crate) fn rest(&self, at: usize) -> &[u8] {
        self.body.get(at..).unwrap_or_default()
    }

    /// Returns the names that follow the fixed part of the body.
    pub(crate) fn names(&self, at: usize) -> impl Iterator<Item = String> + '_ {
        let names = self.rest(at).split(|byte| *byte == 0);
        names.map(|name| String::from_utf8_lossy(name).into_owned())
    }

    /// Returns the first name that follows the fixed part of the body.
    pub(crate) fn name(&self, at: usize) -> String {
        self.names(at).next().unwrap_or_default()
    }
}

fn u32_of(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|part| part.try_into().ok()).map_or(0, u32::from_ne_bytes)
}

fn u64_of(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|part| part.try_into().ok()).map_or(0, u64::from_ne_bytes)
}

/// Attributes of a file or directory, as reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes {
    pub(crate) node: u64,
    pub(crate) size: u64,
    /// Kind and permissions.
    pub(crate) mode: u32,
    pub(crate) links: u32,
    /// Time since 1970.
    pub(crate) changed: Duration,
}

/// The body of a reply.
#[derive(Debug, Default)]
pub(crate) struct Body(pub(crate) Vec<u8>);

impl Body {
    pub(crate) fn u16(mut self, value: u16) -> Body {
        self.0.extend_from_slice(&value.to_ne_bytes());
        self
    }

    pub(crate) fn u32(mut self, value: u32) -> Body {
        self.0.extend_from_slice(&value.to_ne_bytes());
        self
    }

    pub(crate) fn u64(mut self, value: u64) -> Body {
        self.0.extend_from_slice(&value.to_ne_bytes());
        self
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Body {
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn zeros(mut self, count: usize) -> Body {
        self.0.resize(self.0.len() + count, 0);
        self
    }

    fn attributes(self, of: Attributes) -> Body {
        let seconds = of.changed.as_secs();
        let fraction = of.changed.subsec_nanos();
        self.u64(of.node)
            .u64(of.size)
            .u64(of.size.div_ceil(512))
            .u64(seconds)
            .u64(seconds)
            .u64(seconds)
            .u32(fraction)
            .u32(fraction)
            .u32(fraction)
            .u32(of.mode)
            .u32(of.links)
            .zeros(12) // owner, group, device number
            .u32(4096)
            .u32(0)
    }

    /// Returns attributes with no validity time in the kernel, so that a change is seen at the next look.
    pub(crate) fn fresh_attributes(of: Attributes) -> Body {
        Body::default().zeros(16).attributes(of)
    }

    /// Returns a directory entry with no validity time in the kernel.
    pub(crate) fn fresh_entry(of: Attributes) -> Body {
        Body::default().u64(of.node).zeros(32).attributes(of)
    }

    /// Adds one entry of a listing; `next` is where the listing goes on after it.
    pub(crate) fn listed(self, name: &str, node: u64, (next, kind): (u64, u32)) -> Body {
        let padding = name.len().next_multiple_of(8) - name.len();
        self.u64(node).u64(next).u32(name.len() as u32).u32(kind).bytes(name.as_bytes()).zeros(padding)
    }

    /// Returns the whole reply to the request `unique`.
    pub(crate) fn into_reply(self, unique: u64, errno: i32) -> Vec<u8> {
        let head = Body::default().u32(16 + self.0.len() as u32).u32((-errno).cast_unsigned()).u64(unique);
        head.bytes(&self.0).0
    }
}
