//! Stores a run while it happens, in about one transaction a second, so that little is lost at little cost.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use record::{
    DeviceFacts, Event, EventKind, Interval, Phase, ReportedPart, Run, Sample, StepRecord, StoredFinding,
};
use rusqlite::{Connection, ErrorCode};
use workload::{Direction, Flush, Nanos, StepPlan};

use crate::remarks::{Events, Findings};
use crate::samples::Storing;
use crate::{WriteError, birth, header, machine, observed, reported, steps, table};

/// Time between commits: at most about a second is lost if the process is killed. Slightly less than a second, so
/// that samples taken every second, a little early or late, are each committed at once.
const COMMIT_EVERY: Duration = Duration::from_millis(900);

/// Time between checkpoints: a copy of the main file alone lacks at most this much.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// Longest wait for a current reader when closing.
const CLOSING_PATIENCE: Duration = Duration::from_millis(500);

/// Whether the run file is on the device under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameDevice {
    /// On the device under test: commits do not sync, because plimsoll's own flush would disturb the measurement. A
    /// power failure may destroy the file; a crash of the process does not.
    Yes,
    /// On another device: checkpoints sync.
    No,
}

impl SameDevice {
    /// Returns `Yes` if a device below the run file's place is also below the target: I/O to a shared disk disturbs
    /// the measurement even if it goes to another partition.
    pub fn of(place: &[DeviceFacts], target: &[DeviceFacts]) -> SameDevice {
        let shared = place.iter().any(|device| target.iter().any(|other| other.name == device.name));
        if shared { SameDevice::Yes } else { SameDevice::No }
    }
}

/// A run file that is being written. If dropped without [`finish`](Writer::finish), the file stays readable and is
/// marked incomplete.
#[derive(Debug)]
pub struct Writer {
    conn: Connection,
    path: PathBuf,
    /// Whether a transaction is open; the first row after a commit begins one.
    open: bool,
    committed: Instant,
    checkpointed: Instant,
    storing: Storing,
    step: Option<OpenStep>,
    /// Number of the next step, from 0 in the order of the run.
    next_step: i64,
}

/// The step between its start and its end.
#[derive(Debug)]
struct OpenStep {
    id: i64,
    /// Directions in which the plan can issue I/O, by [`Direction::index`].
    planned: [bool; 4],
    /// Number of intervals stored so far: the first ones of the step's record.
    stored: usize,
}

/// Stores a run that is over, measured or imported, and returns the path. The file is marked complete only if
/// `run.complete` is true.
///
/// # Errors
/// Those of [`Writer::create`]; `NotText` for a plan that names files outside UTF-8.
pub fn write(
    birth: impl FnOnce(&[u8]) -> Result<PathBuf, WriteError>,
    run: &Run,
) -> Result<PathBuf, WriteError> {
    let mut writer = Writer::create(birth, run, SameDevice::No)?;
    for step in &run.steps {
        writer.step_started(&step.plan, step.started)?;
        writer.step_ended(step)?;
    }
    run.samples.iter().try_for_each(|sample| writer.sample(sample))?;
    run.events.iter().try_for_each(|event| writer.event(event))?;
    writer.findings(&run.findings)?;
    writer.reported(&run.reported)?;
    writer.put(|conn| observed::store(conn, run.observed.as_ref()))?;
    if run.complete {
        return writer.finish();
    }
    writer.close()
}

