//! Ctrl-C at every moment of a check, in virtual time: a stop request that is raised with the n-th interval.

use std::cell::Cell;

use analysis::{Answer, analyse};
use experiments::next_step;
use record::{Interval, Observer, Run, StepRecord};
use session::{Setup, Wish, conduct, set_up};
use workload::{Ending, Expectation, Target};

use crate::simulated_checks::asked;

const VOLUME: &str = "sim:aws-gp3";

/// Wants to stop once it has seen `after` intervals.
struct Stops {
    after: usize,
    seen: Cell<usize>,
}

impl Observer for Stops {
    fn interval(&mut self, _interval: &Interval) {
        self.seen.set(self.seen.get() + 1);
    }

    fn interrupted(&self) -> bool {
        self.seen.get() >= self.after
    }
}

/// Returns a check of the volume that is stopped with its `after`-th interval, and how many intervals there were.
fn stopped(after: usize) -> (Run, usize) {
    let target = Target::parse(VOLUME).unwrap();
    let Setup { facts, mut runner, .. } = set_up(&target, VOLUME, &Wish::default()).unwrap();
    let mut observer = Stops { after, seen: Cell::new(0) };
    let ask = asked();
    let (steps, error) = conduct(&|done| next_step(&ask, done), runner.as_mut(), &mut observer);
    assert!(error.is_none(), "{error:?}");
    let mut run = Run::started(vec!["check".into()], 0);
    (run.steps, run.complete, run.target) = (steps, true, Some(facts));
    (run, observer.seen.get())
}

/// Formats everything that was measured in a step, without its plan.
fn measured(step: &StepRecord) -> String {
    format!("{:?} {:?} {:?} {:?}", step.started, step.ended, step.ending, step.intervals)
}

#[test]
fn a_check_stopped_at_any_interval_keeps_all_that_was_measured_until_then() {
    let (whole, intervals) = stopped(usize::MAX);
    assert!(intervals > 100, "{intervals}");
    let claim = Expectation::parse("read 3000 iops").unwrap();
    // The first fifty, which contain the short steps, then every seventh.
    for after in (1..50).chain((50..intervals).step_by(7)) {
        let (run, seen) = stopped(after);
        let (last, before) = run.steps.split_last().unwrap();
        assert!((after..after + 8).contains(&seen), "stopped at {after}: {seen} intervals");
        assert_eq!(last.ending, Ending::Interrupted, "stopped at {after}: {}", last.plan.name);
        for (step, same) in before.iter().zip(&whole.steps) {
            assert!(measured(step) == measured(same), "stopped at {after}: {} differs", step.plan.name);
        }
        let same = &whole.steps[before.len()];
        let kept = last.intervals.len().saturating_sub(1);
        assert_eq!(last.plan.name, same.plan.name, "stopped at {after}");
        assert!(last.intervals[..kept] == same.intervals[..kept], "stopped at {after}: {}", last.plan.name);
        let found = analyse(&run, None, Some(&claim));
        let answer = &found.verdict.answer;
        assert!(*answer != Answer::Below, "stopped at {after}: what was not measured is not missing");
    }
}
