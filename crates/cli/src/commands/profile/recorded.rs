//! The load of an input: of a trace, which has every I/O, or of a recording, which has counters.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use analysis::loads::{RecordedLoad, TraceReading, of_recording};
use fio::{Action, TraceFile, TraceReader, is_trace};
use record::Run;
use session::failure::Failure;
use session::inputs::Reader;
use session::named_input::{InputKind, NamedInput, about};
use session::output;
use workload::{Bytes, Direction, Packer, TraceRows, TracedIo};

use crate::arguments::typed;

/// First bytes that identify a trace.
const HEAD: Bytes = Bytes(64);

/// A load, and where it comes from.
pub(super) struct Recorded {
    /// Name of the input without its ending.
    pub name: String,
    /// The input.
    pub path: PathBuf,
    pub load: RecordedLoad,
    pub origin: Origin,
}

/// What a load was read from.
pub(super) enum Origin {
    /// Counters of a run.
    Run(Box<Run>),
    /// A trace, with where each of its files begins in one region.
    Trace(Box<TraceReading>),
}

/// Reads the load of an input, of the device `named` or of the only one.
pub(super) fn read(path: &Path, named: Option<&str>) -> Result<Recorded, Failure> {
    let is_file = about(path).is_ok_and(|about| about.kind == InputKind::File);
    let begins = is_file && NamedInput::plain(path, HEAD).beginning().is_ok_and(|bytes| is_trace(&bytes));
    let (load, origin) = if begins { of_trace(path, named)? } else { of_run(path, named)? };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Recorded { name, path: path.to_owned(), load, origin })
}

fn of_run(path: &Path, named: Option<&str>) -> Result<(RecordedLoad, Origin), Failure> {
    let mut runs = Reader::of(typed()).recordings(&[path.to_owned()])?.runs;
    let shown = path.display();
    if runs.len() > 1 {
        return Err(Failure::refused(format!(
            "{shown}: it has {} recordings, and a profile is made of one; name each by its own file",
            runs.len()
        )));
    }
    let run = runs.pop().map(|input| input.run).unwrap_or_else(|| Run::started(Vec::new(), 0));
    let mut loads = of_recording(&run, named);
    match (loads.len(), named) {
        (1, _) => Ok((loads.remove(0), Origin::Run(Box::new(run)))),
        (0, Some(name)) => Err(Failure::refused(format!(
            "{shown}: --device {name} did no I/O in this recording; it has I/O of {}",
            listed(&of_recording(&run, None))
        ))),
        (0, None) => Err(Failure::refused(format!(
            "{shown}: no disk did any I/O in this recording; record while the application works: plimsoll watch --for 10m"
        ))),
        _ => Err(Failure::refused(format!(
            "{shown}: it has I/O of {}; name one with --device",
            listed(&loads)
        ))),
    }
}

fn listed(loads: &[RecordedLoad]) -> String {
    let one = |load: &RecordedLoad| format!("{} ({})", load.device, report::numbers::iops(load.iops()));
    let all: Vec<String> = loads.iter().map(one).collect();
    if all.is_empty() { "no disk".to_owned() } else { all.join(", ") }
}

fn of_trace(path: &Path, named: Option<&str>) -> Result<(RecordedLoad, Origin), Failure> {
    let shown = path.display();
    if let Some(name) = named {
        return Err(Failure::refused(format!(
            "--device {name}: {shown} is a trace, which is taken whole; record the trace of one device"
        )));
    }
    let mut reading = TraceReading::new();
    let mut left_out = 0;
    let files = events(path, &mut left_out, &mut |io| reading.push(&io))?;
    if left_out > 0 {
        output::people(&format!("{shown}: {left_out} rows of sync_file_range are left out, as in fio"));
    }
    let device = match files.as_slice() {
        [TraceFile::Path(file)] => file.clone(),
        [TraceFile::Device { major, minor }] => format!("{major}:{minor}"),
        several => format!("{} files", several.len()),
    };
    match reading.load(device) {
        Some(load) => Ok((load, Origin::Trace(Box::new(reading)))),
        None => Err(Failure::refused(format!(
            "{shown}: it has no read or write; record while the application works"
        ))),
    }
}

/// Reads a trace, and returns its files.
fn events(
    path: &Path,
    left_out: &mut u64,
    take: &mut dyn FnMut(TracedIo),
) -> Result<Vec<TraceFile>, Failure> {
    let shown = path.display();
    let input = NamedInput::stream(path)
        .map_err(|error| Failure::refused(format!("{shown}: cannot be read: {error}; name a trace")))?;
    let wrong = |fault: fio::Fault| {
        let place = match fault.at {
            fio::FaultPlace::Line { line, column } => format!("line {line}, column {column}"),
            fio::FaultPlace::Byte(byte) => format!("byte {byte}"),
        };
        Failure::refused(format!(
            "{shown}, {place}: {}; record the trace again, or cut it off before there",
            fault.problem
        ))
    };
    let mut reader = TraceReader::open(BufReader::with_capacity(1 << 18, input)).map_err(wrong)?;
    while let Some(event) = reader.event().map_err(wrong)? {
        let Some(io) = event.io else { continue };
        let kind = match io.action {
            Action::Read => Direction::Read,
            Action::Write => Direction::Write,
            Action::Trim => Direction::Trim,
            Action::Sync | Action::Datasync => Direction::Flush,
        };
        take(TracedIo { at: event.at, kind, file: io.file, offset: io.offset, bytes: io.bytes });
    }
    *left_out = reader.left_out();
    Ok(reader.files())
}

/// A trace that fits into a region, and its I/Os by [`Direction::index`].
pub(super) struct Fitted {
    pub rows: TraceRows,
    pub ios: [u64; 4],
    pub longest: Bytes,
    pub length: workload::Nanos,
}

/// Reads a trace again for a replay within a region of `size` bytes: its files one after the other, wrapped at the end.
/// Trims are left out, as in the profile.
pub(super) fn fitted(path: &Path, reading: &TraceReading, size: Bytes) -> Result<Fitted, Failure> {
    let (begins, _) = reading.region();
    let mut packer = Packer::default();
    let mut of = Fitted {
        rows: TraceRows::default(),
        ios: [0; 4],
        longest: Bytes(512),
        length: workload::Nanos::ZERO,
    };
    let mut first = None;
    let unit = |value: u64| if value.is_multiple_of(4096) { 4096 } else { 512 };
    events(path, &mut 0, &mut |io| {
        let at = workload::Nanos(io.at.0 - *first.get_or_insert(io.at.0));
        if io.kind == Direction::Trim {
            return;
        }
        let bytes = io.bytes.next_multiple_of(if io.kind == Direction::Flush { 1 } else { 512 });
        let place = begins.get(io.file as usize).copied().unwrap_or(0) + io.offset;
        // The last place at which an I/O of this length fits, at the alignment that the trace has.
        let room = size.0.saturating_sub(u64::from(bytes)) / unit(io.offset) * unit(io.offset);
        let offset = if io.kind == Direction::Flush || room == 0 { 0 } else { place % room / 512 * 512 };
        of.ios[io.kind.index()] += 1;
        of.longest = of.longest.max(Bytes(u64::from(bytes)));
        of.length = at;
        packer.push(TracedIo { at, file: 0, offset, bytes, ..io });
    })?;
    of.rows = TraceRows::of(packer);
    Ok(of)
}
