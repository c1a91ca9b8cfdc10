//! `plimsoll ioping`, and plimsoll under the name ioping: its words in, its words out, one request at a time.

mod ground;
mod laying;
mod looking;
mod pending;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use ioping::{Asked, Done, Engine, IopingError, Next, Noise, Once, Request, Session, Wall, parse, untrue};
use kernel::{CallFlags, Clock, Single};
use workload::{Bytes, Direction, Nanos};

use session::output;
use session::signals::StopFlag;
use session::watchdog;

use ground::Ground;
use pending::Pending;

/// Exit code of the second Ctrl-C.
const SECOND_INTERRUPT: i32 = 4;
/// How soon a Ctrl-C is heard during a pause.
const HEARD: Nanos = Nanos::from_millis(50);
/// A failed request has this errno where the kernel names none.
const EIO: i32 = 5;

/// Runs ioping's command line; the exit code is ioping's.
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

/// A line on stderr, in ioping's form.
fn complain(text: &str) {
    output::people(&format!("ioping: {text}"));
}

/// Whether anybody still reads what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Here,
    Gone,
}

/// Writes to stdout. A reader who has gone ends the run, as a closed pipe ends ioping.
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

/// Times requests until the end, or until somebody stops it.
fn ping(asked: Asked, patience: Nanos) -> Result<u8, IopingError> {
    let stop = StopFlag::on_signals_or_exit(SECOND_INTERRUPT, patience);
    let mut ground = watchdog::over("preparing the target", &stop, || Ground::prepare(&asked))?;
    let evidence = watchdog::over("looking at the target", &stop, || looking::evidence(&asked, &mut ground));
    for line in untrue(&asked, &evidence) {
        output::people(report::wrap("ioping: ", &line).trim_end());
    }
    if asked.nowait && !asked.cached && !asked.direct {
        complain("nowait without cached or direct I/O is supposed to fail");
    }
    let clock = Clock::start();
    kernel::precise_timers();
    let entropy = unix_us();
    let session = Session::new(asked.clone(), ground.target.clone(), ground.region, (clock.now(), entropy));
    let zone = jiff::tz::TimeZone::system();
    let noise = Noise::new(if asked.seed == 0 { entropy } else { asked.seed } ^ u64::MAX);
    let session = Arc::new(Mutex::new(session));
    let pending = Pending::watched(&asked.target, clock, &stop, {
        let (session, zone) = (Arc::clone(&session), zone.clone());
        move |now| {
            let wall = Wall { unix_us: unix_us(), zone: Some(zone.clone()) };
            say(&lock(&session).closing(now, &wall));
        }
    });
    Run { asked, single: ground.single, session, clock, stop, zone, noise, pending }.until_the_end()
}

/// The session; it is locked while nothing is asked of the target, so that what it knows can be told at any time.
fn lock(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unix_us() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64
}

struct Run {
    asked: Asked,
    single: Single,
    session: Arc<Mutex<Session>>,
    clock: Clock,
    stop: StopFlag,
    zone: jiff::tz::TimeZone,
    noise: Noise,
    pending: Pending,
}

impl Run {
    fn until_the_end(mut self) -> Result<u8, IopingError> {
        let mut last = self.clock.now();
        while !self.stop.raised() {
            let now = self.clock.now();
            let next = lock(&self.session).next(now);
            match next {
                Next::Wait(until) => self.clock.sleep_until(until.min(now + HEARD)),
                Next::End => {
                    say(&lock(&self.session).closing(last, &self.wall()));
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
        say(&lock(&self.session).closing(self.clock.now(), &self.wall()));
        Ok(0)
    }

    fn tell(&mut self, done: &Done) -> Result<Reader, IopingError> {
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

    fn wall(&self) -> Wall {
        Wall { unix_us: unix_us(), zone: Some(self.zone.clone()) }
    }

    /// One request, timed with its flush; what leads up to it is not.
    fn carry_out(&mut self, once: Once) -> Done {
        if !self.asked.cached {
            self.single.forget(once.offset, Bytes(once.bytes));
        }
        let bytes = once.bytes as usize;
        if once.direction == Direction::Write {
            self.noise.fill(&mut self.single.buffer_mut()[..bytes]);
        }
        let flags = CallFlags { nowait: self.asked.nowait, hipri: self.asked.hipri };
        self.pending.begin(&once, self.clock.now());
        let started = self.clock.now();
        let moved = match once.direction {
            Direction::Write => {
                let written = self.single.write(once.offset, bytes, flags);
                written.and_then(|moved| self.settle().map(|()| moved))
            }
            _ => self.single.read(once.offset, bytes, flags),
        };
        let ended = self.clock.now();
        self.pending.end();
        let moved = moved.map(|moved| moved as u64).map_err(|error| error.raw_os_error().unwrap_or(EIO));
        Done { started, ended, moved, wall: self.wall() }
    }

    fn settle(&self) -> std::io::Result<()> {
        if self.asked.cached { Ok(()) } else { self.single.flush() }
    }
}

/// The queue that an engine stands for.
fn means(engine: Engine) -> kernel::SingleMeans {
    match engine {
        Engine::Calls => kernel::SingleMeans::Calls,
        Engine::Libaio => kernel::SingleMeans::Queue(workload::BackendKind::Libaio),
        Engine::IoUring => kernel::SingleMeans::Queue(workload::BackendKind::IoUring),
    }
}
