//! Budgets that volumes share: what they count, where they apply, and whether one volume's unused part goes to others.

use serde::{Deserialize, Serialize};
use workload::{Bytes, TogetherLoad, TogetherRequest};

use super::loads::{LoadTogether, Reach, TogetherLooks, ratio};
use super::looks::{Role, mean};
use crate::causes::cause::LevelUnit;
use crate::estimate::Estimate;

/// Share within which two rates count as equal.
const ALIKE: f64 = 0.08;
/// Largest small block: doubling it shows whether operations are counted; a larger one is halved.
const SMALL_MOST: Bytes = Bytes::kib(64);
/// Least share of the total that a volume must give up to show who gets it.
const LEFT_LEAST: f64 = 0.08;
/// Share of a volume's unused part that goes to others: at least the first if all of it does, at most the second if
/// none.
const PASSED: (f64, f64) = (0.7, 0.3);
/// Least share of their rates alone at which volumes lack nothing.
const LACK_NOTHING: f64 = 0.95;

/// A budget that all volumes share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedBudget {
    /// The load that showed it.
    pub load: TogetherLoad,
    /// Unit that the budget counts; `None` if another block size did not show that.
    pub counted: Option<LevelUnit>,
    /// Operations per second at that load's block size.
    pub operations: Estimate,
    /// Bytes per second at that load's block size.
    pub bytes: Estimate,
    /// Whether the other volumes get what one volume does not use.
    pub passed_on: BudgetTransfer,
    /// The position of the budget in the stack.
    pub standing: Standing,
}

/// Whether the other volumes get what one volume does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetTransfer {
    /// The others get it: all volumes share one budget.
    Whole,
    /// The others lack nothing, so they need not get it.
    NotNeeded,
    /// The others do not get it: each volume has a part of its own while others are busy.
    Nothing,
    /// Unknown: not measured, or too little was unused.
    Open,
}

/// The position of a budget in the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Above every volume: the machine, its instance type, a controller, or a group that contains all volumes.
    Machine,
    /// On this device, which is below all volumes.
    Device(String),
}

impl SharedBudget {
    /// Returns the level in the unit that the budget counts; in operations if that is not known.
    pub fn level(&self) -> Estimate {
        match self.counted {
            Some(LevelUnit::Bytes) => self.bytes,
            Some(LevelUnit::Operations) | None => self.operations,
        }
    }
}

/// Returns the block size that shows whether operations or bytes are counted.
pub fn other_block(block: Bytes) -> Bytes {
    if block <= SMALL_MOST { Bytes(block.0 * 2) } else { Bytes(block.0 / 2) }
}

/// Returns the volume with the most operations per second, which is to give up half of its rate beside the others, and
/// the other half of that rate.
pub fn half_load(rates: &[f64]) -> Option<(usize, f64)> {
    let most = rates.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    Some((most.0, most.1 / 2.0)).filter(|(_, rate)| *rate >= 1.0)
}

/// Returns a budget for each load that shows one, without duplicates.
pub(super) fn budgets(seen: &TogetherLooks<'_>, loads: &[LoadTogether]) -> Vec<SharedBudget> {
    let mut budgets: Vec<SharedBudget> = Vec::new();
    for load in loads.iter().filter(|load| load.reach == Reach::Held) {
        let Some(total) = load.total else { continue };
        let block = load.load.block.0 as f64;
        let bytes = total.times(block);
        let found = SharedBudget {
            load: load.load,
            counted: counted(seen, load.load, &total),
            operations: total,
            bytes,
            passed_on: passed_on(seen, load),
            standing: standing(seen.asked),
        };
        if !budgets.iter().any(|known| is_same(known, &found)) {
            budgets.push(found);
        }
    }
    budgets
}

/// Whether a budget was already found with another block size of the same direction.
fn is_same(known: &SharedBudget, found: &SharedBudget) -> bool {
    let alike = ratio(&found.level(), &known.level());
    let same = known.load.direction == found.load.direction && known.counted == found.counted;
    same && found.counted.is_some() && (alike.value - 1.0).abs() <= ALIKE
}

/// Returns the unit that the budget counts, from the total at another block size.
fn counted(seen: &TogetherLooks<'_>, load: TogetherLoad, total: &Estimate) -> Option<LevelUnit> {
    let block = other_block(load.block);
    let other = seen.total(TogetherLoad { block, ..load }).level(&seen.strays)?;
    let operations = other.value / total.value;
    let bytes = operations * block.0 as f64 / load.block.0 as f64;
    let alike = |ratio: f64| (ratio - 1.0).abs() <= ALIKE;
    match (alike(operations), alike(bytes)) {
        (true, false) => Some(LevelUnit::Operations),
        (false, true) => Some(LevelUnit::Bytes),
        _ => None,
    }
}

fn passed_on(seen: &TogetherLooks<'_>, load: &LoadTogether) -> BudgetTransfer {
    let told = || -> Option<BudgetTransfer> {
        let (paced, look) = seen.looks.iter().find_map(|look| match look.role {
            Role::Paced(volume) if look.load == load.load => Some((volume, look)),
            _ => None,
        })?;
        let others: Vec<usize> = (0..load.rows.len()).filter(|volume| *volume != paced).collect();
        let together = |volume: &usize| load.rows[*volume].together.map(|level| level.value);
        let alone: f64 = others
            .iter()
            .map(|volume| load.rows[*volume].alone.map(|level| level.value))
            .sum::<Option<f64>>()?;
        let before: f64 = others.iter().map(together).sum::<Option<f64>>()?;
        let after: f64 = others.iter().map(|volume| look.rate(*volume)).sum::<Option<f64>>()?;
        let left = together(&paced)? - mean(&look.rates[paced])?;
        if left < LEFT_LEAST * load.total?.value {
            return None;
        }
        let passed = (after - before) / left;
        Some(match passed {
            _ if passed >= PASSED.0 => BudgetTransfer::Whole,
            _ if after >= LACK_NOTHING * alone => BudgetTransfer::NotNeeded,
            _ if passed <= PASSED.1 => BudgetTransfer::Nothing,
            _ => BudgetTransfer::Open,
        })
    };
    told().unwrap_or(BudgetTransfer::Open)
}

/// Returns the device below all volumes, if there is one; otherwise the budget applies above them.
fn standing(asked: &TogetherRequest) -> Standing {
    let Some((first, others)) = asked.volumes.split_first() else { return Standing::Machine };
    let shared =
        first.devices.iter().find(|device| others.iter().all(|other| other.devices.contains(device)));
    shared.map_or(Standing::Machine, |device| Standing::Device(device.clone()))
}