impl Writer {
    /// Creates the file and stores the description in `header` of the run as a whole: its words, host and target,
    /// the devices of the machine, limits and phases. Steps, samples, events and findings are left out; other calls
    /// store them.
    ///
    /// `birth` creates a file with the given bytes under an unused name, and returns its path. If it creates the
    /// file whole, for example by linking an unnamed file, a kill at any moment leaves a readable file or none.
    ///
    /// # Errors
    /// Those of `birth`, `Full` and `Failed`.
    pub fn create(
        birth: impl FnOnce(&[u8]) -> Result<PathBuf, WriteError>,
        header: &Run,
        place: SameDevice,
    ) -> Result<Writer, WriteError> {
        let image = birth::image(header).map_err(|source| failed(Path::new("in memory"), source))?;
        let path = birth(&image)?;
        let opened = birth::open(&path, place);
        if opened.is_err() {
            // plimsoll created this file, which holds nothing; a failure to remove it does no harm.
            for ending in ["", "-wal", "-shm", "-journal"] {
                let mut name = path.as_os_str().to_owned();
                name.push(ending);
                let _ = std::fs::remove_file(name);
            }
        }
        let now = Instant::now();
        Ok(Writer {
            conn: opened.map_err(|source| failed(&path, source))?,
            path,
            open: false,
            committed: now,
            checkpointed: now,
            storing: Storing::default(),
            step: None,
            next_step: 0,
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the stored description of the run when more has become known, such as target facts after the guard.
    ///
    /// # Errors
    /// `Full` and `Failed`.
    pub fn header(&mut self, header: &Run) -> Result<(), WriteError> {
        self.put(|conn| header::store(conn, header))
    }

    /// Stores the known phases of a watch, visible to readers at once; replaces those stored before. Store a phase
    /// when it begins, with its expected end, so that the file of a killed run names it.
    ///
    /// # Errors
    /// `Full` and `Failed`.
    pub fn phases(&mut self, phases: &[Phase]) -> Result<(), WriteError> {
        self.put(|conn| machine::store_phases(conn, phases))?;
        self.commit()
    }

    /// Begins a step at `at` on the run's clock. Its jobs are those of its workers, each once, in the plan's order,
    /// unless the end of the step replaces them.
    ///
    /// # Errors
    /// `NotText`, `Full` and `Failed`.
    pub fn step_started(&mut self, plan: &StepPlan, at: Nanos) -> Result<(), WriteError> {
        let id = self.next_step;
        let begun = steps::StepRow::begun(plan, self.plan_text(plan)?, at);
        self.put(|conn| steps::begin(conn, id, &begun))?;
        // Other rows refer to this one, so it must not be rolled back with a later row that finds the disk full.
        self.commit()?;
        self.next_step += 1;
        self.step = Some(OpenStep { id, planned: directions_of(plan), stored: 0 });
        Ok(())
    }

    /// Stores a final interval of the open step.
    ///
    /// # Errors
    /// `NoStep`, `Full` and `Failed`.
    pub fn interval(&mut self, interval: &Interval) -> Result<(), WriteError> {
        let (id, planned) = self.open_step("an interval")?;
        self.put(|conn| steps::interval(conn, id, interval, planned))?;
        self.step.iter_mut().for_each(|step| step.stored += 1);
        Ok(())
    }

    /// Stores a reading of the machine's counters. Samples a second apart are each visible to readers at once;
    /// closer ones become visible every second.
    ///
    /// # Errors
    /// `Full` and `Failed`.
    pub fn sample(&mut self, sample: &Sample) -> Result<(), WriteError> {
        let mut storing = std::mem::take(&mut self.storing);
        let stored = self.put(|conn| storing.sample(conn, sample));
        self.storing = storing;
        if stored.is_err() {
            self.storing.recover(&self.conn);
        }
        stored
    }

    /// Stores an event beside the load. An interrupt is committed at once, because the process may end at any time.
    ///
    /// # Errors
    /// `Full` and `Failed`.
    pub fn event(&mut self, event: &Event) -> Result<(), WriteError> {
        self.put(|conn| table::put::<Events>(conn, &[None], event))?;
        if event.kind == EventKind::Interrupt { self.commit() } else { Ok(()) }
    }

    /// Ends the open step. Stores the intervals of `record` that were not handed over one by one: those after the
    /// first `stored` ones.
    ///
    /// # Errors
    /// `NoStep`, `NotText`, `Full` and `Failed`.
    pub fn step_ended(&mut self, record: &StepRecord) -> Result<(), WriteError> {
        let (id, planned) = self.open_step("the end of a step")?;
        let stored = self.step.as_ref().map_or(0, |step| step.stored);
        let text = self.plan_text(&record.plan)?;
        self.put(|conn| {
            for interval in record.intervals.iter().skip(stored) {
                steps::interval(conn, id, interval, planned)?;
            }
            steps::end(conn, id, record, text)
        })?;
        self.step = None;
        self.checkpoint()
    }

    /// Stores the findings; replaces those stored before.
    ///
    /// # Errors
    /// `Full` and `Failed`.
    pub fn findings(&mut self, findings: &[StoredFinding]) -> Result<(), WriteError> {
        self.put(|conn| table::replace::<Findings>(conn, findings))
    }

    /// Stores another tool's output; replaces the one stored before.
    ///
    /// # Errors
    /// `Full` and `Failed`.
    pub fn reported(&mut self, parts: &[ReportedPart]) -> Result<(), WriteError> {
        self.put(|conn| reported::store(conn, parts))
    }

    /// Makes everything handed over so far visible to readers, and safe if this process ends.
    ///
    /// # Errors
    /// `Full` and `Failed`.
    pub fn commit(&mut self) -> Result<(), WriteError> {
        self.end_transaction().map_err(|source| failed(&self.path, source))
    }

    /// Marks the run complete and closes the file, which then has no side files. If it is being read at this
    /// moment, its readers remove the side files when they close it.
    ///
    /// # Errors
    /// `Full` and `Failed`.
    pub fn finish(mut self) -> Result<PathBuf, WriteError> {
        self.put(|conn| conn.execute("UPDATE run SET complete = 1", []))?;
        self.close()
    }

    fn close(mut self) -> Result<PathBuf, WriteError> {
        self.checkpoint()?;
        // Leaving WAL mode removes the side files and lets the finished file be opened from read-only places. This
        // needs exclusive access; a reader who stays too long only keeps the mode unchanged.
        let _ = self.conn.busy_timeout(CLOSING_PATIENCE);
        let _ = self.conn.pragma_update(None, "journal_mode", "DELETE");
        Ok(self.path.clone())
    }

    fn open_step(&self, what: &'static str) -> Result<(i64, [bool; 4]), WriteError> {
        match &self.step {
            Some(step) => Ok((step.id, step.planned)),
            None => Err(WriteError::NoStep { path: self.path.clone(), what }),
        }
    }

    fn plan_text(&self, plan: &StepPlan) -> Result<String, WriteError> {
        serde_json::to_string(plan).map_err(|source| WriteError::NotText { step: plan.name.clone(), source })
    }

    /// Runs `insert` within the open transaction, then commits and checkpoints if it is time.
    fn put<T>(&mut self, insert: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<(), WriteError> {
        self.put_rows(insert).map_err(|source| failed(&self.path, source))
    }

    fn put_rows<T>(
        &mut self,
        insert: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<()> {
        if !self.open {
            self.conn.execute_batch("BEGIN")?;
            self.open = true;
        }
        if let Err(error) = insert(&self.conn) {
            // The rows are stored all or not at all. After a full disk, SQLite has already ended the transaction.
            if !self.conn.is_autocommit() {
                let _ = self.conn.execute_batch("ROLLBACK");
            }
            self.open = !self.conn.is_autocommit();
            return Err(error);
        }
        let now = Instant::now();
        if now.duration_since(self.checkpointed) >= CHECKPOINT_EVERY {
            self.bring_up_to_date()
        } else if now.duration_since(self.committed) >= COMMIT_EVERY {
            self.end_transaction()
        } else {
            Ok(())
        }
    }

    fn end_transaction(&mut self) -> rusqlite::Result<()> {
        if self.open {
            let done = self.conn.execute_batch("COMMIT");
            self.open = !self.conn.is_autocommit();
            done?;
        }
        self.committed = Instant::now();
        Ok(())
    }

    /// Commits and brings the main file up to date, as otherwise happens every ten seconds and at the end of a
    /// step.
    ///
    /// # Errors
    /// `Full` and `Failed`.
    pub fn checkpoint(&mut self) -> Result<(), WriteError> {
        self.bring_up_to_date().map_err(|source| failed(&self.path, source))
    }

    /// Commits and checkpoints. PASSIVE never waits: pages that a reader still needs unchanged are left to the next
    /// checkpoint.
    fn bring_up_to_date(&mut self) -> rusqlite::Result<()> {
        self.end_transaction()?;
        self.conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        self.checkpointed = Instant::now();
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Nobody is left to receive an error; the call that stored a row has already reported a failure to commit
        // it.
        let _ = self.checkpoint();
    }
}

fn failed(path: &Path, source: rusqlite::Error) -> WriteError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => WriteError::Full { path: path.to_owned() },
        _ => WriteError::Failed { path: path.to_owned(), source },
    }
}

/// Returns the directions in which the plan can issue I/O; their rows are written even if nothing completed.
fn directions_of(plan: &StepPlan) -> [bool; 4] {
    let mut planned = [false; 4];
    for worker in &plan.workers {
        planned[Direction::Read.index()] |= !worker.access.mix.writes_only();
        planned[Direction::Write.index()] |= !worker.access.mix.reads_only();
        planned[Direction::Flush.index()] |= worker.flush != Flush::Never;
    }
    planned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_partitions_of_one_disk_are_the_same_device() {
        let chain = |names: &[&str]| -> Vec<DeviceFacts> {
            names.iter().map(|name| DeviceFacts { name: (*name).to_owned(), ..Default::default() }).collect()
        };
        assert_eq!(SameDevice::of(&chain(&["sda1", "sda"]), &chain(&["sda2", "sda"])), SameDevice::Yes);
        assert_eq!(SameDevice::of(&chain(&["sda1", "sda"]), &chain(&["nvme1n1"])), SameDevice::No);
        assert_eq!(SameDevice::of(&[], &chain(&["nvme1n1"])), SameDevice::No, "memory is no device");
    }
}
