//! Ctrl-C and termination as a flag that the engine looks at several times a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/// Lets a write beyond `ulimit -f` fail with an error that can be told; its signal would end the process without a word.
pub fn survive_file_limit() {
    // Where it cannot be registered, the signal ends the process as before.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Raised when somebody asked the process to stop.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that Ctrl-C, a termination or a lost terminal raises. A second Ctrl-C ends the process at once, with the
    /// exit code of an interrupted run.
    pub fn on_signals() -> StopFlag {
        let flag = StopFlag::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // Registering fails for forbidden signals only, and these are not; without a handler the default action ends
            // the process, and unnamed files still vanish with it.
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag.0));
            let _ = signal_hook::flag::register(signal, Arc::clone(&flag.0));
        }
        flag
    }

    /// True once somebody asked to stop.
    pub fn raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
