//! Stores a run from a thread of its own, so that measuring never waits for the device that holds the file.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::time::{Duration, Instant};

use record::{Event, Interval, Phase, Run, Sample, StepRecord, StoredFinding};
use workload::{Nanos, StepPlan};

use crate::{WriteError, Writer};

/// Most entries that may wait to be stored: about a quarter of an hour of a watch that samples every second.
const ENTRIES_MOST: usize = 1024;

/// How long a full queue waits for the writer to take one more entry; after that entries are lost until it
/// does. In virtual time a run fills the queue in a moment, and the writer is only slower.
const FULL_PATIENCE: Duration = Duration::from_secs(1);

/// How long the end waits for each entry to be stored. The kernel's own patience with a device is 30 s and
/// more, which is too long for anyone who has pressed Ctrl-C.
const END_PATIENCE: Duration = Duration::from_secs(8);

/// One call of the writer.
type Work = Box<dyn FnOnce(&mut Writer) -> Result<(), WriteError> + Send>;

/// What is to be done with the file.
enum Entry {
    /// The call stores an entry of this kind.
    Store(EntryKind, Work),
    /// The file is complete.
    Finish,
}

/// The kind of entry that an outcome is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A sample.
    Sample,
    /// Anything else.
    Other,
}

/// What became of an entry.
pub type Outcome = (EntryKind, Result<(), WriteError>);

/// A run file that a thread of its own writes. The calls are those of [`Writer`] and return at once;
/// [`outcomes`](Recorder::outcomes) returns what became of them. On drop, it waits a while for what is still to be stored.
pub struct Recorder {
    path: PathBuf,
    /// `None` once nothing more is to come.
    entries: Option<SyncSender<Entry>>,
    answers: Receiver<Outcome>,
    /// Outcomes that the caller has not fetched yet.
    known: Vec<Outcome>,
    /// Entries that were handed over and are not stored yet.
    waiting: usize,
    /// Whether the writer has stored nothing within the longest acceptable wait.
    silent: bool,
}

