//! Causes of the levels of a check: one for operations and one for bytes in each direction, or what would show it.
//!
//! A cause follows from its probe, never from the order in which causes are considered: without its probe, a level
//! stays open.

pub(crate) mod alike;
mod bound;
mod bytes;
pub(crate) mod cause;
mod corner;
mod inside;
pub(crate) mod loads;
mod operations;
pub(crate) mod together;
mod unit;
mod way;

use record::Run;
use workload::Direction;

use cause::{Cause, ChargeUnit, LevelUnit, LimitedLevel};
use loads::Loads;
use together::{Sharing, Together, sharing};
use way::Way;

use crate::figures::Figures;
use crate::finding::Confidence;
use crate::plateaus::base_latency_ns;

/// All known causes of a run's levels.
pub(crate) struct Causes<'r> {
    pub figures: &'r Figures,
    pub loads: Loads<'r>,
    pub held: Vec<LimitedLevel>,
    pub charged: Vec<ChargeUnit>,
}

impl<'r> Causes<'r> {
    /// Determines the causes of a run's levels.
    pub fn of(run: &'r Run, figures: &'r Figures) -> Causes<'r> {
        let loads = Loads::of(run, figures);
        let (mut held, mut charged) = (Vec::new(), Vec::new());
        for direction in [Direction::Read, Direction::Write] {
            let way = Way {
                run,
                direction,
                loads: &loads,
                base_ns: base_latency_ns(&figures.latencies, &figures.depths, direction),
                figures,
                depths: &figures.depths,
                blocks: &figures.blocks,
            };
            let operations = operations::held(&way);
            let unit = operations.as_ref().and_then(|operations| unit::charged(&way, operations));
            let bytes = bytes::held(&way, operations.as_ref(), unit.as_ref());
            let of_way: Vec<&LimitedLevel> = operations.iter().chain(&bytes).collect();
            let unit = unit.filter(|unit| unit::stands(unit, &of_way));
            charged.extend(unit);
            held.extend(operations.into_iter().chain(bytes));
        }
        let mut causes = Causes { figures, loads, held, charged };
        causes.share_meters();
        causes
    }

    /// Names a meter that reads and writes share for both: waits may hide it in the counts of one of them.
    fn share_meters(&mut self) {
        let is_shared =
            |one: &Sharing| one.together == Together::Shared && one.confidence >= Confidence::Likely;
        for shared in sharing(self).into_iter().filter(is_shared) {
            for (named, open) in [(Direction::Read, Direction::Write), (Direction::Write, Direction::Read)] {
                let Some(meter) = self.cap(named, shared.counted).cloned() else { continue };
                let is_open = |held: &&mut LimitedLevel| {
                    (held.direction, held.counted) == (open, shared.counted)
                        && matches!(held.cause, Cause::Open { .. })
                        && held.level.low <= meter.level.high
                        && meter.level.low <= held.level.high
                };
                if let Some(held) = self.held.iter_mut().find(is_open) {
                    (held.cause, held.confidence, held.at_least) = (Cause::Meter, Confidence::Likely, false);
                }
            }
        }
    }

    /// Returns the level of `counted` in `direction`, with its cause.
    pub fn of_level(&self, direction: Direction, counted: LevelUnit) -> Option<&LimitedLevel> {
        self.held.iter().find(|held| held.direction == direction && held.counted == counted)
    }

    /// Returns the level of `counted` in `direction`, if a meter limits it.
    pub fn cap(&self, direction: Direction, counted: LevelUnit) -> Option<&LimitedLevel> {
        self.of_level(direction, counted).filter(|held| held.cause == Cause::Meter)
    }
}
