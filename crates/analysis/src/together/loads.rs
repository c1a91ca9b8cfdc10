//! The result of one load: each volume alone, all of them at once, and whether they share a limit.

use record::StepRecord;
use serde::{Deserialize, Serialize};
use statistics::level::Strays;
use workload::{TogetherLoad, TogetherRequest};

use super::looks::{Look, Rates, Role, look_together, mean, strays};
use crate::estimate::Estimate;

/// Least share of the rates alone that counts as all: a budget that takes less cannot be detected.
const ALL: f64 = 0.97;
/// Share of the rates alone below which the interval must not extend.
const ALL_LEAST: f64 = 0.88;
/// Least distance between the means of two differing looks at one volume alone, as a share.
pub(crate) const CHANGED: f64 = 0.1;
/// Least distance between them in standard errors of the values within each look; neighbouring values are correlated.
const CHANGED_ERRORS: f64 = 6.0;

/// One load: each volume alone, and all at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadTogether {
    /// The load.
    pub load: TogetherLoad,
    /// One row per volume.
    pub rows: Vec<VolumeTogether>,
    /// Sum of the rates of the volumes alone, in operations per second.
    pub alone: Option<Estimate>,
    /// Total rate of all volumes at once, in operations per second.
    pub total: Option<Estimate>,
    /// Whether the volumes share a limit.
    pub reach: Reach,
}

/// One volume under one load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VolumeTogether {
    /// Operations per second alone.
    pub alone: Option<Estimate>,
    /// Operations per second beside all others.
    pub together: Option<Estimate>,
    /// Ratio of the rate beside the others to the rate alone.
    pub kept: Option<f64>,
}

/// Whether the volumes of a load share a limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// They do: the total is below the sum of their rates alone.
    Held,
    /// They do not: the total equals the sum of their rates alone.
    Whole,
    /// Unknown, for this reason.
    Open(TogetherDoubt),
}

/// Why it is unknown whether volumes share a limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TogetherDoubt {
    /// The load was not measured.
    NotMeasured,
    /// The interval of the ratio decides neither.
    Noise,
    /// plimsoll's own lack of CPU could explain the missing rate.
    Generator,
    /// The rate of this volume alone differed between looks.
    Changed(usize),
}

/// Total rate of some of the volumes at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartTogether {
    /// Indices of the volumes.
    pub volumes: Vec<usize>,
    /// The load.
    pub load: TogetherLoad,
    /// Total rate at once, operations per second.
    pub total: f64,
    /// Sum of the rates of these volumes alone, in operations per second.
    pub alone: f64,
}

/// The looks of a run at its volumes.
pub(super) struct TogetherLooks<'r> {
    pub asked: &'r TogetherRequest,
    pub looks: Vec<Look<'r>>,
    /// Noise of the run, from all its levels.
    pub strays: Strays,
}

