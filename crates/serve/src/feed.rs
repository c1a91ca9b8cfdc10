//! What is new: the latest of each kind, for whoever listens. Who listens late or slowly hears the latest and misses what it
//! replaced, so that nothing piles up behind a browser that sleeps.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Words from a run to those who watch it.
#[derive(Debug, Default)]
pub struct Feed {
    said: Mutex<Said>,
    listeners: AtomicUsize,
}

#[derive(Debug, Default)]
struct Said {
    /// How often anything was said; by this a listener knows how far it has heard.
    count: u64,
    latest: Vec<Latest>,
}

#[derive(Debug)]
struct Latest {
    what: &'static str,
    /// [`Said::count`] when it was said.
    number: u64,
    data: String,
}

impl Feed {
    /// Says `data`, one line, in the place of what was said of `what` before.
    pub fn say(&self, what: &'static str, data: &str) {
        // A line's end would end the event.
        let data = data.replace(['\r', '\n'], " ");
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.count += 1;
        let number = said.count;
        said.latest.retain(|earlier| earlier.what != what);
        said.latest.push(Latest { what, number, data });
    }

    /// Whether anybody listens.
    pub fn is_heard(&self) -> bool {
        self.listeners.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn listeners(&self, count: usize) {
        self.listeners.store(count, Ordering::Relaxed);
    }

    /// What was said behind `heard`, as server-sent events, and how far that reaches; `None` where nothing was.
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
