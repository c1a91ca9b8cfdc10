//! The loads of a map since the last change: random, sequential, and of both directions.

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{Direction, Flush, Order, Pace, StepKind};

use crate::causes::cause::LevelUnit;
use crate::estimate::Estimate;
use crate::figures::Figures;
use crate::finding::Confidence;
use crate::findings::{Finding, Meaning};
use crate::points::point;
use crate::step_figures::Point;

/// Reads and writes of one block size at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixture {
    /// Name of the step.
    pub step: String,
    /// Share of reads in percent.
    pub read_percent: u8,
    /// Bytes of an I/O.
    pub block: u64,
    /// I/Os in flight.
    pub depth: u32,
    /// I/Os per second of both directions.
    pub iops: f64,
    /// Rates of the reads, then of the writes.
    pub of_each: [Estimate; 2],
}

/// Sequential blocks compared with the same blocks at random places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderComparison {
    /// Direction.
    pub direction: Direction,
    /// Bytes of an I/O.
    pub block: u64,
    /// Sequential rate, I/Os per second.
    pub sequential: Estimate,
    /// Random rate, I/Os per second, at the same depth or the nearest to it.
    pub random: Estimate,
}

/// Whether reads and writes have one budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sharing {
    /// Unit that the budget counts.
    pub counted: LevelUnit,
    /// Whether they share one budget; otherwise each direction has its own.
    pub shared: bool,
    /// Confidence in that.
    pub confidence: Confidence,
}

impl Sharing {
    /// Returns whether the budget of `counted` is shared, from the findings; `None` if no mix showed it.
    pub(super) fn of(findings: &[Finding], counted: LevelUnit) -> Option<Sharing> {
        findings.iter().find_map(|finding| {
            let shared = match &finding.meaning {
                Meaning::SharedBudget(found) if found.counted == counted => true,
                Meaning::SeparateBudgets(found) if found.counted == counted => false,
                _ => return None,
            };
            Some(Sharing { counted, shared, confidence: finding.confidence })
        })
    }
}

/// The loads of a run that kept their depth, in its last regime.
pub(crate) struct Loads {
    /// At random places, one direction alone.
    pub random: Vec<Point>,
    /// One block after the other, one direction alone.
    sequential: Vec<Point>,
    mixed: Vec<Mixture>,
}

impl Loads {
    pub(super) fn of(run: &Run, figures: &Figures) -> Loads {
        let mut loads = Loads { random: Vec::new(), sequential: Vec::new(), mixed: Vec::new() };
        let regimes = &figures.regimes;
        let of_now =
            |step: &&StepRecord| regimes.of_span(step.counted_from, step.ended) == Some(regimes.last());
        run.steps.iter().filter(keeps_depth).filter(of_now).for_each(|step| loads.add(step));
        // The ladders' rungs include the noise of the volume, as its levels show it.
        for rung in figures.ladders() {
            if let Some(own) = loads
                .random
                .iter_mut()
                .find(|point| point.step == rung.step && point.direction == rung.direction)
            {
                *own = rung.clone();
            }
        }
        loads
    }

    fn add(&mut self, step: &StepRecord) {
        let [read, write] = [Direction::Read, Direction::Write].map(|way| point(step, way));
        let Some(worker) = step.plan.workers.first() else { return };
        match (read, write) {
            (Some(read), Some(write)) => self.mixed.push(Mixture {
                step: step.plan.name.clone(),
                read_percent: worker.access.mix.read_percent(),
                block: read.block.max(write.block),
                depth: read.depth,
                iops: read.iops.value + write.iops.value,
                of_each: [read.iops, write.iops],
            }),
            (one, other) => match worker.access.order {
                Order::Sequential => self.sequential.extend(one.or(other)),
                Order::Random(_) => self.random.extend(one.or(other)),
            },
        }
    }

    /// Returns the mixtures by block, mix and depth.
    pub(super) fn mixtures(&self) -> Vec<Mixture> {
        let mut mixed = self.mixed.clone();
        mixed.sort_by_key(|mixture| (mixture.block, mixture.read_percent, mixture.depth));
        mixed
    }

    /// Returns each sequential step beside the random load nearest to its depth.
    pub(super) fn ordered(&self) -> Vec<OrderComparison> {
        let beside = |sequential: &Point| {
            let alike = |random: &&Point| {
                random.direction == sequential.direction && random.block == sequential.block
            };
            let off = |random: &&Point| random.depth.abs_diff(sequential.depth);
            let random = self.random.iter().filter(alike).min_by_key(off)?;
            Some(OrderComparison {
                direction: sequential.direction,
                block: sequential.block,
                sequential: sequential.iops,
                random: random.iops,
            })
        };
        self.sequential.iter().filter_map(beside).collect()
    }
}

/// Whether all workers of a step keep their depth whatever the volume does.
fn keeps_depth(step: &&StepRecord) -> bool {
    use StepKind::{Again, BlockLadder, Cell, DepthLadder, Latency, Probe, Reference};
    let kind =
        matches!(step.plan.kind, Again | BlockLadder | Cell | DepthLadder | Latency | Probe | Reference);
    kind && step.plan.workers.iter().all(|worker| {
        worker.pace == Pace::Closed && worker.terms.think.is_none() && worker.flush == Flush::Never
    })
}
