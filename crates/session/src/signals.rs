//! Ctrl-C and termination as a flag that the engine looks at several times a second.

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
/// A signal so soon after the first is the same wish: `timeout` sends each to the process and again to its group.
const SAME_WISH: Duration = Duration::from_millis(300);
/// Exit code of a run that was stopped.
const STOPPED: i32 = 130;

/// True until somebody else listens for a wish to stop: till then one ends the process at once.
static NOBODY_LISTENS: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(true)));
/// What [`StopFlag::while_reading`] shares: handlers are registered once.
static READING: LazyLock<StopFlag> = LazyLock::new(|| {
    for signal in STOPPING {
        // Nothing has been set up yet that would have to be undone.
        let _ =
            signal_hook::flag::register_conditional_shutdown(signal, STOPPED, Arc::clone(&NOBODY_LISTENS));
    }
    StopFlag::caught(PATIENCE)
});

/// Lets a write beyond `ulimit -f` fail with an error that can be told; its signal would end the process without a word.
pub fn survive_file_limit() {
    // Where it cannot be registered, the signal ends the process as before.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Raised when somebody asked the process to stop, or when a device was waited for in vain.
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
    /// A flag that Ctrl-C, a termination or a lost terminal raises, and a device that answers nothing for `patience`. A second Ctrl-C ends the process at once, with the
    /// exit code of an interrupted run.
    pub fn on_signals(patience: Nanos) -> StopFlag {
        StopFlag::on_signals_or_exit(STOPPED, patience)
    }

    /// As [`StopFlag::on_signals`], with the exit code that a second Ctrl-C ends the process with.
    pub fn on_signals_or_exit(code: i32, patience: Nanos) -> StopFlag {
        let flag = StopFlag::before_a_command(patience);
        if let Ok(signals) = Signals::new(STOPPING) {
            std::thread::spawn(move || end_at_the_second(signals, code));
        }
        flag
    }

    /// A flag that the same signals raise, for what is made before a command of the user's begins: however many of them come
    /// later, they are for that command.
    pub fn before_a_command(patience: Nanos) -> StopFlag {
        let flag = StopFlag::caught(patience);
        // What is read from now on hears of a signal that came before.
        LazyLock::force(&READING);
        NOBODY_LISTENS.store(false, Ordering::Relaxed);
        flag
    }

    /// A flag for the time in which inputs are read. As long as no other flag listens, the same signals end the process at
    /// once, with the exit code of an interrupted run.
    pub fn while_reading(patience: Nanos) -> StopFlag {
        StopFlag { patience, ..READING.clone() }
    }

    fn caught(patience: Nanos) -> StopFlag {
        let flag = StopFlag { patience, ..StopFlag::default() };
        for signal in STOPPING {
            // Registering fails for forbidden signals only, and these are not; without a handler the default action ends
            // the process, and unnamed files still vanish with it.
            let _ = signal_hook::flag::register(signal, Arc::clone(&flag.asked));
        }
        flag
    }

    /// Somebody asks to stop, by a key.
    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Hears of a signal that the first thread cannot hear of, since the kernel holds it.
    pub(crate) fn listen_for_the_first_thread(&self) {
        if kernel::take_pending_signal(&STOPPING) {
            self.ask();
        }
    }

    /// The flag itself, for what is made before anything is measured.
    pub fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.asked)
    }

    /// A flag that no signal raises.
    #[cfg(test)]
    pub(crate) fn patient_for(patience: Nanos) -> StopFlag {
        StopFlag { patience, ..StopFlag::default() }
    }

    /// True once the run is to stop, whyever.
    pub fn raised(&self) -> bool {
        self.asked.load(Ordering::Relaxed) || self.gave_up()
    }

    /// True once a device was waited for in vain.
    pub fn gave_up(&self) -> bool {
        self.gave_up.load(Ordering::Relaxed)
    }

    /// The exit code of a run that was stopped; `None` where nobody stopped it.
    pub fn code(&self) -> Option<Code> {
        if self.gave_up() {
            return Some(Code::Failed);
        }
        self.raised().then_some(Code::Interrupted)
    }

    /// How long a device may leave everything unanswered.
    pub fn patience(&self) -> Nanos {
        self.patience
    }

    /// Nobody waits any longer for a device.
    pub fn give_up(&self) {
        self.gave_up.store(true, Ordering::Relaxed);
    }

    /// A device does not answer, or does again: raises the flag where it is given up. Whoever shows a live line tells people.
    pub fn note(&self, silence: &Silence) {
        if silence.stage == SilenceStage::GivenUp {
            self.give_up();
        }
    }

    /// The same, and tells people on stderr.
    pub fn tell(&self, silence: &Silence) {
        self.note(silence);
        output::people(report::wrap("plimsoll: ", &silence.to_string()).trim_end());
        if silence.stage == SilenceStage::GivenUp {
            output::people(report::wrap("plimsoll: ", &StopFlag::stays_behind()).trim_end());
        }
    }

    /// What becomes of the process while the kernel holds its I/O, which no signal ends.
    pub(crate) fn stays_behind() -> String {
        let process = std::process::id();
        format!(
            "process {process} ends with what is known; while the kernel holds that I/O, it stays in the list of processes until \
             the device answers"
        )
    }
}

/// Who is told of nothing but a wish to stop, and of a device that does not answer.
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

/// Signals that a command gets to hear while plimsoll waits for it, as if it had been started alone.
const PASSED_ON: [i32; 6] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2];

/// Signals that came while a command ran.
pub struct Heard(Option<Signals>);

impl Heard {
    /// Takes the signals that would end this process, from now on; where that is not possible they still do.
    pub fn instead_of_ending() -> Heard {
        let heard = Signals::new(PASSED_ON).ok();
        if heard.is_some() {
            NOBODY_LISTENS.store(false, Ordering::Relaxed);
        }
        Heard(heard)
    }

    /// Those to pass on: what the terminal sends, it sends to the command as well.
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

/// Ends the process at once: what waits for a device, and what stands to be dropped, is left as it is.
pub fn leave(code: i32) -> ! {
    kernel::give_keys_back();
    signal_hook::low_level::exit(code)
}
