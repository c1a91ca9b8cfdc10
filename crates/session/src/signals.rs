//! Ctrl-C and termination as a flag that the engine checks several times a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use record::{Interval, Observer, PATIENCE, Silence, SilenceStage};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
use signal_hook::iterator::Signals;
use workload::Nanos;

use crate::failure::Code;
use crate::output;

/// Signals that ask to stop.
const STOPPING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
/// A signal that follows the first this soon is the same request: `timeout` sends each to the process and again to
/// its group.
const SAME_WISH: Duration = Duration::from_millis(300);
/// Exit code of a run that was stopped.
const STOPPED: i32 = 130;

/// Whether nothing handles stop requests yet; while true, a stop request ends the process at once.
static NOBODY_LISTENS: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(true)));
/// State shared by [`StopFlag::while_reading`], so that handlers are registered only once.
static READING: LazyLock<StopFlag> = LazyLock::new(|| {
    for signal in STOPPING {
        // Nothing has been set up yet that would have to be undone.
        let _ =
            signal_hook::flag::register_conditional_shutdown(signal, STOPPED, Arc::clone(&NOBODY_LISTENS));
    }
    StopFlag::caught(PATIENCE)
});

/// Makes a write beyond `ulimit -f` fail with an error that can be reported; its signal would end the process
/// silently.
pub fn survive_file_limit() {
    // If it cannot be registered, the signal ends the process as before.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Returns a flag that a launcher's notice that another of its processes is gone raises (SIGUSR1 by MPICH's).
pub fn notices_of_loss() -> Arc<AtomicBool> {
    let noticed = Arc::default();
    // If it cannot be registered, the signal ends the process as before.
    let _ = signal_hook::flag::register(SIGUSR1, Arc::clone(&noticed));
    noticed
}

/// Raised when the process was asked to stop, or when a device was given up.
#[derive(Clone, Debug)]
pub struct StopFlag {
    asked: Arc<AtomicBool>,
    gave_up: Arc<AtomicBool>,
    patience: Nanos,
}

impl Default for StopFlag {
    fn default() -> StopFlag {
        StopFlag { asked: Arc::default(), gave_up: Arc::default(), patience: PATIENCE }
    }
}

impl StopFlag {
    /// Returns a flag that Ctrl-C, a termination signal or a lost terminal raises, and so does a device that does
    /// not answer for `patience`. A second Ctrl-C ends the process at once, with the exit code of an interrupted
    /// run.
    pub fn on_signals(patience: Nanos) -> StopFlag {
        StopFlag::on_signals_or_exit(STOPPED, patience)
    }

    /// Returns a flag like [`StopFlag::on_signals`], with the exit code for a second Ctrl-C.
    pub fn on_signals_or_exit(code: i32, patience: Nanos) -> StopFlag {
        let flag = StopFlag::before_a_command(patience);
        if let Ok(signals) = Signals::new(STOPPING) {
            std::thread::spawn(move || end_at_the_second(signals, code));
        }
        flag
    }

    /// Returns a flag that stop signals raise, for preparations before a command of the user begins: any later
    /// signals are meant for that command.
    pub fn before_a_command(patience: Nanos) -> StopFlag {
        let flag = StopFlag::caught(patience);
        // Inputs read from now on also notice an earlier signal.
        LazyLock::force(&READING);
        NOBODY_LISTENS.store(false, Ordering::Relaxed);
        flag
    }

    /// Returns a flag for reading inputs. As long as no other flag listens, a stop signal ends the process at once,
    /// with the exit code of an interrupted run.
    pub fn while_reading(patience: Nanos) -> StopFlag {
        StopFlag { patience, ..READING.clone() }
    }

    /// Marks a stop as obeyed: what is read from now on is part of the end, and only a second signal ends that.
    pub fn obeyed() {
        READING.asked.store(false, Ordering::Relaxed);
    }

    fn caught(patience: Nanos) -> StopFlag {
        let flag = StopFlag { patience, ..StopFlag::default() };
        for signal in STOPPING {
            // Registration fails only for forbidden signals, which these are not. Without a handler the default
            // action ends the process, and unnamed files still vanish with it.
            let _ = signal_hook::flag::register(signal, Arc::clone(&flag.asked));
        }
        flag
    }

    /// Requests a stop by a key.
    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Checks for a signal that the first thread cannot handle because a system call blocks it.
    pub(crate) fn listen_for_the_first_thread(&self) {
        if kernel::take_pending_signal(&STOPPING) {
            self.ask();
        }
    }

    /// Returns the flag itself, for preparations before anything is measured.
    pub fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.asked)
    }

    /// Returns a flag that no signal raises.
    #[cfg(test)]
    pub(crate) fn patient_for(patience: Nanos) -> StopFlag {
        StopFlag { patience, ..StopFlag::default() }
    }

    /// Whether the run is to stop, for whatever reason.
    pub fn raised(&self) -> bool {
        self.asked.load(Ordering::Relaxed) || self.gave_up()
    }

    /// Whether a device was given up.
    pub fn gave_up(&self) -> bool {
        self.gave_up.load(Ordering::Relaxed)
    }

    /// Returns the exit code of a run that was stopped; `None` if it was not.
    pub fn code(&self) -> Option<Code> {
        if self.gave_up() {
            return Some(Code::Failed);
        }
        self.raised().then_some(Code::Interrupted)
    }

    /// Time without any answer after which a device is given up.
    pub fn patience(&self) -> Nanos {
        self.patience
    }

    /// Raises the flag because a device is given up.
    pub fn give_up(&self) {
        self.gave_up.store(true, Ordering::Relaxed);
    }

    /// Takes in that a device does not answer, or answers again; raises the flag if the device is given up. Prints
    /// nothing: a live line does.
    pub fn note(&self, silence: &Silence) {
        if silence.stage == SilenceStage::GivenUp {
            self.give_up();
        }
    }

    /// Does the work of [`StopFlag::note`], and reports the silence on stderr.
    pub fn tell(&self, silence: &Silence) {
        self.note(silence);
        output::people(report::wrap("plimsoll: ", &silence.to_string()).trim_end());
        if silence.stage == SilenceStage::GivenUp {
            output::people(report::wrap("plimsoll: ", &StopFlag::stays_behind()).trim_end());
        }
    }

    /// Describes what becomes of the process while the kernel holds its I/O, which no signal ends.
    pub(crate) fn stays_behind() -> String {
        let process = std::process::id();
        format!(
            "process {process} ends with what is known; while the kernel holds that I/O, it stays in the list of processes until \
             the device answers"
        )
    }
}

