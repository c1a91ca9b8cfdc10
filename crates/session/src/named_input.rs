//! The only way to read an input that the user has named: its kind is checked before it is opened, it is read up to
//! the limit of its format, and Ctrl-C ends a wait.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use kernel::InputKind;
use kernel::{InputFacts, InputReader, PollEntry, Wants, open_input, wait_ready};
use record::PATIENCE;
use workload::{Bytes, Nanos, grouped};

use crate::failure::{Code, Failure};
use crate::output;
use crate::signals::StopFlag;
use crate::watchdog::{AbandonReason, LOOK, NOTICED, reading, ready};

/// Size limit of files that people write by hand: profiles and policies.
pub const WRITTEN: Bytes = Bytes::mib(1);
/// Size limit of job files, other tools' profiles and states, which programs write too.
pub const JOB_FILE: Bytes = Bytes::mib(16);
/// Size limit of another tool's output: about ten million lines of a log.
pub const PRINTED: Bytes = Bytes::mib(256);
/// Size limit of an input of unknown length: a pipe, or a file of `/proc`.
const UNSIZED: Bytes = Bytes::mib(64);
/// Size limit of one read. The time limit starts anew with each read, so that a slow device does not count as one
/// that does not answer.
const PIECE: u64 = 4 << 20;
/// No limit, for a file that is not read to its end.
const ANY: Bytes = Bytes(u64::MAX);
/// Capacity of a pipe, in bytes.
const PIPE_PIECE: usize = 64 << 10;
/// Names of standard input. The descriptor is used instead of these names, by which a socket cannot be opened.
const STDIN: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Why an input was not read; the message follows "cannot be read: ".
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// An error of the system, in its own words.
    #[error(transparent)]
    Closed(#[from] io::Error),
    /// The input is of a kind that is not accepted.
    #[error("it is {}, and only {} is read here", name(*.0), .1)]
    Kind(InputKind, AcceptedKinds),
    /// The input is too long for its format: length and limit.
    #[error("it is a file of {}, and at most {} are read", apart(*.0, *.1).0, apart(*.0, *.1).1)]
    TooLong(Bytes, Bytes),
    /// The input did not end within the limit.
    #[error("it does not end within {0}, the most that is read of a pipe or a file of unknown size")]
    Endless(Bytes),
    /// The input is not UTF-8 text.
    #[error("it is no text in UTF-8")]
    NotText,
    /// A stop was requested while waiting for the input.
    #[error("stopped before its end was there")]
    Interrupted,
    /// The device of the input did not answer in time.
    #[error("its device does not answer")]
    GivenUp,
}

impl From<AbandonReason> for InputError {
    fn from(left: AbandonReason) -> InputError {
        match left {
            AbandonReason::Asked => InputError::Interrupted,
            AbandonReason::GivenUp => InputError::GivenUp,
        }
    }
}

/// Kinds of inputs that may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedKinds {
    /// Only a plain file.
    File,
    /// A plain file or a pipe.
    FileOrPipe,
}

impl std::fmt::Display for AcceptedKinds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            AcceptedKinds::File => "a plain file",
            AcceptedKinds::FileOrPipe => "a plain file or a pipe",
        })
    }
}

/// Formats both lengths precisely enough that they differ.
fn apart(length: Bytes, most: Bytes) -> (String, String) {
    let rounded = (length.to_string(), most.to_string());
    let exact = |bytes: Bytes| format!("{} bytes", grouped(bytes.0));
    if rounded.0 == rounded.1 { (exact(length), exact(most)) } else { rounded }
}

fn name(kind: InputKind) -> &'static str {
    match kind {
        InputKind::File => "a file",
        InputKind::Pipe => "a pipe (FIFO)",
        InputKind::Folder => "a folder",
        InputKind::CharacterDevice => "a character device",
        InputKind::BlockDevice => "a block device",
        InputKind::Socket => "a socket",
    }
}

impl InputError {
    /// Returns the failure of a command that lacks this input, with `words` as its message, unless a stop was
    /// requested.
    pub fn failure(&self, words: String) -> Failure {
        match self {
            InputError::Interrupted => {
                let message = "stopped while an input was waited for".to_owned();
                Failure { code: Code::Interrupted, message }
            }
            _ => Failure::refused(words),
        }
    }
}

/// Describes the kind of a path that is no usable input.
pub fn is_what(kind: InputKind) -> String {
    format!("it is {}", name(kind))
}

/// Conversion for readers that only know system errors. Never yields a kind at which readers retry, such as
/// `Interrupted`.
impl From<InputError> for io::Error {
    fn from(error: InputError) -> io::Error {
        match error {
            InputError::Closed(error) => error,
            InputError::NotText => io::Error::new(io::ErrorKind::InvalidData, error),
            error => io::Error::other(error),
        }
    }
}

