//! Stores a run from a separate thread, so that measuring never waits for the device that holds the file.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::time::{Duration, Instant};

use record::{Event, Interval, Phase, Run, Sample, StepRecord, StoredFinding};
use workload::{Nanos, StepPlan};

use crate::{WriteError, Writer};

/// Most entries that may wait to be stored: about a quarter of an hour of a watch that samples every second.
const ENTRIES_MOST: usize = 1024;

/// Longest wait of a full queue for the writer to take an entry; after it, entries are lost until the writer takes
/// one. In virtual time a run fills the queue in a moment, and the writer is only slow, not stuck.
const FULL_PATIENCE: Duration = Duration::from_secs(1);

/// Longest wait at the end for each entry to be stored. The kernel waits 30 s and more for a device, which is too
/// long for anyone who has pressed Ctrl-C.
const END_PATIENCE: Duration = Duration::from_secs(8);

/// One call of the writer.
type Work = Box<dyn FnOnce(&mut Writer) -> Result<(), WriteError> + Send>;

/// Request to the writer's thread.
enum Entry {
    /// The call stores an entry of this kind.
    Store(EntryKind, Work),
    /// Finish the file, which is complete.
    Finish,
}

/// Kind of the entry that an outcome belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A sample.
    Sample,
    /// Anything else.
    Other,
}

/// Result of storing an entry.
pub type Outcome = (EntryKind, Result<(), WriteError>);

/// A run file that a separate thread writes. The calls are those of [`Writer`] and return at once;
/// [`outcomes`](Recorder::outcomes) returns their results. On drop, waits a while for entries that are not stored
/// yet.
pub struct Recorder {
    path: PathBuf,
    /// `None` once no more entries will follow.
    entries: Option<SyncSender<Entry>>,
    answers: Receiver<Outcome>,
    /// Outcomes that the caller has not fetched yet.
    known: Vec<Outcome>,
    /// Number of entries handed over but not stored yet.
    waiting: usize,
    /// Whether the writer has stored nothing for longer than acceptable.
    silent: bool,
}

impl Recorder {
    /// Moves `writer` to a new thread.
    ///
    /// # Errors
    /// `Create` if the machine cannot start another thread.
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

    /// Returns the outcomes of entries since the last call, in order.
    pub fn outcomes(&mut self) -> Vec<Outcome> {
        while let Ok(outcome) = self.answers.try_recv() {
            self.take(outcome);
        }
        std::mem::take(&mut self.known)
    }

    /// Waits until everything is stored, or until nothing has been for several seconds; returns outcomes as
    /// [`Recorder::outcomes`] does.
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

    /// Whether the writer was given up because its device does not answer; nothing in that folder should then be
    /// touched.
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// Finishes the file as [`Writer::finish`] does; fails with the first error that the caller has not fetched.
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
        // The thread closes its end of the channel after dropping its writer, so everything received until then is
        // stored.
        let deadline = Instant::now() + END_PATIENCE;
        while !self.silent && Instant::now() < deadline {
            if let Err(RecvTimeoutError::Disconnected) = self.answers.recv_timeout(Duration::from_millis(100))
            {
                return;
            }
        }
    }
}

/// Returns the header alone: records are stored as they are made and need not be copied twice.
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
        processes: run.processes.clone(),
        complete: run.complete,
        started_unix_ns: run.started_unix_ns,
        ..Run::started(run.words.clone(), run.started_unix_ms)
    }
}

/// Main function of the thread: stores entries in order, and sends the outcome of each.
fn store_all(mut writer: Writer, entries: &Receiver<Entry>, answer: &Sender<Outcome>) {
    for entry in entries {
        let outcome = match entry {
            Entry::Store(of, work) => (of, work(&mut writer)),
            Entry::Finish => {
                // The receiver may be gone.
                let _ = answer.send((EntryKind::Other, writer.finish().map(drop)));
                return;
            }
        };
        let _ = answer.send(outcome);
    }
}