impl<'r> TogetherLooks<'r> {
    /// Collects the looks in `steps`.
    pub fn of(steps: &'r [StepRecord], asked: &'r TogetherRequest) -> TogetherLooks<'r> {
        let looks: Vec<Look<'r>> = steps.iter().filter_map(|step| look_together(step, asked)).collect();
        let mut seen = TogetherLooks { asked, looks, strays: Strays::default() };
        let of_load = |load: &TogetherLoad| {
            let alone = (0..asked.volumes.len()).map(|volume| seen.alone(*load, volume));
            alone.chain([seen.total(*load)]).collect::<Vec<Rates>>()
        };
        let all: Vec<Rates> = asked.loads.iter().flat_map(of_load).collect();
        seen.strays = strays(&all);
        seen
    }

    /// Returns the looks at one load in one role.
    pub fn in_role<'s>(&'s self, load: TogetherLoad, role: &'s Role) -> impl Iterator<Item = &'s Look<'r>> {
        self.looks.iter().filter(move |look| look.load == load && look.role == *role)
    }

    /// Returns the rates of one volume alone.
    pub fn alone(&self, load: TogetherLoad, volume: usize) -> Rates {
        Rates::of(self.in_role(load, &Role::Alone(volume)), |look| look.rates[volume].clone())
    }

    /// Returns the total rates of all volumes at once.
    pub fn total(&self, load: TogetherLoad) -> Rates {
        Rates::of(self.in_role(load, &Role::All), Look::total)
    }

    /// Returns the result of one load; `generator` returns the share of its rate that a step lost for lack of a CPU.
    pub fn load(&self, load: TogetherLoad, generator: &dyn Fn(&StepRecord) -> f64) -> LoadTogether {
        let volumes = 0..self.asked.volumes.len();
        let rows: Vec<VolumeTogether> = volumes.map(|volume| self.kept(load, volume)).collect();
        let alone = sum(rows.iter().map(|row| row.alone));
        let total = self.total(load).level(&self.strays);
        let reach = match alone.zip(total) {
            None => Reach::Open(TogetherDoubt::NotMeasured),
            Some((alone, total)) => self.reach(load, (&alone, &total), generator),
        };
        LoadTogether { load, rows, alone, total, reach }
    }

    fn kept(&self, load: TogetherLoad, volume: usize) -> VolumeTogether {
        let alone = self.alone(load, volume).level(&self.strays);
        let beside = Rates::of(self.in_role(load, &Role::All), |look| look.rates[volume].clone());
        let together = beside.level(&self.strays);
        let kept = alone.zip(together).filter(|(alone, _)| alone.value > 0.0);
        VolumeTogether { alone, together, kept: kept.map(|(alone, together)| together.value / alone.value) }
    }

    fn reach(
        &self,
        load: TogetherLoad,
        (alone, total): (&Estimate, &Estimate),
        generator: &dyn Fn(&StepRecord) -> f64,
    ) -> Reach {
        let share = ratio(total, alone);
        let lost =
            |role: &Role| self.in_role(load, role).map(|look| generator(look.step)).fold(0.0, f64::max);
        if let Some(volume) = self.changed(load) {
            // A volume whose worker lacked a CPU also has another rate.
            let starved = lost(&Role::Alone(volume)) > CHANGED;
            let doubt = if starved { TogetherDoubt::Generator } else { TogetherDoubt::Changed(volume) };
            return Reach::Open(doubt);
        }
        reached(&share, lost(&Role::All))
    }

    /// Returns the first volume whose rate alone differed between looks.
    fn changed(&self, load: TogetherLoad) -> Option<usize> {
        let moved = |volume: &usize| {
            let role = Role::Alone(*volume);
            let looks = self.in_role(load, &role);
            let seen: Vec<(f64, f64)> = looks.filter_map(|look| spread(&look.rates[*volume])).collect();
            let differs = |one: &(f64, f64), other: &(f64, f64)| {
                let apart = (other.0 - one.0).abs();
                apart > CHANGED * one.0.max(other.0) && apart > CHANGED_ERRORS * one.1.hypot(other.1)
            };
            seen.iter().enumerate().any(|(at, one)| seen[at + 1..].iter().any(|other| differs(one, other)))
        };
        (0..self.asked.volumes.len()).find(moved)
    }

    /// Returns the total rates of some of the volumes at once.
    pub fn parts(&self, loads: &[LoadTogether]) -> Vec<PartTogether> {
        let of = |look: &Look<'_>| {
            let Role::Part(volumes) = &look.role else { return None };
            let load = loads.iter().find(|load| load.load == look.load)?;
            let alone = volumes.iter().map(|volume| load.rows[*volume].alone.map(|alone| alone.value));
            let alone = alone.sum::<Option<f64>>()?;
            Some(PartTogether {
                volumes: volumes.clone(),
                load: look.load,
                total: mean(&look.total())?,
                alone,
            })
        };
        self.looks.iter().filter_map(of).collect()
    }
}

/// Returns whether a total that is this share of the rates alone is held; `lost` is the share of the total that was lost for
/// lack of a CPU, which may be all that is missing.
pub(crate) fn reached(share: &Estimate, lost: f64) -> Reach {
    let without_loss = share.value / (1.0 - lost).max(f64::MIN_POSITIVE);
    if share.value >= ALL && share.low > ALL_LEAST {
        Reach::Whole
    } else if share.high >= ALL {
        Reach::Open(TogetherDoubt::Noise)
    } else if without_loss >= ALL {
        Reach::Open(TogetherDoubt::Generator)
    } else {
        Reach::Held
    }
}

/// Returns the mean and the standard error of some values.
fn spread(values: &[f64]) -> Option<(f64, f64)> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, (squares / (values.len() - 1) as f64 / values.len() as f64).sqrt()))
}

/// Adds up levels with independent errors; `None` if a level is not known.
pub(crate) fn sum(all: impl Iterator<Item = Option<Estimate>>) -> Option<Estimate> {
    let all: Vec<Estimate> = all.collect::<Option<_>>()?;
    let value: f64 = all.iter().map(|one| one.value).sum();
    let half = all.iter().map(|one| one.half_width().powi(2)).sum::<f64>().sqrt();
    (!all.is_empty()).then_some(Estimate { value, low: (value - half).max(0.0), high: value + half })
}

/// Returns one level as a share of another; their errors are independent.
pub(crate) fn ratio(one: &Estimate, of: &Estimate) -> Estimate {
    let value = one.value / of.value;
    let half = value * (one.half_width() / one.value).hypot(of.half_width() / of.value);
    Estimate { value, low: (value - half).max(0.0), high: value + half }
}