/// Returns facts about the file at `path`, which may be a link, without reading it.
///
/// # Errors
/// [`InputError`], also if nothing exists at `path`.
pub fn about(path: &Path) -> Result<InputFacts, InputError> {
    let input = NamedInput::plain(path, Bytes(0));
    match input.opened(Bytes(0)) {
        Ok((_, facts)) => Ok(facts),
        Err(InputError::Kind(kind, _)) => Ok(InputFacts { kind, size: Bytes(0) }),
        Err(error) => Err(error),
    }
}

/// Whether there is a folder at `path`.
pub fn is_folder(path: &Path) -> bool {
    about(path).is_ok_and(|about| about.kind == InputKind::Folder)
}

/// A file that the user has named as input.
#[derive(Clone, Debug)]
pub struct NamedInput {
    path: PathBuf,
    most: Bytes,
    taken: AcceptedKinds,
    patience: Nanos,
}

impl NamedInput {
    /// Returns an input under the name that the user typed, which may be a pipe or `-`; at most `most` bytes are read.
    pub fn typed(path: impl AsRef<Path>, most: Bytes) -> NamedInput {
        let path = path.as_ref().to_owned();
        NamedInput { path, most, taken: AcceptedKinds::FileOrPipe, patience: PATIENCE }
    }

    /// Returns an input that must be a plain file, such as one found in a folder.
    pub fn plain(path: impl AsRef<Path>, most: Bytes) -> NamedInput {
        NamedInput { taken: AcceptedKinds::File, ..NamedInput::typed(path, most) }
    }

    /// Sets how long the input's device may leave a read unanswered.
    pub fn patient_for(self, patience: Nanos) -> NamedInput {
        NamedInput { patience, ..self }
    }

    /// The path as named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the whole input.
    ///
    /// # Errors
    /// [`InputError`], also if the input is longer than the limit.
    pub fn bytes(&self) -> Result<Vec<u8>, InputError> {
        let (mut input, about) = self.opened(self.most)?;
        let is_file = about.kind == InputKind::File;
        if is_file && about.size > self.most {
            return Err(InputError::TooLong(about.size, self.most));
        }
        let most = if is_file && about.size > Bytes(0) { self.most } else { self.most.min(UNSIZED) };
        let bytes = input.up_to(most.0 + 1)?;
        if bytes.len() as u64 > most.0 {
            return Err(InputError::Endless(most));
        }
        Ok(bytes)
    }

    /// Reads the whole input as text.
    ///
    /// # Errors
    /// [`InputError`].
    pub fn text(&self) -> Result<String, InputError> {
        String::from_utf8(self.bytes()?).map_err(|_| InputError::NotText)
    }

    /// Reads the first bytes of the input, up to the limit.
    ///
    /// # Errors
    /// [`InputError`].
    pub fn beginning(&self) -> Result<Vec<u8>, InputError> {
        self.opened(ANY)?.0.up_to(self.most.0)
    }

    /// Opens an input that the user typed, for a reader that reads it piece by piece and keeps little of it.
    ///
    /// # Errors
    /// [`InputError`].
    pub fn stream(path: &Path) -> Result<InputStream, InputError> {
        Ok(NamedInput::typed(path, Bytes(0)).opened(ANY)?.0)
    }

    /// Opens the input. Its kind is checked before opening, because opening a device may have effects, and again
    /// afterwards, because another file may have taken its place. Reads nothing from a file longer than `most`.
    fn opened(&self, most: Bytes) -> Result<(InputStream, InputFacts), InputError> {
        let stop = StopFlag::while_reading(self.patience);
        let what = format!("the reading of {}", self.path.display());
        // The kernel's own files always answer, and some belong to the process that opens them.
        let own = self.is_stdin() || ["/proc", "/dev"].iter().any(|place| self.path.starts_with(place));
        let started = if own { None } else { InputReader::start(&self.path, most).ok() };
        if let Some(mut child) = started {
            ready(&what, &stop, &child)?;
            let facts = child.facts()?;
            self.may_be(facts.kind)?;
            if facts.kind == InputKind::File {
                return Ok((InputStream { source: Source::Child(child), stop, what }, facts));
            }
        }
        let ours = self.clone();
        let (file, facts) = reading(&what, &stop, move || ours.open_here())??;
        let source = match facts.kind {
            InputKind::File => Source::Held(Arc::new(file)),
            _ => Source::Pipe(file, PipeWait { tells: !self.is_stdin(), path: self.path.clone() }),
        };
        Ok((InputStream { source, stop, what }, facts))
    }

