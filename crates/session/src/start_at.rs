//! When a load begins, so that several machines can begin together: at a time of day, or each step at the time that a
//! line on standard input gives.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime};

use record::{Event, EventKind, Observer};
use report::{ProgressEvent, Stamp};
use signal_hook::consts::SIGTERM;
use signal_hook::low_level;
use workload::{Nanos, StepKind, StepPlan};

use crate::{output, progress};

/// Longest sleep between two looks whether the user wants to stop.
const SLICE: Duration = Duration::from_millis(50);

/// When the steps of this process begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartAt {
    /// The first step under load begins at this time; what comes before it, such as the layout, does not wait.
    Time(SystemTime),
    /// Each step waits for a line on standard input, `@` and seconds since 1970, and begins at that time. The end of the
    /// input is a request to stop.
    Lines,
}

enum Wish {
    Nothing,
    Time(SystemTime),
    Lines(Receiver<SystemTime>),
}

static WISH: Mutex<Wish> = Mutex::new(Wish::Nothing);

/// Makes the steps of this process begin as `at` says.
pub fn begin_at(at: StartAt) {
    *wish() = match at {
        StartAt::Time(at) => Wish::Time(at),
        StartAt::Lines => {
            let (to, lines) = channel();
            std::thread::spawn(move || read_lines(&to));
            Wish::Lines(lines)
        }
    };
}

fn wish() -> std::sync::MutexGuard<'static, Wish> {
    WISH.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Parses `@` and seconds since 1970.
///
/// # Errors
/// What is wrong with the words.
pub fn since_1970(words: &str) -> Result<SystemTime, String> {
    let seconds = words.strip_prefix('@').and_then(|seconds| seconds.parse::<f64>().ok());
    let since = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let at = since.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
    at.ok_or_else(|| "it is no number of seconds; write for example @1795789800.25".to_owned())
}

/// Passes on the times that lines of standard input give; at its end, asks this process to stop.
fn read_lines(to: &Sender<SystemTime>) {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        match since_1970(line.trim()) {
            Ok(at) if to.send(at).is_err() => return,
            Ok(_) => {}
            Err(why) => output::people(&format!("'{}' on standard input: {why}", line.trim())),
        }
    }
    // Without a handler the signal ends the process, which is the wish all the same.
    let _ = low_level::raise(SIGTERM);
}

/// Waits for the time if `plan` has to; reports a time that has passed by `now` on the run's clock.
pub(crate) fn wait_for(plan: &StepPlan, now: Nanos, observer: &mut dyn Observer) {
    let mut wish = wish();
    let at = match &*wish {
        Wish::Nothing => return,
        Wish::Time(_) if matches!(plan.kind, StepKind::Idle | StepKind::Layout) => return,
        Wish::Time(at) => *at,
        Wish::Lines(lines) => {
            progress::tell("ready", Stamp::default(), ProgressEvent::Ready { name: &plan.name });
            match next_line(lines, observer) {
                Some(at) => at,
                None => return,
            }
        }
    };
    let is_one = matches!(&*wish, Wish::Time(_));
    match at.duration_since(SystemTime::now()) {
        Ok(left) => {
            if is_one {
                let left = Nanos::from_secs_f64(left.as_secs_f64());
                output::people(&format!("  ready; the load begins in {left}"));
            }
            sleep_until(at, observer);
        }
        Err(passed) => {
            let late = Nanos::from_secs_f64(passed.duration().as_secs_f64());
            let text =
                format!("the load began {late} after the time of --start-at: the preparation took longer");
            output::people(&format!("  {text}"));
            observer.event(&Event { at: now, kind: EventKind::Warning, text });
        }
    }
    if is_one {
        *wish = Wish::Nothing;
    }
}

/// Waits for the next line; `None` if there will be none, or the user wants to stop.
fn next_line(lines: &Receiver<SystemTime>, observer: &mut dyn Observer) -> Option<SystemTime> {
    loop {
        match lines.recv_timeout(SLICE) {
            Ok(at) => return Some(at),
            Err(RecvTimeoutError::Timeout) if !observer.interrupted() => {}
            Err(_) => return None,
        }
    }
}

fn sleep_until(at: SystemTime, observer: &mut dyn Observer) {
    while let (Ok(left), false) = (at.duration_since(SystemTime::now()), observer.interrupted()) {
        if left.is_zero() {
            break;
        }
        std::thread::sleep(left.min(SLICE));
    }
}
