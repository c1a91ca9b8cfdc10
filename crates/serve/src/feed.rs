//! The news of a run: the latest message of each kind, for every listener. A listener that joins late or reads
//! slowly gets the latest message and misses those it replaced, so that nothing piles up for an inactive browser.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Messages from a run to its listeners.
#[derive(Debug, Default)]
pub struct Feed {
    said: Mutex<FeedState>,
    listeners: AtomicUsize,
}

#[derive(Debug, Default)]
struct FeedState {
    /// Number of messages so far. A listener remembers the number of its last message.
    count: u64,
    latest: Vec<Latest>,
}

#[derive(Debug)]
struct Latest {
    what: &'static str,
    /// [`FeedState::count`] when the message was sent.
    number: u64,
    data: String,
}

impl Feed {
    /// Sends `data`, as one line, in place of the previous message of the kind `what`.
    pub fn say(&self, what: &'static str, data: &str) {
        // A line break would end the event.
        let data = data.replace(['\r', '\n'], " ");
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.count += 1;
        let number = said.count;
        said.latest.retain(|earlier| earlier.what != what);
        said.latest.push(Latest { what, number, data });
    }

    /// Whether there are any listeners.
    pub fn is_heard(&self) -> bool {
        self.listeners.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn listeners(&self, count: usize) {
        self.listeners.store(count, Ordering::Relaxed);
    }

    /// Returns the messages after number `heard` as server-sent events, and the number of the last one; `None` if
    /// there are none.
    pub(crate) fn since(&self, heard: u64) -> Option<(String, u64)> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.count == heard {
            return None;
        }
        let mut text = String::new();
        for latest in said.latest.iter().filter(|latest| latest.number > heard) {
            // Writing into a string does not fail.
            let _ = write!(text, "event: {}\ndata: {}\n\n", latest.what, latest.data);
        }
        Some((text, said.count))
    }
}
