//! The phases of load cycles: idle, load, idle, load, …, and a last idle one.

use workload::Nanos;

use super::scales::scale_words;

/// Fewest samples of a phase: two make one difference, and the edges are cut off.
const SAMPLES_LEAST: u64 = 3;
/// Shortest phase: a load needs a moment to reach its rate.
const CYCLE_LEAST: Nanos = Nanos::SECOND;
/// Maximum number of phases of a watch: nobody reads a longer plan, and at the shortest cycle it takes three hours.
const PHASES_MOST: u64 = 10_000;

/// Default length of a phase.
const CYCLE: Nanos = Nanos::from_secs(60);
/// Default number of load phases: two, to see the load again; with scales, one for each scale.
const REPEAT: u32 = 2;

/// Parameters of load cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycles {
    /// Length of each phase, idle or load.
    pub cycle: Nanos,
    /// Number of load phases at each scale, at least one.
    pub repeat: u32,
    /// Shares of the load's nominal rate, in their order; empty: the load as it is.
    pub scales: Vec<f64>,
}

/// A planned phase.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedPhase {
    /// Name, unique in the watch: `idle 1`, `load 1`, `load 50%`, `load 50% 2`.
    pub name: String,
    /// End of the phase, counted from the start of the first phase.
    pub end: Nanos,
    /// Length of the phase.
    pub length: Nanos,
    /// Load of the phase.
    pub what: PhaseWhat,
}

/// Load of a [`PlannedPhase`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PhaseWhat {
    /// No load.
    Idle,
    /// The load, at this share of its nominal rate if it is scaled.
    Load(Option<f64>),
}

/// Reason why load cycles cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CycleError {
    /// Phases are too short to give figures.
    #[error(
        "--cycle {}: too short for samples every {}; a phase needs {} or more",
        seconds(*cycle),
        seconds(*every),
        seconds(*least)
    )]
    Short {
        /// The cycle requested.
        cycle: Nanos,
        /// Time between two samples.
        every: Nanos,
        /// The shortest accepted cycle.
        least: Nanos,
    },
    /// The load is to run zero times.
    #[error("--repeat 0 runs no load; say 1 or more, or leave --load out to watch alone")]
    Never,
    /// More phases than a watch holds.
    #[error(
        "--repeat {repeat} makes {phases} phases, and a watch holds up to {PHASES_MOST}; repeat less often, or make each \
         phase longer with --cycle"
    )]
    Many {
        /// The repetitions requested.
        repeat: u32,
        /// Number of phases that would result.
        phases: u64,
    },
}

/// A duration as it is typed: `0.2s`, `60s`.
fn seconds(span: Nanos) -> String {
    format!("{}s", span.as_secs_f64())
}

impl Cycles {
    /// Cycles from the options given, with defaults for the others.
    pub fn said(cycle: Option<Nanos>, repeat: Option<u32>, scales: Option<Vec<f64>>) -> Cycles {
        let usual = if scales.is_some() { 1 } else { REPEAT };
        Cycles {
            cycle: cycle.unwrap_or(CYCLE),
            repeat: repeat.unwrap_or(usual),
            scales: scales.unwrap_or_default(),
        }
    }

    /// The phases, in their order.
    ///
    /// # Errors
    /// Returns a [`CycleError`] if a phase would hold too few samples, taken at intervals of `every`, or if there would be
    /// no phases or too many.
    pub fn phases(&self, every: Nanos) -> Result<Vec<PlannedPhase>, CycleError> {
        let least = CYCLE_LEAST.max(every * SAMPLES_LEAST);
        if self.cycle < least {
            return Err(CycleError::Short { cycle: self.cycle, every, least });
        }
        if self.repeat == 0 {
            return Err(CycleError::Never);
        }
        let loads = u64::from(self.repeat).saturating_mul(self.scales.len().max(1) as u64);
        let phases = loads.saturating_mul(2).saturating_add(1);
        if phases > PHASES_MOST {
            return Err(CycleError::Many { repeat: self.repeat, phases });
        }
        let mut phases = Vec::new();
        for (name, scale) in self.loads() {
            self.add(&mut phases, PhaseWhat::Idle, None);
            self.add(&mut phases, PhaseWhat::Load(scale), Some(name));
        }
        self.add(&mut phases, PhaseWhat::Idle, None);
        Ok(phases)
    }

    /// Name and scale of each load phase.
    fn loads(&self) -> Vec<(String, Option<f64>)> {
        let once = |number: u32| (format!("load {number}"), None);
        if self.scales.is_empty() {
            return (1..=self.repeat).map(once).collect();
        }
        let at = |scale: &f64| {
            let scale = *scale;
            (1..=self.repeat).map(move |number| match number {
                1 if self.repeat == 1 => (format!("load {}", scale_words(scale)), Some(scale)),
                _ => (format!("load {} {number}", scale_words(scale)), Some(scale)),
            })
        };
        self.scales.iter().flat_map(at).collect()
    }

    fn add(&self, phases: &mut Vec<PlannedPhase>, what: PhaseWhat, name: Option<String>) {
        let number = phases.len() as u64 + 1;
        // Every other phase is idle.
        let name = name.unwrap_or_else(|| format!("idle {}", number.div_ceil(2)));
        phases.push(PlannedPhase { name, end: self.cycle * number, length: self.cycle, what });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(cycles: &Cycles) -> Vec<String> {
        cycles.phases(Nanos::SECOND).unwrap().into_iter().map(|phase| phase.name).collect()
    }

    #[test]
    fn two_cycles_of_a_minute_are_five_minutes() {
        let cycles = Cycles { cycle: Nanos::from_secs(60), repeat: 2, scales: Vec::new() };
        assert_eq!(names(&cycles), ["idle 1", "load 1", "idle 2", "load 2", "idle 3"]);
        let last = cycles.phases(Nanos::from_secs(10)).unwrap().pop().unwrap();
        assert_eq!(last.end, Nanos::from_secs(300));
    }

    #[test]
    fn a_series_of_scales_names_each_once() {
        let mut cycles = Cycles { cycle: Nanos::from_secs(5), repeat: 1, scales: vec![0.5, 1.0, 10.0] };
        assert_eq!(
            names(&cycles),
            ["idle 1", "load 50%", "idle 2", "load 100%", "idle 3", "load 1000%", "idle 4"]
        );
        cycles.repeat = 2;
        cycles.scales.truncate(1);
        assert_eq!(names(&cycles), ["idle 1", "load 50% 1", "idle 2", "load 50% 2", "idle 3"]);
    }

    #[test]
    fn a_phase_that_would_hold_too_few_samples_is_refused_with_what_would_do() {
        let cycles = |seconds| Cycles { cycle: Nanos::from_secs(seconds), repeat: 1, scales: Vec::new() };
        let error = cycles(20).phases(Nanos::from_secs(10)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--cycle 20s: too short for samples every 10s; a phase needs 30s or more"
        );
        assert!(cycles(30).phases(Nanos::from_secs(10)).is_ok());
        let never = Cycles { repeat: 0, ..cycles(30) };
        assert_eq!(never.phases(Nanos::SECOND), Err(CycleError::Never));
        let many = |repeat| Cycles { repeat, scales: vec![0.5, 1.0], ..cycles(30) }.phases(Nanos::SECOND);
        assert_eq!(many(2_500), Err(CycleError::Many { repeat: 2_500, phases: 10_001 }));
        assert_eq!(many(2_499).map(|phases| phases.len()), Ok(9_997));
    }
}
