//! Every kind of finding, and the rules that detect them: the one list of kinds.
//!
//! A kind has a file of its own, or one with other kinds of the same rule: its numbers, its rule, the rule's thresholds
//! with their source, its weight and the device that it concerns.

#![allow(missing_docs, reason = "what the numbers of a kind mean is said at the kind")]

mod above_device;
mod above_nominal;
mod bucket;
mod burst;
pub(crate) mod burst_alike;
mod caps;
mod endings;
mod exceeded;
mod fall;
pub(crate) mod fell;
mod first_touch;
mod flushes;
mod foreign;
mod full_queue;
mod generator;
mod held;
mod little;
mod machine_limit;
mod merging;
mod micro_bursts;
pub(crate) mod open_question;
mod own_limit;
mod period;
mod rise;
mod saturated;
mod saturation;
mod serial;
mod shared;
mod silence;
mod slow;
pub(crate) mod stalls;
mod target;
mod unit;
mod unsteady;
mod untimed;
mod write_back;

use policy::Limits;
use record::{LocalLimit, Run};
use serde::{Deserialize, Serialize};
use workload::Direction;

pub use above_device::ThrottledAboveDevice;
pub use above_nominal::ThrottledAboveNominal;
pub use bucket::BucketEmptied;
pub use burst::{CreditsSpent, InsideBurst};
pub use burst_alike::{Alike, BurstsAlike};
pub use caps::{BandwidthCap, Crossover, FillingDepth, IopsCap};
pub use endings::{Failed, Interrupted};
pub use exceeded::{LimitExceeded, Whose as WhoseLimit};
pub use fall::StepDown;
pub use fell::HeldLevelFell;
pub use first_touch::FirstTouch;
pub use flushes::FlushBound;
pub use foreign::ForeignLoad;
pub use full_queue::QueueFull;
pub use generator::GeneratorBound;
pub use held::{HeldBytes, HeldOperations};
pub use little::LittleMismatch;
pub use machine_limit::{KernelQueue, MachineLimit};
pub use merging::Merging;
pub use micro_bursts::MicroBursts;
pub use open_question::{NotIdentifiable, Question};
pub use own_limit::{CpuBound, DepthBound, InFlightBound};
pub use period::Wave;
pub use rise::StepUp;
pub use saturated::Saturated;
pub use saturation::Saturation;
pub use serial::SerialApplication;
pub use shared::{SeparateBudgets, SharedBudget};
pub use silence::StoppedAnswering;
pub use slow::{BackendSlow, CpuStarved};
pub use stalls::Stalls;
pub use target::{CachedReads, ReadsOnly, TargetDoubt, Unwritten};
pub use unit::AccountingUnit;
pub use unsteady::Unsteady;
pub use untimed::Untimed;
pub use write_back::WriteBack;

use crate::causes::Causes;
use crate::figures::Figures;
use crate::finding::{FindingOf, Kind, Nature};
use crate::regimes::Change;
use crate::verdict::Verdict;
use crate::watch::device::Device;
use crate::watch::watched_run::{WatchedRun, is_watch};

/// A finding of any kind.
pub type Finding = FindingOf<Meaning>;

macro_rules! kinds {
    ($($kind:ident),+ $(,)?) => {
        /// Kinds of findings with their numbers. Rates are per second, latencies nanoseconds, sizes bytes, shares 0 to 1.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum Meaning { $($kind($kind)),+ }

        impl Meaning {
            /// Returns the nature of the kind.
            pub(crate) fn nature(&self) -> Nature<'_> {
                match self { $(Meaning::$kind(kind) => kind.nature()),+ }
            }
        }

        $(impl From<$kind> for Meaning {
            fn from(kind: $kind) -> Meaning {
                Meaning::$kind(kind)
            }
        })+
    };
}

