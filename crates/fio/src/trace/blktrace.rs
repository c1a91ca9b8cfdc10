//! The kernel's traces of block devices, as blktrace(8) stores them: the records of `struct blk_io_trace` in
//! include/uapi/linux/blktrace_api.h.

use std::io::{BufRead, Read};

use workload::Nanos;

use super::{Action, Event, Fault, FaultPlace, TraceFile, TraceIo};

/// Start of each record: "eat", with the version in the lowest byte.
const MAGIC: u32 = 0x6561_7400;
/// Version of the format, the same since 2006.
const VERSION: u32 = 7;
/// Bytes of a record, without the data appended to it.
const RECORD: usize = 48;
const SECTOR: u64 = 512;
/// Most devices of one trace: far more than a machine has.
const DEVICES_MAX: usize = 4096;
/// The longest I/O, 1 GiB, in bytes: the kernel moves just under 2 GiB in one call.
const IO_MAX: u32 = 1 << 30;

/// A request has reached the queue: the only event that every request has, with the length that the program requested.
const QUEUED: u32 = 1;
// The upper half of an action describes the request.
const WRITES: u32 = 1 << (1 + 16);
const FLUSHES: u32 = 1 << (2 + 16);
/// A message, such as the name of a process.
const NOTIFIES: u32 = 1 << (10 + 16);
const DISCARDS: u32 = 1 << (13 + 16);

/// Whether a file with these first bytes is a trace of blktrace.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let Some(Ok(magic)) = bytes.get(..4).map(<[u8; 4]>::try_from) else { return false };
    let fits = |magic: u32| magic & !0xff == MAGIC;
    fits(u32::from_le_bytes(magic)) || fits(u32::from_be_bytes(magic))
}

/// A trace of the kernel, read record by record.
pub struct Blktrace<R> {
    input: R,
    /// Offset of the next byte to read.
    position: u64,
    files: Vec<TraceFile>,
    /// Time of the last record used, in nanoseconds.
    last: Option<u64>,
    at: Nanos,
    /// The remainder of a trim that exceeds the longest I/O.
    rest: Option<TraceIo>,
}

/// The fields of a record that are used.
struct Record {
    time_ns: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    device: u32,
    appended: u16,
}

impl<R: BufRead> Blktrace<R> {
    /// Reads `input` from its first record on.
    pub fn open(input: R) -> Blktrace<R> {
        Blktrace { input, position: 0, files: Vec::new(), last: None, at: Nanos::ZERO, rest: None }
    }

    /// Devices seen so far.
    pub fn files(&self) -> &[TraceFile] {
        &self.files
    }

    /// Reads the next queued request; `None` at the end.
    ///
    /// # Errors
    /// [`Fault`], with the byte at which the record begins.
    pub fn event(&mut self) -> Result<Option<Event>, Fault> {
        if let Some(rest) = self.rest.take() {
            return Ok(Some(self.piece(rest)));
        }
        loop {
            let begin = self.position;
            let Some(record) = self.record()? else { return Ok(None) };
            if let Some(event) = self.take(&record, begin)? {
                return Ok(Some(event));
            }
        }
    }

    fn take(&mut self, record: &Record, begin: u64) -> Result<Option<Event>, Fault> {
        let is = |bit: u32| record.action & bit != 0;
        if is(NOTIFIES) || record.action & 0xffff != QUEUED {
            return Ok(None);
        }
        let action = match record.bytes {
            0 if is(FLUSHES) => Action::Sync,
            0 => return Ok(None),
            _ if is(DISCARDS) => Action::Trim,
            _ if is(WRITES) => Action::Write,
            _ => Action::Read,
        };
        // A flush has no offset, whatever the field contains.
        let sector = if action == Action::Sync { 0 } else { record.sector };
        if sector > (i64::MAX as u64 - u64::from(u32::MAX)) / SECTOR {
            return Err(self.fault(begin, format!("sector {sector} lies beyond every device")));
        }
        if record.bytes > IO_MAX && action != Action::Trim {
            return Err(
                self.fault(begin, format!("an I/O of {} bytes; one has at most {IO_MAX}", record.bytes))
            );
        }
        let last = self.last.replace(record.time_ns).unwrap_or(record.time_ns);
        self.at = Nanos(self.at.0.saturating_add(record.time_ns.saturating_sub(last)));
        let file = self.device(record.device, begin)?;
        let offset = sector * SECTOR;
        Ok(Some(self.piece(TraceIo { action, file, offset, bytes: record.bytes })))
    }

