//! What else the machine does during a check.

use std::any::Any;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use crate::machine::*;

/// Bursts of a thief last from `BURST` to ten times as long, and take one in `ONE_IN` of the time.
const BURST: Duration = Duration::from_millis(5);
const ONE_IN: u32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    Nothing,
    /// This many programs that spin.
    Programs(usize),
    /// A tenth of each processor is taken in bursts of 5 to 50 ms, from all other threads, as a hypervisor does.
    Stolen,
}

impl Beside {
    pub fn name(self) -> &'static str {
        match self {
            Beside::Nothing => "nothing",
            Beside::Programs(1) => "a-program",
            Beside::Programs(_) => "programs",
            Beside::Stolen => "a-thief",
        }
    }

    /// Starts it; `None`, and a skip, if this machine cannot. It ends when dropped.
    pub fn start(self) -> Option<Vec<Box<dyn Any>>> {
        let spin = || Running::start(Command::new("sh").args(["-c", "while :; do :; done"]));
        match self {
            Beside::Nothing => Some(Vec::new()),
            Beside::Programs(number) => Some((0..number).map(|_| Box::new(spin()) as Box<dyn Any>).collect()),
            Beside::Stolen => {
                let thieves = kernel::available_cpus().into_iter().map(Thief::of);
                thieves.map(|thief| Some(Box::new(thief?) as Box<dyn Any>)).collect()
            }
        }
    }
}

/// A thread before all threads of ordinary priority on a processor.
struct Thief {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Thief {
    fn of(cpu: u32) -> Option<Thief> {
        let over = Arc::new(AtomicBool::new(false));
        let (heard, (sender, begun)) = (Arc::clone(&over), std::sync::mpsc::channel());
        let thread = std::thread::spawn(move || {
            let own = std::fs::read_link("/proc/thread-self").unwrap_or_default();
            let number = own.file_name().map(|name| text(Path::new(name))).unwrap_or_default();
            let pinned = kernel::pin_current_thread(&[cpu]).is_ok();
            let first = pinned && run(&["chrt", "--fifo", "--pid", "50", &number]);
            let _ = sender.send(first);
            let mut random = u64::from(cpu) + 1;
            while first && !heard.load(Ordering::Relaxed) {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let burst = BURST.mul_f64(1.0 + 9.0 * (random >> 11) as f64 / (1u64 << 53) as f64);
                let until = Instant::now() + burst;
                while Instant::now() < until {}
                sleep(burst * (ONE_IN - 1));
            }
        });
        let thief = Thief { over, thread: Some(thread) };
        begun.recv().unwrap_or(false).then_some(thief)
    }
}

impl Drop for Thief {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
