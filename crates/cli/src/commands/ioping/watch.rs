//! Watches the request under way from another thread: reports it if it takes long, and abandons it if the user stops
//! or patience runs out.

use std::sync::{Arc, Mutex};

use ioping::{Once, Session};
use jiff::tz::TimeZone;
use kernel::Clock;
use record::{Silence, SilenceStage};
use workload::Nanos;

use super::{lock, say, wall};
use session::failure::Code;
use session::signals::StopFlag;
use session::watchdog::{HEARD, LOOK, NOTICED};

/// The observer of a session's requests.
pub(crate) struct Watch {
    /// Unlocked while a request is under way.
    session: Arc<Mutex<Session>>,
    path: String,
    clock: Clock,
    stop: StopFlag,
    /// The start of the last reported request, and the report.
    told: Option<(Nanos, Silence)>,
    /// Since when the user's request to stop has been pending.
    asked: Option<Nanos>,
}

impl Watch {
    /// Starts to watch the requests of `session` to `path`, timed by `clock`. If a request does not complete, closes
    /// the session and ends the process.
    pub fn begin(session: &Arc<Mutex<Session>>, path: &str, clock: Clock, stop: &StopFlag) {
        let (session, path, stop) = (Arc::clone(session), path.to_owned(), stop.clone());
        let mut watch = Watch { session, path, clock, stop, told: None, asked: None };
        // Without a thread nothing is reported, and all else works as before.
        let _ = std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            let code = loop {
                std::thread::sleep(LOOK);
                if let Some(code) = watch.look() {
                    break code;
                }
            };
            say(&lock(&watch.session).closing(watch.clock.now(), &wall(&TimeZone::system())));
            session::signals::leave(code);
        });
    }

    /// Returns the exit code if the request is to be abandoned.
    fn look(&mut self) -> Option<i32> {
        let now = self.clock.now();
        let pending = lock(&self.session).under_way();
        if let Some((_, told)) = self.told.take_if(|(began, _)| pending.is_none_or(|(_, at)| at != *began)) {
            let lasted = told.lasted + now.since(told.at);
            self.stop.tell(&Silence { stage: SilenceStage::Over, at: now, lasted, ..told });
        }
        let Some((once, began)) = pending else {
            self.asked = None;
            return None;
        };
        let lasted = now.since(began);
        if lasted >= self.stop.patience() {
            self.stop.tell(&self.silence(SilenceStage::GivenUp, &once, (now, lasted)));
            return Some(Code::Failed as i32);
        }
        let asked = self.stop.raised().then(|| *self.asked.get_or_insert(now));
        if asked.is_some_and(|asked| now.since(asked).0 >= HEARD.as_nanos() as u64) {
            self.stop.tell(&self.silence(SilenceStage::Left, &once, (now, lasted)));
            return Some(0);
        }
        if lasted.0 >= NOTICED.as_nanos() as u64 && self.told.is_none() {
            let silence = self.silence(SilenceStage::Noticed, &once, (now, lasted));
            self.stop.tell(&silence);
            self.told = Some((began, silence));
        }
        None
    }

    fn silence(&self, stage: SilenceStage, once: &Once, (at, lasted): (Nanos, Nanos)) -> Silence {
        Silence {
            stage,
            at,
            lasted,
            path: self.path.clone(),
            direction: once.direction,
            offset: once.offset,
            bytes: u32::try_from(once.bytes).unwrap_or(u32::MAX),
            others: 0,
            patience: self.stop.patience(),
        }
    }
}
