//! Run delay of the programs of a test: the time for which their threads were runnable but waited for a processor, as
//! counted by the kernel.

use std::collections::HashMap;
use std::fs;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between looks at the threads; waiting after the last look is not counted.
const EVERY: Duration = Duration::from_millis(50);

/// Sums the run delay of this process and of all processes that it starts, from the start of the watch.
#[derive(Debug)]
pub struct RunDelay {
    begun: Instant,
    done: Sender<()>,
    counting: JoinHandle<Duration>,
}

impl RunDelay {
    /// Starts the watch.
    pub fn watch() -> RunDelay {
        let (done, ended) = channel();
        let counting = std::thread::spawn(move || {
            let mut threads = Threads::default();
            threads.look();
            threads.forget_what_was();
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                threads.look();
            }
            threads.look();
            threads.waited()
        });
        RunDelay { begun: Instant::now(), done, counting }
    }

    /// Returns the run delay of all threads together as a share of the time since the start; 0 if the kernel does not
    /// count it.
    pub fn share(self) -> f64 {
        let passed = self.begun.elapsed();
        drop(self.done);
        self.counting.join().map_or(0.0, |waited| waited.as_secs_f64() / passed.as_secs_f64().max(1e-3))
    }
}

/// The run delay of every thread that was seen, in nanoseconds: at the first look, and at the last.
#[derive(Default)]
struct Threads(HashMap<u32, (u64, u64)>);

impl Threads {
    fn look(&mut self) {
        self.look_at(std::process::id());
    }

    fn look_at(&mut self, process: u32) {
        let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let number = task.file_name().to_string_lossy().parse().unwrap_or_default();
            if let Some(waited) =
                waited_ns(&fs::read_to_string(task.path().join("schedstat")).unwrap_or_default())
            {
                self.0.entry(number).or_default().1 = waited;
            }
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            children
                .split_whitespace()
                .filter_map(|child| child.parse().ok())
                .for_each(|child| self.look_at(child));
        }
    }

    /// Excludes the run delay so far.
    fn forget_what_was(&mut self) {
        self.0.values_mut().for_each(|(before, now)| *before = *now);
    }

    fn waited(&self) -> Duration {
        Duration::from_nanos(self.0.values().map(|(before, now)| now.saturating_sub(*before)).sum())
    }
}

/// Returns the second figure of `schedstat`: the time for which the thread was ready and did not run.
fn waited_ns(text: &str) -> Option<u64> {
    text.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_figure_is_the_waiting() {
        assert_eq!(waited_ns("39301 1274313 7\n"), Some(1_274_313));
        assert_eq!(waited_ns(""), None);
    }

    #[test]
    fn what_was_waited_before_and_by_threads_that_ended_is_kept_apart() {
        let mut threads = Threads(HashMap::from([(7, (0, 500))]));
        threads.forget_what_was();
        threads.0.insert(8, (0, 30));
        threads.0.entry(7).or_default().1 = 520;
        assert_eq!(threads.waited(), Duration::from_nanos(50));
    }
}
