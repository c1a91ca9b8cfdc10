//! Limits that the volume itself counted as exceeded: certain evidence of a throttle, and of its owner (method 5.4).

use record::{ExceededLimits, ExceededWhile, Run};
use serde::{Deserialize, Serialize};

use crate::causes::cause::LevelUnit;
use crate::finding::{Confidence, FindingOf, Kind, Nature};

/// Share of the run by which a counter must grow; less is momentary, and did not limit the run (method 5.4).
const SHARE: f64 = 0.01;

/// A limit that was exceeded for `share` of the run, by the provider's own counter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitExceeded {
    pub device: String,
    pub whose: Whose,
    pub counted: LevelUnit,
    pub seconds: f64,
    pub share: f64,
}

/// The owner of an exceeded limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    /// The volume itself.
    Volume,
    /// The machine, for all its volumes together.
    Instance,
}

impl Kind for LimitExceeded {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 3, device: None, badness: None, doubt: None, level: false }
    }
}

type Counter = fn(&ExceededLimits) -> u64;

const COUNTERS: [(Whose, LevelUnit, Counter); 4] = [
    (Whose::Volume, LevelUnit::Operations, |counted| counted.volume_iops_us),
    (Whose::Volume, LevelUnit::Bytes, |counted| counted.volume_bytes_us),
    (Whose::Instance, LevelUnit::Operations, |counted| counted.instance_iops_us),
    (Whose::Instance, LevelUnit::Bytes, |counted| counted.instance_bytes_us),
];

/// Returns every limit that was exceeded during `run`.
pub(super) fn rule(run: &Run) -> Vec<FindingOf<LimitExceeded>> {
    run.exceeded.iter().flat_map(of_device).collect()
}

fn of_device(device: &ExceededWhile) -> Vec<FindingOf<LimitExceeded>> {
    let (Some(after), lasted) = (&device.after, device.lasted.as_secs_f64()) else { return Vec::new() };
    let exceeded = |(whose, counted, of): &(Whose, LevelUnit, Counter)| {
        // A counter that fell was reset: the volume was detached in between.
        let seconds = of(after).checked_sub(of(&device.before))? as f64 / 1e6;
        let meaning = LimitExceeded {
            device: device.device.clone(),
            whose: *whose,
            counted: *counted,
            seconds,
            share: (seconds / lasted).min(1.0),
        };
        (lasted > 0.0 && seconds > SHARE * lasted).then(|| FindingOf::at_large(meaning, Confidence::Certain))
    };
    COUNTERS.iter().filter_map(exceeded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::Nanos;

    fn run(after: Option<ExceededLimits>) -> Run {
        let before = ExceededLimits { volume_iops_us: 5_000_000, ..ExceededLimits::default() };
        let exceeded =
            ExceededWhile { device: "nvme1n1".into(), before, after, lasted: Nanos::from_secs(100) };
        Run { exceeded: vec![exceeded], ..Run::started(Vec::new(), 0) }
    }

    #[test]
    fn a_counter_that_grew_names_whose_limit_it_was_and_for_how_long() {
        let grown = ExceededLimits {
            volume_iops_us: 35_000_000,
            instance_bytes_us: 2_000_000,
            instance_iops_us: 999_000,
            ..ExceededLimits::default()
        };
        let found = rule(&run(Some(grown)));
        let told: Vec<_> =
            found.iter().map(|one| (one.meaning.whose, one.meaning.counted, one.meaning.seconds)).collect();
        let wanted =
            vec![(Whose::Volume, LevelUnit::Operations, 30.0), (Whose::Instance, LevelUnit::Bytes, 2.0)];
        assert_eq!(told, wanted, "one hundredth of the run is too little");
        assert!(found.iter().all(|one| one.confidence == Confidence::Certain));
    }

    #[test]
    fn counters_that_stood_still_were_reset_or_are_missing_tell_nothing() {
        for after in [
            None,
            Some(ExceededLimits::default()),
            Some(ExceededLimits { volume_iops_us: 5_000_000, ..ExceededLimits::default() }),
        ] {
            assert!(rule(&run(after)).is_empty(), "{after:?}");
        }
        assert!(rule(&Run::started(Vec::new(), 0)).is_empty());
    }
}
