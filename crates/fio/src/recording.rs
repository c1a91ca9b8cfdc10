//! Traces that jobs write (`write_iolog`): one row for each I/O in the order of issue, in fio's version 3.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use workload::{Direction, FlushBy, Nanos, Packer, PagesFlush, StepPlan, TracedIo, Unpacker};

use super::asked::FioRequest;
use super::error::FioError;
use super::options::JobOptions;

/// Checks that a trace can hold `paths`: its words are separated by blanks.
///
/// # Errors
/// If a path contains a blank and a trace is to be written.
pub(super) fn names_fit(options: &JobOptions, paths: &[PathBuf]) -> Result<(), FioError> {
    let has_blank = |path: &&PathBuf| path.to_string_lossy().contains(char::is_whitespace);
    match paths.iter().find(has_blank).filter(|_| options.trace.write.is_some()) {
        None => Ok(()),
        Some(path) => {
            let path = path.display();
            let why =
                format!("write_iolog: a row of a trace cannot name '{path}', which has a blank; rename it");
            Err(FioError::CannotRun(why))
        }
    }
}

/// First line of a trace, repeated for each further clone in a shared file.
pub const HEADER: &str = "fio version 3 iolog";
/// Length in bytes at which a packed piece is turned into rows, so that memory does not grow with the run.
const PIECE: usize = 1 << 16;

/// The traces that the jobs of a step write.
#[derive(Clone, Debug, Default)]
pub struct Recordings {
    /// Traces of each worker, in the order of the plan; `None` if its job writes none.
    workers: Vec<Option<Recording>>,
    files: Vec<TraceOutput>,
}

/// A trace file, and the rows still to be appended to it.
#[derive(Clone, Debug)]
struct TraceOutput {
    path: PathBuf,
    text: String,
}

/// The trace of one worker.
#[derive(Clone, Debug)]
struct Recording {
    /// Index into the files.
    file: usize,
    /// Whether rows are written to the file as they arrive. Of clones that share a file, only the first one's are; the
    /// others follow, each clone as a whole, because a reader takes a file for one sequence.
    streams: bool,
    names: Vec<String>,
    opened: Vec<bool>,
    flush: FlushBy,
    /// Whether each file is flushed before it is closed.
    stores: bool,
    /// Time of its first I/O on the run's clock.
    origin: Option<Nanos>,
    last: Nanos,
    packer: Packer,
    unpacker: Unpacker,
    /// Packed I/Os that have not yet been turned into rows.
    kept: Vec<Vec<u8>>,
}

impl Recordings {
    /// Begins the step `plan`.
    pub fn begin(&mut self, asked: &FioRequest, plan: &StepPlan) {
        (self.workers, self.files) = (Vec::new(), Vec::new());
        for worker in &plan.workers {
            let job = asked.jobs.iter().find(|job| job.label == worker.job);
            let path = job.and_then(|job| job.options.trace.write.as_ref()).map(PathBuf::from);
            let names = worker.files.iter().map(|file| file.path.display().to_string()).collect();
            let mut recording = path.map(|path| self.recording(path, names, worker.terms.calls.flush));
            if let (Some(recording), Some(job)) = (&mut recording, job) {
                let asked = job.options.end_fsync || job.options.fsync_on_close;
                recording.stores = asked && worker.access.mix.issues(Direction::Write);
            }
            self.workers.push(recording);
        }
    }

    fn recording(&mut self, path: PathBuf, names: Vec<String>, flush: FlushBy) -> Recording {
        let known = self.files.iter().position(|file| file.path == path);
        let file = known.unwrap_or_else(|| {
            self.files.push(TraceOutput { path, text: String::new() });
            self.files.len() - 1
        });
        let recording = Recording {
            file,
            streams: known.is_none(),
            opened: vec![false; names.len()],
            names,
            flush,
            stores: false,
            origin: None,
            last: Nanos::ZERO,
            packer: Packer::default(),
            unpacker: Unpacker::default(),
            kept: Vec::new(),
        };
        if recording.streams {
            recording.head(&mut self.files[file].text);
        }
        recording
    }

