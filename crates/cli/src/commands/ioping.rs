//! `plimsoll ioping`, and plimsoll under the name ioping: reads ioping's command line and prints its output, one
//! request at a time.

mod ground;
mod laying;
mod looking;
mod single;
mod watch;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;

use ioping::{
    IopingError, IopingRequest, Next, Noise, Once, Request, RequestOutcome, Session, Wall, parse, untrue,
};
use kernel::Clock;
use workload::{Bytes, Direction, Nanos};

use session::output;
use session::signals::StopFlag;
use session::watchdog;

use ground::Ground;
use single::{EIO, Single};
use watch::Watch;

/// Exit code after the second Ctrl-C.
const SECOND_INTERRUPT: i32 = 4;
/// Longest delay until Ctrl-C takes effect during a pause.
const HEARD: Nanos = Nanos::from_millis(50);

/// Runs ioping's command line; returns ioping's exit code.
pub fn run(words: &[OsString], patience: Nanos) -> u8 {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let ended = match parse(&words) {
        Ok(Request::Say(text, code)) => {
            say(&text);
            Ok(code)
        }
        Ok(Request::Run(asked)) => ping(*asked, patience),
        Err(error) => Err(error),
    };
    ended.unwrap_or_else(|error| {
        complain(&error.to_string());
        if let Some(hint) = error.hint() {
            output::people(report::wrap("  ", &hint).trim_end());
        }
        error.exit_code()
    })
}

/// Prints a line on stderr, in ioping's form.
fn complain(text: &str) {
    output::people(&format!("ioping: {text}"));
}

/// Whether anybody still reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Here,
    Gone,
}

/// Writes to stdout. A reader that is gone ends the run, as a closed pipe ends ioping.
fn say(text: &str) -> Reader {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(report::clean_lines(text).as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Reader::Here,
        Err(error) => {
            if error.kind() != ErrorKind::BrokenPipe {
                complain(&format!("the output could not be written: {error}"));
            }
            Reader::Gone
        }
    }
}

/// Times requests until the end, or until the user stops the run.
fn ping(mut asked: IopingRequest, patience: Nanos) -> Result<u8, IopingError> {
    let stop = StopFlag::on_signals_or_exit(SECOND_INTERRUPT, patience);
    let ground = watchdog::over("preparing the target", &stop, || Ground::prepare(&asked))?;
    let evidence = watchdog::over("looking at the target", &stop, || looking::evidence(&asked, &ground));
    for line in untrue(&asked, &evidence) {
        output::people(report::wrap("ioping: ", &line).trim_end());
    }
    if asked.nowait && !asked.cached && !asked.direct {
        complain("nowait without cached or direct I/O is supposed to fail");
    }
    let clock = Clock::start();
    kernel::precise_timers();
    if asked.seed == 0 {
        asked.seed = unix_us();
    }
    let session = Session::new(asked.clone(), ground.target.clone(), ground.region, clock.now());
    let noise = Noise::new(asked.seed ^ u64::MAX);
    let session = Arc::new(Mutex::new(session));
    Watch::begin(&session, &asked.target, clock, &stop);
    let zone = TimeZone::system();
    IopingRun { asked, single: ground.single, session, clock, stop, zone, noise }.until_the_end()
}

/// Locks the session, which is free while a request is under way, so that its statistics can be printed at any time.
fn lock(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the current wall-clock time.
fn wall(zone: &TimeZone) -> Wall {
    Wall { unix_us: unix_us(), zone: Some(zone.clone()) }
}

fn unix_us() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64
}

struct IopingRun {
    asked: IopingRequest,
    single: Single,
    session: Arc<Mutex<Session>>,
    clock: Clock,
    stop: StopFlag,
    zone: TimeZone,
    noise: Noise,
}

impl IopingRun {
    fn until_the_end(mut self) -> Result<u8, IopingError> {
        let mut last = self.clock.now();
        while !self.stop.raised() {
            let now = self.clock.now();
            let next = lock(&self.session).next(now);
            match next {
                Next::Wait(until) => self.clock.sleep_until(until.min(now + HEARD)),
                Next::End => {
                    say(&lock(&self.session).closing(last, &wall(&self.zone)));
                    return Ok(0);
                }
                Next::Io(once) => {
                    let done = self.carry_out(once);
                    last = done.ended;
                    if self.tell(&done)? == Reader::Gone {
                        return Ok(0);
                    }
                }
            }
        }
        say(&lock(&self.session).closing(self.clock.now(), &wall(&self.zone)));
        Ok(0)
    }

    fn tell(&mut self, done: &RequestOutcome) -> Result<Reader, IopingError> {
        let mut session = lock(&self.session);
        let told = session.done(done).inspect_err(|_| {
            say(session.broken_off());
        });
        drop(session);
        let (text, complaint) = told?;
        if let Some(complaint) = complaint {
            complain(&complaint);
        }
        Ok(if text.is_empty() { Reader::Here } else { say(&text) })
    }

    /// Carries out one request and times it together with its flush, but not its preparation.
    fn carry_out(&mut self, once: Once) -> RequestOutcome {
        let Once { direction, offset, bytes, .. } = once;
        if !self.asked.cached {
            // A device that ignores the advice does no harm.
            let _ = kernel::forget(&self.single.file, offset, Bytes(bytes));
        }
        if direction == Direction::Write {
            self.noise.fill(self.single.buffer(bytes));
        }
        let queued = self.single.queue(direction, offset, bytes);
        let started = self.clock.now();
        let mut moved = queued.and_then(|()| self.single.finish());
        if direction == Direction::Write && !self.asked.cached {
            moved = moved.and_then(|moved| self.single.file.flush().map(|()| moved));
        }
        let ended = self.clock.now();
        let moved = moved.map_err(|error| error.raw_os_error().unwrap_or(EIO));
        RequestOutcome { started, ended, moved, wall: wall(&self.zone) }
    }
}