    fn open_here(&self) -> Result<(File, InputFacts), InputError> {
        if self.is_stdin() {
            // Not reopened: the user redirected this input on purpose, whatever its kind.
            let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
            let facts = InputFacts::from(file.metadata()?);
            return Ok((file, facts));
        }
        self.may_be(InputFacts::from(std::fs::metadata(&self.path)?).kind)?;
        let file = open_input(&self.path)?;
        let facts = InputFacts::from(file.metadata()?);
        self.may_be(facts.kind)?;
        Ok((file, facts))
    }

    fn is_stdin(&self) -> bool {
        self.taken == AcceptedKinds::FileOrPipe && STDIN.iter().any(|name| self.path == Path::new(name))
    }

    fn may_be(&self, kind: InputKind) -> Result<(), InputError> {
        match (kind, self.taken) {
            (InputKind::File, _) | (InputKind::Pipe, AcceptedKinds::FileOrPipe) => Ok(()),
            (kind, taken) => Err(InputError::Kind(kind, taken)),
        }
    }
}

/// An open input. A stop request ends every wait for it.
#[derive(Debug)]
pub struct InputStream {
    source: Source,
    stop: StopFlag,
    what: String,
}

/// Source of an input's bytes.
#[derive(Debug)]
enum Source {
    /// A child process reads the file, because a read may hang.
    Child(InputReader),
    /// A pipe that another process writes to.
    Pipe(File, PipeWait),
    /// A file that is read by a thread.
    Held(Arc<File>),
}

/// A wait for the process that writes to a pipe.
#[derive(Debug)]
struct PipeWait {
    path: PathBuf,
    /// Whether the wait is still to be reported.
    tells: bool,
}

impl InputStream {
    /// Reads at most `most` bytes.
    fn up_to(&mut self, most: u64) -> Result<Vec<u8>, InputError> {
        let mut bytes = Vec::new();
        loop {
            let left = most - bytes.len() as u64;
            if self.piece(&mut bytes, left.min(PIECE))? == 0 || bytes.len() as u64 == most {
                return Ok(bytes);
            }
        }
    }

    /// Appends what can be read at once, at most `most` bytes.
    fn piece(&mut self, bytes: &mut Vec<u8>, most: u64) -> Result<usize, InputError> {
        let mut room = [0; PIPE_PIECE];
        let room = &mut room[..most.min(PIPE_PIECE as u64) as usize];
        let read = match &mut self.source {
            Source::Child(child) => {
                ready(&self.what, &self.stop, child)?;
                child.read(room)?
            }
            Source::Pipe(pipe, wait) => wait.read(pipe, &self.stop, room)?,
            Source::Held(file) => {
                let (file, mut all) = (Arc::clone(file), std::mem::take(bytes));
                let work = move || (&*file).take(most).read_to_end(&mut all).map(|read| (read, all));
                let (read, all) = reading(&self.what, &self.stop, work)??;
                *bytes = all;
                return Ok(read);
            }
        };
        bytes.extend_from_slice(&room[..read]);
        Ok(read)
    }
}

impl Read for InputStream {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut bytes = Vec::new();
        let read = self.piece(&mut bytes, room.len() as u64)?;
        room[..read].copy_from_slice(&bytes);
        Ok(read)
    }
}

impl PipeWait {
    /// Reads available bytes as soon as there are any; returns 0 once the pipe has no writer.
    fn read(&mut self, mut pipe: &File, stop: &StopFlag, room: &mut [u8]) -> Result<usize, InputError> {
        loop {
            self.ready(pipe, stop)?;
            match pipe.read(room) {
                // Another reader of the same pipe was faster.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return Ok(read?),
            }
        }
    }

    fn ready(&mut self, file: &File, stop: &StopFlag) -> Result<(), InputError> {
        let since = Instant::now();
        loop {
            if stop.raised() {
                return Err(InputError::Interrupted);
            }
            let mut waited = [PollEntry::new(file.as_fd(), Wants::Input)];
            wait_ready(&mut waited, LOOK)?;
            if waited[0].is_ready() {
                return Ok(());
            }
            self.tell(since.elapsed());
        }
    }

    /// Reports the wait once on stderr; not for standard input, where text may still come from a keyboard.
    fn tell(&mut self, lasted: Duration) {
        if self.tells && lasted >= NOTICED {
            self.tells = false;
            let path = self.path.display();
            let text = format!("{path} is a pipe, and nobody writes to it; it is waited for until Ctrl-C");
            output::people(report::wrap("plimsoll: ", &text).trim_end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_a_little_too_long_is_told_so_exactly_that_it_can_be_believed() {
        let told = |length: u64| InputError::TooLong(Bytes(length), JOB_FILE).to_string();
        assert_eq!(told(64 << 20), "it is a file of 64 MiB, and at most 16 MiB are read");
        assert_eq!(
            told((16 << 20) + 1),
            "it is a file of 16,777,217 bytes, and at most 16,777,216 bytes are read"
        );
    }
}