/// An observer that only passes on stop requests and reports a device that does not answer.
impl Observer for StopFlag {
    fn interval(&mut self, _interval: &Interval) {}

    fn silence(&mut self, silence: &Silence) {
        self.tell(silence);
    }

    fn patience(&self) -> Nanos {
        self.patience
    }

    fn interrupted(&self) -> bool {
        self.raised()
    }
}

/// Signals passed on to a command while plimsoll waits for it, as if it had been started alone.
const PASSED_ON: [i32; 6] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2];

/// Signals received while a command runs.
pub struct ReceivedSignals(Option<Signals>);

impl ReceivedSignals {
    /// Takes over the signals that would end this process, from now on; if that fails, they still end it.
    pub fn instead_of_ending() -> ReceivedSignals {
        let heard = Signals::new(PASSED_ON).ok();
        if heard.is_some() {
            NOBODY_LISTENS.store(false, Ordering::Relaxed);
        }
        ReceivedSignals(heard)
    }

    /// Returns the signals to pass on. Those from the terminal are left out if the terminal sends them to the
    /// command too.
    pub fn take_passed_on(&mut self) -> Vec<i32> {
        let heard: Vec<i32> = self.0.iter_mut().flat_map(|signals| signals.pending()).collect();
        if heard.is_empty() {
            return heard;
        }
        let by_terminal = sampler::in_foreground(&sampler::Root::real());
        heard.into_iter().filter(|signal| !(by_terminal && [SIGINT, SIGQUIT].contains(signal))).collect()
    }
}

/// Waits for signals; one that comes well after the first ends the process.
fn end_at_the_second(mut signals: Signals, code: i32) {
    let mut first: Option<Instant> = None;
    for _ in signals.forever() {
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_WISH {
            leave(code);
        }
    }
}

/// Ends the process at once, without waiting for a device and without running destructors.
pub fn leave(code: i32) -> ! {
    kernel::give_keys_back();
    signal_hook::low_level::exit(code)
}