kinds! {
    IopsCap, BandwidthCap, Crossover, FillingDepth, Unsteady, LittleMismatch, GeneratorBound, ForeignLoad,
    TargetDoubt, CachedReads, Unwritten, ReadsOnly, InsideBurst, CreditsSpent, BurstsAlike, BucketEmptied, StepDown, StepUp, Wave, Interrupted, Failed,
    SerialApplication, HeldOperations, HeldBytes, ThrottledAboveNominal, ThrottledAboveDevice, BackendSlow,
    FlushBound, CpuStarved, QueueFull, Untimed, HeldLevelFell, StoppedAnswering, Saturated, Stalls, MicroBursts, WriteBack,
    AccountingUnit, SharedBudget, SeparateBudgets,
    LimitExceeded, Saturation, DepthBound, InFlightBound, CpuBound, MachineLimit, KernelQueue, NotIdentifiable, FirstTouch, Merging,
}

impl From<endings::Early> for Meaning {
    fn from(early: endings::Early) -> Meaning {
        match early {
            endings::Early::Interrupted(kind) => kind.into(),
            endings::Early::Failed(kind) => kind.into(),
        }
    }
}

impl From<burst::Burst> for Meaning {
    fn from(burst: burst::Burst) -> Meaning {
        match burst {
            burst::Burst::Inside(kind) => kind.into(),
            burst::Burst::Spent(kind) => kind.into(),
        }
    }
}

impl From<held::HeldLevel> for Meaning {
    fn from(held: held::HeldLevel) -> Meaning {
        match held {
            held::HeldLevel::Operations(kind) => kind.into(),
            held::HeldLevel::Bytes(kind) => kind.into(),
        }
    }
}

impl From<slow::Slow> for Meaning {
    fn from(slow: slow::Slow) -> Meaning {
        match slow {
            slow::Slow::Backend(kind) => kind.into(),
            slow::Slow::Starved(kind) => kind.into(),
        }
    }
}

impl Meaning {
    /// Whether the finding names the level of a limit.
    pub fn is_level(&self) -> bool {
        self.nature().level
    }
}

fn any<K: Into<Meaning>>(found: impl IntoIterator<Item = FindingOf<K>>) -> Vec<Finding> {
    let of_any_kind = |found: FindingOf<K>| Finding {
        meaning: found.meaning.into(),
        evidence: found.evidence,
        confidence: found.confidence,
    };
    found.into_iter().map(of_any_kind).collect()
}

/// A rule about a run, from its steps, target and endings.
type RunRule = fn(&Run, &Figures) -> Vec<Finding>;

/// Rules whose findings also apply to a run that was cut short.
const CUT_SHORT_RULES: [RunRule; 9] = [
    |run, _| any(exceeded::rule(run)),
    |run, _| any(silence::rule(run)),
    |run, _| any(endings::rule(run)),
    |run, _| any(target::doubtful(run)),
    |run, _| any(target::cached(run)),
    |run, _| any(target::unwritten(run)),
    |run, _| any(target::reads_only(run)),
    |run, _| any(foreign::beside_steps(run)),
    |run, _| any(generator::rule(run)),
];

/// Rules about the levels of ladders, applied if all ladders were completed.
const WHOLE_RUN_RULES: [RunRule; 6] = [
    |run, figures| any(fall::rule(run, figures)),
    |run, figures| any(rise::rule(run, figures)),
    |run, figures| any(period::rule(run, figures)),
    |run, figures| any(little::rule(run, figures)),
    |run, figures| any(unsteady::rule(run, figures)),
    |run, figures| any(first_touch::rule(run, figures)),
];

