//! Traces of I/O: fio's own logs of versions 2 and 3 and the kernel's blktrace, read event by event.

mod blktrace;
mod iolog;
mod options;
mod shaping;

use std::io::BufRead;

use workload::Nanos;

pub(crate) use blktrace::Blktrace;
pub(crate) use iolog::Iolog;
pub use options::TraceOptions;
pub(crate) use shaping::{LengthsAlign, OnlyReads, Shaping, TraceBuilder};

/// An operation on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A trim.
    Trim,
    /// A flush of data and metadata.
    Sync,
    /// A flush of data only.
    Datasync,
}

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceIo {
    /// The operation.
    pub action: Action,
    /// Index into the files of the trace.
    pub file: u32,
    /// Byte offset.
    pub offset: u64,
    /// Length in bytes; 0 for a flush.
    pub bytes: u32,
}

/// One event of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Time since the first event; never earlier than the previous event's.
    pub at: Nanos,
    /// The I/O; `None` for an event that only marks a time, such as opening a file.
    pub io: Option<TraceIo>,
}

/// Identification of a file in a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceFile {
    /// A path.
    Path(String),
    /// The device numbers of a block device.
    Device {
        /// Major number, which identifies the driver.
        major: u32,
        /// Minor number, which identifies the device.
        minor: u32,
    },
}

/// An error in a trace, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place.
    pub at: FaultPlace,
    /// The problem, and what would be correct.
    pub problem: String,
}

/// Place of an error in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPlace {
    /// A place in a text trace; line and column count from 1.
    Line {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// A place in a binary trace: the offset in bytes.
    Byte(u64),
}

impl Fault {
    fn in_line(line: usize, column: usize, problem: impl Into<String>) -> Fault {
        Fault { at: FaultPlace::Line { line, column }, problem: problem.into() }
    }
}

/// Whether a file with these first bytes is a trace, of whatever version.
pub fn is_trace(bytes: &[u8]) -> bool {
    blktrace::begins(bytes) || iolog::begins(bytes)
}

/// A trace, read event by event.
pub enum TraceReader<R> {
    /// A trace of fio's own.
    Iolog(Iolog<R>),
    /// A trace of the kernel's.
    Blktrace(Blktrace<R>),
}

impl<R: BufRead> TraceReader<R> {
    /// Begins to read a trace of any known format.
    ///
    /// # Errors
    /// [`Fault`] if the format is unknown.
    pub fn open(mut input: R) -> Result<TraceReader<R>, Fault> {
        // A read error recurs when the first line is read.
        let is_binary = input.fill_buf().is_ok_and(blktrace::begins);
        Ok(if is_binary {
            TraceReader::Blktrace(Blktrace::open(input))
        } else {
            TraceReader::Iolog(Iolog::open(input)?)
        })
    }

    /// Reads the next event; `None` at the end.
    ///
    /// # Errors
    /// [`Fault`], with its place.
    pub fn event(&mut self) -> Result<Option<Event>, Fault> {
        match self {
            TraceReader::Iolog(trace) => trace.event(),
            TraceReader::Blktrace(trace) => trace.event(),
        }
    }

    /// How alignment affects the lengths of I/Os in this kind of trace.
    pub fn lengths(&self) -> LengthsAlign {
        match self {
            TraceReader::Iolog(_) => LengthsAlign::No,
            TraceReader::Blktrace(_) => LengthsAlign::Up,
        }
    }

    /// Number of rows so far whose I/O is not replayed.
    pub fn left_out(&self) -> u64 {
        match self {
            TraceReader::Iolog(trace) => trace.left_out(),
            TraceReader::Blktrace(_) => 0,
        }
    }

    /// Files that have been named so far.
    pub fn files(&self) -> Vec<TraceFile> {
        match self {
            TraceReader::Iolog(trace) => trace.files().iter().cloned().map(TraceFile::Path).collect(),
            TraceReader::Blktrace(trace) => trace.files().to_vec(),
        }
    }
}
