//! Jobs that replay a trace: their I/Os and the files that they use.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use workload::{
    Access, BlockSizes, Bytes, Calls, Flush, FlushBy, Job, Nanos, Pace, Replay, StopRule, TracePieces,
};

use super::asked::{About, FioJob, FioRequest, LaysOut, Remark};
use super::error::{FioError, Place};
use super::files::split_list;
use super::options::JobOptions;
use super::trace::{
    Fault, FaultPlace, LengthsAlign, OnlyReads, Shaping, TraceBuilder, TraceFile, TraceOptions, TraceReader,
};

/// A trace that a job replays.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The I/Os of the trace, and their totals.
    pub replay: Replay,
    /// The files that the trace names.
    pub files: Vec<PathBuf>,
    /// The kind of flush that the job issues.
    pub flush: FlushBy,
}

/// A text or binary trace, read from its start.
pub type TraceInput = Box<dyn BufRead + Send>;

/// Access to files and devices, for reading a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceWorld {
    /// Opens a trace.
    pub open: fn(&Path) -> std::io::Result<TraceInput>,
    /// Looks up the device with this major and minor number.
    pub device: fn(u32, u32) -> Option<PathBuf>,
}

/// A trace that is read again piece by piece during the replay.
#[derive(Debug)]
struct Reread {
    path: PathBuf,
    shaping: Shaping,
    world: TraceWorld,
}

impl TracePieces for Reread {
    fn read(&self) -> Box<dyn Iterator<Item = Result<Vec<u8>, String>> + Send> {
        let said = |fault: Fault| fault.problem;
        let opened = (self.world.open)(&self.path).map_err(|error| error.to_string());
        let mut reader = match opened.and_then(|input| TraceReader::open(input).map_err(said)) {
            Ok(reader) => Some(reader),
            Err(problem) => return Box::new(std::iter::once(Err(problem))),
        };
        let shaping = self.shaping.clone();
        let lengths = reader.as_ref().map_or(LengthsAlign::No, TraceReader::lengths);
        let mut gathered = TraceBuilder::new(shaping.with_lengths(lengths));
        Box::new(std::iter::from_fn(move || {
            let open = reader.as_mut()?;
            loop {
                match open.event() {
                    Ok(Some(event)) => gathered.take(&event),
                    Ok(None) => {
                        reader = None;
                        // An empty piece means the end to the reader, which is correct here.
                        return Some(Ok(gathered.rest()));
                    }
                    Err(fault) => {
                        reader = None;
                        return Some(Err(said(fault)));
                    }
                }
                if let Some(piece) = gathered.piece() {
                    return Some(Ok(piece));
                }
            }
        }))
    }
}

/// Reads the traces of all jobs that replay one; a job whose trace is wrong keeps the error. Clones share a trace.
pub fn read_traces(asked: &mut FioRequest, world: TraceWorld) {
    let only_reads = if asked.lays_out == LaysOut::Nothing { OnlyReads::Yes } else { OnlyReads::No };
    let mut known: HashMap<PathBuf, (TraceOptions, Arc<Result<Trace, FioError>>)> = HashMap::new();
    let mut remarks = Vec::new();
    for job in &mut asked.jobs {
        let Some(path) = path_of(job) else { continue };
        let options = &job.options.trace;
        let read = match known.get(&path) {
            Some((same, read)) if same == options => Arc::clone(read),
            _ => {
                let (read, notes) = read_trace(&path, options, (only_reads, world));
                remarks.extend(notes.into_iter().map(|note| format!("{}: {note}", job.name)));
                let read = Arc::new(read);
                known.insert(path, (options.clone(), Arc::clone(&read)));
                read
            }
        };
        job.trace = Some(read);
    }
    asked.notes.extend(remarks.into_iter().map(|words| Remark { about: About::Other, words }));
}

/// Path of this clone's trace; several traces are assigned to the clones in turn.
fn path_of(job: &FioJob) -> Option<PathBuf> {
    let list = split_list(job.options.trace.read.as_deref()?);
    list.get(job.clone as usize % list.len().max(1)).map(PathBuf::from)
}

/// Reads a trace, and returns it with remarks.
fn read_trace(
    path: &Path,
    options: &TraceOptions,
    (only_reads, world): (OnlyReads, TraceWorld),
) -> (Result<Trace, FioError>, Vec<String>) {
    let shaping = Shaping::of(options, only_reads);
    match look_through(path, &shaping, (options, world)) {
        Err(error) => (Err(error), Vec::new()),
        Ok((gathered, files, passed_over)) => {
            let notes = notes(path, &gathered, (only_reads, passed_over));
            let again = || Arc::new(Reread { path: path.to_owned(), shaping, world }) as Arc<dyn TracePieces>;
            let pieces = options.chunked.then(again);
            let flush = gathered.flush();
            let replay = gathered.into_replay((path.display().to_string(), files.len()), pieces);
            (Ok(Trace { replay, files, flush }), notes)
        }
    }
}

