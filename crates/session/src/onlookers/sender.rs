//! Sends what a run counts to a collector, every ten seconds and at its end, and never keeps the run waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use metrics::Resource;
use serve::{Delivery, Receiver};

use super::counters::Counters;
use crate::failure::Failure;
use crate::output;
use crate::signals::StopFlag;

/// Time between two messages. Each carries all totals, so the next makes up for a lost one.
const EVERY: Duration = Duration::from_secs(10);
/// Longest time between two messages: it doubles while a collector does not answer.
const EVERY_MOST: Duration = Duration::from_secs(80);
/// Time within which a collector must answer.
const ANSWER_PATIENCE: Duration = Duration::from_secs(5);
/// Time within which a collector must answer the last message.
const END_PATIENCE: Duration = Duration::from_secs(2);

/// Longest wait at the end: more than the last message may take, so that its own report is heard.
const LEFT_BEHIND_AFTER: Duration = END_PATIENCE.saturating_add(Duration::from_millis(500));
/// Time between checks whether the last message is done, and for Ctrl-C.
const LOOK: Duration = Duration::from_millis(10);

/// The thread that sends.
pub(super) struct Sending {
    end: Sender<()>,
    thread: JoinHandle<()>,
    /// Name of the receiver, for messages.
    host: String,
    /// Set when the end no longer waits for the thread, and has said so.
    left_behind: Arc<AtomicBool>,
}

/// Whether the last message was accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Taken,
    Lost,
}

impl Sending {
    /// Sends `counters` to `receiver` from now on. Its host name is resolved at once, in the thread, so that the
    /// run waits for nothing.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn to(receiver: Receiver, counters: Counters) -> Result<Sending, Failure> {
        let (end, ended) = channel();
        let resource_host = sampler::host_facts(&sampler::Root::real()).hostname;
        let began_unix_ns = unix_ns();
        let host = receiver.host().to_owned();
        let left_behind = Arc::new(AtomicBool::new(false));
        let nobody_waits = Arc::clone(&left_behind);
        let mut delivery = Delivery::to(receiver);
        let run = move || {
            let _ = kernel::let_others_first();
            let mut last = match delivery.find(ANSWER_PATIENCE) {
                Ok(()) => Last::Taken,
                Err(error) => {
                    say(&nobody_waits, &lost(&error.to_string(), false));
                    Last::Lost
                }
            };
            let mut every = EVERY;
            loop {
                let is_over = ended.recv_timeout(every) != Err(RecvTimeoutError::Timeout);
                let version = env!("CARGO_PKG_VERSION");
                let resource =
                    Resource { host: &resource_host, version, began_unix_ns, now_unix_ns: unix_ns() };
                let body = metrics::otlp(&counters.now(), &resource).to_string();
                let patience = if is_over { END_PATIENCE } else { ANSWER_PATIENCE };
                match delivery.post("application/json", body.as_bytes(), patience) {
                    Ok(()) => (every, last) = (EVERY, Last::Taken),
                    Err(error) => {
                        if last == Last::Taken || is_over {
                            say(&nobody_waits, &lost(&error.to_string(), is_over));
                        }
                        (every, last) = ((2 * every).min(EVERY_MOST), Last::Lost);
                    }
                }
                if is_over {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("otlp".to_owned()).spawn(run);
        Ok(Sending { end, thread: thread.map_err(Failure::failed)?, host, left_behind })
    }

    /// Sends the last message. Waits at most [`LEFT_BEHIND_AFTER`], and Ctrl-C ends the wait at once.
    pub(super) fn end(self) {
        let stop = StopFlag::before_a_command(record::PATIENCE);
        drop(self.end);
        let until = Instant::now() + LEFT_BEHIND_AFTER;
        while !self.thread.is_finished() && Instant::now() < until && !stop.raised() {
            std::thread::sleep(LOOK);
        }
        if !self.thread.is_finished() && !self.left_behind.swap(true, Ordering::Relaxed) {
            output::people(&lost(&format!("http://{} does not answer in time", self.host), true));
        }
    }
}

fn say(nobody_waits: &AtomicBool, words: &str) {
    if !nobody_waits.load(Ordering::Relaxed) {
        output::people(words);
    }
}

fn lost(why: &str, is_over: bool) -> String {
    let hope =
        if is_over { "the last figures of the run are not there" } else { "tried again; the run goes on" };
    report::wrap("plimsoll: ", &format!("--otlp: {why}; {hope}")).trim_end().to_owned()
}

fn unix_ns() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}