    /// Returns the part of `io` that fits into one I/O; the remainder is returned next.
    fn piece(&mut self, io: TraceIo) -> Event {
        let bytes = io.bytes.min(IO_MAX);
        let rest = TraceIo { offset: io.offset + u64::from(bytes), bytes: io.bytes - bytes, ..io };
        self.rest = (rest.bytes > 0).then_some(rest);
        Event { at: self.at, io: Some(TraceIo { bytes, ..io }) }
    }

    fn device(&mut self, number: u32, begin: u64) -> Result<u32, Fault> {
        // The kernel's internal encoding: twenty bits for the minor number.
        let device = TraceFile::Device { major: number >> 20, minor: number & 0xf_ffff };
        if let Some(known) = self.files.iter().position(|known| *known == device) {
            return Ok(known as u32);
        }
        if self.files.len() == DEVICES_MAX {
            return Err(self.fault(begin, format!("more than {DEVICES_MAX} devices")));
        }
        self.files.push(device);
        Ok(self.files.len() as u32 - 1)
    }

    fn record(&mut self) -> Result<Option<Record>, Fault> {
        let (begin, mut bytes) = (self.position, [0; RECORD]);
        let mut filled = 0;
        while filled < RECORD {
            match self.input.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fault(begin, error.to_string())),
            }
        }
        self.position += filled as u64;
        match filled {
            0 => return Ok(None),
            RECORD => {}
            _ => return Err(self.fault(begin, format!("a record of {filled} bytes; each has {RECORD}"))),
        }
        let record = self.read_record(&bytes, begin)?;
        let appended = u64::from(record.appended);
        let skipped = std::io::copy(&mut self.input.by_ref().take(appended), &mut std::io::sink());
        if skipped.map_err(|error| self.fault(begin, error.to_string()))? < appended {
            return Err(self.fault(begin, "the trace ends within what is appended to a record".to_owned()));
        }
        self.position += appended;
        Ok(Some(record))
    }

    fn read_record(&self, bytes: &[u8; RECORD], begin: u64) -> Result<Record, Fault> {
        let four = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        let swapped = u32::from_le_bytes(four(0)) & !0xff != MAGIC;
        let u32_at =
            |at: usize| if swapped { u32::from_be_bytes(four(at)) } else { u32::from_le_bytes(four(at)) };
        let u64_at = |at: usize| {
            let (first, second) = (u64::from(u32_at(at)), u64::from(u32_at(at + 4)));
            if swapped { first << 32 | second } else { second << 32 | first }
        };
        match u32_at(0) {
            magic if magic & !0xff != MAGIC => Err(self
                .fault(begin, format!("{magic:#010x} where a record begins with {:#010x}", MAGIC | VERSION))),
            magic if magic & 0xff != VERSION => Err(self.fault(
                begin,
                format!("a record of version {}; version {VERSION} is replayed", magic & 0xff),
            )),
            _ => Ok(Record {
                time_ns: u64_at(8),
                sector: u64_at(16),
                bytes: u32_at(24),
                action: u32_at(28),
                device: u32_at(36),
                appended: (u32_at(44) >> if swapped { 0 } else { 16 }) as u16,
            }),
        }
    }

    fn fault(&self, begin: u64, problem: String) -> Fault {
        Fault { at: FaultPlace::Byte(begin), problem }
    }
}