/// A rule about the limits of a run's levels.
type CauseRule = fn(&Causes<'_>) -> Vec<Finding>;

/// Rules about causes, reads before writes.
const CAUSE_RULES: [CauseRule; 13] = [
    |causes| of_caps(causes, Direction::Read),
    |causes| of_caps(causes, Direction::Write),
    |causes| any(unit::rule(causes)),
    |causes| any(saturation::rule(causes)),
    |causes| any(own_limit::depth(causes)),
    |causes| any(own_limit::in_flight(causes)),
    |causes| any(own_limit::cpu(causes)),
    |causes| any(machine_limit::limits(causes)),
    |causes| any(machine_limit::queues(causes)),
    |causes| any(shared::shared(causes)),
    |causes| any(shared::separate(causes)),
    |causes| any(merging::rule(causes)),
    |causes| any(open_question::rule(causes)),
];

fn of_caps(causes: &Causes<'_>, direction: Direction) -> Vec<Finding> {
    let mut found = any(caps::operations(causes, direction));
    found.extend(any(caps::bandwidth(causes, direction)));
    found.extend(any(caps::crossover(causes, direction)));
    found.extend(any(caps::filling_depth(causes, direction)));
    found
}

/// A rule about one watched device, from the device's windows.
type DeviceRule = fn(&WatchedRun<'_>, &Device<'_>) -> Vec<Finding>;

/// Every rule about one device, except those of limited and slow windows, which also mark these windows in the device.
/// Each has its name on the page of rules, if any.
const DEVICE_RULES: [DeviceRule; 12] = [
    |watch, device| any(serial::rule(watch, device)), // (R2)
    |watch, device| any(held::one_at_a_time(watch, device)), // (R2b)
    |watch, device| any(above_device::waiting_application(watch, device)), // (R10)
    |watch, device| any(above_device::own_load(watch, device)), // (R10), of a load of ours
    |watch, device| any(foreign::on_load_device(watch, device)),
    |watch, device| any(flushes::rule(watch, device)), // (R15)
    |watch, device| any(full_queue::rule(watch, device)), // (R20)
    |watch, device| any(untimed::rule(watch, device)),
    |watch, device| any(saturated::rule(watch, device)),
    |watch, device| any(stalls::rule(watch, device)),
    |watch, device| any(micro_bursts::rule(watch, device)), // (R8)
    |watch, device| any(write_back::rule(watch, device)),   // (R17)
];

/// Returns the findings from a run's steps, target and endings.
pub(crate) fn of_run(run: &Run, figures: &Figures) -> Vec<Finding> {
    let mut found: Vec<Finding> = CUT_SHORT_RULES.iter().flat_map(|rule| rule(run, figures)).collect();
    // A ladder that was not completed shows no cap, and its last rung was too short.
    if !endings::cut_short(run) {
        found.extend(WHOLE_RUN_RULES.iter().flat_map(|rule| rule(run, figures)));
        let causes = Causes::of(run, figures);
        found.extend(CAUSE_RULES.iter().flat_map(|rule| rule(&causes)));
    }
    found
}

/// Returns the throttle that a watched load reaches above its nominal rate, and the indices of the phases that show it.
pub(crate) fn of_load(watch: &WatchedRun<'_>) -> (Vec<Finding>, Vec<usize>) {
    let (found, taken) = above_nominal::rule(watch);
    (any(found), taken)
}

/// Returns the findings on a watched device, and marks in the device what limits it. In the phases `taken`, the load's
/// throttle is already reported.
pub(crate) fn of_device(watch: &WatchedRun<'_>, device: &mut Device<'_>, taken: &[usize]) -> Vec<Finding> {
    let mut found = any(held::rule(watch, device, taken));
    found.extend(any(fell::rule(watch, device)));
    found.extend(any(slow::rule(watch, device))); // (R11, R16)
    found.extend(DEVICE_RULES.iter().flat_map(|rule| rule(watch, device)));
    found
}

/// Marks in a watched device the windows in which a limit held it.
pub(crate) fn mark_held(watch: &WatchedRun<'_>, device: &mut Device<'_>, taken: &[usize]) {
    held::rule(watch, device, taken);
}

/// Returns the limit of this machine in front of a watched device for which tasks wait.
pub(crate) fn limit_in_front(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<LocalLimit> {
    above_device::waiting_application(watch, device)?.meaning.limit
}

/// Returns the findings on bursts, of the policy itself and of others, that affect a verdict.
pub(crate) fn of_verdict(
    run: &Run,
    figures: &Figures,
    limits: Option<&Limits>,
    verdict: &Verdict,
) -> Vec<Finding> {
    let changed = figures.regimes.changes.iter().any(Change::fell);
    let fell = if changed { burst::RateFalls::Once } else { burst::RateFalls::Never };
    let mut found = any(burst::rule(limits, verdict, fell));
    found.extend(any(burst_alike::rule(figures, limits, verdict)));
    // A watch detects falls by its own rules, and in a run that was cut short the load may have been missing.
    if !is_watch(run) && !endings::cut_short(run) {
        found.extend(any(bucket::rule(run, figures, limits)));
    }
    found
}