    /// Paths of the files, each once.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// Adds I/Os of the worker at index `worker` in the plan, in the order in which they were issued.
    pub fn issued(&mut self, worker: usize, ios: &[TracedIo]) {
        let Some(Some(recording)) = self.workers.get_mut(worker) else { return };
        for io in ios {
            recording.take(io);
        }
        if recording.streams {
            recording.write(&mut self.files[recording.file].text);
        }
    }

    /// Ends the step: turns the remaining I/Os into rows, and passes each piece to `append` as it is made.
    pub fn end(&mut self, mut append: impl FnMut(&Path, &str)) {
        self.drain(&mut append);
        let mut workers: Vec<Recording> = self.workers.drain(..).flatten().collect();
        workers.sort_by_key(|recording| !recording.streams);
        for mut recording in workers {
            let Some(TraceOutput { path, text }) = self.files.get_mut(recording.file) else { continue };
            if !recording.streams {
                recording.head(text);
            }
            recording.keep();
            for piece in std::mem::take(&mut recording.kept) {
                recording.rows(&piece, text);
                append(path, text);
                text.clear();
            }
            recording.close(text);
            append(path, text);
            text.clear();
        }
    }

    /// Passes each file's new rows to `append`.
    pub fn drain(&mut self, mut append: impl FnMut(&Path, &str)) {
        for file in self.files.iter_mut().filter(|file| !file.text.is_empty()) {
            append(&file.path, &file.text);
            file.text.clear();
        }
    }
}

// Writing to a `String` cannot fail.
impl Recording {
    fn head(&self, text: &mut String) {
        let _ = writeln!(text, "{HEADER}");
        for name in &self.names {
            let _ = writeln!(text, "0 {name} add");
        }
    }

    fn take(&mut self, io: &TracedIo) {
        let origin = *self.origin.get_or_insert(io.at);
        // Two clock readings of one worker iteration may arrive in either order.
        self.last = self.last.max(io.at.since(origin));
        self.packer.push(TracedIo { at: self.last, ..*io });
        if self.packer.len() >= PIECE {
            self.keep();
        }
    }

    fn keep(&mut self) {
        if !self.packer.is_empty() {
            self.kept.push(self.packer.take());
        }
    }

    /// Turns all I/Os so far into rows.
    fn write(&mut self, text: &mut String) {
        self.keep();
        for piece in std::mem::take(&mut self.kept) {
            self.rows(&piece, text);
        }
    }

    fn rows(&mut self, piece: &[u8], text: &mut String) {
        self.unpacker.turn_over();
        while let Some(io) = self.unpacker.next(piece) {
            self.row(&io, text);
        }
    }

    fn row(&mut self, io: &TracedIo, text: &mut String) {
        let (micros, file) = (io.at.0 / 1000, io.file as usize);
        let (Some(name), Some(opened)) = (self.names.get(file), self.opened.get_mut(file)) else { return };
        if !std::mem::replace(opened, true) {
            let _ = writeln!(text, "{micros} {name} open");
        }
        let action = match (io.kind, self.flush) {
            (Direction::Read, _) => "read",
            (Direction::Write, _) => "write",
            (Direction::Trim, _) => "trim",
            (Direction::Flush, FlushBy::File) => "sync",
            (Direction::Flush, FlushBy::Data) => "datasync",
            (Direction::Flush, FlushBy::Pages(PagesFlush { .. })) => "sync_file_range",
        };
        let _ = writeln!(text, "{micros} {name} {action} {} {}", io.offset, io.bytes);
    }

    fn close(&self, text: &mut String) {
        let micros = self.last.0 / 1000;
        for (name, _) in self.names.iter().zip(&self.opened).filter(|(_, opened)| **opened) {
            if self.stores {
                let _ = writeln!(text, "{micros} {name} sync 0 0");
            }
            let _ = writeln!(text, "{micros} {name} close");
        }
    }
}