/// Reads through a trace, and returns its I/Os, its files, and the number of rows that are not replayed.
fn look_through(
    path: &Path,
    shaping: &Shaping,
    (options, world): (&TraceOptions, TraceWorld),
) -> Result<(TraceBuilder, Vec<PathBuf>, u64), FioError> {
    let named = |fault: Fault| bad(path, &fault);
    let wrong = |problem: String| FioError::Trace { place: None, path: path.display().to_string(), problem };
    let input = (world.open)(path).map_err(|error| wrong(error.to_string()))?;
    let mut reader = TraceReader::open(input).map_err(named)?;
    let mut gathered = TraceBuilder::new(shaping.clone().with_lengths(reader.lengths()));
    while let Some(event) = reader.event().map_err(named)? {
        gathered.take(&event);
        if options.chunked {
            // The I/Os are read again during the replay; only their totals are kept now.
            gathered.piece();
        }
    }
    if gathered.moves_nothing() {
        return Err(wrong(match gathered.left_out() {
            0 => "it has no read, write or trim".to_owned(),
            all => format!(
                "all {all} of its I/Os are left out, by replay_skip or since --readonly lets none change anything"
            ),
        }));
    }
    let files = files(&reader.files(), options, (path, world))?;
    Ok((gathered, files, reader.left_out()))
}

fn notes(path: &Path, gathered: &TraceBuilder, (only_reads, passed_over): (OnlyReads, u64)) -> Vec<String> {
    let (path, left_out) = (path.display(), gathered.left_out());
    let mut notes = Vec::new();
    if only_reads == OnlyReads::Yes && left_out > 0 {
        notes.push(format!(
            "--readonly: {left_out} I/Os of {path} are left out, which would change something"
        ));
    }
    if passed_over > 0 {
        notes.push(format!("{path}: {passed_over} rows of sync_file_range are not replayed, as in fio"));
    }
    if gathered.mixes_flushes() {
        notes.push(format!("{path}: datasync is done by fsync, as sync is"));
    }
    notes
}

/// Paths of the files of a trace.
fn files(
    found: &[TraceFile],
    options: &TraceOptions,
    (path, world): (&Path, TraceWorld),
) -> Result<Vec<PathBuf>, FioError> {
    if let Some(one) = &options.redirect {
        return Ok(vec![PathBuf::from(one)]);
    }
    let nowhere = |major: u32, minor: u32| FioError::Trace {
        place: None,
        path: path.display().to_string(),
        problem: format!(
            "it was recorded on device {major}:{minor}, which is not here; name one with replay_redirect"
        ),
    };
    let path_of = |file: &TraceFile| match *file {
        TraceFile::Path(ref path) => Ok(PathBuf::from(path)),
        TraceFile::Device { major, minor } => {
            (world.device)(major, minor).ok_or_else(|| nowhere(major, minor))
        }
    };
    found.iter().map(path_of).collect()
}

fn bad(path: &Path, fault: &Fault) -> FioError {
    let (path, problem) = (path.display().to_string(), fault.problem.clone());
    match fault.at {
        FaultPlace::Line { line, column } => {
            FioError::Trace { place: Some(Place { file: path.clone(), line, column }), path, problem }
        }
        FaultPlace::Byte(byte) => {
            FioError::Trace { place: None, path, problem: format!("at byte {byte}: {problem}") }
        }
    }
}

/// Returns `work` as a job that replays `trace`. As in fio, the trace decides the places and lengths of its I/Os and
/// when it ends.
pub(super) fn job(work: Job, options: &JobOptions, trace: &Trace) -> Job {
    let pace = if options.trace.no_stall { Pace::Closed } else { Pace::Traced };
    let ends = (options.runtime > Nanos::ZERO).then_some(StopRule::Time(options.runtime));
    Job {
        offset: Bytes(0),
        size: None,
        access: Access::replayed(trace.replay.clone()),
        // Trims carry no data, so a trace of trims alone needs the smallest buffers.
        blocks: BlockSizes::all(trace.replay.longest.max(Bytes(512))),
        pace,
        write_pace: None,
        flush: Flush::Never,
        calls: Calls { flush: trace.flush, ..work.calls },
        forget_each: None,
        stop: ends.into_iter().collect(),
        ..work
    }
}

/// Checks the options beside a trace that is replayed, and returns remarks on those without effect.
///
/// # Errors
/// If trace options are invalid, or exclude each other.
pub(super) fn settle(options: &mut JobOptions) -> Result<Vec<String>, FioError> {
    if let Some((what, remedy)) = options.trace.wrong() {
        return Err(FioError::refused(&what, &remedy));
    }
    let Some(read) = &options.trace.read else { return Ok(Vec::new()) };
    if options.trace.chunked && read == "-" {
        let remedy = "standard input cannot be read twice; name a file, or take read_iolog_chunked away";
        return Err(FioError::refused("read_iolog_chunked of standard input", remedy));
    }
    if options.verify.is_on() {
        let remedy = "what a trace writes is not checked; take verify away, or read_iolog";
        return Err(FioError::refused("verify beside read_iolog", remedy));
    }
    let mut notes = Vec::new();
    if options.trace.write.take().is_some() {
        notes.push("read_iolog overrides write_iolog: nothing is recorded".to_owned());
    }
    let overridden = overridden(options);
    if !overridden.is_empty() {
        let (names, has) = (overridden.join(", "), if overridden.len() > 1 { "have" } else { "has" });
        notes
            .push(format!("{names} {has} no effect beside read_iolog: the trace is replayed once, as it is"));
    }
    Ok(notes)
}

/// Names of the options that a trace overrides.
fn overridden(options: &JobOptions) -> Vec<&'static str> {
    let typed = |rates: &[u64; 3]| rates.iter().any(|rate| *rate > 0);
    let rows = [
        ("time_based", options.time_based),
        ("loops", options.loops > 1),
        ("io_size", options.io_size.is_some()),
        ("number_ios", options.number_ios > 0),
        ("rate", typed(&options.rate)),
        ("rate_iops", typed(&options.rate_iops)),
        ("fsync", options.fsync > 0),
        ("fdatasync", options.fdatasync > 0),
    ];
    rows.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
}
