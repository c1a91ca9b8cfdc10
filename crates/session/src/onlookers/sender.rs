//! Sends what a run counts to a collector, every ten seconds and at its end, and never keeps the run waiting.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use metrics::Resource;
use serve::Receiver;

use super::counters::Counters;
use crate::failure::Failure;
use crate::output;

/// Time between two sendings; each says everything, so one that is lost is made up for by the next.
const EVERY: Duration = Duration::from_secs(10);
/// A collector that does not answer is asked less and less often, at least this often.
const EVERY_MOST: Duration = Duration::from_secs(80);
/// A collector must have answered by then.
const ANSWER_PATIENCE: Duration = Duration::from_secs(5);
/// The run's end waits for the last sending for so long.
const END_PATIENCE: Duration = Duration::from_secs(2);

/// The thread that sends.
pub(super) struct Sending {
    end: Sender<()>,
    thread: JoinHandle<()>,
}

/// Whether what was sent last was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Taken,
    Lost,
}

impl Sending {
    /// Sends `counters` to `receiver` from now on.
    ///
    /// # Errors
    /// There is no thread.
    pub(super) fn to(receiver: Receiver, counters: Counters) -> Result<Sending, Failure> {
        let (end, ended) = channel();
        let host = sampler::host_facts(&sampler::Root::real()).hostname;
        let began_unix_ns = unix_ns();
        let send = move |patience: Duration| {
            let now_unix_ns = unix_ns();
            let version = env!("CARGO_PKG_VERSION");
            let resource = Resource { host: &host, version, began_unix_ns, now_unix_ns };
            let body = metrics::otlp(&counters.now(), &resource).to_string();
            receiver.post("application/json", body.as_bytes(), patience)
        };
        let run = move || {
            let _ = kernel::let_others_first();
            let (mut every, mut last) = (EVERY, Last::Taken);
            loop {
                let is_over = ended.recv_timeout(every) != Err(RecvTimeoutError::Timeout);
                match send(if is_over { END_PATIENCE } else { ANSWER_PATIENCE }) {
                    Ok(()) => (every, last) = (EVERY, Last::Taken),
                    Err(error) => {
                        if last == Last::Taken || is_over {
                            output::people(&lost(&error.to_string(), is_over));
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
        Ok(Sending { end, thread: thread.map_err(Failure::failed)? })
    }

    /// Sends the last of it.
    pub(super) fn end(self) {
        drop(self.end);
        let _ = self.thread.join();
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
