//! Waits of the main thread for a device, outside any step: reported when they take long, and ended by a stop request
//! or when patience is over.

use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kernel::{OpenFile, PollEntry, Wants, wait_ready};
use workload::{FlushBy, Nanos};

use crate::failure::Code;
use crate::output;
use crate::signals::StopFlag;

/// Time between checks of a wait.
pub const LOOK: Duration = Duration::from_millis(100);
/// Length from which a wait is reported, as in a step.
pub const NOTICED: Duration = Duration::from_secs(5);
/// Time after a stop request without effect from which the process must be waiting for a device.
pub const HEARD: Duration = Duration::from_secs(1);

/// Does `work`, described by `what`, before any measurement. If its device does not answer, the process exits,
/// because the blocked system call cannot be interrupted.
pub fn over<T>(what: &str, stop: &StopFlag, work: impl FnOnce() -> T) -> T {
    let (at_work, waits) = channel::<()>();
    let (what, stop) = (what.to_owned(), stop.clone());
    // Without the watching thread nothing is reported; the work itself is done as usual.
    let _ = std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
        if let Some(code) = watch(&what, &stop, &waits) {
            crate::signals::leave(code as i32);
        }
    });
    let done = work();
    drop(at_work);
    done
}

/// Watches until the work has ended, and returns `None`, or until the work is to be abandoned.
fn watch(what: &str, stop: &StopFlag, waits: &Receiver<()>) -> Option<Code> {
    let mut wait = Wait::begun();
    loop {
        match waits.recv_timeout(LOOK) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return None,
        }
        stop.listen_for_the_first_thread();
        match wait.look(what, stop) {
            Leave::No => {}
            Leave::Asked => return Some(Code::Interrupted),
            Leave::GivenUp => return Some(Code::Failed),
        }
    }
}

/// Flushes `file` with the call `by`, and waits for the result. `None` if the wait was abandoned; if the device was
/// given up, the flag is raised.
pub fn flush(file: &OpenFile, by: FlushBy, stop: &StopFlag) -> Option<std::io::Result<()>> {
    let what = format!("the flush of {}", file.path().display());
    let mut wait = Wait::begun();
    let mut left = kernel::pages_to_write(file);
    let handle = file.clone();
    let look = || {
        let now_left = kernel::pages_to_write(file);
        if now_left != left {
            // The device is slow, but it answers.
            wait.goes_on();
            left = now_left;
        }
        let leave = wait.look(&what, stop);
        if let Leave::GivenUp = leave {
            stop.give_up();
        }
        leave
    };
    aside(move || handle.flush_by(by), look).ok()
}

/// Does `work`, described by `what`, which must leave nothing to be undone. The wait ends at a stop request, or when
/// the device does not answer.
///
/// # Errors
/// Why the work was abandoned.
pub fn reading<T: Send + 'static>(
    what: &str,
    stop: &StopFlag,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AbandonReason> {
    let mut wait = Wait { heard: Duration::ZERO, ..Wait::begun() };
    aside(work, || wait.look(what, stop))
}

/// Waits until `input` has something to read; `what` describes the wait.
///
/// # Errors
/// Why the wait was abandoned.
pub fn ready(what: &str, stop: &StopFlag, input: &impl AsFd) -> Result<(), AbandonReason> {
    let mut wait = Wait { heard: Duration::ZERO, ..Wait::begun() };
    loop {
        let mut waited = [PollEntry::new(input.as_fd(), Wants::Input)];
        // If waiting fails, the read that follows reports why.
        if wait_ready(&mut waited, LOOK).is_err() || waited[0].is_ready() {
            return Ok(());
        }
        wait.look(what, stop).left()?;
    }
}

/// Does `work`, however long it takes, until a stop is requested.
///
/// # Errors
/// A stop was requested.
pub fn at_length<T: Send + 'static>(
    stop: &StopFlag,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AbandonReason> {
    aside(work, || if stop.raised() { Leave::Asked } else { Leave::No })
}

/// Does `work` in a separate thread, which is left behind if the work is abandoned. A thread blocked in a system call
/// cannot run a signal handler, so the calling thread must not be the blocked one.
fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    mut look: impl FnMut() -> Leave,
) -> Result<T, AbandonReason> {
    let (done, waits) = channel();
    let shared = Arc::new(Mutex::new(Some(work)));
    let theirs = Arc::clone(&shared);
    let take = |work: &Mutex<Option<_>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let body = move || take(&theirs).map(|work| done.send(work()).is_ok());
    let Ok(thread) = std::thread::Builder::new().name("aside".to_owned()).spawn(body) else {
        // If no thread can be started, the work is done here, without a time limit.
        return take(&shared).map(|work| work()).ok_or(AbandonReason::Asked);
    };
    loop {
        match waits.recv_timeout(LOOK) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                // The thread ends without sending a result only if the receiver is gone.
                Ok(_) => return Err(AbandonReason::Asked),
            },
            Err(RecvTimeoutError::Timeout) => {}
        }
        look().left()?;
    }
}

impl Leave {
    fn left(self) -> Result<(), AbandonReason> {
        match self {
            Leave::No => Ok(()),
            Leave::Asked => Err(AbandonReason::Asked),
            Leave::GivenUp => Err(AbandonReason::GivenUp),
        }
    }
}

/// Why work was abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbandonReason {
    /// A stop was requested.
    Asked,
    /// The device did not answer.
    GivenUp,
}

/// Whether a wait is to be abandoned.
enum Leave {
    No,
    Asked,
    GivenUp,
}

/// One wait.
struct Wait {
    since: Instant,
    told: bool,
    asked: Option<Instant>,
    /// Time that a stop request may have no effect.
    heard: Duration,
}

impl Wait {
    fn begun() -> Wait {
        Wait { since: Instant::now(), told: false, asked: None, heard: HEARD }
    }

    fn goes_on(&mut self) {
        self.since = Instant::now();
    }

    fn look(&mut self, what: &str, stop: &StopFlag) -> Leave {
        let (lasted, patience) = (self.since.elapsed(), stop.patience());
        let words = Nanos(lasted.as_nanos() as u64);
        if stop.raised() && self.asked.get_or_insert_with(Instant::now).elapsed() >= self.heard {
            say(&format!("stopped while {what} waits for its device, for {words} now"));
            return Leave::Asked;
        }
        if lasted >= Duration::from_nanos(patience.0) {
            say(&format!(
                "{what} is given up: the device has not answered for {words}; look at the kernel's log (dmesg), or wait longer \
                 with --give-up"
            ));
            return Leave::GivenUp;
        }
        if lasted >= NOTICED && !self.told {
            self.told = true;
            say(&format!(
                "{what} waits for its device, which has not answered for {words}; it is waited for until {patience} are over \
                 (--give-up)"
            ));
        }
        Leave::No
    }
}

fn say(text: &str) {
    output::people(report::wrap("plimsoll: ", text).trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patient_for(seconds: u64) -> StopFlag {
        StopFlag::patient_for(Nanos::from_secs(seconds))
    }

    #[test]
    fn work_that_ends_is_left_alone() {
        assert_eq!(over("something", &patient_for(1), || 7), 7);
        let (at_work, waits) = channel();
        drop(at_work);
        assert_eq!(watch("something", &patient_for(1), &waits), None);
    }

    #[test]
    fn work_that_does_not_end_is_given_up_and_left_when_asked() {
        let (_at_work, waits) = channel();
        assert_eq!(watch("something", &patient_for(1), &waits), Some(Code::Failed));
        let stop = patient_for(1_000);
        stop.give_up();
        assert_eq!(watch("something", &stop, &waits), Some(Code::Interrupted));
    }
}
