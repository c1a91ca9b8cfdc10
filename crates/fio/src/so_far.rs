//! Provisional record of a running step, for intermediate results.

use record::{Interval, StepRecord, WorkerTotals};
use workload::{Ending, Nanos, StepPlan};

/// The intervals so far of a running step.
pub struct SoFar {
    plan: StepPlan,
    jobs: Vec<String>,
    intervals: Vec<Interval>,
    /// Time from which each job counts.
    from: Vec<Nanos>,
}

impl SoFar {
    /// Returns the step `plan` without any interval.
    pub fn new(plan: &StepPlan) -> SoFar {
        let mut jobs: Vec<String> = Vec::new();
        for worker in &plan.workers {
            if !jobs.contains(&worker.job) {
                jobs.push(worker.job.clone());
            }
        }
        let from = vec![Nanos::ZERO; jobs.len()];
        SoFar { plan: plan.clone(), jobs, intervals: Vec::new(), from }
    }

    /// Names of the step's jobs, in the order in which intervals number them.
    pub fn jobs(&self) -> &[String] {
        &self.jobs
    }

    /// Adds a completed interval.
    pub fn take(&mut self, interval: &Interval) {
        let from = self.from.get(usize::from(interval.job)).copied().unwrap_or_default();
        let counted = interval.counted && interval.start >= from;
        self.intervals.push(Interval { counted, ..interval.clone() });
    }

    /// Stops counting what the job with this number did before `at`, even in intervals added earlier.
    pub fn restarted(&mut self, job: u16, at: Nanos) {
        if let Some(from) = self.from.get_mut(usize::from(job)) {
            *from = at.max(*from);
        }
        for interval in self.intervals.iter_mut().filter(|interval| interval.job == job) {
            interval.counted &= interval.start >= at;
        }
    }

    /// Returns the provisional record of whole intervals, with these totals of the workers.
    pub fn record(&self, workers: Vec<WorkerTotals>) -> StepRecord {
        let started = self.intervals.first().map_or(Nanos::ZERO, |interval| interval.start);
        let ended = self.intervals.last().map_or(started, |interval| interval.end);
        StepRecord {
            plan: self.plan.clone(),
            started,
            counted_from: started + self.plan.ramp,
            ended,
            ending: Ending::Interrupted,
            jobs: self.jobs.clone(),
            intervals: self.intervals.clone(),
            workers,
            failures: Vec::new(),
            notes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::{Direction, StepKind};

    /// Two seconds of a search, the second of which arrives late, then one second at the depth found.
    #[test]
    fn what_a_search_did_counts_until_it_has_found_and_no_longer() {
        let plan = StepPlan {
            name: "step".to_owned(),
            kind: StepKind::Job,
            workers: Vec::new(),
            stop: Vec::new(),
            ramp: Nanos::ZERO,
            interval: Nanos::SECOND,
            choices: Vec::new(),
        };
        let second = |number: u64| {
            let mut interval = Interval::empty(0, Nanos::from_secs(number), Nanos::from_secs(number + 1));
            interval.directions[Direction::Read.index()].tally.ops = 10u64.pow(number as u32);
            interval
        };
        let mut so_far = SoFar { jobs: vec!["a".to_owned()], from: vec![Nanos::ZERO], ..SoFar::new(&plan) };
        let ops = |so_far: &SoFar| -> u64 {
            let counted = so_far.intervals.iter().filter(|interval| interval.counted);
            counted.map(|interval| interval.directions[Direction::Read.index()].tally.ops).sum()
        };
        so_far.take(&second(0));
        assert_eq!(ops(&so_far), 1);
        so_far.restarted(0, Nanos::from_secs(2));
        so_far.take(&second(1));
        assert_eq!(ops(&so_far), 0, "what came late is of the search too");
        so_far.take(&second(2));
        assert_eq!(ops(&so_far), 100);
    }
}
