//! Traces of I/O: fio's own logs of versions 2 and 3 and the kernel's blktrace, read event by event.

mod blktrace;
mod iolog;
mod options;
mod shaping;

use std::io::BufRead;

use workload::Nanos;

pub use blktrace::Blktrace;
pub use iolog::Iolog;
pub use options::TraceOptions;
pub use shaping::{Gathered, LengthsAlign, OnlyReads, Shaping};

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Bytes are read.
    Read,
    /// Bytes are written.
    Write,
    /// Bytes are given back.
    Trim,
    /// All that was written is made stable.
    Sync,
    /// The same of data alone.
    Datasync,
}

/// One I/O of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceIo {
    /// What is done.
    pub action: Action,
    /// Index into the files of the trace.
    pub file: u32,
    /// Byte offset.
    pub offset: u64,
    /// Length in bytes; 0 of a flush.
    pub bytes: u32,
}

/// One event of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Since the first event; never before that of the one before it.
    pub at: Nanos,
    /// Its I/O; `None` of one that only takes time, such as opening a file.
    pub io: Option<TraceIo>,
}

/// What a trace calls a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceFile {
    /// By its path.
    Path(String),
    /// A block device by its number.
    Device {
        /// The driver.
        major: u32,
        /// The device.
        minor: u32,
    },
}

/// What is wrong with a trace, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub at: FaultPlace,
    /// What is wrong, and what would be right.
    pub problem: String,
}

/// Where a trace is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPlace {
    /// In a text; both count from 1.
    Line {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// In a binary trace: bytes from its begin.
    Byte(u64),
}

impl Fault {
    fn in_line(line: usize, column: usize, problem: impl Into<String>) -> Fault {
        Fault { at: FaultPlace::Line { line, column }, problem: problem.into() }
    }
}

/// A trace that is read event by event.
pub enum TraceReader<R> {
    /// fio's own.
    Iolog(Iolog<R>),
    /// The kernel's.
    Blktrace(Blktrace<R>),
}

impl<R: BufRead> TraceReader<R> {
    /// Begins to read a trace, whichever kind it is.
    ///
    /// # Errors
    /// [`Fault`] where it is none that is known.
    pub fn open(mut input: R) -> Result<TraceReader<R>, Fault> {
        // An error of reading comes again when the first line is read.
        let is_binary = input.fill_buf().is_ok_and(blktrace::begins);
        Ok(if is_binary {
            TraceReader::Blktrace(Blktrace::open(input))
        } else {
            TraceReader::Iolog(Iolog::open(input)?)
        })
    }

    /// The next event; `None` at the end.
    ///
    /// # Errors
    /// [`Fault`] with its place.
    pub fn event(&mut self) -> Result<Option<Event>, Fault> {
        match self {
            TraceReader::Iolog(trace) => trace.event(),
            TraceReader::Blktrace(trace) => trace.event(),
        }
    }

    /// What aligning does to lengths in a trace of this kind.
    pub fn lengths(&self) -> LengthsAlign {
        match self {
            TraceReader::Iolog(_) => LengthsAlign::No,
            TraceReader::Blktrace(_) => LengthsAlign::Up,
        }
    }

    /// Rows so far whose I/O is not replayed.
    pub fn left_out(&self) -> u64 {
        match self {
            TraceReader::Iolog(trace) => trace.left_out(),
            TraceReader::Blktrace(_) => 0,
        }
    }

    /// The files that have been named so far.
    pub fn files(&self) -> Vec<TraceFile> {
        match self {
            TraceReader::Iolog(trace) => trace.files().iter().cloned().map(TraceFile::Path).collect(),
            TraceReader::Blktrace(trace) => trace.files().to_vec(),
        }
    }
}
