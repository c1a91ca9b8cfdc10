//! The request that is under way, watched from another thread: told where it lasts, and left when somebody asks or patience
//! is over.

use std::sync::{Arc, Mutex, PoisonError};

use ioping::Once;
use kernel::Clock;
use record::{Silence, SilenceStage};
use workload::Nanos;

use session::failure::Code;
use session::signals::StopFlag;
use session::watchdog::{HEARD, LOOK, NOTICED};

/// The request that is under way, if any, with the time at which it began.
#[derive(Clone, Default)]
pub struct Pending(Arc<Mutex<Option<(Once, Nanos)>>>);

/// Who looks at it.
struct Watch {
    pending: Pending,
    path: String,
    clock: Clock,
    stop: StopFlag,
    /// What was told last.
    told: Option<(Nanos, Silence)>,
    /// Since when a wish to stop has not been heard.
    asked: Option<Nanos>,
}

impl Pending {
    /// None yet. One that does not end is told as a request to `path`; before the process leaves it, `farewell` says what
    /// there is to say at a time of `clock`.
    pub fn watched(
        path: &str,
        clock: Clock,
        stop: &StopFlag,
        farewell: impl Fn(Nanos) + Send + 'static,
    ) -> Pending {
        let pending = Pending::default();
        let (path, stop) = (path.to_owned(), stop.clone());
        let mut watch = Watch { pending: pending.clone(), path, clock, stop, told: None, asked: None };
        // Without a thread to watch nobody is told, and all else is as it was.
        let _ = std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            let code = loop {
                std::thread::sleep(LOOK);
                if let Some(code) = watch.look() {
                    break code;
                }
            };
            farewell(watch.clock.now());
            session::signals::leave(code);
        });
        pending
    }

    /// A request begins at `now`.
    pub fn begin(&self, once: &Once, now: Nanos) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((*once, now));
    }

    /// It has ended.
    pub fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Watch {
    /// The exit code, where the request is to be left.
    fn look(&mut self) -> Option<i32> {
        let now = self.clock.now();
        let pending = *self.pending.0.lock().unwrap_or_else(PoisonError::into_inner);
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
