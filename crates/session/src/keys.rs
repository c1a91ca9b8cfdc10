//! `q` on a terminal: the same wish as Ctrl-C. Keys are taken only while a live view stands, and given back however that ends.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGCONT, SIGQUIT, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::output;

/// Live views that stand: several take turns in one place.
static WANTED: AtomicUsize = AtomicUsize::new(0);
static WATCH: Once = Once::new();

/// The keys, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Keys(());

impl Keys {
    /// Takes the keys; `None` where there is no terminal to take them of.
    pub(crate) fn take() -> Option<Keys> {
        // Before anything is changed that a signal would leave so.
        WATCH.call_once(give_back_on_signals);
        let taken = kernel::take_keys();
        taken.then(|| {
            if WANTED.fetch_add(1, Ordering::SeqCst) == 0 {
                output::people("  q or Ctrl-C ends it with what is known by then");
            }
            Keys(())
        })
    }

    /// Whether the end was asked for since it was looked at last.
    pub(crate) fn ask_for_the_end(&self) -> bool {
        let mut asked = false;
        while let Some(key) = kernel::next_key() {
            asked |= matches!(key, b'q' | b'Q');
        }
        asked
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if WANTED.fetch_sub(1, Ordering::SeqCst) == 1 {
            kernel::give_keys_back();
        }
    }
}

/// Ctrl-Z and Ctrl-\ do what they always do, with the terminal as it was; what goes on has the keys again.
fn give_back_on_signals() {
    // Where they cannot be registered, the terminal stays as it is when they come.
    let Ok(mut signals) = Signals::new([SIGTSTP, SIGCONT, SIGQUIT]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal != SIGCONT {
                kernel::give_keys_back();
                // Stops or ends the process; there is nothing to be done where it does not.
                let _ = emulate_default_handler(signal);
            }
            if WANTED.load(Ordering::SeqCst) > 0 {
                kernel::take_keys();
            }
        }
    });
}