impl Recorder {
    /// Hands `writer` over to a thread.
    ///
    /// # Errors
    /// `Create` if the machine has no thread left.
    pub fn start(writer: Writer) -> Result<Recorder, WriteError> {
        let path = writer.path().to_owned();
        let (entries, taken) = sync_channel(ENTRIES_MOST);
        let (answer, answers) = channel();
        std::thread::Builder::new()
            .name("run file".to_owned())
            .spawn(move || store_all(writer, &taken, &answer))
            .map_err(|source| WriteError::Create { path: path.clone(), source })?;
        let known = Vec::new();
        Ok(Recorder { path, entries: Some(entries), answers, known, waiting: 0, silent: false })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Queues [`Writer::header`].
    pub fn header(&mut self, header: &Run) {
        let header = without_records(header);
        self.store(move |writer| writer.header(&header));
    }

    /// Queues [`Writer::phases`].
    pub fn phases(&mut self, phases: &[Phase]) {
        let phases = phases.to_vec();
        self.store(move |writer| writer.phases(&phases));
    }

    /// Queues [`Writer::step_started`].
    pub fn step_started(&mut self, plan: &StepPlan, at: Nanos) {
        let plan = plan.clone();
        self.store(move |writer| writer.step_started(&plan, at));
    }

    /// Queues [`Writer::interval`].
    pub fn interval(&mut self, interval: &Interval) {
        let interval = interval.clone();
        self.store(move |writer| writer.interval(&interval));
    }

    /// Queues [`Writer::sample`].
    pub fn sample(&mut self, sample: &Sample) {
        let sample = sample.clone();
        self.hand(Entry::Store(EntryKind::Sample, Box::new(move |writer| writer.sample(&sample))));
    }

    /// Queues [`Writer::event`].
    pub fn event(&mut self, event: &Event) {
        let event = event.clone();
        self.store(move |writer| writer.event(&event));
    }

    /// Queues [`Writer::step_ended`].
    pub fn step_ended(&mut self, record: &StepRecord) {
        let record = record.clone();
        self.store(move |writer| writer.step_ended(&record));
    }

    /// Queues [`Writer::findings`].
    pub fn findings(&mut self, findings: &[StoredFinding]) {
        let findings = findings.to_vec();
        self.store(move |writer| writer.findings(&findings));
    }

    /// Queues [`Writer::commit`].
    pub fn commit(&mut self) {
        self.store(Writer::commit);
    }

    /// Returns what became of entries since the last call, in their order.
    pub fn outcomes(&mut self) -> Vec<Outcome> {
        while let Ok(outcome) = self.answers.try_recv() {
            self.take(outcome);
        }
        std::mem::take(&mut self.known)
    }

    /// Waits until everything is stored, or nothing was for several seconds; returns outcomes as [`Recorder::outcomes`] does.
    pub fn settle(&mut self) -> Vec<Outcome> {
        while self.waiting > 0 && !self.silent {
            match self.answers.recv_timeout(END_PATIENCE) {
                Ok(outcome) => self.take(outcome),
                Err(RecvTimeoutError::Timeout) => self.give_up(),
                Err(RecvTimeoutError::Disconnected) => {
                    self.known.push((EntryKind::Other, Err(WriteError::Lost { path: self.path.clone() })));
                    self.waiting = 0;
                }
            }
        }
        self.outcomes()
    }

    /// Whether the writer was given up because its device does not answer: then nothing in that folder should be touched.
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// Finishes the file as [`Writer::finish`] does; fails with the first error that was not yet fetched.
    ///
    /// # Errors
    /// `Silent` if the device did not answer, and any other error of the writer.
    pub fn finish(mut self) -> Result<PathBuf, WriteError> {
        self.hand(Entry::Finish);
        let trouble = self.settle().into_iter().find_map(|(_, stored)| stored.err());
        match trouble {
            Some(error) => Err(error),
            None if self.silent => Err(WriteError::Silent { path: self.path.clone() }),
            None => Ok(self.path.clone()),
        }
    }

    fn store(&mut self, work: impl FnOnce(&mut Writer) -> Result<(), WriteError> + Send + 'static) {
        self.hand(Entry::Store(EntryKind::Other, Box::new(work)));
    }

    fn hand(&mut self, entry: Entry) {
        let of = if let Entry::Store(of, _) = &entry { *of } else { EntryKind::Other };
        match self.entered(entry) {
            Ok(()) => self.waiting += 1,
            Err(error) => self.known.push((of, Err(error))),
        }
    }

    fn entered(&mut self, mut entry: Entry) -> Result<(), WriteError> {
        loop {
            let lost = || WriteError::Lost { path: self.path.clone() };
            let sent = self.entries.as_ref().ok_or_else(lost)?.try_send(entry);
            entry = match sent {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(lost()),
                Err(TrySendError::Full(entry)) => entry,
            };
            match self.answers.recv_timeout(if self.silent { Duration::ZERO } else { FULL_PATIENCE }) {
                Ok(outcome) => self.take(outcome),
                Err(_) => {
                    self.silent = true;
                    return Err(WriteError::Silent { path: self.path.clone() });
                }
            }
        }
    }

    fn take(&mut self, outcome: Outcome) {
        self.waiting = self.waiting.saturating_sub(1);
        self.silent = false;
        self.known.push(outcome);
    }

    fn give_up(&mut self) {
        self.silent = true;
        self.known.push((EntryKind::Other, Err(WriteError::Silent { path: self.path.clone() })));
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.entries = None;
        // The thread's end of the channel closes after its writer is dropped: what is stored by then stays.
        let deadline = Instant::now() + END_PATIENCE;
        while !self.silent && Instant::now() < deadline {
            if let Err(RecvTimeoutError::Disconnected) = self.answers.recv_timeout(Duration::from_millis(100))
            {
                return;
            }
        }
    }
}

/// Returns the header alone: records are stored as they come and not carried twice.
fn without_records(run: &Run) -> Run {
    Run {
        version: run.version.clone(),
        origin: run.origin.clone(),
        host: run.host.clone(),
        target: run.target.clone(),
        policy: run.policy.clone(),
        expectation: run.expectation.clone(),
        own_policies: run.own_policies.clone(),
        asked: run.asked.clone(),
        forecast: run.forecast,
        devices: run.devices.clone(),
        limits: run.limits.clone(),
        exceeded: run.exceeded.clone(),
        phases: run.phases.clone(),
        complete: run.complete,
        ..Run::started(run.words.clone(), run.started_unix_ms)
    }
}

/// Runs as the thread: stores entries in their order, and answers what became of each.
fn store_all(mut writer: Writer, entries: &Receiver<Entry>, answer: &Sender<Outcome>) {
    for entry in entries {
        let outcome = match entry {
            Entry::Store(of, work) => (of, work(&mut writer)),
            Entry::Finish => {
                // Nobody may be left to receive it.
                let _ = answer.send((EntryKind::Other, writer.finish().map(drop)));
                return;
            }
        };
        let _ = answer.send(outcome);
    }
}
