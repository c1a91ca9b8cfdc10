//! The budget of the volumes, compared with the limits that the provider publishes for the machine.

use policy::{Catalogue, Limit, Resource, UnitReading};
use serde::{Deserialize, Serialize};
use workload::NamedMachine;

use super::budgets::SharedBudget;
use super::loads::{LoadTogether, Reach};
use crate::causes::cause::LevelUnit;
use crate::estimate::Estimate;

/// Share within which a level equals a published one, as in claims of a policy (method 6.1).
const NEAR: f64 = 0.03;

/// The published limits of the machine, each with the level measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineLimits {
    /// The machine.
    pub machine: NamedMachine,
    /// One row per limit.
    pub rows: Vec<MachineRow>,
}

/// One published limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineRow {
    /// Unit that the limit counts.
    pub counted: LevelUnit,
    /// The rate that the limit allows for ever, per second.
    pub baseline: f64,
    /// The rate that the limit allows for a while, per second, if that is more.
    pub most: Option<f64>,
    /// The budget that was measured, or else the highest total of all volumes at once.
    pub level: Estimate,
    /// How the level compares with the limit.
    pub answer: MachineAnswer,
}

/// How a budget compares with a published limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MachineAnswer {
    /// The level equals the baseline.
    Baseline,
    /// The level equals the burst rate, which lasts as long as credits do.
    Burst,
    /// The level is below the baseline.
    Below,
    /// The level is between baseline and burst.
    Between,
    /// The level is above both baseline and burst.
    Above,
    /// The volumes do not reach the limit: they show no such budget up to the level.
    NotReached,
    /// The interval of the level decides none of these.
    Open,
}

impl MachineLimits {
    /// Whether a budget is surely below a published limit.
    pub fn is_below(&self) -> bool {
        self.rows.iter().any(|row| row.answer == MachineAnswer::Below)
    }
}

/// Returns the published limits of `named`, each with the level measured; `None` if the catalogue lacks the machine.
pub(super) fn held(
    named: &NamedMachine,
    loads: &[LoadTogether],
    budgets: &[SharedBudget],
) -> Option<MachineLimits> {
    let limits = Catalogue::builtin().instance(&named.provider, &named.name).ok()?;
    let rows = limits.limits.iter().filter_map(|limit| row(limit, loads, budgets)).collect();
    Some(MachineLimits { machine: named.clone(), rows })
}

fn row(limit: &Limit, loads: &[LoadTogether], budgets: &[SharedBudget]) -> Option<MachineRow> {
    let counted = match limit.resource {
        Resource::Iops => LevelUnit::Operations,
        Resource::Bytes => LevelUnit::Bytes,
    };
    let most = limit.burst.as_ref().map(|burst| burst.rate);
    let of_kind = budgets.iter().filter(|budget| budget.counted == Some(counted)).map(SharedBudget::level);
    let budget = of_kind.max_by(|a, b| a.value.total_cmp(&b.value));
    let (level, answer) = match budget {
        Some(level) => (level, against(limit, &level)),
        None => (reached(counted, loads)?, MachineAnswer::NotReached),
    };
    let open = matches!(answer, MachineAnswer::NotReached)
        && level.low > most.unwrap_or(limit.baseline) * (1.0 + NEAR);
    let answer = if open { MachineAnswer::Above } else { answer };
    Some(MachineRow { counted, baseline: limit.baseline, most, level, answer })
}

/// Returns the highest total of all volumes at once.
fn reached(counted: LevelUnit, loads: &[LoadTogether]) -> Option<Estimate> {
    let told = loads.iter().filter(|load| !matches!(load.reach, Reach::Open(_)));
    let level = |load: &LoadTogether| {
        let times = if counted == LevelUnit::Bytes { load.load.block.0 as f64 } else { 1.0 };
        Some(load.total?.times(times))
    };
    told.filter_map(level).max_by(|a, b| a.value.total_cmp(&b.value))
}

/// Compares a budget with a limit, in either reading of an ambiguous unit.
fn against(limit: &Limit, level: &Estimate) -> MachineAnswer {
    let readings = [UnitReading::Decimal, UnitReading::Binary].map(|reading| limit.in_reading(reading));
    let is = |published: f64| {
        let near = (level.value / published - 1.0).abs() <= NEAR;
        near || (level.low <= published
            && published <= level.high
            && level.half_width() <= 3.0 * NEAR * level.value)
    };
    let least = readings.iter().map(|limit| limit.baseline).fold(f64::MAX, f64::min);
    let burst = |limit: &Limit| limit.burst.as_ref().map(|burst| burst.rate);
    let most = readings.iter().map(|limit| burst(limit).unwrap_or(limit.baseline)).fold(0.0, f64::max);
    if readings.iter().any(|limit| is(limit.baseline)) {
        MachineAnswer::Baseline
    } else if readings.iter().filter_map(burst).any(is) {
        MachineAnswer::Burst
    } else if level.high < least * (1.0 - NEAR) {
        MachineAnswer::Below
    } else if level.low > most * (1.0 + NEAR) {
        MachineAnswer::Above
    } else if level.low > least && level.high < most {
        MachineAnswer::Between
    } else {
        MachineAnswer::Open
    }
}
