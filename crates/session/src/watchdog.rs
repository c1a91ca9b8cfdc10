//! Waits of the main thread for a device, outside any step: told where they last, and left when somebody asks or patience
//! is over.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use kernel::OpenFile;
use workload::{FlushBy, Nanos};

use crate::failure::Code;
use crate::output;
use crate::signals::StopFlag;

/// How often a wait is looked at.
pub const LOOK: Duration = Duration::from_millis(100);
/// From here on a wait is told; as in a step.
pub const NOTICED: Duration = Duration::from_secs(5);
/// A wish to stop that is not heard for so long waits for a device.
pub const HEARD: Duration = Duration::from_secs(1);

/// Does `work`, in words `what`, before anything is measured. Where its device does not answer, the process ends, since the
/// kernel does not let the work itself end.
pub fn over<T>(what: &str, stop: &StopFlag, work: impl FnOnce() -> T) -> T {
    let (at_work, waits) = channel::<()>();
    let (what, stop) = (what.to_owned(), stop.clone());
    // Without a thread to watch nobody is told, and all else is as it was.
    let _ = std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
        if let Some(code) = watch(&what, &stop, &waits) {
            crate::signals::leave(code as i32);
        }
    });
    let done = work();
    drop(at_work);
    done
}

/// Until the work has ended, which gives `None`, or it is to be left.
fn watch(what: &str, stop: &StopFlag, waits: &Receiver<()>) -> Option<Code> {
    let mut wait = Wait::begun();
    loop {
        match waits.recv_timeout(LOOK) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return None,
        }
        match wait.look(what, stop) {
            Leave::No => {}
            Leave::Asked => return Some(Code::Interrupted),
            Leave::GivenUp => return Some(Code::Failed),
        }
    }
}

/// Waits until what was written to `file` is stored, `by` the call of that name; `None` where it is left, which raises the
/// flag if nobody asked.
pub fn flush(file: &OpenFile, by: FlushBy, stop: &StopFlag) -> Option<std::io::Result<()>> {
    let (flushed, waits) = channel();
    let ours = file.clone();
    let body = move || drop(flushed.send(ours.flush_by(by)));
    if std::thread::Builder::new().name("flush".to_owned()).spawn(body).is_err() {
        return Some(file.flush_by(by));
    }
    let what = format!("the flush of {}", file.path().display());
    let mut wait = Wait::begun();
    let mut left = kernel::pages_to_write(file);
    loop {
        match waits.recv_timeout(LOOK) {
            Ok(result) => return Some(result),
            Err(RecvTimeoutError::Disconnected) => return Some(Err(std::io::ErrorKind::Other.into())),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now_left = kernel::pages_to_write(file);
        if now_left != std::mem::replace(&mut left, now_left) {
            // A slow device is none that does not answer.
            wait.goes_on();
        }
        match wait.look(&what, stop) {
            Leave::No => {}
            Leave::Asked => return None,
            Leave::GivenUp => {
                stop.give_up();
                return None;
            }
        }
    }
}

/// Whether a wait is to be left.
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
}

impl Wait {
    fn begun() -> Wait {
        Wait { since: Instant::now(), told: false, asked: None }
    }

    fn goes_on(&mut self) {
        self.since = Instant::now();
    }

    fn look(&mut self, what: &str, stop: &StopFlag) -> Leave {
        let (lasted, patience) = (self.since.elapsed(), stop.patience());
        let words = Nanos(lasted.as_nanos() as u64);
        if stop.raised() && self.asked.get_or_insert_with(Instant::now).elapsed() >= HEARD {
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
