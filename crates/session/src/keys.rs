//! `q` on a terminal: the same request as Ctrl-C. Keys are taken only while a live view is shown, and given back
//! however the view ends.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGCONT, SIGQUIT, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::output;

/// Number of live views now shown: several may follow one another in one process.
static WANTED: AtomicUsize = AtomicUsize::new(0);
static WATCH: Once = Once::new();

/// Holds the keys: they are taken until this is dropped.
#[derive(Debug)]
pub(crate) struct Keys(());

impl Keys {
    /// Takes the keys; `None` without a terminal to take them from.
    pub(crate) fn take() -> Option<Keys> {
        // Before the terminal is changed: a signal must not leave it that way.
        WATCH.call_once(give_back_on_signals);
        let taken = kernel::take_keys();
        taken.then(|| {
            if WANTED.fetch_add(1, Ordering::SeqCst) == 0 {
                output::people("  q or Ctrl-C ends it with what is known by then");
            }
            Keys(())
        })
    }

    /// Whether the user has asked for the end since the last call.
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

/// Makes Ctrl-Z and Ctrl-\ work as usual, with the terminal restored first; a process that is continued takes the
/// keys again.
fn give_back_on_signals() {
    // If they cannot be registered, these signals leave the terminal as it is.
    let Ok(mut signals) = Signals::new([SIGTSTP, SIGCONT, SIGQUIT]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal != SIGCONT {
                kernel::give_keys_back();
                // Stops or ends the process; nothing can be done if it does not.
                let _ = emulate_default_handler(signal);
            }
            if WANTED.load(Ordering::SeqCst) > 0 {
                kernel::take_keys();
            }
        }
    });
}
